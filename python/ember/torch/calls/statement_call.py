"""Calls of parts of graphs that are statements: one kernel, which is known when they are captured.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from torch import Tensor

from ember.compiler import Notation, Options
from ember.errors import ArgumentError
from ember.kernel import Entry
from ember.torch.element_types import INDEX_TYPES
from ember.torch.region_call import NotTakenError, Reference, RegionCall
from ember.torch.repeat import MOST, Repeat, Size, repeat_of

ENTRY = "kernel"


@dataclass(frozen=True)
class Program:
    """What is fixed of a kernel.

    notation: the statements; their kernel takes so many inputs, and then the result without its
    dimensions of size 1. sizes: of the result, as numbers, or as those of an input (place,
    dimension). prototype: the place of an input of the result's type. expected: numbers behind what
    the kernel takes, which have to be these.
    """

    notation: Notation
    sizes: tuple[int | tuple[int, int], ...]
    inputs: int
    prototype: int
    expected: tuple[float, ...] = ()


class StatementCall(RegionCall):
    """A part of a graph that statements compute: a new tensor from tensors and numbers."""

    def __init__(
        self,
        reference: Reference,
        program: Program,
        options: Options,
        raises: bool = False,
    ) -> None:
        super().__init__(reference, program.inputs + len(program.expected), raises)
        self.program = program
        self._options = options

    @cached_property
    def kernel(self) -> Callable[..., Any]:
        """The kernel, built when it is first needed; raises CompileError."""
        return self._entry.bind(gradients=True)

    @cached_property
    def common(self) -> Callable[..., Any] | None:
        """The kernel for common arguments, as Entry.common has it."""
        return self._entry.common(gradients=True)

    @cached_property
    def _entry(self) -> Entry:
        library = self._options.load(self.program.notation)
        self.libraries[library] = None
        return library.entry(ENTRY)

    def forward(self, *given: Any) -> Tensor:
        inputs, numbers = given[: self.program.inputs], given[self.program.inputs :]
        if numbers != self.program.expected:
            raise NotTakenError
        if any(isinstance(one, Tensor) and not one.numel() for one in inputs):
            raise NotTakenError
        # Places often are columns of a tensor, which lie apart.
        arguments = [
            one.contiguous() if isinstance(one, Tensor) and one.dtype in INDEX_TYPES else one
            for one in inputs
        ]
        sizes = [
            size if isinstance(size, int) else inputs[size[0]].shape[size[1]]
            for size in self.program.sizes
        ]
        if not math.prod(sizes):
            raise NotTakenError
        out: Tensor = inputs[self.program.prototype].new_empty(sizes)
        kept = [
            size for size, given in zip(sizes, self.program.sizes, strict=True) if given != 1
        ]
        try:
            self.kernel(*arguments, out.view(kept))
        except ArgumentError:
            raise NotTakenError from None
        return out

    def repeat_for(self, arguments: tuple[Any, ...]) -> Repeat | None:
        sizes: list[Size] = [
            size if isinstance(size, int) else (*size, 0) for size in self.program.sizes
        ]
        count = self.program.inputs
        return repeat_of(
            self.common,
            arguments,
            range(count),
            self.program.prototype,
            sizes,
            kernel_sizes=[size for size in sizes if size != 1],
            bounds=[
                (place, dimension, 1, MOST)
                for place, one in enumerate(arguments[:count])
                if isinstance(one, Tensor)
                for dimension in range(one.dim())
            ],
            expected=range(count, self.inputs),
        )
