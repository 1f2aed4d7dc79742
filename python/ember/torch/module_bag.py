"""Calls of a compiled nn.EmbeddingBag.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from typing import Any

import torch.nn.functional as functional
from torch import Tensor

from ember.torch.bag_call import BagCall
from ember.torch.bag_patterns import FixedBag


class ModuleBag(FixedBag):
    """An nn.EmbeddingBag's forward, given (input, weight, offsets, per_sample_weights).

    fixed: the module's other options, but max_norm. Errors are BagCall's own.
    """

    def __init__(self, call: BagCall, fixed: dict[str, Any]) -> None:
        def reference(
            input: Tensor, weight: Tensor, offsets: Tensor | None, sample_weights: Tensor | None
        ) -> Tensor:
            return functional.embedding_bag(
                input, weight, offsets, per_sample_weights=sample_weights, **fixed
            )

        super().__init__(call, reference, fixed)

    def looked_into(self, arguments: tuple[Any, ...]) -> Tensor:
        """The bags, (bags, length)."""
        input, weight, offsets, sample_weights = arguments
        self.call.handed_over = ""
        bags = self.call(input, weight, offsets, per_sample_weights=sample_weights, **self.fixed)
        self.handed_over = self.call.handed_over
        self.remember(arguments)
        return bags
