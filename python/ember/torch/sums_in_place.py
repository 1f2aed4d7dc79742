"""Adds to what an aggregation returned in its own memory, and products to products.

A layer of a graph network adds a bias, the nodes' own rows or a second linear layer to what edges
brought. PyTorch makes a new tensor for every step; here the one that nothing else needs takes them:

    linear(sums, W) + linear(x, V, b)   becomes   linear(x, V, b).addmm_(sums, W.t())
    sums + factor * x                   becomes   sums.addcmul_(x, factor)

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import operator
from collections.abc import Iterable
from typing import Any

import torch
import torch.nn.functional as functional
from torch import Tensor
from torch.fx import Graph, Node

from ember.torch import private
from ember.torch.calls.statement_call import StatementCall
from ember.torch.movement import why_not_movable
from ember.torch.operations import read, same_number, tensor_of

# What autograd calls the operations here, and those of kernels: none needs its result again.
_KEEPING_NO_RESULT = frozenset(
    ("AddBackward0", "AddcmulBackward0", "AddmmBackward0", "MmBackward0", "_DifferentiableBackward")
)
_ADDITIONS = (torch.add, operator.add, torch.addcmul)


def add_product(base: Tensor, rows: Tensor, weight: Tensor) -> Tensor:
    """base + rows @ weight.T, in the memory of base."""
    add = base.addmm_ if _may_change(base) else base.addmm
    return add(rows, weight.t())


def add_multiple(base: Tensor, other: Tensor, factor: Tensor | float) -> Tensor:
    """base + factor * other, in the memory of base."""
    if isinstance(factor, Tensor):
        add = base.addcmul_ if _may_change(base) else base.addcmul
        return add(other, factor)
    return (base.add_ if _may_change(base) else base.add)(other, alpha=factor)


def _may_change(base: Tensor) -> bool:
    """Whether a tensor is only itself, and autograd has not kept it.

    Batches of vmap and tangents are not changed with a tensor. PyTorch keeps its own maxima and
    means over edges, which stand for those of a kernel where there is none.
    """
    if type(base) is not Tensor or private.is_transformed():
        return False
    return base.grad_fn is None or type(base.grad_fn).__name__ in _KEEPING_NO_RESULT


def put_sums_in_place(graph: Graph) -> None:
    """Changes the additions to what aggregations return, in a graph that kernels are in.

    Autograd keeps none of the tensors that are changed then.
    """
    for node in list(graph.nodes):
        if node.target in _ADDITIONS and not _add_product(node):
            _add_multiple(node)


def _add_product(node: Node) -> bool:
    """Makes the sum of two linear layers, one of an aggregation, one computation."""
    operands = _operands(node)
    if operands is None or operands[2] != 1:
        return False
    for one, other in (operands[:2], operands[1::-1]):
        behind, beside = _layer(one), _layer(other)
        if behind is None or beside is None or not _is_like(node, (one, other)):
            continue
        rows, weight, bias = behind
        if not _is_aggregation(rows) or (bias is not None and beside[2] is not None):
            continue
        if bias is None:
            bias = beside[2]
        read_later = [one for one in (*behind, *beside) if one is not None]
        if one is other or not _are_movable((one, other), node, read_later):
            continue
        # The bias may be computed behind the layer that gets it.
        node.prepend(other)
        other.args, other.kwargs = (*beside[:2], bias), {}
        _become(node, add_product, (other, rows, weight), (one,))
        return True
    return False


def _add_multiple(node: Node) -> bool:
    """Makes a sum with what an aggregation returned one in its memory."""
    operands = _operands(node)
    if operands is None:
        return False
    for one, other, factor in (operands, (operands[1], operands[0], operands[2])):
        if node.target is torch.addcmul and one is not node.args[0]:
            continue
        if factor != 1 and one is not operands[0]:
            continue
        if not _is_own(one) or other is one or not _is_like(node, (one,)):
            continue
        added = _multiple(node, other) if factor == 1 else None
        if added is not None:
            _become(node, add_multiple, (one, *added), (other,))
        elif _is_typed_like(node, other):
            _become(node, add_multiple, (one, other, factor), ())
        else:
            continue
        return True
    return False


def _operands(node: Node) -> tuple[Node, Node, Any] | None:
    """What a node adds: a tensor, another one, and the second one's factor."""
    if node.target is torch.addcmul:
        if len(node.args) != 3 or node.kwargs:
            return None
        one, other, factor = node.args
    else:
        operation = read(node)
        if operation is None or operation.name != "add":
            return None
        one, other = operation.get("self"), operation.get("other")
        factor = operation.get("alpha", 1)
    return (one, other, factor) if isinstance(one, Node) and isinstance(other, Node) else None


