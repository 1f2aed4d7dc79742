"""Pictures of analyses: the graph, loop orders, traffic.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Mapping
from typing import Any

from ember.errors import ArgumentError, UnsupportedError

_PATTERNS = {
    "pipelineable": "tab:green",
    "pipeline_with_writeback": "tab:orange",
    "pipeline_with_hold": "tab:blue",
    "sequential": "tab:red",
}
_DOMINANCE = {"U": "#cfe8cf", "C": "#f6d5d5", "bal": "#d7e3f4", "small": "#eeeeee"}
PICTURES = ("graph", "orders", "traffic")


def draw(report: Mapping[str, Any], picture: str) -> Any:
    """A matplotlib Figure of an ember-dag report.

    picture: `graph`, operations by their stages with the patterns of edges (GOGETA's figure 7),
    `orders`, the loops of each operation (figure 8), or `traffic`, words that each scheme moves
    (figure 10). Raises ArgumentError for another one, and UnsupportedError without matplotlib.
    """
    if picture not in PICTURES:
        raise ArgumentError(f"a picture is one of {', '.join(PICTURES)}, and not {picture!r}")
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise UnsupportedError("plot needs matplotlib") from error
    drawing = {"graph": _draw_graph, "orders": _draw_orders, "traffic": _draw_traffic}[picture]
    return drawing(report, Figure)


def _draw_graph(report: Mapping[str, Any], figure_of: Any) -> Any:
    from matplotlib.lines import Line2D

    nodes, edges = report["nodes"], report["edges"]
    places: dict[str, tuple[float, float]] = {}
    columns: dict[int, int] = {}
    for node in nodes:
        stage = int(node["stage"])
        places[node["name"]] = (float(stage), -float(columns.get(stage, 0)))
        columns[stage] = columns.get(stage, 0) + 1
    width = 1.6 * (max(columns, default=0) + 1) + 1
    figure = figure_of(figsize=(min(width, 40), 1.5 + 0.9 * max(columns.values(), default=1)))
    axes = figure.subplots()
    for edge in edges:
        (x0, y0), (x1, y1) = places[edge["source"]], places[edge["target"]]
        bend = 0.25 if edge.get("transitive") else 0.08
        axes.annotate(
            "",
            (x1, y1),
            (x0, y0),
            arrowprops={
                "arrowstyle": "->",
                "color": _PATTERNS.get(edge["pattern"], "black"),
                "linestyle": "--" if edge.get("transitive") else "-",
                "connectionstyle": f"arc3,rad={bend}",
                "shrinkA": 14,
                "shrinkB": 14,
            },
        )
    critical = set(report.get("criticalPath", ()))
    for node in nodes:
        x, y = places[node["name"]]
        is_critical = node["name"] in critical
        axes.text(
            x,
            y,
            f"{node['name']}\n{node['dominance']}",
            ha="center",
            va="center",
            fontsize=8,
            bbox={
                "boxstyle": "circle" if is_critical else "round",
                "facecolor": _DOMINANCE.get(node["dominance"], "white"),
                "edgecolor": "black" if is_critical else "grey",
            },
        )
    axes.set_xlim(-0.6, max(columns, default=0) + 0.6)
    axes.set_ylim(-max(columns.values(), default=1) + 0.4, 0.7)
    axes.set_xlabel("stage")
    axes.set_yticks([])
    axes.legend(
        handles=[Line2D([], [], color=color, label=name) for name, color in _PATTERNS.items()],
        loc="upper center",
        bbox_to_anchor=(0.5, 1.18),
        ncols=4,
        fontsize=7,
        frameon=False,
    )
    return figure


def _draw_orders(report: Mapping[str, Any], figure_of: Any) -> Any:
    nodes = [node for node in report["nodes"] if not node.get("iteration")]
    figure = figure_of(figsize=(7, 0.8 + 0.4 * len(nodes)))
    axes = figure.subplots()
    for row, node in enumerate(nodes):
        axes.text(0, -row, node["name"], fontsize=9, va="center", weight="bold")
        for depth, rank in enumerate(node["loops"]):
            is_dominant = rank == node.get("tiling", {}).get("rank")
            axes.text(
                1.5 + depth,
                -row,
                f"for {rank}",
                fontsize=9,
                va="center",
                color="tab:red" if is_dominant else "black",
            )
        axes.text(6, -row, node["dominance"], fontsize=9, va="center", color="grey")
    axes.set_xlim(-0.2, 6.6)
    axes.set_ylim(-len(nodes) + 0.4, 0.8)
    axes.axis("off")
    return figure


def _draw_traffic(report: Mapping[str, Any], figure_of: Any) -> Any:
    traffic = report["traffic"]
    figure = figure_of(figsize=(6, 3.2))
    axes = figure.subplots()
    schemes = [entry["scheme"] for entry in traffic]
    reads = [float(entry["reads"]) for entry in traffic]
    writes = [float(entry["writes"]) for entry in traffic]
    axes.bar(schemes, reads, label="read")
    axes.bar(schemes, writes, bottom=reads, label="written")
    axes.set_ylabel("words of DRAM")
    axes.tick_params(axis="x", labelsize=8)
    axes.legend(frameon=False)
    return figure
