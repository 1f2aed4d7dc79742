"""Calls of parts of graphs that are statements: a kernel, and kernels of its gradients.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from ember.compiler import Notation, Options
from ember.errors import ArgumentError, CompileError
from ember.kernel import Entry
from ember.torch.element_types import INDEX_TYPES
from ember.torch.region_call import NotTakenError, Reference, RegionCall
from ember.torch.repeat import MOST, Repeat, Size, Source, repeat_of

ENTRY = "kernel"
GRADIENT = "_gradient"
# Sizes of a tensor: numbers, or places of inputs and their dimensions.
Sizes = tuple[int | tuple[int, int], ...]


@dataclass(frozen=True)
class Program:
    """What is fixed of a kernel.

    notation: the statements, which assign to `result`, without its dimensions of size 1. inputs:
    the names of what they read. sizes: of the result, as numbers, or as those of an input (place,
    dimension). prototype: the place of an input of the result's type. looked_up: the sizes of what
    is looked up, each. least_differentiated: from so many elements in all on kernels of gradients
    gain. expected: numbers behind what the kernel takes, which have to be these. paddings: rows
    whose gradient is 0, with their tables' places. undifferentiated: places of inputs whose
    gradients statements do not make. without_gradient: of those that have none.
    """

    notation: Notation
    result: str
    inputs: tuple[str, ...]
    sizes: Sizes
    prototype: int
    looked_up: tuple[Sizes, ...]
    least_differentiated: int
    expected: tuple[float, ...] = ()
    paddings: tuple[tuple[int, int], ...] = ()
    undifferentiated: frozenset[int] = frozenset()
    without_gradient: frozenset[int] = frozenset()


@dataclass(frozen=True)
class _Gradient:
    """A kernel of gradients: of which inputs, by place; the names of its parameters."""

    kernel: Callable[..., Any]
    wanted: tuple[int, ...]
    parameters: tuple[str, ...]


class StatementCall(RegionCall):
    """A part of a graph that statements compute: a new tensor from tensors and numbers."""

    def __init__(
        self, reference: Reference, program: Program, options: Options, raises: bool = False
    ) -> None:
        super().__init__(reference, len(program.inputs) + len(program.expected), raises)
        self.program = program
        self.sizes = program.without_gradient
        self.least_differentiated = program.least_differentiated
        self._options = options
        # By which inputs need one.
        self._gradients: dict[tuple[bool, ...], _Gradient] = {}

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
        return self._built(self.program.notation, ENTRY)

    @cached_property
    def _order(self) -> list[int]:
        """The place of the input that each parameter of the kernel is; the result comes behind."""
        *parameters, _ = self._entry.parameters
        return [self.program.inputs.index(parameter.name) for parameter in parameters]

    def _built(self, notation: Notation, entry: str) -> Entry:
        library = self._options.load(notation)
        self.libraries[library] = None
        return library.entry(entry)

    def forward(self, *given: Any) -> Tensor:
        inputs = self._taken(given)
        sizes = self._sizes(inputs)
        out: Tensor = inputs[self.program.prototype].new_empty(sizes)
        try:
            arguments = [_as_array(inputs[place]) for place in self._order]
            self.kernel(*arguments, self._kept(out))
        except ArgumentError:
            raise NotTakenError from None
        return out

    def _taken(self, given: Sequence[Any]) -> list[Any]:
        """What the kernel takes of the arguments."""
        count = len(self.program.inputs)
        if tuple(given[count:]) != self.program.expected:
            raise NotTakenError
        # Places often are columns of a tensor, which lie apart.
        return [
            one.contiguous() if isinstance(one, Tensor) and one.dtype in INDEX_TYPES else one
            for one in given[:count]
        ]

    def _sizes(self, inputs: Sequence[Any]) -> list[int]:
        sizes = _sizes(self.program.sizes, inputs)
        if not math.prod(sizes):
            raise NotTakenError
        return sizes

    def _kept(self, result: Tensor) -> Tensor:
        """A result as the kernel has it, without dimensions that are always of size 1."""
        pairs = zip(result.shape, self.program.sizes, strict=True)
        return result.view([size for size, given in pairs if given != 1])

    def repeat_for(self, arguments: tuple[Any, ...]) -> Repeat | None:
        sizes: list[Size] = [
            size if isinstance(size, int) else (*size, 0) for size in self.program.sizes
        ]
        count = len(self.program.inputs)
        sources: list[Source] = [
            (place, 0) if isinstance(one := arguments[place], Tensor) and not one.dim() else place
            for place in self._order
        ]
        return repeat_of(
            self.common,
            arguments,
            sources,
            self.program.prototype,
            sizes,
            kernel_sizes=[size for size in sizes if size != 1],
            # What has no rows is left to PyTorch.
            bounds=[(*size, 1, MOST) for size in self.program.sizes if isinstance(size, tuple)],
            expected=range(count, self.inputs),
        )

    # Gradients.

    def elements(self, arguments: Sequence[Any]) -> int:
        return sum(math.prod(_sizes(one, arguments)) for one in self.program.looked_up)

    def differentiates(self, needed: Sequence[bool]) -> bool:
        """Whether statements make the gradients."""
        return not any(needed[place] for place in self.program.undifferentiated)

    def gradient_reads(self, needed: Sequence[bool]) -> Collection[int]:
        try:
            gradient = self._gradient(needed)
        except CompileError:
            return range(self.inputs)
        read = set(gradient.parameters)
        # The numbers that are expected, too.
        return [
            place
            for place in range(self.inputs)
            if place >= len(self.program.inputs) or self.program.inputs[place] in read
        ]

    def _gradient(self, needed: Sequence[bool]) -> _Gradient:
        """The kernel of the gradients of those inputs; raises CompileError."""
        without = self.program.without_gradient
        read = needed[: len(self.program.inputs)]
        key = tuple(needs and place not in without for place, needs in enumerate(read))
        if key not in self._gradients:
            wanted = tuple(place for place, needs in enumerate(key) if needs)
            names = ",".join(self.program.inputs[place] for place in wanted)
            notation = self.program.notation
            asked = f"--gradient={self.program.result}:{names}"
            entry = self._built(
                replace(notation, arrays=(*notation.arrays, asked)), ENTRY + GRADIENT
            )
            parameters = tuple(parameter.name for parameter in entry.parameters)
            self._gradients[key] = _Gradient(entry.bind(gradients=True), wanted, parameters)
        return self._gradients[key]

    def backward(
        self, given: Sequence[Any], needed: Sequence[bool], gradient: Tensor
    ) -> Sequence[Tensor | None]:
        program = self.program
        inputs = self._taken(given)
        self._sizes(inputs)
        kernel = self._gradient(needed)
        found: dict[int, Tensor] = {
            place: torch.zeros_like(inputs[place], memory_format=torch.contiguous_format)
            for place in kernel.wanted
        }
        arguments = {name: _as_array(one) for name, one in zip(program.inputs, inputs, strict=True)}
        arguments[program.result + GRADIENT] = self._kept(gradient.contiguous())
        for place, result in found.items():
            arguments[program.inputs[place] + GRADIENT] = _as_array(result)
        if not arguments.keys() >= set(kernel.parameters):
            raise NotTakenError
        try:
            kernel.kernel(*(arguments[name] for name in kernel.parameters))
        except ArgumentError:
            raise NotTakenError from None
        for place, row in program.paddings:
            if place in found:
                found[place][row] = 0
        return [found.get(place) for place in range(self.inputs)]


def _sizes(sizes: Sizes, inputs: Sequence[Any]) -> list[int]:
    """Sizes of tensors of one call."""
    return [size if isinstance(size, int) else inputs[size[0]].shape[size[1]] for size in sizes]


def _as_array(argument: Any) -> Any:
    """An argument as kernels take it: a tensor without dimensions is one of one element."""
    if isinstance(argument, Tensor) and not argument.dim():
        return argument.view(1)
    return argument
