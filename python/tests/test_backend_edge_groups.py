"""backend="ember": edges that come again are grouped by their targets, with the same results.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from compiled_models import compiled
from ember import threads
from ember.compiler import Notation
from ember.errors import CompileError
from ember.torch.calls import edge_groups, statement_call
from ember.torch.calls.edge_groups import KEPT, MISSES, SKIPPED, EdgeMemory
from ember.torch.calls.statement_call import StatementCall
from ember.torch.capture.backend import listening
from ember.torch.graph.costs import is_worth_grouping
from torch import Tensor

pytestmark = pytest.mark.usefixtures("fresh_dynamo")

NODES, EDGES, LENGTH = 40, 150, 12
REDUCTIONS = ("sum", "mean", "amax", "amin", "prod")


@pytest.fixture(autouse=True)
def _any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups edges of graphs that are too small for it to pay."""
    monkeypatch.setattr(statement_call, "is_worth_grouping", lambda *_: True)


def ends(seed: int = 0, dtype: torch.dtype = torch.int64) -> tuple[Tensor, Tensor]:
    """Source and target of edges; some nodes have none."""
    draw = torch.Generator().manual_seed(seed)
    source, target = torch.randint(0, NODES, (2, EDGES), generator=draw)
    return source.to(dtype), target.clamp(max=NODES - 5).to(dtype)


def reduced(messages: Tensor, target: Tensor, reduction: str) -> Tensor:
    """The messages of each target."""
    index = target.long().view(-1, *(1,) * (messages.dim() - 1)).expand_as(messages)
    zeros = messages.new_zeros(NODES, *messages.shape[1:])
    return zeros.scatter_reduce(0, index, messages, reduction, include_self=False)


class Edges:
    """A compiled function of edges, and the call that is its kernel."""

    def __init__(self, function: Callable[..., Tensor]) -> None:
        self.function = function
        self._run = compiled(function)
        self._call: StatementCall | None = None

    def __call__(self, *arguments: Any) -> Tensor:
        with listening() as heard:
            found: Tensor = self._run(*arguments)
        if heard.reports:
            ((part,),) = (report.compiled for report in heard.reports)
            assert isinstance(part.call, StatementCall)
            self._call = part.call
        return found

    @property
    def call(self) -> StatementCall:
        assert self._call is not None
        return self._call

    @property
    def is_grouped(self) -> bool:
        """Whether the last kernel that the call needed is one of grouped edges."""
        return "_offsets" in str(list(self.call.libraries)[-1].program)


def looked_up(reduction: str) -> Edges:
    return Edges(lambda x, source, target: reduced(x.index_select(0, source), target, reduction))


def sums() -> Edges:
    return Edges(
        lambda x, source, target: x.new_zeros(NODES, x.shape[1]).index_add(0, target, x[source])
    )


def softmax(x: Tensor, source: Tensor, target: Tensor, scores: Tensor) -> Tensor:
    largest = scores.new_full((NODES,), float("-inf")).scatter_reduce(0, target, scores, "amax")
    powers = (scores - largest[target].detach()).exp()
    total = scores.new_zeros(NODES).scatter_add(0, target, powers)
    weights = (powers / total[target]).view(-1, 1)
    return x.new_zeros(NODES, x.shape[1]).index_add(0, target, weights * x[source])


def deviation(x: Tensor, source: Tensor, target: Tensor, scores: Tensor) -> Tensor:
    messages = x[source] - x[target]
    mean = reduced(messages, target, "mean")
    return (reduced(messages * messages, target, "mean") - mean * mean).relu() + scores.sum()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("index", [torch.int32, torch.int64], ids=str)
