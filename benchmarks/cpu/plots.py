"""Plots of a run: rates against the limit, and the targets.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.cpu.case import EMBER, LIMIT
from benchmarks.cpu.results import Result
from benchmarks.cpu.targets import Outcome

GIGA = 1e9


def plot_files(json: Path) -> tuple[Path, Path]:
    """Where the plots of a JSON file's results go: rates, and targets."""
    return json.with_name(f"{json.stem}-rates.png"), json.with_name(f"{json.stem}-targets.png")


def draw(results: Sequence[Result], outcomes: Sequence[Outcome], json: Path) -> list[Path]:
    """Draws what there are results of; returns the files. Raises ImportError without matplotlib."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    rates, targets = plot_files(json)
    drawn = []
    if any(LIMIT in result.times for result in results):
        _draw_rates(pyplot, results, rates)
        drawn.append(rates)
    if any(outcome.summary for outcome in outcomes):
        _draw_targets(pyplot, [outcome for outcome in outcomes if outcome.summary], targets)
        drawn.append(targets)
    return drawn


def _draw_rates(pyplot: Any, results: Sequence[Result], path: Path) -> None:
    """A roofline for each number of threads: every case's rate over the limit's of that case."""
    counts = sorted({result.threads for result in results})
    figure, panels = pyplot.subplots(1, len(counts), figsize=(8 * len(counts), 8), squeeze=False)
    groups = list(dict.fromkeys(result.group for result in results))
    colors = pyplot.get_cmap("tab20")
    for panel, threads in zip(panels[0], counts, strict=True):
        ends = [float("inf"), 0.0]
        for number, group in enumerate(groups):
            points = [
                (limit / GIGA, rate / GIGA)
                for result in results
                if result.group == group and result.threads == threads
                if (limit := result.rate(LIMIT)) and (rate := result.rate(EMBER))
            ]
            if points:
                across, up = zip(*points, strict=True)
                panel.scatter(across, up, s=18, color=colors(number % 20), label=group)
                ends = [min(ends[0], *across), max(ends[1], *across)]
        panel.plot(ends, ends, color="black", linewidth=1, label="the limit")
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.set_xlabel("GB/s of rows, reading only")
        panel.set_ylabel("GB/s of rows, Ember")
        panel.set_title(f"{threads} threads" if threads > 1 else "1 thread")
        panel.grid(which="both", alpha=0.2)
    panels[0][0].legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def _draw_targets(pyplot: Any, outcomes: Sequence[Outcome], path: Path) -> None:
    """The geometric means that count, the ranges of the cases, and the goals."""
    found = [one.summary for one in outcomes if one.summary]
    figure, panel = pyplot.subplots(figsize=(11, 0.32 * len(outcomes) + 1.5))
    places = range(len(outcomes), 0, -1)
    means = [one.trimmed for one in found]
    panel.barh(places, means, 0.6, color="C0", label="mean without the least and the greatest")
    panel.hlines(places, [one.least for one in found], [one.greatest for one in found], color="C1")
    panel.scatter([one.median for one in found], places, color="C1", s=20, label="median, range")
    panel.scatter([one.least for one in found], places, color="C3", s=16, label="worst case")
    goals = [one.least for one in outcomes]
    panel.scatter(goals, places, marker="|", s=180, color="black", label="goal")
    panel.set_yticks(
        places, [f"{one.name}, against {one.peer}, {one.threads} thr." for one in outcomes]
    )
    panel.set_xscale("log")
    panel.axvline(1, color="grey", linewidth=1)
    panel.set_xlabel("times as fast as the peer")
    panel.legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
