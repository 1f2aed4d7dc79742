"""Figure 3: what a core without a unit makes of lookups, and of the memory's bandwidth.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.figures import workloads
from benchmarks.figures.figure import Bar, Figure
from benchmarks.figures.runs import Run, run_all

# Figures 3a to 3d and their captions. Of figure 3a only these are named.
LONG_LOADS = {("products", 10): 74.0, ("products", 100): 40.0}
IN_FLIGHT = {"arxiv": 10.0, "mag": 12.0, "products": 19.0, "proteins": 10.0}
LOADS_A_CYCLE = {"arxiv": 6.0, "mag": 5.0, "products": 5.0, "proteins": 11.0}
BANDWIDTH = {"arxiv": 1.8, "mag": 2.0, "products": 2.4, "proteins": 1.4}
WAITING_BANDWIDTH = "% of it, loads wait for stores"
# A load that hits the L1D takes 4 cycles of 5/12 ns.
L1D_TICKS = 20


def make(kept: Path, quick: bool) -> Figure:
    """Latencies, loads in flight, throughput and bandwidth of one core, by graph."""
    graphs = workloads.some_graphs(quick)
    runs = [
        Run(workloads.part_of(graph, quick), options={"cores": 1, "plain_loops": True})
        for graph in graphs
    ]
    runs += [replace(run, machine=workloads.WAITING) for run in runs]
    results = run_all(runs, kept)
    bars = []
    for graph, result, waiting in zip(
        graphs, results[: len(graphs)], results[len(graphs) :], strict=True
    ):
        core = result.statistics["core0"]
        for times in (10, 100):
            share = 100 * share_above(core["loadTicks"], times * L1D_TICKS)
            name = f"% of loads longer than {times} L1D hits"
            bars.append(Bar(graph, name, share, LONG_LOADS.get((graph, times))))
        in_flight = core["l1d"]["mshrs"]["mean"]
        bars.append(Bar(graph, "lines in flight", in_flight, IN_FLIGHT[graph]))
        rate = 100 * core["loadLines"] / core["cycles"]
        bars.append(Bar(graph, "loads in 100 cycles", rate, LOADS_A_CYCLE[graph]))
        share = 100 * result.statistics["memory"]["utilisation"]
        bars.append(Bar(graph, "% of the memory's bandwidth", share, BANDWIDTH[graph]))
        share = 100 * waiting.statistics["memory"]["utilisation"]
        bars.append(Bar(graph, WAITING_BANDWIDTH, share, BANDWIDTH[graph]))
    shares = [bar.ours for bar in bars if bar.series.endswith("bandwidth")]
    most, least = max(shares), min(shares)
    return Figure(
        "fig03",
        "A core without a unit on sums of neighbours",
        "see series",
        bars,
        notes=[
            f"{workloads.PART_NOTE} Plain loops, as LLVM vectorises them. To saturate the memory, "
            f"{100 / most:.0f} to {100 / least:.0f} such cores would be needed; the paper says 43 "
            "to 72. Loads that another load's line answers count as loads; lines in flight are the "
            "L1D's MSHRs in use. Where our core keeps more lines in flight than the paper's, rows "
            "are contiguous: its stride and best-offset prefetchers fetch the rest of a row once "
            "its first lines are asked for, and vectors of 64 bytes ask for a line each. And its "
            "loads always guess right whether they may pass older stores: the last bars are those "
            "of a core whose loads wait. What is published lies between the two.",
        ],
    )


def share_above(latency: dict[str, Any], ticks: float) -> float:
    """The share of a histogram's values that are above so many ticks.

    Its bars reach from one power of two to the next: one in which the bound lies counts as the part
    of it that is above, on a logarithmic scale as its bounds are.
    """
    above = 0.0
    for begin, count in latency["from"]:
        if begin >= ticks:
            above += count
        elif 2 * begin > ticks:
            above += count * (2 * begin - ticks) / begin
    return float(above / max(1, latency["count"]))
