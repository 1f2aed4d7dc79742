"""What goes through the queues: as much as the paper's figures imply, and as the page says.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import pytest
from queue_model import Crossing, Lookup, least_crossing
from queue_traffic import (
    ALIGNED_LEVELS,
    CASES,
    LEVELS,
    PAGE,
    Above,
    Case,
    Sizes,
    evaluate,
    measure,
    written_page,
)

SIZES = (Sizes(), Sizes(L=37, B=9, D=16, V=4, Q=2, N=5), Sizes(L=3, B=8, D=64, V=16, Q=1, N=1))


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("level", ALIGNED_LEVELS)
def test_the_best_code_sends_the_least(case: Case, sizes: Sizes, level: int) -> None:
    found = measure(case, sizes, level)
    least = case.least(sizes, level)
    above = case.above.get(level, Above())
    assert found.tokens == least.tokens + evaluate(above.tokens, sizes)
    operands = least.operands(sizes.D // sizes.V)
    assert found.operands == operands + evaluate(above.operands, sizes)
    assert found.unaligned == 0


def test_the_model_counts_what_the_mathematics_says() -> None:
    # Figure 14d of the paper: bags of two lookups and one.
    bags = [Lookup((0,)), Lookup((0,)), Lookup((1,))]
    assert least_crossing(bags, 2, numbers_ride=False) == Crossing(tokens=6, rows=3, numbers=0)
    # Ten vertices with twenty edges each: a row for each edge and each vertex.
    edges = [Lookup((vertex,), staying_rows=1) for vertex in range(10) for _ in range(20)]
    assert least_crossing(edges, 0, numbers_ride=False).operands(4) == 840
    # A token carries one of two numbers.
    assert least_crossing([Lookup((0,), numbers=2)], 0, numbers_ride=True).numbers == 1


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_levels_save_tokens_then_operands(case: Case) -> None:
    sizes = Sizes()
    levels = [measure(case, sizes, level) for level in LEVELS]
    assert levels[0].tokens > levels[1].tokens > levels[2].tokens
    assert levels[0].operands > levels[1].operands >= levels[2].operands
    assert levels[3].operands <= levels[2].operands
    # A toggled callback spends tokens to save operands.
    sent = [8 * level.tokens + level.bytes for level in levels]
    assert sent[4] <= sent[3]
    assert levels[4].operands <= levels[3].operands


def test_the_page_shows_what_is_measured() -> None:
    assert PAGE.read_text() == written_page(), "python/tests/queue_traffic.py writes the page"
