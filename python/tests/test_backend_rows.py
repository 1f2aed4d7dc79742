"""backend="ember": lookups of many rows, and sums of rows of several tables.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from functools import reduce
from typing import Any

import pytest
import torch
import torch.nn.functional as functional
from compiled_models import Heard, check_function, compiled
from ember.errors import IndexOutOfRangeError
from ember.torch.capture.backend import listening
from ember.torch.graph.costs import LEAST_LOOKUPS
from torch import Tensor, nn

ROWS, LENGTH = 40_000, 32
BATCH, PLACES = 40, 512

Function = Callable[..., Any]


pytestmark = pytest.mark.usefixtures("fresh_dynamo")


def table(rows: int = ROWS, dtype: torch.dtype = torch.float32, length: int = LENGTH) -> Tensor:
    draw = torch.Generator().manual_seed(rows)
    return torch.randn(rows, length, generator=draw, dtype=torch.float64).to(dtype)


def index(*sizes: int, rows: int = ROWS, seed: int = 0, dtype: torch.dtype = torch.int64) -> Tensor:
    return torch.randint(rows, sizes, generator=torch.Generator().manual_seed(seed)).to(dtype)


LOOKUPS: list[Function] = [
    lambda w, i: functional.embedding(i, w),
    lambda w, i: functional.embedding(i, w, padding_idx=3),
    lambda w, i: functional.embedding(i, w, padding_idx=-3, scale_grad_by_freq=True),
    lambda w, i: functional.embedding(i, w, sparse=True),
    lambda w, i: w[i],
    lambda w, i: w[i,],
    lambda w, i: w.index_select(0, i.flatten()),
]


@pytest.mark.parametrize("function", LOOKUPS)
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_lookups(function: Function, dynamic: bool) -> None:
    heard = check_function(function, table(), index(BATCH, PLACES), dynamic=dynamic)
    assert heard.kinds() == {"rows"}


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("numbers", [torch.int32, torch.int64])
def test_types(dtype: torch.dtype, numbers: torch.dtype) -> None:
    rows = table(2 * ROWS, dtype)
    places = index(BATCH * PLACES, dtype=numbers)
    run = compiled(lambda w, i: functional.embedding(i, w), dynamic=False)
    with listening() as heard:
        assert torch.equal(run(rows, places), functional.embedding(places, rows))
    assert Heard(heard.reports).kinds() == {"rows"}


def test_strided_table() -> None:
    """Rows that lie apart are read where they are."""
    rows = table(length=2 * LENGTH)[:, :LENGTH]
    assert check_function(lambda w, i: w[i], rows, index(BATCH * PLACES)).kinds() == {"rows"}


class Inputs(nn.Module):
    """What transformers begin with: words, kinds of them, and their places."""

    def __init__(self, in_place: bool) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.words = nn.Embedding(1000, LENGTH, padding_idx=0)
        self.kinds = nn.Embedding(2, LENGTH)
        self.places = nn.Embedding(PLACES, LENGTH)
        self.norm = nn.LayerNorm(LENGTH)
        self.in_place = in_place

    def forward(self, words: Tensor, kinds: Tensor) -> Tensor:
        places = self.places(torch.arange(words.shape[1]).unsqueeze(0))
        found = self.words(words) * LENGTH**0.5 + self.kinds(kinds)
        if self.in_place:
            found += places
        else:
            found = found + places
        result: Tensor = self.norm(found)
        return result


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_inputs_of_transformers(in_place: bool, dynamic: bool) -> None:
    model = Inputs(in_place)
    run = compiled(model, dynamic=dynamic)
    given = index(BATCH, PLACES, rows=1000), index(BATCH, PLACES, rows=2)
    gradients = []
    with listening() as heard:
        for each in (run, model):
            model.zero_grad()
            result = each(*given)
            result.square().mean().backward()
            gradients.append((result, [one.grad.clone() for one in model.parameters()]))
    torch.testing.assert_close(*gradients, rtol=1e-4, atol=1e-6)
    found = Heard(heard.reports)
    assert found.kinds() == {"rows"}
    assert found.covered("rows") == 6
    assert "sums of rows of " in str([part.title for r in heard.reports for part in r.compiled])


def test_differences() -> None:
    def function(v: Tensor, w: Tensor, i: Tensor) -> Tensor:
        return (v[i] - w[i.flip(0)]) / 4 - 2 * v[i]

    heard = check_function(function, table(300), table(300) * 2, index(BATCH * PLACES, rows=300))
    assert heard.kinds() == {"rows"}


@pytest.mark.parametrize("in_place", [False, True])
def test_products(in_place: bool) -> None:
    """Of rows with rows, whose gradient is that of the statement."""

    def function(v: Tensor, w: Tensor, i: Tensor) -> Tensor:
        found = v[i] * w.index_select(0, i.flip(0))
        if in_place:
            found += w[i]
        return found

    heard = check_function(function, table(300), table(300) * 2, index(BATCH * PLACES, rows=300))
    assert heard.kinds() == {"rows"}


def mixed(w: Tensor, i: Tensor, weights: Tensor) -> Tensor:
    """Two experts' rows, as a mixture of them combines."""
    return w[i[:, 0]] * weights[:, :1] + w[i[:, 1]] * weights[:, 1:2]


