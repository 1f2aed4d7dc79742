"""Looked-up rows as they are, or sums of rows of several tables, each times a number.

PyTorch's own lookups wait for one row after the other. A kernel asks for rows ahead, and adds what
it finds at once: the inputs of transformers are sums of two or three rows.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from ember.compiler import Options
from ember.errors import ArgumentError
from ember.torch.program_call import ProgramCall
from ember.torch.region_call import NotTakenError, Reference

ENTRY = "rows"
# Where a kernel is faster than PyTorch's lookups, each of which is called in less time: rows of
# tables that the nearer caches do not hold, and sums whose parts PyTorch writes and reads again.
LEAST_LOOKUPS = 1 << 14
LEAST_TABLE_BYTES = 4 << 20
MOST_ROW_BYTES = 1 << 10
LEAST_SUMMED = 1 << 17


def why_slower(terms: int, lookups: int, row_bytes: int, table_bytes: int, elements: int) -> str:
    """Why PyTorch is as fast for a sum of rows of so many terms; empty if it is not.

    elements: of the result.
    """
    if terms > 1:
        few = f"PyTorch adds fewer than {LEAST_SUMMED} elements as fast"
        return few if elements < LEAST_SUMMED else ""
    if lookups < LEAST_LOOKUPS:
        return f"PyTorch looks up fewer than {LEAST_LOOKUPS} rows as fast"
    if table_bytes < LEAST_TABLE_BYTES:
        return (
            f"PyTorch looks up rows of a table of less than {LEAST_TABLE_BYTES >> 20} MiB as fast"
        )
    if row_bytes > MOST_ROW_BYTES:
        return f"PyTorch copies rows of more than {MOST_ROW_BYTES} bytes as fast"
    return ""


@dataclass(frozen=True)
class Term:
    """Rows of one table times a number.

    The others say how PyTorch makes the gradient: that of F.embedding (is_embedding), with its
    arguments, or of an index.
    """

    factor: float
    index: str
    is_embedding: bool = False
    padding: int = -1
    scale_by_frequency: bool = False
    is_sparse: bool = False


@dataclass(frozen=True)
class RowSum:
    """What is fixed in a kernel: the terms, the length of rows, and the type of elements."""

    terms: tuple[Term, ...]
    length: int
    value: str

    def text(self) -> str:
        """The MLIR module: parameters are tables, indices (lookups), and the result."""
        table = f"memref<?x{self.length}x{self.value}, strided<[?, 1], offset: ?>>"
        out = f"memref<?x{self.length}x{self.value}>"
        count = len(self.terms)
        ids = [f"memref<?x{term.index}>" for term in self.terms]
        parameters = [
            *(f'%table{k}: {table} {{ember.name = "table[{k}]"}}' for k in range(count)),
            *(f'%indices{k}: {ids[k]} {{ember.name = "indices[{k}]"}}' for k in range(count)),
            f'%out: {out} {{ember.name = "out"}}',
        ]
        lines = [
            "  %c0 = arith.constant 0 : index",
            "  %c1 = arith.constant 1 : index",
            f"  %length = arith.constant {self.length} : index",
            f"  %lookups = memref.dim %out, %c0 : {out}",
        ]
        for k, term in enumerate(self.terms):
            if term.factor != 1:
                # As many digits as tell a number of f64 from all others.
                factor = f"{term.factor:.17e}"
                lines.append(f"  %factor{k} = arith.constant {factor} : {self.value}")
            lines.append(f"  %size{k} = memref.dim %indices{k}, %c0 : {ids[k]}")
            lines.append(f"  %fits{k} = arith.cmpi eq, %size{k}, %lookups : index")
            lines.append(f'  cf.assert %fits{k}, "there are not as many indices for all tables"')
        lines.append("  scf.for %l = %c0 to %lookups step %c1 {")
        for k, term in enumerate(self.terms):
            lines.append(f"    %stored{k} = memref.load %indices{k}[%l] : {ids[k]}")
            lines.append(f"    %row{k} = arith.index_cast %stored{k} : {term.index} to index")
        lines.append("    scf.for %e = %c0 to %length step %c1 {")
        total = ""
        for k, term in enumerate(self.terms):
            name = f"%element{k}"
            lines.append(f"      {name} = memref.load %table{k}[%row{k}, %e] : {table}")
            if term.factor != 1:
                product = f"%product{k}"
                lines.append(f"      {product} = arith.mulf {name}, %factor{k} : {self.value}")
                name = product
            if total:
                lines.append(f"      %sum{k} = arith.addf {total}, {name} : {self.value}")
                name = f"%sum{k}"
            total = name
        lines.append(f"      memref.store {total}, %out[%l, %e] : {out}")
        lines += ["    }", "  }", "  return"]
        joined = ",\n    ".join(parameters)
        return f"func.func @{ENTRY}(\n    {joined}) {{\n" + "\n".join(lines) + "\n}\n"


class RowSumCall(ProgramCall):
    """Sums of rows, (sizes of the indices, length). Inputs: tables (rows, length), then indices."""

    def __init__(
        self,
        reference: Reference,
        program: RowSum,
        options: Options,
        raises: bool = False,
    ) -> None:
        super().__init__(reference, 2 * len(program.terms), program.text, ENTRY, options, raises)
        self.program = program

    def forward(self, *inputs: Any) -> Tensor:
        count = len(self.program.terms)
        tables, indices = inputs[:count], inputs[count:]
        sizes = indices[0].shape
        if any(index.shape != sizes for index in indices):
            sizes = torch.broadcast_shapes(*(index.shape for index in indices))  # type: ignore[no-untyped-call]
        table, lookups, length = tables[0], sizes.numel(), self.program.length
        row_bytes = length * table.itemsize
        if why_slower(count, lookups, row_bytes, len(table) * row_bytes, lookups * length):
            raise NotTakenError
        flat = [index.expand(sizes).reshape(-1).contiguous() for index in indices]
        out: Tensor = table.new_empty((*sizes, length))
        try:
            self.kernel(*tables, *flat, out.view(-1, length))
        except ArgumentError:
            raise NotTakenError from None
        return out

    def gradient_reads(self, needed: Sequence[bool]) -> Collection[int]:
        return range(len(self.program.terms), self.inputs)

    def backward(
        self, inputs: Sequence[Any], needed: Sequence[bool], gradient: Tensor
    ) -> Sequence[Tensor | None]:
        found: list[Tensor | None] = [None] * self.inputs
        count = len(self.program.terms)
        for place, term in enumerate(self.program.terms):
            if needed[place]:
                table, index = inputs[place], inputs[count + place]
                own = gradient.sum_to_size((*index.shape, gradient.shape[-1]))
                if term.factor != 1:
                    own = own * term.factor
                found[place] = gradient_of_rows(term, table, index, own)
        return found


def gradient_of_rows(term: Term, table: Tensor, index: Tensor, gradient: Tensor) -> Tensor:
    """The gradient of a table whose rows were looked up, as PyTorch makes it."""
    if term.is_embedding:
        return torch.ops.aten.embedding_backward(  # type: ignore[no-any-return]
            gradient,
            index,
            len(table),
            term.padding,
            term.scale_by_frequency,
            term.is_sparse,
        )
    # Some numbers of x[index] may count from the end.
    places = index.reshape(-1).remainder(len(table))
    rows = gradient.reshape(-1, gradient.shape[-1])
    return torch.zeros_like(table).index_add_(0, places, rows)
