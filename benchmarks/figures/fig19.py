"""Figure 19: programs that the compiler makes, beside programs that are written by hand.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from dataclasses import replace
from pathlib import Path

from benchmarks.figures import handwritten, workloads
from benchmarks.figures.figure import Bar, Figure
from benchmarks.figures.runs import Run, run_all
from benchmarks.figures.workloads import Workload

# Section 8.3.
MEAN = 99.0


def pairs(quick: bool) -> list[tuple[Workload, str]]:
    """Workloads of all classes, each with what is written by hand for it."""
    found: list[tuple[Workload, str]] = []
    scale = 8 if quick else 1
    for graph in ["web-Google"] if quick else workloads.MESSAGE_GRAPHS:
        messages = workloads.messages(graph, 1 / (128 * scale))
        found.append((messages, handwritten.messages(workloads.MESSAGE_GRAPHS[graph].elements)))
    for graph in workloads.some_graphs(quick):
        hand = handwritten.aggregation(workloads.GRAPHS[graph].elements)
        found.append((workloads.part_of(graph, quick), hand))
    for graph in ["biokg"] if quick else workloads.KNOWLEDGE_GRAPHS:
        hand = handwritten.scores(workloads.KNOWLEDGE_GRAPHS[graph].elements)
        found.append((workloads.triples(graph, 2048 // scale), hand))
    for model, size in workloads.MODELS.items():
        for locality in ("L1",) if quick else workloads.LOCALITIES:
            found.append((workloads.bags(model, locality, 1), handwritten.bags(size.elements)))
    for block in (1, 8) if quick else (1, 2, 4, 8):
        attention = workloads.attention(block, 256 // scale // block)
        found.append((attention, handwritten.gather(block, 512)))
    return found


def make(kept: Path, quick: bool) -> Figure:
    """What the compiler's programs reach at its highest level, one core."""
    options = {"cores": 1, "unit": "tmu", "opt_level": 4}
    cases = pairs(quick)
    runs = [Run(workload, options=options) for workload, _ in cases]
    runs += [Run(replace(workload, program=hand), options=options) for workload, hand in cases]
    times = [result.nanoseconds for result in run_all(runs, kept)]
    ratios = [hand / made for made, hand in zip(times, times[len(cases) :], strict=False)]
    bars = [
        Bar(f"{workload.kind} {workload.name}", "-O4", 100 * ratio)
        for (workload, _), ratio in zip(cases, ratios, strict=True)
    ]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    bars.append(Bar("geometric mean", "-O4", 100 * mean, MEAN))
    return Figure(
        "fig19",
        "-O4 beside programs written by hand, 1 core",
        "speed (%)",
        bars,
        notes=[
            "Written by hand are a configuration of the unit for each class and the core's code "
            "for it (benchmarks/figures/handwritten.py): loops over tokens without a test for "
            "other cases, sums in registers, and values of tokens as they come. Both have the "
            "queues that the mapping makes for the machine. By hand, blocks of all queries are one "
            "loop, as are rows of a block (SpAttn): the compiler keeps a layer of the unit for "
            "each loop, which shows where rows of a block are few. wikikg2 has a quarter of its "
            "entities.",
        ],
    )
