"""A part of an FX graph that one kernel computes: what it reads, and how it is put in place.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.fx import Node

from ember.torch.calls.region_call import ReferenceGraph, RegionCall
from ember.torch.gradients.differentiable import Reference
from ember.torch.graph.effects import effect_of, held
from ember.torch.graph.operations import asks_for_sizes, likely_sizes, read, value_of


class NoMatchError(Exception):
    """The reason, in words: it stands behind the operation's name in reports."""


class AsFastError(NoMatchError):
    """PyTorch is as fast: it says little beside why something larger, around it, has no kernel."""


@dataclass
class Region:
    """Nodes of a graph with one result.

    kind: what it is, in a word. root: its last node. nodes: those that the kernel makes needless,
    root included. inputs: nodes and numbers that the kernel is called with. make: makes the
    replacement, which is called with the inputs and whatever else the reference reads. title: one
    line for reports. names: what a user calls the inputs that errors name. shared: those of the
    nodes that other regions may compute, too, each for itself.
    """

    kind: str
    root: Node
    nodes: set[Node]
    inputs: tuple[Any, ...]
    make: Callable[[Reference], RegionCall]
    title: str
    names: Mapping[str, str] = field(default_factory=dict)
    shared: frozenset[Node] = frozenset()
    changes: tuple[Node, ...] = ()

    def __post_init__(self) -> None:
        self.nodes = closure(self.root, self.nodes, self._input_nodes())

    def _input_nodes(self) -> list[Node]:
        return [value for value in self.inputs if isinstance(value, Node)]

    def others(self) -> list[Node]:
        """What the nodes read that is neither theirs nor an input: sizes, mostly."""
        known = {*self.nodes, *self._input_nodes()}
        found = {
            needed for node in self.nodes for needed in node.all_input_nodes if needed not in known
        }
        return sorted(found)


def closure(root: Node, nodes: set[Node], inputs: Iterable[Node]) -> set[Node]:
    """The nodes, and those that stand between them: they need one, and the root needs them."""
    needed, pending = set(inputs), [root]
    between: list[Node] = []
    while pending:
        node = pending.pop()
        if node not in needed:
            needed.add(node)
            between.append(node)
            pending += node.all_input_nodes
    inside: set[Node] = set()
    for node in sorted(between):
        if node in nodes or any(source in inside for source in node.all_input_nodes):
            inside.add(node)
    return inside


def reference_of(region: Region) -> ReferenceGraph:
    """PyTorch's own computation of a region: a function of its inputs, then of its others."""
    return ReferenceGraph((*region.inputs, *region.others()), sorted(region.nodes))


def likely_arguments(region: Region) -> list[Any]:
    """Tensors without data, and numbers, like those of the call that a graph is captured for."""

    def likely(value: Any) -> Any:
        example = value_of(value)
        if isinstance(example, torch.SymInt):
            return likely_sizes([example])[0]
        # Jagged tensors have sizes that are none, and no statements.
        if not isinstance(example, Tensor) or example.is_nested:
            return example
        sizes = likely_sizes(example.shape)
        found = torch.empty(sizes, dtype=example.dtype, device="meta")
        return found.requires_grad_(example.requires_grad)

    return [likely(value) for value in region.inputs]


def replace(region: Region, name: str) -> RegionCall:
    """Puts the region's replacement, called `name`, in the place of its root, and returns it.

    Nodes that nobody needs any more are erased.
    """
    call = region.make(reference_of(region))
    call.names = region.names
    call.unread = _with_gradient(region)
    call.outlines = frozenset(
        place
        for place, node in enumerate(region.others(), start=len(region.inputs))
        if asks_for_sizes(node, region.nodes & node.users.keys())
    )
    # What FX asks of functions in graphs.
    call.__name__ = call.__qualname__ = name
    graph = region.root.graph
    with graph.inserting_before(region.root):
        node = graph.call_function(call, (*region.inputs, *region.others()))
    node.meta.update(region.root.meta)
    region.root.replace_all_uses_with(node)
    erase_unused(region.nodes)
    return call


def _with_gradient(region: Region) -> frozenset[int]:
    """Where among its arguments are those of the others that gradients come to."""
    passing: set[Node] = set()
    for node in sorted(region.nodes, reverse=True):
        is_passed = node is region.root or any(user in passing for user in node.users)
        if is_passed and any(one.requires_grad for one in held(node)):
            passing.add(node)
    return frozenset(
        place
        for place, node in enumerate(region.others(), start=len(region.inputs))
        if (readers := passing & node.users.keys()) and not asks_for_sizes(node, readers)
    )


def erase_unused(nodes: set[Node]) -> None:
    """Erases those of the nodes that have no users, then what only they needed."""
    pending = sorted(nodes)
    while pending:
        node = pending.pop()
        if node.users or node._erased:
            continue
        needed = node.all_input_nodes
        node.graph.erase_node(node)
        pending += [source for source in needed if source in nodes or _is_without_effect(source)]


def _is_without_effect(node: Node) -> bool:
    """Whether a node only reads what another yields, so that it goes when nobody needs it."""
    if node.op not in ("call_method", "call_function") or not effect_of(node).is_pure:
        return False
    return node.target is torch.Size or read(node) is not None
