"""A compiled nn.EmbeddingBag, whose calls go straight to the kernel.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from typing import Any

import torch
import torch.nn.functional as functional
from torch import Tensor, nn

from ember.kernel import Library
from ember.torch.calls.bag_call import BagCall
from ember.torch.calls.jagged_bags import FixedBag
from ember.torch.capture import private
from ember.torch.capture.compiled import ModuleKernel
from ember.torch.report.report import Compiled, Report, Reports
from ember.torch.settings import Settings

BAG = "embedding_bag"
BAG_OPTIONS = ("mode", "include_last_offset", "padding_idx", "sparse", "scale_grad_by_freq")
_is_dynamo_compiling = torch.compiler.is_dynamo_compiling


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


class BagModuleKernel(ModuleKernel):
    """A compiled nn.EmbeddingBag: the arguments go straight to the kernel."""

    def __init__(self, original: nn.EmbeddingBag, settings: Settings) -> None:
        super().__init__(original, settings)
        # Attributes are the original's, but for those of the wrapper's own scope.
        self.__dict__["_ember_call"] = BagCall(settings.kernel_options)
        # By the module's options, which may be changed.
        self.__dict__["_ember_bags"] = {}

    def kernels(self) -> list[Library]:
        own = [kernel.library for kernel in self.__dict__["_ember_call"].kernels()]
        return list(dict.fromkeys([*own, *super().kernels()]))

    def reports(self) -> Reports:
        """What became of the bag, by the options it was called with, and of graphs."""
        direct = [
            Compiled("bag", f"{bag.fixed['mode']} of bags of rows of weight", [BAG], bag)
            for bag in self.__dict__["_ember_bags"].values()
        ]
        bags = [Report(operations=1, compiled=[part]) for part in direct]
        return Reports([*bags, *super().reports()])

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        scope = self.__dict__
        module = scope["_modules"]["_orig_mod"]
        if (
            _is_dynamo_compiling()
            or type(module) is not nn.EmbeddingBag
            or module._parameters.get("weight") is None
            or private.is_more_than_forward(module)
            or private.has_hooks_around(self)
        ):
            return super().__call__(*args, **kwargs)
        return self._bags(module, *args, **kwargs)

    def _bags(
        self,
        module: nn.EmbeddingBag,
        input: Tensor,
        offsets: Tensor | None = None,
        per_sample_weights: Tensor | None = None,
    ) -> Tensor:
        """nn.EmbeddingBag.forward: input (lookups,) with offsets, or (bags, lookups a bag)."""
        # A plain attribute access would go through nn.Module.__getattr__, at 0.4 us.
        scope, weight = self.__dict__, module._parameters["weight"]
        if module.max_norm is not None:
            renormed: Tensor = scope["_ember_call"](
                input,
                weight,
                offsets,
                module.max_norm,
                module.norm_type,
                module.scale_grad_by_freq,
                module.mode,
                module.sparse,
                per_sample_weights,
                module.include_last_offset,
                module.padding_idx,
            )
            return renormed
        options = (
            module.mode,
            module.include_last_offset,
            module.padding_idx,
            module.sparse,
            module.scale_grad_by_freq,
        )
        bag = scope["_ember_bags"].get(options)
        if bag is None:
            bag = scope["_ember_bags"][options] = ModuleBag(
                scope["_ember_call"], dict(zip(BAG_OPTIONS, options, strict=True))
            )
        bags: Tensor = bag(input, weight, offsets, per_sample_weights)
        return bags