def weighted(w: Tensor, i: Tensor, weights: Tensor) -> Tensor:
    return sum(w[i[:, k]] * weights[:, k, None] for k in range(3))  # type: ignore[return-value]


def summed_onto_zeros(w: Tensor, i: Tensor) -> Tensor:
    found = torch.zeros(len(i), LENGTH)
    for k in range(3):
        found += w[i[:, k]]
    return found


def summed_onto_rows(w: Tensor, i: Tensor) -> Tensor:
    found = w[i[:, 0]]
    for k in range(1, 3):
        found += w[i[:, k]]
    return found


def largest(w: Tensor, i: Tensor) -> Tensor:
    found = w[i[:, 0]]
    for k in range(1, 3):
        found = torch.maximum(found, w[i[:, k]])
    return found


def summed_columns(w: Tensor, i: Tensor) -> Tensor:
    """Of one lookup."""
    return reduce(torch.add, w[i].unbind(1))


def fused(w: Tensor, i: Tensor, weights: Tensor) -> Tensor:
    found = torch.zeros(len(i), LENGTH)
    for k in range(3):
        found = torch.addcmul(found, w[i[:, k]], weights[:, k : k + 1])
    return found


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (largest, "rows"),
        (summed_columns, "rows"),
        (fused, "statements"),
        (mixed, "statements"),
        (weighted, "statements"),
        (summed_onto_zeros, "rows"),
        (summed_onto_rows, "rows"),
    ],
)
def test_sums_of_several_lookups(function: Function, kind: str) -> None:
    weights = torch.randn(2048, 3, generator=torch.Generator().manual_seed(3))
    given = (weights,) if kind == "statements" else ()
    heard = check_function(function, table(300), index(2048, 3, rows=300), *given)
    assert heard.kinds() == {kind}


def test_functions_that_pytorch_computes() -> None:
    """Of the lookups alone there are kernels, unless they are added first."""
    heard = check_function(
        lambda w, i: (w[i] + w[i.flip(0)]).tanh(), table(), index(BATCH * PLACES)
    )
    assert heard.kinds() == {"rows"}
    assert heard.covered("rows") == 3


def test_sums_that_something_else_reads() -> None:
    def function(w: Tensor, i: Tensor) -> Tensor:
        found = w[i]
        return found + w[i.flip(0)] + found.mean()

    check_function(function, table(), index(BATCH * PLACES))


def test_other_sizes_of_calls() -> None:
    """One graph for all sizes: where there is little to do, PyTorch does it."""
    run = compiled(lambda w, i: functional.embedding(i, w), dynamic=True)
    rows = table()
    with listening() as heard:
        for sizes in ((BATCH, PLACES), (3, 7), (BATCH + 1, PLACES), (5, 0)):
            places = index(*sizes)
            assert torch.equal(run(rows, places), functional.embedding(places, rows))
    assert Heard(heard.reports).kinds() == {"rows"}


@pytest.mark.parametrize("wrong", [-ROWS - 1, ROWS, 1 << 62])
@pytest.mark.parametrize("function", [LOOKUPS[0], LOOKUPS[4], LOOKUPS[6]])
def test_wrong_indices(function: Function, wrong: int) -> None:
    places = index(BATCH * PLACES)
    places[7] = wrong
    with pytest.raises(IndexOutOfRangeError, match=str(wrong)):
        compiled(function, dynamic=False)(table(), places)


def test_indices_from_the_end() -> None:
    places = index(BATCH * PLACES) - ROWS
    run = compiled(lambda w, i: w[i], dynamic=False)
    gradients = []
    for each in (run, lambda w, i: w[i]):
        rows = table().requires_grad_()
        each(rows, places).square().sum().backward()
        gradients.append(rows.grad)
    torch.testing.assert_close(*gradients)


def left(function: Function, *arguments: Any) -> list[str]:
    """Why there is no kernel for the function, whose values are those of PyTorch."""
    with listening() as heard:
        result = compiled(function, dynamic=False)(*arguments)
    torch.testing.assert_close(result, function(*arguments))
    assert not any(report.compiled for report in heard.reports)
    return [one.reason for report in heard.reports for one in report.left]


@pytest.mark.parametrize(
    ("rows", "lookups", "length", "reason"),
    [
        (ROWS, LEAST_LOOKUPS - 1, LENGTH, "PyTorch looks up fewer than 16384 rows as fast"),
        (100, LEAST_LOOKUPS, LENGTH, "PyTorch looks up rows of a table of less than 4 MiB as fast"),
        (4096, LEAST_LOOKUPS, 257, "PyTorch copies rows of more than 1024 bytes as fast"),
    ],
)
def test_where_it_does_not_pay(rows: int, lookups: int, length: int, reason: str) -> None:
    given = table(rows, length=length), index(lookups, rows=rows)
    assert left(lambda w, i: functional.embedding(i, w), *given) == [reason]


def test_renormalised_rows() -> None:
    def function(w: Tensor, i: Tensor) -> Tensor:
        return functional.embedding(i, w.clone(), max_norm=1.0)

    reasons = left(function, table(), index(BATCH * PLACES))
    assert reasons == ["max_norm changes the rows that are looked up"]
