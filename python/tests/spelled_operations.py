"""What lists of spellings share: an operation, its arguments and its words.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

Function = Callable[..., Tensor]


@dataclass(frozen=True)
class Operation:
    """An operation in several words, of which the first are the plain ones.

    make: its arguments, of which those in floating point have gradients.
    """

    make: Callable[[], tuple[Tensor, ...]]
    words: dict[str, Function]
    has_gradients: bool = True


def numbers(*sizes: int, seed: int = 0) -> Tensor:
    """Numbers in f64, the same each time."""
    draw = torch.Generator().manual_seed(sum(sizes) + seed)
    return torch.randn(sizes, generator=draw, dtype=torch.float64)


def places(below: int, *sizes: int, seed: int = 0) -> Tensor:
    """Indices, the same each time."""
    draw = torch.Generator().manual_seed(sum(sizes) + below + seed)
    return torch.randint(below, sizes, generator=draw)


def gradients_of(operation: Operation, run: Function) -> list[Tensor | None]:
    """What a function returns of an operation's arguments, and their gradients."""
    given = [one.clone() for one in operation.make()]
    for one in given:
        one.requires_grad_(operation.has_gradients and one.is_floating_point())
    result = run(*given)
    if operation.has_gradients:
        weights = torch.linspace(0.5, 1.5, result.numel(), dtype=result.dtype)
        (result * weights.view_as(result)).sum().backward()
    return [result.detach(), *(one.grad for one in given)]
