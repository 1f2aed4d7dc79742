"""Lookups of few elements of what is computed: it is less work to compute only these.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math

from torch import Tensor
from torch.fx import Node

from ember.torch.graph.costs import FEW_OF_A_PRODUCT, LONG_ROWS, is_slow
from ember.torch.graph.irregular import looked_up_in
from ember.torch.graph.operations import called_name, likely_sizes, read, same_number, tensor_of
from ember.torch.graph.single_operations import is_elementwise, is_view, text_of_operation
from ember.torch.translate.values import is_one

MATRIX_PRODUCTS = frozenset(("linear", "matmul", "mm"))


def multiplies_others(node: Node) -> bool:
    """Whether a node is a product of two matrices of which none is looked up: PyTorch's, unless
    few of its elements are read."""
    product = tensor_of(node)
    if called_name(node) not in MATRIX_PRODUCTS or product is None:
        return False
    if 0 < FEW_OF_A_PRODUCT * sum(_lookups_in(node)) <= _elements_of(product):
        return False
    operands = node.all_input_nodes[:2]
    shapes = [tensor.shape for one in operands if (tensor := tensor_of(one)) is not None]
    are_matrices = all(len(shape) == 2 and not any(map(is_one, shape)) for shape in shapes)
    return are_matrices and not any(map(_is_of_lookups, operands))


def _is_of_lookups(node: Node) -> bool:
    """Whether a node looks rows up, which may have weights.

    What else is computed of them is slower to compute again for each column of a product than to
    store: exp(x[i] - x[j]) @ W of 40,000 rows of 32, added at places, took 1.3 of eager's time
    instead of a third.
    """
    if looked_up_in(node) is not None:
        return True
    return called_name(node) in ("mul", "multiply") and any(
        map(_is_of_lookups, node.all_input_nodes)
    )


def is_for_few(node: Node) -> bool:
    """Whether only some elements are looked up of what a node computes: a product of matrices, or
    elements of others."""
    whole, text = tensor_of(node), text_of_operation(node)
    if whole is None or not text or not node.all_input_nodes:
        return False
    lookups, rows = _lookups_in(node), tensor_of(node.all_input_nodes[0])
    is_most = 4 * sum(lookups) > 3 * _elements_of(whole)
    if "sum[" not in text:
        return bool(lookups) and not is_most and is_elementwise(node)
    is_long = rows is not None and likely_sizes(rows.shape)[-1] >= LONG_ROWS
    # As of a softmax, of whose rows all elements are needed.
    return bool(lookups) and not is_slow(text) and not (is_most and is_long)


def _lookups_in(node: Node) -> list[int]:
    """How many elements are looked up in a node's value, views of it, or what is computed of its
    elements, by each lookup; none if something else reads it."""
    found: list[int] = []
    for user in node.users:
        if (number := _looked_up_by(user, node)) is not None:
            found.append(number)
        elif (is_view(user) or _is_of_each_row(user, node)) and (inner := _lookups_in(user)):
            found += inner
        else:
            return []
    return found


def _looked_up_by(user: Node, table: Node) -> int | None:
    """How many elements of a table a node looks up; None if it reads all of them."""
    operation, rows, whole = read(user), tensor_of(table), tensor_of(user)
    if operation is not None and operation.name == "embedding_bag" and rows is not None:
        indices = tensor_of(operation.get("input"))
        if operation.get("weight") is not table or indices is None or indices.is_nested:
            return None
        return _elements_of(indices) * likely_sizes(rows.shape)[-1]
    is_read = looked_up_in(user) is table or called_name(user) in ("diag", "diagonal")
    return _elements_of(whole) if is_read and whole is not None else None


def _is_of_each_row(node: Node, operand: Node) -> bool:
    """Whether a node computes elements of as many rows as an operand has, of one of each."""
    rows, others = tensor_of(node), tensor_of(operand)
    if node.op == "output" or rows is None or others is None or not rows.dim() * others.dim():
        return False
    return same_number(rows.shape[0], others.shape[0]) and is_elementwise(node)


def _elements_of(tensor: Tensor) -> int:
    """How many elements a tensor has, but for sizes that only the run knows."""
    return math.prod(likely_sizes(tensor.shape))
