"""One block of memory that all tables are views of: no table is copied or made again for a type.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import numpy as np
import torch
from torch import Tensor

BLOCK = 1 << 20


class Arena:
    """Memory whose contents are small finite numbers in every type that rows may have.

    It is PyTorch's memory, so that its pages are those of an nn.EmbeddingBag's table.
    """

    def __init__(self, size: int) -> None:
        """size: in bytes, rounded up to whole blocks."""
        blocks = -(-size // BLOCK)
        self.bytes = torch.empty(blocks * BLOCK, dtype=torch.uint8)
        self.bytes.view(blocks, BLOCK)[:] = torch.from_numpy(_block_of_values())

    @property
    def size(self) -> int:
        """Its bytes."""
        return len(self.bytes)

    def table(self, dtype: torch.dtype, rows: int, length: int, start: int = 0) -> Tensor:
        """The bytes from `start` on as a contiguous table; ValueError if they are too few."""
        end = start + rows * length * dtype.itemsize
        if end > self.size:
            raise ValueError(f"a table that ends at {end} bytes is larger than the arena")
        return self.bytes[start:end].view(dtype).view(rows, length)


def _block_of_values() -> np.ndarray:
    """A block of 16-bit units with random signs and fractions.

    Bits 13 to 11 are set and bits 14 and 6 are not: exponents are then those of numbers of at
    most 2, in f64, f32, f16, bf16 and 8-bit floats, whichever byte of a unit is read.
    """
    units = np.random.default_rng(0).integers(0, 1 << 16, BLOCK // 2, np.uint16)
    return ((units & np.uint16(0x87BF)) | np.uint16(0x3800)).view(np.uint8)
