"""Compiled bags with the arguments of F.embedding_bag, to be compared with it.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from typing import Any

from ember.compiler import Options
from ember.torch.capture.module_bag import BagModuleKernel
from ember.torch.settings import Settings
from torch import Tensor, nn


class CompiledBags:
    """F.embedding_bag by one compiled nn.EmbeddingBag, whose table and options are the call's."""

    def __init__(self, options: Options) -> None:
        self.kernel = BagModuleKernel(nn.EmbeddingBag(1, 1), Settings(kernel_options=options))

    def __call__(
        self,
        input: Any,
        weight: Tensor,
        offsets: Any = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        per_sample_weights: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> Any:
        module: Any = self.kernel.original
        # A table that needs no gradient, or is made of others, is no nn.Parameter.
        module._parameters["weight"] = weight
        module.max_norm, module.norm_type = max_norm, norm_type
        module.scale_grad_by_freq, module.sparse = scale_grad_by_freq, sparse
        module.mode, module.padding_idx = mode, padding_idx
        module.include_last_offset = include_last_offset
        return self.kernel(input, offsets, per_sample_weights)
