"""Finds products of pairs of each sample's rows in FX graphs: DLRM's dot interaction.

    products = torch.bmm(rows, rows.transpose(1, 2))
    torch.cat([dense, products[:, pairs[0], pairs[1]]], 1)

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import sys
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Node

from ember.torch.einsum import einsum_at
from ember.torch.element_types import SUM_TYPES
from ember.torch.no_match import AsFastError, NoMatchError
from ember.torch.operations import Operation, fixed_size, name_of, read, same_number, tensor_of
from ember.torch.pair_positions import Places, places_of
from ember.torch.pair_products import PairProductsCall
from ember.torch.pair_programs import PairProgram
from ember.torch.region import Region
from ember.torch.region_call import Reference
from ember.torch.settings import Settings
from ember.torch.transposes import transposed

# Of rows from this length on, PyTorch multiplies all pairs as fast as a kernel most of them.
LONG_ROWS = 128


@dataclass(frozen=True)
class _Pairs:
    """Products of pairs: the rows, the places of pairs, and the nodes that compute them."""

    rows: Node
    places: Places
    nodes: frozenset[Node]
    count: int
    pairs: int | None


def pair_products_at(node: Node, settings: Settings) -> Region | None:
    """The region of products of pairs, or of a concatenation with them, that ends at `node`."""
    operation = read(node)
    if operation is not None and operation.name == "cat":
        return _beside(node, operation, settings)
    pairs = _pairs_at(node)
    return None if pairs is None else _region(node, pairs, (), (None,), settings)


def _region(
    node: Node,
    pairs: _Pairs,
    beside: tuple[Node, ...],
    lengths: tuple[int | None, ...],
    settings: Settings,
) -> Region:
    rows, places = tensor_of(pairs.rows), pairs.places
    assert rows is not None
    if rows.dtype not in SUM_TYPES:
        kind = str(rows.dtype).removeprefix("torch.")
        raise NoMatchError(f"rows are {kind}: kernels of pairs have float32 and float64")
    length = fixed_size(rows.shape[2])
    is_most = pairs.pairs is not None and 4 * pairs.pairs > 3 * pairs.count**2
    if is_most and length >= LONG_ROWS:
        raise AsFastError("PyTorch multiplies all pairs of long rows as fast")
    program = PairProgram(
        pairs.count,
        length,
        SUM_TYPES[rows.dtype],
        places.kind,
        places.index,
        pairs.pairs,
        lengths,
    )

    def make(reference: Reference) -> PairProductsCall:
        return PairProductsCall(
            reference, program, places, settings.kernel_options, settings.raises
        )

    title = f"products of pairs of rows of {name_of(pairs.rows)}"
    if beside:
        title += f", with {len(beside)} other tensor{'s' if len(beside) > 1 else ''}"
    region = Region(
        "pair_products",
        node,
        {node, *pairs.nodes},
        (pairs.rows, *places.inputs, *beside),
        make,
        title,
        {"rows": name_of(pairs.rows)},
        places.nodes,
    )
    for one in region.internal():
        if one not in places.nodes:
            raise NoMatchError(f"{one.name}, a part of it, has other uses")
    return region


def _beside(node: Node, operation: Operation, settings: Settings) -> Region | None:
    """The region of products that a concatenation puts beside other columns."""
    tensors, whole = operation.get("tensors"), tensor_of(node)
    if not isinstance(tensors, list | tuple) or whole is None or whole.dim() != 2:
        return None
    if operation.get("dim", 0) not in (1, -1):
        return None
    for place, one in enumerate(tensors):
        if not isinstance(one, Node) or list(one.users) != [node]:
            continue
        pairs = _pairs_at(one)
        if pairs is None or one in (*tensors[:place], *tensors[place + 1 :]):
            continue
        others = [other for other in tensors if other is not one]
        lengths = [_columns(other, whole) for other in others]
        if None in lengths:
            return None
        nodes = pairs.nodes | {one}
        pairs = _Pairs(pairs.rows, pairs.places, nodes, pairs.count, pairs.pairs)
        lengths.insert(place, None)
        return _region(node, pairs, tuple(others), tuple(lengths), settings)
    return None


def _columns(node: Any, whole: torch.Tensor) -> int | None:
    """How many columns of a concatenation a tensor has; None where a kernel cannot copy it."""
    tensor = tensor_of(node)
    if tensor is None or tensor.dim() != 2 or tensor.dtype != whole.dtype:
        return None
    length = tensor.shape[1]
    return None if _size_of_call(length) is None else fixed_size(length) or None


def _pairs_at(node: Node) -> _Pairs | None:
    """The products of pairs that a node takes from all products."""
    taken, whole = _taken(node), tensor_of(node)
    if taken is None or whole is None or whole.dim() != 2:
        return None
    source, keys = taken
    nodes = {node}
    while isinstance(source, Node) and _is_whole(source):
        nodes.add(source)
        source = source.args[0]
    products = tensor_of(source)
    if products is None or not isinstance(source, Node):
        return None
    if products.dim() == 2 and len(keys) == 1:
        nodes.add(source)
        operation = read(source)
        if operation is None or operation.name not in ("view", "reshape", "flatten"):
            return None
        source = operation.get("self")
        flattened, products = products, tensor_of(source)
        if products is None or not isinstance(source, Node) or products.dim() != 3:
            return None
        if not same_number(flattened.shape[0], products.shape[0]):
            return None
    elif products.dim() != 3 or (len(keys) == 1 and not _is_mask(keys[0])):
        return None
    found = _products(source)
    if found is None or products.dtype != whole.dtype:
        return None
    rows, own = found
    tensor = tensor_of(rows)
    if tensor is None or tensor.dim() != 3 or tensor.dtype != products.dtype:
        return None
    if any(_size_of_call(size) is None for size in tensor.shape[1:]):
        return None
    count = fixed_size(tensor.shape[1])
    places = places_of(keys, count)
    if places is None or not fixed_size(tensor.shape[2]):
        return None
    pairs = whole.shape[1] if isinstance(whole.shape[1], int) else None
    return _Pairs(rows, places, frozenset({*nodes, *own, *places.nodes}), count, pairs)


def _size_of_call(size: Any) -> int | None:
    """A size in the call that the graph is captured for; None where elements decide it."""
    return size.node.hint if isinstance(size, torch.SymInt) else int(size)


def _is_whole(node: Node) -> bool:
    """Whether a node is a slice that leaves nothing out, as torch.export has them for `:`."""
    if node.target is not torch.ops.aten.slice.Tensor or node.kwargs:
        return False
    arguments: list[Any] = list(node.args[2:])
    start, end, step = arguments + [None, sys.maxsize, 1][len(arguments) :]
    return start in (None, 0) and end in (None, sys.maxsize) and bool(step == 1)


def _is_mask(key: Any) -> bool:
    tensor = tensor_of(key)
    return tensor is not None and tensor.dtype == torch.bool and tensor.dim() == 2


def _taken(node: Node) -> tuple[Any, list[Any]] | None:
    """What elements are taken from, and by which keys behind the first dimension."""
    source: Any
    keys: Any
    if node.target is torch.ops.aten.index.Tensor:
        source, keys = node.args
        keys = [slice(None) if key is None else key for key in keys]
    else:
        operation = read(node)
        if operation is None:
            return None
        source = operation.get("self")
        if operation.name == "index_select":
            if operation.get("dim") not in (1, -1):
                return None
            keys = [slice(None), operation.get("index")]
        elif operation.name == "getitem" and isinstance(operation.get("index"), tuple):
            keys = list(operation.get("index"))
        else:
            return None
    if len(keys) not in (2, 3) or keys[0] not in (slice(None), Ellipsis):
        return None
    if any(not isinstance(key, Node | list | tuple) for key in keys[1:]):
        return None
    return source, keys[1:]


def _products(node: Node) -> tuple[Node, set[Node]] | None:
    """The rows whose products with one another a node is, and its nodes."""
    operation = read(node)
    if operation is not None and operation.name in ("matmul", "bmm"):
        rows, other = operation.get("self"), operation.get("other", operation.get("mat2"))
        if isinstance(other, Node) and isinstance(rows, Node) and transposed(other) is rows:
            return rows, {node, other}
        return None
    einsum = einsum_at(node)
    if einsum is None or einsum.operands[0] is not einsum.operands[1]:
        return None
    one, other = einsum.letters
    if len(one) != 3 or len(other) != 3 or len({*one, *other}) != 4:
        return None
    fits = other == one[0] + other[1] + one[2] and einsum.result == one[:2] + other[1]
    return (einsum.operands[0], {node}) if fits else None
