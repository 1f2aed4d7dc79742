"""What the tests' crosses are drawn by: every value occurs, and each case in some draw.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import itertools
import math

import drawn_cases
import pytest
from drawn_cases import Value, cover

Cases = list[tuple[tuple[int, ...], frozenset[Value]]]


def cross(*sizes: int) -> Cases:
    """Each combination of as many values as are named for each parameter."""
    numbers = itertools.product(*(range(size) for size in sizes))
    return [(each, frozenset(zip("abcd", each, strict=False))) for each in numbers]


@pytest.mark.parametrize("sizes", [(2, 2), (4, 3), (3, 1, 5), (2, 2, 2, 2)])
def test_every_value_occurs(sizes: tuple[int, ...]) -> None:
    for seed in range(10):
        drawn = cover(cross(*sizes), str(seed))
        for place, size in enumerate(sizes):
            assert {each[place] for each in drawn} == set(range(size))
        assert len(drawn) < len(cross(*sizes))
        assert drawn == sorted(drawn)


def test_equal_seeds_draw_equally_and_others_reach_the_rest() -> None:
    draws = [cover(cross(4, 3), str(seed)) for seed in range(60)]
    assert draws == [cover(cross(4, 3), str(seed)) for seed in range(60)]
    assert set().union(*draws) == {case for case, _ in cross(4, 3)}


def test_what_is_no_cross_is_whole() -> None:
    assert len(cover(cross(7), "1")) == 7
    assert len(cover(cross(7, 1), "1")) == 7
    together = [((i, i), frozenset({("a", i), ("b", i)})) for i in range(5)]
    assert len(cover(together, "1")) == 5
    assert cover([("alone", frozenset())], "1") == ["alone"]


def test_a_cross_with_holes_keeps_what_only_one_case_has() -> None:
    cases = [case for case in cross(3, 3) if case[0] != (0, 0)]
    for seed in range(10):
        drawn = cover(cases, str(seed))
        assert {each[0] for each in drawn} == {each[1] for each in drawn} == {0, 1, 2}


def test_combinations_are_all_or_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    every = list(itertools.product((0, -1, -2), "abc", (1.0, math.inf)))
    monkeypatch.setattr(drawn_cases, "SEED", "")
    assert drawn_cases.drawn(every, "name") == every
    seen = set()
    for seed in range(30):
        monkeypatch.setattr(drawn_cases, "SEED", str(seed))
        chosen = drawn_cases.drawn(every, "name")
        assert chosen == drawn_cases.drawn(every, "name")
        assert 3 <= len(chosen) < 9
        assert [{*values} for values in zip(*chosen, strict=True)] == [
            {*values} for values in zip(*every, strict=True)
        ]
        seen |= set(chosen)
    assert seen == set(every)
