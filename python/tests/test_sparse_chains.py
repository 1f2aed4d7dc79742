"""Results in formats that statements behind them read, which store results in formats as well.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ember.sparse as es
import numpy as np
import pytest
from numpy.typing import NDArray

SIZES = [(5, 7), (4, 4), (0, 3)]


def drawn(shape: tuple[int, int], density: float, seed: int) -> NDArray:
    """Small whole numbers, many of which are 0."""
    rng = np.random.default_rng(seed)
    return np.where(rng.random(shape) < density, rng.integers(1, 9, shape), 0).astype(np.float32)


def check(
    text: str, arrays: dict, formats: tuple[str, str], needed: tuple[NDArray, NDArray]
) -> None:
    """Both results, against dense ones."""
    rooms = {name: es.Format(format) for name, format in zip("BC", formats, strict=True)}
    results = es.evaluate(text, **arrays, **rooms)
    for result, mine in zip(results, needed, strict=True):
        np.testing.assert_array_equal(result.to_numpy(), mine)


@pytest.mark.parametrize("shape", SIZES)
@pytest.mark.parametrize("density", [0, 0.4])
@pytest.mark.parametrize("last", ["csr", "coo", "csc"])
@pytest.mark.parametrize("first", ["csr", "dcsr", "coo", "csf", "csc", "bitmap"])
def test_sums(first: str, last: str, density: float, shape: tuple[int, int]) -> None:
    """The second stores as much where it is counted as where it is evaluated."""
    a = drawn(shape, density, 1)
    text = "B[i,j] = A[i,j] * 2; C[i,j] = B[i,j] + A[i,j]"
    check(text, {"A": es.asarray(a, "csr")}, (first, last), (a * 2, a * 3))


@pytest.mark.parametrize("shape", SIZES)
@pytest.mark.parametrize("first", ["csr", "coo", "bitmap"])
def test_products(first: str, shape: tuple[int, int]) -> None:
    """Of what is counted and a transposed matrix."""
    a, d = drawn(shape, 0.4, 2), drawn(shape, 0.5, 3)
    text = "B[i,j] = A[i,j] + D[i,j]; C[i,k] = B[i,j] * A[k,j]"
    arrays = {"A": es.asarray(a, "csr"), "D": d}
    check(text, arrays, (first, "csr"), (a + d, (a + d) @ a.T))


@pytest.mark.parametrize("shape", SIZES)
@pytest.mark.parametrize("first", ["csr", "csc", "bitmap"])
def test_masks(first: str, shape: tuple[int, int]) -> None:
    """What conditions leave out of the first is not there for the second."""
    a, d = drawn(shape, 0.6, 4), drawn(shape, 0.5, 5)
    text = "B[i,j] = A[i,j] for i, j if D[i,j] > 0; C[i,j] = B[i,j] if B[i,j] > 4 else 0"
    b = a * (d > 0)
    arrays = {"A": es.asarray(a, "csr"), "D": d}
    check(text, arrays, (first, "csr"), (b, np.where(b > 4, b, 0)))


def test_a_result_is_as_large_as_its_format_says() -> None:
    """Also where a statement reads it while the next one is counted."""
    x = np.array([1, 2, 3], np.float32)
    text = "B[i] = x[i] if x[i] > 1 else 0; C[i] = B[i] * B[i]"
    b = np.where(x > 1, x, 0)
    rooms = {"B": es.Format("csf", shape=(3,)), "C": es.Format("csf")}
    first, second = es.evaluate(text, x=x, **rooms)
    np.testing.assert_array_equal(first.to_numpy(), b)
    np.testing.assert_array_equal(second.to_numpy(), b * b)
