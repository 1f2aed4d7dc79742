"""backend="ember": torch.segment_reduce, alone and of looked-up rows.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from ember.errors import OffsetsError
from ember.torch.capture.backend import ember_backend, listening
from torch import Tensor

ROWS, LENGTH = 20, 6
LENGTHS = torch.tensor([3, 0, 5, 1, 4])
OFFSETS = torch.tensor([0, 3, 3, 8, 9, 13])


pytestmark = pytest.mark.usefixtures("fresh_dynamo")


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    return torch.compile(function, backend=ember_backend, dynamic=True, options={"raises": True})


def left(function: Callable[..., Any], *arguments: Any) -> list[str]:
    """Why there is no kernel for the function, whose values are those of PyTorch."""
    with listening() as heard:
        result = compiled(function)(*arguments)
    torch.testing.assert_close(result, function(*arguments), equal_nan=True)
    assert not any(report.compiled for report in heard.reports)
    return [one.reason for report in heard.reports for one in report.left]


def index(dtype: torch.dtype = torch.int64) -> Tensor:
    draw = torch.Generator().manual_seed(1)
    return torch.randint(ROWS, (int(OFFSETS[-1]),), generator=draw).to(dtype)


def table(shape: tuple[int, ...] = (LENGTH,), dtype: torch.dtype = torch.float32) -> Tensor:
    draw = torch.Generator().manual_seed(0)
    return torch.randn(ROWS, *shape, generator=draw, dtype=torch.float64).to(dtype)


@pytest.mark.parametrize("by", ["lengths", "offsets"])
@pytest.mark.parametrize("reduction", ["sum", "mean", "max", "min", "prod"])
@pytest.mark.parametrize("initial", [None, 0, 1.5])
@pytest.mark.parametrize("looks_up", [False, True], ids=["alone", "looked up"])
def test_values_and_gradients(
    by: str, reduction: str, initial: float | None, looks_up: bool
) -> None:
    segments = {by: {"lengths": LENGTHS, "offsets": OFFSETS}[by]}

    def function(x: Tensor, index: Tensor | None, segments: dict[str, Tensor]) -> Tensor:
        data = x if index is None else x[index]
        return torch.segment_reduce(data, reduction, **segments, initial=initial)

    x = table()
    places = index() if looks_up else None
    x = x if looks_up else x[: int(OFFSETS[-1])]
    run = compiled(function)
    with listening() as heard, torch.no_grad():
        result = run(x, places, segments)
        torch.testing.assert_close(result, function(x, places, segments), equal_nan=True)
    (part,) = heard.reports[0].compiled
    assert part.kind == "statements"
    assert part.call.kernels()
    assert len(part.operations) == 1 + looks_up
    gradients = []
    for each in (run, function):
        one = x.clone().requires_grad_()
        output = each(one, places, segments)
        output[LENGTHS > 0].square().sum().backward()
        gradients.append(one.grad)
    torch.testing.assert_close(*gradients)


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("shape", [(), (3, 4)], ids=str)
def test_types_and_shapes(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    def function(x: Tensor, index: Tensor, offsets: Tensor) -> Tensor:
        return torch.segment_reduce(x.index_select(0, index), "sum", offsets=offsets)

    with listening() as heard:
        result = compiled(function)(table(shape, dtype), index(torch.int32), OFFSETS)
    expected = function(table(shape, dtype).double(), index(), OFFSETS)
    torch.testing.assert_close(result, expected.to(dtype))
    assert all(part.call.kernels() for part in heard.reports[0].compiled)


def test_other_sizes_need_no_other_graph() -> None:
    run = compiled(lambda x, lengths: torch.segment_reduce(x, "sum", lengths=lengths))
    with listening() as heard:
        for lengths in (LENGTHS, torch.tensor([2, 4]), torch.tensor([1, 1, 5])):
            x = torch.randn(int(lengths.sum()), LENGTH)
            expected = torch.segment_reduce(x, "sum", lengths=lengths)
            torch.testing.assert_close(run(x, lengths), expected)
    assert len(heard.reports) == 1


def test_lengths_that_do_not_fit() -> None:
    run = compiled(lambda x, lengths: torch.segment_reduce(x, "sum", lengths=lengths))
    with pytest.raises(RuntimeError, match="lengths"):
        run(torch.randn(5, LENGTH), torch.tensor([2, 4]))


def test_nan_in_a_maximum() -> None:
    x = table()[: int(OFFSETS[-1])]
    x[4, 2] = torch.nan
    run = compiled(lambda x, offsets: torch.segment_reduce(x, "max", offsets=offsets))
    expected = torch.segment_reduce(x, "max", offsets=OFFSETS)
    torch.testing.assert_close(run(x, OFFSETS), expected, equal_nan=True)


def test_unsafe_lengths() -> None:
    """They need not be those of all rows."""
    x = table()

    def function(x: Tensor, lengths: Tensor) -> Tensor:
        return torch.segment_reduce(x, "sum", lengths=lengths, unsafe=True)

    with listening() as heard:
        torch.testing.assert_close(compiled(function)(x, LENGTHS), function(x, LENGTHS))
    assert heard.reports[0].compiled[0].call.kernels()


def test_lengths_below_0() -> None:
    run = compiled(lambda x, lengths: torch.segment_reduce(x, "sum", lengths=lengths))
    with pytest.raises(RuntimeError, match="negative"):
        run(torch.randn(6, LENGTH), torch.tensor([8, -2]))


def test_offsets_outside() -> None:
    """PyTorch reads what lies behind the rows."""
    run = compiled(lambda x, offsets: torch.segment_reduce(x, "sum", offsets=offsets))
    with pytest.raises(OffsetsError, match="offsets"):
        run(torch.randn(6, LENGTH), torch.tensor([0, 4, 9]))


@pytest.mark.parametrize("reduction", ["sum", "mean", "max"])
def test_another_dimension(reduction: str) -> None:
    """Segments of each row by offsets of its own; what is computed of each element goes with it."""

    def function(x: Tensor, weights: Tensor, offsets: Tensor) -> Tensor:
        return torch.segment_reduce(x * weights, reduction, offsets=offsets, axis=1)

    x, weights = torch.randn(3, 8, 4), torch.randn(3, 8, 1)
    offsets = torch.tensor([[0, 2, 5, 8], [0, 1, 2, 8], [0, 3, 6, 8]])
    run = compiled(function)
    outcomes = []
    with listening() as heard:
        for each in (run, function):
            given = [one.clone().requires_grad_() for one in (x, weights)]
            result = each(*given, offsets)
            result.square().sum().backward()
            outcomes.append((result, *(one.grad for one in given)))
    torch.testing.assert_close(*outcomes)
    (part,) = heard.reports[0].compiled
    assert len(part.operations) == 2


def test_lengths_that_are_computed() -> None:
    def function(x: Tensor, ends: Tensor) -> Tensor:
        return torch.segment_reduce(x, "mean", lengths=ends.diff(), initial=0)

    with listening() as heard:
        result = compiled(function)(table()[:13], OFFSETS)
    torch.testing.assert_close(result, function(table()[:13], OFFSETS))
    assert heard.reports[0].compiled


@pytest.mark.parametrize("is_constant", [False, True])
def test_gradients_of_lengths_that_are_computed(is_constant: bool) -> None:
    """The kernel takes them, also of more segments than in the call before."""

    def function(x: Tensor, places: Tensor, ends: Tensor) -> Tensor:
        count = len(ends) - 1
        lengths = torch.full((count,), len(places) // count) if is_constant else ends.diff()
        return torch.segment_reduce(x[places], "sum", lengths=lengths)

    run = compiled(function)
    for count in (4, 6):
        places, ends = index()[: 2 * count], 2 * torch.arange(count + 1)
        given = [table().requires_grad_() for _ in range(2)]
        found, expected = run(given[0], places, ends), function(given[1], places, ends)
        torch.testing.assert_close(found, expected)
        for result in (found, expected):
            result.square().sum().backward()
        torch.testing.assert_close(given[0].grad, given[1].grad)


def test_what_has_no_kernel() -> None:
    x = table()[: int(OFFSETS[-1])]
    lengths = torch.tensor([[LENGTH]]).expand(len(x), 1).contiguous()
    assert left(lambda x, n: torch.segment_reduce(x, "sum", lengths=n, axis=1), x, lengths) == [
        "its lengths are those of dimension 1; statements take lengths along the first dimension, "
        "and offsets along any"
    ]
