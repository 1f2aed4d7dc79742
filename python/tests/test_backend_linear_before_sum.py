"""backend="ember": linear layers that go ahead of sums over edges, and those that must not.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import ember
import pytest
import torch
import torch.nn.functional as functional
from compiled_models import compiled
from ember.torch.capture.backend import listening
from torch import Tensor, nn

pytestmark = pytest.mark.usefixtures("fresh_dynamo")

NODES, EDGES, FEATURES, RESULTS = 30, 90, 19, 5
Function = Callable[..., Tensor]


def sums(x: Tensor, edges: Tensor, weight: Tensor | None = None, reduce: str = "sum") -> Tensor:
    """What torch_geometric writes for an aggregation."""
    messages = x.index_select(0, edges[0])
    if weight is not None:
        messages = weight.view(-1, 1) * messages
    index = edges[1].view(-1, 1).expand_as(messages)
    zeros = messages.new_zeros((x.shape[0], x.shape[1]))
    if reduce == "sum":
        return zeros.scatter_add_(0, index, messages)
    return zeros.scatter_reduce_(0, index, messages, reduce, include_self=False)


def of_sum(x: Tensor, edges: Tensor, w: Tensor, W: Tensor, b: Tensor) -> Tensor:
    return functional.linear(sums(x, edges), W, b)


def without_bias(x: Tensor, edges: Tensor, w: Tensor, W: Tensor, b: Tensor) -> Tensor:
    return functional.linear(sums(x, edges), W)


def of_weighted(x: Tensor, edges: Tensor, w: Tensor, W: Tensor, b: Tensor) -> Tensor:
    return functional.linear(sums(x, edges, w), W, b)


def of_mean(x: Tensor, edges: Tensor, w: Tensor, W: Tensor, b: Tensor) -> Tensor:
    return functional.linear(sums(x, edges, reduce="mean"), W, b)


def of_counted_mean(x: Tensor, edges: Tensor, w: Tensor, W: Tensor, b: Tensor) -> Tensor:
    source, target = edges
    ones = x.new_ones(len(target))
    count = x.new_zeros(len(x)).scatter_add_(0, target, ones).clamp(min=1)
    total = torch.zeros_like(x).index_add_(0, target, x[source])
    return functional.linear(total / count.view(-1, 1).expand_as(total), W, b)


def product(x: Tensor, edges: Tensor, w: Tensor, W: Tensor, b: Tensor) -> Tensor:
    return sums(x, edges) @ W.t() + b


def sized_as_x(x: Tensor, edges: Tensor, w: Tensor, W: Tensor, b: Tensor) -> Tensor:
    return torch.mm(torch.zeros_like(x).index_add_(0, edges[1], x[edges[0]]), W.t())


def with_own(x: Tensor, edges: Tensor, w: Tensor, W: Tensor, b: Tensor) -> Tensor:
    return functional.linear(sums(x, edges) + x, W, b)


def with_own_times_number(x: Tensor, edges: Tensor, w: Tensor, W: Tensor, b: Tensor) -> Tensor:
    return functional.linear(1.5 * x + sums(x, edges, w), W, b)


def with_own_times_tensor(x: Tensor, edges: Tensor, w: Tensor, W: Tensor, b: Tensor) -> Tensor:
    return functional.linear(sums(x, edges) + (1 + w[:1]) * x, W, b)


def with_own_in_place(x: Tensor, edges: Tensor, w: Tensor, W: Tensor, b: Tensor) -> Tensor:
    total = sums(x, edges)
    total += w[0] * x
    return functional.linear(total, W, b)


def with_own_by_method(x: Tensor, edges: Tensor, w: Tensor, W: Tensor, b: Tensor) -> Tensor:
    return functional.linear((x * 2.0).add_(sums(x, edges)), W, b)


def twice(x: Tensor, edges: Tensor, w: Tensor, W: Tensor, b: Tensor) -> Tensor:
    return functional.linear(sums(sums(x, edges, w), edges, w), W, b)


def onto_own_rows(x: Tensor, edges: Tensor, w: Tensor, W: Tensor, b: Tensor) -> Tensor:
    return functional.linear(x.index_add(0, edges[1], x[edges[0]]), W, b)


def by_attention(x: Tensor, edges: Tensor, w: Tensor, W: Tensor, b: Tensor) -> Tensor:
    scores = (x[edges[0], :2] * x[edges[1], :2]).sum(-1).exp()
    total = x.new_zeros(len(x)).index_add(0, edges[1], scores)
    return functional.linear(sums(x, edges, scores / total[edges[1]]), W, b)


def by_accumulation(x: Tensor, edges: Tensor, w: Tensor, W: Tensor, b: Tensor) -> Tensor:
    rows = w[:, None] * torch.embedding(x, edges[0])
    return functional.linear(-torch.zeros_like(x).index_put((edges[1],), rows, True), W, b)


def made_like_another_input(x: Tensor, edges: Tensor, w: Tensor, W: Tensor, b: Tensor) -> Tensor:
    needed = sums(x, edges)
    again = torch.zeros_like(x).index_add_(0, edges[1], needed[edges[0]])
    return functional.linear(again, W, b) + needed.sum()


def by_columns_of_an_index(x: Tensor, edges: Tensor, w: Tensor, W: Tensor, b: Tensor) -> Tensor:
    index = edges[1].clamp(min=1).view(-1, 1).expand(-1, x.shape[1])
    return functional.linear(torch.zeros_like(x).scatter_add_(0, index, x[edges[0]]), W, b) + (
        index.sum()
    )


FUNCTIONS = [
    made_like_another_input,
    by_columns_of_an_index,
    onto_own_rows,
    by_attention,
    by_accumulation,
    of_sum,
    without_bias,
    of_weighted,
    of_mean,
    of_counted_mean,
    product,
    sized_as_x,
    with_own,
    with_own_times_number,
    with_own_times_tensor,
    with_own_in_place,
    with_own_by_method,
    twice,
]


def arguments(
    dtype: torch.dtype = torch.float64,
    nodes: int = NODES,
    edges: int = EDGES,
    lengths: tuple[int, int] = (FEATURES, RESULTS),
) -> tuple[Tensor, ...]:
    """x, edges, a weight an edge, a layer's weight and bias.

    There are equal edges, and nodes without any.
    """
    draw = torch.Generator().manual_seed(nodes + edges)

    def normal(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=draw, dtype=torch.float64).to(dtype)

    ends = torch.randint(0, nodes, (2, edges), generator=draw)
    ends[1].clamp_(max=max(0, nodes - 4))
    if edges > 1:
        ends[:, 0] = ends[:, 1]
    features, results = lengths
    return normal(nodes, features), ends, normal(edges), normal(results, features), normal(results)


class Layer(nn.Module):
    """A function whose weight and bias are a module's, so that their sizes are known."""

    def __init__(self, function: Function, weight: Tensor, bias: Tensor) -> None:
        super().__init__()
        self.function = function
        self.weight = nn.Parameter(weight)
        self.bias = nn.Parameter(bias)

    def forward(self, x: Tensor, edges: Tensor, edge_weight: Tensor) -> Tensor:
        return self.function(x, edges, edge_weight, self.weight, self.bias)


