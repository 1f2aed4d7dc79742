"""Calls of bags of jagged indices in graphs: those of their values, between their offsets.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from typing import Any

import torch
from torch import Tensor

from ember import configuration
from ember.kernel import Library
from ember.torch.calls.region_call import MAXIMUM, RegionCall
from ember.torch.element_types import SUM_TYPES
from ember.torch.gradients.differentiable import Reference
from ember.torch.graph.outside_graphs import BagOptions, LoneBags
from ember.torch.settings import Settings


class JaggedBag(RegionCall):
    """F.embedding_bag(input, weight, offsets, per_sample_weights) with its other arguments fixed.

    Gradients and errors are those of bags between offsets.
    """

    def __init__(self, reference: Reference, options: BagOptions, settings: Settings) -> None:
        super().__init__(reference, 4, settings.raises)
        self.options = options._replace(include_last_offset=True)
        self.known = LoneBags(settings)

    def kernels(self) -> list[Library]:
        return self.known.kernels()

    def why_not(self, input: Tensor, weight: Tensor, offsets: Tensor) -> str:
        """Why PyTorch computes these; offsets are the input's own. Empty if it does not."""
        return ""

    def looked_into(self, arguments: tuple[Any, ...]) -> Any:
        """The bags, (bags, length)."""
        input, weight, offsets, sample_weights = arguments[:4]
        self.handed_over = "its indices, or their weights, are no jagged tensors without holes"
        given = _jagged(input, offsets, sample_weights)
        if given is not None:
            values, ends, weights = given
            self.handed_over = self.why_not(input, weight, ends)
            if not self.handed_over and not configuration.is_disabled():
                bags = self._bags((values, weight, ends, weights), self.options)
                if bags is not None:
                    return bags
        return self.reference(*arguments)

    def _bags(self, given: tuple[Any, ...], options: BagOptions) -> Tensor | None:
        """The bags of values between offsets; None if there is no kernel for them."""
        bag = self.known.find(options, given)
        if bag is None:
            return None
        bag.call.__name__, bag.call.names = self.__name__, {**bag.call.names, **self.names}
        bags: Tensor = bag.call(*bag.ordered(given))
        self.handed_over = bag.call.handed_over
        return bags


class ReducedRows(JaggedBag):
    """F.embedding(input, weight) reduced over dimension 1, for jagged input (bags, lookups).

    Weights: (bags, lookups) or (bags, lookups, 1), of the rows' type, or whole numbers or a mask.
    skips: the gradient of one row is left out, which the gradient of a bag does not do.
    """

    skips = False

    def why_not(self, input: Tensor, weight: Tensor, offsets: Tensor) -> str:
        if weight.requires_grad and torch.is_grad_enabled():
            if self.options.mode == "max":
                return MAXIMUM
            # Rows scaled by their frequency are scaled again and again in a bag of several.
            if self.skips or self.options.scale_grad_by_freq:
                option = "padding_idx" if self.skips else "scale_grad_by_freq"
                return f"lookups with {option} have another gradient than bags, which is PyTorch's"
            if weight.dtype not in SUM_TYPES:
                return f"the gradient of rows of {weight.dtype} is PyTorch's"
        # Without lookups PyTorch has zeros, NaN or an error; a bag has zeros.
        if not bool((offsets.diff() > 0).all()):
            return "PyTorch has another result for bags without lookups"
        return ""

    def _bags(self, given: tuple[Any, ...], options: BagOptions) -> Tensor | None:
        values, weight, offsets, weights = given
        if weights is not None:
            weights = weights.reshape(-1)
            weights = weights if weights.is_floating_point() else weights.to(weight.dtype)
        given = values, weight, offsets, weights
        if options.mode == "max":
            with torch.no_grad():
                total = super()._bags(given, options._replace(mode="sum"))
            # PyTorch's maximum of rows is NaN where any is; that of bags, and kernels', need not
            # be. Sums that are too large are taken for such, too.
            if total is None or not math.isfinite(float(total.sum())):
                self.handed_over = "its rows are not known to be finite"
                return None
        return super()._bags(given, options)


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
    if not sample_weights.is_nested or sample_weights.size()[:2] != input.size():
        return None
    return input.values(), input.offsets(), sample_weights.values()
