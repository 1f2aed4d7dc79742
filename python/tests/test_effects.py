"""What operations of a graph change, beside what real tensors show; graphs with writes everywhere.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import copy
import operator
import random
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as functional
from captured_graphs import captured
from compiled_models import compiled
from ember.torch.capture.backend import listening
from ember.torch.graph.effects import NONE, OUTSIDE, Memory, changed_by, effect_of
from ember.torch.graph.partition import partition
from ember.torch.settings import KINDS, Settings
from region_cases import (
    BAGS,
    CASES,
    EACH,
    EDGES,
    LENGTH,
    NODES,
    ROWS,
    nothing_is_left,
    numbers,
    values,
)
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import Graph, GraphModule, Node
from torch.fx.experimental.symbolic_shapes import ShapeEnv


@torch.library.custom_op("ember_tests::bump", mutates_args=("target",))
def bump(number: float, source: Tensor, target: Tensor) -> None:
    """Adds a number to the last of its arguments."""
    target.add_(number)


@bump.register_fake
def _(number: float, source: Tensor, target: Tensor) -> None:
    return None


@torch.library.custom_op("ember_tests::bump_all", mutates_args=("targets",))
def bump_all(targets: list[Tensor], number: float) -> None:
    """Adds a number to all tensors of a list."""
    for target in targets:
        target.add_(number)


@bump_all.register_fake
def _(targets: list[Tensor], number: float) -> None:
    return None


def _rows() -> Tensor:
    return torch.arange(1.0, 13).view(3, 4) - 6


def _mask() -> Tensor:
    return torch.tensor([True, False, True])


def _bumped(number: float, source: Tensor, target: Tensor) -> Tensor:
    bump(number, source, target.view(-1))
    return target


Call = tuple[Any, tuple[Any, ...], dict[str, Any]]

# A function, or a method's name, with the arguments of a call.
CALLS: dict[str, Call] = {
    "and": (operator.and_, (_mask(), ~_mask()), {}),
    "or": (operator.or_, (_mask(), ~_mask()), {}),
    "invert": (operator.invert, (_mask(),), {}),
    "add": (torch.add, (_rows(), _rows()), {}),
    "iadd": (operator.iadd, (_rows(), 1), {}),
    "iand": (operator.iand, (_mask(), ~_mask()), {}),
    "setitem": (operator.setitem, (_rows(), slice(0, 2), 9.0), {}),
    "setitem by a mask": (operator.setitem, (_rows(), _mask(), 9.0), {}),
    "a method in place": ("mul_", (_rows(), 3), {}),
    "by an index": ("index_put_", (_rows(), (torch.tensor([0]),), torch.tensor(5.0)), {}),
    "a mask of rows": (operator.getitem, (_rows(), _mask()), {}),
    "zero_": ("zero_", (_rows(),), {}),
    "copy_": ("copy_", (_rows(), _rows() * 2), {}),
    "contiguous": ("contiguous", (_rows(),), {}),
    "relu": (functional.relu, (_rows(),), {}),
    "relu in place": (functional.relu, (_rows(),), {"inplace": True}),
    "relu in place, by its place": (functional.relu, (_rows(), True), {}),
    "relu_": (torch.relu_, (_rows(),), {}),
    "out": (torch.add, (_rows(), 1), {"out": _rows()}),
    "out of two": (torch.max, (_rows(), 1), {"out": (torch.zeros(3), torch.zeros(3).long())}),
    "foreach": (torch._foreach_add_, ([_rows(), _rows()], 1.0), {}),
    "foreach of others": (torch._foreach_add, ([_rows(), _rows()], 1.0), {}),
    "constant_": (torch.nn.init.constant_, (_rows(), 3.0), {}),
    "a function that calls an operator": (_bumped, (1.0, _rows(), _rows()), {}),
    "an operator's packet": (torch.ops.ember_tests.bump, (1.0, _rows(), _rows()), {}),
    "an operator by keywords": (
        torch.ops.ember_tests.bump.default,
        (),
        {"target": _rows(), "source": _rows(), "number": 1.0},
    ),
    "an operator of a list": (
        torch.ops.ember_tests.bump_all.default,
        ([_rows(), _rows()], 1.0),
        {},
    ),
    "a packet of a list": (torch.ops.ember_tests.bump_all, ([_rows(), _rows()], 1.0), {}),
    "an overload": (torch.ops.aten.add_.Tensor, (_rows(), _rows()), {}),
    "batch norm that learns": (
        functional.batch_norm,
        (_rows(), torch.zeros(4), torch.ones(4)),
        {"training": True},
    ),
    "batch norm": (functional.batch_norm, (_rows(), torch.zeros(4), torch.ones(4)), {}),
    "lookups": (functional.embedding, (torch.tensor([0, 2]), _rows()), {}),
    "lookups that change rows": (
        functional.embedding,
        (torch.tensor([0, 2]), _rows()),
        {"max_norm": 0.5},
    ),
    "einsum": (torch.einsum, ("ij,ij->i", _rows(), _rows()), {}),
    "split": (torch.split, (_rows(), 2), {}),
}


def _with_node(call: Call) -> tuple[GraphModule, Node]:
    """A graph of one call, of tensors that are its inputs, with examples without data."""
    target, arguments, keywords = call
    graph, mode = Graph(), FakeTensorMode(shape_env=ShapeEnv(), static_shapes=True)

    def placed(value: Any) -> Any:
        if isinstance(value, Tensor):
            node = graph.placeholder(f"input_{len(graph.nodes)}")
            node.meta["example_value"] = mode.from_tensor(value.clone())
            return node
        if isinstance(value, list | tuple):
            return type(value)(map(placed, value))
        return value

    args = tuple(map(placed, arguments))
    kwargs = {name: placed(value) for name, value in keywords.items()}
    kind = graph.call_method if isinstance(target, str) else graph.call_function
    node = kind(target, args, kwargs)
    graph.output(None)
    return GraphModule(torch.nn.Module(), graph), node


@pytest.mark.parametrize("name", CALLS)
def test_what_is_changed_is_what_real_tensors_show(name: str) -> None:
    module, node = _with_node(CALLS[name])
    given: list[Tensor] = []

    def tensors(value: Any) -> None:
        if isinstance(value, Tensor):
            given.append(value.clone())
        elif isinstance(value, list | tuple):
            for one in value:
                tensors(one)

    _, arguments, keywords = CALLS[name]
    tensors(arguments)
    tensors(tuple(keywords.values()))
    before = [one.clone() for one in given]
    module(*given)
    inputs = [one for one in module.graph.nodes if one.op == "placeholder"]
    shown = {
        placeholder
        for placeholder, tensor, old in zip(inputs, given, before, strict=True)
        if not torch.equal(tensor, old)
    }
    assert set(changed_by(node)) == shown, effect_of(node)
    assert effect_of(node).is_known


def test_what_is_random_is_not_pure() -> None:
    for target, arguments in (
        (functional.dropout, (_rows(), 0.5)),
        (torch.rand_like, (_rows(),)),
        ("bernoulli_", (_rows(), 0.5)),
        (torch.randn, (3,)),
        (torch.ops.aten.rand.default, ([3],)),
    ):
        _, node = _with_node((target, arguments, {}))
        assert effect_of(node).is_random
        assert not effect_of(node).is_pure
    _, node = _with_node((torch.zeros, (3,), {}))
    assert effect_of(node).is_pure


def _of_a_user(x: Tensor) -> Tensor:
    _hidden.add_(x.sum())
    return x


_hidden = torch.zeros(())


def test_what_is_not_known_may_change_anything() -> None:
    for target, arguments in (
        (torch._C._set_grad_enabled, (False,)),
        (torch.manual_seed, (3,)),
        (_of_a_user, (_rows(),)),
        # It raises, whatever it would have done.
        (torch.add, (_rows(), torch.zeros(5))),
    ):
        _, node = _with_node((target, arguments, {}))
        effect = effect_of(node)
        assert not effect.is_known or effect == NONE
        assert not effect.is_pure or target is torch.add


def test_memory_of_views_and_of_what_is_new() -> None:
    def function(x: Tensor, mask: Tensor) -> tuple[Tensor, ...]:
        h = x.new_zeros(6, 4)
        first, second = h.split(3)
        return h, first.T, second.reshape(-1), h.clone(), x.detach(), h[mask], x.T.contiguous()

    graph = captured(function, _rows(), torch.ones(6, dtype=torch.bool)).module.graph
    memory = Memory(graph)
    (output,) = graph.find_nodes(op="output")
    h, first, second, cloned, detached, selected, copied = map(memory.of, output.args[0])
    assert h == first == second != cloned
    assert detached == {OUTSIDE} != copied
    assert len({h, cloned, selected, copied}) == 4


class _Views(torch.nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        h = x.new_zeros(6, 4)
        return h, h.split(3)[0].T, h.clone(), x.detach()


def test_memory_in_a_program_that_was_stored(tmp_path: Any) -> None:
    torch.export.save(torch.export.export(_Views(), (_rows(),)), tmp_path / "views.pt2")
    graph = torch.export.load(tmp_path / "views.pt2").module().graph
    memory = Memory(graph)
    (output,) = graph.find_nodes(op="output")
    h, view, cloned, detached = map(memory.of, torch.utils._pytree.tree_leaves(output.args[0]))
    assert h <= view
    assert not h & cloned
    assert OUTSIDE in detached
    assert OUTSIDE not in view


def _mean(x: Tensor, source: Tensor, target: Tensor) -> Tensor:
    sums = torch.zeros(NODES, LENGTH).index_add(0, target, x[source])
    count = torch.zeros(NODES).index_add(0, target, torch.ones(EDGES))
    return sums / count.clamp(min=1).view(-1, 1)


def _layer(x: Tensor, source: Tensor, target: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    sums = torch.zeros(NODES, LENGTH).index_add(0, target, x[source])
    return functional.linear(sums + 1.5 * x, weight, bias)


def _second_order(table: Tensor, index: Tensor) -> Tensor:
    rows = table[index]
    total = rows.sum(1)
    return (total * total - (rows * rows).sum(1)).sum(1)


def _masked(ids: Tensor, table: Tensor) -> Tensor:
    keep = (ids != 0) & (torch.arange(ids.shape[1])[None] < 2)
    return (functional.embedding(ids, table) * keep.unsqueeze(-1)).sum(1)


def _quantised(rows: Tensor, ids: Tensor, offsets: Tensor) -> Tensor:
    operator = torch.ops.quantized.embedding_bag_byte_rowwise_offsets
    result: Tensor = operator(rows, ids, offsets, include_last_offset=True)
    return result


def _edges_of(*others: Tensor) -> tuple[Tensor, ...]:
    x = values(NODES, LENGTH, dtype=torch.float32)
    return x, numbers(NODES, EDGES), numbers(NODES, EDGES, seed=1), *others


_TABLE = values(ROWS, LENGTH, dtype=torch.float32)
GRAPHS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    **{case.name: (case.function, case.arguments(torch.float32)) for case in CASES},
    "mean by counts": (_mean, _edges_of()),
    "layer of sums": (_layer, _edges_of(torch.rand(2, LENGTH), torch.rand(2))),
    "second order": (_second_order, (_TABLE, numbers(ROWS, BAGS, EACH))),
    "masks in parts": (_masked, (numbers(ROWS, BAGS, EACH), _TABLE)),
    "quantised bag": (
        _quantised,
        (
            torch.ops.quantized.embedding_bag_byte_prepack(_TABLE),
            numbers(ROWS, BAGS),
            torch.tensor([0, 3, 3, 5]),
        ),
    ),
}


def _changes(node: Node) -> list[tuple[str, Callable[[Graph], Any]]]:
    """Ways to write to what a node yields, put behind it."""
    value = node.meta.get("example_value")
    if not isinstance(value, Tensor) or not value.dim():
        return []
    number: Any = True if value.dtype == torch.bool else 1
    ways: list[tuple[str, Callable[[Graph], Any]]] = [
        (
            "setitem",
            lambda graph: graph.call_function(operator.setitem, (node, slice(0, 2), number)),
        )
    ]
    if value.is_floating_point():
        bumped = torch.ops.ember_tests.bump
        ways += [
            ("foreach", lambda graph: graph.call_function(torch._foreach_add_, ([node], 1.0))),
            ("operator", lambda graph: graph.call_function(bumped, (1.0, node, node))),
            ("alias", lambda graph: _through_a_view(graph, node)),
        ]
    return ways


def _through_a_view(graph: Graph, node: Node) -> Node:
    """Adds 1 to a node's tensor through another one in its memory."""
    view = graph.call_method("detach", (node,))
    with node.meta["example_value"].fake_mode, torch.no_grad():
        view.meta["example_value"] = node.meta["example_value"].detach()
    changed = graph.call_method("add_", (view, 1.0))
    changed.meta["example_value"] = view.meta["example_value"]
    return changed


