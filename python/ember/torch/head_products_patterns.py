"""Finds products of rows with one row a head in FX graphs.

    (x.view(-1, heads, length) * attention).sum(dim=-1)

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from typing import Any

from torch.fx import Node

from ember.torch.element_types import SUM_TYPES
from ember.torch.head_products import HeadProductsCall
from ember.torch.operations import name_of, read, same_number, tensor_of
from ember.torch.region import Region
from ember.torch.settings import Settings


def head_products_at(node: Node, settings: Settings) -> Region | None:
    """The region of products whose sum is `node`; None for anything else."""
    operation = read(node)
    if operation is None or operation.name != "sum" or operation.get("dtype") is not None:
        return None
    products, dim = operation.get("self"), operation.get("dim")
    if dim not in (2, -1, (2,), (-1,), [2], [-1]) or operation.get("keepdim"):
        return None
    if not isinstance(products, Node) or any(user is not node for user in products.users):
        return None
    multiplied = read(products)
    if multiplied is None or multiplied.name != "mul" or multiplied.in_place:
        return None
    one, other = multiplied.get("self"), multiplied.get("other")
    for x, weights in ((one, other), (other, one)):
        if _are_weights(weights, x):
            return Region(
                "head_products",
                node,
                {node, products},
                (x, weights),
                lambda reference: HeadProductsCall(
                    reference, settings.kernel_options, settings.raises
                ),
                f"products of rows of {name_of(x)} with {name_of(weights)}",
            )
    return None


def _are_weights(weights: Any, x: Any) -> bool:
    """Whether a tensor has a row for each head of another one's rows (nodes, heads, length)."""
    one, rows = tensor_of(weights), tensor_of(x)
    return (
        one is not None
        and rows is not None
        and one.dim() == rows.dim() == 3
        and one.dtype == rows.dtype
        and one.dtype in SUM_TYPES
        and same_number(one.shape[0], 1)
        and all(map(same_number, one.shape[1:], rows.shape[1:]))
    )
