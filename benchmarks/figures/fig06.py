"""Figure 6: a core with a unit over one without: speed, requests per joule, bandwidth.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from pathlib import Path
from typing import Any

from benchmarks.figures import workloads
from benchmarks.figures.figure import Bar, Figure
from benchmarks.figures.runs import Run, run_all

# Figures 6b and 6c, and section 3.2 for means and for what twice the structures of a core gain.
PER_JOULE = {"arxiv": 5.9, "mag": 6.7, "products": 8.3, "proteins": 3.1}
BANDWIDTH = {"arxiv": 7.0, "mag": 7.6, "products": 6.8, "proteins": 3.7}
MEAN_SPEED, MEAN_PER_JOULE = 5.7, 5.6
OVER_DOUBLED_SPEED, OVER_DOUBLED_PER_JOULE = 5.2, 6.3
CORES = (1, 2, 4, 8)
UNIT = {"unit": "tmu", "opt_level": 4}
# What keeps 8 cores from all of the bandwidth, taken away one after the other.
LARGER_QUEUES: dict[str, Any] = {"tmu": {"laneStorage": 4096, "chunks": 4, "chunkBytes": 16384}}
WIDER_LINKS = {**LARGER_QUEUES, "mesh": {"linkBytes": 64}}
WHOLE_ROWS = {**WIDER_LINKS, "memory": {"mapping": {"interleave": 8}}}
RELIEVED: dict[str, dict[str, Any]] = {
    "longer queues": LARGER_QUEUES,
    "wider links": WIDER_LINKS,
    "whole rows": WHOLE_ROWS,
}


def make(kept: Path, quick: bool) -> Figure:
    """Ratios by graph on one core, and shares of the bandwidth on more cores."""
    graphs = workloads.some_graphs(quick)
    parts = [workloads.part_of(graph, quick) for graph in graphs]
    plain = {"cores": 1, "plain_loops": True}
    runs = [Run(part, options=plain) for part in parts]
    runs += [Run(part, machine="paper-double-rob-lsq-mshr", options=plain) for part in parts]
    runs += [Run(part, options={"cores": 1, **UNIT}) for part in parts]
    runs += [Run(part, machine=workloads.WAITING, options=plain) for part in parts]
    runs += [Run(parts[0], options={"cores": cores, **UNIT}) for cores in CORES[1:]]
    runs += [
        Run(parts[0], machine=machine, options={"cores": CORES[-1], **UNIT})
        for machine in RELIEVED.values()
    ]
    larger = workloads.part_of(graphs[0], quick, 2)
    runs += [Run(larger, options=plain), Run(larger, options={"cores": 1, **UNIT})]
    results = run_all(runs, kept)
    count = len(graphs)
    cores, doubled, units, waiting = (results[k * count : (k + 1) * count] for k in range(4))
    bars = []
    ratios: dict[str, list[float]] = {}
    for graph, core, double, unit, slow in zip(graphs, cores, doubled, units, waiting, strict=True):
        watts = [one.statistics["energy"]["watts"] for one in (core, double, unit)]
        speed = core.nanoseconds / unit.nanoseconds
        over_double = double.nanoseconds / unit.nanoseconds
        mine = {
            "speed": speed,
            "requests per joule": speed * watts[0] / watts[2],
            "bandwidth": unit.bandwidth / core.bandwidth,
            "speed over a core that waits for stores": slow.nanoseconds / unit.nanoseconds,
            "speed over a doubled core": over_double,
            "requests per joule over a doubled core": over_double * watts[1] / watts[2],
        }
        known = {"requests per joule": PER_JOULE, "bandwidth": BANDWIDTH}
        for name, value in mine.items():
            ratios.setdefault(name, []).append(value)
            if "doubled" not in name:
                bars.append(Bar(graph, name, value, known.get(name, {}).get(graph)))
    means = {
        "speed": MEAN_SPEED,
        "requests per joule": MEAN_PER_JOULE,
        "speed over a doubled core": OVER_DOUBLED_SPEED,
        "requests per joule over a doubled core": OVER_DOUBLED_PER_JOULE,
    }
    bars += [
        Bar("mean", name, sum(ratios[name]) / count, published) for name, published in means.items()
    ]
    shares = [units[0], *results[4 * count : -2]]
    where = [f"{number} core(s)" for number in CORES]
    where += [f"{CORES[-1]} core(s), {change}" for change in RELIEVED]
    bars += [
        Bar(name, "% of the bandwidth", 100 * one.statistics["memory"]["utilisation"])
        for name, one in zip(where, shares, strict=True)
    ]
    speed = results[-2].nanoseconds / results[-1].nanoseconds
    bars.append(Bar(graphs[0], "speed, twice as many vertices", speed))
    return Figure(
        "fig06",
        "A core with a unit over one without, on sums of neighbours",
        "ratio",
        bars,
        notes=[
            f"{workloads.PART_NOTE} The last bars are shares of the memory's bandwidth, of cores "
            f"with units on {graphs[0]}; the paper's 8 cores saturate it. With ours it is the "
            "latency under load: lines of a row are in as many banks, which open a row for each "
            "(random lines end at two thirds of the bandwidth), and a unit uses them in order, so"
            " that the latest holds up what its storage has room for. The last of them, each with"
            " what the ones before have, have longer queues (4 KiB a lane and 4 chunks of 16 "
            "KiB), wider links (a line in a cycle), and whole rows (8 lines in a row of a bank): "
            "each gains some of what is missing, and how large any of them is, is not published. "
            "Energy is that of the energy model, which is good for such ratios alone, and counts "
            "all of the processor, so that what is faster pays less for what leaks. Sums of plain"
            " loops are in memory: how much such a core loses depends on whether its loads pass "
            "older stores whose addresses are not known (core.disambiguation, which nobody has "
            "published). Ours always guess right; with loads that wait, a unit gains several "
            "times more, and what is published lies between the two.",
        ],
    )
