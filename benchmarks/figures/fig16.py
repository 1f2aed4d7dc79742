"""Figure 16: what each level of optimisation gains over programs as they are.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.figures import published, workloads
from benchmarks.figures.figure import Bar, Figure
from benchmarks.figures.runs import Run, run_all

# One element a lane.
VECTOR = 8
# What the begin and the end of a fiber may take instead of one cycle, which nobody has published.
SLOW_FIBERS = {"tmu": {"fiberCycles": 8}}


def cases(quick: bool) -> list[tuple[str, str]]:
    """The models and localities of figures 16 and 17."""
    models = ("RM1", "RM2") if quick else tuple(workloads.MODELS)
    return [(model, locality) for model in models for locality in workloads.LOCALITIES]


def payload(model: str) -> int:
    """Bytes of rows that one core's unit looks up."""
    size = workloads.MODELS[model]
    lookups = workloads.TABLES_PER_CORE * size.segments * size.lookups
    return lookups * size.elements * 4


def level_runs(
    quick: bool, machine: Mapping[str, Any] | str = "paper", first: int = 0
) -> list[Run]:
    """All cases at the levels from the first to emb-opt3."""
    cores = 1 if quick else 8
    options = {"unit": "tmu", "cores": cores, "vector_length": VECTOR, "compare": False}
    return [
        Run(
            workloads.bags(model, locality, cores),
            machine=machine,
            options={**options, "program_level": level},
        )
        for model, locality in cases(quick)
        for level in range(first, 4)
    ]


def make(kept: Path, quick: bool) -> Figure:
    """Speed-ups over emb-opt0, for each model and locality."""
    cores = 1 if quick else 8
    runs = [*level_runs(quick), *level_runs(quick, SLOW_FIBERS, first=1)]
    times = [result.nanoseconds for result in run_all(runs, kept)]
    count = 4 * len(cases(quick))
    plain, slow = iter(times[:count]), iter(times[count:])
    bars = []
    for model, locality in cases(quick):
        first = next(plain)
        for cycles, series in (("", plain), (", 8 cycles a fiber", slow)):
            bars += [
                Bar(
                    f"{model} {locality}",
                    f"emb-opt{level}{cycles}",
                    first / next(series),
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
