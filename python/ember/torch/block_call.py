"""Calls of kernels that gather blocks of rows, alone or within a product of attention.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from ember.compiler import Options
from ember.errors import ArgumentError
from ember.torch.block_programs import ENTRY, BlockProgram
from ember.torch.graph.costs import MOST_QUERIES
from ember.torch.region_call import NotTakenError, Reference, RegionCall

# Makes the numbers of windows' blocks from others, which the model gathers by. It is told how many
# blocks there are, and then the sizes of the call that it asked for.
Step = Callable[[Tensor, Sequence[int]], Tensor]


@dataclass(frozen=True)
class Blocks:
    """How the numbers of blocks are read from a region's index.

    groups: leading dimensions of the source that the numbers count from; shared: the index has
    none of them. rows: the source has single rows, not blocks of them. steps: what makes the
    numbers (groups, windows, blocks of a window) of the index.
    """

    groups: int
    shared: bool
    rows: bool
    steps: tuple[Step, ...]

    def source(self, source: Tensor) -> Tensor:
        """The source (groups, blocks, block_size, length), its rows contiguous."""
        if source.stride(-1) != 1:
            source = source.contiguous()
        return source.unsqueeze(-2) if self.rows else source

    def numbers(self, source: Tensor, index: Tensor, sizes: Sequence[int]) -> Tensor:
        """The numbers of blocks (groups, windows, blocks of a window); raises NotTakenError."""
        leading = source.shape[: self.groups]
        own = index.shape if self.shared else index.shape[self.groups :]
        if not self.shared:
            for size, group in zip(index.shape, leading, strict=False):
                if size not in (1, group):
                    raise NotTakenError
        numbers = index.expand((*leading, *own))
        known = source.shape[self.groups], *sizes
        for step in self.steps:
            numbers = step(numbers, known)
        return numbers


class BlockCall(RegionCall):
    """Gathered blocks, or a product with them. Inputs: source, index, the product's factor, sizes.

    For gather the result is (groups, windows, rows of a window's blocks, length); for scores
    (groups, windows, queries, rows), of a factor (groups, windows, queries, length); for values it
    is the other way round. apart: rows of blocks are two dimensions, not one, in the scores that
    are read or made.
    """

    def __init__(
        self,
        reference: Reference,
        program: BlockProgram,
        blocks: Blocks,
        options: Options,
        raises: bool = False,
        *,
        sizes: int = 0,
        apart: bool = False,
        least: int = 0,
        is_checked: bool = True,
    ) -> None:
        """sizes: how many sizes the steps are told. least: of elements that are gathered; where
        there are fewer, PyTorch computes. is_checked: PyTorch's operation checks the numbers.
        """
        self.tensors = 2 if program.operation == "gather" else 3
        super().__init__(reference, self.tensors + sizes, raises)
        self.program = program
        self.blocks = blocks
        self.options = options
        self.apart = apart
        self.least = least
        self.asks_again = is_checked
        self._kernels: dict[str, Callable[..., Any]] = {}

    def _kernel(self, operation: str) -> Callable[..., Any]:
        """The kernel of an operation on these blocks, built when it is first needed."""
        if operation not in self._kernels:
            library = self.options.load(replace(self.program, operation=operation).text())
            self.libraries[library] = None
            self._kernels[operation] = library.entry(ENTRY).bind(gradients=True)
        return self._kernels[operation]

    def _run(self, operation: str, source: Tensor, numbers: Tensor, *factors: Tensor) -> Tensor:
        """The result of an operation; scores with one dimension of all rows."""
        program = self.program
        *window, each = numbers.shape
        rows = each * program.block_size
        gathered = numbers.numel() * program.block_size * program.length
        # The first call builds the kernel, so that there is one to export, however small it is.
        is_built = program.operation != "gather" or operation in self._kernels
        if gathered < self.least and is_built:
            raise NotTakenError
        queries = factors[0].shape[-2] if factors else rows
        sizes = (queries, rows if operation == "scores" else program.length)
        result = source.new_empty((*window, *sizes))
        if not result.numel() or not rows:
            raise NotTakenError
        blocked = self.blocks.source(source)
        shape: tuple[int, ...] = sizes
        if operation == "gather":
            shape = (each, program.block_size, program.length)
        if factors and factors[0].shape[:-2] != numbers.shape[:-1]:
            raise NotTakenError
        try:
            self._kernel(operation)(blocked, numbers, *factors, result.view(-1, *shape))
        except ArgumentError:
            raise NotTakenError from None
        return result

    def _read(self, inputs: Sequence[Any]) -> tuple[Tensor, Tensor, list[Tensor]]:
        """The source, the numbers of blocks, and the factor if there is one."""
        source, index, *factors = inputs[: self.tensors]
        return source, self.blocks.numbers(source, index, inputs[self.tensors :]), factors

    def forward(self, *inputs: Any) -> Tensor:
        operation = self.program.operation
        source, numbers, factors = self._read(inputs)
        if operation == "gather":
            return self._run(operation, source, numbers)
        (factor,) = factors
        if operation == "values":
            factor = self._joined(factor)
        elif factor.stride(-1) != 1:
            factor = factor.contiguous()
        if factor.shape[-2] > MOST_QUERIES:
            rows = self._run("gather", source, numbers)
            result = torch.matmul(factor, rows if operation == "values" else rows.mT)
        else:
            result = self._run(operation, source, numbers, factor)
        if operation == "scores" and self.apart:
            return result.view(*result.shape[:-1], -1, self.program.block_size)
        return result

    def _joined(self, scores: Tensor) -> Tensor:
        """Scores whose last dimension is all rows."""
        return scores.flatten(-2) if self.apart else scores

    def gradient_reads(self, needed: Sequence[bool]) -> Collection[int]:
        factors = [] if self.tensors == 2 else [(0, 2), (2, 0)]
        return (1, *(place for place, other in factors if needed[other]))

    def backward(
        self, inputs: Sequence[Any], needed: Sequence[bool], gradient: Tensor
    ) -> Sequence[Tensor | None]:
        operation = self.program.operation
        source, numbers, factors = self._read(inputs)
        if not gradient.numel():
            raise NotTakenError
        found: list[Tensor | None] = [None] * self.inputs
        if operation == "gather":
            if needed[0]:
                found[0] = self._added(source, numbers, gradient)
            return found
        (factor,) = factors
        if operation == "scores":
            scores, rows = self._joined(gradient), factor
        else:
            scores, rows = self._joined(factor), gradient.contiguous()
        if needed[2]:
            other = "values" if operation == "scores" else "scores"
            given = scores if operation == "scores" else rows
            found[2] = self._run(other, source, numbers, given).view(factor.shape)
        if needed[0]:
            found[0] = self._added(source, numbers, torch.matmul(scores.mT, rows))
        return found

    def _added(self, source: Tensor, numbers: Tensor, gradient: Tensor) -> Tensor:
        """The sums of the gradients (groups, windows, rows, length) of gathered blocks by block."""
        groups, blocks = source.shape[: self.blocks.groups], source.shape[self.blocks.groups]
        # Of all groups' blocks; PyTorch lets some numbers count from the end.
        first = torch.arange(0, groups.numel() * blocks, blocks)
        numbers = numbers.remainder(blocks).reshape(groups.numel(), -1) + first.unsqueeze(1)
        added = source.new_zeros(source.shape)
        size = self.program.block_size * self.program.length
        added.view(-1, size).index_add_(0, numbers.view(-1), gradient.reshape(-1, size))
        return added
