"""Finds the largest part of a graph that ends in a node and has statements.

It has what looks elements up, or combines them at places, and what only that needs.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import logging
import operator
from collections.abc import Collection
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import torch
from torch import Tensor
from torch.fx import Graph, Node

from ember.torch.effects import changed_by, effect_of, example_of
from ember.torch.element_types import INDEX_TYPES
from ember.torch.graph.irregular import (
    is_along,
    is_irregular,
    lengths_of_scatters,
    looked_up_in,
    scattered_by,
)
from ember.torch.graph.trace import trace
from ember.torch.no_match import NoMatchError
from ember.torch.operations import VIEWS, read, tensor_of
from ember.torch.translate.statements import Statements
from ember.torch.translate.translation import Untranslated, is_translated, translation_of

# A longer expression is no embedding operation any more.
MOST_NODES = 200
# Operations that make tensors of one number.
_CONSTANTS = frozenset(
    f"{prefix}{name}{suffix}"
    for name in ("zeros", "ones", "full")
    for prefix, suffix in (("", ""), ("new_", ""), ("", "_like"))
)
# Those that give a tensor the sizes of another one.
_LIKE_OTHERS = ("expand_as", "reshape_as", "view_as")
_log = logging.getLogger(__name__)
# By graphs, whether operations of a kind have statements.
_translatable: WeakKeyDictionary[Graph, dict[str, bool]] = WeakKeyDictionary()


@dataclass(frozen=True)
class Found:
    """Nodes with irregular ones among them, what these read, and what they compute.

    changed: the tensor that the last one changes, and returns, if it is none of them.
    """

    nodes: set[Node]
    irregular: list[Node]
    read: list[Node]
    statements: Statements
    changed: Node | None = None

    @property
    def tables(self) -> list[Node]:
        """What is looked up in, by each lookup in order."""
        return [one for one in map(looked_up_in, self.irregular) if one is not None]


def find(root: Node, with_places: bool, says_why: bool = False) -> Found | None:
    """The largest part of a graph that ends in `root` and has statements.

    with_places: operations that compute where it looks up are parts of it. says_why: raises
    NoMatchError where there would be one, but that something else needs what is within.
    """
    blocked: set[Node] = set()
    while True:
        reached = _reached(root, blocked)
        if not any(map(is_irregular, reached)):
            return None
        nodes = _own(root, reached, with_places)
        if not any(map(is_irregular, nodes)):
            shared = _shared(root, reached)
            if says_why and shared and isinstance(_translated(root, reached), Statements):
                raise NoMatchError(f"{shared[0].name}, a part of it, has other uses")
            return None
        writers = _writers_elsewhere(nodes)
        changed = _changed_by_scatter(root) if root in writers else None
        if root in writers and changed is None:
            return None
        if writers - {root}:
            blocked |= writers - {root}
            continue
        translation = _translated(root, nodes, changed)
        if isinstance(translation, Statements):
            irregular = sorted(filter(is_irregular, nodes))
            return Found(nodes, irregular, _read_by(nodes), translation, changed)
        if not translation.nodes or root in translation.nodes:
            return None
        blocked |= translation.nodes


def why_not_alone(node: Node) -> str:
    """Why there are no statements of an operation by itself."""
    translation = _translated(node, [node])
    reason = translation.reason if isinstance(translation, Untranslated) else ""
    return reason or "it has no statement in index notation"


def _writers_elsewhere(nodes: Collection[Node]) -> set[Node]:
    """Those that change other tensors than new ones that the nodes make."""
    return {
        node for node in nodes if any(one not in nodes or is_view(one) for one in changed_by(node))
    }


def _changed_by_scatter(node: Node) -> Node | None:
    """The tensor that a node adds to in place, and returns."""
    changed = changed_by(node)
    return changed[0] if scattered_by(node) is not None and len(changed) == 1 else None


def is_view(node: Node) -> bool:
    """Whether a node shows a tensor's elements at other indices."""
    operation = read(node)
    return operation is not None and operation.name in VIEWS and not operation.in_place


def _reached(root: Node, blocked: Collection[Node]) -> set[Node]:
    """The operations behind `root` that may be computed with it; none if they are too many."""
    known = _translatable.setdefault(root.graph, {})
    reached, pending = set(), [root]
    while pending:
        node = pending.pop()
        if node in reached or node in blocked or not _may_move(node, root):
            continue
        kind = _kind_of(node)
        if kind not in known:
            known[kind] = _is_translatable(node)
        if not known[kind]:
            continue
        reached.add(node)
        pending += node.all_input_nodes
        if len(reached) > MOST_NODES:
            return set()
    return reached


def _kind_of(node: Node) -> str:
    """What tells operations of one graph apart that are translated or not."""
    if (several := _made_with_others(node)) is not None:
        return f"{_kind_of(several)}[{node.args[1]}]"

    def described(argument: Node) -> str:
        example = example_of(argument)
        if isinstance(example, Tensor):
            return f"{example.dtype} {tuple(example.shape)}"
        return type(example).__name__

    arguments = torch.fx.node.map_arg((node.args, node.kwargs), described)
    return f"{node.op} {node.target} {arguments}"


