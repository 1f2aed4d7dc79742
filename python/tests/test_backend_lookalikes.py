"""backend="ember": what is written almost as an embedding operation, and is another one.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as functional
from compiled_models import compiled
from torch import Tensor

pytestmark = pytest.mark.usefixtures("fresh_dynamo")

# As many rows as columns, so that a row of numbers is as good as a column of them.
NODES, EDGES = 8, 30

Function = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]


def arguments(
    nodes: int = NODES, edges: int = EDGES, dtype: torch.dtype = torch.float64
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Rows of nodes, source and target of edges, a weight an edge."""
    draw = torch.Generator().manual_seed(edges)
    source, target = torch.randint(0, nodes, (2, edges), generator=draw)
    x = torch.randn(nodes, NODES, generator=draw, dtype=torch.float64).to(dtype)
    return x, source, target, torch.rand(edges, generator=draw, dtype=torch.float64).to(dtype)


def sums(x: Tensor, source: Tensor, target: Tensor) -> Tensor:
    return torch.zeros_like(x).index_add(0, target, x[source])


def counts(x: Tensor, target: Tensor) -> Tensor:
    ones = torch.ones(target.shape[0], dtype=x.dtype)
    return torch.zeros(x.shape[0], dtype=x.dtype).index_add(0, target, ones).clamp(min=1)


def softmax(scores: Tensor, target: Tensor, of_most: Tensor, of_sums: Tensor) -> Tensor:
    """torch_geometric's softmax, with the targets of the largest scores and of the sums."""
    zeros = scores.new_zeros(NODES, scores.shape[1])
    index = of_most.view(-1, 1).expand_as(scores)
    most = zeros.scatter_reduce(0, index, scores.detach(), "amax", include_self=False)
    powers = (scores - most.index_select(0, target)).exp()
    return powers / (zeros.index_add(0, of_sums, powers) + 1e-16).index_select(0, target)


LOOKALIKES: dict[str, Function] = {
    "mean by column": lambda x, s, t, w: sums(x, s, t) / counts(x, t),
    "mean by a row": lambda x, s, t, w: sums(x, s, t) / counts(x, t).view(1, -1),
    "mean by a row, repeated": lambda x, s, t, w: (
        sums(x, s, t) / counts(x, t).unsqueeze(0).expand(NODES, -1)
    ),
    "mean of at most two": lambda x, s, t, w: (
        sums(x, s, t) / counts(x, t).clamp(min=1, max=2).view(-1, 1)
    ),
    "mean by doubled counts": lambda x, s, t, w: (
        sums(x, s, t)
        / torch.zeros(NODES, dtype=x.dtype)
        .index_add(0, t, torch.ones_like(w), alpha=2)
        .clamp(min=1)
        .view(-1, 1)
    ),
    "counts of another type": lambda x, s, t, w: sums(x.float(), s, t) / counts(x, t).view(-1, 1),
    "weights per channel": lambda x, s, t, w: torch.zeros_like(x).index_add(
        0, t, x[s] * (w[:, None] * torch.arange(NODES))
    ),
    "weights of one row": lambda x, s, t, w: torch.zeros_like(x).index_add(0, t, x[s] * x[:1]),
    "written zeros": lambda x, s, t, w: (
        torch.zeros_like(x).index_fill_(0, t[:2], 3.0).index_add_(0, t, x[s])
    ),
    "rows from the end": lambda x, s, t, w: torch.zeros_like(x).index_add(
        0, t, x[s - NODES] * w[:, None]
    ),
    "softmax of others' largest": lambda x, s, t, w: softmax(x[s], t, s, t),
    "softmax of others' sums": lambda x, s, t, w: softmax(x[s], t, t, s),
    "products summed over lookups": lambda x, s, t, w: (x[s[:NODES]] * x[t[:NODES]]).sum(0),
    "rows times a row of numbers": lambda x, s, t, w: (x[s[:NODES]] * w[:NODES]).sum(1),
    "a factor of many digits": lambda x, s, t, w: (x[s] * x[t] * (1 / 3)).sum(1) / math.pi,
    "an infinite factor": lambda x, s, t, w: (x[s] * x[t] * math.inf).sum(1).sign(),
    "weights of places in a bag": lambda x, s, t, w: (
        functional.embedding(s[:16].view(8, 2), x) * w[:2].view(1, 2, 1)
    ).sum(1),
    "rows scaled by their frequency": lambda x, s, t, w: functional.embedding(
        s[:16].view(8, 2), x, scale_grad_by_freq=True
    ).sum(1),
    "bags summed over bags": lambda x, s, t, w: functional.embedding(s[:16].view(8, 2), x).sum(0),
}


