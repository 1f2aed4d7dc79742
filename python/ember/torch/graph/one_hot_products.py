"""Products of one-hot rows as what they are: rows of a table, and sums of rows at places.

    one_hot(places, n).float() @ table        table[places]
    one_hot(places, n).float().t() @ rows     zeros(n, length).index_add(0, places, rows)

PyTorch multiplies by all of the zeros: where an element of a matrix is not finite, that makes NaN
of its column in all rows, and here of none but its own.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.fx import Graph, Node

from ember.torch.element_types import SUM_TYPES
from ember.torch.graph.contractions import einsum_at
from ember.torch.graph.linear_before_sum import Reordered, call_like
from ember.torch.graph.movement import is_changed_before
from ember.torch.graph.operations import called_name, tensor_of
from ember.torch.graph.region import erase_unused
from ember.torch.graph.remembered import forget

_CONVERSIONS = ("double", "float", "to", "type", "type_as")
_TRANSPOSES = ("T", "mT", "t", "transpose", "swapaxes", "swapdims")
_PRODUCTS = ("matmul", "mm")


@dataclass(frozen=True)
class _OneHot:
    """A node of one-hot rows, or, where it is transposed, of such columns; behind: what made it of
    the places."""

    node: Node
    places: Node
    classes: Any
    behind: frozenset[Node]
    is_transposed: bool = False

    @property
    def rank(self) -> int:
        """How many dimensions it has."""
        tensor = tensor_of(self.node)
        return 0 if tensor is None else tensor.dim()

    def times(self, other: Node, like: Node) -> Node:
        """The product with a matrix, where the program has `like`."""
        operators = torch.ops.ember.one_hot_rows, torch.ops.ember.one_hot_sums
        target = operators[self.is_transposed].default
        return call_like(like.graph, like, target, (self.places, self.classes, other), {})


def put_one_hot_products(graph: Graph) -> list[Reordered]:
    """Makes products of one-hot rows with matrices lookups and scatters; returns what was made."""
    found = []
    for node in list(graph.nodes):
        places = node.all_input_nodes[0] if called_name(node) == "one_hot" else None
        if places is None:
            continue
        given = node.args[1:] or node.kwargs.get("num_classes", -1)
        classes = given[0] if isinstance(given, tuple) else given
        # Without a number of classes, elements say how many there are.
        if classes == -1:
            continue
        for hot, product in _products(_OneHot(node, places, classes, frozenset((node,)))):
            if is_changed_before(places, product):
                continue
            with graph.inserting_before(product):
                made = _product(hot, product)
            if made is None:
                continue
            made.meta.update(product.meta)
            product.replace_all_uses_with(made)
            found.append(Reordered(f"{made.name}, a product of one-hot rows, by places", [made]))
            erase_unused({product, *hot.behind})
            forget()
    return found


def _products(hot: _OneHot) -> Iterator[tuple[_OneHot, Node]]:
    """What may be products of it, with the form that it has there."""
    for user in list(hot.node.users):
        name, tensor = called_name(user), tensor_of(user)
        if tensor is None or tensor.dtype not in (*SUM_TYPES, torch.int64):
            continue
        is_first = user.all_input_nodes[0] is hot.node
        form = replace(hot, node=user, behind=hot.behind | {user})
        if is_first and name in _CONVERSIONS:
            yield from _products(form)
        elif is_first and name in _TRANSPOSES and hot.rank == 2:
            yield from _products(replace(form, is_transposed=not hot.is_transposed))
        elif tensor.dtype in SUM_TYPES:
            yield hot, user


def _product(hot: _OneHot, product: Node) -> Node | None:
    """What a product is instead; None for anything else."""
    operands = product.all_input_nodes
    if len(operands) != 2 or any(not _has_elements_of(product, one) for one in operands):
        return None
    name = called_name(product)
    (other,) = (one for one in operands if one is not hot.node)
    if name not in (*_PRODUCTS, "linear"):
        return _einsum(hot, product)
    if len(_shape(other)) != 2:
        return None
    if hot.node is operands[0]:
        if hot.is_transposed and hot.rank != 2:
            return None
        return hot.times(_transposed(other, product) if name == "linear" else other, product)
    if hot.rank != 2 or name == "linear":
        return None
    flipped = replace(hot, is_transposed=not hot.is_transposed)
    return _transposed(flipped.times(_transposed(other, product), product), product)


def _einsum(hot: _OneHot, product: Node) -> Node | None:
    """The same of what torch.einsum is told by letters."""
    told = einsum_at(product)
    if told is None or len(told.letters) != 2:
        return None
    place = told.operands.index(hot.node)
    own, letters, other = told.letters[place], told.letters[1 - place], told.operands[1 - place]
    own = own[::-1] if hot.is_transposed else own
    shared = "".join(set(own) & set(letters))
    if len(shared) != 1 or shared in told.result or len(letters) != 2:
        return None
    # Summed are the classes, or the places of one dimension.
    is_scatter = shared != own[-1]
    made = own.replace(shared, "") + letters.replace(shared, "")
    if (is_scatter and len(own) != 2) or sorted(made) != sorted(told.result):
        return None
    matrix = other if letters[0] == shared else _transposed(other, product)
    found = replace(hot, is_transposed=is_scatter).times(matrix, product)
    order = tuple(made.index(one) for one in told.result)
    return call_like(product.graph, product, torch.permute, (found, order), {})


def _transposed(matrix: Node, like: Node) -> Node:
    return call_like(like.graph, like, torch.t, (matrix,), {})


def _shape(node: Node) -> Sequence[Any]:
    tensor = tensor_of(node)
    return () if tensor is None else tensor.shape


def _has_elements_of(product: Node, operand: Node) -> bool:
    """Whether an operand has the type of the product, as it has not under autocast."""
    one, other = tensor_of(product), tensor_of(operand)
    return one is not None and other is not None and one.dtype is other.dtype
