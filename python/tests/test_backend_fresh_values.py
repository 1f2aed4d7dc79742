"""backend="ember": rows that are looked up, then changed in place, and what is around kernels.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import logging
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as functional
from compiled_models import check_function, compiled
from ember.torch.capture.backend import listening
from torch import Tensor, nn

ROWS, LENGTH, BAGS, LOOKUPS = 300, 16, 200, 7

pytestmark = pytest.mark.usefixtures("fresh_dynamo")


def table() -> Tensor:
    return torch.randn(ROWS, LENGTH, generator=torch.Generator().manual_seed(0))


def index(*sizes: int) -> Tensor:
    return torch.randint(ROWS, sizes, generator=torch.Generator().manual_seed(1))


def masked(w: Tensor, i: Tensor) -> Tensor:
    rows = w[i]
    rows.masked_fill_((i < ROWS // 2)[..., None], 0)
    return rows.sum(1)


def multiplied(w: Tensor, i: Tensor) -> Tensor:
    rows = w[i]
    rows *= (i < ROWS // 2)[:, :, None]
    return rows.sum(1)


def chained(w: Tensor, i: Tensor) -> Tensor:
    return w[i].mul_((i < ROWS // 2).unsqueeze(-1)).add_(1).sum(-2)


def embedded(w: Tensor, i: Tensor) -> Tensor:
    rows = functional.embedding(i, w)
    rows += w[:LOOKUPS]
    return rows.sum(1)


def written(w: Tensor, i: Tensor) -> Tensor:
    rows = w[i]
    rows[i < ROWS // 2] = 0
    rows[:, torch.arange(LOOKUPS) == 1] = w[7]
    return rows.sum(1)


def written_columns(w: Tensor, i: Tensor) -> Tensor:
    rows = functional.embedding(i, w)
    rows[..., 0] = 0.5
    rows[:, -1] = w[3]
    return (rows * rows).sum(1)


def written_elements(w: Tensor, i: Tensor) -> Tensor:
    rows = w[i]
    rows[rows < 0] = 2
    return rows.index_put_((i > ROWS // 2,), torch.zeros(())).sum(1)


@pytest.mark.parametrize(
    "function",
    [masked, multiplied, chained, embedded, written, written_columns, written_elements],
)
def test_rows_that_are_changed(function: Callable[[Tensor, Tensor], Tensor]) -> None:
    """They are values as all others: nobody else sees what is changed."""
    heard = check_function(function, table(), index(BAGS, LOOKUPS))
    assert heard.kinds() == {"statements"}


def test_rows_that_somebody_keeps() -> None:
    def function(w: Tensor, i: Tensor) -> Tensor:
        rows = w[i]
        first = rows[:, 0]
        rows *= 2
        return rows.sum(1) + first

    check_function(function, table(), index(BAGS, LOOKUPS))


@pytest.mark.parametrize(
    "begin",
    [
        lambda rows: torch.empty_like(rows).zero_(),
        lambda rows: torch.empty(rows.shape).fill_(0.5),
        lambda rows: rows.new_empty(rows.shape).copy_(rows),
    ],
)
def test_memory_without_values(begin: Callable[[Tensor], Tensor]) -> None:
    """What is made without values, and then given some, is begun in the kernel."""

    def function(rows: Tensor, edges: Tensor) -> Tensor:
        return begin(rows).index_add_(0, edges[1], rows[edges[0]])

    heard = check_function(function, table(), index(2, 1500))
    assert heard.kinds() == {"statements"}
    assert heard.covered("statements") > 4


def test_what_was_written_to_is_read_again() -> None:
    """Each reader sees what is there when it reads."""

    def function(w: Tensor, i: Tensor) -> Tensor:
        rows = w[i]
        rows[i < ROWS // 2] = 0
        before = rows.sum(1)
        rows[i >= ROWS // 2] = 1
        return before + rows.sum(1)

    check_function(function, table(), index(BAGS, LOOKUPS))


def summed(rows: Tensor, edges: Tensor) -> Tensor:
    count = torch.zeros(ROWS).index_add(0, edges[1], torch.ones(edges.shape[1]))
    sums = torch.zeros_like(rows).index_add(0, edges[1], rows[edges[0]])
    return sums / count.clamp(min=1)[:, None]


def test_transforms_do_not_keep_others_from_kernels(caplog: pytest.LogCaptureFixture) -> None:
    """Within torch.vmap, values have other sizes than what they are of."""
    edges = index(2, 1500)

    def by_columns(rows: Tensor) -> Tensor:
        def column(one: Tensor) -> Tensor:
            # What changes in place is not folded away.
            return torch.zeros(ROWS).index_add(0, edges[1], one[edges[0]].exp_())

        return torch.vmap(column, in_dims=1, out_dims=1)(rows)

    with listening() as heard:
        torch.testing.assert_close(compiled(by_columns)(table()), by_columns(table()))
    assert {one.reason for report in heard.reports for one in report.left} == {
        "torch.vmap, or another transform, is around it"
    }
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
    found = check_function(summed, table(), edges)
    assert found.kinds() == {"statements"}
    assert found.covered("statements") == 12


def test_modules_that_are_made() -> None:
    def function(rows: Tensor, edges: Tensor) -> Tensor:
        messages = nn.ReLU()(rows[edges[0]] * 2)
        return torch.zeros_like(rows).index_add(0, edges[1], messages)

    assert check_function(function, table(), index(2, 1500)).kinds() == {"statements"}
