"""Parts of graphs that autograd sees, and PyTorch's own gradients of them.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from ember.torch.calls.kept_tensors import for_later_calls

if TYPE_CHECKING:
    from ember.torch.calls.region_call import RegionCall

# PyTorch's own way to compute a part, from its inputs.
Reference = Callable[..., Any]


def gradients_of_reference(
    reference: Reference, arguments: Sequence[Any], needed: Sequence[bool], gradient: Tensor
) -> list[Tensor | None]:
    """PyTorch's own gradients, which may themselves be differentiated."""
    create_graph = torch.is_grad_enabled()
    with torch.enable_grad():
        tracked = [
            (
                argument.view_as(argument)
                if create_graph and argument.requires_grad
                else argument.detach().requires_grad_()
            )
            if needs
            else argument
            for argument, needs in zip(arguments, needed, strict=True)
        ]
        result = reference(*tracked)
        if not result.requires_grad:
            return [None] * len(arguments)
        wanted = [one for one, needs in zip(tracked, needed, strict=True) if needs]
        found = iter(
            torch.autograd.grad(
                result, wanted, gradient, create_graph=create_graph, allow_unused=True
            )
        )
    return [next(found) if needs else None for needs in needed]


class Outline:
    """What is known of a tensor whose values nothing reads: it may be changed, and be freed."""

    __slots__ = ("dtype", "shape")

    def __init__(self, tensor: Tensor) -> None:
        self.shape, self.dtype = tensor.shape, tensor.dtype

    def filled(self) -> Tensor:
        """A tensor like it, of one element in memory. A value that is read after all shows: NaN."""
        return _no_value(self.dtype).expand(self.shape)


@cache
def _no_value(dtype: torch.dtype) -> Tensor:
    with for_later_calls():
        value = math.nan if dtype.is_floating_point or dtype.is_complex else 0
        return torch.full((), value, dtype=dtype)


def for_backward(tensor: Tensor) -> Tensor:
    """A tensor that may be saved for the backward pass: a copy of one made in inference mode."""
    return tensor.clone() if tensor.is_inference() else tensor


class Differentiable(torch.autograd.Function):
    """A RegionCall that autograd sees."""

    @staticmethod
    def forward(ctx: Any, call: "RegionCall", *arguments: Any) -> Any:
        ctx.call = call
        # Where a later part has no gradient of this result, this has none of its inputs: not zeros.
        ctx.set_materialize_grads(False)
        # A tensor may be several inputs, of which PyTorch reads any.
        identities = {
            id(arguments[place]) for place in call.gradient_reads(ctx.needs_input_grad[1:])
        }
        identities.update(
            id(argument)
            for place, argument in enumerate(arguments)
            if place >= call.inputs and place not in call.outlines
        )
        kept: list[Tensor | None] = []
        others: list[Any] = []
        for argument in arguments:
            if not isinstance(argument, Tensor):
                kept.append(None)
                others.append(argument)
            elif id(argument) in identities:
                kept.append(for_backward(argument))
                others.append(None)
            else:
                kept.append(None)
                others.append(Outline(argument))
        ctx.others = others
        ctx.save_for_backward(*kept)
        # Gradients are disabled here, so that compiled code makes calls that came before.
        result = call.again(arguments)
        if result is NotImplemented:
            result = call.run(arguments)
        # PyTorch's own may be a view, which nothing may be written to behind an autograd function.
        return result.clone() if result._is_view() else result

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor | None) -> Any:
        if gradients[0] is None:
            return (None,) * len(ctx.needs_input_grad)
        arguments = [
            tensor if tensor is not None else other.filled() if type(other) is Outline else other
            for tensor, other in zip(ctx.saved_tensors, ctx.others, strict=True)
        ]
        return None, *ctx.call.gradients(arguments, ctx.needs_input_grad[1:], gradients[0])
