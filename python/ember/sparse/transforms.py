"""Tensors that are more than their memory, of which kernels would drop what they cannot read.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch.autograd import forward_ad

from ember.errors import ArgumentError


def refuse_transformed(arrays: Mapping[str, Any]) -> None:
    """Raises ArgumentError for tensors with tangents, and for those of transforms of torch.func."""
    for name, given in arrays.items():
        if not isinstance(given, torch.Tensor):
            continue
        if not _has_memory(given):
            raise ArgumentError(
                f"{name}: it belongs to a transform of torch.func, such as vmap, grad or jvp, and "
                "statements take no part in these: call them outside, and differentiate by "
                "backward() or torch.autograd.grad"
            )
        dual = forward_ad.unpack_dual(given)  # type: ignore[no-untyped-call]
        if dual.tangent is not None:
            raise ArgumentError(
                f"{name}: it has a tangent, and statements have no gradients in forward mode: use "
                "backward mode, which is requires_grad_() and backward(), or take the primal of "
                "torch.autograd.forward_ad.unpack_dual"
            )


def _has_memory(tensor: torch.Tensor) -> bool:
    """Whether its elements lie somewhere, which those within transforms of torch.func do not."""
    if tensor.layout is not torch.strided:
        return True
    try:
        tensor.data_ptr()
    except RuntimeError:
        return False
    return True
