"""Finds products of one row with several looked-up ones, for each sample, in FX graphs.

    torch.bmm(others(indices), one(index).unsqueeze(2)).squeeze(2)
    torch.einsum("bd,bkd->bk", query, others(indices))
    (one(index).unsqueeze(1) * others(indices)).sum(-1)

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from torch import Tensor
from torch.fx import Node

from ember.torch.einsum import einsum_at
from ember.torch.element_types import SUM_TYPES
from ember.torch.no_match import NoMatchError
from ember.torch.operations import (
    Operation,
    fixed_size,
    likely_same,
    name_of,
    read,
    same_number,
    tensor_of,
)
from ember.torch.region import Region
from ember.torch.region_call import Reference
from ember.torch.row_products import RowProducts, RowProductsCall
from ember.torch.row_sum_patterns import LookedUp, looked_up
from ember.torch.settings import Settings
from ember.torch.transposes import transposed

_TO_THREE = ("unsqueeze", "view", "reshape", "getitem")


@dataclass(frozen=True)
class _Products:
    """One row of each sample, (samples, length) with a 1 somewhere, and its others' lookup.

    nodes: those between both and the products. kept: the dimension of size 1 of the products.
    """

    one: Node
    others: LookedUp
    nodes: frozenset[Node]
    kept: int | None = None


def row_products_at(node: Node, settings: Settings) -> Region | None:
    """The region of products that end at `node`, at best without their dimension of size 1."""
    whole = tensor_of(node)
    if whole is None or whole.dim() not in (2, 3):
        return None
    found = _squeezed(node, whole) or _products(node, whole)
    if found is None:
        return None
    table = tensor_of(found.others.table)
    assert table is not None
    if table.dtype not in SUM_TYPES:
        kind = str(table.dtype).removeprefix("torch.")
        raise NoMatchError(f"rows are {kind}: kernels of products have float32 and float64")
    nodes = {node, found.others.node, *found.nodes}
    one = _looked_up(found.one, found.others)
    if one is not None and any(user not in nodes for user in found.one.users):
        one = None
    own = (found.one,) if one is None else (one.table, one.index)
    if one is not None:
        nodes.add(found.one)
    program = RowProducts(
        fixed_size(table.shape[1]),
        SUM_TYPES[table.dtype],
        None if one is None else one.term,
        found.others.term,
    )

    def make(reference: Reference) -> RowProductsCall:
        return RowProductsCall(
            reference, program, found.kept, settings.kernel_options, settings.raises
        )

    others, mine = name_of(found.others.table), name_of(own[0])
    region = Region(
        "row_products",
        node,
        nodes,
        (*own, found.others.table, found.others.index),
        make,
        f"products of rows of {others} with {mine if one is None else f'one of {mine}'}",
        {
            "table": others,
            "indices": name_of(found.others.index),
            "one": mine,
            "one_indices": name_of(own[-1]),
        },
    )
    if internal := region.internal():
        raise NoMatchError(f"{internal[0].name}, a part of it, has other uses")
    return region


def _squeezed(node: Node, whole: Tensor) -> _Products | None:
    """Products whose dimension of size 1 is taken away."""
    operation = read(node)
    if operation is None or operation.name not in ("squeeze", "view", "reshape", "getitem"):
        return None
    source = operation.get("self")
    before = tensor_of(source)
    if not isinstance(source, Node) or before is None or before.dim() != 3 or whole.dim() != 2:
        return None
    found = _products(source, before)
    if found is None or found.kept is None or not _drops(operation, found.kept):
        return None
    left = [size for dim, size in enumerate(before.shape) if dim != found.kept]
    is_view = operation.name in ("view", "reshape")
    if is_view and not all(map(same_number, left, whole.shape)):
        return None
    return _Products(found.one, found.others, found.nodes | {source})


def _drops(operation: Operation, kept: int) -> bool:
    """Whether a view of three dimensions, two of whose are left, is without that one."""
    if operation.name == "squeeze":
        dim = operation.get("dim")
        return dim is None or dim in (kept, kept - 3)
    if operation.name != "getitem":
        return True
    index = operation.get("index")
    keys = list(index) if isinstance(index, tuple) else [index]
    if Ellipsis in keys:
        place = keys.index(Ellipsis)
        keys[place : place + 1] = [slice(None)] * (4 - len(keys))
    keys += [slice(None)] * (3 - len(keys))
    expected: list[Any] = [slice(None)] * 3
    expected[kept] = 0
    return keys == expected


def _products(node: Node, whole: Tensor) -> _Products | None:
    operation = read(node)
    if operation is not None and operation.name in ("matmul", "bmm") and whole.dim() == 3:
        return _matmul(node, operation.get("self"), operation.get("other", operation.get("mat2")))
    if operation is not None and operation.name == "sum" and whole.dim() == 2:
        if operation.get("dim") not in (2, -1, (2,), (-1,), [2], [-1]) or operation.get("keepdim"):
            return None
        if operation.get("dtype") is not None:
            return None
        return _summed(operation.get("self"))
    einsum = einsum_at(node)
    if einsum is None:
        return None
    for place in (0, 1):
        others = _lookup(einsum.operands[place])
        one, letters = einsum.operands[1 - place], einsum.letters[1 - place]
        if others is None or len(letters) != 2 or len({*einsum.letters[place]}) != 3:
            continue
        given = einsum.letters[place]
        if letters == given[0] + given[2] and einsum.result == given[:2] and _fits(one, others):
            return _Products(one, others, frozenset())
    return None


def _matmul(node: Node, one: Any, other: Any) -> _Products | None:
    if not isinstance(one, Node) or not isinstance(other, Node):
        return None
    # (samples, each, length) @ (samples, length, 1)
    others = _lookup(one)
    if others is not None:
        for own, nodes in _columns(other, others):
            return _Products(own, others, frozenset({node, *nodes}), kept=2)
    # (samples, 1, length) @ (samples, length, each)
    rows = transposed(other)
    others = _lookup(rows) if isinstance(rows, Node) else None
    if others is not None:
        for own, nodes in _single(one, others):
            return _Products(own, others, frozenset({node, other, *nodes}), kept=1)
    return None


def _summed(products: Any) -> _Products | None:
    """The sum of elementwise products of rows (samples, 1, length) with others."""
    operation = read(products) if isinstance(products, Node) else None
    if operation is None or operation.name != "mul" or operation.in_place:
        return None
    operands = operation.get("self"), operation.get("other")
    for one, other in (operands, operands[::-1]):
        others = _lookup(other)
        if others is None or not isinstance(one, Node):
            continue
        for own, nodes in _single(one, others):
            return _Products(own, others, frozenset({products, *nodes}))
    return None


def _lookup(node: Any) -> LookedUp | None:
    """Rows looked up by indices (samples, each)."""
    tensor = tensor_of(node)
    if not isinstance(node, Node) or tensor is None or tensor.dim() != 3:
        return None
    operation = read(node)
    found = None if operation is None else looked_up(node, operation, tensor, tensor)
    index = None if found is None else tensor_of(found.index)
    return found if index is not None and index.dim() == 2 else None


def _looked_up(node: Node, others: LookedUp) -> LookedUp | None:
    """The lookup of the samples' own rows, if they are looked up."""
    operation, tensor = read(node), tensor_of(node)
    if operation is None or tensor is None:
        return None
    found = looked_up(node, operation, tensor, tensor)
    return None if found is None or found.table is node else found