@pytest.mark.parametrize("kind", GRAPHS)
def test_a_graph_that_is_written_to_after_every_node(kind: str) -> None:
    """At every place, the newest tensor and one drawn of all so far, inputs too, are written to."""
    function, arguments = GRAPHS[kind]
    draw, original = random.Random(kind), captured(function, *arguments)
    names = [node.name for node in original.module.graph.nodes if node.op != "output"]
    first = len(original.module.graph.find_nodes(op="placeholder"))
    injected = 0
    for place in range(first, len(names)):
        for target in {names[place], names[draw.randrange(place)]}:
            written = copy.deepcopy(original.module)
            nodes = {node.name: node for node in written.graph.nodes}
            ways = _changes(nodes[target])
            if not ways:
                continue
            name, change = draw.choice(ways)
            # Several nodes are put one behind the other.
            change(_InOrder(written.graph, nodes[names[place]]))  # type: ignore[arg-type]
            written.recompile()
            ours = copy.deepcopy(written)
            try:
                expected = written(*original.copies())
            except (RuntimeError, IndexError):
                continue  # writes to expanded tensors, lookups of what is not there
            injected += 1
            with nothing_is_left():
                report = partition(ours, Settings(raises=True))
                found = ours(*original.copies())
            parts = [part.title for part in report.compiled]
            torch.testing.assert_close(
                found,
                expected,
                rtol=1e-4,
                atol=1e-4,
                equal_nan=True,
                msg=lambda text, what=(name, target, names[place], parts): f"{what}: {text}",
            )
    assert injected


