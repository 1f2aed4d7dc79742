"""backend="ember": two linear layers of the same long rows are one product.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as functional
from compiled_models import compiled
from ember.torch.graph import linear_layers as together
from ember.torch.graph.linear_layers import LEAST_FEATURES, LEAST_ROWS, linear_together
from torch import Tensor, nn

pytestmark = pytest.mark.usefixtures("fresh_dynamo")

NODES, EDGES, FEATURES, RESULTS = 600, 900, LEAST_FEATURES, 5


class Layer(nn.Module):
    """GraphSAGE's layer, by a function of x, means, and this module."""

    def __init__(
        self, function: Callable[..., Tensor], features: int = FEATURES, bias: bool = False
    ) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.function = function
        self.left = nn.Linear(features, RESULTS, dtype=torch.float64)
        self.right = nn.Linear(features, RESULTS, bias=bias, dtype=torch.float64)

    def forward(self, x: Tensor, edges: Tensor) -> Tensor:
        rows = x.index_select(0, edges[0])
        index = edges[1].view(-1, 1).expand_as(rows)
        zeros = rows.new_zeros(x.shape)
        means = zeros.scatter_reduce_(0, index, rows, "mean", include_self=False)
        return self.function(self, x, means)


def sage(self: Layer, x: Tensor, means: Tensor) -> Tensor:
    return self.left(means) + self.right(x)


def three(self: Layer, x: Tensor, means: Tensor) -> Tensor:
    third = functional.linear(x, self.left.weight)
    return self.left(means) + self.right(x) * functional.relu(third)


def x_is_changed(self: Layer, x: Tensor, means: Tensor) -> Tensor:
    x = x.clone()
    before = functional.linear(x, self.left.weight)
    x.mul_(2)
    return means.sum(1, keepdim=True) + before + self.right(x)


def weight_is_computed(self: Layer, x: Tensor, means: Tensor) -> Tensor:
    before = functional.linear(x, self.right.weight)
    weight = self.right.weight * before.sum()
    return means.sum(1, keepdim=True) + before + functional.linear(x, weight)


def arguments(nodes: int = NODES, features: int = FEATURES) -> tuple[Tensor, Tensor]:
    draw = torch.Generator().manual_seed(nodes)
    edges = torch.randint(0, max(nodes, 1), (2, EDGES if nodes else 0), generator=draw)
    return torch.rand(nodes, features, generator=draw, dtype=torch.float64), edges


@pytest.fixture
def joined(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each pair of layers that was looked at became one."""
    found: list[bool] = []
    original = together._join

    def noting(*nodes: Any) -> bool:
        found.append(original(*nodes))
        return found[-1]

    monkeypatch.setattr(together, "_join", noting)
    return found


def check(layer: Layer, *calls: tuple[Tensor, Tensor], **options: Any) -> None:
    run = compiled(layer, **options)
    with torch.no_grad():
        for given in calls:
            torch.testing.assert_close(run(*given), layer(*given))


def test_values(joined: list[bool]) -> None:
    check(Layer(sage), *(arguments(nodes) for nodes in (NODES, LEAST_ROWS - 1, 3, LEAST_ROWS)))
    assert joined == [True]


def test_three_layers(joined: list[bool]) -> None:
    check(Layer(three), arguments())
    assert joined == [True]


def test_few_nodes() -> None:
    check(Layer(sage), *(arguments(nodes) for nodes in (NODES, 1, 0)))


def test_training(joined: list[bool]) -> None:
    layer, (x, edges) = Layer(sage), arguments()
    x.requires_grad_()
    wanted = (x, *layer.parameters())
    found = torch.autograd.grad(compiled(layer)(x, edges).square().sum(), wanted)
    assert joined == [True]
    torch.testing.assert_close(found, torch.autograd.grad(layer(x, edges).square().sum(), wanted))


@pytest.mark.parametrize("rows", [3, LEAST_ROWS])
def test_gradients(rows: int) -> None:
    x, one, other = (torch.rand(n, 3, dtype=torch.float64) for n in (rows, 2, 1))
    tracked = tuple(tensor.requires_grad_() for tensor in (x, one, other))
    torch.autograd.gradcheck(linear_together, tracked, fast_mode=True)


@pytest.mark.parametrize("function", [x_is_changed, weight_is_computed])
def test_layers_that_stay(function: Callable[..., Tensor], joined: list[bool]) -> None:
    check(Layer(function), arguments())
    assert not any(joined)


@pytest.mark.parametrize(
    ("features", "options", "bias"),
    [
        (LEAST_FEATURES - 1, {}, False),
        (FEATURES, {"reorders": False}, False),
        (FEATURES, {"rest": "inductor"}, False),
        (FEATURES, {}, True),
    ],
)
def test_where_it_does_not_pay(
    features: int, options: dict[str, Any], bias: bool, joined: list[bool]
) -> None:
    check(Layer(sage, features, bias), arguments(features=features), **options)
    assert not any(joined)
