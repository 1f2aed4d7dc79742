"""Gradients of tables: sums over lookups by a kernel, against PyTorch's own operations.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import logging
from unittest import mock

import ember
import pytest
import torch
from ember.compiler import Options
from ember.errors import CompileError
from ember.torch.calls import bag_gradient, table_gradient
from ember.torch.calls.bag_gradient import bag_gradients
from torch import Tensor, nn

ROWS, LENGTH, LOOKUPS = 20, 5, 60
F32, F64 = torch.float32, torch.float64


def gradients(
    mode: str, padding: int, is_weighted: bool, dtype: torch.dtype, index: torch.dtype
) -> Tensor:
    """The table's gradient of bags of 0 to 15 lookups, the last of which are in no bag."""
    draw = torch.Generator().manual_seed(7)
    indices = torch.randint(ROWS, (LOOKUPS,), generator=draw).to(index)
    offsets = torch.tensor([0, 0, 4, 9, 24, 24, 38, 51], dtype=index)
    gradient = torch.randn(len(offsets) - 1, LENGTH, generator=draw, dtype=dtype)
    weights = torch.randn(2 * LOOKUPS, generator=draw, dtype=dtype)[::2] if is_weighted else None
    found, _ = bag_gradients(
        # As a sum hands it over: without memory of its own for every element.
        gradient[:, :1].expand(-1, LENGTH),
        indices,
        offsets,
        ROWS,
        (mode, True, padding, False, False),
        weights,
        None,
        needs_table=True,
        needs_sample_weights=False,
        kernels=Options(),
    )
    assert found is not None
    return found


@pytest.mark.parametrize("index", [torch.int32, torch.int64], ids=str)
@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
@pytest.mark.parametrize("padding", [-1, 0, 3])
@pytest.mark.parametrize("how", ["sum", "mean", "weighted"])
def test_sums(how: str, padding: int, dtype: torch.dtype, index: torch.dtype) -> None:
    given = ("sum" if how == "weighted" else how, padding, how == "weighted", dtype, index)
    with torch.no_grad():
        with mock.patch.object(bag_gradient, "table_gradient", return_value=None) as left:
            expected = gradients(*given)
        left.assert_called_once()
        with mock.patch.object(torch.ops.aten, "_embedding_bag_backward") as not_asked:
            found = gradients(*given)
        not_asked.assert_not_called()
    torch.testing.assert_close(found, expected)
    assert padding < 0 or not found[padding].any()


def summed(count: int = 8, dtype: torch.dtype = F32) -> Tensor | None:
    indices = torch.arange(count) % ROWS
    rows = torch.ones(count, LENGTH, dtype=dtype)
    return table_gradient.table_gradient(rows, None, indices, ROWS, None, Options())


def test_rows_in_turn() -> None:
    with torch.no_grad():
        found = summed(2 * ROWS + 1)
    expected = torch.full((ROWS, LENGTH), 2.0)
    expected[0] = 3
    assert found is not None
    torch.testing.assert_close(found, expected, rtol=0, atol=0)


def test_no_lookups() -> None:
    with torch.no_grad():
        found = summed(0)
    assert found is not None
    assert found.shape == (ROWS, LENGTH)
    assert not found.any()


def test_what_is_left_to_pytorch() -> None:
    assert summed() is None  # it may be differentiated again
    with torch.no_grad():
        assert summed() is not None
        assert summed(dtype=torch.bfloat16) is None
        with ember.disabled():
            assert summed() is None
        with mock.patch.object(torch, "get_num_threads", return_value=16):
            assert summed() is not None
            assert summed(table_gradient._ELEMENTS_ALONE) is None


def test_kernels_that_cannot_be_built(caplog: pytest.LogCaptureFixture) -> None:
    table_gradient._kernel.cache_clear()
    failing = mock.Mock(side_effect=CompileError("no compiler today"))
    with (
        torch.no_grad(),
        caplog.at_level(logging.WARNING, "ember"),
        mock.patch.object(Options, "load", failing),
    ):
        assert summed() is None
        assert summed() is None
    table_gradient._kernel.cache_clear()
    failing.assert_called_once()
    assert [record.getMessage() for record in caplog.records] == [
        "gradients of tables: left to PyTorch, its kernel cannot be built: no compiler today"
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
