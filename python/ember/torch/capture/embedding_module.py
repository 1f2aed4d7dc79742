"""A compiled nn.EmbeddingBag, whose calls go straight to the kernel.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from typing import Any

import torch
import torch.nn.functional as functional
from torch import Tensor, nn

from ember import configuration
from ember.errors import UnsupportedError
from ember.kernel import Library
from ember.torch.calls.region_call import PLAIN
from ember.torch.capture import private
from ember.torch.capture.compiled import ModuleKernel
from ember.torch.graph.outside_graphs import BagOptions, LoneBags
from ember.torch.graph.spelling import renormalise
from ember.torch.report.explanation import CompiledPart
from ember.torch.report.report import Report, Reports
from ember.torch.settings import Settings

BAG = "embedding_bag"
_is_dynamo_compiling = torch.compiler.is_dynamo_compiling


class BagModuleKernel(ModuleKernel):
    """A compiled nn.EmbeddingBag: the arguments go straight to the kernel."""

    def __init__(self, original: nn.EmbeddingBag, settings: Settings) -> None:
        super().__init__(original, settings)
        # Attributes are the original's, but for those of the wrapper's own scope.
        self.__dict__["_ember_bags"] = LoneBags(settings)
        # By what tells calls apart without looking into tensors.
        self.__dict__["_ember_recent"] = {}

    def kernels(self) -> list[Library]:
        own = self.__dict__["_ember_bags"].kernels()
        return list(dict.fromkeys([*own, *super().kernels()]))

    def reports(self) -> Reports:
        """What became of the bag, by the kinds of tensors it was called with, and of graphs."""
        direct = [
            CompiledPart("bag", f"{bag.options.mode} of bags of rows of weight", (BAG,), bag.call)
            for bag in self.__dict__["_ember_bags"].bags()
        ]
        bags = [Report(operations=1, compiled=[part]) for part in direct]
        return Reports([*bags, *super().reports()])

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        scope = self.__dict__
        module = scope["_modules"]["_orig_mod"]
        if (
            _is_dynamo_compiling()
            or not private.has_new_sizes
            or private.is_tracing()
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
    ) -> Any:
        """nn.EmbeddingBag.forward: input (lookups,) with offsets, or (bags, lookups a bag)."""
        # A plain attribute access would go through nn.Module.__getattr__, at 0.4 us.
        scope = self.__dict__
        weight: Any = module._parameters["weight"]
        padding, max_norm = module.padding_idx, module.max_norm
        options = (
            module.mode,
            module.include_last_offset,
            padding,
            module.sparse,
            module.scale_grad_by_freq,
        )
        given = input, weight, offsets, per_sample_weights
        kind = (options, offsets is None, per_sample_weights is None)
        bag = scope["_ember_recent"].get(kind)
        if (
            bag is not None
            and max_norm is None
            and not (weight.requires_grad and torch.is_grad_enabled())
            and _is_like_before(*given, padding)
        ):
            result = bag.call.again(bag.ordered(given))
            if result is not NotImplemented:
                return result
        if padding is not None and padding < 0:
            padding += len(weight)
        bag = scope["_ember_bags"].find(BagOptions(*options)._replace(padding_idx=padding), given)
        if bag is None or configuration.is_disabled():
            return _by_pytorch(module, given)
        if not private.is_transformed():
            _check_kernels_read(given)
        scope["_ember_recent"][kind] = bag
        if per_sample_weights is not None:
            given = input, weight, offsets, per_sample_weights.contiguous()
        if max_norm is not None:
            renormalise(weight.detach(), input, max_norm, module.norm_type)
        return bag.call.looked_into(bag.ordered(given))


def _is_like_before(
    input: Any, weight: Tensor, offsets: Any, sample_weights: Any, padding: int | None
) -> bool:
    """Whether what compiled code does not ask of a call is as it has to be."""
    if offsets is None and not (type(input) is Tensor and input.numel()):
        return False
    return (padding is None or 0 <= padding < weight.shape[0]) and (
        sample_weights is None
        or (type(input) is type(sample_weights) is Tensor and input.shape == sample_weights.shape)
    )


def _check_kernels_read(given: tuple[Any, ...]) -> None:
    """Raises UnsupportedError where PyTorch may have an answer that the kernels have not."""
    for name, tensor in zip(("input", "weight", "offsets"), given, strict=False):
        if type(tensor) in PLAIN and not (tensor.is_cpu and tensor.layout is torch.strided):
            raise UnsupportedError(
                f"{name} is a {tensor.layout} tensor on {tensor.device}; the kernels take dense "
                "tensors on the cpu"
            )


def _by_pytorch(module: nn.EmbeddingBag, given: tuple[Any, ...]) -> Tensor:
    """PyTorch's bags, or its error."""
    input, weight, *others = given
    # PyTorch's kernel for rows without elements refuses right indices now and then.
    is_empty = weight.dim() == 2 and weight.shape[1] == 0
    bags = functional.embedding_bag(
        input,
        functional.pad(weight, (0, 1)) if is_empty else weight,
        others[0],
        module.max_norm,
        module.norm_type,
        module.scale_grad_by_freq,
        module.mode,
        module.sparse,
        others[1],
        module.include_last_offset,
        module.padding_idx,
    )
    return bags[:, :0] if is_empty else bags
