"""Finds lookups of rows in FX graphs: index_select, x[index], F.embedding.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from dataclasses import dataclass

from torch.fx import Node

from ember.torch.element_types import INDEX_TYPES
from ember.torch.graph.operations import read, tensor_of


@dataclass
class Lookup:
    """Rows of x by an index (edges,)."""

    x: Node
    index: Node
    node: Node


def lookup_at(node: Node, any_gradient: bool = False) -> Lookup | None:
    """A lookup of rows by a one-dimensional index; None for any other operation.

    any_gradient: of F.embedding with options that change its gradient, too.
    """
    operation = read(node)
    if operation is None or operation.in_place:
        return None
    x = index = None
    if operation.name == "index_select":
        x, index = operation.get("self"), operation.get("index")
        table = tensor_of(x)
        if table is None or operation.get("dim") not in (0, -table.dim()):
            return None
    elif operation.name == "getitem":
        x, index = operation.get("self"), operation.get("index")
    elif operation.name == "embedding":
        if operation.get("max_norm") is not None:
            return None
        has_option = operation.get("padding_idx") is not None or any(
            operation.get(name) for name in ("sparse", "scale_grad_by_freq")
        )
        if has_option and not any_gradient:
            return None
        x, index = operation.get("weight"), operation.get("input")
    places, table = tensor_of(index), tensor_of(x)
    if not isinstance(x, Node) or not isinstance(index, Node) or places is None or table is None:
        return None
    if places.dim() != 1 or places.dtype not in INDEX_TYPES or table.dim() == 0:
        return None
    return Lookup(x, index, node)