class _InOrder:
    """A graph's calls, each put behind the one before it."""

    def __init__(self, graph: Graph, after: Node) -> None:
        self.graph, self.after = graph, after

    def _put(self, kind: str, target: Any, arguments: tuple[Any, ...]) -> Node:
        with self.graph.inserting_after(self.after):
            self.after = getattr(self.graph, kind)(target, arguments)
        return self.after

    def call_function(self, target: Any, arguments: tuple[Any, ...]) -> Node:
        """A call of a function."""
        return self._put("call_function", target, arguments)

    def call_method(self, target: str, arguments: tuple[Any, ...]) -> Node:
        """A call of a method."""
        return self._put("call_method", target, arguments)


def test_each_kind_has_its_kernel() -> None:
    """What is written to above is computed by kernels otherwise, of all kinds that graphs have."""
    kinds = set()
    for name, (function, arguments) in GRAPHS.items():
        graph = captured(function, *arguments)
        expected = graph.module(*graph.copies())
        with nothing_is_left():
            parts = partition(graph.module, Settings(raises=True)).compiled
            found = graph.module(*graph.copies())
        assert parts, name
        kinds |= {part.kind for part in parts}
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4, equal_nan=True)
    # Products with sparse matrices are in no graph.
    assert kinds == {*KINDS} - {"sparse_product"}


