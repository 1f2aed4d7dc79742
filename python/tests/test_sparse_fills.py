"""Arrays that store their fill, and arrays that do not: what complements skip, and values of both.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ember.sparse as es
import numpy as np
import pytest
import scipy.sparse
import torch
from ember.errors import ArgumentError
from numpy.typing import NDArray

FORMATS = ["csr", "dcsr", "csf", "bitmap", "compressed,bitmap", "bitmap,dense"]


def drawn(seed: int) -> NDArray[np.bool_]:
    return np.random.default_rng(seed).integers(0, 2, (6, 7)).astype(np.bool_)


def padded(a: NDArray[np.bool_]) -> es.Array:
    """By rows, with one more element in each row, which is stored and the fill."""
    stored = a.copy()
    stored[:, 3] = True
    array = es.asarray(stored, "csr")
    coordinates, positions = array.coordinates()
    values = array.values.copy()
    values[positions] = a[tuple(coordinates)]
    return es.Array("csr", a.shape, values, [tuple(array.stored[1].values())])


@pytest.mark.parametrize("format", FORMATS)
def test_arrays_know_whether_they_store_their_fill(format: str) -> None:
    """Also those of other libraries; where elements are added, their sum may be it."""
    a = drawn(0)
    assert es.asarray(a, format).stores_fill is (format == "bitmap,dense" and not a.all(1).all())
    assert padded(a).stores_fill
    nan = es.asarray(np.array([1.0, np.nan]), es.Format("csf", fill=np.nan))
    assert not nan.stores_fill
    nan.values = np.array([np.nan])
    assert nan.stores_fill
    assert es.Array("compressed(nonunique)", (3,), [1, -1], [([0, 2], [1, 1])]).stores_fill
    blocks = scipy.sparse.bsr_array(np.eye(4, dtype=np.float32), blocksize=(2, 2))
    assert es.asarray(blocks).stores_fill
    assert not es.asarray(scipy.sparse.csr_array(blocks.toarray())).stores_fill


@pytest.mark.parametrize(
    ("text", "without", "with_fill"),
    [
        ("~A[i,j] & B[i,j]", "~A \N{INTERSECTION} B", "B"),
        ("A[i,j] ^ B[i,j]", None, "A \N{UNION} B"),
    ],
)
def test_complements_skip_what_is_stored(text: str, without: str | None, with_fill: str) -> None:
    """Without testing values, where no stored value is the fill, and lists are merged."""
    merged = "reorder(i, j)"
    a, b = drawn(0), drawn(1)
    expected = (~a & b) if "&" in text else (a ^ b)
    statement = f"C[i,j] = {text}"
    result = es.Format("csr")
    plain = {"A": es.asarray(a, "csr"), "B": es.asarray(b, "csr")}
    found = es.evaluate(statement, **plain, C=result, schedule=merged)
    np.testing.assert_array_equal(found.to_numpy(), expected)
    assert found.nnz == expected.sum(), "nothing is visited that turns out to be the fill"
    loop = es.explain(statement, **plain, C=result, schedule=merged).loops[-1]
    both = next(region for region in loop.regions if len(region.stored) == 2)
    assert not both.visited
    assert without is None or set(loop.set.split()) == set(without.split())
    for arrays in (
        {"A": padded(a), "B": es.asarray(b, "csr")},
        {"A": padded(a), "B": padded(b)},
        {"A": es.asarray(a, "csr"), "B": padded(b)},
    ):
        found = es.evaluate(statement, **arrays, C=result, schedule=merged)
        np.testing.assert_array_equal(found.to_numpy(), expected)
    explained = es.explain(statement, A=padded(a), B=padded(b), C=result, schedule=merged)
    assert explained.loops[-1].set == with_fill


def test_fills_that_are_equal_may_be_two() -> None:
    """0.0 and -0.0 have kernels of their own, and all NaN have one."""
    found, dense = [], []
    for fill in (-0.0, 0.0, 0, -0.0):
        form = es.Format("csf", fill=fill)
        array = es.Array.from_coordinates([[1]], np.array([2.0]), (2,), form)
        found.append(es.evaluate("y[i] = 1 / A[i]", A=array).tolist())
        room = es.Format(fill=fill, shape=(2,))
        dense.append(es.evaluate("y[I[i]] += x[i]", I=[1], x=[1.0], y=room))
    assert found == [[-np.inf, 0.5], [np.inf, 0.5], [np.inf, 0.5], [-np.inf, 0.5]]
    assert np.signbit(dense)[:, 0].tolist() == [True, False, False, True]
    assert es.Format("csr", fill=2) == es.Format("csr", fill=2.0) != es.Format("csr", fill=3)
    assert es.Format("csr", fill=0.0) != es.Format("csr", fill=-0.0)
    assert es.Format(fill=float("nan")) == es.Format(fill=float("nan"))
    assert len({es.Format(fill=float("nan")), es.Format(fill=float("nan"))}) == 1


@pytest.mark.parametrize("on_torch", [False, True])
@pytest.mark.parametrize(
    ("fill", "dtype"), [(1.5, "int64"), (np.nan, "int64"), (np.inf, "int32"), (300, "int8")]
)
def test_fills_of_dense_results_are_elements(fill: float, dtype: str, on_torch: bool) -> None:
    """As those of results in a format are."""
    x = np.ones(2, dtype)
    room = es.Format(fill=fill, shape=(3,))
    message = rf"the fill of 'y', {fill}, is no number of type 'i{dtype[3:]}'"
    with pytest.raises(ArgumentError, match=message):
        es.evaluate("y[I[i]] += x[i]", I=[1, 0], x=torch.from_numpy(x) if on_torch else x, y=room)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int8"])
@pytest.mark.parametrize("format", ["csf", "dense,compressed,compressed", "bitmap"])
def test_fills_count_as_often_as_they_are_reduced(format: str, dtype: str) -> None:
    """Those of rows, and of layers, of which nothing is stored, too."""
    rng = np.random.default_rng(7)
    a = ((rng.random((6, 5, 4)) < 0.2) * rng.integers(1, 5, (6, 5, 4))).astype(dtype)
    a[2], a[:, 3] = 0, 0
    one = a.dtype.type(1)
    A = es.asarray(a, format)
    texts = {
        "s = sum[i,j,k](A[i,j,k] + 1)": (a + one).sum(dtype=dtype),
        "s[k] = sum[i,j](A[i,j,k] + 1)": (a + one).sum((0, 1), dtype=dtype),
        "s[i] = sum[j,k](A[i,j,k] + 1)": (a + one).sum((1, 2), dtype=dtype),
        "s = max[i,j,k](A[i,j,k] + 1)": (a + one).max(),
        "s = sum[i](max[j,k](A[i,j,k] - 1))": (a - one).max((1, 2)).sum(dtype=dtype),
        "s = sum[i](2 * sum[j,k](A[i,j,k] + 1))": (2 * (a + one)).sum(dtype=dtype),
    }
    for text, expected in texts.items():
        np.testing.assert_array_equal(es.evaluate(text, A=A), expected, err_msg=text)
    if dtype.startswith("float"):
        found = es.evaluate("s = prod[i,j,k](A[i,j,k] - 1.01)", A=A)
        np.testing.assert_allclose(found, (a - a.dtype.type(1.01)).prod(), rtol=1e-4)


@pytest.mark.parametrize(
    ("stored", "size", "fill", "dtype", "expected"),
    [
        (0.0, 1000, 3.0, "float64", 0.0),
        (0.0, 1000, 3.0, "float32", 0.0),
        (1e30, 51, 0.1, "float32", 1e-20),
        (1e-30, 50, 10.0, "float32", 1e19),
        (1e-300, 401, 10.0, "float64", 1e100),
        (np.inf, 1000, 0.01, "float64", np.inf),
        (-2.0, 2**53 + 2, -1.0, "float64", 2.0),
        (-2.0, 2**53 + 3, -1.0, "float64", -2.0),
    ],
)
def test_products_with_many_fills(
    stored: float, size: int, fill: float, dtype: str, expected: float
) -> None:
    """Where the fills' own product is too large, or too small, and the whole is not."""
    values = np.array([stored], dtype)
    room = es.Format("csf", fill=fill)
    A = es.Array.from_coordinates([np.array([0])], values, (size,), room)
    np.testing.assert_allclose(es.evaluate("y = prod[i](A[i])", A=A), expected, rtol=1e-5)


