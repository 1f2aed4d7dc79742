"""The larger and the smaller of booleans are booleans, as NumPy has it.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ember.sparse as es
import numpy as np
import pytest

A = np.array([[False, False, True, True], [True, True, True, True], [False, False, False, False]])
B = np.array([[False, True, False, True], [False, True, False, True], [False, False, False, False]])
NOWHERE = np.zeros((3, 0), np.bool_)


def found(statement: str, **arrays: object) -> np.ndarray:
    value = es.evaluate(statement, **arrays)
    array = np.asarray(value.to_numpy() if isinstance(value, es.Array) else value)
    assert array.dtype == np.bool_
    return array


@pytest.mark.parametrize("format", ["dense", "csr", "csc", "coo", "bitmap"])
@pytest.mark.parametrize("fill", [False, True])
def test_extrema_of_booleans(format: str, fill: bool) -> None:
    a, b = (
        each if format == "dense" else es.asarray(each, es.Format(format, fill=fill))
        for each in (A, B)
    )
    for name, function in (("max", np.maximum), ("min", np.minimum), ("larger", np.maximum)):
        expected = function(A, B)
        np.testing.assert_array_equal(found(f"Y[i,j] = {name}(A[i,j], B[i,j])", A=a, B=b), expected)
        expected = function.reduce(A, axis=1)
        np.testing.assert_array_equal(found(f"y[i] = {name}[j](A[i,j])", A=a), expected)
    np.testing.assert_array_equal(found("Y[i,j] = max(A[i,j], True)", A=a), np.ones((3, 4)))
    np.testing.assert_array_equal(found("Y[i,j] = min(A[i,j], 1, B[i,j])", A=a, B=b), A & B)


def test_extrema_of_no_booleans() -> None:
    for name, expected in (("max", False), ("min", True), ("larger", False)):
        assert (found(f"y[i] = {name}[j](A[i,j])", A=NOWHERE) == expected).all()


def test_extrema_onto_booleans() -> None:
    places = np.array([0, 2, 0])
    for name, x, expected in (
        ("max", [False, True, True], [True, False, True]),
        ("min", [True, True, False], [False, False, False]),
    ):
        y = np.array([False, False, False])
        y = es.evaluate(f"y[I[p]] {name}= x[p]", x=np.array(x), I=places, y=y)
        assert y.dtype == np.bool_
        np.testing.assert_array_equal(y, expected)


def test_extrema_of_booleans_and_numbers() -> None:
    np.testing.assert_array_equal(es.evaluate("Y[i,j] = max(A[i,j], 2)", A=A), np.full((3, 4), 2))
    np.testing.assert_array_equal(es.evaluate("Y[i,j] = max(A[i,j], 0.5)", A=A), np.maximum(A, 0.5))