@pytest.mark.parametrize("is_looked_up", [True, False], ids=["lookup", "rows"])
@pytest.mark.parametrize("weights", ["", "edges", "heads"])
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_the_bits_are_the_same(
    reduction: str, weights: str, is_looked_up: bool, index: torch.dtype, dtype: torch.dtype
) -> None:
    source, target = ends(dtype=index)
    sizes = (4, 3) if weights == "heads" else (LENGTH,)
    x = torch.randn(NODES if is_looked_up else EDGES, *sizes, dtype=torch.float64).to(dtype)
    shape = (EDGES, 4, 1) if weights == "heads" else (EDGES, 1)
    factors = [torch.rand(shape, dtype=torch.float64).to(dtype)] if weights else []

    def function(x: Tensor, source: Tensor, target: Tensor, *factors: Tensor) -> Tensor:
        messages = x.index_select(0, source) if is_looked_up else x
        for factor in factors:
            messages = factor * messages
        return reduced(messages, target, reduction)

    edges = Edges(function)
    arguments = (x, source, target, *factors)
    first = edges(*arguments)
    assert not edges.is_grouped
    for _ in range(2):
        again = edges(*arguments)
        assert edges.is_grouped
        # What is fused to one operation of both depends on the loops.
        is_exact = not factors and dtype.itemsize > 2
        torch.testing.assert_close(first, again, **({"rtol": 0, "atol": 0} if is_exact else {}))
    assert len(edges.call.kernels()) == 2


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_sorted_edges(reduction: str) -> None:
    source, target = ends()
    target = target.sort().values
    x, edges = torch.randn(NODES, LENGTH), looked_up(reduction)
    results = [edges(x, source, target) for _ in range(3)]
    assert edges.is_grouped
    assert torch.equal(results[0], results[1])
    assert torch.equal(results[0], results[2])


@pytest.mark.parametrize("function", [softmax, deviation])
def test_several_statements(function: Callable[..., Tensor]) -> None:
    source, target = ends()
    x, scores = torch.randn(NODES, LENGTH).double(), torch.randn(EDGES).double()
    edges = Edges(function)
    for _ in range(3):
        found = edges(x, source, target, scores)
        torch.testing.assert_close(found, function(x, source, target, scores))
    assert edges.is_grouped


def test_rows_of_a_matrix() -> None:
    """As torch_geometric has edges."""
    x, both = torch.randn(NODES, LENGTH), torch.stack(ends())

    def function(x: Tensor, both: Tensor) -> Tensor:
        source, target = both
        return reduced(x[source] - x[target], target, "sum") + reduced(x[both[0]], both[1], "amax")

    edges = Edges(function)
    for _ in range(3):
        torch.testing.assert_close(edges(x, both), function(x, both))
    assert edges.is_grouped
    # The kernel reads the matrix itself, wherever its rows lie.
    assert [end.row for end in edges.call.program.ends] == [0, 1]
    (kernel,) = edges.call._grouped.values()
    assert kernel is not None
    assert {"x0_1_offsets", "x0_0_by_x0_1"} <= set(kernel.parameters)
    apart = both.t().contiguous().t()
    for _ in range(3):
        torch.testing.assert_close(edges(x, apart), function(x, both))
    assert edges.is_grouped
    both[1, 0] = NODES
    with pytest.raises(IndexError, match=f"index {NODES} .*'both' is out of range"):
        edges(x, both)


def test_gradients_by_rows_of_a_matrix() -> None:
    x, both = torch.randn(NODES, LENGTH, dtype=torch.float64), torch.stack(ends())
    weights = torch.rand(EDGES, dtype=torch.float64)

    def function(x: Tensor, both: Tensor, weights: Tensor) -> Tensor:
        return reduced(x[both[0]] * weights[:, None], both[1], "sum")

    edges = Edges(function)
    for _ in range(3):
        given = [one.clone().requires_grad_() for one in (x, weights)]
        (edges(given[0], both, given[1]) ** 2).sum().backward()
        expected = [one.clone().requires_grad_() for one in (x, weights)]
        (function(expected[0], both, expected[1]) ** 2).sum().backward()
        for found, wanted in zip(given, expected, strict=True):
            torch.testing.assert_close(found.grad, wanted.grad)
    assert edges.is_grouped


