"""Whether a part of an FX graph may be computed later than where its operations stand.

A kernel stands where the last operation of its region does, and reads what all of them read. That
is the same only if nothing between changes what they read or what they make, or how PyTorch
computes, and if nobody sees what they change on the way.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import operator
from collections.abc import Collection, Iterable
from typing import Any

from torch import Tensor
from torch.fx import Graph, Node

from ember.torch.graph.effects import OUTSIDE, Memory, changed_by, effect_of, storages_of
from ember.torch.graph.operations import same_number, tensor_of
from ember.torch.graph.remembered import forget


def _written(tensor: Tensor, index: Any, elements: Any) -> Tensor:
    """operator.setitem, which returns nothing."""
    tensor[index] = elements
    return tensor


def drop_results(graph: Graph) -> None:
    """Makes what is written by an index what the program says again."""
    for node in graph.find_nodes(op="call_function", target=_written):
        node.replace_all_uses_with(node.args[0])
        node.target, node.meta["example_value"] = operator.setitem, None


def use_results(graph: Graph) -> None:
    """Makes later uses of a tensor that an operation changes and returns uses of what it returns.

    The two are one tensor. Afterwards an operand is what its node computes, unless another view of
    its memory is changed.
    """
    for node in graph.find_nodes(op="call_function", target=operator.setitem):
        if tensor_of(node.args[0]) is not None:
            node.target, node.meta["example_value"] = _written, tensor_of(node.args[0])
    forget()
    memory = Memory(graph)
    for node in graph.nodes:
        same = [source for source in node.all_input_nodes if _is_same(memory, source, node)]
        # Most operations return something new: what they change need not be asked then.
        changed = changed_by(node) if same else []
        for source in same:
            if source in changed:
                _use_after(source, node)


def _is_same(memory: Memory, source: Node, result: Node) -> bool:
    """Whether two nodes yield the same elements of the same memory."""
    before, after = tensor_of(source), tensor_of(result)
    if before is None or after is None or memory.of(source) != memory.of(result):
        return False
    return _lie_alike(before, after)


def _use_after(changed: Node, node: Node) -> None:
    """Makes the uses of a tensor that come after a node uses of the node."""
    changed.replace_all_uses_with(node, delete_user_cb=lambda user: user > node)
    forget()


def _lie_alike(lhs: Tensor, rhs: Tensor) -> bool:
    """Whether two tensors in the same memory are the same elements of it."""
    if lhs.dim() != rhs.dim() or lhs.dtype is not rhs.dtype:
        return False
    sizes = zip((*lhs.shape, *lhs.stride()), (*rhs.shape, *rhs.stride()), strict=True)
    return all(same_number(*both) for both in sizes) and same_number(
        lhs.storage_offset(), rhs.storage_offset()
    )


def may_change_between(values: Iterable[Node], first: Node, last: Node) -> bool:
    """Whether what stands between two nodes may change values in place."""
    memory = Memory(first.graph)
    places, node = memory.of_all(values), first.next
    while node is not last:
        if not effect_of(node).is_known or memory.changed_by(node) & places:
            return True
        node = node.next
    return False


def changed_behind(memory: Memory, last: Node, nodes: Iterable[Node]) -> dict[Node, Node]:
    """Those of the nodes whose own memory is changed behind `last`, and what changes it.

    Two inputs of the graph that share memory unknown to it count as apart.
    """
    pending = {node: places for node in nodes if (places := storages_of(node))}
    changers: dict[Node, Node] = {}
    for node, written in memory.writers if pending else ():
        if node > last:
            for changed in [read for read, places in pending.items() if places & written]:
                changers[changed] = node
                del pending[changed]
    return changers


def why_not_movable(
    own: Collection[Node],
    last: Node,
    inputs: Iterable[Node],
    others: Iterable[Node] = (),
    kept: Iterable[Node] = (),
    memory: Memory | None = None,
) -> str:
    """Why a region may not be computed where its last operation stands; empty if it may.

    own: the region's nodes. inputs: what it is computed from instead. others: what else its nodes
    read, and a pattern has looked at. kept: the inputs that are changed where the last operation
    did so. memory: that of the graph, if it is known already.
    """
    memory = memory or Memory(last.graph)
    inputs = set(inputs)
    seen = {node for node in others if OUTSIDE not in memory.of(node)}
    return _why_not_later(memory, own, last, inputs, seen) or _why_visible(
        memory, own, last, memory.of_all(kept)
    )


def _why_not_later(
    memory: Memory, own: Collection[Node], last: Node, inputs: Collection[Node], seen: set[Node]
) -> str:
    """Why what the region reads and makes may be another value at its end."""
    # What patterns have seen is taken for what made it.
    made = memory.of_all((*seen, *own)) - memory.of_all(inputs) - {OUTSIDE}
    begin = min((*own, *seen))
    relied = memory.of_all(node for node in inputs if node < begin)
    node = begin
    while node is not last:
        if node in own:
            relied |= memory.of_all((node, *node.all_input_nodes))
            node = node.next
            continue
        if not effect_of(node).is_known:
            return (
                f"{node.name}, between its operations, may change tensors, or switch gradients or "
                "autocast"
            )
        if memory.changed_by(node) & (made | relied):
            return f"{node.name} changes a tensor in place between its operations"
        if node in inputs:
            relied |= memory.of(node)
        node = node.next
    return ""


def _why_visible(memory: Memory, own: Collection[Node], last: Node, kept: frozenset[int]) -> str:
    """Why something outside of the region sees what its operations change, or shares its result."""
    result = memory.of(last) - kept
    writers = [(node, memory.changed_by(node) - kept) for node in sorted(own)]
    first = {place: node for node, places in reversed(writers) for place in places}
    if OUTSIDE in result or OUTSIDE in first:
        return "it changes one of the graph's inputs in place, or returns it"
    for node in memory.sharing(result | first.keys()):
        if node >= last:
            break
        shared = memory.of(node) & (result | first.keys())
        after = min((first.get(place, last) for place in shared), default=last)
        for user in node.users:
            if user not in own and user > after:
                return f"{user.name} reads memory that its operations change or return"
    return ""