def layer_of(function: Function, given: tuple[Tensor, ...]) -> Layer:
    return Layer(function, *given[3:])


def check(function: Function, given: tuple[Tensor, ...], reordered: int, **options: Any) -> None:
    """The compiled function's values; how many layers have changed their place."""
    run = compiled(layer_of(function, given), **options)
    with listening() as heard, torch.no_grad():
        result = run(*given[:3])
    tolerance = 1e-12 if result.dtype is torch.float64 else 2e-5
    torch.testing.assert_close(result, function(*given), rtol=tolerance, atol=tolerance)
    assert [len(report.reordered) for report in heard.reports] == [reordered]


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_values(function: Function, dtype: torch.dtype) -> None:
    check(function, arguments(dtype), 1)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_gradients(function: Function) -> None:
    given = arguments(lengths=(4, 3))
    x, edges, weight = given[:3]
    layer = layer_of(function, given)
    run = compiled(layer)
    tracked = (x.requires_grad_(), weight.requires_grad_(), layer.weight, layer.bias)
    with listening() as heard:
        torch.autograd.gradcheck(lambda *_: run(x, edges, weight), tracked, fast_mode=True)
    assert heard.reports[0].reordered


@pytest.mark.parametrize("rest", ["eager", "inductor"])
def test_one_kernel_of_short_rows(rest: str) -> None:
    given = arguments(torch.float32)
    run = compiled(layer_of(of_weighted, given), rest=rest)
    with listening() as heard, torch.no_grad():
        torch.testing.assert_close(run(*given[:3]), of_weighted(*given), rtol=1e-5, atol=1e-5)
    (report,) = heard.reports
    (part,) = report.compiled
    assert part.kind == "statements"
    assert not report.left
    (library,) = part.call.kernels()
    assert f"{RESULTS}xf32" in str(library.program)
    assert f"{FEATURES}xf32" not in str(library.program)


