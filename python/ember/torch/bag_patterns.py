"""Finds embedding bags in FX graphs: F.embedding_bag, and reductions of F.embedding.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from typing import Any

import torch
from torch import Tensor
from torch.fx import Node

from ember import configuration
from ember.errors import CompileError, CompilerNotFoundError, KernelError, UnsupportedError
from ember.kernel import Library
from ember.torch.bag_call import MAXIMUM, BagCall
from ember.torch.no_match import NoMatchError
from ember.torch.operations import (
    Operation,
    fixed_number,
    name_of,
    nodes_of,
    read,
    same_number,
    tensor_of,
)
from ember.torch.region import Region
from ember.torch.region_call import NotTakenError, Reference, RegionCall
from ember.torch.repeat import MOST, Bound, Repeat, Size, Source, exactly, repeat_of
from ember.torch.settings import Settings

# Indices that give a tensor of two dimensions one more.
AT_THE_END = ((..., None), (slice(None), slice(None), None))
# Gathered elements from which on a maximum, and whether it is finite, is faster than PyTorch's.
LEAST_OF_MAXIMUM = 1 << 13
REDUCTIONS = {"sum": "sum", "mean": "mean", "amax": "max", "max": "max"}


def bag_at(node: Node, settings: Settings) -> Region | None:
    """The region of a bag whose last operation is `node`; None if it is another operation."""
    operation = read(node)
    if operation is None:
        return None
    if operation.name == "embedding_bag":
        return _bag(node, operation, settings)
    if operation.name in REDUCTIONS:
        return _reduced(node, operation, settings)
    return None


def _bag(node: Node, operation: Operation, settings: Settings) -> Region:
    """F.embedding_bag itself; options that are not tensors are fixed."""
    if operation.get("max_norm") is not None and settings.rest != "eager":
        raise NoMatchError("max_norm changes the table")
    names = ["input", "weight", "offsets", "per_sample_weights"]
    if operation.get("max_norm") is not None:
        names += ["max_norm", "norm_type"]
    fixed = {
        name: fixed_number(value)
        for name, value in operation.arguments.items()
        if name not in (*names, "max_norm", "norm_type")
    }
    if any(isinstance(value, Node) for value in fixed.values()):
        raise NoMatchError("its options are computed")
    inputs = tuple(operation.get(name, 2.0 if name == "norm_type" else None) for name in names)
    return Region(
        "bag",
        node,
        nodes_of(node),
        inputs,
        lambda reference: FixedBag(
            BagCall(settings.kernel_options), reference, fixed, len(names) > 4, settings.raises
        ),
        f"{fixed.get('mode', 'mean')} of bags of rows of {name_of(operation.get('weight'))}",
        _names(operation),
        changes=(operation.get("weight"),) if len(names) > 4 else (),
    )


def _reduced(node: Node, operation: Operation, settings: Settings) -> Region | None:
    """F.embedding of (bags, lookups), perhaps weighted, and a reduction over a bag's lookups."""
    reduced = operation.get("self")
    rows, weights, between = _weighted(reduced)
    looked_up = read(rows) if isinstance(rows, Node) else None
    if looked_up is None or looked_up.name != "embedding":
        return None
    indices, found = tensor_of(looked_up.get("input")), tensor_of(rows)
    if indices is None or found is None or indices.dim() != 2:
        return None
    if operation.get("dim") not in (1, -2, (1,), [1]) or operation.get("keepdim"):
        return None
    if operation.get("dtype") is not None:
        raise NoMatchError("the result has a type of its own")
    root, nodes = node, {node, reduced, rows, *between}
    if operation.name == "max":
        # The pair of maxima and their places: only the maxima have a kernel.
        users = list(node.users)
        if len(users) != 1 or (read(users[0]) or operation).get("index") != 0:
            return None
        root = users[0]
        nodes.add(root)
    if any(len(one.users) != 1 for one in (reduced, rows)):
        raise NoMatchError("its rows have other uses than the reduction")
    if weights is not None:
        _check_weights(weights, indices, found, operation.name)
    if looked_up.get("max_norm") is not None:
        raise NoMatchError("max_norm changes the table")
    mode = REDUCTIONS[operation.name]
    padding = looked_up.get("padding_idx")
    fixed = {
        "mode": mode,
        "sparse": bool(looked_up.get("sparse")),
        "scale_grad_by_freq": bool(looked_up.get("scale_grad_by_freq")),
    }

    def make(reference: Reference) -> ReducedRows:
        call = ReducedRows(
            BagCall(settings.kernel_options), reference, fixed, raises=settings.raises
        )
        call.skips = padding is not None
        return call

    return Region(
        "bag",
        root,
        nodes,
        (looked_up.get("input"), looked_up.get("weight"), None, weights),
        make,
        f"{mode} of rows of {name_of(looked_up.get('weight'))}"
        + (f", times {name_of(weights)}" if weights is not None else ""),
        _names(looked_up),
    )


