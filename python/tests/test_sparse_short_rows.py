"""Rows of few coordinates that are compared all at once, beside longer ones that are merged.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable

import ember.sparse as es
import numpy as np
import pytest

COLUMNS = 70
#: Around what is compared at once, 8, and far longer.
LENGTHS = (0, 1, 2, 7, 8, 9, 17, 33)

STATEMENTS: dict[str, Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]] = {
    "C[i,j] = A[i,j] * B[i,j]": lambda a, b, d: a * b,
    "C[i,j] = A[i,j] * (B[i,j] + D[i,j])": lambda a, b, d: a * (b + d),
    "C[i,j] = A[i,j] * B[i,j] * D[i,j]": lambda a, b, d: a * b * d,
    "C[i,j] = A[i,j] + B[i,j]": lambda a, b, d: a + b,
    "y[i] = A[i,j] * B[i,j]": lambda a, b, d: (a * b).sum(1),
    "y[i] = D[i,j] * (A[i,j] - B[i,j])": lambda a, b, d: (d * (a - b)).sum(1),
}


def drawn(rows: int, seed: int) -> np.ndarray:
    """Rows of all lengths in any order, the last ones empty."""
    rng = np.random.default_rng(seed)
    array = np.zeros((rows + 2, COLUMNS))
    for row in array[:rows]:
        places = rng.choice(COLUMNS, rng.choice(LENGTHS), replace=False)
        row[places] = rng.integers(1, 9, len(places))
    return array


def stored(array: np.ndarray, form: str) -> es.Array:
    at = np.nonzero(array)
    return es.Array.from_coordinates(at, array[at], array.shape, form)


@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("form", ["csr", "dcsr", "csr:i32"])
def test_rows_of_any_length(statement: str, form: str) -> None:
    arrays = [drawn(rows=60, seed=seed) for seed in range(3)]
    given = {letter: stored(array, form) for letter, array in zip("ABD", arrays, strict=True)}
    if "D" not in statement:
        del given["D"]
    result = {"C": es.Format(form)} if statement.startswith("C") else {}
    found = es.evaluate(statement, **given, **result)
    dense = found.to_numpy() if isinstance(found, es.Array) else found
    np.testing.assert_array_equal(dense, STATEMENTS[statement](*arrays))
