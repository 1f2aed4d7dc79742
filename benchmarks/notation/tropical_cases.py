"""Tropical products beside GraphBLAS.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from typing import Any

import ember.sparse as es
import numpy as np
import scipy.sparse

from benchmarks.notation.case import EMBER, GRAPHBLAS, TROPICAL, Case, Prepared, bytes_of
from benchmarks.notation.limits import Phase


def _distances(rows: int, per_row: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    matrix = scipy.sparse.random_array(
        (rows, rows), density=per_row / rows, format="csr", dtype=np.float32, rng=rng
    )
    matrix.sort_indices()
    return matrix


def _array(matrix: Any) -> es.Array:
    """A matrix of which what is not stored is infinitely far away."""
    form = es.Format("csr", fill=np.inf)
    return es.Array(form, matrix.shape, matrix.data, [(matrix.indptr, matrix.indices)])


def _one_thread() -> Any:
    import graphblas

    graphblas.ss.config["nthreads"] = 1
    return graphblas


def _vector_product(rows: int, per_row: int) -> Prepared:
    graphblas = _one_thread()
    matrix = _distances(rows, per_row, 0)
    x = np.random.default_rng(1).random(rows, np.float32)
    array = _array(matrix)
    theirs, vector = graphblas.io.from_scipy_sparse(matrix), graphblas.Vector.from_dense(x)
    semiring = graphblas.semiring.min_plus
    calls = {
        GRAPHBLAS: lambda: theirs.mxv(vector, semiring).new(),
        EMBER: lambda: es.evaluate("y[i] = min[j](A[i,j] + x[j])", A=array, x=x),
    }

    def as_dense(found: Any) -> np.ndarray:
        return found if isinstance(found, np.ndarray) else found.to_dense(np.inf)

    return Prepared(calls, [Phase(bytes_of(array, x, x))], as_dense)


def _matrix_product(rows: int, per_row: int, is_ordered: bool = True) -> Prepared:
    """Of rows in order or in any. GraphBLAS leaves them in any until someone waits for them."""
    graphblas = _one_thread()
    a, b = (_distances(rows, per_row, seed) for seed in (0, 1))
    mine = _array(a), _array(b)
    theirs = graphblas.io.from_scipy_sparse(a), graphblas.io.from_scipy_sparse(b)
    semiring = graphblas.semiring.min_plus
    result = es.Format("csr" if is_ordered else "dense,compressed(unordered)", fill=np.inf)
    statement = "C[i,j] = min[k](A[i,k] + B[k,j])"

    def by_graphblas() -> Any:
        product = theirs[0].mxm(theirs[1], semiring).new()
        if is_ordered:
            product.wait("materialize")
        return product

    calls: dict[str, Callable[[], Any]] = {
        GRAPHBLAS: by_graphblas,
        EMBER: lambda: es.evaluate(statement, A=mine[0], B=mine[1], C=result),
    }

    def as_dense(found: Any) -> np.ndarray:
        return found.to_numpy() if isinstance(found, es.Array) else found.to_dense(np.inf)

    return Prepared(calls, [Phase(bytes_of(*mine) + bytes_of(calls[EMBER]()))], as_dense)


def tropical_cases() -> list[Case]:
    """The least of sums, of a matrix with a vector and with a matrix."""
    return [
        Case(TROPICAL, "mxv", lambda: _vector_product(50_000, 16), "graphblas"),
        Case(TROPICAL, "mxv, 4 a row", lambda: _vector_product(100_000, 4), "graphblas", False),
        Case(TROPICAL, "mxm", lambda: _matrix_product(4_000, 16), "graphblas"),
        Case(TROPICAL, "mxm, 4 a row", lambda: _matrix_product(8_000, 4), "graphblas", False),
        Case(
            TROPICAL,
            "mxm, 4 in any order",
            lambda: _matrix_product(8_000, 4, is_ordered=False),
            "graphblas",
            False,
        ),
    ]
