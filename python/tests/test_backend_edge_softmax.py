"""backend="ember": softmax over the edges of every node, in all the ways in which models write it.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from compiled_models import check_function, compiled
from ember.torch.capture.backend import listening
from torch import Tensor

NODES, EDGES = 30, 90
TOLERANCES = {
    torch.float64: 1e-13,
    torch.float32: 1e-6,
    torch.float16: 2e-3,
    torch.bfloat16: 1e-2,
}


pytestmark = pytest.mark.usefixtures("fresh_dynamo")


def graph(
    *heads: int, dtype: torch.dtype = torch.float32, edges: int = EDGES
) -> tuple[Tensor, Tensor]:
    """Scores and targets of edges; some nodes have none."""
    draw = torch.Generator().manual_seed(edges)
    scores = 4 * torch.randn(edges, *heads, generator=draw, dtype=torch.float64)
    return scores.to(dtype), torch.randint(0, NODES - 4, (edges,), generator=draw)


def expanded(target: Tensor, like: Tensor) -> Tensor:
    return target.view(-1, *(1,) * (like.dim() - 1)).expand_as(like)


def most_of(scores: Tensor, target: Tensor) -> Tensor:
    zeros = scores.new_zeros((NODES, *scores.shape[1:]))
    index = expanded(target, scores)
    return zeros.scatter_reduce_(0, index, scores, reduce="amax", include_self=False)


def sums_of(powers: Tensor, target: Tensor) -> Tensor:
    zeros = powers.new_zeros((NODES, *powers.shape[1:]))
    return zeros.scatter_add_(0, expanded(target, powers), powers)


def detached(scores: Tensor, target: Tensor) -> Tensor:
    most = most_of(scores.detach(), target)
    powers = (scores - most.index_select(0, target)).exp()
    return powers / (sums_of(powers, target) + 1e-16).index_select(0, target)


def by_index(scores: Tensor, target: Tensor) -> Tensor:
    powers = torch.exp(torch.sub(scores, most_of(scores, target)[target]))
    return torch.div(powers, sums_of(powers, target)[target])


def large_epsilon(scores: Tensor, target: Tensor) -> Tensor:
    powers = (scores - most_of(scores.detach(), target)[target]).exp()
    return powers / (sums_of(powers, target) + 0.5)[target]


def geometric(scores: Tensor, target: Tensor) -> Tensor:
    softmax = pytest.importorskip("torch_geometric.utils").softmax
    result: Tensor = softmax(scores, target, num_nodes=NODES)
    return result


FUNCTIONS = [detached, by_index, large_epsilon, geometric]


def check(function: Callable[..., Any], *arguments: Tensor, **tolerance: float) -> list[str]:
    """The function compiled is as it was; the kinds of kernels in it."""
    with listening() as heard:
        result = compiled(function)(*arguments)
    torch.testing.assert_close(result, function(*arguments), equal_nan=True, **tolerance)
    return [part.kind for report in heard.reports for part in report.compiled]


@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
@pytest.mark.parametrize("heads", [(), (1,), (4,), (3, 2)], ids=str)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_values(
    function: Callable[..., Tensor], heads: tuple[int, ...], dtype: torch.dtype
) -> None:
    scores, target = graph(*heads, dtype=dtype)
    with listening() as heard, torch.no_grad():
        result = compiled(function)(scores, target)
    assert [part.kind for report in heard.reports for part in report.compiled] == ["statements"]
    assert result.dtype is dtype
    torch.testing.assert_close(
        result,
        function(scores.double(), target).to(dtype),
        rtol=TOLERANCES[dtype],
        atol=TOLERANCES[dtype],
    )


def by_all(rows: Tensor, source: Tensor, target: Tensor) -> Tensor:
    scores = (rows[source] * rows[target]).sum(-1)
    powers = (scores - scores.max()).exp()
    shares = powers / sums_of(powers, target)[target]
    return torch.zeros_like(rows).index_add(0, target, rows[source] * shares[:, None])


def test_less_the_largest_of_all() -> None:
    """One kernel without gradients; with them two, as PyTorch finds where the largest is."""
    _, target = graph()
    rows = torch.randn(NODES, 12, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    arguments = rows, target.flip(0), target
    assert check(by_all, *arguments) == ["statements"]
    heard = check_function(by_all, *arguments)
    assert [part.kind for part in heard.reports[0].compiled] == ["row_score", "statements"]


def test_shares_add_up_to_one() -> None:
    scores, target = graph(4)
    sums = sums_of(compiled(detached)(scores, target), target)
    has_edges = torch.bincount(target, minlength=NODES) > 0
    assert not bool(has_edges.all())
    torch.testing.assert_close(sums, has_edges.to(sums.dtype).view(-1, 1).expand(-1, 4))


@pytest.mark.parametrize("heads", [(), (4,)], ids=str)
@pytest.mark.parametrize("function", [detached, by_index, geometric])
def test_gradients(function: Callable[..., Tensor], heads: tuple[int, ...]) -> None:
    scores, target = graph(*heads, dtype=torch.float64)
    run = compiled(function)
    torch.autograd.gradcheck(
        lambda scores: run(scores, target), (scores.requires_grad_(),), fast_mode=True
    )


@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
def test_gradients_of_types(dtype: torch.dtype) -> None:
    scores, target = graph(4, dtype=dtype)
    weight = torch.randn(EDGES, 4, dtype=torch.float64)
    exact = scores.double().requires_grad_()
    (expected,) = torch.autograd.grad((detached(exact, target) * weight).sum(), exact)
    result = compiled(detached)(scores.requires_grad_(), target)
    (found,) = torch.autograd.grad((result * weight.to(dtype)).sum(), scores)
    tolerance = 4 * TOLERANCES[dtype]
    torch.testing.assert_close(found, expected.to(dtype), rtol=tolerance, atol=tolerance)


def test_gradients_with_a_large_epsilon() -> None:
    scores, target = graph(4, dtype=torch.float64)
    scores.requires_grad_()
    weight = torch.randn(EDGES, 4, dtype=torch.float64)
    (found,) = torch.autograd.grad((compiled(large_epsilon)(scores, target) * weight).sum(), scores)
    (expected,) = torch.autograd.grad((large_epsilon(scores, target) * weight).sum(), scores)
    torch.testing.assert_close(found, expected)


def test_gradients_of_gradients() -> None:
    scores, target = graph(2, dtype=torch.float64, edges=12)
    run = compiled(detached)
    torch.autograd.gradgradcheck(
        lambda scores: run(scores, target), (scores.requires_grad_(),), fast_mode=True
    )


def test_edges_change_without_another_graph() -> None:
    with listening() as heard:
        run = compiled(detached)
        for edges in (90, 17, 500, 2):
            scores, target = graph(4, edges=edges)
            torch.testing.assert_close(run(scores, target), detached(scores, target))
    assert len(heard.reports) == 1


@pytest.mark.parametrize("sizes", [(0, 4), (7, 0)])
def test_empty(sizes: tuple[int, int]) -> None:
    target = torch.zeros(sizes[0], dtype=torch.int64)
    assert check(detached, torch.randn(sizes), target) == ["statements"]


@pytest.mark.parametrize("special", ["nan", "inf", "-inf"])
def test_special_values(special: str) -> None:
    scores, target = graph(4)
    scores[3, 1] = float(special)
    # All scores of a node and head.
    scores[target == target[5], 2] = float(special)
    assert check(detached, scores, target) == ["statements"]


@pytest.mark.parametrize(
    "arrange",
    [
        lambda scores: scores.t().contiguous().t(),
        lambda scores: scores.repeat(1, 2)[:, ::2],
        lambda scores: torch._neg_view(-scores),
    ],
    ids=["columns", "strided", "negative"],
)
def test_layouts(arrange: Callable[[Tensor], Tensor]) -> None:
    scores, target = graph(4)
    assert check(detached, arrange(scores), target) == ["statements"]


def test_index_out_of_range() -> None:
    scores, target = graph(4)
    target[17] = NODES
    with pytest.raises((IndexError, RuntimeError)) as eager:
        detached(scores, target)
    with pytest.raises(eager.type, match=f"index {NODES} at position 17 of 'target'"):
        compiled(detached)(scores, target)


def test_powers_with_other_uses() -> None:
    def function(scores: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        powers = (scores - most_of(scores.detach(), target)[target]).exp()
        return powers / sums_of(powers, target)[target], powers

    assert set(check(function, *graph(4))) == {"statements"}


def _of_other_targets(scores: Tensor, target: Tensor) -> Tensor:
    powers = (scores - most_of(scores.detach(), target)[target]).exp()
    return powers / sums_of(powers, target)[target.flip(0)]


def _of_other_sums(scores: Tensor, target: Tensor) -> Tensor:
    powers = (scores - most_of(scores.detach(), target)[target]).exp()
    return powers / sums_of(powers, target.flip(0))[target]


def _of_other_scores(scores: Tensor, target: Tensor) -> Tensor:
    powers = (scores - most_of(scores * 2, target)[target]).exp()
    return powers / sums_of(powers, target)[target]


def _of_other_powers(scores: Tensor, target: Tensor) -> Tensor:
    powers = (scores - most_of(scores.detach(), target)[target]).exp()
    return (powers + 1) / sums_of(powers, target)[target]


def _with_gradient_of_most(scores: Tensor, target: Tensor) -> Tensor:
    powers = (scores - most_of(scores, target)[target]).exp()
    return powers / (sums_of(powers, target) + 0.5)[target]


def _scaled(scores: Tensor, target: Tensor) -> Tensor:
    powers = torch.sub(scores, most_of(scores.detach(), target)[target], alpha=2).exp()
    return powers / sums_of(powers, target)[target]


@pytest.mark.parametrize(
    "function",
    [
        _of_other_targets,
        _of_other_sums,
        _of_other_scores,
        _of_other_powers,
        _with_gradient_of_most,
        _scaled,
    ],
)
def test_what_is_another_operation(function: Callable[..., Tensor]) -> None:
    assert check(function, *graph(4)) == ["statements"]


def test_with_inductor() -> None:
    scores, target = graph(4)
    scores.requires_grad_()
    weight = torch.randn(EDGES, 4)
    result = compiled(detached, rest="inductor")(scores, target)
    expected = detached(scores, target)
    torch.testing.assert_close(result, expected)
    (found,) = torch.autograd.grad((result * weight).sum(), scores)
    torch.testing.assert_close(found, torch.autograd.grad((expected * weight).sum(), scores)[0])


@pytest.mark.parametrize("number", [4, 0.5])
def test_divisions_by_numbers(number: float) -> None:
    def function(scores: Tensor, target: Tensor) -> Tensor:
        return detached(scores / number, target) / number

    assert check(function, *graph(4)) == ["statements"]
