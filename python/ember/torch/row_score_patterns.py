"""Finds expressions over looked-up rows that end in a number for each lookup.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from typing import Any

import torch
from torch import Tensor
from torch.fx import Node

from ember.torch.element_types import INDEX_TYPES, SUM_TYPES
from ember.torch.lookups import lookup_at
from ember.torch.no_match import NoMatchError
from ember.torch.operations import (
    Operation,
    fixed_size,
    name_of,
    read,
    same_number,
    tensor_of,
    value_of,
)
from ember.torch.region import Region
from ember.torch.region_call import Reference
from ember.torch.row_expressions import (
    BINARY,
    UNARY,
    Expression,
    RowProgram,
    applied,
    number,
    squared,
    summed,
)
from ember.torch.row_score import RowScoreCall
from ember.torch.settings import Settings

# A longer expression is no embedding operation any more.
MOST_NODES = 200


def row_score_at(node: Node, settings: Settings) -> Region | None:
    """The region of an expression whose last operation is `node`; None if it is none."""
    whole = tensor_of(node)
    if whole is None or whole.dim() > 2 or whole.dtype not in SUM_TYPES or not _may_be(node):
        return None
    kept = whole.dim() == 2
    if whole.dim() == 0 or (kept and not same_number(whole.shape[1], 1)):
        return None
    reader = _Reader(whole)
    try:
        expression = reader.read(node)
    except _OtherError:
        return None
    if expression.is_row or not reader.rows or expression.depth == 0:
        return None
    tables, indices = list(reader.tables), list(reader.indices)
    program = RowProgram(
        expression,
        reader.length,
        SUM_TYPES[whole.dtype],
        INDEX_TYPES[value_of(indices[0]).dtype],
        tuple(reader.widths[table] for table in tables),
        len(indices),
        len(reader.arguments),
    )
    inputs = (*tables, *indices, *reader.arguments, *reader.expected)
    first = len(inputs) - len(reader.expected)
    expected = dict(enumerate(reader.expected.values(), first))

    def make(reference: Reference) -> RowScoreCall:
        return RowScoreCall(
            reference, program, expected, kept, settings.kernel_options, settings.raises
        )

    names = ", ".join(sorted({name_of(table) for table in tables}))
    region = Region(
        "row_score",
        node,
        reader.nodes,
        inputs,
        make,
        f"numbers from {len(reader.rows)} rows of {names}",
        {
            **{f"table[{k}]": name_of(one) for k, one in enumerate(tables)},
            **{f"indices[{k}]": name_of(one) for k, one in enumerate(indices)},
        },
    )
    if internal := region.internal():
        raise NoMatchError(f"{internal[0].name}, a part of it, has other uses")
    return region


def _may_be(node: Node) -> bool:
    """Whether the node's operation is one that expressions may end in."""
    operation = read(node)
    return operation is not None and (
        operation.name in UNARY
        or operation.name in BINARY
        or operation.name in ("sum", "mean", "norm", "linalg_vector_norm", "sigmoid", "rsub")
        or operation.name == "squeeze"
    )


def _is_single(tensor: Tensor) -> bool:
    """Whether a tensor is (1,), for which lookups would not be counted."""
    return tensor.dim() == 1 and isinstance(tensor.shape[0], int) and tensor.shape[0] == 1


class _OtherError(Exception):
    """The graph computes something else than an expression over rows."""


