"""Two linear layers of the same long rows as one product, with the weights side by side.

GraphSAGE multiplies the nodes' rows by two matrices. Where rows are long and results short, reading
the rows is what takes time, and one product reads them once.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import operator

import torch
import torch.nn.functional as functional
from torch import Tensor
from torch.fx import Graph, Node

from ember.torch.graph.movement import why_not_movable
from ember.torch.graph.operations import tensor_of, value_of

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


def put_linear_together(graph: Graph) -> None:
    """Makes pairs of layers without bias one product each, where that is faster."""
    former: dict[Node, Node] = {}
    for node in list(graph.nodes):
        if not _is_long_layer(node):
            continue
        x = node.args[0]
        first = former.pop(x, None)
        if first is None or not _join(first, node):
            former[x] = node


def _join(first: Node, second: Node) -> bool:
    """Makes two layers of the same rows results of one product; whether it could be done."""
    x, one = first.args[:2]
    other = second.args[1]
    if not isinstance(other, Node) or not other < first or not _are_long((first, second)):
        return False
    tensors = [tensor_of(node) for node in (first, second)]
    if tensors[0].dtype is not tensors[1].dtype:  # type: ignore[union-attr]
        return False
    if why_not_movable({first, second}, second, (x, other)):  # type: ignore[arg-type]
        return False
    graph = first.graph
    with graph.inserting_before(first):
        both = graph.call_function(linear_together, (x, one, other))
    both.meta.update(first.meta)
    for key in ("example_value", "val"):
        if key in both.meta:
            both.meta[key] = (value_of(first), value_of(second))
    for place, node in enumerate((first, second)):
        node.target, node.args, node.kwargs = operator.getitem, (both, place), {}
    return True


def _is_long_layer(node: Node) -> bool:
    """Whether a node is a linear layer, without bias, of rows that are worth reading once."""
    if node.target is not functional.linear or len(node.args) < 2 or node.kwargs:
        return False
    rows, weight = (tensor_of(one) for one in node.args[:2])
    if any(bias is not None for bias in node.args[2:]) or rows is None or weight is None:
        return False
    result = tensor_of(node)
    if result is None or rows.dim() != 2 or weight.dim() != 2:
        return False
    if result.dtype not in (torch.float32, torch.float64):
        return False
    if {rows.dtype, weight.dtype} != {result.dtype}:
        return False
    return all(isinstance(size, int) for size in weight.shape) and _are_long((node,))


def _are_long(layers: tuple[Node, ...]) -> bool:
    """Whether rows are long beside the results of layers, which have weights of known sizes."""
    features = results = 0
    for node in layers:
        weight = tensor_of(node.args[1])
        assert weight is not None
        features = weight.shape[1]
        results += weight.shape[0]
    return features >= max(LEAST_FEATURES, LEAST_FEATURES_A_RESULT * results)
