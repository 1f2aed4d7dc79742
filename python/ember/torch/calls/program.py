"""What is fixed of a kernel of statements, and the sizes of one of its calls.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph

from ember.compiler import Notation
from ember.torch.calls.edge_groups import End
from ember.torch.calls.repeat import Size
from ember.torch.graph.costs import GROUPED_ELEMENTS, Cost, costs_of_rows
from ember.torch.graph.trace import Function


@dataclass(frozen=True)
class LookedUp:
    """Rows whose gradient PyTorch makes that of their table.

    name: what statements call the rows. table: its place. places: where they are. options: as
    Lookup has them.
    """

    name: str
    table: int
    places: Function
    options: tuple[int, bool, bool]

    def rows(self, inputs: Sequence[Any]) -> Tensor:
        """What is looked up, of the inputs of a call."""
        return torch.embedding(inputs[self.table], self.places.of(inputs))

    def room(self, inputs: Sequence[Any]) -> Tensor:
        """For as many numbers as are looked up."""
        table = inputs[self.table]
        sizes = (*self.places.of(inputs).shape, table.shape[1])
        return torch.empty(sizes, dtype=gradient_type(table))

    def gradient(self, inputs: Sequence[Any], of_rows: Tensor) -> Tensor:
        """That of the table."""
        found: Tensor = torch.ops.aten.embedding_backward(
            of_rows.to(inputs[self.table].dtype),
            self.places.of(inputs),
            len(inputs[self.table]),
            *self.options,
        )
        return found


@dataclass(frozen=True)
class OfRows:
    """Statements of a program, but that they are given what some lookups yield.

    notation: None where that is the result. inputs: names of what they read.
    """

    notation: Notation | None
    inputs: frozenset[str]
    lookups: tuple[LookedUp, ...]


def gradient_type(tensor: Tensor) -> torch.dtype:
    """Gradients of half types are added up in f32."""
    return torch.promote_types(tensor.dtype, torch.float32)


ENTRY = "kernel"


@dataclass(frozen=True)
class Multiple:
    """The size of an input's dimension, so many times: a number, or another size."""

    place: int
    dimension: int
    times: Size


# Sizes of a tensor: numbers, or those of inputs, which are tensors or sizes themselves.
Sizes = tuple[Size | Multiple, ...]


@dataclass(frozen=True)
class Program:
    """What is fixed of a kernel.

    notation: the statements, which assign to `result`, without its dimensions of size 1. inputs:
    the names of what they read. sizes: of the result; dtype: its type. elements: the sizes of what
    is looked up or scattered, each. least_differentiated: from so many elements in all on kernels
    of gradients gain. expected: numbers behind what the kernel takes, which have to be these.
    paddings: rows whose gradient is 0, with their tables' places. undifferentiated: places of
    inputs whose gradients statements do not make. without_gradient: of those that have none.
    lengths: what else the kernel takes, by names. given: how many arguments there are, with those
    that kernels do not take. of_rows: what is differentiated where gradients of tables are needed
    that PyTorch makes of those of rows. rows: how many lookups there are, and the place of a table,
    where rows are all that is read, and nothing is reduced. totals: lengths, with the number that
    they have to add up to, none of them negative. least: elements of the result below which PyTorch
    is as fast. offsets: names of inputs that say where segments begin. segments: places of those
    that have to begin at 0, with how many rows there are. lookups: places of tables, with those of
    indices of their rows, where kernels do not say which is wrong. are_bags: whether gradients are
    sums for each table. is_maximum: whether it is that of a bag. constants: arrays that kernels are
    given in each call. masks: what places are looked for in, by the names of the places. encoded:
    names of inputs that are rows of bytes. ends: where those of edges are, of which each has some.
    scatters: the functions that combine what is scattered, or "count". operators: the traced graph
    that the statements are of.
    """

    notation: Notation
    result: str
    inputs: tuple[str, ...]
    sizes: Sizes
    dtype: torch.dtype
    elements: tuple[Sizes, ...]
    least_differentiated: int
    expected: tuple[float, ...] = ()
    paddings: tuple[tuple[int, int], ...] = ()
    undifferentiated: frozenset[int] = frozenset()
    without_gradient: frozenset[int] = frozenset()
    lengths: tuple[tuple[str, Size | Multiple], ...] = ()
    given: int = 0
    of_rows: OfRows | None = None
    rows: tuple[int, int] | None = None
    ends: tuple[End, ...] = ()
    scatters: tuple[str, ...] = ()
    totals: tuple[tuple[Function, Size | Multiple], ...] = ()
    offsets: frozenset[str] = frozenset()
    segments: tuple[tuple[int, Size | Multiple], ...] = ()
    lookups: tuple[tuple[int, int], ...] = ()
    are_bags: bool = False
    is_maximum: bool = False
    constants: tuple[tuple[str, Tensor], ...] = ()
    masks: tuple[tuple[str, Function], ...] = ()
    encoded: frozenset[str] = frozenset()
    least: int = 0
    operators: Graph | None = field(default=None, compare=False, repr=False)

    def parameter(self, name: str) -> str:
        """What kernels call an input's elements."""
        return f"{name}_values" if name in self.encoded else name

    @cached_property
    def different_elements(self) -> tuple[Sizes, ...]:
        """The sizes of what is combined, each once: calls read them."""
        return tuple(dict.fromkeys(self.elements))

    @property
    def sizes_of_call(self) -> list[tuple[int, int, int]]:
        """Those of the result that are no numbers."""
        return [size for size in self.sizes if isinstance(size, tuple)]

    @property
    def costs(self) -> list[str]:
        """What costs say of calls."""
        costs = [self.least, self.least_differentiated]
        if self.scatters and self.ends:
            costs.append(GROUPED_ELEMENTS)
        if self.rows is not None:
            costs += costs_of_rows(self.rows[0])
        return [cost.said for cost in costs if isinstance(cost, Cost)]

    @property
    def texts(self) -> dict[str, str]:
        """What it is ahead of the program that the compiler gets, by levels."""
        code = "" if self.operators is None else self.operators.python_code("self").src
        return {
            # Without what is said of values that are not needed any more.
            "aten": re.sub(r";  .* = None$|^\n+", "", code, flags=re.MULTILINE),
            "statements": self.notation.text.replace("; ", "\n") + "\n",
        }


def sizes_in(sizes: Sequence[Size | Multiple], inputs: Sequence[Any]) -> list[int]:
    """Sizes of tensors of one call."""
    return [_size(size, inputs) for size in sizes]


def _size(size: Size | Multiple, inputs: Sequence[Any]) -> int:
    if isinstance(size, int):
        return size
    if isinstance(size, Multiple):
        return _size(size.times, inputs) * _size((size.place, size.dimension, 0), inputs)
    place, dimension, added = size
    argument = inputs[place]
    if isinstance(argument, Tensor):
        return argument.shape[dimension] + added
    return int(argument[dimension] if isinstance(argument, tuple) else argument) + added
