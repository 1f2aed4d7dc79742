"""Figure 7: cores with access units over cores without, by class of operations.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from pathlib import Path
from typing import Any

from benchmarks.figures import workloads
from benchmarks.figures.figure import Bar, Figure
from benchmarks.figures.runs import Run, run_all

# Section 3.2.
MEAN = 5.8
LARGEST = 17.0
WAITING = "TMU, over loads that wait for stores"
SYSTEMS: dict[str, dict[str, Any]] = {
    "TMU": {"unit": "tmu", "opt_level": 4},
    "prefetch engine": {"unit": "indirection", "plain_loops": True},
    "Ember's loops": {},
}


def make(kept: Path, quick: bool) -> Figure:
    """Speed-ups over plain loops, 8 cores."""
    cores = 8
    scale = 8 if quick else 1
    models = ("RM1",) if quick else tuple(workloads.MODELS)
    localities = ("L0", "L2") if quick else workloads.LOCALITIES
    cases = [workloads.bags(model, locality, cores) for model in models for locality in localities]
    cases.append(workloads.aggregation("arxiv", 1 / (8 * scale)))
    if not quick:
        cases.append(workloads.aggregation("mag", 1 / 32))
    cases.append(workloads.messages("arxiv", 1 / (16 * scale)))
    for graph in ("biokg",) if quick else workloads.KNOWLEDGE_GRAPHS:
        cases.append(workloads.triples(graph, 2048 // scale))
    cases += [
        workloads.attention(block, 256 // scale // block)
        for block in ((1, 8) if quick else (1, 2, 4, 8))
    ]
    plain_loops = {"cores": cores, "plain_loops": True}
    runs = []
    for case in cases:
        runs.append(Run(case, options=plain_loops))
        runs.append(Run(case, machine=workloads.WAITING, options=plain_loops))
        runs += [Run(case, options={"cores": cores, **own}) for own in SYSTEMS.values()]
    results = run_all(runs, kept)
    size = len(SYSTEMS) + 2
    plain = results[::size]
    bars = []
    for number, case in enumerate(cases):
        base, waiting, *times = (
            result.nanoseconds for result in results[number * size : (number + 1) * size]
        )
        group = f"{case.kind} {case.name}"
        bars += [
            Bar(group, system, base / time) for system, time in zip(SYSTEMS, times, strict=True)
        ]
        bars.append(Bar(group, WAITING, waiting / times[0]))
    for series in ("TMU", WAITING):
        ratios = [bar.ours for bar in bars if bar.series == series]
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        bars.append(Bar("geometric mean", series, mean, MEAN))
        bars.append(Bar("largest", series, max(ratios), LARGEST))
    lines = sum(run.statistics["core0"]["l1d"]["mshrs"]["mean"] for run in plain) / len(plain)
    share = 100 * sum(run.statistics["memory"]["utilisation"] for run in plain) / len(plain)
    return Figure(
        "fig07",
        f"Speed-up over plain loops, {cores} cores",
        "speed-up",
        bars,
        notes=[
            "Plain loops are what LLVM makes of them: vectors of 64 bytes, sums in memory. They "
            f"keep {lines:.0f} lines a core on their way, and use {share:.0f} % of the memory's "
            f"bandwidth on {cores} cores; the paper counts 10 to 19 lines, and 1.4 to 2.4 % for "
            "one core (figure 3). Where our core without a unit is that much faster than the "
            "paper's, a unit has less to gain. Its loads always guess right whether they may pass "
            "older stores (core.disambiguation, which nobody has published): the last series is "
            "over cores whose loads wait for the addresses of stores. What is published lies "
            "between the two.",
        ],
    )
