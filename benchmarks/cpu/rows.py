"""How rows of each type lie in memory, for Ember and for its peers, and what they stand for.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from dataclasses import dataclass

import torch
from ember.dtypes import DTYPES
from ember.embed_programs import RowFormat
from ember.row_types import ENCODINGS, PARAMETERS
from torch import Tensor

from benchmarks.cpu.arena import Arena

# What elements, and what is beside them, are in PyTorch, by the compiler's tables.
FLOATS: dict[str, torch.dtype] = {
    row.name: getattr(torch, row.array_type) for row in ENCODINGS.values() if not row.is_integer
}
BESIDE: dict[str, torch.dtype] = {
    row.name: getattr(torch, row.array_type) for row in PARAMETERS.values()
}
# Exponents of the scales of blocks in a table, about that of 1.
SCALES = (120, 134)


def torch_type(mlir: str) -> torch.dtype:
    """PyTorch's type of an element type of MLIR."""
    dtype: torch.dtype = getattr(torch, DTYPES[mlir].name)
    return dtype


@dataclass(frozen=True)
class RowType:
    """A type of rows. out: of what is computed of them."""

    name: str
    out: str
    format: RowFormat | None = None

    @property
    def is_copied(self) -> bool:
        """Whether a table is memory of its own."""
        return self.format is not None and self.format.scales_blocks

    @property
    def element(self) -> str:
        """The element type of a table in MLIR."""
        return "i8" if self.format else self.name

    @property
    def dtype(self) -> torch.dtype:
        """The element type of a table in PyTorch."""
        return torch.uint8 if self.format else torch_type(self.name)

    def columns(self, length: int) -> int:
        """Elements of the table in a row of so many values."""
        return self.format.row_bytes(length) if self.format else length

    def row_bytes(self, length: int) -> int:
        """Bytes of a row of so many values."""
        return self.columns(length) * self.dtype.itemsize

    def table(self, arena: Arena, rows: int, length: int) -> Tensor:
        """The arena as a contiguous table of such rows.

        With scales of blocks it is a copy, because those in the arena are far from 1, and numbers
        would be subnormal.
        """
        table = arena.table(self.dtype, rows, self.columns(length))
        if not self.is_copied:
            return table
        assert self.format is not None
        assert not self.format.leading
        table = table.clone()
        draw = torch.Generator().manual_seed(rows)
        table[:, length:].random_(*SCALES, generator=draw)
        return table

    def decode(self, rows: Tensor, length: int) -> Tensor:
        """The values (..., length), f64, of rows (..., columns)."""
        if self.format is None:
            return rows.double()
        rows = rows.contiguous()
        if self.format.scales_blocks:
            scales = rows[..., length:].contiguous().view(BESIDE[str(self.format.parameters)])
            block = PARAMETERS[str(self.format.parameters)].block_length
            numbers = rows[..., :length].contiguous().view(FLOATS[self.format.encoding]).double()
            return numbers * scales.float().double().repeat_interleave(block, -1)[..., :length]
        if self.format.encoding in FLOATS:
            return rows.view(FLOATS[self.format.encoding]).double()
        parameter = BESIDE[str(self.format.parameters)]
        size = 2 * parameter.itemsize
        if self.format.leading:
            pair, elements = rows[..., :size], rows[..., size:]
        else:
            elements, pair = rows[..., :-size], rows[..., -size:]
        scale, bias = pair.contiguous().view(parameter).double().unbind(-1)
        if self.format.encoding == "int4":
            elements = torch.stack([elements & 15, elements >> 4], -1).flatten(-2)
        return elements[..., :length].double() * scale[..., None] + bias[..., None]


ROW_TYPES = {
    row.name: row
    for row in (
        RowType("f64", "f64"),
        RowType("f32", "f32"),
        RowType("bf16", "bf16"),
        RowType("f16", "f16"),
        RowType("int8", "f32", RowFormat("int8", "f32")),
        RowType("int4", "f32", RowFormat("int4", "f16")),
        RowType("int8 leading", "f32", RowFormat("int8", "f16", leading=True)),
        *(RowType(name, "f32", RowFormat(name)) for name in FLOATS),
        *(RowType(f"mxfp8 {name}", "f32", RowFormat(name, "f8E8M0FNU")) for name in FLOATS),
    )
}
