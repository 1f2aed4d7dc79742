"""Two linear layers of the same long rows as one product, with the weights side by side.

GraphSAGE multiplies the nodes' rows by two matrices. Where rows are long and results short, reading
the rows is what takes time, and one product reads them once.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import operator
from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as functional
from torch import Tensor
from torch.fx import Graph, Node

from ember.torch.element_types import SUM_TYPES
from ember.torch.graph.movement import why_not_movable
from ember.torch.graph.operations import linear_layer, tensor_of, value_of

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
class _Layer:
    """A linear layer without bias."""

    node: Node
    rows: Node
    weight: Node

    @property
    def sizes(self) -> tuple[int, int]:
        """Features of the result, and of the rows."""
        return tensor_of(self.weight).shape  # type: ignore[union-attr, return-value]


def put_linear_together(graph: Graph) -> None:
    """Makes pairs of layers without bias one product each, where that is faster."""
    former: dict[Node, _Layer] = {}
    for node in list(graph.nodes):
        layer = _long_layer(node)
        if layer is None:
            continue
        first = former.pop(layer.rows, None)
        if first is None or not _join(first, layer):
            former[layer.rows] = layer


def _join(first: _Layer, second: _Layer) -> bool:
    """Makes two layers of the same rows results of one product; whether it could be done."""
    layers = first, second
    one, other = (layer.node for layer in layers)
    if not second.weight < one or not _are_long(layers):
        return False
    if tensor_of(one).dtype is not tensor_of(other).dtype:  # type: ignore[union-attr]
        return False
    given = first.rows, first.weight, second.weight
    if why_not_movable({one, other}, other, (first.rows, second.weight)):
        return False
    with one.graph.inserting_before(one):
        both = one.graph.call_function(linear_together, given)
    both.meta.update(one.meta)
    for key in ("example_value", "val"):
        if key in both.meta:
            both.meta[key] = (value_of(one), value_of(other))
    for place, layer in enumerate(layers):
        layer.node.target, layer.node.args, layer.node.kwargs = operator.getitem, (both, place), {}
    return True


def _long_layer(node: Node) -> _Layer | None:
    """A linear layer, without bias, of rows that are worth reading once; None for others."""
    layer = linear_layer(node)
    if layer is None or layer[2] is not None:
        return None
    examples = [tensor for one in (node, *layer[:2]) if (tensor := tensor_of(one)) is not None]
    if len(examples) < 3 or any(one.dim() != 2 for one in examples):
        return None
    dtype, *others = {one.dtype for one in examples}
    if others or dtype not in SUM_TYPES:
        return None
    found = _Layer(node, *layer[:2])
    is_fixed = all(isinstance(one, int) for one in found.sizes)
    return found if is_fixed and _are_long((found,)) else None


def _are_long(layers: Sequence[_Layer]) -> bool:
    """Whether rows are long beside the results of layers."""
    features = layers[0].sizes[1]
    results = sum(layer.sizes[0] for layer in layers)
    return features >= max(LEAST_FEATURES, LEAST_FEATURES_A_RESULT * results)
