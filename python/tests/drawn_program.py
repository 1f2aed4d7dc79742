"""Random PyTorch programs in the making: what they are given, and what they have of it by now.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor


@dataclass(frozen=True)
class Input:
    """A tensor that a program is given.

    bounds: numbers are integers from the first on to the second. layout: how it lies in memory:
    "" for row by row, "transposed", or "apart" where other numbers are between its.
    """

    name: str
    shape: tuple[int, ...]
    dtype: torch.dtype = torch.float64
    bounds: tuple[int, int] | None = None
    requires_grad: bool = False
    layout: str = ""

    def made(self, draw: torch.Generator) -> Tensor:
        """The tensor, drawn."""
        drawn = self._numbers(draw).to(self.dtype)
        if self.layout == "transposed":
            drawn = drawn.mT.contiguous().mT
        elif self.layout == "apart":
            drawn = torch.stack([drawn, drawn], -1)[..., 0]
        return drawn.detach().requires_grad_(self.requires_grad)

    def _numbers(self, draw: torch.Generator) -> Tensor:
        if self.dtype is torch.bool:
            return torch.rand(self.shape, generator=draw) < 0.6
        if self.bounds:
            return torch.randint(*self.bounds, self.shape, generator=draw)
        return torch.randn(self.shape, generator=draw, dtype=torch.float64)


def arguments(inputs: Sequence[Input], seed: int) -> tuple[Tensor, ...]:
    """A program's arguments, in their order."""
    draw = torch.Generator().manual_seed(seed)
    return tuple(one.made(draw) for one in inputs)


@dataclass
class Program:
    """A program in the making.

    lines: its statements. inputs: what it is given. results: what it returns. copies_leaves:
    whether it writes to what it is given, which leaves of gradients do not allow. of: what it is
    made of, in words. plain: a program that means the same, and has kernels. dynamic: what
    torch.compile is told of sizes.
    """

    draw: random.Random
    inputs: list[Input] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    copies_leaves: bool = True
    of: str = ""
    plain: "Program | None" = None
    dynamic: bool | None = None

    def put(self, text: str) -> str:
        """A new variable of a value."""
        name = f"v{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return name

    def one_of(self, *texts: str) -> str:
        """One of several ways to write the same."""
        return self.draw.choice(texts)

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.draw.random() < probability

    def text(self) -> str:
        """The whole program."""
        first = []
        if self.copies_leaves:
            first = [f"{one.name} = {one.name} * 1" for one in self.inputs if one.requires_grad]
        lines = [*first, *self.lines, f"return ({', '.join(self.results)},)"]
        names = ", ".join(one.name for one in self.inputs)
        return f"def program({names}):\n" + "".join(f"    {line}\n" for line in lines)
