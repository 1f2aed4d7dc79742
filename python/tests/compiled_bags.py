"""Compiled bags with the arguments of F.embedding_bag, to be compared with it.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import inspect
from typing import Any

import torch.nn.functional as functional
from ember.compiler import Options
from ember.torch.capture.embedding_module import BagModuleKernel
from ember.torch.settings import Settings
from torch import nn

_SIGNATURE = inspect.signature(functional.embedding_bag)
_OPTIONS = (
    "include_last_offset",
    "max_norm",
    "mode",
    "norm_type",
    "padding_idx",
    "scale_grad_by_freq",
    "sparse",
)


class CompiledBags:
    """F.embedding_bag by one compiled nn.EmbeddingBag, whose table and options are the call's."""

    def __init__(self, options: Options) -> None:
        self.kernel = BagModuleKernel(nn.EmbeddingBag(1, 1), Settings(kernel_options=options))

    def __call__(self, *args: Any, **named: Any) -> Any:
        """What F.embedding_bag gets."""
        given = _SIGNATURE.bind(*args, **named)
        given.apply_defaults()
        input, weight, offsets, *_ = given.args
        module: Any = self.kernel.original
        # A table that needs no gradient, or is made of others, is no nn.Parameter.
        module._parameters["weight"] = weight
        for name in _OPTIONS:
            setattr(module, name, given.arguments[name])
        return self.kernel(input, offsets, given.arguments["per_sample_weights"])
