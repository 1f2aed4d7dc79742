"""backend="ember": linear layers of sums over edges, added to others in the memory of these.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from typing import Any

import ember
import pytest
import torch
import torch.nn.functional as functional
from compiled_models import compiled
from ember import configuration
from ember.torch.graph.linear_layers import add_product
from torch import Tensor, nn
from torch.fx import GraphModule

pytestmark = pytest.mark.usefixtures("fresh_dynamo")

NODES, EDGES, LENGTH = 20, 70, 6
Function = Callable[..., Tensor]


def sums(x: Tensor, edges: Tensor, reduce: str = "sum") -> Tensor:
    """A reduction of the rows that edges bring."""
    rows = x.index_select(0, edges[0])
    index = edges[1].view(-1, 1).expand_as(rows)
    zeros = rows.new_zeros(x.shape)
    return zeros.scatter_reduce_(0, index, rows, reduce, include_self=False)


class Layer(nn.Module):
    """A function of x, edges and this module."""

    def __init__(self, function: Function, dtype: torch.dtype = torch.float64) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.function = function
        self.left = nn.Linear(LENGTH, LENGTH, dtype=dtype)
        self.right = nn.Linear(LENGTH, LENGTH, bias=False, dtype=dtype)
        self.factor = nn.Parameter(torch.rand(1, dtype=dtype))
        self.bias = nn.Parameter(torch.rand(LENGTH, dtype=dtype))

    def forward(self, x: Tensor, edges: Tensor) -> Tensor:
        return self.function(self, x, edges)


def two_layers(self: Layer, x: Tensor, edges: Tensor) -> Tensor:
    return self.left(sums(x, edges, "mean")) + self.right(x)


def two_layers_of_maxima(self: Layer, x: Tensor, edges: Tensor) -> Tensor:
    return torch.add(self.left(x), self.right(sums(x, edges, "amax")))


def two_layers_without_bias(self: Layer, x: Tensor, edges: Tensor) -> Tensor:
    return self.right(sums(x, edges)) + functional.linear(x, self.left.weight)


def biased(self: Layer, x: Tensor, edges: Tensor) -> Tensor:
    return sums(x, edges) + self.bias


def biased_on_the_left(self: Layer, x: Tensor, edges: Tensor) -> Tensor:
    return self.bias + sums(x, edges, "mean")


def own_rows(self: Layer, x: Tensor, edges: Tensor) -> Tensor:
    return self.left(sums(x, edges) + (1 + self.factor) * x)


def own_rows_times_number(self: Layer, x: Tensor, edges: Tensor) -> Tensor:
    return x * 3 + sums(x, edges, "amax")


def own_rows_and_bias(self: Layer, x: Tensor, edges: Tensor) -> Tensor:
    return torch.addcmul(torch.add(sums(x, edges), x, alpha=0.5), x, self.factor) + self.bias


def multiple_of_sums(self: Layer, x: Tensor, edges: Tensor) -> Tensor:
    return torch.add(x, sums(x, edges), alpha=0.5)


CHANGED = {
    two_layers: 1,
    two_layers_of_maxima: 1,
    two_layers_without_bias: 1,
}
# What kernels of sums take along.
TAKEN = (
    biased,
    biased_on_the_left,
    own_rows,
    own_rows_times_number,
    own_rows_and_bias,
    multiple_of_sums,
)


def arguments(dtype: torch.dtype = torch.float64) -> tuple[Tensor, Tensor]:
    draw = torch.Generator().manual_seed(0)
    x = torch.randn(NODES, LENGTH, generator=draw, dtype=torch.float64).to(dtype)
    return x, torch.randint(0, NODES - 3, (2, EDGES), generator=draw)


def changed_by(run: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> int:
    """How many additions of graphs that are compiled by a call became ones in place."""
    import ember.torch.graph.partition as partition

    seen: list[GraphModule] = []
    original = partition.partition

    def noting(module: GraphModule, *others: Any) -> Any:
        seen.append(module)
        return original(module, *others)

    monkeypatch.setattr("ember.torch.capture.backend.partition", noting)
    run()
    return sum(node.target is add_product for module in seen for node in module.graph.nodes)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
@pytest.mark.parametrize("function", CHANGED, ids=lambda function: function.__name__)
def test_values(function: Function, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch) -> None:
    layer, given = Layer(function, dtype), arguments(dtype)
    run = compiled(layer)
    tolerance = 1e-12 if dtype is torch.float64 else 1e-5

    def check() -> None:
        before = [one.clone() for one in given]
        for _ in range(3):
            torch.testing.assert_close(run(*given), layer(*given), rtol=tolerance, atol=tolerance)
        assert all(map(torch.equal, before, given))

    with torch.no_grad():
        assert changed_by(check, monkeypatch) == CHANGED[function]


@pytest.mark.parametrize("function", TAKEN, ids=lambda function: function.__name__)
def test_taken_along(function: Function) -> None:
    layer, given = Layer(function), arguments()
    run = compiled(layer)
    with torch.no_grad():
        torch.testing.assert_close(run(*given), layer(*given), rtol=1e-12, atol=1e-12)
    (graph,) = ember.explain(layer, *given).graphs
    # What is left are the ends of edges, and what is computed of one number.
    left = {name: graph.others.get(name, 0) for name in ("add", "mul", "addcmul")}
    assert sum(left.values()) == (function is own_rows)


@pytest.mark.parametrize("function", [*CHANGED, *TAKEN], ids=lambda function: function.__name__)
def test_gradients(function: Function) -> None:
    layer, (x, edges) = Layer(function), arguments()
    run = compiled(layer)
    torch.autograd.gradcheck(
        lambda *_: run(x, edges),
        (x.requires_grad_(), *layer.parameters()),
        eps=1e-7,
        fast_mode=True,
    )


@pytest.mark.parametrize("function", CHANGED, ids=lambda function: function.__name__)
def test_without_kernels(function: Function) -> None:
    layer, (x, edges) = Layer(function), arguments()
    x.requires_grad_()
    run = compiled(layer)
    run(x, edges)
    with configuration.disabled():
        result, expected = run(x, edges), layer(x, edges)
        torch.testing.assert_close(result, expected)
        wanted = [x, *layer.parameters()]
        torch.testing.assert_close(
            torch.autograd.grad(result.square().sum(), wanted, allow_unused=True),
            torch.autograd.grad(expected.square().sum(), wanted, allow_unused=True),
        )


def results_are_needed(self: Layer, x: Tensor, edges: Tensor) -> Tensor:
    left = self.left(sums(x, edges))
    return (left + self.right(x)) * left


def x_is_changed(self: Layer, x: Tensor, edges: Tensor) -> Tensor:
    x = x.clone()
    left, right = self.left(sums(x, edges)), self.right(x)
    x.mul_(2)
    return left + right + x


@pytest.mark.parametrize(
    "function",
    [results_are_needed, x_is_changed],
    ids=lambda function: function.__name__,
)
def test_sums_that_stay(function: Function, monkeypatch: pytest.MonkeyPatch) -> None:
    layer, given = Layer(function), arguments()
    run = compiled(layer)

    def check() -> None:
        torch.testing.assert_close(run(*given), layer(*given))

    with torch.no_grad():
        assert changed_by(check, monkeypatch) == 0


@pytest.mark.parametrize("options", [{"reorders": False}, {"rest": "inductor"}])
def test_switched_off(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    layer, given = Layer(two_layers), arguments()
    run = compiled(layer, **options)

    def check() -> None:
        torch.testing.assert_close(run(*given), layer(*given))

    with torch.no_grad():
        assert changed_by(check, monkeypatch) == 0


def test_batches_and_tangents() -> None:
    x, other, weight = torch.rand(2, 3, 4), torch.rand(2, 3, 4), torch.rand(4, 4)
    expected = [add_product(one.clone(), two, weight) for one, two in zip(x, other, strict=True)]
    found = torch.vmap(lambda one, two: add_product(one, two, weight))(x, other)
    torch.testing.assert_close(found, torch.stack(expected))
    # A base without a batch, which has no room for one.
    found = torch.vmap(lambda two: add_product(x[0], two, weight))(other)
    torch.testing.assert_close(found[0], add_product(x[0].clone(), other[0], weight))
    _, tangent = torch.func.jvp(
        lambda one: add_product(x[0], one, weight), (other[0],), (other[1],)
    )
    torch.testing.assert_close(tangent, other[1] @ weight.T)


def test_explained() -> None:
    found = ember.explain(Layer(two_layers), *arguments())
    (graph,) = found.graphs
    assert graph.others["linear"] == 1
    assert graph.others["add"] == 1
