"""backend="ember": what edges bring to nodes, whatever is computed of them, by the table alone.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as functional
from compiled_models import check_forward, check_function, compiled
from torch import Tensor

pytestmark = pytest.mark.usefixtures("fresh_dynamo")

NODES, EDGES, LENGTH = 30, 170, 12


def draw(*sizes: int, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed + len(sizes))
    return torch.randn(*sizes, generator=generator, dtype=torch.float64)


def ends(seed: int = 1) -> Tensor:
    """Sources and targets; some nodes have no edges."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(NODES - 4, (2, EDGES), generator=generator)


def rows_index(target: Tensor, like: Tensor) -> Tensor:
    return target.view(-1, *(1,) * (like.dim() - 1)).expand_as(like)


def softmax(scores: Tensor, target: Tensor, nodes: int) -> Tensor:
    """Over the edges of each target, as torch_geometric has it."""
    index = rows_index(target, scores)
    most = scores.new_zeros(nodes, *scores.shape[1:]).scatter_reduce_(
        0, index, scores.detach(), "amax", include_self=False
    )
    powers = (scores - most.index_select(0, target)).exp()
    sums = scores.new_zeros(nodes, *scores.shape[1:]).scatter_add_(0, index, powers) + 1e-16
    return powers / sums.index_select(0, target)


# Of nodes' rows, edges' features, a vector, and the ends of edges.
Model = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]


def gine(x: Tensor, e: Tensor, v: Tensor, edges: Tensor) -> Tensor:
    messages = functional.relu(x[edges[0]] + e)
    return torch.zeros_like(x).index_add(0, edges[1], messages) + x


def crystal(x: Tensor, e: Tensor, v: Tensor, edges: Tensor) -> Tensor:
    """CGCNN's gated messages."""
    both = x[edges[1]] * v + x[edges[0]] + e
    messages = both.sigmoid() * functional.softplus(both)
    return x.new_zeros(x.shape).scatter_add_(0, rows_index(edges[1], messages), messages)


def attention(x: Tensor, e: Tensor, v: Tensor, edges: Tensor) -> Tensor:
    """GATv2 of three heads."""
    source, target = edges[0], edges[1]
    rows = x.view(-1, 3, 4)
    both = functional.leaky_relu(rows[source] + rows[target] + e.view(-1, 3, 4), 0.2)
    shares = softmax((both * v.view(1, 3, 4)).sum(-1), target, NODES)
    messages = rows[source] * shares.unsqueeze(-1)
    return torch.zeros_like(rows).index_add_(0, target, messages).view(-1, 12)


def transformer(x: Tensor, e: Tensor, v: Tensor, edges: Tensor) -> Tensor:
    """TransformerConv with edge features."""
    source, target = edges[0], edges[1]
    keys, queries = x * v, x + v
    scores = (queries[target] * (keys[source] + e)).sum(-1, keepdim=True) / LENGTH**0.5
    shares = softmax(scores, target, NODES)
    messages = (x[source] + e) * shares
    return x.new_zeros(NODES, LENGTH).index_add_(0, target, messages)


def mean(x: Tensor, e: Tensor, v: Tensor, edges: Tensor) -> Tensor:
    messages = x[edges[0]] * e.sigmoid()
    total = torch.zeros_like(x).index_add(0, edges[1], messages)
    count = x.new_zeros(NODES).index_add(0, edges[1], torch.ones_like(edges[1], dtype=x.dtype))
    return total / count.clamp(min=1).unsqueeze(1)


def mean_of_reduction(x: Tensor, e: Tensor, v: Tensor, edges: Tensor) -> Tensor:
    messages = x[edges[0]] * e
    return x.new_ones(NODES, LENGTH).scatter_reduce(
        0, rows_index(edges[1], messages), messages, "mean", include_self=True
    )


def accumulated(x: Tensor, e: Tensor, v: Tensor, edges: Tensor) -> Tensor:
    return torch.zeros(NODES, LENGTH, dtype=x.dtype).index_put(
        (edges[1],), x[edges[0]] - 2 * e, accumulate=True
    )


