"""backend="ember": numbers from looked-up rows, in one kernel.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from typing import Any

import ember
import pytest
import torch
import torch.nn.functional as functional
from ember.torch.capture.backend import listening
from torch import Tensor

ROWS, LENGTH, LOOKUPS = 40, 24, 17


pytestmark = pytest.mark.usefixtures("fresh_dynamo")


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    return torch.compile(function, backend="ember", dynamic=True)


def translation(table: Tensor, other: Tensor, head: Tensor, kind: Tensor, tail: Tensor) -> Tensor:
    start, end = functional.embedding(head, table), functional.embedding(tail, table)
    start, end = functional.normalize(start, p=2.0, dim=-1), functional.normalize(end, dim=-1)
    return -(start + functional.embedding(kind, other) - end).norm(p=1.0, dim=-1)


def product(table: Tensor, other: Tensor, head: Tensor, kind: Tensor, tail: Tensor) -> Tensor:
    return (table[head] * other[kind] * table[tail]).sum(dim=-1)


def sums(table: Tensor, other: Tensor, head: Tensor, kind: Tensor, tail: Tensor) -> Tensor:
    one, two, three = table[head], other[kind], table[tail]
    return (one * two).sum(-1) + (two * three).mean(dim=1) - (one * three).sum(1) * 0.5


def rotation(table: Tensor, other: Tensor, head: Tensor, kind: Tensor, tail: Tensor) -> Tensor:
    start, angle, end = table.index_select(0, head), other.index_select(0, kind), table[tail]
    both = torch.stack([angle.cos() * start - end, angle.sin() * start], dim=2)
    return 3.5 - torch.linalg.vector_norm(both, dim=(1, 2))


def similarity(table: Tensor, other: Tensor, head: Tensor, kind: Tensor, tail: Tensor) -> Tensor:
    one, two = table[head], other[kind]
    lengths = one.pow(2).sum(1, keepdim=True).sqrt() + 1.0
    return torch.sigmoid((one / lengths * two.abs().exp()).sum(1, keepdim=True))


FUNCTIONS = [translation, product, sums, rotation, similarity]


def arguments(
    dtype: torch.dtype = torch.float32, lookups: int = LOOKUPS, index: torch.dtype = torch.int64
) -> list[Tensor]:
    draw = torch.Generator().manual_seed(lookups)
    tables = [torch.randn(ROWS, LENGTH, generator=draw, dtype=torch.float64) for _ in range(2)]
    indices = [torch.randint(0, ROWS, (lookups,), generator=draw) for _ in range(3)]
    return [*(table.to(dtype) for table in tables), *(one.to(index) for one in indices)]


@pytest.mark.parametrize("index", [torch.int32, torch.int64], ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_values(function: Callable[..., Tensor], dtype: torch.dtype, index: torch.dtype) -> None:
    with listening() as heard:
        run = compiled(function)
        for lookups in (17, 5, 300):
            given = arguments(dtype, lookups, index)
            exact = function(*arguments(torch.float64, lookups, index))
            torch.testing.assert_close(run(*given), exact.to(dtype), rtol=1e-5, atol=1e-5)
    (report,) = heard.reports
    assert [part.kind for part in report.compiled] == ["row_score"]
    assert not report.left


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_gradients(function: Callable[..., Tensor]) -> None:
    table, other, *indices = arguments(torch.float64)
    run = compiled(function)
    tables = table.requires_grad_(), other.requires_grad_()
    torch.autograd.gradcheck(
        lambda table, other: run(table, other, *indices), tables, fast_mode=True
    )


def test_columns_of_triples() -> None:
    """Indices that lie apart are copied; PyTorch is not asked for the score."""
    table, other, *indices = arguments()
    run = ember.compile(product, (table, other, *torch.stack(indices, 1).unbind(1)))
    (part,) = [part for report in run.reports() for part in report.compiled]
    part.call.reference = pytest.fail  # type: ignore[method-assign]
    triples = torch.stack(indices, 1)
    found = run(table, other, *triples.unbind(1))
    torch.testing.assert_close(found, product(table, other, *indices))


def test_gradients_are_kernels() -> None:
    table, other, *indices = arguments(torch.float64)
    table.requires_grad_()
    run = compiled(product)
    with listening() as heard:
        run(table, other, *indices)
    (part,) = heard.reports[0].compiled
    # One for the result, one for its gradient.
    assert len(part.call.kernels()) == 2
    part.call.reference = pytest.fail
    result = run(table, other, *indices)
    result.square().sum().backward()
    torch.testing.assert_close(result, product(table, other, *indices))
    found, table.grad = table.grad, None
    product(table, other, *indices).square().sum().backward()
    torch.testing.assert_close(found, table.grad)


def norms(table: Tensor, index: Tensor) -> Tensor:
    return table[index].norm(dim=1)


def clamps(table: Tensor, index: Tensor) -> Tensor:
    return table[index].clamp(0.0, 1.0).relu().sum(1)


def largest(table: Tensor, index: Tensor) -> Tensor:
    return table[index].amax(1) - table[index].abs().amin(1)


def least(table: Tensor, index: Tensor) -> Tensor:
    rows = table[index]
    return torch.maximum(rows, rows * 2.0).sum(1) + torch.where(rows > 0, rows, -rows).mean(1)


@pytest.mark.parametrize("function", [norms, clamps, largest, least])
def test_gradients_where_they_jump(function: Callable[..., Tensor]) -> None:
    """At zeros, ones and equal elements, as PyTorch has them."""
    table = arguments()[0].round().clamp(-1, 1)
    table[3] = 0
    index = torch.arange(ROWS).repeat(20)
    found = []
    for one in (compiled(function), function):
        given = table.clone().requires_grad_()
        one(given, index).sin().sum().backward()
        found.append(given.grad)
    torch.testing.assert_close(*found)


def test_empty() -> None:
    given = arguments(lookups=5)
    given[2:] = [one[:0] for one in given[2:]]
    torch.testing.assert_close(compiled(product)(*given), product(*given))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 0.0])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_special_values(function: Callable[..., Tensor], value: float) -> None:
    given = arguments()
    given[0][given[2][3]] = value
    torch.testing.assert_close(compiled(function)(*given), function(*given), equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_half_types(function: Callable[..., Tensor], dtype: torch.dtype) -> None:
    """They are computed in f32, and rounded once."""
    given = arguments(dtype)
    exact = [one.double() if one.is_floating_point() else one for one in given]
    with listening() as heard:
        result = compiled(function)(*given)
    assert heard.reports[0].compiled
    assert result.dtype is dtype
    torch.testing.assert_close(result, function(*exact).to(dtype))


def test_index_out_of_range() -> None:
    given = arguments()
    given[3][2] = ROWS
    with pytest.raises((IndexError, RuntimeError)) as eager:
        product(*given)
    with pytest.raises(eager.type, match=r"index 40 at position 2 of 'kind' .* of 'other'"):
        compiled(product)(*given)


def test_part_with_other_uses() -> None:
    def function(table: Tensor, other: Tensor, head: Tensor, kind: Tensor, tail: Tensor) -> Any:
        both = table[head] * other[kind]
        return both.sum(1), both

    with listening() as heard:
        compiled(function)(*arguments())
    (report,) = heard.reports
    assert not report.compiled
    assert "both, a part of it, is a result, too" in report.left[0].reason


def test_number_that_the_kernel_is_written_for_changes() -> None:
    def function(table: Tensor, index: Tensor, order: float) -> Tensor:
        return table[index].norm(p=order, dim=1)

    table, _, index, *_ = arguments()
    run = compiled(function)
    for order in (2.0, 1.0, 2.0, 3.0):
        torch.testing.assert_close(run(table, index, order), function(table, index, order))


def test_margin_that_changes() -> None:
    def function(table: Tensor, index: Tensor, margin: float) -> Tensor:
        return margin - table[index].norm(dim=1)

    table, _, index, *_ = arguments()
    run = compiled(function)
    for margin in (2.0, 1.0, -2.5):
        torch.testing.assert_close(run(table, index, margin), function(table, index, margin))


def test_rounded_division_is_left() -> None:
    def function(table: Tensor, index: Tensor) -> Tensor:
        return torch.div(table[index].sum(1), 0.25, rounding_mode="floor")

    table, _, index, *_ = arguments()
    torch.testing.assert_close(compiled(function)(table, index), function(table, index))


class Factors(torch.nn.Module):
    """Matrix factorisation: users, items, and a bias of each."""

    def __init__(self, dtype: torch.dtype = torch.float32, **options: Any) -> None:
        super().__init__()
        self.user = torch.nn.Embedding(ROWS, LENGTH, dtype=dtype, **options)
        self.item = torch.nn.Embedding(2 * ROWS, LENGTH, dtype=dtype, **options)
        self.user_bias = torch.nn.Embedding(ROWS, 1, dtype=dtype, **options)
        self.item_bias = torch.nn.Parameter(torch.randn(2 * ROWS, dtype=dtype))
        self.mean = torch.nn.Parameter(torch.randn(1, dtype=dtype))

    def forward(self, user: Tensor, item: Tensor) -> Tensor:
        products = (self.user(user) * self.item(item)).sum(1)
        return products + self.user_bias(user).squeeze(1) + self.item_bias[item] + self.mean


class Columns(Factors):
    """The same, with numbers as columns until the end."""

    def forward(self, user: Tensor, item: Tensor) -> Tensor:
        products = (self.user(user) * self.item(item)).sum(dim=1, keepdim=True)
        biases = self.user_bias(user) + self.item_bias[item].unsqueeze(-1)
        return torch.sigmoid(self.mean + products + biases).squeeze()


class ScaledRows(Factors):
    """A bias within a row."""

    def forward(self, user: Tensor, item: Tensor) -> Tensor:
        rows = self.user(user) * self.user_bias(user)
        return (rows - self.item(item)).norm(dim=1).view(-1, 1) - self.user_bias(user)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("model", [Factors, Columns, ScaledRows])
def test_biases(model: type[Factors], dtype: torch.dtype) -> None:
    eager = model(dtype)
    with listening() as heard:
        run = compiled(eager)
        for lookups in (17, 5, 300):
            _, _, user, item, _ = arguments(lookups=lookups)
            torch.testing.assert_close(run(user, item), eager(user, item), rtol=1e-5, atol=1e-5)
    (report,) = heard.reports
    assert [part.kind for part in report.compiled] == ["row_score"]
    assert {"embedding", "embedding_1", "embedding_2"} <= set(report.compiled[0].operations)
    assert not report.left


@pytest.mark.parametrize("options", [{}, {"sparse": True}, {"padding_idx": 3}], ids=str)
@pytest.mark.parametrize("model", [Factors, Columns])
def test_gradients_with_biases(model: type[Factors], options: dict[str, Any]) -> None:
    eager = model(torch.float64, **options)
    run = compiled(eager)
    for lookups in (17, 1, 0):
        _, _, user, item, _ = arguments(lookups=lookups)
        user[:1] = 3
        found = []
        for one in (run, eager):
            eager.zero_grad()
            one(user, item).sin().sum().backward()
            found.append([parameter.grad for parameter in eager.parameters()])
        for mine, right in zip(*found, strict=True):
            assert mine is not None
            assert right is not None
            assert mine.is_sparse == right.is_sparse
            torch.testing.assert_close(mine.to_dense(), right.to_dense())


def test_bias_outside() -> None:
    eager = Factors()
    run = compiled(eager)
    _, _, user, item, _ = arguments()
    user[4] = ROWS
    with pytest.raises((IndexError, RuntimeError)) as expected:
        eager(user, item)
    with pytest.raises(expected.type, match="index 40 at position 4"):
        run(user, item)
