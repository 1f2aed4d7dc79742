"""backend="ember": aggregation over edges, in all the ways in which models write it.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as functional
from ember.torch.capture.backend import ember_backend, listening
from ember.torch.report.report import Report
from torch import Tensor

NODES, EDGES, LENGTH = 30, 90, 12


pytestmark = pytest.mark.usefixtures("fresh_dynamo")


def compiled(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    return torch.compile(function, backend=ember_backend, dynamic=True, options=options)


def graph(
    seed: int = 0, dtype: torch.dtype = torch.float32, shape: tuple[int, ...] = (LENGTH,)
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Features of nodes, source and target of edges, a weight an edge."""
    draw = torch.Generator().manual_seed(seed)
    x = torch.randn(NODES, *shape, generator=draw, dtype=torch.float64).to(dtype)
    source, target = torch.randint(0, NODES, (2, EDGES), generator=draw)
    # Some nodes without edges.
    target = target.clamp(max=NODES - 4)
    return x, source, target, torch.rand(EDGES, generator=draw, dtype=torch.float64).to(dtype)


def scatter(target: Tensor, messages: Tensor, reduce: str = "sum") -> Tensor:
    index = target.view(-1, *(1,) * (messages.dim() - 1)).expand_as(messages)
    zeros = messages.new_zeros((NODES, *messages.shape[1:]))
    if reduce == "sum":
        return zeros.scatter_add_(0, index, messages)
    return zeros.scatter_reduce_(0, index, messages, reduce=reduce, include_self=False)


