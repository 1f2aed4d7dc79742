"""Calls a compiled embedding bag on tensors: the few microseconds around the kernel.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ctypes
import struct
from typing import Any

from torch import Tensor

from ember.arguments import Frame
from ember.compiler import Options, load_program
from ember.dtypes import DTYPES
from ember.errors import OffsetsError
from ember.kernel import Library, kernel_error
from ember.torch.embedding_bag import ENTRY, BagShape, bag_program

# 64-bit words of the parameters: descriptors of rank 2 and 1, the padding index.
TABLE_WORDS, VECTOR_WORDS, SCALAR_WORDS = 7, 5, 1


class _Frame(Frame):
    """Memory of one call in flight, with an end of offsets."""

    __slots__ = ("offsets",)

    def __init__(self, widths: list[int], offset_type: Any) -> None:
        super().__init__(widths)
        self.offsets = (offset_type * 64)()


class BagKernel:
    """A kernel for one BagShape, callable from any number of threads at once."""

    def __init__(self, shape: BagShape, options: Options) -> None:
        """Compiles or finds the kernel; raises CompileError."""
        self.shape = shape
        self.library: Library = load_program(bag_program(shape), options)
        self._function = self.library.entry(ENTRY).function
        self._offset_type: Any = DTYPES[shape.offset].ctype
        self._offset_bytes = ctypes.sizeof(self._offset_type)
        self._widths = [TABLE_WORDS, VECTOR_WORDS, VECTOR_WORDS]
        self._widths += [VECTOR_WORDS] * shape.weighted + [SCALAR_WORDS] * shape.padded
        self._widths.append(TABLE_WORDS)
        self._pack = struct.Struct(f"{sum(self._widths)}q").pack_into
        self._is_plain = not (shape.weighted or shape.padded)
        # Calls in flight take their memory from here: one a thread, and one more for a call from
        # a finaliser or a signal handler in the middle of another call.
        self._frames: list[_Frame] = []

    def __call__(
        self,
        table: Tensor,
        indices: Tensor,
        offsets: Tensor,
        has_last: bool,
        sample_weights: Tensor | None,
        padding: int,
        out: Tensor,
    ) -> None:
        """Fills out (bags, length) from table (rows, length) and indices (lookups).

        offsets holds bags + 1 elements when has_last, else bags. Types, ranks and contiguity are
        those of the shape: the caller has seen to it. Raises OffsetsError, IndexOutOfRangeError
        or KernelError; out is then partly written.
        """
        try:
            frame = self._frames.pop()
        except IndexError:
            frame = _Frame(self._widths, self._offset_type)
        lookups = indices.numel()
        rows = table.size(0)
        bags = out.size(0)
        offsets_address = offsets.data_ptr()
        if has_last:
            ends = (self._offset_type * (bags + 1)).from_address(offsets_address)
        else:
            # The missing last offset is put behind a copy: the kernel loads both ends of a bag.
            ends = frame.offsets
            if bags >= len(ends):
                ends = frame.offsets = (self._offset_type * (2 * bags))()
            ctypes.memmove(ends, offsets_address, bags * self._offset_bytes)
            ends[bags] = lookups
            offsets_address = ctypes.addressof(ends)
        if ends[0] != 0 or ends[bags] > lookups:
            raise _bad_ends(ends, bags, lookups)
        table_address = table.data_ptr()
        indices_address = indices.data_ptr()
        out_address = out.data_ptr()
        length = self.shape.length
        row_stride, element_stride = table.stride()
        pack = self._pack
        words = frame.words
        # fmt: off
        if self._is_plain:
            pack(
                words, 0,
                table_address, table_address, 0, rows, length, row_stride, element_stride,
                indices_address, indices_address, 0, lookups, 1,
                offsets_address, offsets_address, 0, bags + 1, 1,
                out_address, out_address, 0, bags, length, length, 1,
            )
        else:
            extra: tuple[int, ...] = ()
            if sample_weights is not None:
                address = sample_weights.data_ptr()
                extra = (address, address, 0, lookups, 1)
            if self.shape.padded:
                extra += (padding,)
            pack(
                words, 0,
                table_address, table_address, 0, rows, length, row_stride, element_stride,
                indices_address, indices_address, 0, lookups, 1,
                offsets_address, offsets_address, 0, bags + 1, 1,
                *extra,
                out_address, out_address, 0, bags, length, length, 1,
            )
        # fmt: on
        if self._function(frame.pointers_address, frame.error_address) != 0:
            raise kernel_error(frame.error)
        self._frames.append(frame)


def _bad_ends(ends: "ctypes.Array[Any]", bags: int, lookups: int) -> OffsetsError:
    """What is wrong with offsets that do not lie within 0 and the number of indices."""
    if ends[0] != 0:
        return OffsetsError(f"offsets[0] has to be 0, but is {ends[0]}")
    return OffsetsError(f"offsets[{bags}] is {ends[bags]}, past the {lookups} indices")
