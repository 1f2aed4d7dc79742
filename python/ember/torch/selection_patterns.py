"""Finds columns that a mask selects in FX graphs: edges[:, mask], weights[mask].

    mask = edges[0] != edges[1]
    kept = edges[:, mask]

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import operator
from typing import Any

import torch
from torch.fx import Node

from ember.torch.element_types import INDEX_TYPES
from ember.torch.operations import name_of, same_number, tensor_of
from ember.torch.region import Region
from ember.torch.selection import COPIED_TYPES, SelectionCall
from ember.torch.settings import Settings

_DIFFERENCES = (torch.ne, operator.ne, torch.ops.aten.ne.Tensor)


def selection_at(node: Node, settings: Settings) -> Region | None:
    """The region of a selection of columns by a mask; None for anything else.

    Its result has a size that depends on elements, which Inductor is spared.
    """
    if settings.rest == "inductor":
        return None
    x, mask = _selected(node)
    tensor, bits = tensor_of(x), tensor_of(mask)
    if not isinstance(x, Node) or not isinstance(mask, Node) or tensor is None or bits is None:
        return None
    if bits.dtype is not torch.bool or bits.dim() != 1 or tensor.is_complex():
        return None
    if tensor.dim() > 2 or tensor.itemsize not in COPIED_TYPES:
        return None
    if not same_number(tensor.shape[-1], bits.shape[0]):
        return None
    nodes, one, other = {node}, None, None
    if len(mask.users) == 1:
        one, other = _compared(mask)
    by, title = mask, f"columns of {name_of(x)} by {name_of(mask)}"
    inputs: tuple[Any, ...] = (x, mask, None, None)
    if one is not None:
        nodes.add(mask)
        inputs = (x, None, one, other)
        title = f"columns of {name_of(x)} where {name_of(one)} and {name_of(other)} differ"
    return Region(
        "selection",
        node,
        nodes,
        inputs,
        lambda reference: SelectionCall(reference, settings.kernel_options, settings.raises),
        title,
        {"x": name_of(x), "mask": name_of(by), "one": name_of(one), "other": name_of(other)},
    )


def _selected(node: Node) -> tuple[Any, Any]:
    """A tensor and the index of its last dimension, if a node takes all of the others."""
    if node.op != "call_function" or len(node.args) != 2 or node.kwargs:
        return None, None
    x, index = node.args
    if node.target is operator.getitem:
        every = slice(None)
    elif node.target is torch.ops.aten.index.Tensor:
        every = None
    else:
        return None, None
    tensor = tensor_of(x)
    indices = list(index) if isinstance(index, list | tuple) else [index]
    if (
        tensor is None
        or len(indices) != tensor.dim()
        or indices[:-1] != [every] * (tensor.dim() - 1)
    ):
        return None, None
    return x, indices[-1]


def _compared(mask: Node) -> tuple[Node | None, Node | None]:
    """Two rows of integers of one size and type that a mask is set where they differ."""
    if mask.target not in _DIFFERENCES or len(mask.args) != 2 or mask.kwargs:
        return None, None
    one, other = mask.args
    left, right = tensor_of(one), tensor_of(other)
    if left is None or right is None or left.dtype not in INDEX_TYPES:
        return None, None
    if left.dtype is not right.dtype or left.dim() != 1 or right.dim() != 1:
        return None, None
    if not same_number(left.shape[0], right.shape[0]):
        return None, None
    return one, other  # type: ignore[return-value]
