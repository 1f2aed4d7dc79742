"""Products of one-hot rows as what they are: rows of a table, and sums of rows at places.

    one_hot(places, n).float() @ table        table[places]
    one_hot(places, n).float().t() @ rows     zeros(n, length).index_add(0, places, rows)

Rows of places[:, None] == arange(n) are such, too, but that those of what is no class are zeros.

PyTorch multiplies by all of the zeros: where an element of a matrix is not finite, that makes NaN
of its column in all rows, and here of none but its own.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.fx import Graph, Node

from ember.torch.element_types import INDEX_TYPES, SUM_TYPES
from ember.torch.graph.contractions import einsum_at
from ember.torch.graph.linear_before_sum import Reordered, call_like
from ember.torch.graph.movement import may_change_between
from ember.torch.graph.operations import called_name, linear_layer, same_number, tensor_of
from ember.torch.graph.region import erase_unused
from ember.torch.graph.remembered import forget
from ember.torch.graph.single_operations import dtype_of, is_view
from ember.torch.translate.values import is_one

_CONVERSIONS = ("double", "float", "to", "type", "type_as")
_TRANSPOSES = ("T", "mT", "t", "transpose", "swapaxes", "swapdims")
_PRODUCTS = ("matmul", "mm")


@dataclass(frozen=True)
class _OneHot:
    """A node of one-hot rows, or, where it is transposed, of such columns.

    behind: what made it of the places. is_compared: whether these are compared with the numbers of
    all classes, and have a dimension of one element for that: what is no class is no error then.
    """

    node: Node
    places: Node
    classes: Any
    behind: frozenset[Node]
    is_transposed: bool = False
    is_compared: bool = False

    @property
    def rank(self) -> int:
        """How many dimensions it has."""
        tensor = tensor_of(self.node)
        return 0 if tensor is None else tensor.dim()

    def times(self, other: Node, like: Node) -> Node:
        """The product with a matrix, where the program has `like`."""

        def call(target: Callable[..., Any], *arguments: Any) -> Node:
            return call_like(like.graph, like, target, arguments, {})

        operators = torch.ops.ember
        of_rows, of_sums = operators.one_hot_rows, operators.one_hot_sums
        places = self.places
        if self.is_compared:
            of_rows, of_sums = operators.class_rows, operators.class_sums
            if len(_shape(places)) > 1:
                places = call(torch.flatten, places, -2)
        target = of_sums if self.is_transposed else of_rows
        return call(target.default, places, self.classes, other)


def put_one_hot_products(graph: Graph) -> list[Reordered]:
    """Makes products of one-hot rows with matrices lookups and scatters; returns what was made."""
    found = []
    for node in list(graph.nodes):
        one_hot = _one_hot_at(node)
        for hot, product in () if one_hot is None else _products(one_hot):
            if may_change_between((*node.all_input_nodes, *hot.behind), node, product):
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


def _one_hot_at(node: Node) -> _OneHot | None:
    """The one-hot rows that a node makes; None if it makes none."""
    name, operands = called_name(node), node.all_input_nodes
    if name == "eq" and len(operands) == 2:
        return _compared(node, *operands) or _compared(node, *reversed(operands))
    if name != "one_hot":
        return None
    given = node.args[1:] or node.kwargs.get("num_classes", -1)
    classes = given[0] if isinstance(given, tuple) else given
    # Without a number of classes, elements say how many there are.
    return None if classes == -1 else _OneHot(node, operands[0], classes, frozenset((node,)))


def _compared(node: Node, places: Node, numbers: Node) -> _OneHot | None:
    """Places that are compared with the numbers of all classes."""
    classes = _counted(numbers)
    whole, alone, sizes = _shape(node), _shape(places), _shape(numbers)
    if classes is None or dtype_of(places) not in INDEX_TYPES or not alone:
        return None
    rows = _OneHot(node, places, classes, frozenset((node,)), is_compared=True)
    *others, last = map(is_one, alone)
    if len(alone) == len(whole) > 1 and last and not is_one(sizes[-1]):
        return rows
    is_column = len(whole) == 2 and is_one(sizes[-1]) and all(others)
    return replace(rows, is_transposed=True) if is_column else None


def _counted(numbers: Node) -> Any:
    """How many numbers from 0 on lie along the one dimension of a tensor that has several elements;
    None for anything else."""
    several = [size for size in _shape(numbers) if not is_one(size)]
    if len(several) != 1 or dtype_of(numbers) not in INDEX_TYPES:
        return None
    if is_view(numbers):
        count = _counted(numbers.all_input_nodes[0])
    else:
        given = numbers.args if called_name(numbers) == "arange" else ()
        is_from_0 = given[:-1] == () or (given[:1] == (0,) and given[2:] in ((), (1,)))
        count = (0, *given)[:3][-1] if is_from_0 else None
    return count if same_number(count, several[0]) else None


def _products(hot: _OneHot) -> Iterator[tuple[_OneHot, Node]]:
    """What may be products of it, with the form that it has there."""
    for user in list(hot.node.users):
        name, tensor = called_name(user), tensor_of(user)
        if tensor is None or tensor.dtype not in (*SUM_TYPES, torch.int64, torch.bool):
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
    if any(not _has_elements_of(product, one) for one in operands):
        return None
    if (layer := linear_layer(product)) is not None:
        return _layer(hot, product, *layer)
    if called_name(product) not in _PRODUCTS:
        return _einsum(hot, product)
    if len(operands) != 2:
        return None
    (other,) = (one for one in operands if one is not hot.node)
    if len(_shape(other)) != 2:
        return None
    if hot.node is operands[0]:
        return hot.times(other, product)
    if hot.rank != 2:
        return None
    flipped = replace(hot, is_transposed=not hot.is_transposed)
    return _transposed(flipped.times(_transposed(other, product), product), product)


def _layer(hot: _OneHot, product: Node, rows: Node, weight: Node, bias: Node | None) -> Node | None:
    """The same of a linear layer of one-hot rows."""
    if rows is not hot.node:
        return None
    found = hot.times(_transposed(weight, product), product)
    if bias is not None:
        found = call_like(product.graph, product, torch.add, (found, bias), {})
    return found


def _einsum(hot: _OneHot, product: Node) -> Node | None:
    """The same of what torch.einsum is told by letters, with the matrix that has those of classes
    or of places."""
    told = einsum_at(product)
    if told is None:
        return None
    pairs = list(zip(told.letters, told.operands, strict=True))
    own, _ = pairs.pop(told.operands.index(hot.node))
    own = own[::-1] if hot.is_transposed else own
    for place, (letters, other) in enumerate(pairs):
        rest = pairs[:place] + pairs[place + 1 :]
        shared = "".join(set(own) & set(letters))
        is_summed = all(shared not in kept for kept in (told.result, *(one for one, _ in rest)))
        # Summed are the classes, or the places of one dimension.
        is_scatter = shared != own[-1]
        if len(shared) != 1 or len(letters) != 2 or not is_summed or (is_scatter and len(own) != 2):
            continue
        matrix = other if letters[0] == shared else _transposed(other, product)
        found = replace(hot, is_transposed=is_scatter).times(matrix, product)
        made = own.replace(shared, "") + letters.replace(shared, "")
        terms = ",".join([made, *(one for one, _ in rest)])
        arguments = f"{terms}->{told.result}", found, *(one for _, one in rest)
        return call_like(product.graph, product, torch.einsum, arguments, {})
    return None


def _transposed(matrix: Node, like: Node) -> Node:
    return call_like(like.graph, like, torch.t, (matrix,), {})


def _shape(node: Node) -> Sequence[Any]:
    tensor = tensor_of(node)
    return () if tensor is None else tensor.shape


def _has_elements_of(product: Node, operand: Node) -> bool:
    """Whether an operand has the type of the product, as it has not under autocast."""
    one, other = tensor_of(product), tensor_of(operand)
    return one is not None and other is not None and one.dtype is other.dtype
