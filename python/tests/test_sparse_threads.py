"""Results in formats on several threads: rows are counted, then filled, the same as on one.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import ember
import ember.sparse as es
import numpy as np
import pytest
from ember.errors import IndexOutOfRangeError
from scipy.sparse import csr_array

THREADS = [1, 2, 3, 5, 16]
ROWS, INNER, COLUMNS = 2000, 2100, 2200


def drawn(rows: int, columns: int, length: int, seed: int) -> csr_array:
    """Rows of up to twice that length, every 7th without elements, one with many."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 2 * length + 1, rows)
    lengths[::7], lengths[rows // 3] = 0, columns // 2
    row = np.repeat(np.arange(rows), lengths)
    column = rng.integers(0, columns, len(row))
    values = rng.integers(1, 5, len(row)).astype(np.float32)
    made = csr_array((values, (row, column)), shape=(rows, columns))
    made.sum_duplicates()
    return made


A, B = drawn(ROWS, INNER, 12, 1), drawn(INNER, COLUMNS, 12, 2)
M, D = drawn(ROWS, COLUMNS, 20, 3), drawn(ROWS, COLUMNS, 30, 4)
P = A @ B
GIVEN = {"A": A, "B": B, "M": M, "D": D, "K": M.astype(bool), "L": D.astype(bool)}


@pytest.fixture(autouse=True)
def default_threads() -> Iterator[None]:
    threads = ember.get_num_threads()
    yield
    ember.set_num_threads(threads)


def same_on_threads(text: str, form: str, **options: Any) -> csr_array:
    """The result, of which every bit is the same for each number of threads."""
    given = {name: array for name, array in GIVEN.items() if f"{name}[" in text}
    results = []
    for threads in THREADS:
        ember.set_num_threads(threads)
        results.append(es.evaluate(text, **given, C=es.Format(form), **options).to_scipy())
    for result in results[1:]:
        assert result.indptr.tobytes() == results[0].indptr.tobytes()
        assert result.indices.tobytes() == results[0].indices.tobytes()
        assert result.data.tobytes() == results[0].data.tobytes()
    return results[0]


CASES: dict[str, Callable[[], Any]] = {
    "C[i,j] = A[i,k] * B[k,j]": lambda: P,
    "C[i,j] = M[i,j] + D[i,j]": lambda: M + D,
    "C[i,j] = M[i,j] * D[i,j]": lambda: M * D,
    "C[i,j] = M[i,j] * sum[k](A[i,k] * B[k,j])": lambda: M * P,
    "C[i,j] = M[i,j] + sum[k](A[i,k] * B[k,j])": lambda: M + P,
    "C[i,j] = sum[k](A[i,k] * B[k,j]) if not K[i,j]": lambda: P - P * (M > 0),
    "C[i,j] = M[i,j] if M[i,j] > 2": lambda: M * (M > 2),
    "C[i,j] = K[i,j] & L[i,j]": lambda: (M > 0) * (D > 0),
    "C[i,j] = K[i,j] | L[i,j]": lambda: (M > 0) + (D > 0),
    "C[i,j] = K[i,j] ^ L[i,j]": lambda: (M > 0) != (D > 0),
}


def test_other_numbers_of_threads_have_other_kernels() -> None:
    """A kernel for one thread has no loops for two."""
    text = "C[i,j] = 2 * A[i,k] * B[k,j]"
    statements = import_module("ember.sparse.evaluate")._statements
    kernels = len(statements)
    for threads, known in (1, 1), (1, 1), (2, 2), (1, 2), (2, 2):
        ember.set_num_threads(threads)
        es.evaluate(text, A=A, B=B, C=es.Format("csr"))
        assert len(statements) == kernels + known


@pytest.mark.parametrize("form", ["csr", "csr:i32", "dense,compressed(unordered)"])
@pytest.mark.parametrize("text", CASES)
def test_rows_are_the_same_on_any_number_of_threads(text: str, form: str) -> None:
    result = same_on_threads(text, form)
    want = CASES[text]().toarray()
    np.testing.assert_array_equal(result.toarray(), want)
    if "if" not in text:
        assert result.nnz >= np.count_nonzero(want)


def test_a_schedule_that_says_parallel_reaches_it() -> None:
    text = "C[i,j] = A[i,k] * B[k,j]"
    plain = same_on_threads(text, "csr")
    scheduled = same_on_threads(text, "csr", schedule="parallelize(i)")
    np.testing.assert_array_equal(scheduled.toarray(), plain.toarray())


@pytest.mark.parametrize(
    "text", ["C[i,j] = M[i,j] * x[p[i]]", "C[i,j] = sum[k](A[i,k] * B[k,j] * x[p[i]])"]
)
def test_the_first_error_of_rows_is_the_one(text: str) -> None:
    x, p = np.ones(ROWS, np.float32), np.arange(ROWS)
    p[[701, 1203, 1604]] = [5000, -7, 9999]
    given = {name: array for name, array in GIVEN.items() if f"{name}[" in text}
    for threads in THREADS:
        ember.set_num_threads(threads)
        with pytest.raises(IndexOutOfRangeError, match="index 5000 at position 701 of 'p'"):
            es.evaluate(text, **given, x=x, p=p, C=es.Format("csr"))


@pytest.mark.parametrize("columns", [2**40, 10**9])
@pytest.mark.parametrize("form", ["csr", "dense,compressed(unordered)"])
def test_rows_of_very_many_columns_are_added_up_in_tables(form: str, columns: int) -> None:
    """A place for each column would be more memory than there is."""
    rng = np.random.default_rng(5)
    row, column = np.repeat(np.arange(INNER), 6), rng.integers(0, columns, 6 * INNER)
    column[::3], column[1::5] = columns - 1, 0
    values = rng.integers(1, 5, len(row)).astype(np.float32)
    wide = es.Array.from_coordinates([row, column], values, (INNER, columns), "csr")
    used, number = np.unique(column, return_inverse=True)
    want = (A @ csr_array((values, (row, number)), shape=(INNER, len(used)))).toarray()
    for threads in (1, 2):
        ember.set_num_threads(threads)
        made = es.evaluate("C[i,j] = A[i,k] * B[k,j]", A=A, B=wide, C=es.Format(form))
        positions, coordinates = made.stored[1]["positions"], made.stored[1]["coordinates"]
        place = np.searchsorted(used, coordinates)
        found = csr_array((made.values, place, positions), shape=want.shape)
        np.testing.assert_array_equal(found.toarray(), want)
        inside = np.setdiff1d(np.arange(1, len(place)), positions)
        assert form != "csr" or (coordinates[inside] > coordinates[inside - 1]).all()
