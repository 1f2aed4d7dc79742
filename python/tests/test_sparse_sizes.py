"""Sizes of arrays in formats, as numbers, ends of ranges and indices.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from typing import Any

import ember.sparse as es
import numpy as np
import pytest
import scipy.sparse
import torch
from ember.errors import ArgumentError, CompileError, IndexOutOfRangeError

X = np.arange(1.0, 6.0)


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "dcsr", "csf", "bitmap", "dense,dense"])
def test_sizes_of_matrices(format: str) -> None:
    a = es.asarray(np.eye(3, 4), format)
    assert es.evaluate("s = size(A, 1) * 10 + size(A,0)", A=a) == 43
    np.testing.assert_array_equal(es.evaluate("y[i] = x[i] * size(A, 1)", x=X, A=a), X * 4)
    found = es.evaluate("y[i] = x[i] for i in 0:size( A , 0)", x=X, A=a, y=np.zeros(5))
    np.testing.assert_array_equal(found, [1, 2, 3, 0, 0])
    found = es.evaluate("s = sum[i,j](A[i,j]) + x[size(A,0)]", x=X, A=a)
    np.testing.assert_array_equal(found, 7)


def test_sizes_of_other_arrays() -> None:
    assert es.evaluate("s = size(T,2)", T=es.asarray(np.ones((2, 3, 5)), "csf")) == 5
    assert es.evaluate("s = size(x,0)", x=es.asarray(X, "csf")) == 5
    assert es.evaluate("s = size(A,1)", A=scipy.sparse.csr_array((2, 7))) == 7
    # Of rows that no kernel is made for, too.
    assert es.evaluate("s = size(x,0) + size(A,1)", x=X, A=np.ones((1, 1000))) == 1005


def test_dimensions_that_are_not_there() -> None:
    with pytest.raises(CompileError, match="'A' has 2 dimensions, and no dimension 2"):
        es.evaluate("s = size(A,2)", A=es.asarray(np.eye(3), "csr"))


@pytest.mark.parametrize("format", ["dense", "csf", "bitmap"])
@pytest.mark.parametrize("size", [0, 1, 2, 5, 6])
def test_slices_with_an_open_end_and_a_step(format: str, size: int) -> None:
    dense = np.arange(1.0, 1 + size)
    x = dense if format == "dense" else es.asarray(dense, format)
    for slice_, expected in [("::2", dense[::2]), ("1::3", dense[1::3]), ("5::2", dense[5::2])]:
        found = es.evaluate(f"y[i] = 2 * x[i({slice_})]", x=x)
        np.testing.assert_array_equal(found, 2 * expected)
        found = es.evaluate(f"let t[i] = x[i({slice_})]; y[i] = t[i] + 1", x=x)
        np.testing.assert_array_equal(found, expected + 1)
        found = es.evaluate(f"y[i] = x[i({slice_})]", x=x, y=es.Format("csf"))
        np.testing.assert_array_equal(found.to_numpy(), expected)


def test_sizes_by_numbers() -> None:
    """Of results that nobody gives: 0 and negative numbers are numbers, too."""
    x = np.arange(10.0)
    for first in (0, 3, 9):
        found = es.evaluate("y[i] = x[i+a]", x=x, a=first)
        np.testing.assert_array_equal(found, x[first:])
    for count in (-5, -2, -1, 0, 4):
        found = es.evaluate("y[i] = i for i in 0:n+2", n=count)
        np.testing.assert_array_equal(found, np.arange(count + 2))
    assert es.evaluate("y[i] = i for i in 0:n", n=-3).shape == (0,)
    for begin, end in ((0, 4), (2, 5), (5, 5), (5, 2), (9, 10)):
        found = es.evaluate("y[i] = x[i(a:b)]", x=x, a=begin, b=end)
        np.testing.assert_array_equal(found, x[begin:end])
        found = es.evaluate("y[i] = x[i(a:b:3)]", x=x, a=begin, b=end)
        np.testing.assert_array_equal(found, x[begin:end:3])
    np.testing.assert_array_equal(
        es.evaluate("y[i] = x[i] for i in 0:size(x,0)-n", x=x, n=4), x[:6]
    )


@pytest.mark.parametrize("library", [np, torch])
def test_results_without_room(library: Any) -> None:
    """An error of one type, whatever the library says."""
    with pytest.raises(ArgumentError, match="there is no room for 'y'"):
        es.evaluate("y[i] = x[0] for i in 0:n", x=library.ones(3), n=2**44)
    with pytest.raises(ArgumentError, match="there is no room for 'y'"):
        es.evaluate("y[i] = x[0] for i in 0:n", x=library.ones(3), n=2**62)


@pytest.mark.parametrize("format", ["dense", "csf", "bitmap"])
def test_a_slice_is_a_range_for_other_arrays(format: str) -> None:
    """Longer ones are read, and assigned to, as far as it goes; shorter ones are errors."""

    def stored(array: np.ndarray) -> Any:
        return array if format == "dense" else es.asarray(array, format)

    z = np.arange(10.0, 17.0)
    for text in ("y[i] = x[i(1:3)] + z[i]", "y[i] = z[i] + x[i(1:3)]"):
        np.testing.assert_array_equal(es.evaluate(text, x=X, z=stored(z)), X[1:3] + z[:2])
        with pytest.raises(IndexOutOfRangeError, match=r"index 1 .* dimension 0 of 'z' of size 1"):
            es.evaluate(text, x=X, z=stored(z[:1]))
    y = np.zeros(3)
    es.evaluate("y[i] = x[i(1:3)] + z[i]", x=X, z=stored(z), y=y)
    np.testing.assert_array_equal(y, [*(X[1:3] + z[:2]), 0])