def _is_translatable(node: Node) -> bool:
    """Whether there are statements of an operation by itself."""
    if _are_tensors(node):
        return True
    several = _made_with_others(node)
    inputs = (several or node).all_input_nodes
    try:
        return is_translated(trace(node, [several, node] if several else [node], inputs))
    # An operator may ask for numbers that only the run knows.
    except Exception as error:
        _log.debug("%s cannot be traced: %s", node.name, error)
        return False


def _are_tensors(node: Node) -> bool:
    """Whether an operation has several results, as a split has: what takes them is translated."""
    example = example_of(node)
    return isinstance(example, tuple | list) and 0 < len(_tensors_of(node)) == len(example)


def _made_with_others(node: Node) -> Node | None:
    """The operation that a node takes one of several results of."""
    source = node.args[0] if node.target is operator.getitem else None
    return source if isinstance(source, Node) and _are_tensors(source) else None


def _may_move(node: Node, root: Node) -> bool:
    if _are_tensors(node):
        return node is not root and effect_of(node).is_pure
    tensor = tensor_of(node)
    if node.op not in ("call_function", "call_method") or tensor is None:
        return False
    # Jagged tensors have sizes that are none.
    if tensor.layout is not torch.strided or tensor.is_nested:
        return False
    operation = read(node)
    # Translations say of these that they have no gradient.
    is_known = operation is not None and operation.name in ("detach", *_CONSTANTS)
    if not is_known and requires_gradient(root) and _cuts_gradients(node):
        return False
    effect = effect_of(node)
    return effect.is_known and not effect.is_random


def requires_gradient(node: Node) -> bool:
    """Whether a gradient may come to a node's value."""
    return any(tensor.requires_grad for tensor in _tensors_of(node))


def _tensors_of(node: Node) -> list[Tensor]:
    """The tensor that a node has as its value, or those."""
    example = example_of(node)
    values = example if isinstance(example, tuple | list) else [example]
    return [one for one in values if isinstance(one, Tensor)]


def _cuts_gradients(node: Node) -> bool:
    """Whether a node's value has no gradient, though what it is computed of has: it is detached.

    Where gradients are off, no value has one.
    """
    is_float = any(tensor.is_floating_point() for tensor in _tensors_of(node))
    operation = read(node)
    # Of others it asks for sizes alone.
    like = operation.get("other") if operation and operation.name in _LIKE_OTHERS else None
    sources = (one for one in node.all_input_nodes if one is not like)
    return is_float and not requires_gradient(node) and any(map(requires_gradient, sources))


def _own(root: Node, reached: Collection[Node], with_places: bool) -> set[Node]:
    """Those that only others of them need: what is looked up, what is computed of that, and what
    there is for each element that is combined at a place.

    What is the same for all lookups is better computed once, unless it takes nothing; that is a
    part, too, with places.
    """
    depending: set[Node] = set()
    lengths = lengths_of_scatters(reached)
    for node in sorted(reached):
        is_own = is_irregular(node) or is_along(node, lengths)
        if is_own or any(source in depending for source in node.all_input_nodes):
            depending.add(node)
            # What is changed in place is a part of what changes it.
            depending |= {one for one in changed_by(node) if one in reached and not is_view(one)}
    own: set[Node] = set()
    for node in sorted(reached, reverse=True):
        is_inside = node is root or all(user in own for user in node.users)
        if is_inside and (node in depending or (with_places and is_for_nothing(node))):
            own.add(node)
    return own


def is_for_nothing(node: Node) -> bool:
    """Whether a node computes places, the same elements at other indices, or one number."""
    operation = read(node)
    is_constant = operation is not None and operation.name in _CONSTANTS
    return is_constant or is_view(node) or dtype_of(node) in INDEX_TYPES


def _shared(root: Node, nodes: Collection[Node]) -> list[Node]:
    """Those that something else needs, too."""
    return [
        node
        for node in sorted(nodes)
        if node is not root and any(user not in nodes for user in node.users)
    ]


def _read_by(nodes: Collection[Node]) -> list[Node]:
    """What nodes read that is none of them."""
    read = {source for node in nodes for source in node.all_input_nodes if source not in nodes}
    return sorted(read)


def _translated(
    root: Node, nodes: Collection[Node], changed: Node | None = None
) -> Statements | Untranslated:
    """The statements of nodes; changed: what they are to change in place."""
    try:
        traced = trace(root, nodes, _read_by(nodes))
    # An operator may ask for numbers that only the run knows.
    except Exception as error:
        _log.debug("%s cannot be traced: %s", root.name, error)
        return Untranslated(frozenset())
    return translation_of(traced, changed)


def dtype_of(node: Node) -> torch.dtype | None:
    """The type of a node's tensor; None where it has none."""
    example = example_of(node)
    return example.dtype if isinstance(example, Tensor) else None
