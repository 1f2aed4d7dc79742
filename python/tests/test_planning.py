"""How graphs are read before kernels are found: which operators run, and what is asked once.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from captured_graphs import captured
from ember.torch.graph import discovery, trace
from ember.torch.graph.decompositions import decompositions
from ember.torch.graph.partition import partition
from ember.torch.settings import Settings
from test_translate import calls_of, names
from torch import Tensor
from torch.fx import Graph
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn import functional


def operators(graph: Graph) -> Iterator[str]:
    """ATen's operators of a graph, but those that sizes and one of several results come from."""
    for node in graph.nodes:
        if node.op == "call_function" and getattr(node.target, "namespace", "") == "aten":
            name = str(node.target).removeprefix("aten.")
            if not name.startswith("sym_"):
                yield name


def recorded(call: Callable[..., Any], tensors: list[Tensor]) -> Graph:
    """What the recorder notes of a call."""
    graph = Graph()
    inputs = [graph.placeholder(f"input{place}") for place in range(len(tensors))]
    for node, tensor in zip(inputs, tensors, strict=True):
        node.meta["val"] = tensor
    root = graph.call_function(call, tuple(inputs))
    return trace.trace(root, [root], inputs).graph


@pytest.mark.filterwarnings("ignore:index_reduce.. is in beta")
@pytest.mark.filterwarnings("ignore:The reduce argument of torch.scatter")
@pytest.mark.parametrize("name", names())
def test_operators_are_those_that_pytorch_traces(name: str) -> None:
    """Graphs of ATen's operators, by samples of each that is translated, equal make_fx's."""
    for number, (call, tensors) in enumerate(calls_of(name)):
        if number == 6:
            break
        traced = make_fx(call, decompositions(), tracing_mode="fake")
        with torch.no_grad():
            try:
                expected = list(operators(traced(*tensors).graph))
            except RuntimeError:
                # Sizes depend on elements.
                continue
        assert list(operators(recorded(call, tensors))) == expected


def test_new_tensors_are_those_that_pytorch_traces() -> None:
    """No operator detaches them."""

    def compute(rows: Tensor, at: Tensor) -> Tensor:
        sums = torch.zeros(5, 3).index_add(0, at, rows) + torch.ones_like(rows).sum()
        return sums * rows.new_full((5, 1), 2.0)

    tensors = [torch.rand(4, 3), torch.tensor([1, 2, 3, 0])]
    with torch.no_grad():
        expected = make_fx(compute, decompositions(), tracing_mode="fake")(*tensors).graph
    assert list(operators(recorded(compute, tensors))) == list(operators(expected))


def test_sizes_are_nodes_where_an_operator_is_given_them() -> None:
    """Symbolic sizes, products of them, and numbers that elements decide are computed of inputs."""
    graphs: list[Graph] = []

    def compute(rows: Tensor, at: Tensor) -> Tensor:
        twice = torch.cat([rows, rows])
        few = rows[at].view(at.shape[0] * 2, -1) + twice.view(rows.shape[0], -1)[:1, :3]
        flat = few.expand(3, few.shape[0], few.shape[1]).reshape(-1)
        return flat.new_zeros(flat.shape[0] + at.shape[0]).narrow(0, 0, flat.shape[0]) + flat

    def backend(module: torch.fx.GraphModule, _: Any) -> Callable[..., Any]:
        nodes = [node for node in module.graph.nodes if node.op.startswith("call")]
        read = {one for node in nodes for one in node.all_input_nodes if one not in nodes}
        (root,) = module.graph.output_node().all_input_nodes
        graphs.append(trace.trace(root, nodes, sorted(read)).graph)
        return module.forward

    rows, at = torch.rand(9, 6), torch.tensor([3, 1, 4, 1])
    expected = compute(rows, at)
    torch.compiler.reset()
    found = torch.compile(compute, backend=backend, dynamic=True)(rows, at)
    torch.testing.assert_close(found, expected)
    (graph,) = graphs
    given = {"rows": rows, "at": at}
    values = []
    for node in graph.find_nodes(op="placeholder"):
        example = node.meta["val"]
        tensor = next((one for key, one in given.items() if f"l_{key}_" in str(node).lower()), None)
        values.append(int(example) if tensor is None else tensor)
    run = torch.fx.Interpreter(torch.fx.GraphModule(torch.nn.Module(), graph)).run
    torch.testing.assert_close(run(*values), expected)
    sizes = [node for node in graph.nodes if "sym_" in str(node.target)]
    assert all(size.users for size in sizes)


def layer(x: Tensor, source: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    """A sum over edges of weighted rows."""
    rows = x @ weight
    sums = torch.zeros_like(rows).index_add(0, target, rows[source] * 0.5 * rows[target])
    return functional.elu(sums)


def planned(
    function: Callable[..., Tensor], *arguments: Tensor, monkeypatch: pytest.MonkeyPatch
) -> tuple[int, int, int]:
    """How many kernels are found for a function, how many parts of its graph are recorded for that,
    and how many of its nodes are asked for statements."""
    module = captured(function, *arguments).module
    recordings, asked = [], []
    operators_of, text_of = trace._operators, discovery.text_of_operation

    def record(*given: Any) -> Any:
        recordings.append(given)
        return operators_of(*given)

    def ask(node: Any) -> str | None:
        asked.append(node)
        return text_of(node)

    with monkeypatch.context() as changed:
        changed.setattr(trace, "_operators", record)
        changed.setattr(discovery, "text_of_operation", ask)
        report = partition(module, Settings.of(None))
    return len(report.compiled), len(recordings), len(asked)


@pytest.fixture
def graph_of_edges() -> tuple[Tensor, ...]:
    ends = torch.randint(20, (2, 100))
    return torch.rand(20, 8), ends[0], ends[1], torch.rand(8, 8)


def test_parts_that_are_alike_are_recorded_once(
    graph_of_edges: tuple[Tensor, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def layers(count: int) -> Callable[..., Tensor]:
        def compute(x: Tensor, *others: Tensor) -> Tensor:
            for _ in range(count):
                x = layer(x, *others)
            return x

        return compute

    kernels, few, _ = planned(layers(2), *graph_of_edges, monkeypatch=monkeypatch)
    more_kernels, many, _ = planned(layers(12), *graph_of_edges, monkeypatch=monkeypatch)
    assert (kernels, more_kernels) == (2, 12)
    assert many <= few


def test_nodes_are_asked_a_few_times_each(
    graph_of_edges: tuple[Tensor, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in a long network, of which each node would be reached from all behind it."""
    blocks = 60

    def network(x: Tensor, source: Tensor, target: Tensor, weight: Tensor) -> Tensor:
        for _ in range(blocks):
            x = functional.relu(x @ weight) * 0.5 + x
        return (x[source] * x[target]).sum(1)

    kernels, _, asked = planned(network, *graph_of_edges, monkeypatch=monkeypatch)
    assert kernels == 1
    assert asked <= 3 * (4 * blocks + 4)