def _fits(node: Node, others: LookedUp, at: int | None = None) -> bool:
    """Whether a node is one row for each sample; at: where its dimension of size 1 is, if any."""
    tensor, rows = tensor_of(node), tensor_of(others.node)
    if tensor is None or rows is None or tensor.dtype != rows.dtype:
        return False
    sizes: list[Any] = [rows.shape[0], rows.shape[2]]
    if at is not None:
        sizes.insert(at, 1)
    return tensor.dim() == len(sizes) and all(map(likely_same, tensor.shape, sizes))


def _single(node: Node, others: LookedUp) -> Iterator[tuple[Node, set[Node]]]:
    """What has the rows that a node has as (samples, 1, length), and the nodes behind it."""
    if _fits(node, others, 1):
        source = _spread(node, others)
        yield (node, set()) if source is None else (source, {node})


def _columns(node: Node, others: LookedUp) -> Iterator[tuple[Node, set[Node]]]:
    """The same of (samples, length, 1)."""
    if not _fits(node, others, 2):
        return
    source = _spread(node, others)
    if source is not None:
        yield source, {node}
        return
    rows = transposed(node)
    if isinstance(rows, Node):
        for own, nodes in _single(rows, others):
            yield own, {node, *nodes}


def _spread(node: Node, others: LookedUp) -> Node | None:
    """The rows (samples, length) that are given a dimension of size 1."""
    operation = read(node)
    if operation is None or operation.name not in _TO_THREE:
        return None
    source = operation.get("self")
    if not isinstance(source, Node) or not _fits(source, others):
        return None
    if operation.name == "getitem":
        keys = operation.get("index")
        if not isinstance(keys, tuple) or any(
            key is not None and key not in (slice(None), Ellipsis) for key in keys
        ):
            return None
    return source
