"""Every set of three operands, by the loops that visit it: what is appended is what was visited.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import itertools
import random

import numpy as np
import pytest
from drawn_cases import SEED
from notation_kernels import compile_all
from numpy.typing import NDArray
from sparse_arrays import room, store

NAMES = "abc"
SIZE = 24
#: Of the 256 sets, how many a run with a seed takes.
SAMPLE = 24
FORMATS = ("csf", "csf", "csf:i32", "bitmap")


def expression(table: int) -> str:
    """A function of three booleans with this truth table, region by region."""
    regions = []
    for number in range(8):
        if table >> number & 1:
            literals = (
                f"{'' if number >> k & 1 else 'not '}{name}[i]" for k, name in enumerate(NAMES)
            )
            regions.append(f"({' and '.join(literals)})")
    return " or ".join(regions) or "a[i] and b[i] and c[i] and False"


def arrays(draw: np.random.Generator) -> dict[str, NDArray[np.bool_]]:
    """Three patterns, of different densities and ends, so that each list may be the last one."""
    patterns = {}
    for name in NAMES:
        stored = draw.random(SIZE) < draw.choice([0, 0.1, 0.5, 0.9, 1])
        stored[draw.integers(SIZE // 2, SIZE + 1) :] = False
        patterns[name] = stored
    return patterns


def tables() -> list[list[int]]:
    """The truth tables, in libraries of some each."""
    chosen = sorted(random.Random(SEED).sample(range(256), SAMPLE)) if SEED else list(range(256))
    return [chosen[begin : begin + 32] for begin in range(0, len(chosen), 32)]


@pytest.mark.parametrize("some", tables(), ids=lambda some: f"{some[0]}-{some[-1]}")
def test_loops_visit_what_truth_tables_say(some: list[int]) -> None:
    """Of operands that store no fill, a result stores the coordinates at which it is another."""
    formats = {
        table: dict(zip(NAMES, random.Random(f"{SEED} {table}").choices(FORMATS, k=3), strict=True))
        for table in some
    }
    statements = []
    for table in some:
        options = [f"--type={name}:i1" for name in (*NAMES, "y")]
        options += [f"--format={name}:{text}" for name, text in formats[table].items()]
        options += [f"--fill={name}:0:unstored" for name in NAMES]
        statements.append((f"y[i] = {expression(table)}", [*options, "--format=y:csf"]))
    draw = np.random.default_rng(some[0])
    for table, entry in zip(some, compile_all(statements, opt_level=1), strict=True):
        for _ in range(12):
            given = arrays(draw)
            regions = sum(given[name].astype(int) << k for k, name in enumerate(NAMES))
            visited = np.flatnonzero(table >> np.asarray(regions) & 1)
            parts = room("y", (SIZE,), np.dtype(np.bool_), "csf", SIZE)
            for name, stored in given.items():
                parts |= store(name, stored, False, formats[table][name])
            entry(*[parts[parameter.name] for parameter in entry.parameters])
            positions, coordinates, values = (
                np.asarray(parts[f"y_{part}"]) for part in ("positions0", "coordinates0", "values")
            )
            count = int(positions[1])
            message = f"{table:08b} {formats[table]} {given}"
            assert coordinates[:count].tolist() == visited.tolist(), message
            assert values[:count].all(), message


def test_expressions_have_their_tables() -> None:
    """Those that the truth tables are written as."""
    for table in range(256):
        text = expression(table).replace("[i]", "")
        for number, values in enumerate(itertools.product([False, True], repeat=3)):
            # The first operand is the lowest bit.
            known = dict(zip(NAMES, reversed(values), strict=True))
            assert bool(eval(text, {}, known)) == bool(table >> number & 1)