def plain(x: Tensor, source: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    return scatter(target, x.index_select(0, source))


def weighted(x: Tensor, source: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    return scatter(target, weight.view(-1, 1) * x[source])


def weighted_on_the_right(x: Tensor, source: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    return scatter(target, torch.mul(torch.index_select(x, -2, source), weight.unsqueeze(-1)))


def index_added(x: Tensor, source: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    return torch.zeros(NODES, x.shape[1], dtype=x.dtype).index_add_(0, target, x[source])


def index_added_anew(x: Tensor, source: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    zeros = torch.zeros((NODES, x.shape[1]), dtype=x.dtype)
    return torch.index_add(zeros, 0, target, functional.embedding(source, x)) + zeros


def maximum(x: Tensor, source: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    return scatter(target, x.index_select(0, source), "amax")


def mean(x: Tensor, source: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    return scatter(target, x.index_select(0, source), "mean")


def mean_by_count(x: Tensor, source: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    messages = x.index_select(0, source)
    count = messages.new_zeros(NODES)
    count.scatter_add_(0, target, messages.new_ones(len(target)))
    count = count.clamp(min=1)
    total = scatter(target, messages)
    return total / count.view(-1, 1).expand_as(total)


def of_edges(x: Tensor, source: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    return scatter(target, (x[source] - x[target]).relu())


def degrees(x: Tensor, source: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    return scatter(target, weight)


def sized_as_x(x: Tensor, source: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    messages = x.index_select(0, source)
    index = target.view(-1, 1).expand_as(messages)
    return x.new_zeros(x.shape).scatter_add_(0, index, messages)


def zeros_as_x(x: Tensor, source: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    return torch.zeros_like(x).index_add_(0, target, x.index_select(0, source))


def used_twice(x: Tensor, source: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    messages = x.index_select(0, source)
    return scatter(target, messages) + messages.sum(0)


# Those in which something is computed of each edge that no aggregation knows.
COMPUTED = (of_edges, used_twice)
FUNCTIONS = [
    plain,
    weighted,
    weighted_on_the_right,
    index_added,
    index_added_anew,
    maximum,
    mean,
    mean_by_count,
    of_edges,
    degrees,
    sized_as_x,
    zeros_as_x,
    used_twice,
]
TOLERANCES = {
    torch.float64: 1e-12,
    torch.float32: 1e-5,
    torch.float16: 2e-2,
    torch.bfloat16: 1e-1,
}


@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_values(function: Callable[..., Tensor], dtype: torch.dtype) -> None:
    arguments = graph(dtype=dtype)
    with listening() as heard, torch.no_grad():
        result = compiled(function)(*arguments)
    assert [part.kind for report in heard.reports for part in report.compiled] == ["statements"]
    expected = function(*(one.double() if one.is_floating_point() else one for one in arguments))
    torch.testing.assert_close(
        result, expected.to(dtype), rtol=TOLERANCES[dtype], atol=TOLERANCES[dtype]
    )


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_gradients(function: Callable[..., Tensor]) -> None:
    x, source, target, weight = graph(dtype=torch.float64)
    run = compiled(function)
    torch.autograd.gradcheck(
        lambda x, weight: run(x, source, target, weight),
        (x.requires_grad_(), weight.requires_grad_()),
        fast_mode=True,
    )


def heads(x: Tensor, source: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    return scatter(target, weight.unsqueeze(-1) * x.index_select(0, source))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16], ids=str)
def test_heads(dtype: torch.dtype) -> None:
    x, source, target, _ = graph(dtype=dtype, shape=(4, 8))
    weight = torch.rand(EDGES, 4, dtype=torch.float64).to(dtype)
    tolerance = TOLERANCES[dtype]
    run = compiled(heads)
    torch.testing.assert_close(
        run(x, source, target, weight),
        heads(x.double(), source, target, weight.double()).to(dtype),
        rtol=tolerance,
        atol=tolerance,
    )
    if dtype is torch.float64:
        torch.autograd.gradcheck(
            lambda x, weight: run(x, source, target, weight),
            (x.requires_grad_(), weight.requires_grad_()),
            fast_mode=True,
        )


def test_gradients_of_gradients() -> None:
    x, source, target, weight = graph(dtype=torch.float64)
    x, weight = x[:6, :3].clone(), weight[:8].clone()
    source, target = source[:8] % 6, target[:8] % 6
    run = compiled(weighted)
    torch.autograd.gradgradcheck(
        lambda x, weight: run(x, source, target, weight),
        (x.requires_grad_(), weight.requires_grad_()),
        fast_mode=True,
    )


def test_sizes_change_without_another_graph() -> None:
    with listening() as heard:
        run = compiled(weighted)
        for nodes, edges in [(30, 90), (20, 17), (29, 500), (7, 9)]:
            x, weight = torch.randn(nodes, LENGTH), torch.rand(edges)
            source, target = (torch.randint(0, nodes, (edges,)) for _ in range(2))
            torch.testing.assert_close(
                run(x, source, target, weight), weighted(x, source, target, weight)
            )
    assert len(heard.reports) == 1


@pytest.mark.parametrize(
    "arrange",
    [
        lambda x: x.t().contiguous().t(),
        lambda x: torch.cat([x, x], 1)[:, ::2],
        lambda x: x.repeat(2, 1)[::2],
        lambda x: torch._neg_view(-x),
    ],
    ids=["columns", "strided", "rows", "negative"],
)
def test_layouts(arrange: Callable[[Tensor], Tensor]) -> None:
    x, source, target, weight = graph()
    x = arrange(x)
    torch.testing.assert_close(
        compiled(weighted)(x, source, target, weight), weighted(x, source, target, weight)
    )


@pytest.mark.parametrize("index", [torch.int32, torch.int64], ids=str)
def test_types_of_indices(index: torch.dtype) -> None:
    x, source, target, _ = graph()
    source, target = source.to(index), target.to(index)

    def function(x: Tensor, source: Tensor, target: Tensor) -> Tensor:
        return torch.zeros(NODES, LENGTH).index_add_(0, target, x.index_select(0, source))

    torch.testing.assert_close(compiled(function)(x, source, target), function(x, source, target))


@pytest.mark.parametrize(("nodes", "edges", "length"), [(0, 0, 4), (5, 0, 4), (5, 7, 0)])
def test_empty(nodes: int, edges: int, length: int) -> None:
    x = torch.randn(nodes, length)
    source = target = torch.zeros(edges, dtype=torch.int64)
    torch.testing.assert_close(compiled(plain)(x, source, target, x), plain(x, source, target, x))


def test_index_that_counts_from_the_end() -> None:
    x, source, target, weight = graph()
    source = source - NODES
    torch.testing.assert_close(
        compiled(weighted)(x, source, target, weight), weighted(x, source, target, weight)
    )


@pytest.mark.parametrize("which", ["source", "target"])
def test_index_out_of_range(which: str) -> None:
    x, source, target, weight = graph()
    (source if which == "source" else target)[17] = NODES
    with pytest.raises((IndexError, RuntimeError)) as eager:
        plain(x, source, target, weight)
    with pytest.raises(eager.type, match=f"index {NODES} at position 17 of '{which}'"):
        compiled(plain)(x, source, target, weight)


def test_nan_in_a_maximum() -> None:
    x, source, target, weight = graph()
    x[source[3], 2] = float("nan")
    torch.testing.assert_close(
        compiled(maximum)(x, source, target, weight),
        maximum(x, source, target, weight),
        equal_nan=True,
    )


def reasons(function: Callable[..., Any], *arguments: Any, **options: Any) -> list[str]:
    """Why the function has no kernel; its value is that of PyTorch."""
    with listening() as heard:
        result = compiled(function, **options)(*arguments)
    torch.testing.assert_close(result, function(*arguments))
    reports: list[Report] = heard.reports
    assert not [part for report in reports for part in report.compiled]
    return [left.reason for report in reports for left in report.left]


def check_one_kernel(function: Callable[..., Tensor], *arguments: Tensor) -> None:
    """The function's values, and that one kernel of statements computes them."""
    with listening() as heard:
        result = compiled(function)(*arguments)
    torch.testing.assert_close(result, function(*arguments))
    assert [part.kind for report in heard.reports for part in report.compiled] == ["statements"]


def test_mean_onto_values() -> None:
    x, source, target, _ = graph()

    def function(x: Tensor) -> Tensor:
        messages = x[source]
        index = target.view(-1, 1).expand_as(messages)
        return x.clone().scatter_reduce_(0, index, messages, "mean", include_self=True)

    check_one_kernel(function, x)


def test_dimension_that_is_an_argument_is_fixed() -> None:
    x, source, target, _ = graph()

    def function(dim: int, x: Tensor, source: Tensor, target: Tensor) -> Tensor:
        return torch.zeros(NODES, x.shape[1]).index_add(dim, target, x[source])

    with listening() as heard:
        result = compiled(function)(0, x, source, target)
    torch.testing.assert_close(result, function(0, x, source, target))
    assert [part.kind for report in heard.reports for part in report.compiled] == ["statements"]


def test_along_columns() -> None:
    x, _, _, _ = graph()
    columns = torch.arange(NODES) % LENGTH

    def function(x: Tensor, columns: Tensor) -> Tensor:
        return torch.zeros(LENGTH, LENGTH).index_add_(1, columns, x[:LENGTH, columns])

    with listening() as heard:
        result = compiled(function)(x, columns)
    torch.testing.assert_close(result, function(x, columns))
    assert [part.kind for report in heard.reports for part in report.compiled] == ["statements"]


def test_index_of_elements() -> None:
    x, source, _, _ = graph()
    index = torch.randint(0, NODES, (EDGES, x.shape[1]))
    check_one_kernel(lambda x: torch.zeros(NODES, x.shape[1]).scatter_add_(0, index, x[source]), x)


def test_changed_in_between() -> None:
    """A tensor that is changed between the lookup and the sum."""
    x, source, target, _ = graph()

    def function(x: Tensor) -> Tensor:
        x = x * 1
        messages = x.index_select(0, source)
        x.mul_(2)
        return scatter(target, messages) + x

    (reason,) = reasons(function, x)
    assert "in place" in reason


@pytest.mark.parametrize(
    "change",
    [
        lambda x: functional.relu(x, True),
        lambda x: functional.relu(x, inplace=True),
        lambda x: functional.elu(x, 1.0, True),
        lambda x: torch.relu_(x),
        lambda x: torch.mul(x, 2, out=x),
    ],
)
def test_changed_by_a_function_in_between(change: Callable[[Tensor], Tensor]) -> None:
    x, source, target, _ = graph()

    def function(x: Tensor) -> Tensor:
        x = x * 1
        messages = x.index_select(0, source)
        change(x)
        return scatter(target, messages) + x

    (reason,) = reasons(function, x)
    assert "in place" in reason


def test_changed_view_in_between() -> None:
    x, source, target, _ = graph()

    def function(x: Tensor) -> Tensor:
        x = x * 1
        messages = x.index_select(0, source)
        x[3:].t().zero_()
        return scatter(target, messages) + x

    (reason,) = reasons(function, x)
    assert "in place" in reason


def test_gradients_switched_in_between() -> None:
    """Rows that are looked up without a gradient are no part of sums with one."""
    x, source, target, _ = graph()

    def function(x: Tensor) -> Tensor:
        with torch.no_grad():
            messages = x.index_select(0, source)
        return scatter(target, messages) + x

    leaves = [x.clone().requires_grad_() for _ in range(2)]
    for run, leaf in zip((function, compiled(function)), leaves, strict=True):
        run(leaf).square().sum().backward()
    torch.testing.assert_close(leaves[0].grad, leaves[1].grad)


def test_excluded() -> None:
    assert reasons(plain, *graph(), excluded=["statements"]) == [
        "statements is excluded by the options"
    ]


def test_tensor_changed_after_compilation() -> None:
    x, source, target, weight = graph()
    run = compiled(weighted)
    run(x, source, target, weight)
    x.mul_(3)
    source[5] = 7
    torch.testing.assert_close(run(x, source, target, weight), weighted(x, source, target, weight))