def _multiple(node: Node, product: Node) -> tuple[Node, Any] | None:
    """What is multiplied by one number, and the number, if only `node` needs the product."""
    operation = read(product)
    if operation is None or operation.name != "mul" or operation.in_place:
        return None
    if len(product.users) != 1 or not _is_like(node, (product,)):
        return None
    one, other = operation.get("self"), operation.get("other")
    for rows, factor in ((one, other), (other, one)):
        if not isinstance(rows, Node) or not _is_like(node, (rows,)):
            continue
        if not isinstance(factor, Node):
            is_number = isinstance(factor, int | float) and not isinstance(factor, bool)
            if is_number and _are_movable((product,), node, (rows,)):
                return rows, factor
            continue
        tensor = tensor_of(factor)
        if tensor is None or tensor.dim() > 2 or not _is_typed_like(node, factor):
            continue
        is_one = all(same_number(size, 1) for size in tensor.shape)
        if is_one and _are_movable((product,), node, (rows, factor)):
            return rows, factor
    return None


def _layer(node: Node) -> tuple[Node, Node, Node | None] | None:
    """Rows of two dimensions, weight and bias of a linear layer that has one use."""
    if node.target is not functional.linear or len(node.users) != 1:
        return None
    given = dict(zip(("input", "weight", "bias"), node.args, strict=False)) | node.kwargs
    rows, weight, bias = (given.get(name) for name in ("input", "weight", "bias"))
    tensors = [tensor_of(one) for one in (rows, weight)]
    if any(tensor is None or tensor.dim() != 2 for tensor in tensors):
        return None
    return rows, weight, bias  # type: ignore[return-value]


def _is_aggregation(node: Node) -> bool:
    return isinstance(node.target, StatementCall)


def _is_own(node: Node) -> bool:
    """Whether a node's result is new memory that its one user may change."""
    is_new = _is_aggregation(node) or node.target in (add_product, add_multiple)
    return is_new and len(node.users) == 1


def _is_like(node: Node, others: Iterable[Node]) -> bool:
    """Whether others have the shape and the type of a node's result, floating-point numbers."""
    result = tensor_of(node)
    for other in others:
        tensor = tensor_of(other)
        if tensor is None or result is None or tensor.dim() != result.dim():
            return False
        if not all(map(same_number, tensor.shape, result.shape)):
            return False
        if not _is_typed_like(node, other):
            return False
    return True


def _is_typed_like(node: Node, other: Node) -> bool:
    one, two = tensor_of(node), tensor_of(other)
    if one is None or two is None or one.dtype is not two.dtype:
        return False
    return one.dtype in (torch.float32, torch.float64)


def _are_movable(nodes: Iterable[Node], last: Node, inputs: Iterable[Node]) -> bool:
    """Whether what nodes read is the same where the last one is computed."""
    nodes = list(nodes)
    return not why_not_movable({*nodes, last}, last, inputs)


def _become(node: Node, target: Any, arguments: tuple[Any, ...], former: Iterable[Node]) -> None:
    """Makes a node another function's, and erases operands that nothing needs any more."""
    node.op, node.target, node.args, node.kwargs = "call_function", target, arguments, {}
    for one in former:
        if not one.users:
            node.graph.erase_node(one)
