"""Finds parts of graphs that compute something from looked-up rows, and translates them.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import logging
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor
from torch.fx import Graph, Node

from ember.torch import private
from ember.torch.calls.statement_call import Program, Sizes, StatementCall
from ember.torch.effects import changed_by, effect_of, example_of
from ember.torch.element_types import INDEX_TYPES, VALUE_TYPES
from ember.torch.graph.costs import LEAST_DIFFERENTIATED, OPERATIONS_OF_A_GRADIENT
from ember.torch.graph.irregular import (
    is_along,
    is_irregular,
    lengths_of_scatters,
    looked_up_in,
    scattered_by,
)
from ember.torch.graph.trace import trace
from ember.torch.lookups import lookup_at
from ember.torch.no_match import NoMatchError
from ember.torch.operations import VIEWS, name_of, read, same_number, tensor_of, value_of
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
# Operations that make tensors of one number.
_CONSTANTS = frozenset(
    f"{prefix}{name}{suffix}"
    for name in ("zeros", "ones", "full")
    for prefix, suffix in (("", ""), ("new_", ""), ("", "_like"))
)
_log = logging.getLogger(__name__)
# By graphs, whether operations of a kind have statements.
_translatable: WeakKeyDictionary[Graph, dict[str, bool]] = WeakKeyDictionary()


def lookup_region_at(node: Node, settings: Settings) -> Region | None:
    """The region of what is computed from looked-up rows, and reduced; None if `node` ends none."""
    whole = tensor_of(node)
    if whole is None or whole.dtype not in VALUE_TYPES or not whole.dim():
        return None
    if not private.has_operators:
        return None
    is_number = whole.dim() == 1 or (whole.dim() == 2 and is_one(whole.shape[1]))
    if (found := _find(node, says_why=is_number)) is None:
        return None
    inputs = found.statements.read()
    numbers = [one for one in found.read if isinstance(value_of(one), torch.SymInt | tuple)]
    given = [*inputs, *found.statements.expected, *numbers]
    sizes, lengths = (
        _sizes_of(whole.shape, given),
        _sizes_of(found.statements.lengths.values(), given),
    )
    if sizes is None or lengths is None or all(_dtype_of(one) is not whole.dtype for one in inputs):
        return None
    is_detached = torch.is_grad_enabled() and _cuts_gradients_of(node, inputs)
    program = _program(found, inputs, given, (sizes, lengths), whole.dtype, is_detached)

    def make(reference: Reference) -> StatementCall:
        return StatementCall(reference, program, settings.kernel_options, settings.raises)

    is_score = is_number and all(map(_is_of_rows, found.irregular))
    return Region(
        SCORE if is_score else STATEMENTS,
        node,
        found.nodes,
        tuple(given),
        make,
        _title(found, is_score),
        {found.statements.inputs[one]: name_of(one) for one in inputs},
    )


def _title(found: "_Found", is_score: bool) -> str:
    """One line for reports."""
    given = (one for one in map(looked_up_in, found.irregular) if one not in found.nodes)
    tables = ", ".join(sorted({name_of(one) for one in given if one is not None}))
    if any(map(scattered_by, found.irregular)):
        of_rows = f" of rows of {tables}" if tables else ""
        return f"{len(found.nodes)} operations over edges{of_rows}"
    count = f"{len(found.irregular)} " if is_score else ""
    return f"numbers from {count}rows of {tables}"


def _program(
    found: "_Found",
    inputs: list[Node],
    given: list[Node],
    sizes: tuple[Sizes, Sizes],
    dtype: torch.dtype,
    is_detached: bool,
) -> Program:
    """sizes: of the result, and lengths."""
    statements = found.statements
    names = tuple(statements.inputs[one] for one in inputs)
    is_long = len(found.nodes) >= OPERATIONS_OF_A_GRADIENT
    paddings, undifferentiated = [], set()
    for place, name in enumerate(names):
        if statements.has_extremes or name in statements.undifferentiated:
            undifferentiated.add(place)
        elif name in statements.paddings:
            paddings.append((place, statements.paddings[name]))
    elements = [_sizes_of(_elements(one).shape, given) for one in found.irregular]
    return Program(
        statements.notation(),
        RESULT,
        names,
        sizes[0],
        next(place for place, one in enumerate(inputs) if _dtype_of(one) is dtype),
        tuple(one for one in elements if one is not None),
        0 if is_long else LEAST_DIFFERENTIATED,
        tuple(statements.expected.values()),
        tuple(paddings),
        frozenset(undifferentiated),
        frozenset(
            place
            for place, name in enumerate(names)
            if is_detached or name in statements.without_gradient
        ),
        tuple(zip(statements.lengths, sizes[1], strict=True)),
        len(given),
    )


def _elements(node: Node) -> Tensor:
    """The elements that a node looks up, or combines."""
    found = tensor_of(scattered_by(node) or node)
    assert found is not None
    return found


@dataclass(frozen=True)
class _Found:
    """Nodes with irregular ones among them, what these read, and what they compute."""

    nodes: set[Node]
    irregular: list[Node]
    read: list[Node]
    statements: Statements


def _find(root: Node, says_why: bool) -> _Found | None:
    """The largest part of a graph that ends in `root` and has statements.

    says_why: raises NoMatchError where there would be one, but that something else needs what is
    within.
    """
    blocked: set[Node] = set()
    while True:
        reached = _reached(root, blocked)
        if not any(map(is_irregular, reached)):
            return None
        nodes = _own(root, reached)
        if not any(map(is_irregular, nodes)):
            shared = _shared(root, reached)
            if says_why and shared and isinstance(_translated(root, reached), Statements):
                raise NoMatchError(f"{shared[0].name}, a part of it, has other uses")
            return None
        if writers := _writers_elsewhere(nodes):
            if root in writers:
                return None
            blocked |= writers
            continue
        translation = _translated(root, nodes)
        if isinstance(translation, Statements):
            irregular = sorted(filter(is_irregular, nodes))
            found = _Found(nodes, irregular, _read_by(nodes), translation)
            return found if translation.reduces else None
        if not translation.nodes or root in translation.nodes:
            return None
        blocked |= translation.nodes


def _writers_elsewhere(nodes: Collection[Node]) -> set[Node]:
    """Those that change other tensors than new ones that the nodes make."""
    return {
        node for node in nodes if any(one not in nodes or _is_view(one) for one in changed_by(node))
    }


def _is_view(node: Node) -> bool:
    operation = read(node)
    return operation is not None and operation.name in VIEWS and not operation.in_place


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

    def described(argument: Node) -> str:
        example = example_of(argument)
        if isinstance(example, Tensor):
            return f"{example.dtype} {tuple(example.shape)}"
        return type(example).__name__

    arguments = torch.fx.node.map_arg((node.args, node.kwargs), described)
    return f"{node.op} {node.target} {arguments}"


def _is_translatable(node: Node) -> bool:
    """Whether there are statements of an operation by itself."""
    try:
        return is_translated(trace(node, [node], node.all_input_nodes))
    # An operator may ask for numbers that only the run knows.
    except Exception as error:
        _log.debug("%s cannot be traced: %s", node.name, error)
        return False


def _may_move(node: Node, root: Node) -> bool:
    tensor = tensor_of(node)
    if node.op not in ("call_function", "call_method") or tensor is None:
        return False
    # Jagged tensors have sizes that are none.
    if tensor.layout is not torch.strided or tensor.is_nested:
        return False
    operation = read(node)
    # Translations say of these that they have no gradient.
    is_known = operation is not None and operation.name in ("detach", *_CONSTANTS)
    if not is_known and _requires_gradient(root) and _cuts_gradients(node):
        return False
    effect = effect_of(node)
    return effect.is_known and not effect.is_random


def _cuts_gradients_of(root: Node, inputs: Collection[Node]) -> bool:
    """Whether no gradient comes through, though inputs have some."""
    return not _requires_gradient(root) and any(map(_requires_gradient, inputs))


def _requires_gradient(node: Node) -> bool:
    tensor = tensor_of(node)
    return tensor is not None and tensor.requires_grad


def _cuts_gradients(node: Node) -> bool:
    """Whether a node's value has no gradient, though what it is computed of has: it is detached.

    Where gradients are off, no value has one.
    """
    example = example_of(node)
    is_float = isinstance(example, Tensor) and example.is_floating_point()
    return (
        is_float
        and not example.requires_grad
        and any(map(_requires_gradient, node.all_input_nodes))
    )


def _own(root: Node, reached: Collection[Node]) -> set[Node]:
    """Those that only others of them need: what is looked up, what is computed of that, and what
    there is for each element that is scattered.

    What is the same for all lookups is better computed once, unless it takes nothing.
    """
    depending: set[Node] = set()
    lengths = lengths_of_scatters(reached)
    for node in sorted(reached):
        is_own = is_irregular(node) or is_along(node, lengths)
        if is_own or any(source in depending for source in node.all_input_nodes):
            depending.add(node)
    own: set[Node] = set()
    for node in sorted(reached, reverse=True):
        is_inside = node is root or all(user in own for user in node.users)
        if is_inside and (node in depending or is_for_nothing(node)):
            own.add(node)
    return own


def is_for_nothing(node: Node) -> bool:
    """Whether a node computes places, the same elements at other indices, or one number."""
    operation = read(node)
    is_constant = operation is not None and operation.name in _CONSTANTS
    return is_constant or _is_view(node) or _dtype_of(node) in INDEX_TYPES


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


def _translated(root: Node, nodes: Collection[Node]) -> Statements | Untranslated:
    """The statements of nodes."""
    try:
        traced = trace(root, nodes, _read_by(nodes))
    # An operator may ask for numbers that only the run knows.
    except Exception as error:
        _log.debug("%s cannot be traced: %s", root.name, error)
        return Untranslated(frozenset())
    return translation_of(traced)


def _sizes_of(sizes: Iterable[Any], given: list[Node]) -> Sizes | None:
    """Sizes as numbers or as inputs have them, or are them; None where there is another one."""
    found: list[int | tuple[int, int]] = []
    for size in sizes:
        if (number := known_number(size)) is not None:
            found.append(number)
            continue
        sources = (
            (place, dimension)
            for place, one in enumerate(given)
            for dimension, own in enumerate(_own_sizes(one))
            if same_number(own, size)
        )
        source = next(sources, None)
        if source is None:
            return None
        found.append(source)
    return tuple(found)


def _own_sizes(node: Node) -> Iterable[Any]:
    """The sizes of a tensor, or sizes or a number themselves."""
    value = value_of(node)
    if isinstance(value, Tensor):
        return value.shape
    return value if isinstance(value, tuple) else (value,)


def _dtype_of(node: Node) -> torch.dtype | None:
    example = example_of(node)
    return example.dtype if isinstance(example, Tensor) else None
