"""Arrays in formats: made of others, checked, and turned into others.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
from collections.abc import Callable
from typing import Any

import ember.sparse as es
import numpy as np
import pytest
import scipy.sparse
import torch
from ember.errors import ArgumentError, KernelError

FORMATS = ["csr", "csc", "dcsr", "dcsc", "coo", "csf", "bitmap", "dense", "csr:i32", "coo:i8"]
FORMATS += ["compressed,dense", "compressed,bitmap", "bitmap,compressed", "dense,dense@1,0"]
# PyTorch warns of its first matrix by rows.
pytestmark = pytest.mark.filterwarnings("ignore:Sparse CSR tensor support is in beta")
CUBES = ["csf", "coo", "bitmap", "dense,compressed,dense", "compressed,dense,compressed@2,0,1"]


@pytest.mark.parametrize("format", FORMATS)
def test_matrices_there_and_back(format: str) -> None:
    """Through each format, its parts, SciPy and PyTorch; fills that are not 0 too."""
    a = np.random.default_rng(0).integers(0, 3, (5, 7)).astype(np.float32)
    array = es.asarray(a, format)
    np.testing.assert_array_equal(array.to_numpy(), a)
    np.testing.assert_array_equal(array.to("coo").to_numpy(), a)
    parts = [tuple(level.values()) for level in array.stored if level]
    again = es.Array(
        array.format, array.shape, array.values, [p if len(p) > 1 else p[0] for p in parts]
    )
    np.testing.assert_array_equal(again.to_numpy(), a)
    np.testing.assert_array_equal(array.to_scipy().toarray(), a)
    np.testing.assert_array_equal(array.to_torch().to_dense().numpy(), a)
    filled = es.asarray(a, es.Format(format, 2))
    np.testing.assert_array_equal(filled.to_numpy(), a)
    for convert in (filled.to_scipy, filled.to_torch):
        with pytest.raises(ArgumentError, match="what is not stored is 2"):
            convert()


@pytest.mark.parametrize("format", CUBES)
def test_arrays_of_three_dimensions(format: str) -> None:
    """Each level is that of the dimension that the format says."""
    a = np.random.default_rng(0).integers(0, 2, (3, 4, 5)).astype(np.int64)
    array = es.asarray(a, format)
    np.testing.assert_array_equal(array.to_numpy(), a)
    assert (array.dtype, array.ndim, array.fill) == (np.int64, 3, 0)


def test_memory_is_shared_where_it_can_be() -> None:
    """With SciPy and PyTorch, by rows."""
    a = scipy.sparse.csr_array(np.eye(3, dtype=np.float32))
    array = es.asarray(a)
    assert array.format.name == "csr:i32"
    assert np.shares_memory(array.values, a.data)
    assert np.shares_memory(array.to_scipy().data, a.data)
    tensor = torch.eye(3).to_sparse_csr()
    shared = es.asarray(tensor)
    assert shared.values.ctypes.data == tensor.values().data_ptr()


def test_elements_in_any_order() -> None:
    """Those at one place are added."""
    array = es.Array.from_coordinates([[2, 0, 2], [1, 0, 1]], [1.0, 2.0, 3.0], (3, 2), "csr")
    np.testing.assert_array_equal(array.to_numpy(), [[2, 0], [0, 0], [0, 4]])
    assert array.nnz == 2
    assert repr(array) == "<3x2 array of float64 in format 'csr', 2 values stored, fill 0.0>"


@pytest.mark.parametrize(
    "format",
    [
        "coo",
        "csf",
        "compressed(nonunique),singleton,dense",
        "dense,compressed(nonunique),singleton",
        "compressed(nonunique),singleton(nonunique),singleton@2,0,1",
    ],
)
@pytest.mark.parametrize("count", [0, 1, 5, 30])
def test_elements_at_one_place_are_added_in_each_format(format: str, count: int) -> None:
    """Kernels read one element of each place, so that is what the last level may have."""
    rng = np.random.default_rng(count)
    place = tuple(rng.integers(0, size, count) for size in (3, 4, 2))
    values = rng.integers(1, 9, count).astype(np.float64)
    expected = np.zeros((3, 4, 2))
    np.add.at(expected, place, values)
    array = es.Array.from_coordinates(place, values, expected.shape, format)
    np.testing.assert_array_equal(array.to_numpy(), expected)
    np.testing.assert_array_equal(es.evaluate("y[i,j,k] = A[i,j,k]", A=array), expected)
    if not format.endswith("dense"):
        assert len(array.values) == np.count_nonzero(expected)
    parts = [tuple(level.values()) for level in array.stored if level]
    parts = [part if len(part) > 1 else part[0] for part in parts]
    again = es.Array(array.format, array.shape, array.values, parts)
    np.testing.assert_array_equal(again.to_numpy(), expected)


@pytest.mark.parametrize(
    ("format", "stored", "values", "message"),
    [
        ("csr", [([0, 1, 3], [0, 0])], [1.0, 2.0], "2 coordinates instead of 3"),
        ("csr", [([0, 1], [0])], [1.0], "2 positions instead of 3"),
        ("csr", [([1, 1, 2], [0])], [1.0], "positions that do not begin at 0 or decrease"),
        ("csr", [([0, 2, 1], [0])], [1.0], "positions that do not begin at 0 or decrease"),
        ("csr", [([0, 2, 2], [1, 0])], [1.0, 2.0], "do not increase: 1 is followed by 0"),
        ("csr", [([0, 2, 2], [1, 1])], [1.0, 2.0], "do not increase: 1 is followed by 1"),
        ("csr", [([0, 1, 1], [3])], [1.0], "coordinates from 3 to 3 of dimension 1"),
        ("csr", [([0, 1, 1], [-1])], [1.0], "coordinates from -1 to -1 of dimension 1"),
        ("csr", [([0, 1, 1], [0])], [1.0, 2.0], "2 values instead of 1"),
        ("csr", [([0, 1, 1], [0.5])], [1.0], "the coordinates of level 1 are float64"),
        ("csr", [], [], "level 1, which is compressed, has no arrays"),
        ("csr", [([0, 0, 0],)], [], "level 1 has positions and coordinates"),
        ("csr", [([0, 0, 0], []), [1]], [], "1 more arrays than levels need"),
        ("bitmap", [[True]], [1.0], "1 booleans instead of 6"),
        ("coo", [([0, 2], [1, 0]), [0, 0]], [1.0, 2.0], "level 0, which is compressed, has coord"),
        ("coo", [([0, 3], [0, 0, 1]), [1, 1, 0]], [1.0] * 3, "increase: 1 is followed by 1"),
        ("coo", [([0, 3], [0, 0, 1]), [2, 1, 0]], [1.0] * 3, "increase: 2 is followed by 1"),
        (
            "dense,compressed(unordered)",
            [([0, 0, 3], [1, 0, 1])],
            [1.0] * 3,
            "level 1, which is compressed, has coordinate 1 of one segment twice",
        ),
        (
            "compressed(unordered nonunique),singleton(unordered)",
            [([0, 3], [1, 0, 1]), [2, 0, 2]],
            [1.0] * 3,
            "level 1, which is singleton, has coordinate 2 of one segment twice",
        ),
        ("csr:i8", [([0, 200, 200], [0])], [1.0], "200 does not fit in the positions"),
        ("csr", [([0, 1, 1], [0])], [[1.0]], "values have 1 dimension, not 2"),
        ("no", [], [], "'no' is no format of 2 dimensions: expected dense, csr"),
        ("dense,no", [], [], "'dense,no' is no format of 2 dimensions: expected dense, csr"),
        ("csr:u8", [], [], "the indices of format 'csr:u8' are of none of i8, i16, i32, i64"),
    ],
)
def test_parts_that_do_not_fit(format: str, stored: Any, values: Any, message: str) -> None:
    """Each is one error that names the level."""
    with pytest.raises(ArgumentError, match=re.escape(message)):
        es.Array(format, (2, 3), values, stored)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: es.Array.from_coordinates([[0, 0.5], [0, 1]], [1.0, 2], (2, 2)), "whole numbers"),
        (lambda: es.Array.from_coordinates([[0], [np.nan]], [1.0], (2, 2)), "of dimension 1"),
        (lambda: es.Array.from_coordinates([["a"], ["b"]], [1.0], (2, 2)), "whole numbers"),
        (lambda: es.Array.from_coordinates([[0], [0]], [1j], (2, 2)), "complex128"),
        (lambda: es.Array.from_coordinates([], [1.0], ()), "one size or more"),
        (lambda: es.Array("csr", (2.5, 3), [1.0], [([0, 1, 1], [0])]), "a whole number from 0"),
        (lambda: es.Array("csr", (-2, 3), [1.0], [([0, 1, 1], [0])]), "a whole number from 0"),
        (lambda: es.asarray(np.array(1.0)), "one size or more"),
        (lambda: es.asarray("abc"), "elements of type <U3"),
        (lambda: es.evaluate(3), "statements are a text, not int"),
    ],
)
def test_what_is_no_array(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        make()


def test_coordinates_of_nothing() -> None:
    assert es.Array.from_coordinates([[], []], [], (2, 3)).nnz == 0


def test_marks_say_what_coordinates_may_be() -> None:
    """Any order, and the same coordinate more than once."""
    parts = ([0, 3], [2, 0, 2])
    with pytest.raises(ArgumentError, match="do not increase"):
        es.Array("compressed(nonunique)", (3,), [1, 2, 3], [parts])
    array = es.Array("compressed(unordered nonunique)", (3,), [1, 2, 3], [parts])
    assert array.to_numpy().tolist() == [2, 0, 4]
    pairs = [([0, 3], [0, 0, 1]), [1, 1, 0]]
    form = "compressed(nonunique),singleton(nonunique)"
    assert es.Array(form, (2, 2), [1, 2, 3], pairs).to_numpy().tolist() == [[0, 3], [3, 0]]
    form = "compressed(unordered nonunique),singleton(unordered)"
    pairs = [([0, 3], [1, 0, 1]), [1, 1, 0]]
    assert es.Array(form, (2, 2), [1, 2, 3], pairs).to_numpy().tolist() == [[0, 2], [3, 1]]
    # The same coordinates in two segments.
    rows = es.Array("dense,compressed(unordered)", (2, 3), [1, 2, 3], [([0, 2, 3], [2, 0, 2])])
    assert rows.to_numpy().tolist() == [[2, 0, 1], [0, 0, 3]]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: es.Format(fill=0.5).fill_of(np.dtype(np.int32)), "the fill 0.5 is no int32"),
        (lambda: es.Format(fill=300).fill_of(np.dtype(np.int8)), "the fill 300 is no int8"),
        (lambda: es.Format(shape=(-1,)), "negative size"),
        (lambda: es.Format(shape=3), "a shape is a tuple of sizes, not 3"),  # type: ignore[arg-type]
        (lambda: es.Format(shape=(2.5, 1)), "not (2.5, 1)"),  # type: ignore[arg-type]
        (lambda: es.Format(dtype="some"), "'some' is no type of elements of NumPy"),
        (lambda: es.Format(dtype=torch.float32), "torch.float32 is no type of elements of NumPy"),
        (lambda: es.Format(fill=1j), "a fill is a number, or 'missing', not 1j"),  # type: ignore[arg-type]
        (lambda: es.Format(fill=np.ones(2)), "a fill is a number, or 'missing', not array"),
        (lambda: es.Format(3), "a format has a name such as 'csr', not 3"),  # type: ignore[arg-type]
        (lambda: es.asarray(np.ones((2, 2)), "csf").to(es.Format("csr", 1)), "not stored is 0.0"),
        (
            lambda: es.Array.from_coordinates([[0], [3]], [1.0], (1, 3)),
            "coordinates of dimension 1 are from 3 to 3, and it has size 3",
        ),
        (
            lambda: es.Array.from_coordinates([[0]], [1.0], (1, 3)),
            "not one coordinate of each dimension",
        ),
        (
            lambda: es.Array.from_coordinates(
                [[0, 0], [1, 2]], [1.0, 2.0], (1, 3), "compressed,singleton"
            ),
            "level 1, which is singleton, has room for one of the coordinates 1 and 2",
        ),
        (
            lambda: es.asarray(torch.ones(2, 2, requires_grad=True).to_sparse()),
            "needs a gradient",
        ),
    ],
)
def test_errors_of_arrays_and_formats(make: Any, message: str) -> None:
    """What cannot be is said."""
    with pytest.raises(ArgumentError, match=re.escape(message)):
        make()


def test_fills_of_other_libraries() -> None:
    """Numbers in arrays of no dimension are numbers."""
    for fill in (np.array(2.0), np.float32(2), torch.tensor(2)):
        form = es.Format("csf", fill=fill)
        assert es.asarray(np.array([2.0, 1]), form).nnz == 1
        assert form == es.Format("csf", fill=2)


@pytest.mark.parametrize("make", [scipy.sparse.csr_array, scipy.sparse.csc_matrix])
@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (0, 1, "indptr has to begin at 0, but does at 1"),
        (1, 9, r"indptr decreases: \[1\] is 9, but \[2\] is 3"),
        (2, 9, "indptr ends at 9, but there are 3 elements"),
    ],
)
@pytest.mark.parametrize("is_known", [True, False], ids=["not in order", "not looked into"])
def test_wrong_positions_of_scipys(
    make: Any, place: int, value: int, message: str, is_known: bool
) -> None:
    """SciPy believes them where it puts coordinates in order: the process would end."""
    array = make((np.ones(3), np.array([1, 0, 0]), np.array([0, 3, 3])), shape=(2, 2))
    if is_known:
        assert not array.has_canonical_format
    array.indptr[place] = value
    with pytest.raises(ArgumentError, match=message):
        es.evaluate("y[i] = A[i,j] * x[j]", A=array, x=np.arange(2.0))


@pytest.mark.parametrize(
    "text",
    [
        "y[i,j] = S[i,j] + T[i,j]",
        "y[i,j] = max(T[i,j], S[i,j])",
        "y[i] = sum[j](max(S[i,j], T[i,j]))",
    ],
)
@pytest.mark.parametrize("format", ["csr", "dense"])
def test_coordinates_that_change_behind_an_array(text: str, format: str) -> None:
    """Wherever two lists are merged: also behind the end of one of them."""
    for shuffled in ([1, 0], [3, 2], [0, 2, 1], [4, 5, 0]):
        for other in ([], [0], [2], [5], [0, 3]):
            coordinates = np.array(sorted(shuffled))
            parts = [([0, len(shuffled)], coordinates)]
            S = es.Array("csr", (1, 6), np.ones(len(shuffled)), parts)
            T = es.Array("csr", (1, 6), np.ones(len(other)), [([0, len(other)], other)])
            assert es.evaluate("y = sum[i,j](S[i,j])", S=S) == len(shuffled)
            coordinates[:] = shuffled
            result = {"y": es.Format(format)} if "y[i,j]" in text else {}
            with pytest.raises(KernelError, match=r"coordinates of .* do not increase"):
                es.evaluate(text, S=S, T=T, **result)
