"""Operations whose elements lie at places that tensors of integers have.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch.fx import Node

from ember.torch.element_types import INDEX_TYPES, SUM_TYPES
from ember.torch.graph.operations import Operation, read, same_number, tensor_of
from ember.torch.graph.remembered import remembered

# Those that look up, with their parameters: in what, and where.
_LOOKUPS = {
    "embedding": ("weight", "input"),
    "embedding_bag_4bit_rowwise_offsets": ("weight", "indices"),
    "embedding_bag_byte_rowwise_offsets": ("weight", "indices"),
    "gather": ("self", "index"),
    "getitem": ("self", "index"),
    "index": ("self", "indices"),
    "index_select": ("self", "index"),
    "class_rows": ("table", "places"),
    "class_rows_along": ("table", "places"),
    "quantized_bag": ("rows", "indices"),
    "quantized_rows": ("rows", "indices"),
    "take": ("self", "index"),
    "take_along_dim": ("self", "indices"),
}
# Those that combine elements, with their parameters: what, and where.
SCATTERS = {
    "index_add": ("source", "index"),
    "index_put": ("values", "indices"),
    "index_reduce": ("source", "index"),
    "class_sums": ("rows", "places"),
    "put": ("source", "index"),
    "scatter_add": ("src", "index"),
    "scatter_reduce": ("src", "index"),
}


@remembered
def is_irregular(node: Node) -> bool:
    """Whether a node looks elements up, or combines them at places."""
    return looked_up_in(node) is not None or scattered_by(node) is not None


@remembered
def looked_up_in(node: Node) -> Node | None:
    """What a node looks elements up in, at places that a tensor of integers has."""
    operation = read(node)
    if operation is None or operation.in_place:
        return None
    return _at_places(operation, *_LOOKUPS.get(operation.name, ("", "")))


@remembered
def scattered_by(node: Node) -> Node | None:
    """What a node combines at places that a tensor of integers has."""
    operation = read(node)
    if operation is None:
        return None
    if operation.name == "segment_reduce":
        given = "lengths" if operation.get("offsets") is None else "offsets"
        return _at_places(operation, "data", given)
    if operation.name == "scatter":
        # Without a reduction, it writes; the fourth parameter is a tensor, or a number.
        given = "src" if "src" in operation.arguments else "value"
        return _at_places(operation, given, "index") if operation.get("reduce") else None
    return _at_places(operation, *SCATTERS.get(operation.name, ("", "")))


@remembered
def table_of_bags(node: Node) -> Node | None:
    """What a node looks bags up in and reduces them by itself; None for any other node."""
    operation = read(node)
    if operation is None or operation.name != "embedding_bag":
        return None
    table = operation.get("weight")
    return table if isinstance(table, Node) and tensor_of(table) is not None else None


def offsets_of_bags(node: Node) -> Any:
    """Where a node's bags begin, if that is given."""
    operation = read(node)
    return None if operation is None else operation.get("offsets")


def has_own_gradient(node: Node) -> bool:
    """Whether the gradient of a node's bags is PyTorch's: so would be that of all that one kernel
    computes of them."""
    operation, table = read(node), tensor_of(table_of_bags(node))
    if operation is None or table is None:
        return False
    is_summed = table.dtype in SUM_TYPES and operation.get("mode") != "max"
    return not is_summed or bool(operation.get("scale_grad_by_freq"))


def selected_in(node: Node) -> tuple[Node, Node] | None:
    """A tensor, and a mask of the last of its dimensions, where a node selects what is at its ones
    of all others."""
    operation = read(node)
    if operation is None or operation.in_place:
        return None
    tensor, every = operation.get("self"), None
    if operation.name == "getitem":
        indices, every = list(_indices(operation.get("index"))), slice(None)
    elif operation.name == "index":
        indices = list(_indices(operation.get("indices")))
    else:
        return None
    mask = indices.pop() if indices else None
    whole, bits = tensor_of(tensor), tensor_of(mask)
    if not isinstance(tensor, Node) or not isinstance(mask, Node) or whole is None or bits is None:
        return None
    is_of_columns = bits.dtype is torch.bool and bits.dim() == 1
    if not is_of_columns or indices != [every] * (whole.dim() - 1):
        return None
    return (tensor, mask) if same_number(whole.shape[-1], bits.shape[0]) else None


def lengths_of_scatters(nodes: Iterable[Node]) -> list[Any]:
    """How many rows nodes combine at places: the number of edges of a graph, mostly."""
    scattered = [tensor_of(one) for one in map(scattered_by, nodes) if one is not None]
    return [one.shape[0] for one in scattered if one is not None and one.dim()]


def is_along(node: Node, lengths: Iterable[Any]) -> bool:
    """Whether a node has an element, or a row, for each of so many ones."""
    tensor = tensor_of(node)
    if tensor is None or not tensor.dim():
        return False
    return any(same_number(tensor.shape[0], length) for length in lengths)


def _at_places(operation: Operation, elements: str, places: str) -> Node | None:
    found = operation.get(elements)
    is_irregular = any(map(_is_of_places, _indices(operation.get(places))))
    return (
        found if is_irregular and isinstance(found, Node) and tensor_of(found) is not None else None
    )


def _indices(index: Any) -> Iterator[Any]:
    yield from index if isinstance(index, tuple | list) else (index,)


def _is_of_places(index: Any) -> bool:
    if isinstance(index, list):
        return all(isinstance(one, int) for one in index)
    tensor = tensor_of(index)
    return (
        isinstance(index, Node)
        and tensor is not None
        and tensor.dtype in (*INDEX_TYPES, torch.bool)
    )
