"""A plot of a run: how many times as fast as its peers Ember is, over batches and graphs.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.models.running import COMPILED, EAGER, Measured

PEERS = {EAGER: "C0", COMPILED: "C1"}


def plot_file(json: Path) -> Path:
    """Where the plot of a JSON file's results goes."""
    return json.with_suffix(".svg")


def draw(results: Sequence[Measured], path: Path) -> None:
    """Draws the results: a row of panels for each number of threads, batches beside whole graphs.

    The format is that of the file's ending. Raises ImportError without matplotlib.
    """
    import matplotlib

    matplotlib.use("Agg")
    # The same results are the same file.
    matplotlib.rcParams["svg.hashsalt"] = "ember"
    from matplotlib import pyplot

    counts = sorted({one.threads for one in results})
    graphs = {one.model for one in results if not one.size}
    height = max(4.0, 0.22 * len(graphs))
    figure, panels = pyplot.subplots(
        len(counts), 2, figsize=(12, height * len(counts)), squeeze=False
    )
    for (batches, whole), threads in zip(panels, counts, strict=True):
        chosen = [one for one in results if one.threads == threads]
        _draw_batches(batches, [one for one in chosen if one.size])
        _draw_graphs(whole, [one for one in chosen if not one.size])
        batches.set_title(f"batches, {threads} thread{'s' if threads > 1 else ''}")
        whole.set_title("whole graphs")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    pyplot.close(figure)


def _draw_batches(panel: Any, results: Sequence[Measured]) -> None:
    """A line for each model: times as fast as eager PyTorch, over the samples of a batch."""
    for number, model in enumerate(dict.fromkeys(one.model for one in results)):
        points = [
            (one.size, ratio)
            for one in results
            if one.model == model and (ratio := one.ratio(EAGER))
        ]
        if points:
            panel.plot(*zip(*points, strict=True), marker="o", color=f"C{number}", label=model)
    panel.axhline(1, color="black", linewidth=1)
    panel.set_xscale("log")
    panel.set_yscale("log")
    panel.set_xlabel("samples")
    panel.set_ylabel("times as fast as eager PyTorch")
    panel.grid(which="both", alpha=0.2)
    if results:
        panel.legend(fontsize="x-small")


def _draw_graphs(panel: Any, results: Sequence[Measured]) -> None:
    """Two bars for each model, one a peer."""
    places = range(len(results), 0, -1)
    for number, (peer, color) in enumerate(PEERS.items()):
        ratios = [one.ratio(peer) or 0 for one in results]
        panel.barh(
            [place + 0.2 - 0.4 * number for place in places],
            ratios,
            0.4,
            color=color,
            label=f"times as fast as {peer}",
        )
    panel.axvline(1, color="black", linewidth=1)
    panel.set_yticks(places, [one.model for one in results], fontsize="small")
    if results:
        panel.legend(fontsize="x-small")
