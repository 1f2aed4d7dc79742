"""Finds parts of graphs that compute something from looked-up rows, and translates them.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import logging
import operator
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor
from torch.fx import Graph, Node

from ember.torch import private
from ember.torch.calls.statement_call import LookedUp, OfRows, Program, Sizes, StatementCall
from ember.torch.effects import changed_by, effect_of, example_of
from ember.torch.element_types import INDEX_TYPES, SUM_TYPES, VALUE_TYPES
from ember.torch.graph.costs import (
    LEAST_DIFFERENTIATED,
    LEAST_DIFFERENTIATED_OF_ROWS,
    OPERATIONS_OF_A_GRADIENT,
    why_rows_are_slower,
)
from ember.torch.graph.trace import function_of, trace
from ember.torch.lookups import lookup_at
from ember.torch.no_match import AsFastError, NoMatchError
from ember.torch.operations import VIEWS, name_of, read, same_number, tensor_of
from ember.torch.region import Region
from ember.torch.region_call import Reference
from ember.torch.settings import Settings
from ember.torch.translate.statements import RESULT, Statements
from ember.torch.translate.translation import Untranslated, is_translated, translation_of
from ember.torch.translate.values import is_one, known_number

# A longer expression is no embedding operation any more.
MOST_NODES = 200
# Kinds of regions: of a number for each lookup, all others with a reduction, and those without.
SCORE, STATEMENTS, ROWS = "row_score", "statements", "rows"
# Operations that look up, with their parameters: in what, and where.
_LOOKUPS = {
    "embedding": ("weight", "input"),
    "gather": ("self", "index"),
    "getitem": ("self", "index"),
    "index": ("self", "indices"),
    "index_select": ("self", "index"),
    "take_along_dim": ("self", "indices"),
}
# Operations on elements of rows that take no longer than reading these: others are PyTorch's.
_ARITHMETIC = frozenset(("add", "sub", "mul", "div"))
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
    found = _find(node, with_places=True, says_why=is_number)
    if found is None or not found.statements.reduces:
        return None
    if whole.dtype not in SUM_TYPES:
        kind = str(whole.dtype).removeprefix("torch.")
        raise NoMatchError(f"rows are {kind}: kernels that compute with rows have f32 and f64")
    tables = ", ".join(sorted({name_of(one) for one in found.tables}))
    if is_number and all(map(_is_of_rows, found.lookups)):
        title = f"numbers from {len(found.lookups)} rows of {tables}"
        return _region(SCORE, node, found, title, settings)
    return _region(STATEMENTS, node, found, f"numbers from rows of {tables}", settings)


def rows_at(node: Node, settings: Settings) -> Region | None:
    """The region of looked-up rows, or of what is computed of several, element by element; None if
    `node` ends none."""
    whole = tensor_of(node)
    if whole is None or whole.dtype not in VALUE_TYPES or whole.dim() < 2:
        return None
    if not private.has_operators or not (_is_lookup(node) or _is_arithmetic(node)):
        return None
    if _renormalises(node):
        raise NoMatchError("max_norm changes the rows that are looked up")
    found = _find(node, with_places=False)
    if found is None or not _is_of_rows_alone(found, whole.dtype):
        return None
    if found.statements.is_computed and whole.dtype not in SUM_TYPES:
        return None
    for statements in (found.statements, found.statements.of_rows):
        if statements is not None:
            statements.join()
    lookups, table = len(found.lookups), tensor_of(found.tables[0])
    assert table is not None
    slower = why_rows_are_slower(
        lookups, _likely(whole.shape), _likely(table.shape), whole.dtype.itemsize
    )
    if slower and lookups > 1:
        # Each of the lookups has a reason of its own.
        return None
    if slower:
        raise AsFastError(slower)
    title = f"rows of {', '.join(map(name_of, found.tables))}"
    return _region(ROWS, node, found, f"sums of {title}" if lookups > 1 else title, settings)


def _is_of_rows_alone(found: "_Found", dtype: torch.dtype) -> bool:
    """Whether only rows of matrices of a type are read, and no index is computed."""
    statements = found.statements
    read = {one for one in statements.read() if _dtype_of(one) not in INDEX_TYPES}
    return (
        not statements.reduces
        and not statements.are_ranged
        and read <= set(found.tables)
        and all(_dtype_of(table) is dtype for table in found.tables)
        and all(map(_is_of_matrix_rows, found.lookups))
        and all(_is_lookup(one) or _is_view(one) or _is_arithmetic(one) for one in found.nodes)
    )


def _renormalises(node: Node) -> bool:
    """Whether a lookup changes the rows that it finds."""
    operation = read(node)
    if operation is None or operation.name != "embedding":
        return False
    return operation.get("max_norm") is not None


def _is_arithmetic(node: Node) -> bool:
    """Whether a node computes elements in no more time than it takes to read them."""
    operation = read(node)
    return _adds_in_place(node) if operation is None else operation.name in _ARITHMETIC


def _is_of_matrix_rows(lookup: Node) -> bool:
    """Whether a lookup is of rows of a matrix, by one index."""
    (table,), whole = map(tensor_of, _tables_of(lookup)), tensor_of(lookup)
    operation = read(lookup)
    if operation is None or table is None or whole is None or table.dim() != 2:
        return False
    if operation.name == "index_select":
        return operation.get("dim") in (0, -2)
    index = operation.get("index", operation.get("indices"))
    if isinstance(index, tuple | list):
        return len(index) == 1 and operation.name in ("getitem", "index")
    return operation.name in ("embedding", "getitem")


def _likely(sizes: Sequence[Any]) -> list[int]:
    """The sizes in the call that the graph is captured for."""
    hints = (one.node.hint if isinstance(one, torch.SymInt) else one for one in sizes)
    return [hint or 0 for hint in hints]


def _region(
    kind: str, node: Node, found: "_Found", title: str, settings: Settings
) -> Region | None:
    """The region of what was found; None where it has a size that no input has."""
    whole, inputs = tensor_of(node), found.statements.read()
    sizes = _sources_of(whole, inputs)
    if whole is None or sizes is None:
        return None
    if all(_dtype_of(one) is not whole.dtype for one in inputs):
        return None
    is_detached = torch.is_grad_enabled() and _cuts_gradients_of(node, inputs)
    program = _program(found, inputs, sizes, whole.dtype, is_detached)
    if kind == ROWS:
        program = replace(program, rows=(len(found.lookups), inputs.index(found.tables[0])))

    def make(reference: Reference) -> StatementCall:
        return StatementCall(reference, program, settings.kernel_options, settings.raises)

    return Region(
        kind,
        node,
        found.nodes,
        (*inputs, *found.statements.expected),
        make,
        title,
        {found.statements.inputs[one]: name_of(one) for one in inputs},
    )


def _program(
    found: "_Found", inputs: list[Node], sizes: Sizes, dtype: torch.dtype, is_detached: bool
) -> Program:
    statements = found.statements
    names = tuple(statements.inputs[one] for one in inputs)
    of_rows = _of_rows(statements, inputs)
    least = LEAST_DIFFERENTIATED if of_rows is None else LEAST_DIFFERENTIATED_OF_ROWS
    is_long = len(found.nodes) >= OPERATIONS_OF_A_GRADIENT
    others = {lookup.table for lookup in statements.lookups} if of_rows is None else set()
    # Kernels of gradients make no half types.
    is_left = statements.has_extremes or (dtype not in SUM_TYPES and of_rows is None)
    paddings, undifferentiated = [], set()
    for place, name in enumerate(names):
        if is_left or name in others:
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
        0 if is_long else least,
        tuple(statements.expected.values()),
        tuple(paddings),
        frozenset(undifferentiated),
        frozenset(
            place
            for place, name in enumerate(names)
            if is_detached or name in statements.without_gradient
        ),
        of_rows,
    )


def _of_rows(statements: Statements, inputs: list[Node]) -> OfRows | None:
    """The statements that are given what some lookups yield, if there are any; None without."""
    given = statements.of_rows
    if given is None:
        return None
    places = {node: inputs.index(one) for node, one in statements.given.items() if one in inputs}
    tables = {statements.inputs[one]: place for place, one in enumerate(inputs)}
    names = {one: given.inputs[one] for one in given.read()}
    lookups = []
    for lookup in statements.lookups:
        # Of some, the sizes alone are read.
        if (name := names.get(lookup.node)) is None:
            continue
        if (function := function_of(lookup.places, places)) is None:
            return None
        lookups.append(
            LookedUp(
                name,
                tables[lookup.table],
                function,
                lookup.padding,
                lookup.scales_by_frequency,
                lookup.is_sparse,
            )
        )
    is_same = bool(lookups) and given.same == lookups[0].name
    return OfRows(None if is_same else given.notation(), frozenset(names.values()), tuple(lookups))


@dataclass(frozen=True)
class _Found:
    """Nodes with lookups among them, and what they compute."""

    nodes: set[Node]
    lookups: list[Node]
    statements: Statements

    @property
    def tables(self) -> list[Node]:
        """What is looked up in."""
        return [table for lookup in self.lookups for table in _tables_of(lookup)]


def _find(root: Node, with_places: bool, says_why: bool = False) -> _Found | None:
    """The largest part of a graph that ends in `root` and has statements.

    with_places: operations that compute where it looks up are parts of it.
    says_why: raises NoMatchError where there would be one, but that something else needs what is
    within.
    """
    blocked: set[Node] = set()
    while True:
        reached = _reached(root, blocked)
        if not any(map(_is_lookup, reached)):
            return None
        nodes = _own(root, reached, with_places)
        if not any(map(_is_lookup, nodes)):
            shared = _shared(root, reached)
            if says_why and shared and isinstance(_translated(root, reached), Statements):
                raise NoMatchError(f"{shared[0].name}, a part of it, has other uses")
            return None
        translation = _translated(root, nodes)
        if isinstance(translation, Statements):
            lookups = sorted(filter(_is_lookup, nodes))
            return _Found(nodes, lookups, translation)
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
            # What changes the value of another node is read together with that.
            known[kind] = bool(changed_by(node)) or _is_translatable(node)
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
    is_detached = operation is not None and operation.name == "detach"
    is_cut = is_detached or (_requires_gradient(root) and _cuts_gradients(node))
    return not is_cut and (effect_of(node).is_pure or _adds_in_place(node))


def _adds_in_place(node: Node) -> bool:
    """Whether a node adds to the value of another one, and does nothing else."""
    return node.target is operator.iadd and changed_by(node) == [node.args[0]]


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


def _own(root: Node, reached: Collection[Node], with_places: bool) -> set[Node]:
    """Those that only others of them need: what is looked up, and what is computed of that.

    What is the same for all lookups is better computed once, unless it takes nothing; that is a
    part, too, with places.
    """
    depending: set[Node] = set()
    for node in sorted(reached):
        if _is_lookup(node) or any(source in depending for source in node.all_input_nodes):
            depending.add(node)
    own: set[Node] = set()
    for node in sorted(reached, reverse=True):
        is_inside = node is root or all(user in own for user in node.users)
        if is_inside and (node in depending or (with_places and _is_for_nothing(node))):
            own.add(node)
    return own


def _is_for_nothing(node: Node) -> bool:
    """Whether a node computes places, or the same elements at other indices."""
    return _is_view(node) or _dtype_of(node) in INDEX_TYPES


def _is_view(node: Node) -> bool:
    operation = read(node)
    return operation is not None and operation.name in VIEWS and not operation.in_place


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
