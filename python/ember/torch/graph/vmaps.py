"""Parts of graphs within torch.vmap, as the operators on whole batches that PyTorch makes of them.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import torch
from torch.fx import Graph, Node

from ember.torch.capture import private
from ember.torch.graph.effects import effect_of, example_of
from ember.torch.graph.linear_before_sum import call_like
from ember.torch.graph.operations import called_name, same_number, tensor_of, value_of
from ember.torch.graph.recorder import Recorder
from ember.torch.graph.trace import called, say_untraced

_BEGIN, _END = "_vmap_increment_nesting", "_vmap_decrement_nesting"
# What a batch is made of, and is again; what is loaded once for any of them.
_MAKES, _SHOWS, _LOADS = "_add_batch_dim", "_remove_batch_dim", "lazy_load_decompositions"


def fold_vmaps(graph: Graph) -> None:
    """Puts operators that change nothing, and give the same each time, in the place of what is
    within a vmap: those that run there."""
    for section in _sections(list(graph.nodes)):
        _fold(graph, section)
    nodes = list(graph.nodes)
    if not any(called_name(node) == _BEGIN for node in nodes):
        for node in nodes:
            if called_name(node) == _LOADS and not node.users:
                graph.erase_node(node)


def _sections(nodes: Sequence[Node]) -> Iterator[list[Node]]:
    """What is within each vmap that is in no other, with its begin and end."""
    section: list[Node] = []
    depth = 0
    for node in nodes:
        depth += called_name(node) == _BEGIN
        if depth:
            section.append(node)
        if called_name(node) == _END:
            depth -= 1
            if not depth:
                yield section
                section = []


def _fold(graph: Graph, section: Sequence[Node]) -> None:
    own = set(section)
    inputs = sorted({one for node in section for one in node.all_input_nodes} - own)
    results = [node for node in section if any(user not in own for user in node.users)]
    if any(called_name(one) != _SHOWS for one in results) or not all(map(_is_of_vmap, section)):
        return
    try:
        recorded = _recorded(section, inputs, results)
    except Exception as error:
        say_untraced(section[0], error)
        return
    nodes = list(recorded.nodes)
    for node in nodes:
        _show_instead(node)
    if any(node.op == "get_attr" or not effect_of(node).is_pure for node in nodes):
        return
    recorded.eliminate_dead_code()
    nodes = list(recorded.nodes)
    made = dict(zip(recorded.find_nodes(op="placeholder"), inputs, strict=True))
    with graph.inserting_before(section[0]):
        for node in nodes:
            if node.op == "call_function":
                given = torch.fx.node.map_arg((node.args, node.kwargs), made.__getitem__)
                if node.target is torch.ops.aten.sym_size.int:
                    given = _of_input(graph, value_of(node)) or given[0], {}
                made[node] = call_like(graph, results[0], node.target, *given)
    replaced: Iterable[Node] = section
    values: Any = recorded.output_node().args[0]
    found = [made[one] for one in values]
    if all(map(_have_same_gradient, results, found)):
        for result, value in zip(results, found, strict=True):
            result.replace_all_uses_with(value)
    else:
        replaced = [made[node] for node in nodes if node.op == "call_function"]
    for node in reversed(list(replaced)):
        graph.erase_node(node)


def _of_input(graph: Graph, size: Any) -> tuple[Node, int] | None:
    """A tensor that the graph is given, and which of its dimensions has a size: so that no rows are
    made to be asked for it."""
    for node in graph.find_nodes(op="placeholder"):
        tensor = tensor_of(node)
        for dimension, own in enumerate(() if tensor is None else tensor.shape):
            if same_number(own, size):
                return node, dimension
    return None


def _is_of_vmap(node: Node) -> bool:
    """Whether a node makes batches, or computes with them; nothing else is switched."""
    return called_name(node) in (_BEGIN, _END, _LOADS) or (
        tensor_of(node) is not None and called_name(node) != "detach"
    )


def _recorded(section: Sequence[Node], inputs: Sequence[Node], results: Sequence[Node]) -> Graph:
    """The operators that run within a vmap, those of which results are made."""
    recorder = Recorder({})
    depth = 0
    with private.running_operators([example_of(one) for one in inputs], False) as values:
        for one, value in zip(inputs, values, strict=True):
            recorder.input(one.name, value)
        found = dict(zip(inputs, values, strict=True))
        try:
            with recorder:
                for node in section:
                    found[node] = called(node, found)
                    depth += (called_name(node) == _BEGIN) - (called_name(node) == _END)
        finally:
            for _ in range(depth):
                section[-1].target()  # type: ignore[operator]
        recorder.output(tuple(found[one] for one in results))
    return recorder.graph


def _show_instead(node: Node) -> None:
    """Lets an operator that gives a tensor another shape show it so, if nothing else reads it."""
    target = node.target
    if not isinstance(target, private.OpOverload) or torch.Tag.inplace_view not in target.tags:
        return
    shown = getattr(torch.ops.aten, target._schema.name.removeprefix("aten::").removesuffix("_"))
    if len(node.all_input_nodes[0].users) == 1 and target._overloadname in shown.overloads():
        node.target = getattr(shown, target._overloadname)


def _have_same_gradient(one: Node, other: Node) -> bool:
    pair = [tensor_of(one), tensor_of(other)]
    return len({tensor is not None and tensor.requires_grad for tensor in pair}) == 1
