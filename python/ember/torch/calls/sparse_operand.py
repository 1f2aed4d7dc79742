"""Reads PyTorch's sparse matrices as statements take them: rows, columns and values.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from ember.torch.capture import private

COMPRESSED = frozenset((torch.sparse_csr, torch.sparse_csc))
MATRICES = COMPRESSED | {torch.sparse_coo}
SPARSE = MATRICES | {torch.sparse_bsr, torch.sparse_bsc}
# What reports call the layouts of matrices.
LAYOUT_NAMES = {torch.sparse_csr: "CSR", torch.sparse_csc: "CSC", torch.sparse_coo: "COO"}

# What makes a matrix of its values, and what passes a matrix's gradient on as it is, in autograd.
_CONSTRUCTORS = ("SparseCooTensorWithDimsAndTensorsBackward0", "SparseCompressedTensorBackward0")
_KEPT_GRADIENTS = ("CoalesceBackward0", "TBackward0", "TransposeBackward0")


# How statements take a matrix: with the positions at which rows begin, or columns, or with the row
# and column of every entry, which may repeat and come in any order unless they are sorted by row.
BY_ROWS, BY_COLUMNS, BY_ENTRIES, SORTED = "rows", "columns", "entries", "sorted"


def parts_of(matrix: Tensor, by_rows: bool = False) -> tuple[str, tuple[Tensor, Tensor, Tensor]]:
    """The form, rows, columns and values of a matrix in CSR, CSC or COO, of which no value is
    copied.

    Entry p is values[p], in row rows[p] and column columns[p]; in the form BY_ROWS the entries of
    row i are rows[i]:rows[i + 1], and in that BY_COLUMNS those of column j are columns[j]:columns[j
    + 1]. values have a gradient where the matrix has one, which gets theirs, stored as PyTorch's
    gradient of a product is. by_rows: a coalesced COO is not SORTED, but BY_ROWS.
    """
    if matrix.layout is torch.sparse_csr:
        return BY_ROWS, csr_parts(matrix)
    if matrix.layout is torch.sparse_csc:
        return BY_COLUMNS, (matrix.row_indices(), matrix.ccol_indices(), matrix.values())
    if matrix.requires_grad and torch.is_grad_enabled():
        # PyTorch's gradient has every place once.
        matrix = matrix.coalesce()
        values = matrix.values()
    else:
        values = matrix._values()
    rows, columns = matrix._indices()
    if not by_rows or not matrix.is_coalesced():
        return SORTED if matrix.is_coalesced() else BY_ENTRIES, (rows, columns, values)
    return BY_ROWS, (private.positions_of_rows(rows, matrix.shape[0]), columns, values)


def csr_parts(matrix: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Those of a matrix in CSR."""
    return matrix.crow_indices(), matrix.col_indices(), matrix.values()


def with_values(matrix: Tensor, values: Tensor, share: float = 0.0) -> Tensor:
    """A matrix in CSR with other values, which get the gradient at its entries.

    share: of the result's gradient is the matrix's, as it is stored.
    """
    if torch.is_grad_enabled() and (matrix.requires_grad or values.requires_grad):
        found: Tensor = _WithValues.apply(matrix, values, share)  # type: ignore[no-untyped-call]
        return found
    return torch.sparse_csr_tensor(
        matrix.crow_indices().clone(),
        matrix.col_indices().clone(),
        values,
        matrix.shape,
        check_invariants=False,
    )


class _WithValues(torch.autograd.Function):
    """The same for autograd.

    For a gradient that has other entries, all zeros are written, as PyTorch does for any.
    """

    @staticmethod
    def forward(ctx: Any, matrix: Tensor, values: Tensor, share: float) -> Tensor:
        found = with_values(matrix, values)
        ctx.share, ctx.places = share, found.detach()
        ctx.set_materialize_grads(False)
        return found

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (gradient,) = gradients
        if gradient is None:
            return None, None, None
        of_matrix = gradient * ctx.share if ctx.needs_input_grad[0] else None
        return of_matrix, _values_at(gradient, ctx.places), None


def _values_at(gradient: Tensor, places: Tensor) -> Tensor:
    """The values of a matrix, in CSR or dense, at the entries of one in CSR."""
    rows, columns, _ = csr_parts(places)
    if gradient.layout is torch.sparse_csr:
        own_rows, own_columns, values = csr_parts(gradient)
        if torch.equal(own_rows, rows) and torch.equal(own_columns, columns):
            return values
    return gradient.to_dense()[private.rows_of_entries(rows, columns), columns]


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
