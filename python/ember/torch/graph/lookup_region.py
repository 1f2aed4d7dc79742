"""Finds parts of graphs that compute something from looked-up rows, and translates them.

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

from ember.torch import private
from ember.torch.calls.statement_call import Program, Sizes, StatementCall
from ember.torch.effects import effect_of, example_of
from ember.torch.element_types import INDEX_TYPES, SUM_TYPES
from ember.torch.graph.costs import LEAST_DIFFERENTIATED, OPERATIONS_OF_A_GRADIENT
from ember.torch.graph.trace import trace
from ember.torch.lookups import lookup_at
from ember.torch.no_match import NoMatchError
from ember.torch.operations import VIEWS, name_of, read, same_number, tensor_of
from ember.torch.region import Region
from ember.torch.region_call import Reference
from ember.torch.settings import Settings
from ember.torch.translate.statements import RESULT, Statements
from ember.torch.translate.translation import Untranslated, is_translated, translation_of
from ember.torch.translate.values import is_one, known_number

# A longer expression is no embedding operation any more.
MOST_NODES = 200
# Kinds of regions: of a number for each lookup, and all others.
SCORE, STATEMENTS = "row_score", "statements"
# Operations that look up, with their parameters: in what, and where.
_LOOKUPS = {
    "embedding": ("weight", "input"),
    "gather": ("self", "index"),
    "getitem": ("self", "index"),
    "index": ("self", "indices"),
    "index_select": ("self", "index"),
    "take_along_dim": ("self", "indices"),
}
_log = logging.getLogger(__name__)
# By graphs, whether operations of a kind have statements.
_translatable: WeakKeyDictionary[Graph, dict[str, bool]] = WeakKeyDictionary()


def lookup_region_at(node: Node, settings: Settings) -> Region | None:
    """The region of what is computed from looked-up rows, and reduced; None if `node` ends none."""
    whole = tensor_of(node)
    if whole is None or whole.dtype not in SUM_TYPES or not whole.dim():
        return None
    if not private.has_operators:
        return None
    is_number = whole.dim() == 1 or (whole.dim() == 2 and is_one(whole.shape[1]))
    if (found := _find(node, says_why=is_number)) is None:
        return None
    inputs = found.statements.read()
    sizes = _sources_of(whole, inputs)
    if sizes is None or all(_dtype_of(one) is not whole.dtype for one in inputs):
        return None
    is_detached = torch.is_grad_enabled() and _cuts_gradients_of(node, inputs)
    program = _program(found, inputs, sizes, whole.dtype, is_detached)

    def make(reference: Reference) -> StatementCall:
        return StatementCall(reference, program, settings.kernel_options, settings.raises)

    tables = {name_of(one) for lookup in found.lookups for one in _tables_of(lookup)}
    is_score = is_number and all(map(_is_of_rows, found.lookups))
    of_what = f"{len(found.lookups)} rows of" if is_score else "rows of"
    return Region(
        SCORE if is_score else STATEMENTS,
        node,
        found.nodes,
        (*inputs, *found.statements.expected),
        make,
        f"numbers from {of_what} {', '.join(sorted(tables))}",
        {found.statements.inputs[one]: name_of(one) for one in inputs},
    )


def _program(
    found: "_Found", inputs: list[Node], sizes: Sizes, dtype: torch.dtype, is_detached: bool
) -> Program:
    statements = found.statements
    names = tuple(statements.inputs[one] for one in inputs)
    is_long = len(found.nodes) >= OPERATIONS_OF_A_GRADIENT
    paddings, undifferentiated = [], set()
    for place, name in enumerate(names):
        if statements.has_own_gradients or name in statements.undifferentiated:
            undifferentiated.add(place)
        elif name in statements.paddings:
            paddings.append((place, statements.paddings[name]))
    looked_up = [_sources_of(tensor_of(one), inputs) for one in found.lookups]
    return Program(
        statements.notation(),
        RESULT,
        names,
        sizes,
        next(place for place, one in enumerate(inputs) if _dtype_of(one) is dtype),
        tuple(one for one in looked_up if one is not None),
        0 if is_long else LEAST_DIFFERENTIATED,
        tuple(statements.expected.values()),
        tuple(paddings),
        frozenset(undifferentiated),
        frozenset(
            place
            for place, name in enumerate(names)
            if is_detached or name in statements.without_gradient
        ),
    )


@dataclass(frozen=True)
class _Found:
    """Nodes with lookups among them, and what they compute."""

    nodes: set[Node]
    lookups: list[Node]
    statements: Statements


def _find(root: Node, says_why: bool) -> _Found | None:
    """The largest part of a graph that ends in `root` and has statements.

    says_why: raises NoMatchError where there would be one, but that something else needs what is
    within.
    """
    blocked: set[Node] = set()
    while True:
        reached = _reached(root, blocked)
        if not any(map(_is_lookup, reached)):
            return None
        nodes = _own(root, reached)
        if not any(map(_is_lookup, nodes)):
            shared = _shared(root, reached)
            if says_why and shared and isinstance(_translated(root, reached), Statements):
                raise NoMatchError(f"{shared[0].name}, a part of it, has other uses")
            return None
        translation = _translated(root, nodes)
        if isinstance(translation, Statements):
            lookups = sorted(filter(_is_lookup, nodes))
            return _Found(nodes, lookups, translation) if translation.reduces else None
        if not translation.nodes or root in translation.nodes:
            return None
        blocked |= translation.nodes


def _is_lookup(node: Node) -> bool:
    return bool(_tables_of(node))


def _tables_of(node: Node) -> list[Node]:
    """What a node looks up elements in, at places that a tensor of integers has."""
    operation = read(node)
    if operation is None or operation.in_place:
        return []
    table, places = _LOOKUPS.get(operation.name, ("", ""))
    index = operation.get(places)
    indices = index if isinstance(index, tuple | list) else [index]
    found = operation.get(table)
    is_lookup = any(isinstance(one, Node) and _dtype_of(one) in INDEX_TYPES for one in indices)
    return [found] if is_lookup and isinstance(found, Node) and tensor_of(found) is not None else []


def _is_of_rows(node: Node) -> bool:
    return lookup_at(node, any_gradient=True) is not None


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
    return isinstance(example, tuple | list) and len(_tensors_of(node)) == len(example)


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
    is_detached = operation is not None and operation.name == "detach"
    is_cut = is_detached or (_requires_gradient(root) and _cuts_gradients(node))
    return not is_cut and effect_of(node).is_pure


def _cuts_gradients_of(root: Node, inputs: Collection[Node]) -> bool:
    """Whether no gradient comes through, though inputs have some."""
    return not _requires_gradient(root) and any(map(_requires_gradient, inputs))


def _requires_gradient(node: Node) -> bool:
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
    return (
        is_float
        and not _requires_gradient(node)
        and any(map(_requires_gradient, node.all_input_nodes))
    )


def _own(root: Node, reached: Collection[Node]) -> set[Node]:
    """Those that only others of them need: what is looked up, and what is computed of that.

    What is the same for all lookups is better computed once, unless it takes nothing.
    """
    depending: set[Node] = set()
    for node in sorted(reached):
        if _is_lookup(node) or any(source in depending for source in node.all_input_nodes):
            depending.add(node)
    own: set[Node] = set()
    for node in sorted(reached, reverse=True):
        is_inside = node is root or all(user in own for user in node.users)
        if is_inside and (node in depending or _is_for_nothing(node)):
            own.add(node)
    return own


def _is_for_nothing(node: Node) -> bool:
    """Whether a node computes places, or the same elements at other indices."""
    operation = read(node)
    is_view = operation is not None and operation.name in VIEWS and not operation.in_place
    return is_view or _dtype_of(node) in INDEX_TYPES


def _shared(root: Node, nodes: Collection[Node]) -> list[Node]:
    """Those that something else needs, too."""
    return [
        node
        for node in sorted(nodes)
        if node is not root and any(user not in nodes for user in node.users)
    ]


def _translated(root: Node, nodes: Collection[Node]) -> Statements | Untranslated:
    """The statements of nodes."""
    read = {source for node in nodes for source in node.all_input_nodes if source not in nodes}
    try:
        traced = trace(root, nodes, sorted(read))
    # An operator may ask for numbers that only the run knows.
    except Exception as error:
        _log.debug("%s cannot be traced: %s", root.name, error)
        return Untranslated(frozenset())
    return translation_of(traced)


def _sources_of(tensor: Tensor | None, inputs: list[Node]) -> Sizes | None:
    """A tensor's sizes, as numbers or as inputs have them; None where they have one not."""
    known = {
        place: tuple(own.shape)
        for place, one in enumerate(inputs)
        if (own := tensor_of(one)) is not None
    }
    sizes: list[int | tuple[int, int]] = []
    for size in () if tensor is None else tensor.shape:
        if (number := known_number(size)) is not None:
            sizes.append(number)
            continue
        sources = (
            (place, dimension)
            for place, shape in known.items()
            for dimension, own in enumerate(shape)
            if same_number(own, size)
        )
        source = next(sources, None)
        if source is None:
            return None
        sizes.append(source)
    return tuple(sizes)


def _dtype_of(node: Node) -> torch.dtype | None:
    example = example_of(node)
    return example.dtype if isinstance(example, Tensor) else None
