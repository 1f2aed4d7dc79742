"""Gradients of tables: sums over lookups by a kernel, against PyTorch's own operations.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import logging
from typing import Any
from unittest import mock

import ember
import pytest
import torch
import torch.nn.functional as functional
from compiled_bags import CompiledBags
from ember.compiler import Options
from ember.errors import CompileError
from torch import Tensor, nn

ROWS, LENGTH, LOOKUPS = 20, 5, 60
F32, F64 = torch.float32, torch.float64


def gradients(
    call: Any, mode: str, padding: int | None, is_weighted: bool, dtype: torch.dtype, index: Any
) -> Tensor:
    """The table's gradient of bags of 0 to 15 lookups, the last of which are in no bag."""
    draw = torch.Generator().manual_seed(7)
    table = torch.randn(ROWS, LENGTH, generator=draw, dtype=dtype).requires_grad_()
    indices = torch.randint(ROWS, (LOOKUPS,), generator=draw).to(index)
    offsets = torch.tensor([0, 0, 4, 9, 24, 24, 38, 51], dtype=index)
    gradient = torch.randn(len(offsets) - 1, LENGTH, generator=draw, dtype=dtype)
    weights = torch.randn(2 * LOOKUPS, generator=draw, dtype=dtype)[::2] if is_weighted else None
    bags = call(
        indices,
        table,
        offsets,
        mode=mode,
        per_sample_weights=weights,
        include_last_offset=True,
        padding_idx=padding,
    )
    # As a sum hands it over: without memory of its own for every element.
    (found,) = torch.autograd.grad(bags, table, gradient[:, :1].expand(-1, LENGTH))
    return found


def within_bags(indices: Tensor, table: Tensor, offsets: Tensor, **named: Any) -> Tensor:
    """PyTorch's bags, without lookups that are in none, which would change its gradients."""
    weights, last = named.pop("per_sample_weights"), int(offsets[-1])
    weights = None if weights is None else weights[:last]
    return functional.embedding_bag(
        indices[:last], table, offsets, per_sample_weights=weights, **named
    )


@pytest.mark.parametrize("index", [torch.int32, torch.int64], ids=str)
@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
@pytest.mark.parametrize("padding", [None, 0, 3])
@pytest.mark.parametrize("how", ["sum", "mean", "weighted"])
def test_sums(how: str, padding: int | None, dtype: torch.dtype, index: torch.dtype) -> None:
    given = ("sum" if how == "weighted" else how, padding, how == "weighted", dtype, index)
    expected = gradients(within_bags, *given)
    call = CompiledBags(Options())
    gradients(call, *given)
    with mock.patch.object(torch, "embedding_bag") as not_asked:
        found = gradients(call, *given)
    not_asked.assert_not_called()
    # Of the bags, and of their gradient.
    assert len(call.kernel.kernels()) == 2
    torch.testing.assert_close(found, expected)
    assert padding is None or not found[padding].any()


def summed(call: Any, count: int = 8, dtype: torch.dtype = F32) -> Tensor:
    """The gradient of a table of which each row is looked up in turn, alone."""
    table = torch.ones(ROWS, LENGTH, dtype=dtype, requires_grad=True)
    bags = call(torch.arange(count) % ROWS, table, torch.arange(count), mode="sum")
    return torch.autograd.grad(bags.sum(), table)[0]


def test_rows_in_turn() -> None:
    expected = torch.full((ROWS, LENGTH), 2.0)
    expected[0] = 3
    found = summed(CompiledBags(Options()), 2 * ROWS + 1)
    torch.testing.assert_close(found, expected, rtol=0, atol=0)


def test_no_lookups() -> None:
    table = torch.ones(ROWS, LENGTH, requires_grad=True)
    nothing = torch.empty(0, dtype=torch.int64)
    bags = CompiledBags(Options())(nothing, table, torch.zeros(3, dtype=torch.int64), mode="sum")
    (found,) = torch.autograd.grad(bags.sum(), table)
    assert found.shape == (ROWS, LENGTH)
    assert not found.any()


def test_what_is_left_to_pytorch() -> None:
    call = CompiledBags(Options())

    def is_left(count: int = 8, dtype: torch.dtype = F32) -> bool:
        """Whether a gradient is that of PyTorch's own operation."""
        table = torch.ones(ROWS, LENGTH, dtype=dtype, requires_grad=True)
        bags = call(torch.arange(count) % ROWS, table, torch.arange(count), mode="sum")
        return "EmbeddingBag" in type(bags.grad_fn).__name__

    assert not is_left()
    assert is_left(8, torch.bfloat16)
    with ember.disabled():
        assert is_left()
    with mock.patch.object(torch, "get_num_threads", return_value=16):
        assert not is_left()
        assert is_left(1 << 18)


@pytest.mark.parametrize("mode", ["sum", "mean"])
@pytest.mark.parametrize("padding", [None, 2])
def test_gradients_of_gradients(mode: str, padding: int | None) -> None:
    call, draw = CompiledBags(Options()), torch.Generator().manual_seed(3)
    table = torch.randn(6, 3, dtype=F64, generator=draw).requires_grad_()
    weights = torch.rand(4, dtype=F64, generator=draw).requires_grad_()
    indices, offsets = torch.tensor([1, 2, 2, 5]), torch.tensor([0, 2, 2])

    def bags(table: Tensor, weights: Tensor) -> Tensor:
        given = {"per_sample_weights": weights} if mode == "sum" else {}
        found = call(indices, table, offsets, mode=mode, padding_idx=padding, **given)
        result: Tensor = found.pow(3) + (0 if given else weights.sum())
        return result

    assert torch.autograd.gradgradcheck(bags, (table, weights))


def test_kernels_that_cannot_be_built(caplog: pytest.LogCaptureFixture) -> None:
    failing = mock.Mock(side_effect=CompileError("no compiler today"))
    call = CompiledBags(Options())
    with caplog.at_level(logging.WARNING, "ember"), mock.patch.object(Options, "load", failing):
        for _ in range(2):
            torch.testing.assert_close(summed(call), summed(functional.embedding_bag))
    assert [record.getMessage() for record in caplog.records] == [
        "ember_bag: left to PyTorch, its kernel cannot be built: no compiler today"
    ]


class Tables(nn.Module):
    """Bags, weighted and padded ones, and rows, side by side."""

    def __init__(self) -> None:
        super().__init__()
        self.bag = nn.EmbeddingBag(ROWS, LENGTH, mode="mean", padding_idx=2)
        self.weighted = nn.EmbeddingBag(ROWS, 3, mode="sum")
        self.row = nn.Embedding(ROWS, 4)

    def forward(self, indices: Tensor, weights: Tensor, one: Tensor) -> Tensor:
        offsets = torch.arange(0, len(indices), 4)
        bags = self.bag(indices, offsets), self.weighted(indices, offsets, weights)
        return torch.cat((*bags, self.row(one)), 1)


@pytest.mark.usefixtures("fresh_dynamo")
def test_models() -> None:
    model = Tables().double()
    compiled = ember.compile(model)
    indices, one = torch.arange(24) * 7 % ROWS, torch.arange(6)
    weights = torch.linspace(-1, 1, 24, dtype=F64)
    parameters = list(model.parameters())
    expected = torch.autograd.grad(model(indices, weights, one).square().sum(), parameters)
    found = torch.autograd.grad(compiled(indices, weights, one).square().sum(), parameters)
    assert compiled.kernels()
    torch.testing.assert_close(found, expected)
