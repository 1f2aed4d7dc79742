"""Finds bags and lookups that a model concatenates or stacks: recommendation models' tables.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Node

from ember.torch.aggregation_kernel import INDEX_TYPES, VALUE_TYPES
from ember.torch.bag_group import GroupCall, Part
from ember.torch.no_match import NoMatchError
from ember.torch.operations import (
    Operation,
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
    """A part of a concatenation: its inputs in the graph, and the nodes that compute it."""

    part: Part | None
    inputs: tuple[Any, ...]
    nodes: set[Node]


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
    if len(parts) < LEAST_PARTS:
        return None
    columns = _columns(tensors, found, whole)
    title = f"{len(parts)} tables' rows side by side"
    if len(parts) < len(found):
        title += f", with {len(found) - len(parts)} other tensors"

    def make(reference: Reference) -> GroupCall:
        count = len(tensors) if stacked else 0
        return GroupCall(reference, columns, count, settings.kernel_options, settings.raises)

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
    if not isinstance(node, Node) or list(node.users) != [user]:
        return copied
    operation = read(node)
    if operation is None:
        return copied
    if operation.name == "embedding_bag":
        return _bag(node, operation) or copied
    if operation.name == "embedding":
        return _rows(node, operation, None) or copied
    if operation.name in REDUCTIONS:
        rows = operation.get("self")
        looked_up = read(rows) if isinstance(rows, Node) else None
        if (
            looked_up is not None
            and looked_up.name == "embedding"
            and operation.get("dim") in (1, -2, (1,), [1])
            and not operation.get("keepdim")
            and operation.get("dtype") is None
            and len(rows.users) == 1
        ):
            found = _rows(rows, looked_up, operation.name)
            if found is not None:
                found.nodes.add(node)
                return found
    return copied


def _bag(node: Node, operation: Operation) -> Found | None:
    if _is_unusual(operation):
        return None
    padding = operation.get("padding_idx")
    if padding is not None and (not isinstance(padding, int) or padding < 0):
        return None
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
    if kind is None or mode not in MODES:
        return None
    if inputs[2] is None:
        assert indices is not None
        if indices.dim() != 2 or weights is not None:
            return None
        part = Part(mode, *kind, offset="i64", has_last=True, equal=True, padded=padded)
        return Found(part, (*inputs[:2], *[padding] * padded), nodes_of(node))
    offset = None if offsets is None else INDEX_TYPES.get(offsets.dtype)
    if offset is None or value_of(indices).dim() != 1 or (weights is not None and mode != "sum"):
        return None
    if weights is not None and value_of(weights).dtype != value_of(inputs[0]).dtype:
        return None
    part = Part(mode, *kind, offset, has_last, weighted=weights is not None, padded=padded)
    return Found(part, (*inputs, *[padding] * padded), nodes_of(node))


def _rows(node: Node, operation: Operation, mode: str | None) -> Found | None:
    """Rows of a table, one for each index, or reduced by `mode` over the second dimension."""
    # A padding row counts as any other, and has no gradient.
    if _is_unusual(operation) or operation.get("padding_idx") is not None:
        return None
    inputs = (operation.get("weight"), operation.get("input"))
    table, indices = map(tensor_of, inputs)
    kind = _kinds(table, indices)
    if kind is None or indices is None or indices.dim() != (1 if mode is None else 2):
        return None
    if mode is None:
        return Found(Part("row", *kind), inputs, {node})
    return Found(Part(mode, *kind, offset="i64", has_last=True, equal=True), inputs, {node})


def _is_unusual(operation: Operation) -> bool:
    """Whether a lookup has options that parts have not."""
    unusual = ("max_norm", "scale_grad_by_freq", "sparse")
    return any(
        (value := operation.get(name)) is not None and value is not False for name in unusual
    )


def _kinds(table: torch.Tensor | None, indices: torch.Tensor | None) -> tuple[int, str, str] | None:
    """The length of rows and the types of values and indices; None without a kernel for them."""
    if table is None or indices is None or table.dim() != 2:
        return None
    value, index = VALUE_TYPES.get(table.dtype), INDEX_TYPES.get(indices.dtype)
    if value is None or index is None:
        return None
    length = fixed_size(table.shape[1])
    return (length, value, index) if length else None
