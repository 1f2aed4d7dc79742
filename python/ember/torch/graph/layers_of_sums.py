"""Adds the product of sums over edges to a linear layer in the memory of that layer's result.

A layer of a graph network adds a second linear layer to that of what edges brought. PyTorch makes
a new tensor for each of the two and for their sum; here one takes both:

    linear(sums, W) + linear(x, V, b)   becomes   linear(x, V, b).addmm_(sums, W.t())

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import operator
from collections.abc import Iterable

import torch
from torch import Tensor
from torch.fx import Graph, Node

from ember.torch.calls.statement_call import StatementCall
from ember.torch.capture import private
from ember.torch.element_types import SUM_TYPES
from ember.torch.graph.movement import why_not_movable
from ember.torch.graph.operations import linear_layer, read, same_number, tensor_of

# What autograd calls the operations here, and those of kernels: none needs its result again.
_KEEPING_NO_RESULT = frozenset(
    (
        "AddBackward0",
        "AddmmBackward0",
        "MmBackward0",
        "DifferentiableBackward",
        "_DifferentiableBackward",
    )
)


def add_product(base: Tensor, rows: Tensor, weight: Tensor) -> Tensor:
    """base + rows @ weight.T, in the memory of base."""
    add = base.addmm_ if _may_change(base) else base.addmm
    return add(rows, weight.t())


def _may_change(base: Tensor) -> bool:
    """Whether a tensor is only itself, and autograd has not kept it.

    Batches of vmap and tangents are not changed with a tensor.
    """
    if type(base) is not Tensor or private.is_transformed():
        return False
    return base.grad_fn is None or type(base.grad_fn).__name__ in _KEEPING_NO_RESULT


def put_layers_of_sums_together(graph: Graph) -> None:
    """Makes the sum of two linear layers, one of a kernel's result, one computation, in a graph
    that kernels are in."""
    for node in list(graph.nodes):
        if node.target in (torch.add, operator.add):
            _add_product(node)


def _add_product(node: Node) -> None:
    operation = read(node)
    if operation is None or operation.get("alpha", 1) != 1:
        return
    operands = operation.get("self"), operation.get("other")
    for one, other in (operands, operands[::-1]):
        behind, beside = _layer(one), _layer(other)
        if behind is None or beside is None or one is other or not _are_like(node, (one, other)):
            continue
        rows, weight, bias = behind
        if not isinstance(rows.target, StatementCall) or (bias and beside[2]):
            continue
        read_later = [one for one in (*behind, *beside) if one is not None]
        if why_not_movable({one, other, node}, node, read_later):
            continue
        # The bias may be computed behind the layer that gets it.
        node.prepend(other)
        other.args, other.kwargs = (*beside[:2], bias or beside[2]), {}
        node.op, node.target, node.kwargs = "call_function", add_product, {}
        node.args = (other, rows, weight)
        node.graph.erase_node(one)
        return


def _layer(node: Node | None) -> tuple[Node, Node, Node | None] | None:
    """Rows of two dimensions, weight and bias of a linear layer that has one use."""
    if node is None or tensor_of(node) is None or len(node.users) != 1:
        return None
    layer = linear_layer(node)
    tensors = [tensor_of(one) for one in (layer or ())[:2]]
    are_matrices = all(tensor is not None and tensor.dim() == 2 for tensor in tensors)
    return layer if are_matrices else None


def _are_like(node: Node, others: Iterable[Node]) -> bool:
    """Whether others have the shape and the type of a node's result, one in which PyTorch adds
    products in place."""
    result = tensor_of(node)
    if result is None or result.dtype not in SUM_TYPES:
        return False
    tensors = [tensor_of(one) for one in others]
    return all(
        tensor is not None
        and tensor.dtype is result.dtype
        and tensor.dim() == result.dim()
        and all(map(same_number, tensor.shape, result.shape))
        for tensor in tensors
    )