def test_edges_that_change_without_a_new_version() -> None:
    source, target = ends()
    seen = torch.zeros(NODES, LENGTH).index_add(0, target, torch.ones(EDGES, LENGTH))
    x, edges = torch.ones(NODES, LENGTH), sums()
    for _ in range(3):
        torch.testing.assert_close(edges(x, source, target), seen)
    version = target._version
    shared = target.numpy()
    shared[:] = np.flip(shared).copy() % 3
    assert target._version == version
    expected = torch.zeros(NODES, LENGTH).index_add(0, target, torch.ones(EDGES, LENGTH))
    assert not torch.equal(seen, expected)
    for _ in range(3):
        torch.testing.assert_close(edges(x, source, target), expected)


def test_several_graphs_in_turns() -> None:
    graphs = [ends(seed) for seed in range(KEPT)]
    x, edges = torch.randn(NODES, LENGTH), sums()
    firsts = [edges(x, *graph) for graph in graphs]
    assert not edges.is_grouped
    for _ in range(2):
        for graph, first in zip(graphs, firsts, strict=True):
            assert torch.equal(edges(x, *graph), first)
    assert edges.is_grouped


def test_edges_that_never_come_again_are_forgotten() -> None:
    memory = EdgeMemory()
    for seed in range(MISSES):
        assert memory.find(ends(seed)) is None
        assert len(memory._kept) == min(seed + 1, KEPT)
    assert memory.find(ends(MISSES)) is None
    assert not memory._kept
    for _ in range(SKIPPED):
        assert memory.find(ends()) is None
    assert not memory._kept
    # Afterwards edges that stay are found.
    assert memory.find(ends()) is None
    assert memory.find(ends()) is not None


def test_groups() -> None:
    target = torch.tensor([2, 0, 2, 5, 0])
    source = torch.tensor([7, 1, 3, 3, 0])
    memory = EdgeMemory()
    assert memory.find((target, source)) is None
    edges = memory.find((target, source))
    assert edges is not None
    grouped = edges.by(0, 6)
    assert grouped is not None
    assert grouped.offsets.tolist() == [0, 2, 2, 4, 4, 4, 5]
    assert grouped.order.tolist() == [1, 4, 0, 2, 3]
    in_order = grouped.in_order(1)
    assert in_order is not None
    assert in_order[0].tolist() == [1, 0, 7, 3, 3]
    assert in_order[1] == 7
    # The same edges of more nodes have more groups, and of fewer none.
    more = edges.by(0, 7)
    assert more is not None
    assert more.offsets.tolist() == [0, 2, 2, 4, 4, 4, 5, 5]
    assert edges.by(0, 5) is None
    # The same numbers of another type or length are other edges.
    assert memory.find((target.int(), source.int())) is None
    assert memory.find((target[:4].clone(), source[:4].clone())) is None


@pytest.mark.parametrize("which", ["source", "target"])
@pytest.mark.parametrize("bad", [NODES, -NODES - 1, 2**40])
def test_index_out_of_range(which: str, bad: int) -> None:
    source, target = ends()
    (source if which == "source" else target)[17] = bad
    x, edges = torch.randn(NODES, LENGTH), sums()
    messages = []
    for _ in range(3):
        with pytest.raises(IndexError) as error:
            edges(x, source, target)
        messages.append(str(error.value))
    assert f"index {bad} at position 17 of '{which}'" in messages[0]
    assert len(set(messages)) == 1


def test_fewer_rows_than_the_edges_that_were_grouped_need() -> None:
    source, target = ends()
    source = source.clamp(max=NODES - 2)
    source[3] = NODES - 1
    x, edges = torch.randn(NODES, LENGTH), sums()
    for _ in range(3):
        edges(x, source, target)
    with pytest.raises(IndexError, match=f"index {NODES - 1} at position 3 of 'source'"):
        edges(x[: NODES - 1], source, target)