@pytest.mark.parametrize("lengths", [(2, 1), (3, 2), (64, 33), (130, 17)])
def test_lengths(lengths: tuple[int, int]) -> None:
    for function in (of_sum, of_mean, with_own_times_tensor):
        torch._dynamo.reset()
        check(function, arguments(lengths=lengths), 1)


def test_rows_that_do_not_get_shorter() -> None:
    for lengths in ((5, 5), (5, 8), (5, 0), (0, 0)):
        torch._dynamo.reset()
        check(of_sum, arguments(lengths=lengths), 0)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_other_numbers_of_edges(function: Function) -> None:
    layer = layer_of(function, arguments())
    run = compiled(layer)
    with listening() as heard, torch.no_grad():
        for nodes, edges in ((30, 90), (200, 17), (7, 500), (40, 2)):
            given = arguments(nodes=nodes, edges=edges)[:3]
            torch.testing.assert_close(run(*given), layer(*given))
    assert len(heard.reports) == 1


@pytest.mark.parametrize("function", [of_mean, of_weighted, with_own, twice])
def test_few_edges(function: Function) -> None:
    layer = layer_of(function, arguments())
    run = compiled(layer)
    with torch.no_grad():
        for nodes, edges in ((30, 90), (6, 0), (1, 0), (1, 1), (3, 1)):
            given = arguments(nodes=nodes, edges=edges)[:3]
            torch.testing.assert_close(run(*given), layer(*given))


def test_weights_that_change() -> None:
    given = arguments(torch.float32)
    layer = layer_of(of_mean, given)
    run = ember.compile(layer, given[:3])
    with torch.no_grad():
        for _ in range(2):
            expected = layer(*given[:3])
            torch.testing.assert_close(run(*given[:3]), expected, rtol=1e-5, atol=1e-5)
            layer.weight.mul_(2)
            layer.bias = nn.Parameter(torch.rand(RESULTS))


def test_wrong_ends() -> None:
    x, edges, weight, *rest = arguments(torch.float32)
    run = compiled(Layer(of_sum, *rest))
    for row in range(2):
        wrong = edges.clone()
        wrong[row, 3] = NODES
        with torch.no_grad(), pytest.raises(IndexError, match=f"{NODES}"):
            run(x, wrong, weight)


def of_maximum(x: Tensor, edges: Tensor, w: Tensor, W: Tensor, b: Tensor) -> Tensor:
    return functional.linear(sums(x, edges, reduce="amax"), W, b)


def sum_is_needed(x: Tensor, edges: Tensor, w: Tensor, W: Tensor, b: Tensor) -> Tensor:
    total = sums(x, edges)
    return functional.linear(total, W, b) + total.sum()


def sum_with_own_is_needed(x: Tensor, edges: Tensor, w: Tensor, W: Tensor, b: Tensor) -> Tensor:
    total = sums(x, edges)
    return functional.linear(total + x, W, b) + total.sum()


def messages_are_needed(x: Tensor, edges: Tensor, w: Tensor, W: Tensor, b: Tensor) -> Tensor:
    rows = x[edges[0]]
    total = torch.zeros_like(x).index_add(0, edges[1], rows)
    return functional.linear(total, W, b) + rows.sum()


def of_edges(x: Tensor, edges: Tensor, w: Tensor, W: Tensor, b: Tensor) -> Tensor:
    rows = (x[edges[0]] - x[edges[1]]).relu()
    return functional.linear(torch.zeros_like(x).index_add(0, edges[1], rows), W, b)


def with_others(x: Tensor, edges: Tensor, w: Tensor, W: Tensor, b: Tensor) -> Tensor:
    return functional.linear(sums(x, edges) + x.exp(), W, b)


def with_factors(x: Tensor, edges: Tensor, w: Tensor, W: Tensor, b: Tensor) -> Tensor:
    return functional.linear(sums(x, edges) + x * x[:1], W, b)


def onto_x(x: Tensor, edges: Tensor, w: Tensor, W: Tensor, b: Tensor) -> Tensor:
    other = x.clone()
    other += sums(other, edges)
    return functional.linear(other, W, b) + other.sum()


