"""Products with sparse matrices: torch.sparse.mm and torch.sparse.sampled_addmm by kernels.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import Any

import torch
from torch import Tensor

from ember.compiler import Options
from ember.embed_programs import ENTRY, SDDMM, SpMM, array, program
from ember.kernel import Library
from ember.threads import get_num_threads
from ember.torch.calls.edge_groups import EdgeMemory
from ember.torch.element_types import INDEX_TYPES, VALUE_TYPES
from ember.torch.region_call import NotTakenError, Reference, RegionCall
from ember.torch.repeat import MOST, Repeat, exactly, repeat_of
from ember.torch.sparse_operand import MATRICES, Entries, entries_of, with_values

NAMES = {"rows": "rows of the sparse matrix", "columns": "columns of the sparse matrix"}
# Reductions of torch.sparse.mm, with those of kernels; the least is the largest of the negated.
REDUCTIONS = {"sum": "sum", "mean": "mean", "amax": "max", "amin": "max"}
# From so many elements a row on, a kernel that shares rows out among threads makes up for finding
# where the rows of a COO begin: PyTorch's way to do that takes some nanoseconds an entry.
LONG = 32

Kernel = tuple[Callable[..., Any], Library]


@cache
def product_kernel(
    graph: str, length: int, value: str, index: str, reduction: str, options: Options
) -> Kernel:
    """Reduces values times rows of a dense matrix; raises CompileError."""
    places, rows = array(index, None), array(value, None, length)
    operation = SpMM(
        rows=places,
        columns=places,
        graph=graph,
        values=array(value, None),
        dense=rows,
        out=rows,
        reduction=reduction,
    )
    library = options.load(program(operation, kind="memref", names=NAMES))
    return library.entry(ENTRY).bind(gradients=True), library


@cache
def sampled_kernel(graph: str, length: int, value: str, index: str, options: Options) -> Kernel:
    """Products of two dense matrices' rows where a sparse one has entries; raises CompileError."""
    places, rows = array(index, None), array(value, None, length)
    operation = SDDMM(
        rows=places, columns=places, graph=graph, left=rows, right=rows, out=array(value, None)
    )
    library = options.load(program(operation, kind="memref", names=NAMES))
    return library.entry(ENTRY).bind(gradients=True), library


class SparseCall(RegionCall):
    """A product that reads sparse matrices and dense ones.

    Raises IndexOutOfRangeError or OffsetsError for a matrix whose indices are wrong; PyTorch, which
    may read past the end of memory for these, is not asked.
    """

    layouts = MATRICES | {torch.strided}
    asks_again = False

    def __init__(
        self, reference: Reference, inputs: int, options: Options, raises: bool = False
    ) -> None:
        super().__init__(reference, inputs, raises)
        self.options = options
        self.memory = EdgeMemory()

    def transposed(self, entries: Entries) -> Entries:
        """The transposed matrix: by rows, which is on threads, where it was asked for before."""
        rows, columns = entries.shape
        of_entries = entries.rows_of_entries()
        edges = self.memory.find((entries.columns, of_entries))
        grouped = None if edges is None else edges.by(0, columns)
        in_order = None if grouped is None else grouped.in_order(1)
        if grouped is None or in_order is None or in_order[1] >= rows:
            return Entries("coo", entries.columns, of_entries, entries.values, (columns, rows))
        values = entries.values.index_select(0, grouped.order)
        return Entries("csr", grouped.offsets, in_order[0], values, (columns, rows))

    def multiply(self, entries: Entries, dense: Tensor, reduction: str) -> Tensor:
        """The rows of `dense` (columns, length), times the values, reduced: (rows, length)."""
        length = dense.shape[1]
        out = dense.new_empty((entries.shape[0], length))
        if 0 in (out.numel(), len(entries.values)):
            return out.zero_()
        kernel, library = product_kernel(
            entries.graph,
            length,
            VALUE_TYPES[dense.dtype],
            INDEX_TYPES[entries.columns.dtype],
            reduction,
            self.options,
        )
        self.libraries[library] = None
        kernel(entries.rows, entries.columns, entries.values, dense.detach().contiguous(), out)
        return out

    def sample(self, entries: Entries, left: Tensor, right: Tensor) -> Tensor:
        """left[row] . right[column] for every entry, (entries,); rows are as long as each other."""
        out = left.new_empty(len(entries.values))
        if 0 in (len(out), left.shape[1]):
            return out.zero_()
        kernel, library = sampled_kernel(
            entries.graph,
            left.shape[1],
            VALUE_TYPES[left.dtype],
            INDEX_TYPES[entries.columns.dtype],
            self.options,
        )
        self.libraries[library] = None
        kernel(
            entries.rows,
            entries.columns,
            left.detach().contiguous(),
            right.detach().contiguous(),
            out,
        )
        return out


