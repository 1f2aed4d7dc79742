"""backend="ember": columns that a mask selects, as edges without loops at nodes.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import ember
import pytest
import torch
from ember.torch.capture.backend import listening
from ember.torch.report.report import Report
from torch import Tensor, nn

pytestmark = pytest.mark.usefixtures("fresh_dynamo")

Function = Callable[..., Any]


def without_loops(edges: Tensor, weights: Tensor) -> Any:
    return edges[:, edges[0] != edges[1]]


def compared_by_function(edges: Tensor, weights: Tensor) -> Any:
    source, target = edges
    return edges[:, torch.ne(source, target)]


def with_weights(edges: Tensor, weights: Tensor) -> Any:
    mask = edges[0] != edges[1]
    return edges[:, mask], weights[mask]


def by_other_mask(edges: Tensor, weights: Tensor) -> Any:
    return edges[:, weights > 0.5]


def by_rows_of_another(edges: Tensor, weights: Tensor) -> Any:
    return weights[edges[1] != edges[0]]


def by_two_conditions(edges: Tensor, weights: Tensor) -> Any:
    return edges[:, (edges[0] != edges[1]) & ~(weights > 0.5)]


SELECTIONS = {
    without_loops: 1,
    compared_by_function: 1,
    with_weights: 2,
    by_other_mask: 1,
    by_rows_of_another: 1,
    by_two_conditions: 1,
}


def arguments(edges: int = 90, index: torch.dtype = torch.int64) -> tuple[Tensor, Tensor]:
    draw = torch.Generator().manual_seed(edges)
    ends = torch.randint(0, 6, (2, edges), generator=draw).to(index)
    return ends, torch.rand(edges, generator=draw)


def check(function: Function, calls: Sequence[tuple[Tensor, ...]], **options: Any) -> list[Report]:
    """The compiled function's values; its reports."""
    run = ember.compile(function, raises=True, **options)
    with listening() as heard:
        for given in calls:
            before = [one.clone() for one in given]
            expected = function(*given)
            for _ in range(2):
                found = run(*given)
                torch.testing.assert_close(found, expected, rtol=0, atol=0, equal_nan=True)
                for one, other in zip(*map(_tensors, (found, expected)), strict=True):
                    assert one.stride() == other.stride()
            torch.testing.assert_close(given, tuple(before), rtol=0, atol=0, equal_nan=True)
    return heard.reports


def _tensors(found: Any) -> tuple[Tensor, ...]:
    return found if isinstance(found, tuple) else (found,)


def selections(reports: Sequence[Report]) -> list[str]:
    """The titles of what is selected by kernels."""
    return [
        part.title for report in reports for part in report.compiled if part.kind == "selection"
    ]


@pytest.mark.parametrize("index", [torch.int64, torch.int32], ids=str)
@pytest.mark.parametrize("function", SELECTIONS, ids=lambda function: function.__name__)
def test_values(function: Function, index: torch.dtype) -> None:
    reports = check(function, [arguments(index=index)])
    assert len(selections(reports)) == SELECTIONS[function]
    assert all(part.call.kernels() for report in reports for part in report.compiled)


def test_all_and_none() -> None:
    different, same = torch.tensor([[0, 1, 2], [1, 2, 0]]), torch.tensor([[3, 1, 2], [3, 1, 2]])
    ends = torch.tensor([[0, 1, 1, 5], [0, 1, 2, 5]])
    weights = torch.rand(4)
    calls = [(different, weights[:3]), (same, weights[:3]), (ends, weights)]
    for function in (without_loops, with_weights, by_other_mask):
        check(function, calls)