def fewer_targets(x: Tensor, edges: Tensor, w: Tensor, W: Tensor, b: Tensor) -> Tensor:
    rows = x[edges[0]]
    return functional.linear(rows.new_zeros(NODES - 3, FEATURES).index_add(0, edges[1], rows), W, b)


def x_is_changed(x: Tensor, edges: Tensor, w: Tensor, W: Tensor, b: Tensor) -> Tensor:
    x = x.clone()
    total = sums(x, edges)
    x.mul_(2)
    return functional.linear(total, W, b) + x.sum()


def in_two_types(x: Tensor, edges: Tensor, w: Tensor, W: Tensor, b: Tensor) -> Tensor:
    total = sums(x.float(), edges)
    return functional.linear(total.double(), W, b)


def by_itself(x: Tensor, edges: Tensor, w: Tensor, W: Tensor, b: Tensor) -> Tensor:
    total = sums(x, edges)
    return functional.linear(total, total)


@pytest.mark.parametrize(
    "function",
    [
        of_maximum,
        sum_is_needed,
        sum_with_own_is_needed,
        messages_are_needed,
        of_edges,
        with_others,
        with_factors,
        onto_x,
        fewer_targets,
        x_is_changed,
        in_two_types,
        by_itself,
    ],
    ids=lambda function: function.__name__,
)
def test_layers_that_stay(function: Function) -> None:
    check(function, arguments(), 0)


def test_half_types_stay() -> None:
    given = arguments(torch.bfloat16)
    run = compiled(layer_of(of_sum, given))
    with listening() as heard, torch.no_grad():
        torch.testing.assert_close(run(*given[:3]), of_sum(*given), rtol=0.1, atol=0.5)
    assert not heard.reports[0].reordered


def test_sizes_of_each_call_stay() -> None:
    given = arguments()
    run = compiled(of_sum)
    with listening() as heard, torch.no_grad():
        torch.testing.assert_close(run(*given), of_sum(*given))
    assert not heard.reports[0].reordered


def test_autocast_stays() -> None:
    def within(x: Tensor, edges: Tensor, w: Tensor, W: Tensor, b: Tensor) -> Tensor:
        total = sums(x, edges)
        with torch.autocast("cpu", torch.bfloat16):
            return functional.linear(total, W, b)

    given = arguments(torch.float32)
    layer = layer_of(within, given)
    run = compiled(layer)
    with listening() as heard, torch.no_grad():
        torch.testing.assert_close(run(*given[:3]), layer(*given[:3]), rtol=0.05, atol=0.2)
        with torch.autocast("cpu", torch.bfloat16):
            torch.testing.assert_close(run(*given[:3]), layer(*given[:3]), rtol=0.05, atol=0.2)
    assert not any(report.reordered for report in heard.reports)


@pytest.mark.parametrize("options", [{"reorders": False}, {"excluded": ("statements",)}])
def test_switched_off(options: dict[str, Any]) -> None:
    check(of_sum, arguments(), 0, **options)


def test_explained() -> None:
    given = arguments(torch.float32)
    layer = layer_of(of_mean, given)
    found = ember.explain(layer, *given[:3])
    (graph,) = found.graphs
    (text,) = graph.reordered
    assert "self.weight" in text
    assert f"{FEATURES} elements become {RESULTS}" in text
    assert f"reordered: {text}" in str(found)
    (part,) = found.compiled
    assert "in of_mean: return functional.linear" in part.place
    assert graph.others["linear"] == 1
    assert graph.operations >= len(part.operations) + sum(graph.others.values())
    without = ember.explain(layer, *given[:3], options={"reorders": False})
    assert not without.graphs[0].reordered
    assert "reordered" not in str(without)


def test_exported(tmp_path: Path) -> None:
    given = arguments(torch.float32)
    layer = layer_of(of_weighted, given).eval()
    nodes, count = torch.export.Dim("nodes"), torch.export.Dim("edges")
    shapes = {"x": {0: nodes}, "edges": {1: count}, "edge_weight": {0: count}}
    ember.export(layer, given[:3], dynamic_shapes=shapes, folder=tmp_path / "layer")
    loaded = ember.load(tmp_path / "layer")
    assert len(loaded.report.reordered) == 1
    for size in ((NODES, EDGES), (11, 300)):
        inputs = arguments(torch.float32, *size)[:3]
        with torch.no_grad():
            expected = layer(*inputs)
        torch.testing.assert_close(loaded(*inputs), expected, rtol=1e-5, atol=1e-5)
