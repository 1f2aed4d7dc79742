"""backend="ember": products of rows with one row a head, as attention in graph networks has them.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from ember.torch.backend import ember_backend, listening
from torch import Tensor

NODES = 30
TOLERANCES = {torch.float64: 1e-13, torch.float32: 1e-5}


pytestmark = pytest.mark.usefixtures("fresh_dynamo")


def plain(x: Tensor, weights: Tensor) -> Tensor:
    return (x * weights).sum(dim=-1)


def turned(x: Tensor, weights: Tensor) -> Tensor:
    return torch.sum(torch.mul(weights, x), [2])


def check(function: Callable[..., Any], *arguments: Tensor, **tolerance: float) -> list[str]:
    """The function compiled is as it was; the kinds of kernels in it."""
    run = torch.compile(function, backend=ember_backend, dynamic=True, options={"raises": True})
    with listening() as heard:
        result = run(*arguments)
    torch.testing.assert_close(result, function(*arguments), **tolerance)
    return [part.kind for report in heard.reports for part in report.compiled]


@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
@pytest.mark.parametrize("sizes", [(4, 16), (3, 5), (1, 64), (8, 1)], ids=str)
@pytest.mark.parametrize("function", [plain, turned])
def test_values(
    function: Callable[..., Tensor], sizes: tuple[int, int], dtype: torch.dtype
) -> None:
    x, weights = torch.randn(NODES, *sizes, dtype=dtype), torch.randn(1, *sizes, dtype=dtype)
    tolerance = TOLERANCES[dtype]
    kinds = check(function, x, weights, rtol=tolerance, atol=tolerance)
    assert kinds == ["head_products"]


def test_layouts() -> None:
    x = torch.randn(4, NODES, 6).transpose(0, 1)
    weights = torch.randn(1, 6, 4).transpose(1, 2)
    assert check(plain, x, weights) == ["head_products"]


@pytest.mark.parametrize("sizes", [(0, 4, 3), (5, 0, 3), (5, 4, 0)])
def test_empty(sizes: tuple[int, int, int]) -> None:
    check(plain, torch.randn(sizes), torch.randn(1, *sizes[1:]))


def test_gradients() -> None:
    x = torch.randn(6, 3, 4, dtype=torch.float64, requires_grad=True)
    weights = torch.randn(1, 3, 4, dtype=torch.float64, requires_grad=True)
    run = torch.compile(plain, backend=ember_backend, dynamic=True, options={"raises": True})
    torch.autograd.gradcheck(run, (x, weights), fast_mode=True)
    torch.autograd.gradgradcheck(run, (x, weights), fast_mode=True)


def test_sizes_change_without_another_graph() -> None:
    run = torch.compile(plain, backend=ember_backend, dynamic=True, options={"raises": True})
    weights = torch.randn(1, 4, 8)
    with listening() as heard:
        for nodes in (30, 7, 200):
            x = torch.randn(nodes, 4, 8)
            torch.testing.assert_close(run(x, weights), plain(x, weights))
    assert len(heard.reports) == 1


def _kept(x: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
    products = x * weights
    return products.sum(-1), products


@pytest.mark.parametrize(
    "function",
    [
        _kept,
        lambda x, weights: (x * weights).sum(1),
        lambda x, weights: (x * weights).sum(-1, keepdim=True),
        lambda x, weights: (x * weights).sum(-1, dtype=torch.float64),
        lambda x, weights: (x * weights[:, :1]).sum(-1),
        lambda x, weights: (x * weights[0]).sum(-1),
        lambda x, weights: (x + weights).sum(-1),
        lambda x, weights: (x * 2).sum(-1),
    ],
)
def test_what_is_another_operation(function: Callable[..., Any]) -> None:
    assert check(function, torch.randn(NODES, 4, 8), torch.randn(1, 4, 8)) == []


def test_half_types_are_left() -> None:
    x, weights = torch.randn(NODES, 4, 8).bfloat16(), torch.randn(1, 4, 8).bfloat16()
    assert check(plain, x, weights) == []
