"""Figure 17: how fast the core reads the output queue, and how fast the unit writes it.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from pathlib import Path

from benchmarks.figures import fig16, published
from benchmarks.figures.figure import Bar, Figure
from benchmarks.figures.runs import Result, run_all

# A line a cycle, of the core and of the unit.
PEAK = 64


def make(kept: Path, quick: bool) -> Figure:
    """% of the peak of either side by level of optimisation, for each model and locality."""
    cases = fig16.cases(quick)
    results = iter(run_all(fig16.level_runs(quick), kept))
    known = published.calibration().get("throughput_percent", {})
    bars = []
    for model, locality in cases:
        for level in range(4):
            compute, access = throughputs(next(results), fig16.payload(model))
            for series, ours in (("compute", compute), ("access", access)):
                values = known.get(series, {}).get(f"{model}_{locality}")
                bars.append(
                    Bar(
                        f"{model} {locality} opt{level}",
                        f"{series} side",
                        ours,
                        values[level] if values else None,
                    )
                )
    return Figure(
        "fig17",
        "Throughput of the output queue, % of a line a cycle",
        "%",
        bars,
        notes=[
            "Bytes of rows in a cycle in which the side does not wait for the other: the core "
            "without the cycles in which the queue is empty, the unit without those in which no "
            "chunk is free. Tokens, coordinates and padding are no bytes of rows, so levels that "
            "leave them out are faster. Both sides move right and up with the level, as in the "
            "paper. Which of its axes is which is not certain: labels and text disagree.",
        ],
    )


def throughputs(result: Result, payload: int) -> tuple[float, float]:
    """% of the peak at which one core reads `payload` bytes, and its unit writes them."""
    core = result.statistics["core0"]
    reading = core["cycles"] - core["stack"]["queue"]
    unit = core["tmu"]
    writing = unit["cycles"] - unit["marshaling"]["chunks"]
    return (100 * payload / PEAK / max(1, reading), 100 * payload / PEAK / max(1, writing))