@pytest.mark.parametrize("name", LOOKALIKES)
def test_values_and_gradients(name: str) -> None:
    function = LOOKALIKES[name]
    run = compiled(function, dynamic=None)
    for edges in (EDGES, 41):
        x, source, target, weights = arguments(edges=edges)
        found = []
        for one in (run, function):
            rows = x.clone().requires_grad_()
            result = one(rows, source, target, weights)
            scale = torch.arange(result.numel(), dtype=result.dtype).view(result.shape)
            (result * scale).sum().backward()
            found.append((result, rows.grad))
        torch.testing.assert_close(*found, equal_nan=True)


NARROW: dict[str, Function] = {
    "a column": lambda x, s, t, w: torch.zeros_like(x).scatter_add(0, t.view(-1, 1), x[s]),
    "some columns": lambda x, s, t, w: torch.zeros_like(x).scatter_add(
        0, t.view(-1, 1).expand(-1, 3), x[s]
    ),
    "maximum": lambda x, s, t, w: torch.zeros_like(x).scatter_reduce(
        0, t.view(-1, 1).expand(-1, 3), x[s], "amax", include_self=False
    ),
    "onto values": lambda x, s, t, w: x.scatter_add(0, t.view(-1, 1).expand(-1, 3), x[s]),
}


@pytest.mark.parametrize("name", NARROW)
def test_index_that_is_narrower_than_rows(name: str) -> None:
    function = NARROW[name]
    run = compiled(function)
    torch.testing.assert_close(run(*arguments()), function(*arguments()))


def test_factor_of_many_rows() -> None:
    x, source, target, _ = arguments(100, 2**15)

    def function(x: Tensor, source: Tensor, target: Tensor) -> Tensor:
        return x[source] * (1 / 3) + x[target] / 7

    run = compiled(function)
    expected = function(x, source, target)
    torch.testing.assert_close(run(x, source, target), expected, rtol=1e-14, atol=1e-14)


def test_numbers_of_edges_have_no_gradient() -> None:
    def degrees(x: Tensor, source: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        messages = x[source]
        ones = messages.new_ones(len(target))
        count = messages.new_zeros(NODES).index_add(0, target, ones)
        return count, torch.zeros_like(x[:, 0]).index_add(0, target, ones)

    x, source, target, _ = arguments()
    x.requires_grad_()
    for found, expected in zip(
        compiled(degrees)(x, source, target), degrees(x, source, target), strict=True
    ):
        torch.testing.assert_close(found, expected)
        assert not found.requires_grad


def test_second_gradients_through_a_mean_by_numbers_of_edges() -> None:
    def function(x: Tensor, source: Tensor, target: Tensor, weights: Tensor) -> Tensor:
        count = x[source].new_zeros(NODES).index_add(0, target, torch.ones_like(weights))
        return (sums(x, source, target) * count.view(-1, 1)).square()

    x, source, target, weights = arguments()
    x.requires_grad_()
    found = []
    for one in (compiled(function), function):
        (first,) = torch.autograd.grad(one(x, source, target, weights).sum(), x, create_graph=True)
        found.append(torch.autograd.grad(first.square().sum(), x)[0])
    torch.testing.assert_close(*found)
