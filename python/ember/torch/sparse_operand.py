"""Reads PyTorch's sparse matrices as kernels take them: rows, columns and values of their entries.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from ember.torch import private

COMPRESSED = frozenset((torch.sparse_csr, torch.sparse_csc))
MATRICES = COMPRESSED | {torch.sparse_coo}
SPARSE = MATRICES | {torch.sparse_bsr, torch.sparse_bsc}
# What reports call the layouts of matrices.
LAYOUT_NAMES = {torch.sparse_csr: "CSR", torch.sparse_csc: "CSC", torch.sparse_coo: "COO"}

# What makes a matrix of its values, and what passes a matrix's gradient on as it is, in autograd.
_CONSTRUCTORS = ("SparseCooTensorWithDimsAndTensorsBackward0", "SparseCompressedTensorBackward0")
_KEPT_GRADIENTS = ("CoalesceBackward0", "TBackward0", "TransposeBackward0")


@dataclass(frozen=True)
class Entries:
    """A sparse matrix of shape `shape`: an entry is values[p] at (row, columns[p]).

    graph: csr, then rows (shape[0] + 1,) are the positions at which rows begin; or coo, then rows
    (entries,) are those of the entries, which may repeat and come in any order. All are plain
    contiguous tensors; those that could be are the matrix's own memory. known: the rows of the
    entries of a csr, where they are at hand.
    """

    graph: str
    rows: Tensor
    columns: Tensor
    values: Tensor
    shape: tuple[int, int]
    known: Tensor | None = None

    def rows_of_entries(self) -> Tensor:
        """The row of every entry, (entries,)."""
        if self.graph == "coo":
            return self.rows
        if self.known is not None:
            return self.known
        return private.rows_of_entries(self.rows, self.columns)

    def counts(self) -> Tensor:
        """How many entries each row has, (rows,)."""
        if self.graph == "csr":
            return self.rows.diff()
        return torch.bincount(self.rows, minlength=self.shape[0])


def entries_of(matrix: Tensor, by_rows: bool = False) -> Entries:
    """The entries of a matrix in CSR or COO, or of the transposed of one in CSC.

    Nothing is copied but for layout. by_rows: a coalesced COO, whose rows are sorted, becomes csr.
    """
    matrix = matrix.detach()
    rows, columns = matrix.shape
    if matrix.layout is torch.sparse_coo:
        indices, values = matrix._indices(), matrix._values().contiguous()
        places, others = indices[0].contiguous(), indices[1].contiguous()
        if not by_rows or not matrix.is_coalesced():
            return Entries("coo", places, others, values, (rows, columns))
        positions = private.positions_of_rows(places, rows)
        return Entries("csr", positions, others, values, (rows, columns), places)
    values = matrix.values().contiguous()
    if matrix.layout is torch.sparse_csr:
        positions, others = matrix.crow_indices(), matrix.col_indices()
        return Entries("csr", positions.contiguous(), others.contiguous(), values, (rows, columns))
    positions, others = matrix.ccol_indices(), matrix.row_indices()
    return Entries("csr", positions.contiguous(), others.contiguous(), values, (columns, rows))


def with_values(matrix: Tensor, values: Tensor) -> Tensor:
    """A matrix in CSR or coalesced COO with other values; its indices are copied."""
    matrix = matrix.detach()
    if matrix.layout is torch.sparse_csr:
        return torch.sparse_csr_tensor(
            matrix.crow_indices().clone(),
            matrix.col_indices().clone(),
            values,
            matrix.shape,
            check_invariants=False,
        )
    return torch.sparse_coo_tensor(
        matrix._indices().clone(), values, matrix.shape, is_coalesced=True, check_invariants=False
    )


def shows_gradient(operand: Any) -> bool:
    """Whether the layout of a sparse matrix's gradient is seen by anyone.

    Not where the matrix was made of values just before: these get the gradient at their places,
    whatever its layout.
    """
    if not isinstance(operand, Tensor) or operand.layout not in SPARSE:
        return False
    if not operand.requires_grad or not torch.is_grad_enabled():
        return False
    made = operand.grad_fn
    while made is not None and made.name() in _KEPT_GRADIENTS:
        made = made.next_functions[0][0]
    return made is None or made.name() not in _CONSTRUCTORS


def has_sparse(values: Any) -> bool:
    """Whether there is a sparse tensor among a value and what lists, tuples and dicts hold."""
    if isinstance(values, Tensor):
        return values.layout in SPARSE
    if isinstance(values, Mapping):
        return any(map(has_sparse, values.values()))
    return isinstance(values, list | tuple) and any(map(has_sparse, values))


def holds_sparse(model: Any) -> bool:
    """Whether a module or one in it has a sparse parameter, buffer or other attribute."""
    modules: Iterable[nn.Module] = model.modules() if isinstance(model, nn.Module) else ()
    return any(
        has_sparse(module._parameters) or has_sparse(module._buffers) or has_sparse(vars(module))
        for module in modules
    )
