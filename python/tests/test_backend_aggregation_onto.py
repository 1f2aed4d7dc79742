"""backend="ember": aggregation over edges onto tensors that have values already.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from compiled_models import compiled
from ember.torch.calls.statement_call import StatementCall
from ember.torch.capture.backend import listening
from torch import Tensor

NODES, EDGES, LENGTH = 30, 90, 12
TOLERANCES = {
    torch.float64: 1e-12,
    torch.float32: 1e-5,
    torch.float16: 2e-2,
    torch.bfloat16: 1e-1,
}
Arguments = tuple[Tensor, Tensor, Tensor, Tensor, Tensor]


pytestmark = pytest.mark.usefixtures("fresh_dynamo")


def graph(
    dtype: torch.dtype = torch.float32,
    shape: tuple[int, ...] = (LENGTH,),
    index: torch.dtype = torch.int64,
    edges: int = EDGES,
) -> Arguments:
    """What is added to, features, source and target of edges, a weight an edge."""
    draw = torch.Generator().manual_seed(edges)

    def real(*sizes: int) -> Tensor:
        return torch.randn(sizes, generator=draw, dtype=torch.float64).to(dtype)

    source, target = torch.randint(0, NODES, (2, edges), generator=draw).to(index)
    return real(NODES, *shape), real(NODES, *shape), source, target, real(edges)


def expanded(target: Tensor, like: Tensor) -> Tensor:
    return target.view(-1, *(1,) * (like.dim() - 1)).expand_as(like)


def index_add(base: Tensor, x: Tensor, source: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    return base.index_add(0, target, x.index_select(0, source))


def scaled(base: Tensor, x: Tensor, source: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    return torch.index_add(base, 0, target, x[source], alpha=-2.5)


def weighted(base: Tensor, x: Tensor, source: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    return base.index_add(0, target, x[source] * weight.view(-1, 1), alpha=3)


def scaled_zeros(base: Tensor, x: Tensor, source: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    return torch.zeros_like(base).index_add_(0, target, x[source], alpha=0.5)


def scatter_add(base: Tensor, x: Tensor, source: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    messages = weight.view(-1, 1) * x[source]
    return base.scatter_add(0, expanded(target, messages), messages)


def scatter_reduce(
    base: Tensor, x: Tensor, source: Tensor, target: Tensor, weight: Tensor
) -> Tensor:
    messages = x[source]
    return base.scatter_reduce(0, expanded(target, messages), messages, "sum")


def maximum(base: Tensor, x: Tensor, source: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    messages = x[source]
    index = expanded(target, messages)
    return base.scatter_reduce(0, index, messages, "amax", include_self=True)


def of_edges(base: Tensor, x: Tensor, source: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    return base.index_add(0, target, (x[source] - x[target]).relu())


def twice(base: Tensor, x: Tensor, source: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    return base.index_add(0, target, x[source]).index_add(0, source, x[target], alpha=2)


def in_place(base: Tensor, x: Tensor, source: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    base.index_add_(0, target, x[source] * weight.view(-1, 1))
    return base * 2


SUMS = [index_add, scaled, weighted, scaled_zeros, scatter_add, scatter_reduce, of_edges, twice]
LOCATED = [*SUMS, maximum, in_place]


def kinds(heard: listening) -> list[str]:
    return [type(part.call).__name__ for report in heard.reports for part in report.compiled]


@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
@pytest.mark.parametrize("function", LOCATED, ids=lambda function: function.__name__)
def test_values(function: Callable[..., Tensor], dtype: torch.dtype) -> None:
    if dtype.itemsize == 2 and function in (in_place, scaled_zeros):
        pytest.skip("kernels add to no half type in place")
    base, *others = graph(dtype)
    kept, given = base.clone(), base.clone()
    with listening() as heard, torch.no_grad():
        result = compiled(function)(given, *others)
    assert kinds(heard) == ["InPlaceCall" if function is in_place else "StatementCall"]
    exact = [one.double() if one.is_floating_point() else one for one in (base, *others)]
    expected = function(*exact).to(dtype)
    assert result.dtype is dtype
    tolerance = TOLERANCES[dtype] * (4 if function in (scaled, weighted, twice) else 1)
    torch.testing.assert_close(result, expected, rtol=tolerance, atol=tolerance)
    torch.testing.assert_close(given, exact[0].to(dtype), rtol=tolerance, atol=tolerance)
    assert torch.equal(given, kept) is (function is not in_place)


@pytest.mark.parametrize("function", [index_add, scatter_reduce])
def test_bits(function: Callable[..., Tensor]) -> None:
    """Rows are added to what was there, one after the other, as PyTorch adds them."""
    arguments = graph()
    assert torch.equal(compiled(function)(*arguments), function(*arguments))


@pytest.mark.parametrize("function", [*SUMS, maximum], ids=lambda function: function.__name__)
def test_gradients(function: Callable[..., Tensor]) -> None:
    base, x, source, target, weight = graph(torch.float64, (4,), edges=40)
    run = compiled(function)
    torch.autograd.gradcheck(
        lambda base, x, weight: run(base, x, source, target, weight),
        (base.requires_grad_(), x.requires_grad_(), weight.requires_grad_()),
        fast_mode=True,
    )


def test_gradients_in_place() -> None:
    base, x, source, target, weight = graph(torch.float64)
    weights = torch.rand(NODES, LENGTH, dtype=torch.float64)
    found = []

    def function(base: Tensor, x: Tensor, weight: Tensor) -> Tensor:
        return in_place(base * 3, x, source, target, weight)

    for run in (function, compiled(function)):
        leaves = [one.clone().requires_grad_() for one in (base, x, weight)]
        result = run(*leaves)
        found.append(torch.autograd.grad((result * weights).sum(), leaves))
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other)


def test_a_leaf_that_needs_a_gradient_is_not_changed() -> None:
    base, *others = graph()
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        in_place(base.requires_grad_(), *others)
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        compiled(in_place)(base, *others)


def test_autograd_sees_what_changed_in_place() -> None:
    base, x, source, target, weight = graph()
    scale = torch.ones(NODES, 1, requires_grad=True)
    product = (scale * base).sum()
    compiled(in_place)(base, x, source, target, weight)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.backward()


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_without_gradients(mode: Callable[[], Any]) -> None:
    with mode():
        arguments = graph()
        expected = in_place(arguments[0].clone(), *arguments[1:])
        torch.testing.assert_close(compiled(in_place)(*arguments), expected)


@pytest.mark.parametrize("index", [torch.int32, torch.int64], ids=str)
@pytest.mark.parametrize("shape", [(), (1,), (3, 5)], ids=str)
def test_shapes_and_types_of_indices(shape: tuple[int, ...], index: torch.dtype) -> None:
    arguments = graph(shape=shape, index=index)
    with listening() as heard:
        result = compiled(scaled)(*arguments)
    assert kinds(heard) == ["StatementCall"]
    torch.testing.assert_close(result, scaled(*arguments))


def test_sizes_change_without_another_graph() -> None:
    with listening() as heard:
        run = compiled(weighted)
        for edges in (90, 17, 500, 2):
            arguments = graph(edges=edges)
            torch.testing.assert_close(run(*arguments), weighted(*arguments))
    assert len(heard.reports) == 1


@pytest.mark.parametrize("function", [index_add, in_place])
@pytest.mark.parametrize(("edges", "length"), [(0, 4), (7, 0)])
def test_empty(function: Callable[..., Tensor], edges: int, length: int) -> None:
    base, *others = graph(shape=(length,), edges=edges)
    expected = function(base.clone(), *others)
    torch.testing.assert_close(compiled(function)(base, *others), expected)


@pytest.mark.parametrize("function", [index_add, in_place])
def test_index_that_counts_from_the_end(function: Callable[..., Tensor]) -> None:
    """x[source] takes such an index, index_select and targets do not."""
    base, x, source, target, weight = graph()
    source[40] -= NODES
    results = []
    for run in (in_place, compiled(in_place)):
        results.append(run(base.clone(), x, source, target, weight))
    torch.testing.assert_close(*results)


@pytest.mark.parametrize("function", [index_add, scaled, maximum])
@pytest.mark.parametrize("which", ["source", "target"])
def test_index_out_of_range(function: Callable[..., Tensor], which: str) -> None:
    base, x, source, target, weight = graph()
    (source if which == "source" else target)[17] = NODES
    kept = base.clone()
    with pytest.raises((IndexError, RuntimeError)) as eager:
        function(base, x, source, target, weight)
    with pytest.raises(eager.type, match=f"index {NODES} at position 17 of '{which}'"):
        compiled(function)(base, x, source, target, weight)
    assert torch.equal(base, kept)


@pytest.mark.parametrize("which", ["source", "target"])
def test_index_out_of_range_in_place(which: str) -> None:
    base, x, source, target, weight = graph()
    (source if which == "source" else target)[17] = NODES
    with pytest.raises((IndexError, RuntimeError)) as eager:
        in_place(base.clone(), x, source, target, weight)
    with pytest.raises(eager.type):
        compiled(in_place)(base, x, source, target, weight)


def test_rows_of_what_is_changed() -> None:
    """Messages are those of the rows before any of them changed."""
    x, _, source, target, _ = graph()

    def function(x: Tensor) -> Tensor:
        return x.index_add_(0, target, x[source])

    expected = function(x.clone())
    with listening() as heard:
        torch.testing.assert_close(compiled(function)(x), expected)
    # The rows would be the changed ones.
    assert kinds(heard) == []


def test_rows_of_a_view_of_what_is_changed() -> None:
    both, _, source, target, weight = graph(shape=(2, LENGTH))

    def function(both: Tensor) -> Tensor:
        memory = both.reshape(2, NODES, LENGTH)
        return in_place(memory[0], memory[1], source, target, weight)

    kept = both.clone()
    torch.testing.assert_close(compiled(function)(both), function(kept))
    torch.testing.assert_close(both, kept)


@pytest.mark.parametrize(
    "arrange",
    [
        lambda x: x.t().contiguous().t(),
        lambda x: x.repeat(1, 2)[:, ::2],
        lambda x: x.repeat(2, 1)[::2],
    ],
    ids=["columns", "strided", "rows"],
)
@pytest.mark.parametrize("function", [weighted, in_place])
def test_layouts(function: Callable[..., Tensor], arrange: Callable[[Tensor], Tensor]) -> None:
    base, x, source, target, weight = graph()
    expected = function(arrange(base), arrange(x), source, target, weight)
    result = compiled(function)(arrange(base), arrange(x), source, target, weight)
    torch.testing.assert_close(result, expected)


@pytest.mark.parametrize("where", ["base", "x"])
def test_nan_in_a_maximum(where: str) -> None:
    base, x, source, target, weight = graph()
    (base if where == "base" else x)[int(source[3]), 2] = float("nan")
    torch.testing.assert_close(
        compiled(maximum)(base, x, source, target, weight),
        maximum(base, x, source, target, weight),
        equal_nan=True,
    )


def test_in_place_twice() -> None:
    """The first sum is of new zeros, the second one onto it."""
    _, x, source, target, _ = graph()

    def function(x: Tensor) -> Tensor:
        out = torch.zeros_like(x)
        out.index_add_(0, target, x[source])
        out.index_add_(0, source, x[target])
        return out

    with listening() as heard:
        result = compiled(function)(x)
    torch.testing.assert_close(result, function(x))
    assert kinds(heard) == ["StatementCall"]


@pytest.mark.parametrize("function", [weighted, in_place])
def test_with_inductor(function: Callable[..., Tensor]) -> None:
    base, *others = graph()
    expected = function(base.clone(), *others)
    with listening() as heard:
        result = compiled(function, rest="inductor")(base.clone(), *others)
    torch.testing.assert_close(result, expected)
    assert kinds(heard) == ([] if function is in_place else ["StatementCall"])


def reasons(function: Callable[..., Any], *arguments: Tensor) -> list[str]:
    """Why the function has no kernel; its value is that of PyTorch."""
    expected = function(*(one.clone() for one in arguments))
    with listening() as heard:
        result = compiled(function)(*arguments)
    torch.testing.assert_close(result, expected)
    assert kinds(heard) == []
    return [left.reason for report in heard.reports for left in report.left]


def test_what_is_left() -> None:
    base, x, source, target, _ = graph()
    whole = base.long()
    assert reasons(lambda: whole.index_add(0, target, x.long()[source])) == [
        "it is of torch.int64; kernels add floating-point numbers"
    ]
    torch._dynamo.reset()
    half = graph(torch.bfloat16)
    assert reasons(in_place, *half) == ["it adds to a half type in place; kernels keep sums in f32"]


def test_what_was_there_takes_no_part() -> None:
    def without_self(base: Tensor, x: Tensor, source: Tensor, target: Tensor) -> Tensor:
        messages = x[source]
        index = expanded(target, messages)
        return base.scatter_reduce(0, index, messages, "amax", include_self=False)

    arguments = graph()[:4]
    with listening() as heard:
        result = compiled(without_self)(*arguments)
    assert kinds(heard) == ["StatementCall"]
    torch.testing.assert_close(result, without_self(*arguments))


def test_values_are_taken_at_each_call() -> None:
    arguments = graph()
    run = compiled(index_add)
    with listening() as heard:
        for _ in range(3):
            torch.testing.assert_close(run(*arguments), index_add(*arguments))
            for one in arguments[:2]:
                one.mul_(2)
    (report,) = heard.reports
    call = report.compiled[0].call
    assert isinstance(call, StatementCall)
    assert len(call.kernels()) == 1
