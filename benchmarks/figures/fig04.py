"""Figure 4: what twice the reorder buffer, load and store queues, and MSHRs gain, and cost.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from pathlib import Path

from benchmarks.figures import workloads
from benchmarks.figures.figure import Bar, Figure
from benchmarks.figures.runs import Run, run_all

MACHINES = ("rob", "lsq", "mshr", "rob-lsq", "rob-mshr", "lsq-mshr", "rob-lsq-mshr")
# Section 3.2: up to so much faster, at so much more power.
MOST_FASTER, MOST_POWER = 1.12, 1.21


def make(kept: Path, quick: bool) -> Figure:
    """Speed and power of one core over the paper's, on graph aggregation."""
    graphs = workloads.some_graphs(quick)
    names = ["paper", *(f"paper-double-{machine}" for machine in MACHINES)]
    runs = [
        Run(
            workloads.part_of(graph, quick),
            machine=machine,
            options={"cores": 1, "plain_loops": True},
        )
        for machine in names
        for graph in graphs
    ]
    results = run_all(runs, kept)
    count = len(graphs)
    base = results[:count]
    bars = []
    for number, machine in enumerate(MACHINES, start=1):
        mine = results[number * count : (number + 1) * count]
        speeds = [a.nanoseconds / b.nanoseconds for a, b in zip(base, mine, strict=True)]
        powers = [
            b.statistics["energy"]["watts"] / a.statistics["energy"]["watts"]
            for a, b in zip(base, mine, strict=True)
        ]
        last = machine == MACHINES[-1]
        bars.append(Bar(machine, "speed", sum(speeds) / count, MOST_FASTER if last else None))
        bars.append(Bar(machine, "power", sum(powers) / count, MOST_POWER if last else None))
    return Figure(
        "fig04",
        "Twice the structures of a core, over the paper's core",
        "ratio",
        bars,
        notes=[
            f"Mean over {', '.join(graphs)}. {workloads.PART_NOTE} Plain loops of one core. "
            "Published are the largest gain and the power at it, which stand beside the core with "
            "all three doubled. Power is that of the energy model, which is good for such ratios "
            "alone.",
        ],
    )