@pytest.mark.parametrize("function", SELECTIONS, ids=lambda function: function.__name__)
def test_other_numbers_of_edges(function: Function) -> None:
    calls = [arguments(edges) for edges in (90, 17, 500, 33, 2, 1, 0, 64)]
    reports = check(function, calls)
    # For the first sizes, for any, and for 0 and 1 among them.
    assert len(reports) <= 3


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.int32], ids=str)
@pytest.mark.parametrize("rows", [1, 3, 8, 9])
def test_types_and_rows(rows: int, dtype: torch.dtype) -> None:
    x = torch.randint(-5, 5, (rows, 40)).to(dtype)
    mask = torch.rand(40) < 0.5
    check(lambda x, mask: x[:, mask], [(x, mask), (x.t().contiguous().t(), mask)])


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.int64], ids=str)
def test_comparisons(dtype: torch.dtype) -> None:
    """They are parts of the kernels, of numbers of any type, NaN and infinities among them."""
    x = torch.randint(-5, 5, (2, 60)).to(dtype)
    if dtype.is_floating_point:
        x[:, ::7], x[:, ::11] = torch.nan, torch.inf
    ends = torch.randint(-5, 5, (2, 60))
    for function in (
        lambda x, ends: ends[:, x[0] != x[1]],
        lambda x, ends: ends[:, x[0] > 0.5],
        lambda x, ends: x[:, ~(x[0] <= x[1])],
        lambda x, ends: x[0][(ends[1] == 2) | (x[1] < x[0])],
    ):
        (report,) = check(function, [(x, ends)])
        (part,) = report.compiled
        assert len(part.operations) > 2


def test_number_among_the_arguments() -> None:
    x = torch.randint(-5, 5, (2, 60))
    run = ember.compile(lambda x, limit: x[:, x[0] > limit], raises=True)
    for limit in (0.5, 1.7, -2.2):
        torch.testing.assert_close(run(x, limit), x[:, x[0] > limit], rtol=0, atol=0)


def test_gradients() -> None:
    edges, weights = arguments()
    weights = weights.double().requires_grad_()
    run = ember.compile(lambda edges, weights: weights[edges[0] != edges[1]] * 2)
    torch.autograd.gradcheck(lambda weights: run(edges, weights), (weights,), fast_mode=True)


def of_rows(x: Tensor, mask: Tensor) -> Tensor:
    return x[mask]


def by_places(x: Tensor, mask: Tensor) -> Tensor:
    return x[:, mask.nonzero().view(-1)]


@pytest.mark.parametrize("function", [of_rows, by_places])
def test_other_indices(function: Function) -> None:
    x, mask = torch.rand(3, 3), torch.tensor([True, False, True])
    assert not selections(check(function, [(x, mask)]))


def test_small_types() -> None:
    for dtype in (torch.int16, torch.float16, torch.bool):
        x, mask = torch.ones(2, 9).to(dtype), torch.rand(9) < 0.5
        assert not selections(check(lambda x, mask: x[:, mask], [(x, mask)]))


def test_wrong_mask() -> None:
    run = ember.compile(lambda x, mask: x[:, mask])
    run(torch.rand(2, 9), torch.ones(9, dtype=torch.bool))
    with pytest.raises((IndexError, RuntimeError)):
        run(torch.rand(2, 9), torch.ones(8, dtype=torch.bool))


@pytest.mark.parametrize("options", [{"rest": "inductor"}, {"excluded": ("selection",)}])
def test_left(options: dict[str, Any]) -> None:
    assert not selections(check(without_loops, [arguments()], **options))


def test_geometric() -> None:
    geometric = pytest.importorskip("torch_geometric.nn")
    torch.manual_seed(0)
    edges, weights = arguments(200)
    x = torch.rand(6, 12)
    for layer, given in (
        (geometric.GCNConv(12, 7), (x, edges, weights)),
        (geometric.GATConv(12, 7), (x, edges)),
    ):
        torch._dynamo.reset()
        run = ember.compile(layer, given)
        with torch.no_grad():
            torch.testing.assert_close(run(*given), layer(*given), rtol=1e-4, atol=1e-5)
        assert selections(run.reports())


class Selected(nn.Module):
    """The edges without loops, as torch.export captures them."""

    def forward(self, edges: Tensor) -> Tensor:
        return edges[:, edges[0] != edges[1]]


def test_exported(tmp_path: Path) -> None:
    edges, _ = arguments()
    count = torch.export.Dim("count")
    shapes = {"edges": {1: count}}
    ember.export(Selected().eval(), (edges,), dynamic_shapes=shapes, folder=tmp_path / "selected")
    loaded = ember.load(tmp_path / "selected")
    for size in (90, 11):
        edges, _ = arguments(size)
        torch.testing.assert_close(loaded(edges), Selected()(edges), rtol=0, atol=0)
