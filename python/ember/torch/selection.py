"""Columns that a mask selects: edges[:, edges[0] != edges[1]], the edges without loops at nodes.

PyTorch looks for the places of the mask's ones, and then looks the columns up one by one. Here one
pass writes every column to where the next one has to be, and goes on from there if it is selected.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from dataclasses import dataclass
from functools import cache
from string import Template
from typing import Any

import torch
from torch import Tensor

from ember.compiler import Options
from ember.embed_programs import ENTRY
from ember.kernel import Library
from ember.torch.element_types import INDEX_TYPES
from ember.torch.region_call import NotTakenError, Reference, RegionCall

# Elements are copied, whatever they are, as integers of their size.
COPIED_TYPES = {4: torch.int32, 8: torch.int64}
MOST_ROWS = 8
PROGRAM = Template("""\
func.func @$entry(
    %x: memref<${rows}x?x$value> {ember.name = "x"},
    $parameters
    %count: memref<1xi64> {ember.name = "count"},
    %out: memref<${rows}x?x$value> {ember.name = "out"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %columns = memref.dim %x, %c1 : memref<${rows}x?x$value>
  %selected = scf.for %e = %c0 to %columns step %c1 iter_args(%place = %c0) -> (index) {
    $condition
$copies
    %next = arith.addi %place, %c1 : index
    %after = arith.select %is_selected, %next, %place : index
    scf.yield %after : index
  }
  %stored = arith.index_cast %selected : index to i64
  memref.store %stored, %count[%c0] : memref<1xi64>
  return
}
""")
COPY = """\
    %r$row = arith.constant $row : index
    %x$row = memref.load %x[%r$row, %e] : memref<${rows}x?x$value>
    memref.store %x$row, %out[%r$row, %place] : memref<${rows}x?x$value>"""
# What selects a column: a mask of bytes, or two rows that differ.
MASK = (
    """%mask: memref<?xi8> {ember.name = "mask"},""",
    """%bit = memref.load %mask[%e] : memref<?xi8>
    %zero = arith.constant 0 : i8
    %is_selected = arith.cmpi ne, %bit, %zero : i8""",
)
DIFFERENT = (
    """%one: memref<?x$index> {ember.name = "one"},
    %other: memref<?x$index> {ember.name = "other"},""",
    """%left = memref.load %one[%e] : memref<?x$index>
    %right = memref.load %other[%e] : memref<?x$index>
    %is_selected = arith.cmpi ne, %left, %right : $index""",
)


@dataclass(frozen=True)
class SelectionShape:
    """What is fixed in a kernel: numbers of rows, types; index: of compared rows, "" for a mask."""

    rows: int
    value: str
    index: str

    def program(self) -> str:
        """The MLIR module: parameters are x (rows, columns), mask or two rows, count, out."""
        words = {"rows": self.rows, "value": self.value, "index": self.index}
        parameters, condition = DIFFERENT if self.index else MASK
        return PROGRAM.substitute(
            words,
            entry=ENTRY,
            parameters=Template(parameters).substitute(words),
            condition=Template(condition).substitute(words),
            copies="\n".join(Template(COPY).substitute(words, row=k) for k in range(self.rows)),
        )


@cache
def selection_kernel(shape: SelectionShape, options: Options) -> tuple[Any, Library]:
    """Compiles or finds the kernel, and the library it is in; raises CompileError."""
    library = options.load(shape.program())
    return library.entry(ENTRY).bind(gradients=True), library


class SelectionCall(RegionCall):
    """The columns of x (columns,) or (rows, columns) for which mask is set.

    Inputs: x, mask (columns,) or None, and two rows (columns,), whose columns are selected where
    they differ if there is no mask.
    """

    def __init__(self, reference: Reference, options: Options, raises: bool = False) -> None:
        super().__init__(reference, 4, raises)
        self.options = options

    def forward(
        self, x: Tensor, mask: Tensor | None, one: Tensor | None, other: Tensor | None
    ) -> Tensor:
        copied = COPIED_TYPES.get(x.itemsize)
        by = [row for row in (mask, one, other) if row is not None]
        columns = x.shape[-1]
        rows = x.numel() // columns if columns else 0
        if copied is None or x.is_complex() or not 0 < rows <= MOST_ROWS:
            raise NotTakenError
        if any(row.shape != (columns,) for row in by):
            raise NotTakenError
        index = ""
        if mask is not None:
            if mask.dtype is not torch.bool:
                raise NotTakenError
            by = [mask.contiguous().view(torch.uint8)]
        else:
            if len({row.dtype for row in by}) > 1 or by[0].dtype not in INDEX_TYPES:
                raise NotTakenError
            index = INDEX_TYPES[by[0].dtype]
            by = [row.contiguous() for row in by]
        shape = SelectionShape(rows, INDEX_TYPES[copied], index)
        kernel, library = selection_kernel(shape, self.options)
        self.libraries[library] = None
        out = torch.empty((rows, columns), dtype=x.dtype)
        count = torch.empty(1, dtype=torch.int64)
        table = x.detach().contiguous().view(rows, columns).view(copied)
        kernel(table, *by, count, out.view(copied))
        selected = int(count)
        if selected < columns:
            out = out[:, :selected].clone(memory_format=torch.contiguous_format)
        return out.view(*x.shape[:-1], selected)
