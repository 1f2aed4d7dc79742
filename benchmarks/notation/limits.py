"""The limit of a case: what its phases take at the least, whatever code computes them.

A phase moves bytes, reads rows that lookups name, and multiplies and adds: no less time than each
of the three alone. Phases follow each other.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import torch
from torch import Tensor

from benchmarks.cpu.limit import LimitRead, RowSize, limit_library
from benchmarks.cpu.measuring import Batches
from benchmarks.cpu.running import choose_reading
from benchmarks.native import NoLibraryError
from benchmarks.notation.by_hand import least_seconds, multiply_adds

_PROBE_BYTES = 64 << 20
# Rows and columns of a dense product that stays in the caches.
_PROBE_SIZE = 512


@dataclass(frozen=True)
class Rows:
    """Rows of a contiguous table that lookups name, in their order."""

    table: Tensor
    lookups: Tensor


@dataclass(frozen=True)
class Phase:
    """What a part of a case has to do.

    bytes: that are read and written at the least, each array once. multiply_adds: of floats. rows:
    that are looked up.
    """

    bytes: int = 0
    multiply_adds: int = 0
    rows: Rows | None = None


@cache
def bandwidth() -> float:
    """Bytes that one thread moves in a second: the best of some copies out of the caches."""
    source = torch.ones(_PROBE_BYTES // 4)
    target = torch.empty_like(source)
    return 2 * _PROBE_BYTES / least_seconds(lambda: target.copy_(source))


@cache
def multiply_add_rate() -> float:
    """Of floats in a second, on one thread: in registers alone, or in a dense product of PyTorch
    where nothing compiles that.
    """
    matrix = torch.ones(_PROBE_SIZE, _PROBE_SIZE)
    target = torch.empty_like(matrix)
    count = _PROBE_SIZE**3
    call = multiply_adds(count) or (lambda: torch.mm(matrix, matrix, out=target))
    return count / least_seconds(call)


def reading_seconds(rows: Rows) -> float:
    """What reading rows takes, with the best of some prefetches; 0 where nothing compiles that."""
    table = rows.table.reshape(len(rows.table), -1).numpy().view(np.uint8)
    lookups = rows.lookups.numpy()
    offsets = np.array([0, len(lookups)])
    try:
        library = limit_library([RowSize(table.shape[1], lookups.itemsize)])
    except NoLibraryError:
        return 0.0
    read = LimitRead(library, table, lambda batch: (lookups, offsets), segments=1, out_bytes=0)
    choose_reading(read, Batches(lambda number: None), threads=1)
    arguments = read.arguments(None)
    return least_seconds(lambda: read.read(*arguments))


def limit_seconds(phases: Sequence[Phase]) -> float:
    """The sum of what phases take at the least."""
    return sum(
        max(
            phase.bytes / bandwidth(),
            phase.multiply_adds / multiply_add_rate(),
            reading_seconds(phase.rows) if phase.rows else 0.0,
        )
        for phase in phases
    )
