"""backend="ember": edges that come again are grouped by their targets, with the same results.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from ember import threads
from ember.compiler import Options
from ember.errors import CompileError
from ember.torch import aggregation, edge_groups
from ember.torch.aggregation import AggregationCall, is_worth_grouping
from ember.torch.backend import ember_backend, listening
from ember.torch.edge_groups import KEPT, MISSES, SKIPPED, EdgeMemory
from torch import Tensor

NODES, EDGES, LENGTH = 40, 150, 12
REDUCTIONS = ("sum", "mean", "max")


@pytest.fixture(autouse=True)
def _any_size(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Groups edges of graphs that are too small for it to pay."""
    monkeypatch.setattr(aggregation, "is_worth_grouping", lambda *_: True)
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def ends(seed: int = 0, dtype: torch.dtype = torch.int64) -> tuple[Tensor, Tensor]:
    """Source and target of edges; some nodes have none."""
    draw = torch.Generator().manual_seed(seed)
    source, target = torch.randint(0, NODES, (2, EDGES), generator=draw)
    return source.to(dtype), target.clamp(max=NODES - 5).to(dtype)


def never(*_: Any) -> Tensor:
    raise AssertionError("PyTorch was asked")


def call_of(reduction: str, reference: Callable[..., Any] = never) -> AggregationCall:
    call = AggregationCall(reference, reduction, Options(), raises=True)
    call.__name__ = reduction
    return call


def is_grouped(call: AggregationCall) -> bool:
    """Whether the last kernel that the call needed is one of grouped edges."""
    program = list(call.libraries)[-1].program
    return program is not None and ("csr" in program or "%order" in program)


def values_of(weights: str, dtype: torch.dtype) -> Tensor | None:
    sizes = {"": (), "edges": (EDGES, 1), "heads": (EDGES, 4, 1)}[weights]
    return torch.rand(sizes, dtype=torch.float64).to(dtype) if sizes else None


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("index", [torch.int32, torch.int64], ids=str)
@pytest.mark.parametrize("looked_up", [True, False], ids=["lookup", "rows"])
@pytest.mark.parametrize(
    ("reduction", "weights"),
    [("sum", ""), ("mean", ""), ("max", ""), ("sum", "edges"), ("mean", "edges"), ("sum", "heads")],
)
def test_the_bits_are_the_same(
    reduction: str, weights: str, looked_up: bool, index: torch.dtype, dtype: torch.dtype
) -> None:
    if weights == "heads" and dtype.itemsize == 2:
        pytest.skip("half types have no kernel of heads")
    source, target = ends(dtype=index)
    sizes = (4, 3) if weights == "heads" else (LENGTH,)
    x = torch.randn(NODES if looked_up else EDGES, *sizes, dtype=torch.float64).to(dtype)
    arguments = (x, source if looked_up else None, target, NODES, values_of(weights, dtype))
    call = call_of(reduction)
    first = call(*arguments)
    assert not is_grouped(call)
    for _ in range(2):
        again = call(*arguments)
        assert is_grouped(call)
        assert torch.equal(first, again)
    assert len(call.kernels()) == 2


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_sorted_edges(reduction: str) -> None:
    source, target = ends()
    target = target.sort().values
    x, call = torch.randn(NODES, LENGTH), call_of(reduction)
    results = [call(x, source, target, NODES, None) for _ in range(3)]
    assert is_grouped(call)
    assert torch.equal(results[0], results[1])
    assert torch.equal(results[0], results[2])


def test_edges_that_change_without_a_new_version() -> None:
    source, target = ends()
    seen = torch.zeros(NODES, LENGTH).index_add(0, target, torch.ones(EDGES, LENGTH))
    x, call = torch.ones(NODES, LENGTH), call_of("sum")
    for _ in range(3):
        torch.testing.assert_close(call(x, source, target, NODES, None), seen)
    version = target._version
    shared = target.numpy()
    shared[:] = np.flip(shared).copy() % 3
    assert target._version == version
    expected = torch.zeros(NODES, LENGTH).index_add(0, target, torch.ones(EDGES, LENGTH))
    assert not torch.equal(seen, expected)
    for _ in range(3):
        torch.testing.assert_close(call(x, source, target, NODES, None), expected)


