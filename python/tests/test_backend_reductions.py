"""backend="ember": sums of what is computed of elements, as products of rows.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from ember.torch.capture.backend import ember_backend, listening
from ember.torch.graph import lookup_region
from torch import Tensor

NODES = 30
TOLERANCES = {torch.float64: 1e-13, torch.float32: 1e-5}


pytestmark = pytest.mark.usefixtures("fresh_dynamo")


def plain(x: Tensor, weights: Tensor) -> Tensor:
    return (x * weights).sum(dim=-1)


def turned(x: Tensor, weights: Tensor) -> Tensor:
    return torch.sum(torch.mul(weights, x), [2])


def kept_dimension(x: Tensor, weights: Tensor) -> Tensor:
    return (x * weights).sum(-1, keepdim=True)


def of_heads(x: Tensor, weights: Tensor) -> Tensor:
    return (x * weights).sum(1)


def of_nodes(x: Tensor, weights: Tensor) -> Tensor:
    return (x * weights[0]).sum((0, -1))


def distance(x: Tensor, weights: Tensor) -> Tensor:
    return (x - weights).square().sum(-1).sqrt()


def of_rows(x: Tensor, weights: Tensor) -> Tensor:
    """Rows as views have them."""
    rows = x.transpose(1, 2).unsqueeze(0) * weights.mT
    return torch.linalg.vector_norm(rows.squeeze(0), dim=1)


def activated(x: Tensor, weights: Tensor) -> Tensor:
    return (torch.nn.functional.leaky_relu(x + 1) * weights).sigmoid().sum(-1)


def check(function: Callable[..., Any], *arguments: Tensor, **tolerance: float) -> list[str]:
    """The function compiled is as it was; the kinds of kernels in it."""
    run = torch.compile(function, backend=ember_backend, dynamic=True, options={"raises": True})
    with listening() as heard:
        result = run(*arguments)
    torch.testing.assert_close(result, function(*arguments), **tolerance)
    return [part.kind for report in heard.reports for part in report.compiled]


@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
@pytest.mark.parametrize("sizes", [(4, 16), (3, 5), (2, 64)], ids=str)
@pytest.mark.parametrize(
    "function",
    [plain, turned, kept_dimension, of_heads, of_nodes, distance, of_rows, activated],
)
def test_values(
    function: Callable[..., Tensor], sizes: tuple[int, int], dtype: torch.dtype
) -> None:
    x, weights = torch.randn(NODES, *sizes, dtype=dtype), torch.randn(1, *sizes, dtype=dtype)
    tolerance = TOLERANCES[dtype]
    kinds = check(function, x, weights, rtol=tolerance, atol=tolerance)
    assert kinds == ["statements"]


def test_layouts() -> None:
    x = torch.randn(4, NODES, 6).transpose(0, 1)
    weights = torch.randn(1, 6, 4).transpose(1, 2)
    assert check(plain, x, weights) == ["statements"]


@pytest.mark.parametrize("sizes", [(0, 4, 3), (5, 0, 3), (5, 4, 0)])
def test_empty(sizes: tuple[int, int, int]) -> None:
    check(plain, torch.randn(sizes), torch.randn(1, *sizes[1:]))


@pytest.mark.parametrize("function", [plain, distance, of_nodes])
def test_gradients(function: Callable[..., Tensor], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookup_region, "LEAST_DIFFERENTIATED_REDUCED", 0)
    x = torch.randn(6, 3, 4, dtype=torch.float64, requires_grad=True)
    weights = torch.randn(1, 3, 4, dtype=torch.float64, requires_grad=True)
    run = torch.compile(function, backend=ember_backend, dynamic=True, options={"raises": True})
    with listening() as heard:
        torch.autograd.gradcheck(run, (x, weights), fast_mode=True)
        torch.autograd.gradgradcheck(run, (x, weights), fast_mode=True)
    (part,) = heard.reports[0].compiled
    assert len(part.call.kernels()) == 2


def test_small_gradients_are_left() -> None:
    """PyTorch writes gradients of elements as fast as kernels add them to zeros."""
    x = torch.randn(NODES, 4, 8, requires_grad=True)
    assert check(plain, x, torch.randn(1, 4, 8)) == []


def test_part_of_what_is_reduced() -> None:
    """What has uses besides is computed once, and what PyTorch computes faster by it."""

    def function(x: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
        logs = (x.abs() + 1).log()
        return (logs * weights + 1).sum(-1), logs

    run = torch.compile(function, backend=ember_backend, dynamic=True, options={"raises": True})
    x, weights = torch.randn(NODES, 4, 8), torch.randn(1, 4, 8)
    with listening() as heard:
        torch.testing.assert_close(run(x, weights), function(x, weights))
    (part,) = heard.reports[0].compiled
    assert len(part.operations) == 3


def test_inductor_has_loops_of_its_own() -> None:
    run = torch.compile(plain, backend=ember_backend, options={"rest": "inductor"})
    x, weights = torch.randn(NODES, 4, 8), torch.randn(1, 4, 8)
    with listening() as heard:
        torch.testing.assert_close(run(x, weights), plain(x, weights))
    assert not heard.reports[0].compiled


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
        lambda x, weights: x.sum(-1),
        lambda x, weights: x.transpose(0, 1).sum(-1),
        lambda x, weights: (x * weights).sum(),
        lambda x, weights: (x * weights).amax(-1),
        lambda x, weights: (x * weights) + x.mean(1, keepdim=True),
        # PyTorch computes these functions faster.
        lambda x, weights: (x * weights).tanh().sum(-1),
        lambda x, weights: (x.abs() + 1).log().sum(-1),
    ],
)
def test_what_pytorch_computes_as_fast(function: Callable[..., Any]) -> None:
    assert check(function, torch.randn(NODES, 4, 8), torch.randn(1, 4, 8)) == []


def test_half_types_are_left() -> None:
    x, weights = torch.randn(NODES, 4, 8).bfloat16(), torch.randn(1, 4, 8).bfloat16()
    assert check(plain, x, weights) == []