def _weighted(reduced: Any) -> tuple[Any, Node | None, set[Node]]:
    """Rows (bags, lookups, length), their weights (bags, lookups), or (bags, lookups, 1), if they
    are a product with such, and what makes these a factor."""
    product = read(reduced) if isinstance(reduced, Node) else None
    if product is None or product.name != "mul" or product.in_place:
        return reduced, None, set()
    one, other = product.get("self"), product.get("other")
    for rows, factor in ((one, other), (other, one)):
        looked_up = read(rows) if isinstance(rows, Node) else None
        column = tensor_of(factor)
        if looked_up is None or looked_up.name != "embedding" or column is None:
            continue
        made = read(factor)
        if made is not None and not made.in_place and _adds_one(made):
            return rows, made.get("self"), {factor}
        # A mask (bags, lookups, 1) that is used again, as for the number of lookups.
        if column.dim() == 3 and not column.is_nested and same_number(column.shape[2], 1):
            return rows, factor, set()
    return reduced, None, set()


def _adds_one(operation: Operation) -> bool:
    """Whether an operation gives a tensor of two dimensions one more, at the end."""
    tensor = tensor_of(operation.get("self"))
    if tensor is None or tensor.dim() != 2:
        return False
    if operation.name == "getitem":
        return operation.get("index") in AT_THE_END
    return operation.name == "unsqueeze" and operation.get("dim") in (-1, 2)


def _check_weights(weights: Node, indices: Tensor, rows: Tensor, reduction: str) -> None:
    """Raises NoMatchError for weights that a bag of these indices, rows and reduction has not."""
    tensor = tensor_of(weights)
    assert tensor is not None
    if reduction != "sum":
        raise NoMatchError("rows times weights have a kernel for their sum alone")
    if tensor.dtype != rows.dtype and (tensor.is_floating_point() or tensor.is_complex()):
        raise NoMatchError(f"its weights are {tensor.dtype}, its rows {rows.dtype}")
    if not all(map(same_number, tensor.shape[:2], indices.shape)):
        raise NoMatchError("there are not known to be as many weights as lookups")


def _names(operation: Operation) -> dict[str, str]:
    """What errors of kernels call the operands, and what a user calls them."""
    operands = {"weight": "weight", "indices": "input", "offsets": "offsets"}
    return {
        operand: name_of(operation.get(parameter))
        for operand, parameter in operands.items()
        if operation.get(parameter) is not None
    }


class FixedBag(RegionCall):
    """F.embedding_bag(input, weight, offsets, per_sample_weights) with its other arguments fixed.

    renormalises: max_norm and norm_type are inputs, too. Errors, gradients and what kernels do not
    take are as BagCall has them.
    """

    def __init__(
        self,
        call: BagCall,
        reference: Reference,
        fixed: dict[str, Any],
        renormalises: bool = False,
        raises: bool = False,
    ) -> None:
        super().__init__(reference, 6 if renormalises else 4, raises)
        self.call = call
        self.fixed = fixed
        self.renormalises = renormalises
        self.changes = (1,) if renormalises else ()

    def kernels(self) -> list[Library]:
        return [kernel.library for kernel in self.call.kernels()]

    def bags(self, input: Tensor, weight: Tensor, offsets: Tensor | None, **named: Any) -> Tensor:
        """F.embedding_bag of these; raises NotTakenError where the reference has to be asked."""
        return self.call(input, weight, offsets, **named)

    def weights_of(self, given: Tensor, table: Tensor) -> Tensor:
        """The weights of lookups as F.embedding_bag takes them."""
        return given

    def looked_into(self, arguments: tuple[Any, ...]) -> Tensor:
        """The bags, (bags, length)."""
        input, weight, offsets, sample_weights = arguments[:4]
        max_norm, norm_type = arguments[4:6] if self.renormalises else (None, 2.0)
        fixed = self.fixed
        if type(input) is not Tensor and (found := _jagged(input, offsets, sample_weights)):
            input, offsets, sample_weights = found
            fixed = {**fixed, "include_last_offset": True}
        if sample_weights is not None:
            sample_weights = self.weights_of(sample_weights, weight)
        if not self.failed and not configuration.is_disabled():
            self.call.handed_over = ""
            try:
                bags = self.bags(
                    input,
                    weight,
                    offsets,
                    max_norm=max_norm,
                    norm_type=norm_type,
                    per_sample_weights=sample_weights,
                    **fixed,
                )
                self.handed_over = self.call.handed_over
                self.remember(arguments)
                return bags
            except NotTakenError:
                self.handed_over = self.call.handed_over
            except (CompileError, CompilerNotFoundError) as error:
                self.give_up(error)
            except UnsupportedError as error:
                self.handed_over = str(error)
            except KernelError as error:
                raise self.named(error) from None
        result: Tensor = self.reference(*arguments)
        return result

    def repeat_for(self, arguments: tuple[Any, ...]) -> Repeat | None:
        """Of tables that are not changed; a batch's shape is as it was."""
        input, weight, offsets, sample_weights = arguments[:4]
        if self.renormalises:
            return None
        fixed = self.fixed
        weights = sample_weights
        if weights is not None:
            weights = self.weights_of(sample_weights, weight)
            if weights.dtype is not sample_weights.dtype:
                return None
        found = self.call.like_before(
            input,
            weight,
            offsets,
            fixed.get("mode", "mean"),
            weights,
            fixed.get("include_last_offset", False),
            fixed.get("padding_idx"),
        )
        if found is None:
            return None
        kernel, given, (bags, length) = found
        sources: list[Source] = [1, 0, 2]
        more_offsets = len(given[2]) - bags
        size: Size = (2, 0, -more_offsets)
        bounds: list[Bound] = [(2, 0, 1 + more_offsets, MOST)]
        if offsets is None:
            sources, size = [1, (0, 2), (given[2],)], bags
            bounds = exactly(0, *input.shape)
        bounds += exactly(1, *weight.shape)[1:]
        if sample_weights is not None:
            sources.append((3, sample_weights.dim()))
            bounds += exactly(3, *sample_weights.shape) if offsets is None else []
        if fixed.get("padding_idx") is not None:
            # The table may have other rows, but has the one that is skipped.
            sources.append((given[-1],))
            bounds.append((1, 0, given[-1] + 1, MOST))
        return repeat_of(kernel, arguments, sources, 1, (size, length), bounds=bounds)


