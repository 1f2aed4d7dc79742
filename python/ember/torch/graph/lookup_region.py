"""Regions that are statements: what is computed of rows that are looked up, or of edges.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.fx import Node

from ember.torch.calls.edge_groups import End
from ember.torch.calls.program import LookedUp, Multiple, OfRows, Program, Sizes
from ember.torch.calls.repeat import Size
from ember.torch.calls.special_results import InPlaceCall, SelectionCall
from ember.torch.calls.statement_call import StatementCall
from ember.torch.capture import private
from ember.torch.element_types import INDEX_TYPES, SUM_TYPES, VALUE_TYPES
from ember.torch.gradients.differentiable import Reference
from ember.torch.graph.bags import is_encoded_bag, why_bag_untranslated
from ember.torch.graph.costs import (
    LEAST_COPIED,
    LEAST_DIFFERENTIATED,
    LEAST_DIFFERENTIATED_OF_ROWS,
    LEAST_DIFFERENTIATED_REDUCED,
    OPERATIONS_OF_A_GRADIENT,
    why_rows_are_slower,
)
from ember.torch.graph.discovery import (
    Found,
    find,
    find_reduced,
    find_selected,
    is_of_elements,
    requires_gradient,
    why_not_alone,
)
from ember.torch.graph.irregular import looked_up_in, scattered_by, selected_in
from ember.torch.graph.operations import (
    fixed_size,
    likely_sizes,
    name_of,
    read,
    same_number,
    tensor_of,
    value_of,
)
from ember.torch.graph.region import AsFastError, NoMatchError, Region
from ember.torch.graph.single_operations import dtype_of, is_constant, is_view
from ember.torch.graph.trace import Function, function_of, read_by
from ember.torch.settings import Settings
from ember.torch.translate.statements import RESULT, Statements
from ember.torch.translate.values import is_one, known_number

# Kinds of regions: of a number for each lookup, all others with a reduction, and those without.
SCORE, STATEMENTS, ROWS = "row_score", "statements", "rows"
# What is reduced of rows that are encoded.
QUANTIZED = "quantized_bag"
# Of bags alone, which are a loop each, and of several side by side.
BAG, BAGS = "bag", "bags"
_MAXIMUM = re.compile(r"\b(larger|max)\[")
# What is stored in one pass over a mask.
SELECTION = "selection"
MOST_SELECTED_ROWS = 8
# What is looked up and not computed with: masks, too.
COPIED_TYPES = VALUE_TYPES | INDEX_TYPES


def lookup_region_at(node: Node, settings: Settings) -> Region | None:
    """The region of what is computed from looked-up rows, or of edges, and reduced; None if `node`
    ends none."""
    whole = tensor_of(node)
    if whole is None:
        return None
    if not whole.dim():
        if scattered_by(node) is None:
            return None
        raise NoMatchError("it has one number, and no rows")
    if whole.dtype not in VALUE_TYPES:
        if scattered_by(node) is None:
            return None
        raise NoMatchError(f"it is of {whole.dtype}; kernels add floating-point numbers")
    if not private.has_operators:
        return None
    is_number = whole.dim() == 1 or (whole.dim() == 2 and is_one(whole.shape[1]))
    found = find(node, with_places=True, says_why=is_number)
    if found is None and is_encoded_bag(node):
        raise NoMatchError(why_bag_untranslated(node) or why_not_alone(node))
    if found is None and scattered_by(node) is not None:
        raise NoMatchError(why_not_alone(node))
    if found is None or not found.statements.reduces:
        return None
    is_score = is_number and all(map(_is_list_of_rows, found.irregular))
    kind = QUANTIZED if found.statements.encodings else SCORE if is_score else STATEMENTS
    return region_of(kind, node, found, _title(found, is_score), settings)


def reduction_at(node: Node, settings: Settings) -> Region | None:
    """The region of elements that are computed to be added up, which PyTorch stores; None if
    `node` ends none. Inductor has loops of its own for them."""
    whole = tensor_of(node)
    if whole is None or whole.dtype not in SUM_TYPES or not whole.dim():
        return None
    if not private.has_operators or settings.rest == "inductor":
        return None
    found = find_reduced(node, LEAST_DIFFERENTIATED_REDUCED if whole.requires_grad else 0)
    if found is None or not found.statements.reduces:
        return None
    title = f"sums of {name_of(max(found.nodes - {node}))}"
    if (others := len(found.nodes) - 2) > 0:
        title += f", and of {others} before it"
    return region_of(STATEMENTS, node, found, title, settings)


def rows_at(node: Node, settings: Settings) -> Region | None:
    """The region of looked-up rows, or of what is computed of several, element by element; None if
    `node` ends none."""
    whole = tensor_of(node)
    if whole is None or whole.dtype not in VALUE_TYPES or whole.dim() < 2:
        return None
    if not private.has_operators or not is_of_elements(node):
        return None
    if _renormalises(node):
        raise NoMatchError("max_norm changes the rows that are looked up")
    found = find(node, with_places=False)
    if found is None or not _is_of_rows_alone(found, whole):
        return None
    if found.statements.is_computed and whole.dtype not in SUM_TYPES:
        return None
    if found.statements.encodings:
        # A lookup by itself is a kernel as it is.
        title = _title(found, is_score=False)
        several = len(found.irregular) > 1
        return region_of(QUANTIZED, node, found, title, settings) if several else None
    lookups, table = _lookups_of(found, whole), tensor_of(found.tables[0])
    assert table is not None
    slower = why_rows_are_slower(
        lookups, likely_sizes(whole.shape), likely_sizes(table.shape), whole.dtype.itemsize
    )
    if slower and lookups > 1:
        # Each of the lookups has a reason of its own.
        return None
    if slower:
        raise AsFastError(slower)
    title = f"rows of {', '.join(map(name_of, found.tables))}"
    if lookups > 1:
        title = f"sums of {title}"
    kind = STATEMENTS if _weights_in(found) else ROWS
    return region_of(kind, node, found, title, settings)


def selection_at(node: Node, settings: Settings) -> Region | None:
    """The region of columns that a mask selects; None for anything else.

    Its result has a size that depends on elements, which Inductor is spared.
    """
    selected = None if settings.rest == "inductor" else selected_in(node)
    if selected is None or not private.has_operators:
        return None
    whole = tensor_of(selected[0])
    if whole is None or whole.dtype not in (*SUM_TYPES, *INDEX_TYPES) or whole.dim() > 2:
        return None
    if not 0 < math.prod(likely_sizes(whole.shape[:-1])) <= MOST_SELECTED_ROWS:
        return None
    found = find_selected(node, *selected)
    if found is None:
        return None
    title = f"columns of {name_of(selected[0])} by {name_of(selected[1])}"
    return region_of(SELECTION, node, found, title, settings)


def blocks_at(node: Node, settings: Settings) -> Region | None:
    """The region of rows of several matrices, or of blocks of rows, that are looked up, with others
    beside them; None if `node` ends none."""
    whole, operation = tensor_of(node), read(node)
    if whole is None or whole.dtype not in COPIED_TYPES or not private.has_operators:
        return None
    table = looked_up_in(node)
    if operation is None or (table is None and operation.name != "cat"):
        return None
    found = find(node, with_places=True)
    if found is None or not found.statements.are_copies:
        return None
    # Of blocks that are looked up themselves, rows are those of what these are looked up in.
    if not all(map(_is_of_blocks, found.tables if table is None else [table])):
        return None
    if operation.name == "index_select":
        raise AsFastError("PyTorch copies whole blocks as fast; no product with few rows follows")
    outside = [one for one in found.tables if one not in found.nodes]
    title = f"blocks of rows of {', '.join(map(name_of, outside))}"
    return region_of(ROWS, node, found, title, settings, LEAST_COPIED)


def _is_of_blocks(table: Node) -> bool:
    """Whether a tensor has more rows than a matrix."""
    tensor = tensor_of(table)
    return tensor is not None and tensor.dim() > 2


def _weights_in(found: Found) -> set[Node]:
    """What else is read than rows and where they are."""
    read = {one for one in found.statements.read() if dtype_of(one) not in INDEX_TYPES}
    return read - set(found.tables)


def _lookups_of(found: Found, whole: Tensor) -> int:
    """How many rows are looked up for each one of the result: of each lookup one, or several."""
    rows = sum(math.prod(likely_sizes(sizes)) for sizes in found.elements)
    return max(len(found.irregular), rows // max(math.prod(likely_sizes(whole.shape)), 1))


def _are_weights(nodes: Collection[Node], lookups: int, result: Tensor) -> bool:
    """Whether tensors have a number for each row of the result, or for each that is looked up."""
    tensors = [tensor for one in nodes if (tensor := tensor_of(one)) is not None]
    most = lookups * math.prod(likely_sizes(result.shape[:-1]))
    return lookups > 1 and all(
        tensor.dtype is result.dtype and math.prod(likely_sizes(tensor.shape)) <= most
        for tensor in tensors
    )


def _is_of_rows_alone(found: Found, whole: Tensor) -> bool:
    """Whether only rows of matrices of a type are read, and weights of several, and no index is
    computed."""
    statements, dtype = found.statements, whole.dtype
    weights = _weights_in(found)
    return (
        not statements.reduces
        and not statements.are_ranged
        and (not weights or _are_weights(weights, _lookups_of(found, whole), whole))
        and (bool(statements.encodings) or all(dtype_of(table) is dtype for table in found.tables))
        and all(map(is_of_matrix_rows, found.irregular))
        and all(is_view(one) or is_of_elements(one) or is_constant(one) for one in found.nodes)
    )


def _renormalises(node: Node) -> bool:
    """Whether a lookup changes the rows that it finds."""
    operation = read(node)
    if operation is None or operation.name != "embedding":
        return False
    return operation.get("max_norm") is not None


def _is_list_of_rows(node: Node) -> bool:
    """Whether a node looks rows up by a list of indices."""
    table, rows = tensor_of(looked_up_in(node)), tensor_of(node)
    return (
        table is not None and rows is not None and _is_of_rows(node) and table.dim() == rows.dim()
    )


def is_of_matrix_rows(node: Node) -> bool:
    """Whether a node looks rows of a matrix up, by one index."""
    table = tensor_of(looked_up_in(node))
    return table is not None and table.dim() == 2 and _is_of_rows(node)


def _is_of_rows(node: Node) -> bool:
    """Whether a node looks rows, of any rank, up by one index."""
    table, operation = tensor_of(looked_up_in(node)), read(node)
    if operation is None or table is None:
        return False
    if operation.name == "index_select":
        return operation.get("dim") in (0, -table.dim())
    index = operation.get("index", operation.get("indices"))
    if isinstance(index, tuple | list):
        return len(index) == 1 and operation.name in ("getitem", "index")
    return operation.name in ("embedding", "getitem", "quantized_rows")


def region_of(
    kind: str, node: Node, found: Found, title: str, settings: Settings, least: int = 0
) -> Region | None:
    """The region of what was found; None where it has a size that no input has. least: elements of
    a result below which PyTorch is as fast."""
    whole, statements = tensor_of(node), found.statements
    inputs = statements.read()
    numbers = [one for one in found.read if isinstance(value_of(one), torch.SymInt | tuple)]
    masks = [
        statements.given[one] for mask, _ in statements.masks.values() for one in read_by(mask)
    ]
    given = list(dict.fromkeys([*inputs, *statements.expected, *numbers, *masks]))
    call = StatementCall if statements.condition is None else SelectionCall
    if found.changed is not None:
        if settings.rest == "inductor":
            raise NoMatchError("it changes a tensor in place; kernels beside Inductor change none")
        if whole is not None and whole.dtype not in SUM_TYPES:
            raise NoMatchError("it adds to a half type in place; kernels keep sums in f32")
        call = InPlaceCall
        given.append(found.changed)
    is_of_kind = bool(statements.encodings) or any(
        whole is not None and dtype_of(one) is whole.dtype for one in inputs
    )
    if whole is None or not is_of_kind:
        return None
    try:
        program = _program(kind, node, found, inputs, _Given(given, statements.given), least)
    except _OtherSizeError:
        return None

    def make(reference: Reference) -> StatementCall:
        return call(reference, program, settings.kernel_options, settings.raises)

    names = {RESULT: name_of(node)}
    names.update((name, name_of(one)) for name, one in statements.combined.items())
    names.update((program.parameter(statements.inputs[one]), name_of(one)) for one in inputs)
    changes = () if found.changed is None else (found.changed,)
    return Region(kind, node, found.nodes, tuple(given), make, title, names, found.shared, changes)


def _with_counts(statements: Statements) -> list[Any]:
    """The sizes of the result, with numbers of places where constant masks hold."""
    sizes = []
    for size in statements.sizes:
        for count, number in statements.counts:
            if (added := known_number(size - count)) is not None:
                size = number + added
        sizes.append(size)
    return sizes


def _title(found: Found, is_score: bool) -> str:
    """One line for reports."""
    outside = [one for one in found.tables if one not in found.nodes]
    # What is looked up in may be computed here, too, as products of matrices are.
    outside = outside or [one for one in found.read if dtype_of(one) in VALUE_TYPES]
    tables = ", ".join(sorted(set(map(name_of, outside))))
    if encoded := found.statements.encodings.values():
        encodings = ", ".join(dict.fromkeys(one.encoding for one in encoded))
        return f"{_name_of_result(max(found.nodes))} of {encodings} rows of {tables}"
    if any(map(scattered_by, found.irregular)):
        of_rows = f" of rows of {tables}" if tables else ""
        combined = [one for one in found.statements.scatters if one != "count"]
        if not combined:
            return f"reductions of segments{of_rows}"
        return f"{', '.join(dict.fromkeys(combined))} over edges{of_rows}"
    count = f"{len(found.irregular)} " if is_score else ""
    return f"numbers from {count}rows of {tables}"


def _name_of_result(node: Node) -> str:
    """What is computed of encoded rows last."""
    operation = read(node)
    if operation is None:
        return "function"
    # PyTorch's operators add up, whatever their mode is.
    mode = operation.get("mode") if operation.name == "quantized_bag" else "sum"
    return f"{mode} of bags" if is_encoded_bag(node) else operation.name


def _program(
    kind: str, node: Node, found: Found, inputs: list[Node], given: "_Given", least: int
) -> Program:
    """What is fixed of the kernel; raises _OtherSizeError."""
    statements, whole = found.statements, tensor_of(node)
    assert whole is not None
    names = [statements.inputs[one] for one in inputs]
    # One function for loops that are alike, but for the tables that they read.
    words = ("--share-loops",) if kind == BAGS else ()
    of_rows = _of_rows(statements, inputs, words)
    least_differentiated: int = (
        LEAST_DIFFERENTIATED if of_rows is None else LEAST_DIFFERENTIATED_OF_ROWS
    )
    if not found.irregular:
        least_differentiated = LEAST_DIFFERENTIATED_REDUCED
    elif len(found.nodes) >= OPERATIONS_OF_A_GRADIENT or statements.masks or kind in (BAG, BAGS):
        least_differentiated = 0
    others = {lookup.table for lookup in statements.lookups} if of_rows is None else set()
    # PyTorch adds up rows of half types as fast, but not blocks of them.
    are_half_rows = whole.dtype not in SUM_TYPES and not statements.reduces and of_rows is None
    are_half_rows = are_half_rows and not all(map(_is_of_blocks, found.tables))
    undifferentiated = frozenset(
        place
        for place, name in enumerate(names)
        if statements.has_own_gradients or are_half_rows or name in others
    )
    is_detached = torch.is_grad_enabled() and _cuts_gradients_of(node, inputs)
    is_of_rows = kind == ROWS and not least
    counts = [count for _, count in statements.masks.values()]
    return Program(
        statements.notation(*words),
        RESULT,
        tuple(names),
        given.sizes(_with_counts(statements), counts),
        whole.dtype,
        tuple(sizes for one in found.elements if (sizes := given.known_sizes(one)) is not None),
        least_differentiated,
        expected=tuple(statements.expected.values()),
        paddings=tuple(
            (place, statements.paddings[name])
            for place, name in enumerate(names)
            if name in statements.paddings and place not in undifferentiated
        ),
        undifferentiated=undifferentiated,
        without_gradient=frozenset(
            place
            for place, name in enumerate(names)
            if is_detached or name in statements.without_gradient
        ),
        lengths=tuple((name, given.size(one)) for name, one in statements.lengths.items()),
        given=len(given.nodes),
        of_rows=of_rows,
        rows=(_lookups_of(found, whole), inputs.index(found.tables[0])) if is_of_rows else None,
        ends=tuple(_ends(statements, inputs)),
        scatters=tuple(statements.scatters),
        totals=tuple(
            (given.function(lengths), given.size(total))
            for lengths, total in statements.totals.items()
        ),
        offsets=frozenset(statements.offsets),
        segments=tuple(
            (names.index(name), given.size(rows)) for name, rows in statements.segments.items()
        ),
        lookups=tuple(
            (given.nodes.index(table), given.nodes.index(places))
            for table, places in found.lookups
            if table in given.nodes and places in given.nodes
        ),
        are_bags=kind in (BAG, BAGS),
        is_maximum=kind == BAG and _MAXIMUM.search(statements.text) is not None,
        constants=tuple(statements.constants.items()),
        masks=tuple((name, given.function(mask)) for name, (mask, _) in statements.masks.items()),
        encoded=statements.of_bytes,
        least=least,
        operators=statements.operators,
    )


def _ends(statements: Statements, inputs: list[Node]) -> Iterator[End]:
    """Where there may be an end of each edge: tensors of integers, and rows of such."""
    for place, node in enumerate(inputs):
        tensor, name = tensor_of(node), statements.inputs[node]
        if tensor is None or tensor.dtype not in INDEX_TYPES or not tensor.dim():
            continue
        if is_one(tensor.shape[-1]):
            continue
        if tensor.dim() == 1:
            yield End(place, name)
        elif tensor.dim() == 2:
            rows = re.findall(rf"\b{name}\[(\d+),i\d+\]", statements.text)
            yield from (End(place, name, row) for row in sorted(set(map(int, rows))))


def _of_rows(statements: Statements, inputs: list[Node], words: Sequence[str]) -> OfRows | None:
    """The statements that are given what some lookups yield, if there are any; None without."""
    of_rows = statements.of_rows
    if of_rows is None:
        return None
    given = _Given(inputs, statements.given)
    tables = {statements.inputs[one]: place for place, one in enumerate(inputs)}
    names = {one: of_rows.inputs[one] for one in of_rows.read()}
    try:
        lookups = tuple(
            LookedUp(names[one.node], tables[one.table], given.function(one.places), one.options)
            for one in statements.lookups
            # Of some, the sizes alone are read.
            if one.node in names
        )
    except _OtherSizeError:
        return None
    is_same = bool(lookups) and of_rows.same == lookups[0].name
    notation = None if is_same else of_rows.notation(*words)
    return OfRows(notation, frozenset(names.values()), lookups)


def _cuts_gradients_of(root: Node, inputs: Collection[Node]) -> bool:
    """Whether no gradient comes through, though inputs have some."""
    return not requires_gradient(root) and any(map(requires_gradient, inputs))


class _OtherSizeError(Exception):
    """A size, or a tensor, is no function of what a call is given."""


@dataclass(frozen=True)
class _Given:
    """What a call is given; sources: of placeholders of the traced graph."""

    nodes: list[Node]
    sources: Mapping[Node, Node]

    def function(self, value: Node) -> Function:
        """A node of the traced graph as a function of it; raises _OtherSizeError."""
        places = {
            node: self.nodes.index(one) for node, one in self.sources.items() if one in self.nodes
        }
        if (found := function_of(value, places)) is None:
            raise _OtherSizeError
        return found

    def sizes(self, sizes: Iterable[Any], counts: Sequence[Any] = ()) -> Sizes:
        """Sizes as numbers, or as it has them; counts: what calls find out behind it."""
        return tuple(self.size(size, counts) for size in sizes)

    def known_sizes(self, sizes: Iterable[Any]) -> Sizes | None:
        """The same; None for others."""
        try:
            return self.sizes(sizes)
        except _OtherSizeError:
            return None

    def size(self, size: Any, counts: Sequence[Any] = ()) -> Size | Multiple:
        """A size as a number, or as an input has it or is it, but for a number that is added, or
        as a multiple of such; raises _OtherSizeError."""
        source: Size | Multiple | None = self._plain_size(size, counts)
        source = self._multiple(size) if source is None else source
        if source is None:
            raise _OtherSizeError
        return source

    def _plain_size(self, size: Any, counts: Sequence[Any] = ()) -> Size | None:
        if (number := known_number(size)) is not None:
            return number
        owns = [
            (own, (place, dimension))
            for place, sizes in enumerate([*map(_own_sizes, self.nodes), *([c] for c in counts)])
            for dimension, own in enumerate(sizes)
        ]
        same = ((*at, 0) for own, at in owns if same_number(own, size))
        added = ((*at, more) for own, at in owns if (more := known_number(size - own)) is not None)
        return next(same, None) or min(added, key=lambda one: abs(one[2]), default=None)

    def _multiple(self, size: Any) -> Multiple | None:
        """The size as a multiple of one that inputs have."""
        for place, one in enumerate(self.nodes):
            for dimension, own in enumerate(_own_sizes(one)):
                if known_number(own) is not None or not same_number(own * (size // own), size):
                    continue
                times = size // own
                # What is computed of other sizes is that of a block, which stays.
                if known_number(times) is not None or not times.node.expr.is_symbol:
                    return Multiple(place, dimension, fixed_size(times))
                if (source := self._plain_size(times)) is not None:
                    return Multiple(place, dimension, source)
        return None


def _own_sizes(node: Node) -> Iterable[Any]:
    """The sizes of a tensor, or sizes or a number themselves."""
    value = value_of(node)
    if isinstance(value, Tensor):
        return value.shape
    return value if isinstance(value, tuple) else (value,)
