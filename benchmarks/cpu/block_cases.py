"""Cases of sparse attention: gathers of blocks, products with them, and sums of them.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from ember.embed_programs import BlockScores, BlockValues, Gather, Operation, array
from torch import Tensor

from benchmarks.cpu import case
from benchmarks.cpu.agreement import tolerance_of_sums
from benchmarks.cpu.case import Prepared, pytorch_contenders
from benchmarks.cpu.kernels import compiled, with_new_output
from benchmarks.cpu.limit import LimitRead, RowSize
from benchmarks.cpu.measuring import Contender
from benchmarks.cpu.rows import torch_type
from benchmarks.cpu.setting import Setting

# BigBird's: tokens of a sequence, in several heads; random blocks of keys for each of queries.
TOKENS = 4096
HEADS = 8
BLOCKS_EACH = 8
REFERENCE_BLOCKS = 8
MOST_BATCHES = 4


@dataclass(frozen=True)
class BlockCase:
    """operation: gather, block scores or block values, of blocks of block_size rows."""

    group: str
    operation: str
    block_size: int
    length: int
    value: str = "f32"
    compare_compiled: bool = False

    @property
    def factors(self) -> Mapping[str, Any]:
        hidden = ("group", "compare_compiled")
        return {name: field for name, field in vars(self).items() if name not in hidden}

    @property
    def rows(self) -> int:
        """Keys, and queries."""
        return TOKENS * HEADS

    @property
    def blocks(self) -> int:
        """Blocks of keys, and of queries."""
        return self.rows // self.block_size

    @property
    def _block_bytes(self) -> int:
        return self.block_size * self.length * torch_type(self.value).itemsize

    def limit_sizes(self) -> Sequence[RowSize]:
        return [RowSize(self._block_bytes, 8)]

    def prepare(self, setting: Setting) -> Prepared:
        dtype = torch_type(self.value)
        keys = setting.arena.table(dtype, self.rows, self.length)
        size = keys.numel() * dtype.itemsize
        others = self._others(setting, dtype, start=size)
        draw = torch.Generator().manual_seed(self.length)
        shape = (self.blocks, BLOCKS_EACH)
        batches = [torch.randint(self.blocks, shape, generator=draw) for _ in range(MOST_BATCHES)]
        out_shape = self._out_shape()
        out_bytes = dtype.itemsize * int(np.prod(out_shape))
        prepared = Prepared(
            contenders=self._contenders(
                keys, others, out_shape, setting.compiles and self.compare_compiled
            ),
            batch=lambda number: batches[number % len(batches)],
            row_bytes=self.blocks * BLOCKS_EACH * self._block_bytes,
            out_bytes=out_bytes,
            tolerance=tolerance_of_sums(self.value, self.length),
            reference=lambda blocks: self._reference(keys, others, blocks),
        )
        if setting.limit:
            offsets = np.arange(self.blocks + 1) * BLOCKS_EACH
            prepared.limit = LimitRead(
                setting.limit,
                keys.view(self.blocks, -1).view(torch.uint8).numpy(),
                lambda blocks: (blocks.numpy(), offsets),
                self.blocks,
                out_bytes // self.blocks,
            )
        return prepared

    def _others(self, setting: Setting, dtype: torch.dtype, start: int) -> Tensor | None:
        """Queries, or scores, behind the keys in the arena."""
        if self.operation == "gather":
            return None
        columns = self.length
        if self.operation == "block values":
            columns = BLOCKS_EACH * self.block_size
        return setting.arena.table(dtype, self.rows, columns, start=start)

    def _out_shape(self) -> tuple[int, ...]:
        gathered = BLOCKS_EACH * self.block_size
        if self.operation == "gather":
            return (self.blocks, gathered, self.length)
        return (self.rows, gathered if self.operation == "block scores" else self.length)

    def _operation(self) -> Operation:
        rows, blocks = array(self.value, None, self.length), array("i64", None, None)
        wide = array(self.value, None, None)
        size = self.block_size
        if self.operation == "gather":
            out = array(self.value, None, None, self.length)
            return Gather(source=rows, blocks=blocks, out=out, block_size=size)
        if self.operation == "block scores":
            return BlockScores(queries=rows, keys=rows, blocks=blocks, out=wide, block_size=size)
        return BlockValues(scores=wide, values=rows, blocks=blocks, out=rows, block_size=size)

    def _contenders(
        self, keys: Tensor, others: Tensor | None, out_shape: tuple[int, ...], compiles: bool
    ) -> list[Contender]:
        tables = [keys] if others is None else [others, keys]
        call = with_new_output(compiled(self._operation()), tables, self.value, out_shape)
        return [
            Contender(case.EMBER, call, lambda blocks: (blocks.numpy(),)),
            *pytorch_contenders(self.composition(keys, others), lambda blocks: (blocks,), compiles),
        ]

    def composition(self, keys: Tensor, others: Tensor | None) -> Callable[[Tensor], Tensor]:
        """The operation as PyTorch's users write it, of the numbers of blocks."""
        size, length = self.block_size, self.length
        blocked = keys.view(-1, size, length)

        def gather(blocks: Tensor) -> Tensor:
            return blocked[blocks].view(len(blocks), -1, length)

        def scores(blocks: Tensor) -> Tensor:
            assert others is not None
            queries = others.view(-1, size, length)
            return torch.bmm(queries, gather(blocks).transpose(1, 2)).flatten(0, 1)

        def values(blocks: Tensor) -> Tensor:
            assert others is not None
            weights = others.view(len(blocks), size, -1)
            return torch.bmm(weights, gather(blocks)).flatten(0, 1)

        return {"gather": gather, "block scores": scores, "block values": values}[self.operation]

    def _reference(self, keys: Tensor, others: Tensor | None, blocks: Tensor) -> Tensor:
        """The first blocks' results in f64."""
        first = blocks[:REFERENCE_BLOCKS]
        if others is not None:
            others = others[: REFERENCE_BLOCKS * self.block_size].double()
        return self.composition(keys.double(), others)(first)