class ReducedRows(FixedBag):
    """F.embedding(input, weight) reduced over dimension 1, for input (bags, lookups).

    Weights: (bags, lookups) or (bags, lookups, 1), of the rows' type, or whole numbers or a mask.
    skips: the gradient of one row is left out, which the gradient of a bag does not do.
    """

    skips = False

    def weights_of(self, given: Tensor, table: Tensor) -> Tensor:
        weights = given.squeeze(-1) if given.dim() == 3 else given
        return weights if weights.is_floating_point() else weights.to(table.dtype)

    def bags(self, input: Tensor, weight: Tensor, offsets: Tensor | None, **named: Any) -> Tensor:
        """The bags by a kernel: PyTorch's have fewer types than its lookups and reductions."""
        bags = self.call.by_kernel(input, weight, offsets, **named)
        if self.fixed["mode"] == "max":
            with torch.no_grad():
                total = self.call.by_kernel(input, weight, offsets, **{**named, "mode": "sum"})
            # PyTorch's maximum of rows is NaN where any is; that of bags, and kernels', need not
            # be. Sums that are too large are taken for such, too.
            if not math.isfinite(float(total.sum())):
                self.call.handed_over = "its rows are not known to be finite"
                raise NotTakenError
        return bags

    def looked_into(self, arguments: tuple[Any, ...]) -> Tensor:
        """The reduced rows, (bags, length)."""
        input, weight = arguments[:2]
        gradient = weight.requires_grad and torch.is_grad_enabled()
        is_maximum = self.fixed["mode"] == "max"
        self.handed_over = self.why_other_gradient() if gradient else ""
        if not self.handed_over and is_maximum and self._is_small(input, weight):
            self.handed_over = "PyTorch computes the maximum of so few rows as fast"
        # Without lookups PyTorch has zeros, NaN or an error; a bag has zeros.
        if not self.handed_over and _has_empty_rows(input):
            self.handed_over = "PyTorch has another result for bags without lookups"
        if self.handed_over:
            result: Tensor = self.reference(*arguments)
            return result
        return super().looked_into(arguments)

    def repeat_for(self, arguments: tuple[Any, ...]) -> Repeat | None:
        return None if self.fixed["mode"] == "max" else super().repeat_for(arguments)

    def why_other_gradient(self) -> str:
        """Why PyTorch's gradient of a bag is not that of lookups and their reduction; empty if it
        is.

        That of rows scaled by their frequency is scaled again and again in a bag of several.
        """
        if self.fixed["mode"] == "max":
            return MAXIMUM
        if self.skips or self.fixed["scale_grad_by_freq"]:
            option = "padding_idx" if self.skips else "scale_grad_by_freq"
            return f"lookups with {option} have another gradient than bags, which is PyTorch's"
        return ""

    def _is_small(self, input: Tensor, weight: Tensor) -> bool:
        """Whether PyTorch is as fast. The first call builds kernels, however small it is."""
        if input.is_nested or not self.call.kernels():
            return False
        return input.numel() * weight.shape[-1] < LEAST_OF_MAXIMUM


def _jagged(
    input: Any, offsets: Tensor | None, sample_weights: Any
) -> tuple[Tensor, Tensor, Tensor | None] | None:
    """The values and offsets of a jagged tensor (bags, lookups a bag), and the values of weights
    that are jagged as it is; None for any other."""
    if not input.is_nested or input.layout is not torch.jagged or input.dim() != 2:
        return None
    # PyTorch takes what lies in holes between rows for a part of them.
    if offsets is not None or input.lengths() is not None:
        return None
    if sample_weights is None:
        return input.values(), input.offsets(), None
    if not sample_weights.is_nested or sample_weights.size() != input.size():
        return None
    return input.values(), input.offsets(), sample_weights.values()


def _has_empty_rows(input: Tensor) -> bool:
    """Whether a batch (bags, lookups a bag) has a bag without lookups, or may have one."""
    if not input.is_nested:
        return input.numel() == 0
    found = _jagged(input, None, None)
    return found is None or not bool((found[1].diff() > 0).all())
