"""Linear layers together: of the same long rows, and of sums over edges beside others.

GraphSAGE multiplies the nodes' rows by two matrices. Where rows are long and results short, reading
the rows is what takes time, and one product, with the weights side by side, reads them once.

A layer of a graph network adds a second linear layer to that of what edges brought. PyTorch makes
a new tensor for each of the two and for their sum; here one takes both:

    linear(sums, W) + linear(x, V, b)   becomes   linear(x, V, b).addmm_(sums, W.t())

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import operator
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as functional
from torch import Tensor
from torch.fx import Graph, Node

from ember.torch.calls.statement_call import StatementCall
from ember.torch.capture import private
from ember.torch.element_types import SUM_TYPES
from ember.torch.graph.movement import why_not_movable
from ember.torch.graph.operations import linear_layer, read, same_number, tensor_of, value_of

# Where one product was faster at every size: features, features for each result, and rows.
LEAST_FEATURES, LEAST_FEATURES_A_RESULT = 384, 8
LEAST_ROWS = 512


def linear_together(x: Tensor, one: Tensor, other: Tensor) -> tuple[Tensor, Tensor]:
    """linear(x, one) and linear(x, other); x (rows, features), weights (results, features)."""
    if len(x) < LEAST_ROWS:
        return functional.linear(x, one), functional.linear(x, other)
    both = functional.linear(x, torch.cat((one, other)))
    # Kernels take rows that lie one behind the other.
    return both[:, : len(one)].contiguous(), both[:, len(one) :].contiguous()


@dataclass(frozen=True)
class Layer:
    """A linear layer, or a product with a matrix: rows times weight, and bias added.

    weight is (results, features) of a layer, (features, results) of a product.
    """

    node: Node
    rows: Node
    weight: Node
    bias: Node | None
    is_product: bool = False

    @property
    def lengths(self) -> tuple[int, int]:
        """Elements of rows before and after."""
        one, other = tensor_of(self.weight).shape  # type: ignore[union-attr]
        return (one, other) if self.is_product else (other, one)


def layer_at(node: Node) -> Layer | None:
    """A layer of matrices in a type of SUM_TYPES, whose weight's sizes are known.

    Of half types, sums are kept in f32 and rounded once: rows that are rounded before are not as
    good.
    """
    layer, operation = linear_layer(node), read(node)
    if layer is not None:
        found = Layer(node, *layer)
    elif operation is not None and operation.name in ("matmul", "mm"):
        weight = operation.get("other", operation.get("mat2"))
        found = Layer(node, operation.arguments["self"], weight, None, True)
    else:
        return None
    result, rows, weight, bias = map(tensor_of, (node, found.rows, found.weight, found.bias))
    if result is None or rows is None or weight is None or found.rows is found.weight:
        return None
    if result.dtype not in SUM_TYPES or rows.dim() != 2 or weight.dim() != 2:
        return None
    if any(one.dtype is not result.dtype for one in (rows, weight, bias) if one is not None):
        return None
    if not all(isinstance(size, int) for size in weight.shape):
        return None
    return None if found.bias is not None and (bias is None or bias.dim() != 1) else found


def put_linear_together(graph: Graph) -> None:
    """Makes pairs of layers without bias one product each, where that is faster."""
    former: dict[Node, Layer] = {}
    for node in list(graph.nodes):
        layer = layer_at(node)
        if layer is None or layer.is_product or layer.bias is not None or not _are_long(layer):
            continue
        first = former.pop(layer.rows, None)
        if first is None or not _join(first, layer):
            former[layer.rows] = layer


def _join(first: Layer, second: Layer) -> bool:
    """Makes two layers of the same rows results of one product; whether it could be done."""
    one, other = first.node, second.node
    if not second.weight < one or not _are_long(first, second):
        return False
    if why_not_movable({one, other}, other, (first.rows, second.weight)):
        return False
    with one.graph.inserting_before(one):
        given = first.rows, first.weight, second.weight
        both = one.graph.call_function(linear_together, given)
    both.meta.update(one.meta)
    for key in {"example_value", "val"} & both.meta.keys():
        both.meta[key] = (value_of(one), value_of(other))
    for place, node in enumerate((one, other)):
        node.target, node.args, node.kwargs = operator.getitem, (both, place), {}
    return True


def _are_long(*layers: Layer) -> bool:
    """Whether rows are long beside the results of layers."""
    features, _ = layers[0].lengths
    results = sum(layer.lengths[1] for layer in layers)
    return features >= max(LEAST_FEATURES, LEAST_FEATURES_A_RESULT * results)


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
        behind, beside = _layer_of(node, one), _layer_of(node, other)
        if behind is None or beside is None or one is other:
            continue
        if not isinstance(behind.rows.target, StatementCall) or (behind.bias and beside.bias):
            continue
        read_later = {*one.all_input_nodes, *other.all_input_nodes}
        if why_not_movable({one, other, node}, node, read_later):
            continue
        # The bias may be computed behind the layer that gets it.
        node.prepend(other)
        other.args, other.kwargs = (beside.rows, beside.weight, behind.bias or beside.bias), {}
        node.op, node.target, node.kwargs = "call_function", add_product, {}
        node.args = (other, behind.rows, behind.weight)
        node.graph.erase_node(one)
        return


def _layer_of(sum_of_layers: Node, node: Any) -> Layer | None:
    """A layer that has one use, and the shape and the type of the sum that this is."""
    result, own = tensor_of(sum_of_layers), tensor_of(node)
    if result is None or own is None or len(node.users) != 1 or own.dtype is not result.dtype:
        return None
    if own.dim() != result.dim() or not all(map(same_number, own.shape, result.shape)):
        return None
    layer = layer_at(node)
    return None if layer is None or layer.is_product else layer