def test_several_graphs_in_turns() -> None:
    graphs = [ends(seed) for seed in range(KEPT)]
    x, call = torch.randn(NODES, LENGTH), call_of("sum")
    firsts = [call(x, *graph, NODES, None) for graph in graphs]
    assert not is_grouped(call)
    for _ in range(2):
        for graph, first in zip(graphs, firsts, strict=True):
            assert torch.equal(call(x, *graph, NODES, None), first)
    assert is_grouped(call)


def test_edges_that_never_come_again_are_forgotten() -> None:
    memory = EdgeMemory()
    for seed in range(MISSES):
        assert memory.find(*ends(seed), NODES) is None
        assert len(memory._kept) == min(seed + 1, KEPT)
    assert memory.find(*ends(MISSES), NODES) is None
    assert not memory._kept
    for _ in range(SKIPPED):
        assert memory.find(*ends(), NODES) is None
    assert not memory._kept
    # Afterwards edges that stay are found.
    assert memory.find(*ends(), NODES) is None
    assert memory.find(*ends(), NODES) is not None


def test_groups() -> None:
    target = torch.tensor([2, 0, 2, 5, 0])
    source = torch.tensor([7, 1, 3, 3, 0])
    memory = EdgeMemory()
    assert memory.find(target, source, 6) is None
    grouped = memory.find(target, source, 6)
    assert grouped is not None
    assert grouped.offsets.tolist() == [0, 2, 2, 4, 4, 4, 5]
    assert grouped.order.tolist() == [1, 4, 0, 2, 3]
    assert grouped.sources.tolist() == [1, 0, 7, 3, 3]
    assert grouped.largest == 7
    # The same edges of another number of nodes, type or source are other edges.
    assert memory.find(target, source, 7) is None
    assert memory.find(target.int(), source.int(), 6) is None
    assert memory.find(target, None, 6) is None
    assert memory.find(target[:4].clone(), source[:4].clone(), 6) is None


@pytest.mark.parametrize("which", ["source", "target"])
@pytest.mark.parametrize("bad", [NODES, -NODES - 1, 2**40])
def test_index_out_of_range(which: str, bad: int) -> None:
    source, target = ends()
    (source if which == "source" else target)[17] = bad
    x = torch.randn(NODES, LENGTH)

    def function(x: Tensor, source: Tensor, target: Tensor) -> Tensor:
        return x.new_zeros(NODES, x.shape[1]).index_add_(0, target, x.index_select(0, source))

    run = torch.compile(function, backend=ember_backend, dynamic=True)
    messages = []
    for _ in range(3):
        with pytest.raises(IndexError) as error:
            run(x, source, target)
        messages.append(str(error.value))
    assert f"index {bad} at position 17 of '{which}'" in messages[0]
    assert len(set(messages)) == 1


def test_fewer_rows_than_the_edges_that_were_grouped_need() -> None:
    source, target = ends()
    source = source.clamp(max=NODES - 2)
    source[3] = NODES - 1
    x, call = (
        torch.randn(NODES, LENGTH),
        call_of("sum", lambda *_: torch.empty(0).index_select(0, source)),
    )
    for _ in range(3):
        call(x, source, target, NODES, None)
    with pytest.raises(IndexError, match=f"index {NODES - 1} at position 3 of 'source'"):
        call(x[: NODES - 1], source, target, NODES, None)


