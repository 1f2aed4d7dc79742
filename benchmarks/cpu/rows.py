"""How rows of each type lie in memory, for Ember and for its peers, and what they stand for.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from dataclasses import dataclass

import torch
from ember.dtypes import DTYPES
from ember.embed_programs import RowFormat
from torch import Tensor

from benchmarks.cpu.arena import Arena

PARAMETERS = {"f32": torch.float32, "f16": torch.float16}
FLOAT8 = {"e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2}


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
        """The arena as a contiguous table of such rows."""
        return arena.table(self.dtype, rows, self.columns(length))

    def decode(self, rows: Tensor, length: int) -> Tensor:
        """The values (..., length), f64, of rows (..., columns)."""
        if self.format is None:
            return rows.double()
        rows = rows.contiguous()
        if self.format.encoding in FLOAT8:
            return rows.view(FLOAT8[self.format.encoding]).double()
        parameter = PARAMETERS[str(self.format.parameters)]
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
        RowType("e4m3", "f32", RowFormat("e4m3")),
        RowType("e5m2", "f32", RowFormat("e5m2")),
    )
}