def test_what_a_gradient_reads_is_not_changed_behind_it() -> None:
    """PyTorch keeps copies of looked-up rows, a kernel reads the table for its gradient."""

    def weighted(x: Tensor, s: Tensor, t: Tensor, w: Tensor) -> Tensor:
        sums = torch.zeros_like(x).index_add(0, t, w.view(-1, 1) * x[s])
        x.mul_(2)
        return sums

    def plain(x: Tensor, s: Tensor, t: Tensor, w: Tensor) -> Tensor:
        h = x * w[:1]
        sums = torch.zeros_like(x).index_add(0, t, h[s])
        return sums + functional.relu(h, inplace=True)

    x, source, target, weight = GRAPHS["aggregation weighted"][1]
    for function, kernels in ((weighted, 0), (plain, 1)):
        gradients = []
        for run in (function, compiled(function)):
            torch._dynamo.reset()
            given = weight.clone().requires_grad_()
            with listening() as heard:
                run(x.clone(), source, target, given).square().sum().backward()
            gradients.append(given.grad)
        torch.testing.assert_close(*gradients, rtol=1e-4, atol=1e-4)
        assert sum(len(report.compiled) for report in heard.reports) == kernels
        if not kernels:
            ((left,),) = (report.left for report in heard.reports)
            assert "its gradient would read x, which mul_ changes" in left.reason