@pytest.mark.parametrize("reduction", ["sum", "mean"])
@pytest.mark.parametrize("weighted", [False, True])
def test_gradients(reduction: str, weighted: bool) -> None:
    source, target = ends()

    def function(x: Tensor, weight: Tensor) -> Tensor:
        messages = x.index_select(0, source)
        if weighted:
            messages = messages * weight.view(-1, 1)
        index = target.view(-1, 1).expand_as(messages)
        zeros = x.new_zeros(NODES, x.shape[1])
        if reduction == "sum":
            return zeros.scatter_add_(0, index, messages)
        return zeros.scatter_reduce_(0, index, messages, "mean", include_self=False)

    x = torch.randn(NODES, LENGTH, dtype=torch.float64, requires_grad=True)
    weight = torch.rand(EDGES, dtype=torch.float64, requires_grad=True)
    gradient = torch.randn(NODES, LENGTH, dtype=torch.float64)
    run = torch.compile(function, backend=ember_backend, dynamic=True)
    wanted = [x, weight] if weighted else [x]
    found = []
    with listening() as heard:
        for _ in range(3):
            found.append(torch.autograd.grad(run(x, weight), wanted, gradient))
    (report,) = heard.reports
    call = report.compiled[0].call
    assert isinstance(call, AggregationCall)
    # Forwards, and the other way round.
    assert call.by_target is not None
    assert call.by_target._kept[0].grouped is not None
    assert call.by_source is not None
    assert call.by_source._kept[0].grouped is not None
    expected = torch.autograd.grad(function(x, weight), wanted, gradient)
    for one in found:
        torch.testing.assert_close(one, expected)
    for one, other in zip(found[0], found[2], strict=True):
        assert torch.equal(one, other)
    torch.autograd.gradcheck(run, (x, weight), fast_mode=True)


def test_threads_that_call_at_once() -> None:
    graphs = [ends(seed) for seed in range(3)]
    x, call = torch.randn(NODES, LENGTH), call_of("sum")
    expected = [
        torch.zeros(NODES, LENGTH).index_add(0, target, x[source]) for source, target in graphs
    ]
    failures: list[BaseException] = []

    def work(first: int) -> None:
        try:
            for turn in range(60):
                which = (first + turn // 5) % len(graphs)
                result = call(x, *graphs[which], NODES, None)
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
    x, call = torch.randn(NODES, LENGTH), call_of("sum")
    call.raises = False
    made = aggregation.aggregation_kernel

    def kernel(shape: Any, options: Options) -> Any:
        if shape.grouped:
            raise CompileError("there is none")
        return made(shape, options)

    monkeypatch.setattr(aggregation, "aggregation_kernel", kernel)
    first = call(x, source, target, NODES, None)
    for _ in range(3):
        assert torch.equal(call(x, source, target, NODES, None), first)
    assert not call.failed
    call.by_target, call.raises = EdgeMemory(), True
    call(x, source, target, NODES, None)
    with pytest.raises(CompileError, match="there is none"):
        call(x, source, target, NODES, None)


def test_what_is_worth_grouping(monkeypatch: pytest.MonkeyPatch) -> None:
    for number, reduction, length, edges, expected in [
        (2, "sum", 64, 10_000, True),
        (1, "sum", 64, 8_000, False),
        (1, "sum", 64, 10_000, True),
        (1, "sum", 32, 100_000, False),
        (1, "mean", 32, 10_000, True),
        (1, "max", 32, 10_000, True),
        (1, "max", 32, 1_000, False),
        (1, "sum", 64, 100_000, True),
        (2, "sum", 64, 100, False),
        (2, "sum", 1, 10_000_000, False),
    ]:
        monkeypatch.setattr(threads, "get_num_threads", lambda number=number: number)
        assert is_worth_grouping(reduction, length, edges) is expected


def test_more_edges_than_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge_groups, "MOST", EDGES - 1)
    memory = EdgeMemory()
    for _ in range(3):
        assert memory.find(*ends(), NODES) is None


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge_groups, "MOST_EDGES", 2 * EDGES + 1)
    memory = EdgeMemory()
    for seed in range(3):
        assert memory.find(*ends(seed), NODES) is None
    assert len(memory._kept) == 2
    assert memory.find(*ends(2), NODES) is not None
    assert memory.find(*ends(0), NODES) is None
    monkeypatch.setattr(edge_groups, "MOST_EDGES", EDGES - 1)
    for _ in range(3):
        assert memory.find(*ends(2), NODES) is None