@pytest.mark.parametrize("reduction", ["sum", "mean"])
@pytest.mark.parametrize("weighted", [False, True])
def test_gradients(reduction: str, weighted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statement_call.StatementCall, "elements", lambda *_: 1 << 30)
    source, target = ends()

    def function(x: Tensor, weight: Tensor) -> Tensor:
        messages = x.index_select(0, source)
        if weighted:
            messages = messages * weight.view(-1, 1)
        return reduced(messages, target, reduction)

    x = torch.randn(NODES, LENGTH, dtype=torch.float64, requires_grad=True)
    weight = torch.rand(EDGES, dtype=torch.float64, requires_grad=True)
    gradient = torch.randn(NODES, LENGTH, dtype=torch.float64)
    edges = Edges(function)
    wanted = [x, weight] if weighted else [x]
    found = [torch.autograd.grad(edges(x, weight), wanted, gradient) for _ in range(3)]
    # Forwards, and the other way round.
    programs = [str(library.program) for library in edges.call.kernels()]
    assert sum("_offsets" in program for program in programs) == 2
    expected = torch.autograd.grad(function(x, weight), wanted, gradient)
    for one in found:
        torch.testing.assert_close(one, expected)
    torch.autograd.gradcheck(edges, (x, weight), fast_mode=True)


def test_threads_that_call_at_once() -> None:
    graphs = [ends(seed) for seed in range(3)]
    x, edges = torch.randn(NODES, LENGTH), sums()
    expected = [
        torch.zeros(NODES, LENGTH).index_add(0, target, x[source]) for source, target in graphs
    ]
    edges(x, *graphs[0])
    failures: list[BaseException] = []

    def work(first: int) -> None:
        try:
            for turn in range(60):
                which = (first + turn // 5) % len(graphs)
                result = edges._run(x, *graphs[which])
                torch.testing.assert_close(result, expected[which])
        except BaseException as error:
            failures.append(error)

    workers = [threading.Thread(target=work, args=(first,)) for first in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failures


def test_without_a_kernel_of_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in an exported program whose example did not come again."""
    source, target = ends()
    x, edges = torch.randn(NODES, LENGTH), sums()
    made = StatementCall._built

    def built(call: StatementCall, notation: Notation, entry: str) -> Any:
        if any(word.startswith("--group") for word in notation.arrays):
            raise CompileError("there is none")
        return made(call, notation, entry)

    monkeypatch.setattr(StatementCall, "_built", built)
    first = edges(x, source, target)
    edges.call.raises = False
    for _ in range(3):
        assert torch.equal(edges(x, source, target), first)
    assert not edges.call.failed
    edges.call._grouped = {}
    edges.call.raises = True
    with pytest.raises(CompileError, match="there is none"):
        edges(x, source, target)


def test_what_is_worth_grouping(monkeypatch: pytest.MonkeyPatch) -> None:
    for number, functions, length, edges, expected in [
        (2, ["sum"], 64, 10_000, True),
        (1, ["sum"], 64, 8_000, False),
        (1, ["sum"], 64, 10_000, True),
        (1, ["sum"], 32, 100_000, False),
        (1, ["sum", "sum"], 32, 10_000, True),
        (1, ["max"], 32, 10_000, True),
        (1, ["max"], 32, 1_000, False),
        (1, ["sum"], 64, 100_000, True),
        (2, ["sum"], 64, 100, False),
        (2, ["sum"], 1, 10_000_000, False),
    ]:
        monkeypatch.setattr(threads, "get_num_threads", lambda number=number: number)
        assert is_worth_grouping(edges, length, functions) is expected


def test_more_edges_than_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge_groups, "MOST", EDGES - 1)
    memory = EdgeMemory()
    memory.find(ends())
    edges = memory.find(ends())
    assert edges is not None
    assert edges.by(0, NODES) is None


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge_groups, "MOST_EDGES", 2 * EDGES + 1)
    memory = EdgeMemory()
    for seed in range(3):
        assert memory.find(ends(seed)) is None
    assert len(memory._kept) == 2
    assert memory.find(ends(2)) is not None
    assert memory.find(ends(0)) is None
    monkeypatch.setattr(edge_groups, "MOST_EDGES", EDGES - 1)
    for _ in range(3):
        assert memory.find(ends(2)) is None
