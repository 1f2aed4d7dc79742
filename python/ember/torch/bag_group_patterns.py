"""Finds bags and lookups that a model concatenates or stacks: recommendation models' tables.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.fx import Node

from ember.torch.bag_group import DENSE, GroupCall, Part, TableGradient
from ember.torch.element_types import INDEX_TYPES, VALUE_TYPES
from ember.torch.no_match import NoMatchError
from ember.torch.operations import (
    Operation,
    fixed_number,
    fixed_size,
    name_of,
    nodes_of,
    read,
    same_number,
    tensor_of,
    value_of,
)
from ember.torch.region import Region
from ember.torch.region_call import Reference
from ember.torch.settings import Settings

# A kernel for fewer is not worth more than the kernels of its parts.
LEAST_PARTS = 2
MODES = ("sum", "mean", "max")
# Maxima of rows and of bags differ in NaN.
REDUCTIONS = ("sum", "mean")


@dataclass
class Found:
    """A part of a concatenation: its inputs in the graph, and the nodes that compute it.

    part: None for a tensor to copy. gradient: of its table. reason: why a lookup is copied.
    """

    part: Part | None
    inputs: tuple[Any, ...]
    nodes: set[Node]
    gradient: TableGradient = DENSE
    reason: str = ""


def bag_group_at(node: Node, settings: Settings) -> Region | None:
    """The region of a concatenation of bags and rows; None if the node is another operation."""
    operation = read(node)
    if operation is None or operation.name not in ("cat", "stack"):
        return None
    tensors, whole = operation.get("tensors"), tensor_of(node)
    if not isinstance(tensors, list | tuple) or whole is None:
        return None
    stacked = operation.name == "stack"
    last = whole.dim() - 1
    if operation.get("dim", 0) not in ((1, -2) if stacked else (1, -1)) or last != 1 + stacked:
        return None
    found = [_part(one, node) for one in tensors]
    parts = [one for one in found if one.part is not None]
    alone = [f"{name_of(one.inputs[0])}: {one.reason}" for one in found if one.reason]
    if len(parts) < LEAST_PARTS:
        if len(parts) + len(alone) >= LEAST_PARTS:
            raise NoMatchError("rows are not put side by side by one kernel; " + "; ".join(alone))
        return None
    columns = _columns(tensors, found, whole)
    title = f"{len(parts)} tables' rows side by side"
    if len(parts) < len(found):
        title += f", with {len(found) - len(parts)} other tensors"
    if alone:
        title += f", among them {'; '.join(alone)}"
    gradients = [one.gradient for one in parts]

    def make(reference: Reference) -> GroupCall:
        count = len(tensors) if stacked else 0
        options = settings.kernel_options
        return GroupCall(reference, columns, count, options, settings.raises, gradients)

    return Region(
        "bags",
        node,
        {node}.union(*(one.nodes for one in parts)),
        tuple(value for one in found for value in one.inputs),
        make,
        title,
        {
            f"{operand}[{number}]": name_of(node)
            for number, one in enumerate(parts)
            for operand, node in zip(("table", "indices"), one.inputs, strict=False)
        },
    )


def _columns(tensors: Any, found: list[Found], whole: torch.Tensor) -> list[Part | int | None]:
    """What stands in each group of columns; raises NoMatchError where they do not fit together."""
    columns: list[Part | int | None] = []
    for node, one in zip(tensors, found, strict=True):
        tensor = tensor_of(node)
        if tensor is None or tensor.dim() != 2 or tensor.dtype != whole.dtype:
            raise NoMatchError("it joins tensors of other types or ranks with rows of tables")
        if not same_number(tensor.shape[0], whole.shape[0]):
            raise NoMatchError("there are not known to be as many bags in all of its parts")
        length = tensor.shape[1]
        columns.append(one.part or (length if isinstance(length, int) else None))
    return columns


def _part(node: Any, user: Node) -> Found:
    """What computes an operand of a concatenation; a tensor to copy if no part does."""
    copied = Found(None, (node,), set())
    operation = read(node) if isinstance(node, Node) else None
    if operation is None:
        return copied
    try:
        found = _lookup(node, operation)
    except NoMatchError as error:
        copied.reason = str(error)
        return copied
    if found is None:
        return copied
    if list(node.users) != [user]:
        copied.reason = "something else needs its rows, too"
        return copied
    return found


def _lookup(node: Node, operation: Operation) -> Found | None:
    """A bag, rows, or rows that are reduced; None for anything else.

    Raises NoMatchError with the reason where a lookup is no part of a group.
    """
    if operation.name == "embedding_bag":
        return _bag(node, operation)
    if operation.name == "embedding":
        return _rows(node, operation, None)
    if operation.name not in REDUCTIONS:
        return None
    rows = operation.get("self")
    looked_up = read(rows) if isinstance(rows, Node) else None
    if looked_up is None or looked_up.name != "embedding":
        return None
    if (
        operation.get("dim") not in (1, -2, (1,), [1])
        or operation.get("keepdim")
        or operation.get("dtype") is not None
    ):
        raise NoMatchError("they are not plain sums or means over each bag's lookups")
    if len(rows.users) != 1:
        raise NoMatchError("its rows have other uses than the reduction")
    found = _rows(rows, looked_up, operation.name)
    found.nodes.add(node)
    return found


def _bag(node: Node, operation: Operation) -> Found:
    gradient = _gradient(operation)
    padding = operation.get("padding_idx")
    if padding is not None and (not isinstance(padding, int) or padding < 0):
        raise NoMatchError("its padding_idx counts from the end, or is computed")
    padded = padding is not None
    has_last = operation.get("include_last_offset", False)
    names = ["weight", "input", "offsets"]
    weights = operation.get("per_sample_weights")
    mode = operation.get("mode")
    if weights is not None:
        names.append("per_sample_weights")
    inputs = tuple(operation.get(name) for name in names)
    table, indices, offsets = map(tensor_of, inputs[:3])
    kind = _kinds(table, indices)
    if mode not in MODES:
        raise NoMatchError(f"there is no kernel for mode {mode!r}")
    if inputs[2] is None:
        assert indices is not None
        if indices.dim() != 2 or weights is not None:
            raise NoMatchError("its bags are not (bags, lookups a bag), or are weighted")
        part = Part(mode, *kind, offset="i64", has_last=True, equal=True, padded=padded)
        return Found(part, (*inputs[:2], *[padding] * padded), nodes_of(node), gradient)
    offset = None if offsets is None else INDEX_TYPES.get(offsets.dtype)
    if offset is None or value_of(indices).dim() != 1 or (weights is not None and mode != "sum"):
        raise NoMatchError("there is no kernel for its offsets or weights")
    if weights is not None and value_of(weights).dtype != value_of(inputs[0]).dtype:
        raise NoMatchError("its weights are of another type than its rows")
    part = Part(mode, *kind, offset, has_last, weighted=weights is not None, padded=padded)
    return Found(part, (*inputs, *[padding] * padded), nodes_of(node), gradient)


def _rows(node: Node, operation: Operation, mode: str | None) -> Found:
    """Rows of a table, one for each index, or reduced by `mode` over the second dimension.

    A padding row counts as any other, and has no gradient.
    """
    gradient = _gradient(operation)
    inputs = (operation.get("weight"), operation.get("input"))
    table, indices = map(tensor_of, inputs)
    kind = _kinds(table, indices)
    padding = operation.get("padding_idx")
    if padding is not None:
        if mode == "mean":
            raise NoMatchError("a mean of rows with padding_idx has another gradient than a bag")
        padding = fixed_number(padding)
        if not isinstance(padding, int):
            raise NoMatchError("its padding_idx is computed")
        if padding < 0:
            padding += fixed_size(value_of(inputs[0]).shape[0])
        gradient = replace(gradient, padding=padding)
    if mode is not None and gradient.scale_grad_by_freq:
        raise NoMatchError("reduced rows with scale_grad_by_freq have another gradient than a bag")
    if indices is None or indices.dim() != (1 if mode is None else 2):
        raise NoMatchError("its rows are not one for each sample")
    if mode is None:
        return Found(Part("row", *kind), inputs, {node}, gradient)
    part = Part(mode, *kind, offset="i64", has_last=True, equal=True)
    return Found(part, inputs, {node}, gradient)


def _gradient(operation: Operation) -> TableGradient:
    """The gradient of a lookup's table but for a padding row's."""
    if operation.get("max_norm") is not None:
        raise NoMatchError("max_norm changes the table before the lookup")
    options = [operation.get(name, False) or False for name in ("sparse", "scale_grad_by_freq")]
    if not all(isinstance(option, bool) for option in options):
        raise NoMatchError("its options are computed")
    return TableGradient(*options)


def _kinds(table: torch.Tensor | None, indices: torch.Tensor | None) -> tuple[int, str, str]:
    """The length of rows and the types of values and indices."""
    if table is None or indices is None or table.dim() != 2:
        raise NoMatchError("its table or its indices are no matrix and no tensor")
    value, index = VALUE_TYPES.get(table.dtype), INDEX_TYPES.get(indices.dtype)
    if value is None or index is None:
        raise NoMatchError(f"rows of {table.dtype} by {indices.dtype} have no kernel")
    length = fixed_size(table.shape[1])
    if not length:
        raise NoMatchError("the length of its rows changes")
    return length, value, index
