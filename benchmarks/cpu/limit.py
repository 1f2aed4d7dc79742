"""The limit of a case: reading its rows in its order without computing anything.

limit.cpp is compiled for this machine, with a reader for each size of rows, and loaded into this
process. Prefetch distance and number of threads are the best of several, for each case. What it
reads is folded into a checksum, so that a compiler cannot leave the reading out.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ctypes
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.native import load_library

# Indices, and offsets (int64) of the segments in them, one more than there are segments.
Lookups = tuple[NDArray[Any], NDArray[np.int64]]

SOURCE = Path(__file__).with_name("limit.cpp")
# How many lookups ahead rows are prefetched; 0 is not at all.
DISTANCES = (0, 2, 4, 8, 16, 32, 64)
LINE = 64


@dataclass(frozen=True)
class RowSize:
    """Bytes of a row, and of an index of lookups."""

    row: int
    index: int


@dataclass(frozen=True)
class Reading:
    """How the limit reads: lookups ahead that are prefetched, and threads."""

    distance: int
    threads: int


def limit_library(sizes: Iterable[RowSize]) -> "Limit":
    """The limit's readers for rows of these sizes. Raises NoLibraryError."""
    readers = "".join(
        f"READER({size.row}, int{8 * size.index}_t)"
        for size in sorted(set(sizes), key=lambda size: (size.index, size.row))
    )
    return Limit(load_library(SOURCE, f"-DREADERS={readers}"))


class Limit:
    """The readers of a compiled limit.cpp."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self.function = library.ember_limit
        self.function.restype = ctypes.c_int
        pointer, size = ctypes.c_void_p, ctypes.c_int64
        self.function.argtypes = (
            *(pointer, size, size, pointer, size, pointer, size),
            *(pointer, size, size, ctypes.c_int, pointer),
        )


class LimitRead:
    """One way of reading a table's rows by lookups in segments, for a case."""

    def __init__(
        self,
        limit: Limit,
        table: NDArray[np.uint8],
        lookups: Callable[[Any], Lookups],
        segments: int,
        out_bytes: int,
    ) -> None:
        """table: (rows, bytes of a row), rows at any distance. lookups: those of a batch.

        Every segment writes a row of out_bytes, as what the limit is compared with has to.
        """
        self.limit = limit
        self.table = table
        self.lookups = lookups
        self.out = np.zeros(segments * out_bytes, np.uint8)
        self.out_bytes = out_bytes
        self.checksum = np.zeros(LINE, np.uint8)
        self.reading = Reading(0, 1)

    def arguments(self, batch: Any) -> tuple[Any, ...]:
        """What a call of `read` takes for a batch."""
        indices, offsets = self.lookups(batch)
        return (
            (indices, offsets),
            self.table.ctypes.data,
            self.table.shape[1],
            self.table.strides[0],
            indices.ctypes.data,
            indices.itemsize,
            offsets.ctypes.data,
            len(offsets) - 1,
            self.out.ctypes.data,
            self.out_bytes,
            self.reading.distance,
            self.reading.threads,
            self.checksum.ctypes.data,
        )

    def read(self, kept: Lookups, *arguments: Any) -> None:
        """Reads the rows and xors byte k of each into byte k % 64 of the checksum.

        kept: the arrays that the addresses among the arguments are of. Raises ValueError if there
        is no reader for rows of that size.
        """
        if self.limit.function(*arguments) != 0:
            raise ValueError(f"the limit has no reader for rows of {arguments[1]} bytes")
