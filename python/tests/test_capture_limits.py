"""Each compiled model has torch.compile's limits for itself, and a real limit is said to be one.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import functools
import warnings
from collections.abc import Callable
from typing import Any

import ember
import pytest
import torch
from torch import Tensor, nn

CELL = """
class Cell(nn.Module):
    def __init__(self, rows):
        super().__init__()
        self.bag = nn.EmbeddingBag(rows, 4, mode="sum")

    def forward(self, indices):
        return self.bag(indices) * 2
"""


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.bag = nn.EmbeddingBag(10, 4)

    def forward(self, indices: Tensor) -> Tensor:
        found: Tensor = self.bag(indices)
        return found


class Layer(nn.Module):
    """Its forward is captured by itself, behind a break, and for each factor."""

    def __init__(self, factor: int) -> None:
        super().__init__()
        self.factor = factor
        self.bag = nn.EmbeddingBag(10, 4, mode="sum")

    def forward(self, indices: Tensor, added: Tensor) -> Tensor:
        torch._dynamo.graph_break()
        found: Tensor = self.bag(indices) * self.factor + added
        return found


def passed_on(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A decorator, as libraries have them for arguments with old names."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Tensor:
        return function(*args, **kwargs)

    return call


class DecoratedLayer(Layer):
    @passed_on
    def forward(self, indices: Tensor, added: Tensor) -> Tensor:
        found: Tensor = self.bag(indices) * self.factor + added
        return found


class Layers(nn.Module):
    def __init__(self, count: int, of: type[Layer] = Layer) -> None:
        super().__init__()
        self.layers = nn.ModuleList([of(number) for number in range(count)])

    def forward(self, indices: Tensor) -> Tensor:
        added = torch.zeros(())
        for layer in self.layers:
            torch._dynamo.graph_break()
            added = layer(indices, added)
        return added


def cell(rows: int) -> nn.Module:
    """A model of a class that is defined anew, as by a notebook's cell that is run again."""
    scope: dict[str, Any] = {"nn": nn}
    exec(CELL, scope)
    made: nn.Module = scope["Cell"](rows)
    return made


def indices_of(bags: int, lookups: int = 3) -> Tensor:
    return torch.randint(10, (bags, lookups), generator=torch.Generator().manual_seed(bags))


@pytest.mark.parametrize("of", ["a class", "PyTorch's class", "a class defined anew"])
def test_many_models(of: str) -> None:
    makes = {
        "a class": Model,
        "PyTorch's class": lambda: nn.Sequential(nn.EmbeddingBag(10, 4), nn.ReLU()),
        "a class defined anew": lambda: cell(10),
    }
    torch._dynamo.reset()
    kernels = []
    for number in range(12):
        kernel = ember.compile(makes[of](), (indices_of(2 + number, 1 + number % 5),))
        # Of bags, and of their gradient.
        assert len(kernel.kernels()) == 2
        kernels.append(kernel)
    # The first ones are not given up.
    for bags in (3, 1):
        for kernel in (kernels[0], kernels[-1]):
            found = kernel(indices_of(bags))
            torch.testing.assert_close(found, kernel.original(indices_of(bags)))
            assert len(kernel.reports()) <= 2


def test_the_same_model_again_and_explained() -> None:
    torch._dynamo.reset()
    model = Model()
    for _ in range(10):
        assert ember.compile(model, (indices_of(4),)).kernels()
        assert ember.explain(model, indices_of(4)).compiled


@pytest.mark.parametrize("of", [Layer, DecoratedLayer])
def test_layers_that_are_captured_by_themselves_count_for_themselves(of: type[Layer]) -> None:
    torch._dynamo.reset()
    model = Layers(11, of)
    with torch.no_grad():
        kernel = ember.compile(model, (indices_of(4),))
        torch.testing.assert_close(kernel(indices_of(5)), model(indices_of(5)))
    assert sum(bool(report.compiled) for report in kernel.reports()) >= 11


def test_functions_of_one_decorator_count_for_themselves() -> None:
    torch._dynamo.reset()
    table = torch.rand(10, 4)

    def of(power: str) -> Callable[..., Tensor]:
        scope: dict[str, Any] = {"bag": nn.functional.embedding_bag, "table": table}
        exec(f"def power(indices): return bag(indices, table){power}", scope)
        return passed_on(scope["power"])

    functions = [of(" * 2" * number) for number in range(11)]

    def model(indices: Tensor) -> Tensor:
        found = []
        for function in functions:
            torch._dynamo.graph_break()
            found.append(function(indices))
        return torch.stack(found)

    kernel = ember.compile(model, (indices_of(4),))
    torch.testing.assert_close(kernel(indices_of(5)), model(indices_of(5)))
    assert sum(bool(report.compiled) for report in kernel.reports()) >= 11


def test_a_model_without_end_is_named() -> None:
    torch._dynamo.reset()
    table = torch.rand(10, 4)

    def scaled(indices: Tensor, factor: str) -> Tensor:
        return nn.functional.embedding_bag(indices, table, mode="sum") * len(factor)

    kernel = ember.compile(scaled)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for length in range(torch._dynamo.config.recompile_limit):
            kernel(indices_of(3), "x" * length)
    graphs = len(kernel.reports())
    with pytest.warns(RuntimeWarning, match=r"scaled \(.*recompile_limit") as seen:
        results = [kernel(indices_of(3), "x" * length) for length in (20, 21, 22)]
    for length, found in zip((20, 21, 22), results, strict=True):
        torch.testing.assert_close(found, scaled(indices_of(3), "x" * length))
    assert len(seen) == 1
    assert "factor" in str(seen[0].message)
    assert len(kernel.reports()) == graphs
    # Another model of the function begins anew, and what was captured is found.
    other = ember.compile(scaled)
    other(indices_of(3), "y" * 30)
    assert len(other.reports()) == 1
    torch.testing.assert_close(kernel(indices_of(3), "xx"), scaled(indices_of(3), "xx"))


def test_nothing_of_the_examples_is_touched() -> None:
    model = Model()
    marked, plain = indices_of(4), indices_of(6)
    torch._dynamo.maybe_mark_dynamic(marked, 1)
    before = {name: str(value) for name, value in vars(marked).items()}
    for _ in range(2):
        ember.compile(model, (plain,))
        ember.compile(model, [marked])
        assert vars(plain) == {}
        assert {name: str(value) for name, value in vars(marked).items()} == before
    both = ember.compile(lambda pair, named: model(pair[0]) + model(named["other"]))
    with pytest.raises(TypeError):
        ember.compile(both.original, ([plain, plain], {"other": plain}, 3))
    ember.compile(both.original, ([plain, plain], {"other": plain}))
    assert vars(plain) == {}
    exported = torch.export.export(model, (plain,)).module()
    torch.testing.assert_close(exported(plain), model(plain))
