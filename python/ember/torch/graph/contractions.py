"""Products of three and more tensors (torch.einsum), two at a time in the order that costs least.

PyTorch takes them from the left, and stores what each two make. For edges' rows, harmonics and
coefficients that are numbers for each pair of them, where coefficients with harmonics first leave
a small matrix for each edge, which a kernel keeps.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
import string
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.fx import Node

from ember.torch.graph.costs import MOST_OPERANDS, MOST_QUERIES
from ember.torch.graph.operations import (
    called_name,
    likely_sizes,
    linear_layer,
    same_number,
    tensor_of,
)

_TARGETS = (torch.einsum, torch.functional.einsum, torch.ops.aten.einsum.default)
# Numbers of operands, of those that are left: the two of each step, whose product is the last one.
Steps = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Einsum:
    """What torch.einsum is told: operands, the letters of their dimensions, and of the result's."""

    operands: tuple[Node, ...]
    letters: tuple[str, ...]
    result: str


def contract(
    letters: Sequence[str], result: str, steps: Steps, operands: Sequence[Tensor]
) -> Tensor:
    """A contraction of tensors by products of elements and sums of these alone."""
    left = list(operands)
    for places, pair, made in _products(steps, letters, result):
        tensors = [left[place] for place in places]
        left = [*_without(left, places), _summed(list(zip(pair, tensors, strict=True)), made)]
    return left[0]


def contraction_at(node: Node) -> tuple[Einsum, Steps] | None:
    """The product that a node is, and the order in which it takes the fewest multiplications; None
    for one that PyTorch computes as fast, or of fewer operands, and for anything else."""
    told = einsum_at(node)
    if told is None or not 3 <= len(told.operands) <= MOST_OPERANDS:
        return None
    tensors = [tensor for one in told.operands if (tensor := tensor_of(one)) is not None]
    if len({tensor.dtype for tensor in tensors}) > 1 or not tensors[0].is_floating_point():
        return None
    sizes = _sizes(told.letters, tensors)
    examples = (np.broadcast_to(0.0, [sizes[one] for one in own]) for own in told.letters)
    equation = f"{','.join(told.letters)}->{told.result}"
    (_, *steps), _ = np.einsum_path(equation, *examples, optimize=("optimal", sys.maxsize))
    for _, pair, made in _products(steps, told.letters, told.result):
        numbers = sum(_count(own, sizes) for own in (*pair, made))
        if _count("".join(pair), sizes) > MOST_QUERIES * numbers:
            # Each number is used so often that PyTorch's library computes the product faster.
            return None
    return told, tuple(steps)


def einsum_at(node: Node) -> Einsum | None:
    """What a node tells torch.einsum; None for anything else, and for diagonals of operands."""
    if node.target not in _TARGETS or node.kwargs:
        return None
    equation, *given = node.args
    if len(given) == 1 and isinstance(given[0], list | tuple):
        given = list(given[0])
    operands = tuple(one for one in given if isinstance(one, Node) and tensor_of(one) is not None)
    if not isinstance(equation, str) or "." in equation or len(operands) < len(given):
        return None
    letters, result = _letters(equation)
    if len(letters) != len(operands) or any(len(set(own)) < len(own) for own in letters):
        return None
    return Einsum(operands, letters, result)


def product_at(node: Node) -> Einsum | None:
    """A product of matrices, a linear layer but for its bias, or what a node tells torch.einsum, by
    letters; None for anything else."""
    name, layer = called_name(node), linear_layer(node)
    if layer is None and name not in ("bmm", "matmul", "mm"):
        return einsum_at(node)
    given = node.args if layer is None else layer[:2]
    operands = tuple(one for one in given if isinstance(one, Node))
    tensors = [tensor for one in operands if (tensor := tensor_of(one)) is not None]
    if len(tensors) != 2 or not all(tensor.dim() for tensor in tensors):
        return None
    left, right = (string.ascii_lowercase[: tensor.dim()] for tensor in tensors)
    if layer is not None:
        return Einsum(operands, (left, f"Z{left[-1]}"), f"{left[:-1]}Z")
    shared = left[-1]
    if len(right) == 1:
        return Einsum(operands, (left, shared), left[:-1])
    batch = right[:-2]
    if len(left) > 2 and batch:
        sizes = (tensor.shape[:-2] for tensor in tensors)
        if len(left) != len(right) or not all(map(same_number, *sizes)):
            return None
    elif batch:
        batch = batch.upper()
    kept = left[:-1] if len(left) > 2 or not batch else batch + left[:-1]
    return Einsum(operands, (left, f"{batch}{shared}Z"), f"{kept}Z")


def _letters(equation: str) -> tuple[tuple[str, ...], str]:
    """Those of the operands' dimensions, and of the result's: without an arrow those that come
    once, in order."""
    terms, arrow, result = equation.replace(" ", "").partition("->")
    once = sorted(one for one in set(terms) - {","} if terms.count(one) == 1)
    return tuple(terms.split(",")), result if arrow else "".join(once)


def _sizes(letters: Sequence[str], tensors: Sequence[Tensor]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for own, tensor in zip(letters, tensors, strict=True):
        for one, size in zip(own, likely_sizes(tensor.shape), strict=True):
            sizes[one] = max(size, sizes.get(one, 1))
    return sizes


def _products(
    steps: Sequence[tuple[int, int]], letters: Sequence[str], result: str
) -> Iterator[tuple[tuple[int, int], list[str], str]]:
    """The products of an order: where both operands are, their letters, and those of what they
    make, which is summed over the letters that no other has."""
    left = list(letters)
    for places in steps:
        pair, left = [left[place] for place in places], _without(left, places)
        wanted = set("".join([*left, result]))
        made = "".join(sorted(wanted.intersection("".join(pair)))) if left else result
        left.append(made)
        yield places, pair, made


def _without(items: Sequence[Any], places: tuple[int, int]) -> list[Any]:
    return [item for place, item in enumerate(items) if place not in places]


def _count(letters: str, sizes: Mapping[str, int]) -> int:
    return math.prod(sizes[one] for one in set(letters))


def _summed(pairs: Sequence[tuple[str, Tensor]], kept: str) -> Tensor:
    """The product of tensors, by letters of their dimensions, summed over those that are not
    kept."""
    order = [*kept, *sorted(set("".join(own for own, _ in pairs)) - set(kept))]
    aligned = []
    for own, tensor in pairs:
        shown = tensor.permute([own.index(one) for one in order if one in own])
        for place, one in enumerate(order):
            if one not in own:
                shown = shown.unsqueeze(place)
        aligned.append(shown)
    product = reduce(torch.mul, aligned)
    summed = list(range(len(kept), len(order)))
    return product.sum(summed) if summed else product
