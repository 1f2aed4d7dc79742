"""Sums of a dense matrix and a product with a sparse one: torch.addmm by one kernel.

A row of the sum is in registers while the products are added to it: nothing is written twice.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Collection, Sequence
from functools import cache
from string import Template
from typing import Any

import torch
from torch import Tensor

from ember.compiler import Options
from ember.embed_programs import ENTRY
from ember.torch import private
from ember.torch.element_types import INDEX_TYPES, SUM_TYPES
from ember.torch.region_call import NotTakenError
from ember.torch.repeat import MOST, Repeat, exactly, repeat_of
from ember.torch.sparse_products import Kernel, SparseCall, SparseProduct, parts_of

PROGRAM = Template("""\
func.func @$entry(
    %rows: memref<?x$index> {ember.name = "rows of the sparse matrix"},
    %columns: memref<?x$index> {ember.name = "columns of the sparse matrix"},
    %values: memref<?x$value> {ember.name = "values"},
    %dense: memref<?x${length}x$value> {ember.name = "dense"},
    %added: memref<?x${length}x$value> {ember.name = "added"},
    %out: memref<?x${length}x$value> {ember.name = "out"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %length = arith.constant $length : index
  %nodes = memref.dim %out, %c0 : memref<?x${length}x$value>
  scf.for %n = %c0 to %nodes step %c1 {
    %next = arith.addi %n, %c1 : index
    %stored_begin = memref.load %rows[%n] : memref<?x$index>
    %begin = arith.index_cast %stored_begin : $index to index
    %stored_end = memref.load %rows[%next] : memref<?x$index>
    %end = arith.index_cast %stored_end : $index to index
    scf.for %e = %c0 to %length step %c1 {
      %first = memref.load %added[%n, %e] : memref<?x${length}x$value>
      memref.store %first, %out[%n, %e] : memref<?x${length}x$value>
    }
    scf.for %p = %begin to %end step %c1 {
      %stored_column = memref.load %columns[%p] : memref<?x$index>
      %column = arith.index_cast %stored_column : $index to index
      %factor = memref.load %values[%p] : memref<?x$value>
      scf.for %e = %c0 to %length step %c1 {
        %x = memref.load %dense[%column, %e] : memref<?x${length}x$value>
        %before = memref.load %out[%n, %e] : memref<?x${length}x$value>
        %after = math.fma %x, %factor, %before : $value
        memref.store %after, %out[%n, %e] : memref<?x${length}x$value>
      }
    }
  }
  return
}
""")


@cache
def sum_kernel(length: int, value: str, index: str, options: Options) -> Kernel:
    """The kernel of a matrix in CSR, and the library it is in; raises CompileError."""
    text = PROGRAM.substitute(entry=ENTRY, length=length, value=value, index=index)
    library = options.load(text)
    return library.entry(ENTRY).bind(gradients=True), library


class ProductSum(SparseCall):
    """torch.addmm(added, matrix, dense), of a matrix in CSR, in f32 and f64.

    Inputs: a dense matrix (rows, length), the sparse one (rows, columns), a dense one (columns,
    length). product: that of the latter two, which has their gradients.
    """

    def __init__(self, product: SparseProduct) -> None:
        super().__init__(_reference, 3, product.options, product.raises)
        self.product = product

    def kernel_for(self, matrix: Tensor, dense: Tensor) -> Kernel:
        """The kernel of these types and length; raises CompileError."""
        found = sum_kernel(
            dense.shape[1],
            SUM_TYPES[dense.dtype],
            INDEX_TYPES[matrix.col_indices().dtype],
            self.options,
        )
        self.libraries[found[1]] = None
        return found

    def forward(self, added: Tensor, matrix: Tensor, dense: Tensor) -> Tensor:
        if 0 in added.shape:
            raise NotTakenError
        kernel, _ = self.kernel_for(matrix, dense)
        out = dense.new_empty(added.shape)
        parts = (one.contiguous() for one in parts_of(matrix.detach()))
        kernel(*parts, dense.detach().contiguous(), added.detach().contiguous(), out)
        return out

    def repeat_for(self, arguments: tuple[Any, ...]) -> Repeat | None:
        added, matrix, dense = arguments
        parts = parts_of(matrix)
        _, library = self.kernel_for(matrix, dense)
        length = dense.shape[1]
        lengths = exactly(4, *added.shape)[1:] + exactly(3, *dense.shape)[1:]
        repeat = repeat_of(
            library.entry(ENTRY).common(gradients=True),
            (*parts, dense, added),
            range(5),
            3,
            ((4, 0, 0), length),
            bounds=[(4, 0, 1, MOST), ((4, 0, 0), (0, 0, -1)), *lengths],
        )
        if repeat is None:
            return None

        def again(arguments: tuple[Any, ...], gradients: bool) -> Any:
            added, matrix, dense = arguments
            return repeat((*parts_of(matrix), dense, added), gradients)

        return again

    def gradient_reads(self, needed: Sequence[bool]) -> Collection[int]:
        return (1, 2) if needed[1] else (1,)

    def backward(
        self, inputs: Sequence[Any], needed: Sequence[bool], gradient: Tensor
    ) -> Sequence[Tensor | None]:
        for_product = self.product.backward(inputs[1:], needed[1:], gradient)
        return gradient if needed[0] else None, *for_product


def _reference(added: Tensor, matrix: Tensor, dense: Tensor) -> Tensor:
    with private.outside_modes():
        return torch.addmm(added, matrix, dense)