def test_nobody_walks_rows_that_store_nothing() -> None:
    rows = 10**13
    at = [np.array([5, rows - 1]), np.array([1, 2])]
    A = es.Array.from_coordinates(at, np.array([2.0, 3.0]), (rows, 10), "dcsr")
    assert es.evaluate("s = sum[i,j](A[i,j] + 1)", A=A) == rows * 10 + 5
    assert es.evaluate("s = sum[i](sum[j](A[i,j] + 1))", A=A) == rows * 10 + 5
    # Of no columns, there is nothing.
    none = [np.zeros(0, np.int64)] * 2
    empty = es.Array.from_coordinates(none, np.zeros(0), (3, 0), "dcsr")
    assert es.evaluate("s = sum[i,j](A[i,j] + 1)", A=empty) == 0
    assert es.evaluate("s = max[i,j](A[i,j] + 1)", A=empty) == -np.inf


@pytest.mark.parametrize("format", ["csr", "csf", "bitmap"])
def test_sums_of_rows_that_a_mask_leaves_out(format: str) -> None:
    """Nothing is asked of the minimum where -inf is added to it, and nothing is stored there."""
    room, rest = es.Format(format, fill=-np.inf), es.Format("dense,dense,compressed", fill=-np.inf)
    b = np.array([[1, 2], [3, -np.inf]])
    D = es.asarray(np.full((4, 2, 2), -np.inf), rest)
    text = "y[j,i] = B[j,i] + min[k in 0:4](D[k,j,i])"
    found = es.evaluate(text, B=es.asarray(b, room), D=D, y=room)
    np.testing.assert_array_equal(found.to_numpy(), np.full((2, 2), -np.inf))
    assert found.nnz == 3


def test_padding_of_blocks_is_no_element() -> None:
    """Blocks of SciPy have zeros in them, which are stored."""
    a, b = np.eye(4, dtype=np.float32), np.ones((4, 4), np.float32)
    blocks = scipy.sparse.bsr_array(a, blocksize=(2, 2))
    found = es.evaluate("C[i,j] = (A[i,j] == 0) & (B[i,j] == 1)", A=blocks, B=b)
    np.testing.assert_array_equal(found, (a == 0) & (b == 1))
