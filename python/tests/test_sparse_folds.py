"""Statements that are nothing but identities where arrays in formats are asked for.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re

import ember.sparse as es
import numpy as np
import pytest

MATRICES = ("csr", "csc", "coo", "dcsr", "csf", "bitmap")


@pytest.mark.parametrize("format", MATRICES)
@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("s = sum[i,j](A[i,j] * 0)", 0),
        ("s = sum[i,j](A[i,j] * 0) + x[1]", 3),
        ("y[j] = sum[i](sum[k](A[i,k] * 0) + B[i,j])", [3, 5, 7]),
        ("y[i] = sum[j](A[i,j] * 0) + x[i]", [2, 3]),
        ("s = prod[i](sum[j](A[i,j] * 0) + x[i])", 6),
        ("s = max[i](sum[j](A[i,j] * 0))", 0),
    ],
)
def test_sums_of_zeros(format: str, statement: str, expected: list[int] | int) -> None:
    a, b = np.array([[1.0, 0, 2], [0, 0, 3]]), np.arange(6.0).reshape(2, 3)
    arrays = {"A": es.asarray(a, format), "B": b, "x": np.array([2.0, 3])}
    named = {name: array for name, array in arrays.items() if re.search(rf"\b{name}\[", statement)}
    np.testing.assert_array_equal(es.evaluate(statement, **named), expected)


@pytest.mark.parametrize(
    "format", ["dense,compressed,compressed", "csf", "coo", "dense,dense,compressed"]
)
@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("s = sum[i,j,k](T[i,j,k] * 0)", 0),
        ("y[i] = sum[j,k](T[i,j,k] * 0)", [0, 0]),
        ("Y[i,j] = sum[k](T[i,j,k] * 0) + B[i,j]", [[0, 1, 2], [3, 4, 5]]),
    ],
)
def test_sums_of_zeros_in_three_dimensions(
    format: str, statement: str, expected: list[int] | int
) -> None:
    t = np.arange(24.0).reshape(2, 3, 4) % 3
    arrays = {"T": es.asarray(t, format), "B": np.arange(6.0).reshape(2, 3)}
    named = {name: array for name, array in arrays.items() if re.search(rf"\b{name}\[", statement)}
    np.testing.assert_array_equal(es.evaluate(statement, **named), expected)
