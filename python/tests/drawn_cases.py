"""Which cases of the tests' crosses a run takes: a draw with every value of every parameter.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import random
import zlib
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, TypeVar

# Draws cases of crosses; without it, all cases run.
SEED = os.environ.get("EMBER_TEST_SEED", "")
Case = TypeVar("Case")
Tuple = TypeVar("Tuple", bound=tuple[Any, ...])
# A parameter's name and its value's identity.
Value = tuple[str, int]


def cover(cases: Sequence[tuple[Case, frozenset[Value]]], seed: str) -> list[Case]:
    """Cases in which each value occurs that occurs in any; all of them, where they are no cross.

    They are a cross if there are more of them than any parameter has values.
    """
    values_of: defaultdict[str, set[int]] = defaultdict(set)
    for _, values in cases:
        for name, number in values:
            values_of[name].add(number)
    if len(cases) <= max((len(numbers) for numbers in values_of.values()), default=len(cases)):
        return [case for case, _ in cases]
    left = list(range(len(cases)))
    random.Random(seed).shuffle(left)
    uncovered = frozenset().union(*(values for _, values in cases))
    drawn = []
    while uncovered:
        best = max(left, key=lambda number: len(cases[number][1] & uncovered))
        left.remove(best)
        drawn.append(best)
        uncovered -= cases[best][1]
    return [cases[number][0] for number in sorted(drawn)]


def drawn(cross: Sequence[Tuple], name: str) -> list[Tuple]:
    """Those of a cross's combinations that a run takes: a draw by the seed, or all without one."""
    if not SEED:
        return list(cross)
    cases = [
        (
            case,
            frozenset((str(k), zlib.crc32(repr(value).encode())) for k, value in enumerate(case)),
        )
        for case in cross
    ]
    return cover(cases, f"{SEED} {name}")
