"""Figure 16: what each level of optimisation gains over programs as they are.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from pathlib import Path

from benchmarks.figures import published, workloads
from benchmarks.figures.figure import Bar, Figure
from benchmarks.figures.runs import Run, run_all

# One element a lane.
VECTOR = 8
# What the begin and the end of a fiber may take instead of one cycle, which nobody has published.
SLOW_FIBERS = {"tmu": {"fiberCycles": 8}}


def make(kept: Path, quick: bool) -> Figure:
    """Speed-ups over emb-opt0, for each model and locality."""
    cores = 1 if quick else 8
    cases = [
        (model, locality)
        for model in (("RM1", "RM2") if quick else workloads.MODELS)
        for locality in workloads.LOCALITIES
    ]
    options = {"unit": "tmu", "cores": cores, "vector_length": VECTOR, "compare": False}
    runs = []
    for model, locality in cases:
        bags = workloads.bags(model, locality, cores)
        runs += [Run(bags, options={**options, "program_level": level}) for level in range(4)]
        runs += [
            Run(bags, machine=SLOW_FIBERS, options={**options, "program_level": level})
            for level in (1, 2, 3)
        ]
    times = iter([result.nanoseconds for result in run_all(runs, kept)])
    bars = []
    for model, locality in cases:
        first = next(times)
        for cycles in ("", ", 8 cycles a fiber"):
            bars += [
                Bar(
                    f"{model} {locality}",
                    f"emb-opt{level}{cycles}",
                    first / next(times),
                    published.speedup(model, locality, level),
                )
                for level in (1, 2, 3)
            ]
    return Figure(
        "fig16",
        f"Speed-up over emb-opt0, {cores} core(s)",
        "speed-up",
        bars,
        notes=[
            f"Vectors of {VECTOR} elements, one a lane; tables and segments as in table 3. At "
            "emb-opt0 and emb-opt1 the core decides: a token and its operands take as many "
            "instructions for a vector as for an element, so that vectors gain what they are long. "
            "From emb-opt2 on the unit does: each step of a layer, token and operand takes a "
            "cycle, and the begin and the end of a fiber one each (`tmu.fiberCycles`, which nobody "
            "has published). The published speed-ups grow with the length of rows as they do with "
            "more cycles there, which the last three series have: a part of each lookup's time "
            "that no level of optimisation changes.",
        ],
    )
