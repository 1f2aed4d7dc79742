"""Calls of bags whose tensors are looked into: those of modules, and of jagged indices in graphs.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from typing import Any

import torch
from torch import Tensor

from ember import configuration
from ember.errors import CompileError, CompilerNotFoundError, KernelError, UnsupportedError
from ember.kernel import Library
from ember.torch.calls.bag_call import BagCall
from ember.torch.calls.region_call import MAXIMUM, NotTakenError, RegionCall
from ember.torch.calls.repeat import MOST, Bound, Repeat, Size, Source, exactly, repeat_of
from ember.torch.gradients.differentiable import Reference


class FixedBag(RegionCall):
    """F.embedding_bag(input, weight, offsets, per_sample_weights) with its other arguments fixed.

    Errors, gradients and what kernels do not take are as BagCall has them.
    """

    def __init__(
        self, call: BagCall, reference: Reference, fixed: dict[str, Any], raises: bool = False
    ) -> None:
        super().__init__(reference, 4, raises)
        self.call = call
        self.fixed = fixed

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
        self.handed_over = self.why_other_gradient() if gradient else ""
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