def onto_rows(x: Tensor, e: Tensor, v: Tensor, edges: Tensor) -> Tensor:
    return (x * v).index_add(0, edges[1], (x[edges[0]] + e).tanh())


def largest(x: Tensor, e: Tensor, v: Tensor, edges: Tensor) -> Tensor:
    messages = x[edges[0]] * e
    return torch.zeros_like(x).scatter_reduce(
        0, rows_index(edges[1], messages), messages, "amax", include_self=False
    )


def deviation(x: Tensor, e: Tensor, v: Tensor, edges: Tensor) -> Tensor:
    """The standard deviation of what edges bring, one of PNA's reductions."""
    messages, index = x[edges[0]] + e, edges[1]
    count = x.new_zeros(NODES).index_add(0, index, x.new_ones(EDGES)).clamp(min=1).view(-1, 1)
    mean = torch.zeros_like(x).index_add(0, index, messages) / count
    squares = torch.zeros_like(x).index_add(0, index, messages * messages) / count
    return (squares - mean * mean).relu().add(1e-5).sqrt()


def softmax_by_largest(x: Tensor, e: Tensor, v: Tensor, edges: Tensor) -> Tensor:
    """GEN's reduction: softmax of each element, by the edges of a node."""
    messages = (x[edges[0]] + e).relu() + 1e-7
    shares = softmax(messages * 0.5, edges[1], NODES)
    return torch.zeros_like(x).index_add(0, edges[1], messages * shares)


MODELS: dict[str, Model] = {
    one.__name__: one
    for one in (
        gine,
        crystal,
        attention,
        transformer,
        mean,
        mean_of_reduction,
        accumulated,
        onto_rows,
        largest,
        deviation,
        softmax_by_largest,
    )
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_models(name: str, dynamic: bool) -> None:
    heard = check_function(
        MODELS[name],
        draw(NODES, LENGTH),
        draw(EDGES, LENGTH, seed=3),
        draw(LENGTH),
        ends(),
        dynamic=dynamic,
    )
    assert heard.kinds() == {"statements"}


def test_what_is_asked_for_sizes_may_be_changed() -> None:
    """Of a tensor that zeros are made like, gradients keep nothing."""

    def function(x: Tensor, other: Tensor, weight: Tensor) -> Tensor:
        other = other * 1
        places = torch.arange(12).remainder(5)
        weights = weight * 1
        sums = other.new_zeros(5, 4).index_add(0, places, x[places] * weights.unsqueeze(-1))
        other.add_(1.0)
        return sums

    check_function(function, torch.rand(12, 4), torch.rand(3), torch.rand(12))


@pytest.mark.filterwarnings("ignore:The reduce argument of torch.scatter")
@pytest.mark.parametrize("reduction", ["add", "multiply"])
@pytest.mark.parametrize("is_in_place", [False, True])
def test_scatter_with_a_reduction(reduction: str, is_in_place: bool) -> None:
    """Of which PyTorch has no gradient, nor has the kernel one."""

    def function(x: Tensor, edges: Tensor) -> Tensor:
        index, begun = rows_index(edges[1], x[edges[0]]), torch.ones_like(x)
        if is_in_place:
            return begun.scatter_(0, index, x[edges[0]], reduce=reduction)
        return torch.scatter(begun, 0, index, x[edges[0]], reduce=reduction)

    x = draw(NODES, LENGTH)
    assert check_forward(function, [(x, ends())]).kinds() == {"statements"}
    with pytest.raises(RuntimeError, match="derivative for aten::scatter"):
        compiled(function)(x.requires_grad_(), ends()).sum().backward()


def test_scatter_that_writes_is_left() -> None:
    def function(x: Tensor, edges: Tensor) -> Tensor:
        # Which of the edges of a node comes last is not known; all bring the same.
        rows = torch.ones_like(x[edges[0]])
        return torch.zeros_like(x).scatter(0, rows_index(edges[1], rows), rows)

    assert not check_forward(function, [(draw(NODES, LENGTH), ends())]).kinds()
