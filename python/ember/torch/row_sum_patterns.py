"""Finds lookups of many rows, and sums of rows of several tables, in FX graphs.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
import operator
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor
from torch.fx import Node

from ember.torch.element_types import INDEX_TYPES, SUM_TYPES, VALUE_TYPES
from ember.torch.no_match import AsFastError, NoMatchError
from ember.torch.operations import (
    Operation,
    fixed_number,
    fixed_size,
    name_of,
    read,
    same_number,
    tensor_of,
)
from ember.torch.region import Region
from ember.torch.region_call import Reference
from ember.torch.row_sum import RowSum, RowSumCall, Term, why_slower
from ember.torch.settings import Settings


@dataclass(frozen=True)
class LookedUp:
    """Rows of a table by an index of any rank, times a number."""

    node: Node
    table: Node
    index: Node
    term: Term


def row_sum_at(node: Node, settings: Settings) -> Region | None:
    """The region of a lookup, or of a sum of lookups, whose last operation is `node`."""
    whole, operation = tensor_of(node), _read(node)
    if whole is None or operation is None or whole.dim() < 2 or whole.dtype not in VALUE_TYPES:
        return None
    if operation.name == "embedding" and operation.get("max_norm") is not None:
        raise NoMatchError("max_norm changes the rows that are looked up")
    nodes: set[Node] = set()
    rows = _terms(node, whole, nodes)
    if not rows:
        return None
    computes = len(rows) > 1 or rows[0].term.factor != 1
    if computes and whole.dtype not in SUM_TYPES:
        return None
    matrix, length = tensor_of(rows[0].table), whole.shape[-1]
    assert matrix is not None
    row_bytes = _likely((length,)) * whole.dtype.itemsize
    slower = why_slower(
        len(rows),
        _likely(whole.shape[:-1]),
        row_bytes,
        _likely(matrix.shape[:1]) * row_bytes,
        _likely(whole.shape),
    )
    if slower and len(rows) > 1:
        # Each of the lookups has a reason of its own.
        return None
    if slower:
        raise AsFastError(slower)
    program = RowSum(tuple(one.term for one in rows), fixed_size(length), VALUE_TYPES[whole.dtype])

    def make(reference: Reference) -> RowSumCall:
        return RowSumCall(reference, program, settings.kernel_options, settings.raises)

    tables, indices = [one.table for one in rows], [one.index for one in rows]
    names = ", ".join(name_of(table) for table in tables)
    region = Region(
        "rows",
        node,
        nodes,
        (*tables, *indices),
        make,
        f"sums of rows of {names}" if len(rows) > 1 else f"rows of {names}",
        {
            **{f"table[{k}]": name_of(one) for k, one in enumerate(tables)},
            **{f"indices[{k}]": name_of(one) for k, one in enumerate(indices)},
        },
    )
    if internal := region.internal():
        raise NoMatchError(f"{internal[0].name}, a part of it, has other uses")
    return region


def _read(node: Node) -> Operation | None:
    """The operation of a node. Rows that are added to in place are nobody else's: they are new."""
    if node.target is operator.iadd:
        return Operation("add", dict(zip(("self", "other"), node.args, strict=True)))
    return read(node)


def _likely(sizes: Any) -> int:
    """How many elements there are of these sizes in the call that the graph is captured for."""
    found = 1
    for size in sizes:
        hint = size.node.hint if isinstance(size, torch.SymInt) else size
        found *= hint or 0
    return found


def _terms(node: Any, whole: Tensor, nodes: set[Node]) -> list[LookedUp]:
    """The lookups that a node is the sum of, with their factors; empty if it is none."""
    tensor = tensor_of(node)
    operation = _read(node) if isinstance(node, Node) else None
    if tensor is None or operation is None or tensor.dtype != whole.dtype or operation.in_place:
        return []
    nodes.add(node)
    found = looked_up(node, operation, tensor, whole)
    if found is not None:
        return [found]
    one, other = operation.get("self"), operation.get("other")
    if operation.get("alpha") is not None:
        return []
    if operation.name in ("mul", "div"):
        number = other if not isinstance(other, Node) else one
        operand = one if not isinstance(other, Node) else other
        if isinstance(number, bool) or not isinstance(number, int | float):
            return []
        if not math.isfinite(number):
            return []
        if operation.name == "div" and (operand is not one or not number):
            return []
        factor = float(number) if operation.name == "mul" else 1 / float(number)
        return _scaled(_terms(operand, whole, nodes), factor)
    if operation.name in ("add", "sub"):
        left = _terms(one, whole, nodes)
        right = _terms(other, whole, nodes) if left else []
        if not right:
            return []
        return [*left, *_scaled(right, -1.0 if operation.name == "sub" else 1.0)]
    return []


def _scaled(rows: list[LookedUp], factor: float) -> list[LookedUp]:
    return [replace(one, term=replace(one.term, factor=one.term.factor * factor)) for one in rows]


def looked_up(node: Node, operation: Operation, tensor: Tensor, whole: Tensor) -> LookedUp | None:
    """A lookup of rows of a matrix that stays as it is; they are as long as those of `whole`."""
    if operation.name == "embedding":
        table, index = operation.get("weight"), operation.get("input")
    elif operation.name == "index_select":
        table, index = operation.get("self"), operation.get("index")
        if operation.get("dim") not in (0, -2):
            return None
    elif operation.name == "getitem":
        table, index = operation.get("self"), operation.get("index")
        if isinstance(index, tuple) and len(index) == 1:
            (index,) = index
    else:
        return None
    matrix, places = tensor_of(table), tensor_of(index)
    if not isinstance(table, Node) or not isinstance(index, Node):
        return None
    if matrix is None or places is None or matrix.dim() != 2 or places.dim() < 1:
        return None
    if places.dtype not in INDEX_TYPES or not same_number(tensor.shape[-1], whole.shape[-1]):
        return None
    if operation.name != "embedding":
        return LookedUp(node, table, index, Term(1.0, INDEX_TYPES[places.dtype]))
    if operation.get("max_norm") is not None:
        return None
    padding: Any = operation.get("padding_idx")
    if padding is not None:
        padding = fixed_number(padding)
        if padding < 0:
            padding += fixed_size(matrix.shape[0])
    term = Term(
        1.0,
        INDEX_TYPES[places.dtype],
        True,
        -1 if padding is None else padding,
        bool(operation.get("scale_grad_by_freq")),
        bool(operation.get("sparse")),
    )
    return LookedUp(node, table, index, term)
