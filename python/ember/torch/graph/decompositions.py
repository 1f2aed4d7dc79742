"""What ATen's operators are made of where regions are looked for, if not what PyTorch says.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import torch
import torch.nn.functional as functional
from torch import Tensor
from torch.fx import Graph, Node

from ember.torch.capture import private
from ember.torch.graph.bags import embedding_bag, encoded_bag_at
from ember.torch.graph.contractions import contract, contraction_at
from ember.torch.graph.costs import MOST_QUERIES
from ember.torch.graph.one_hot import IRREGULAR
from ember.torch.graph.operations import likely_sizes, same_number, tensor_of

# Operators that have statements as they are, or none: they refuse what their decomposition takes,
# or their gradient is another one than that of it, which is infinite times 0 where it computes what
# it does not choose, or another one where they have a kink.
WHOLE = frozenset(
    f"aten::{name}"
    for name in (
        "celu",
        "hardsigmoid",
        "hardswish",
        "index_add",
        "logit",
        "mish",
        "sinc",
        "softplus",
        "special_entr",
        "special_xlog1py",
        "std",
        "std_mean",
        "xlogy",
    )
)


def _huber_loss(input: Tensor, target: Tensor, reduction: int = 1, delta: float = 1.0) -> Tensor:
    """The loss by what is clamped of a difference, whose slope is nowhere infinite."""
    difference = input - target
    clamped = difference.clamp(-delta, delta)
    return _reduced(clamped * (difference - 0.5 * clamped), reduction)


def _smooth_l1_loss(input: Tensor, target: Tensor, reduction: int = 1, beta: float = 1.0) -> Tensor:
    if beta == 0:
        return _reduced((input - target).abs(), reduction)
    return _huber_loss(input, target, reduction, beta) / beta


def _reduced(loss: Tensor, reduction: int) -> Tensor:
    """A loss as ATen numbers its reductions."""
    return loss.mean() if reduction == 1 else loss.sum() if reduction == 2 else loss


def _put(self: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """Elements to places of a tensor as one row."""
    places, elements = (index.reshape(-1),), source.reshape(-1)
    return self.reshape(-1).index_put(places, elements, accumulate).view(self.shape)


def _one_of_largest(
    self: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> Any:
    """One of the largest elements, or of the least ones, of which those are larger that are NaN."""
    if not same_number(k, 1):
        return NotImplemented
    return self.max(dim, keepdim=True) if largest else _least(self, dim, keepdim=True)


def _kth_value(self: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    return _least(self, dim, keepdim) if same_number(k, 1) else NotImplemented


def _least(self: Tensor, dim: int, keepdim: bool) -> Any:
    """The least element that is a number, and where it is."""
    if not self.is_floating_point() or not self.dim():
        return NotImplemented
    is_number = self == self
    least, place = torch.where(is_number, self, math.inf).min(dim, keepdim)
    return torch.where(is_number.any(dim, keepdim), least, math.nan), place


def _average(
    self: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """Of windows along whole sides of matrices."""
    pooled = _pooled(self, kernel_size, stride, (*padding, divisor_override or 0))
    return NotImplemented if pooled is None else self.mean(pooled, keepdim=True)


def _maximum(
    self: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,),
    ceil_mode: bool = False,
) -> Any:
    """The same, and where each is, counted through its matrix."""
    pooled = _pooled(self, kernel_size, stride, padding)
    if pooled is None:
        return NotImplemented
    rows, columns = self.shape[-2:]
    if len(pooled) == 2:
        places = self.flatten(-2).argmax(-1)[..., None, None]
    elif pooled == [-2]:
        places = self.argmax(-2, keepdim=True) * columns + torch.arange(columns)
    else:
        places = self.argmax(-1, keepdim=True) + torch.arange(rows)[:, None] * columns
    return self.amax(pooled, keepdim=True), places


def _adaptive_maximum(self: Tensor, output_size: Sequence[int]) -> Any:
    is_one = all(size == 1 for size in output_size)
    return _maximum(self, self.shape[-2:]) if is_one else NotImplemented


def _pooled(
    matrices: Tensor, window: Sequence[int], stride: Sequence[int], others: Sequence[int]
) -> list[int] | None:
    """The dimensions that windows are as long as, where they have one element of the other one, or
    none is left; None for other windows, and with what is not 0 of `others`."""
    pooled = []
    for dimension in (-2, -1):
        # One number is that of both dimensions.
        size, step = (given[dimension % len(given)] for given in (window, stride or window))
        if same_number(size, matrices.shape[dimension]):
            pooled.append(dimension)
        elif not same_number(size, 1) or not same_number(step, 1):
            return None
    return pooled if pooled and not any(others) else None


OWN: dict[private.OpOverload, Callable[..., Any]] = {
    torch.ops.aten.adaptive_max_pool2d.default: _adaptive_maximum,
    torch.ops.aten.avg_pool2d.default: _average,
    torch.ops.aten.kthvalue.default: _kth_value,
    torch.ops.aten.max_pool2d_with_indices.default: _maximum,
    torch.ops.aten.put.default: _put,
    torch.ops.aten.huber_loss.default: _huber_loss,
    torch.ops.aten.smooth_l1_loss.default: _smooth_l1_loss,
    torch.ops.aten.topk.default: _one_of_largest,
}


@cache
def decompositions() -> dict[private.OpOverload, Callable[..., Any]]:
    """What operators are made of, by the operators."""
    found = private.operators_of_operators()
    left = {made: parts for made, parts in found.items() if made._schema.name not in WHOLE}
    return left | OWN


_STACKS = (torch.stack, torch.ops.aten.stack.default)
_BILINEAR = (functional.bilinear, torch.bilinear, torch.ops.aten.bilinear.default)
_DISTANCES = (torch.cdist, torch.functional.cdist, torch.ops.aten.cdist.default)


def copy(node: Node, part: Graph, copied: Mapping[Node, Node]) -> Node:
    """A node in another graph that computes the same; copied: those that it reads, there."""
    if (found := contraction_at(node)) is not None:
        told, steps = found
        operands = tuple(copied[one] for one in told.operands)
        return part.call_function(contract, (told.letters, told.result, steps, operands))
    made = part.node_copy(node, copied.__getitem__)
    if node.target is functional.embedding_bag:
        made.target = embedding_bag
    if node.target in _STACKS:
        made.target = _stacked
    if node.target in _BILINEAR:
        made.target = _bilinear
    made.target = IRREGULAR.get(node.target, made.target)
    if (bag := encoded_bag_at(node)) is not None:
        made.target = bag
    if node.target in _DISTANCES and _are_few(node):
        made.target = _distances
    return made


def _bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """F.bilinear as a product of three tensors."""
    pairs = input1[..., None, :, None] * weight * input2[..., None, None, :]
    found = pairs.sum((-2, -1))
    return found if bias is None else found + bias


def _stacked(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """torch.stack, of which each part is one of those that are put behind another."""
    return torch.cat([one.unsqueeze(dim) for one in tensors], dim)


def _are_few(distances: Node) -> bool:
    """Whether there are few rows of one kind: of many, PyTorch makes a product of matrices."""
    rows = [tensor_of(one) for one in distances.all_input_nodes[:2]]
    return len(rows) == 2 and any(
        one is not None and likely_sizes(one.shape)[-2] <= MOST_QUERIES for one in rows
    )


def _distances(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str | None = None) -> Tensor:
    """Norms of the differences of all pairs of rows, as torch.cdist has them."""
    found: Tensor = torch.linalg.vector_norm(x1.unsqueeze(-2) - x2.unsqueeze(-3), ord=p, dim=-1)
    return found
