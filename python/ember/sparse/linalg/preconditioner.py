"""Preconditioners: none, a diagonal, a matrix, or whatever multiplies vectors.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from typing import Any

import numpy as np

from ember.errors import ArgumentError
from ember.sparse.evaluate import evaluate
from ember.sparse.linalg.matrix import check_finite, is_operator, matrix_of, product_of, rows_of
from ember.sparse.linalg.partition import Partition


class Preconditioner:
    """What solvers multiply residuals by, an approximation of A's inverse.

    A diagonal is a factor of statements (`weights`), and its products are in no memory. All else
    is applied between sweeps.
    """

    def __init__(self, given: Any, dtype: np.dtype, partition: Partition) -> None:
        self.arrays: dict[str, Any] = {}
        self.is_none = given is None
        self.is_diagonal = False
        self._dtype = dtype
        self._call = None
        self._rows = None
        if given is None:
            return
        weights = np.asarray(given) if np.ndim(given) == 1 else None
        if weights is None:
            given = matrix_of("M", given)
            if tuple(given.shape) != (partition.size, partition.size):
                raise ArgumentError(
                    f"matrix and preconditioner have different shapes: {(partition.size,) * 2} "
                    f"and {tuple(given.shape)}"
                )
            if is_operator(given):
                self._call = product_of(given)
                return
            rows = rows_of(given)
            check_finite("M", rows.values)
            weights = _diagonal_of(rows)
            if weights is None:
                self._rows = rows
                return
        elif weights.shape != (partition.size,):
            raise ArgumentError(
                f"the diagonal M has {len(weights)} elements, and A has {partition.size} rows"
            )
        self.is_diagonal = True
        padded = np.zeros(partition.padded, dtype)
        padded[: partition.size] = weights
        check_finite("M", padded)
        self.arrays = {"weights": padded}
        self._weights = padded[: partition.size]

    def term(self, vector: str) -> str:
        """An element of M times a vector, as statements have it, where that is in no memory."""
        element = f"{vector}[i]"
        return f"weights[i] * {element}" if self.is_diagonal else element

    @property
    def is_fused(self) -> bool:
        """Whether statements have M, or nothing in its place."""
        return self.is_none or self.is_diagonal

    def apply(self, vector: np.ndarray) -> np.ndarray:
        """M times a vector, or several as columns."""
        if self.is_none:
            return vector
        if self.is_diagonal:
            weights = self._weights if vector.ndim == 1 else self._weights[:, None]
            return np.asarray(weights * vector, self._dtype)
        if self._call is not None:
            return np.asarray(self._call(vector), self._dtype)
        text = "y[i] = A[i,j] * x[j]" if vector.ndim == 1 else "y[i,n] = A[i,j] * x[j,n]"
        return np.asarray(evaluate(text, A=self._rows, x=vector), self._dtype)


def _diagonal_of(rows: Any) -> np.ndarray | None:
    """The elements on the diagonal of a matrix that stores nothing else; None of another one."""
    positions, coordinates = (rows.stored[1][part] for part in ("positions", "coordinates"))
    size = len(positions) - 1
    if len(coordinates) > size:
        return None
    owners = np.repeat(np.arange(size), np.diff(positions))
    if not np.array_equal(owners, coordinates[: len(owners)]):
        return None
    diagonal = np.zeros(size, rows.values.dtype)
    diagonal[owners] = rows.values[: len(owners)]
    return diagonal