def parts_of(matrix: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """A matrix in CSR as its kernel takes it."""
    return matrix.crow_indices(), matrix.col_indices(), matrix.values()


class SparseProduct(SparseCall):
    """torch.sparse.mm(matrix, dense, reduction); "sum" is the product of the two.

    Inputs: the sparse matrix (rows, columns), the dense one (columns, length).
    """

    def __init__(
        self, reference: Reference, reduction: str, options: Options, raises: bool = False
    ) -> None:
        super().__init__(reference, 2, options, raises)
        self.reduction = reduction

    def forward(self, matrix: Tensor, dense: Tensor) -> Tensor:
        is_long = dense.shape[1] >= LONG and get_num_threads() > 1
        entries = entries_of(matrix, by_rows=is_long)
        if matrix.layout is torch.sparse_csc:
            entries = self.transposed(entries)
        if self.reduction in ("amax", "amin"):
            # The kernels' maximum and PyTorch's differ in NaN.
            if not all(math.isfinite(float(one.sum())) for one in (entries.values, dense)):
                raise NotTakenError
            if self.reduction == "amin":
                negated = Entries(
                    entries.graph, entries.rows, entries.columns, -entries.values, entries.shape
                )
                # Not the negated: rows without entries are 0, not -0.
                return 0 - self.multiply(negated, dense, "max")
        return self.multiply(entries, dense, REDUCTIONS[self.reduction])

    def repeat_for(self, arguments: tuple[Any, ...]) -> Repeat | None:
        """Of sums and means with a matrix in CSR: its parts are looked up in each call."""
        matrix, dense = arguments
        if matrix.layout is not torch.sparse_csr or self.reduction not in ("sum", "mean"):
            return None
        parts, length = (*parts_of(matrix), dense), dense.shape[1]
        if 0 in (length, matrix.shape[0], len(parts[2])):
            return None
        _, library = product_kernel(
            "csr",
            length,
            VALUE_TYPES[dense.dtype],
            INDEX_TYPES[parts[1].dtype],
            self.reduction,
            self.options,
        )
        repeat = repeat_of(
            library.entry(ENTRY).common(gradients=True),
            parts,
            range(4),
            3,
            ((0, 0, -1), length),
            bounds=[(0, 0, 2, MOST), (2, 0, 1, MOST), *exactly(3, *dense.shape)[1:]],
        )
        if repeat is None:
            return None

        def again(arguments: tuple[Any, ...], gradients: bool) -> Any:
            matrix, dense = arguments
            return repeat((*parts_of(matrix), dense), gradients)

        return again

    def gradient_reads(self, needed: Sequence[bool]) -> Collection[int]:
        is_linear = self.reduction in ("sum", "mean")
        return (0,) if is_linear and not needed[0] else (0, 1)

    def backward(
        self, inputs: Sequence[Any], needed: Sequence[bool], gradient: Tensor
    ) -> Sequence[Tensor | None]:
        matrix, dense = inputs
        if self.reduction not in ("sum", "mean"):
            raise NotTakenError
        if needed[0] and matrix.layout is torch.sparse_csc:
            raise NotTakenError
        for_matrix = for_dense = None
        entries = entries_of(matrix)
        if self.reduction == "mean":
            counts = entries.counts().clamp(min=1)
            gradient = gradient / counts.to(gradient.dtype).view(-1, 1)
        if needed[1]:
            is_other = matrix.layout is torch.sparse_csc
            turned = entries if is_other else self.transposed(entries)
            for_dense = self.multiply(turned, gradient, "sum")
        if needed[0]:
            if matrix.layout is torch.sparse_coo:
                # PyTorch's gradient has every place once.
                matrix = matrix.detach().coalesce()
                entries = entries_of(matrix)
            for_matrix = with_values(matrix, self.sample(entries, gradient, dense))
        return for_matrix, for_dense


class SampledProduct(SparseCall):
    """torch.sparse.sampled_addmm: beta * matrix + alpha * (left @ right) where matrix has entries.

    Inputs: the matrix (rows, columns) in CSR, left (rows, length), right (length, columns), beta,
    alpha. The result has the matrix's indices.
    """

    def __init__(self, reference: Reference, options: Options, raises: bool = False) -> None:
        super().__init__(reference, 5, options, raises)

    def forward(
        self, matrix: Tensor, left: Tensor, right: Tensor, beta: float, alpha: float
    ) -> Tensor:
        entries = entries_of(matrix)
        values = self.sample(entries, left, right.t())
        if alpha != 1:
            values *= alpha
        if beta != 0:
            values.add_(entries.values, alpha=beta)
        return with_values(matrix, values)

    def gradient_reads(self, needed: Sequence[bool]) -> Collection[int]:
        return (0, *(place for place, other in ((1, 2), (2, 1)) if needed[other]))

    def backward(
        self, inputs: Sequence[Any], needed: Sequence[bool], gradient: Tensor
    ) -> Sequence[Tensor | None]:
        _, left, right, beta, alpha = inputs
        if gradient.layout is not torch.sparse_csr:
            raise NotTakenError
        for_matrix = for_left = for_right = None
        entries = entries_of(gradient)
        if needed[0]:
            for_matrix = with_values(gradient, entries.values * beta)
        if needed[1]:
            for_left = self.multiply(entries, right.t(), "sum").mul_(alpha)
        if needed[2]:
            for_right = self.multiply(self.transposed(entries), left, "sum").mul_(alpha).t()
        return for_matrix, for_left, for_right, None, None
