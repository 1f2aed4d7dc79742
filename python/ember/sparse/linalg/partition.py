"""Rows of vectors in blocks, which sums are of, and in tiles, which stay in a cache.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ember.threads import get_num_threads

# Bytes of a tile of one array: some of these are in a second-level cache at once.
TILE_BYTES = 1 << 18
# What the rows are of that a tile may wait for, all arrays of it together.
HELD_BYTES = 1 << 20
# A block of one column; wider ones have fewer rows, but enough that its sums are little beside it.
_BLOCK_ELEMENTS = 8192
_ROWS_PER_COLUMN = 16


@dataclass(frozen=True)
class Partition:
    """How rows are walked.

    size: rows there are. columns: of each vector. block: rows that one sum is of; it follows from
    columns alone, so that no result depends on tiles and threads. blocks: how many there are, the
    last one filled up with rows of zeros. tile: blocks that one call of a sweep goes over.
    """

    size: int
    columns: int
    block: int
    blocks: int
    tile: int

    @classmethod
    def of(cls, size: int, columns: int, itemsize: int) -> "Partition":
        """The partition of vectors of that shape."""
        least = max(_BLOCK_ELEMENTS // columns, _ROWS_PER_COLUMN * columns, 1)
        # Small systems are one block, and not much more than they are.
        block = 1 << (min(least, max(size, 1)) - 1).bit_length()
        bytes_of_block = block * columns * itemsize
        tile = max(1, TILE_BYTES // bytes_of_block) * get_num_threads()
        blocks = -(-size // block)
        return cls(size, columns, block, blocks, min(tile, max(blocks, 1)))

    @property
    def padded(self) -> int:
        """Rows with those of the last block that are filled up."""
        return self.block * self.blocks

    def tiles(self) -> Iterator[tuple[int, int]]:
        """The first block of each tile, and the one behind its last."""
        for first in range(0, self.blocks, self.tile):
            yield first, min(first + self.tile, self.blocks)