class _Reader:
    """Reads a node and what it is computed from as an expression."""

    def __init__(self, whole: Tensor) -> None:
        self.dtype = whole.dtype
        self.lookups = whole.shape[0]
        self.length = 0
        self.tables: dict[Node, int] = {}
        self.widths: dict[Node, int] = {}
        self.indices: dict[Node, int] = {}
        self.arguments: dict[Node, int] = {}
        self.expected: dict[Node, float] = {}
        self.nodes: set[Node] = set()
        self.rows: set[Expression] = set()
        self._read: dict[Node, Expression] = {}

    def read(self, node: Any) -> Expression:
        """The expression; raises _OtherError."""
        if not isinstance(node, Node):
            return self._number(node)
        if node not in self._read:
            if len(self._read) > MOST_NODES:
                raise _OtherError
            self._read[node] = self._node(node)
        return self._read[node]

    def _number(self, value: Any) -> Expression:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise _OtherError
        if not math.isfinite(value):
            raise _OtherError
        return number(float(value))

    def _node(self, node: Node) -> Expression:
        tensor = tensor_of(node)
        if tensor is None:
            if not isinstance(value_of(node), float | int | torch.SymFloat | torch.SymInt):
                raise _OtherError
            place = self.arguments.setdefault(node, len(self.arguments))
            return Expression("argument", (place,))
        if tensor.dtype != self.dtype:
            raise _OtherError
        if node.op in ("placeholder", "get_attr") and _is_single(tensor):
            # A bias that all lookups have in common.
            return Expression("only", (self._table(node, 0),))
        found = lookup_at(node, any_gradient=True)
        if found is not None:
            return self._row(node, found.x, found.index, tensor)
        operation = read(node)
        if operation is None or operation.in_place or "alpha" in operation.arguments:
            raise _OtherError
        expression = self._operation(operation)
        self._check_shape(expression, tensor)
        self.nodes.add(node)
        return expression

    def _row(self, node: Node, table: Node, index: Node, tensor: Tensor) -> Expression:
        if tensor.dim() not in (1, 2) or not same_number(tensor.shape[0], self.lookups):
            raise _OtherError
        kinds = {value_of(one).dtype for one in (*self.indices, index)}
        if len(kinds) != 1:
            raise _OtherError
        length = fixed_size(tensor.shape[1]) if tensor.dim() == 2 else 0
        if length > 1 and self.length not in (0, length):
            raise _OtherError
        self.nodes.add(node)
        place = self.indices.setdefault(index, len(self.indices))
        operands = (self._table(table, length), place)
        if length < 2:
            # Biases: one number a row.
            return Expression("cell", operands)
        self.length = length
        row = Expression("row", operands, True)
        self.rows.add(row)
        return row

    def _table(self, node: Node, width: int) -> int:
        self.widths[node] = width
        return self.tables.setdefault(node, len(self.tables))

    def _check_shape(self, expression: Expression, tensor: Tensor) -> None:
        """Raises _OtherError unless the value is a row or a number for each lookup."""
        if not tensor.dim() or not same_number(tensor.shape[0], self.lookups):
            raise _OtherError
        sizes = tensor.shape[1:]
        if expression.is_row:
            if len(sizes) != 1 or not same_number(sizes[0], self.length):
                raise _OtherError
        elif len(sizes) > 1 or (sizes and not same_number(sizes[0], 1)):
            raise _OtherError

    def _operation(self, operation: Operation) -> Expression:
        name, operand = operation.name, operation.get("self")
        if name in ("squeeze", "unsqueeze", "view", "reshape", "flatten"):
            # A number for each lookup stays one; the shape is looked at.
            expression = self.read(operand)
            if expression.is_row:
                raise _OtherError
            return expression
        if name in UNARY:
            return applied(name, self.read(operand))
        if name in BINARY or name == "rsub":
            one, other = operand, operation.get("other")
            if name == "rsub":
                one, other, name = other, one, "sub"
            self._check_broadcast(one, other)
            return applied(name, self.read(one), self.read(other))
        if name == "pow" and operation.get("exponent") == 2:
            return squared(self.read(operand))
        if name == "sigmoid":
            exponential = applied("exp", applied("neg", self.read(operand)))
            return applied("div", number(1.0), applied("add", number(1.0), exponential))
        if name in ("sum", "mean"):
            rows = self._reduced(operand, operation)
            total = summed(*rows)
            if name == "sum":
                return total
            return applied("div", total, number(float(self.length * len(rows))))
        if name in ("norm", "linalg_vector_norm"):
            order = operation.get("p" if name == "norm" else "ord", 2)
            return _norm(self._reduced(operand, operation), self._fixed(order))
        if name == "normalize":
            if operation.get("dim", 1) not in (1, -1) or operation.get("out") is not None:
                raise _OtherError
            row = self.read(operand)
            length = _norm((row,), self._fixed(operation.get("p", 2.0)))
            least = number(float(operation.get("eps", 1e-12)))
            return applied("div", row, applied("maximum", length, least))
        raise _OtherError

    def _check_broadcast(self, *operands: Any) -> None:
        """Raises _OtherError where a number for each lookup is not beside rows as a column."""
        ranks = {
            tensor.dim()
            for tensor in map(tensor_of, operands)
            if tensor is not None and not _is_single(tensor)
        }
        if len(ranks) > 1:
            raise _OtherError

    def _reduced(self, operand: Any, operation: Operation) -> tuple[Expression, ...]:
        """The rows that are reduced over all dimensions but the first."""
        if operation.get("dtype") is not None:
            raise _OtherError
        dim = operation.get("dim")
        stacked = read(operand) if isinstance(operand, Node) else None
        if stacked is not None and stacked.name == "stack":
            tensors = stacked.get("tensors")
            if stacked.get("dim") not in (2, -1) or tuple(dim or ()) not in ((1, 2), (-2, -1)):
                raise _OtherError
            rows = tuple(map(self.read, tensors))
            self.nodes.add(operand)
        else:
            if dim not in (1, -1, (1,), (-1,), [1], [-1]):
                raise _OtherError
            rows = (self.read(operand),)
        if not all(row.is_row for row in rows):
            raise _OtherError
        return rows

    def _fixed(self, order: Any) -> float:
        """A number that the program is written for."""
        value = value_of(order)
        if isinstance(value, torch.SymFloat | torch.SymInt):
            hint = value.node.hint
            if hint is None:
                raise _OtherError
            value = self.expected[order] = float(hint)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise _OtherError
        return float(value)


def _norm(rows: tuple[Expression, ...], order: float) -> Expression:
    if order == 1.0:
        return summed(*(applied("abs", row) for row in rows))
    if order == 2.0:
        return applied("sqrt", summed(*(squared(row) for row in rows)))
    raise _OtherError
