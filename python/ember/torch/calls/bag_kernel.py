"""Calls a compiled embedding bag on tensors.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from typing import Any

from torch import Tensor

from ember.compiler import Options
from ember.errors import KernelError, OffsetsError
from ember.kernel import Library
from ember.torch.calls.embedding_bag import ENTRY, BagShape, bag_program


class BagKernel:
    """A kernel for one BagShape, callable from any number of threads at once.

    common: calls it with its parameters as bag_program has them, if all are common arguments of
    the right type and rank, and returns NotImplemented if not; None without compiled calls.
    """

    def __init__(self, shape: BagShape, options: Options) -> None:
        """Compiles or finds the kernel; raises CompileError."""
        self.shape = shape
        self.library: Library = options.load(bag_program(shape))
        entry = self.library.entry(ENTRY)
        self._call = entry.bind(gradients=True)
        self.common: Callable[..., Any] | None = entry.common(gradients=True)

    def __call__(
        self,
        table: Tensor,
        indices: Tensor,
        offsets: Tensor,
        sample_weights: Tensor | None,
        padding: int,
        out: Tensor,
    ) -> None:
        """Fills out (bags, length) from table (rows, length) and indices (lookups).

        offsets holds bags + 1 elements if the shape has the last one, else bags; there is a bag.
        Types, ranks and contiguity are those of the shape: the caller has seen to it. Raises
        OffsetsError, IndexOutOfRangeError or KernelError; out is then partly written.
        """
        arguments: list[Any] = [table, indices, offsets]
        if sample_weights is not None:
            arguments.append(sample_weights)
        if self.shape.padded:
            arguments.append(padding)
        try:
            self._call(*arguments, out)
        except KernelError:
            _check_ends(offsets, len(indices), self.shape.has_last)
            raise


def _check_ends(offsets: Tensor, lookups: int, has_last: bool) -> None:
    """Raises OffsetsError for offsets that do not lie within 0 and the number of indices."""
    first, last = int(offsets[0]), int(offsets[-1])
    if first != 0:
        raise OffsetsError(f"offsets[0] has to be 0, but is {first}")
    if has_last and last > lookups:
        raise OffsetsError(f"offsets[{len(offsets) - 1}] is {last}, past the {lookups} indices")
