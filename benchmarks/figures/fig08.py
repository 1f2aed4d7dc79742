"""Figure 8: the processor with units beside GPUs.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from pathlib import Path

from benchmarks.figures import workloads
from benchmarks.figures.figure import Bar, Figure
from benchmarks.figures.runs import Run, run_all

# Figure 8a, % of a T4's latency; 8b and 8c, times a T4's and an H100's performance per watt.
LATENCY = {"mag": 62.0, "proteins": 41.0, "arxiv": 23.0}
PER_WATT_T4 = {"mag": 4.3, "proteins": 6.4, "arxiv": 9.4}
PER_WATT_H100 = {"mag": 2.8, "proteins": 3.8, "arxiv": 5.2, "products": 4.4}
# Section 3.3: its processor saturates this.
PUBLISHED_BANDWIDTH = 300.0
CORES = 8


def make(kept: Path, quick: bool) -> Figure:
    """Latency and performance per watt over published GPUs, by graph."""
    graphs = workloads.some_graphs(quick)
    runs = [
        Run(
            workloads.part_of(graph, quick, CORES),
            options={"cores": CORES, "unit": "tmu", "opt_level": 4},
        )
        for graph in graphs
    ]
    bars = []
    for graph, result in zip(graphs, run_all(runs, kept), strict=True):
        slower = PUBLISHED_BANDWIDTH / result.bandwidth
        if graph in LATENCY:
            published = LATENCY[graph]
            bars.append(Bar(graph, "% of a T4's latency", published * slower, published))
        for name, ratios in (("T4", PER_WATT_T4), ("H100", PER_WATT_H100)):
            if graph in ratios:
                series = f"performance per watt over a {name}"
                bars.append(Bar(graph, series, ratios[graph] / slower, ratios[graph]))
    return Figure(
        "fig08",
        f"{CORES} cores with units beside GPUs (GPUs as published)",
        "see series",
        bars,
        notes=[
            "The GPUs are the published bars: nothing of a GPU is simulated. Of ours, the "
            "bandwidth that sums of neighbours use is measured, and all of the latency is taken to "
            f"follow it, from the {PUBLISHED_BANDWIDTH:.0f} GB/s that the paper's processor "
            "saturates. Dense layers, which do not, would bring ours nearer to the published "
            "bars; watts are the published ones, since its processor's are those of a data sheet. "
            + workloads.PART_NOTE,
        ],
    )
