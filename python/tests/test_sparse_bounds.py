"""Elements of arrays in formats that are not there: errors of the run, wherever they are looked up.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable

import ember.sparse as es
import numpy as np
import pytest
from ember.errors import IndexOutOfRangeError, KernelError, OffsetsError

DENSE = np.arange(6.0).reshape(2, 3) + 1
MATRICES = (
    *("csr", "csc", "coo", "dcsr", "csf", "bitmap", "dense,dense"),
    *("compressed,dense", "bitmap,dense", "dense,dense@1,0"),
)


def _of_row(index: int, dimension: int) -> str:
    size = DENSE.shape[dimension]
    return f"index {index} at position 1 of 'I'.* dimension {dimension} of 'A' of size {size}"


@pytest.mark.parametrize("format", MATRICES)
@pytest.mark.parametrize("values", [DENSE, np.zeros((2, 3))])
@pytest.mark.parametrize(
    ("statement", "places"),
    [
        ("y[p] = A[0,I[p]]", [0, 3]),
        ("y[p] = A[0,I[p]]", [0, -1]),
        ("y[p] = A[1,I[p]]", [1, 2**62]),
        ("y[p] = A[I[p],0]", [0, 2]),
        ("y[p] = A[I[p],2]", [1, -1]),
        ("y[p] = A[I[p],1]", [-(2**63), 1]),
        ("y = A[0,7]", None),
        ("y = A[2,0]", None),
    ],
)
def test_elements_that_are_not_there(
    format: str, values: np.ndarray, statement: str, places: list[int] | None
) -> None:
    given = {} if places is None else {"I": np.array(places)}
    with pytest.raises((KernelError, IndexOutOfRangeError), match=r"out of (bounds|range)"):
        es.evaluate(statement, A=es.asarray(values, format), **given)


@pytest.mark.parametrize("format", MATRICES)
@pytest.mark.parametrize(
    "statement",
    [
        "y[i,j] = A[i,j(0:5)]",
        "y[i,j] = A[i(1:3),j]",
        "y[i,j] = A[i,j-1] for j in 0:3",
        "y[i] = sum[j in 0:9](A[i,j])",
        "y[j] = sum[i in 0:3](A[i,j])",
        "y = sum[i in 0:2, j in -1:2](A[i,j])",
    ],
)
def test_ranges_past_the_array(format: str, statement: str) -> None:
    # Rows of which nothing is stored need not be looked at.
    with pytest.raises((KernelError, IndexOutOfRangeError), match=r"out of (bounds|range)"):
        es.evaluate(statement, A=es.asarray(DENSE, format))


@pytest.mark.parametrize("format", MATRICES)
def test_elements_that_are_there(format: str) -> None:
    a = es.asarray(DENSE, format)
    columns, rows = np.array([2, 0, 1]), np.array([1, 0, 1])
    np.testing.assert_array_equal(
        es.evaluate("y[p] = A[0,I[p]]", A=a, I=columns), DENSE[0, columns]
    )
    np.testing.assert_array_equal(es.evaluate("y[p] = A[I[p],0]", A=a, I=rows), DENSE[rows, 0])
    np.testing.assert_array_equal(es.evaluate("y = A[1,2]", A=a), 6)
    np.testing.assert_array_equal(es.evaluate("y[i,j] = A[i,j(1:3)]", A=a), DENSE[:, 1:])
    np.testing.assert_array_equal(es.evaluate("y[i] = sum[j in 0:3](A[i,j])", A=a), DENSE.sum(1))


@pytest.mark.parametrize("format", MATRICES)
@pytest.mark.parametrize(
    ("statement", "places", "message"),
    [
        ("y[p] = A[0,I[p]]", [0, 7], "index 7 at position 1 of 'I'.* dimension 1 of 'A' of size 3"),
        (
            "y[p] = A[I[p],1]",
            [0, -1],
            "index -1 at position 1 of 'I'.*dimension 0 of 'A' of size 2",
        ),
        ("y = A[2,0]", None, "index 2 is out of range for dimension 0 of 'A' of size 2"),
        ("y[i,j] = A[i,j+1] for i in 0:2, j in 0:4", None, "index [34] is .* dimension 1 of 'A'"),
        ("y[i] = sum[j in 0:9](A[i,j])", None, "index [38] is .* dimension 1 of 'A' of size 3"),
        ("y[j] = sum[i in 0:3](A[i,j])", None, "index 2 is .* dimension 0 of 'A' of size 2"),
        ("y = sum[i in 0:2, j in -1:2](A[i,j])", None, "index -1 is .* 1 of 'A' of size 3"),
        # Rows and columns that are walked, and not only looked at.
        *(
            (f"y[p,{other}] = A[{indices}]", [0, index], _of_row(index, dimension))
            for dimension, indices, other in ((0, "I[p],j", "j"), (1, "i,I[p]", "i"))
            for index in (3 - 1 + dimension, 9, -1, 2**62)
        ),
        ("y[p] = sum[j](A[I[p],j])", [1, 2], "index 2 at position 1 of 'I'.* of 'A' of size 2"),
    ],
)
def test_errors_name_the_array_its_dimension_and_the_index(
    format: str, statement: str, places: list[int] | None, message: str
) -> None:
    given = {} if places is None else {"I": np.array(places)}
    with pytest.raises(IndexOutOfRangeError, match=message):
        es.evaluate(statement, A=es.asarray(DENSE, format), **given)


@pytest.mark.parametrize("format", [*MATRICES, "csr:i8", "coo:i8"])
@pytest.mark.parametrize("statement", ["y[i,j] = X[i,j] for i in 0:2, j in 0:3", "y[i,j] = X[i,j]"])
def test_coordinates_that_a_result_does_not_have(format: str, statement: str) -> None:
    message = "index 2 .*is out of range for dimension 1 of 'y' of size 2"
    given = DENSE
    if "for" not in statement:
        given, message = es.asarray(DENSE, "csr"), "have different sizes"
    with pytest.raises((KernelError, IndexOutOfRangeError), match=message):
        es.evaluate(statement, X=given, y=es.Format(format, shape=(2, 2)))


def test_rows_past_the_elements_of_an_array_are_not_those_of_the_next() -> None:
    """A product of an index and a size that wraps around is another row."""
    values = np.arange(24.0).reshape(2, 4, 3)
    for format in ("dense,dense,compressed", "dense,dense,dense", "dense,compressed,dense"):
        a = es.asarray(values, format)
        for index in (2, -1, 2**62, -(2**62)):
            with pytest.raises(IndexOutOfRangeError, match=rf"index {index} .* dimension 0 of 'A'"):
                es.evaluate("y[p,j] = sum[k](A[I[p],j,k])", A=a, I=np.array([0, index]))


def _with_positions(format: str, good: list[int], bad: list[int], *others: list[int]) -> es.Array:
    """An array whose positions of its last compressed level decrease after it was made."""
    positions = np.array(good)
    *above, coordinates = map(np.array, others)
    levels = {
        "csr": [(positions, coordinates)],
        "csc": [(positions, coordinates)],
        "dcsr": [tuple(above), (positions, coordinates)],
        "coo": [(positions, *above), coordinates],
    }
    array = es.Array(format, (2, 3), np.ones(len(coordinates)), levels[format])
    positions[:] = bad
    return array


@pytest.mark.parametrize(
    "array",
    [
        lambda: _with_positions("csr", [0, 2, 4], [0, 2, 1], [0, 2, 1, 2]),
        lambda: _with_positions("csc", [0, 2, 3, 4], [0, 3, 1, 4], [0, 1, 0, 1]),
        lambda: _with_positions("dcsr", [0, 2, 4], [0, 2, 1], [0, 2], [0, 1], [0, 2, 1, 2]),
        lambda: _with_positions("coo", [0, 4], [4, 1], [0, 0, 1, 1], [0, 2, 1, 2]),
    ],
)
@pytest.mark.parametrize(
    "statement",
    [
        # Merged, walked, searched, walked by others' coordinates, and put in another order.
        "y[i,j] = A[i,j] + B[i,j]",
        "y[i,j] = A[i,j] * B[i,j]",
        "y[i,j] = max(A[i,j], not(B[i,j]))",
        "y[i] = sum[j](A[i,j])",
        "y[p] = A[I[p],1]",
        "y[p] = A[1,I[p]]",
        "y[i,j] = A[i,j+1] for i in 0:2, j in 0:2",
        "y[i,j] = sum[k](A[k,i] * B[k,j])",
        "y[i,k] = sum[j](B[i,j] * A[k,j])",
        "y[j,i] = A[i,j]",
    ],
)
def test_positions_that_decrease(array: Callable[[], es.Array], statement: str) -> None:
    given = {"A": array(), "B": es.asarray(DENSE, "csr"), "I": np.array([1, 0])}
    used = {name: value for name, value in given.items() if f"{name}[" in statement}
    with pytest.raises(OffsetsError, match=r"positions of level [01] of 'A'\[\d\] is \d but"):
        es.evaluate(statement, **used)


def _damaged(coordinates: list[int]) -> es.Array:
    stored = np.array([0, 2, 1])
    array = es.Array("csr", (2, 3), np.ones(3), [(np.array([0, 2, 3]), stored)])
    stored[:] = coordinates
    return array


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        # What is walked along with all columns, appended, and kept in a workspace.
        ("y[i,j] = A[i,j] + x[j]", "dimension 1 of 'A' of size 3"),
        ("C[i,j] = A[i,j] * 2", "dimension 1 of 'C' of size 3"),
        ("C[i,j] = sum[k](E[i,k] * A[k,j])", "dimension 1 of 'A' of size 3"),
        ("C[i,j] = sum[k](A[i,k] * D[k,j])", "dimension 0 of 'D' of size 3"),
    ],
)
def test_coordinates_that_are_stored_out_of_bounds(statement: str, message: str) -> None:
    arrays = {
        "x": np.ones(3),
        "D": es.asarray(np.ones((3, 2))),
        "E": es.asarray(np.ones((2, 2))),
        "C": es.Format("csr"),
    }
    given = {name: array for name, array in arrays.items() if f"{name}[" in statement}
    index = "index 7 at position 1 of coordinates of level 1 of 'A'"
    with pytest.raises(IndexOutOfRangeError, match=f"{index} is out of range for {message}"):
        es.evaluate(statement, A=_damaged([0, 7, 1]), **given)


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "dcsr", "bitmap", "dense,bitmap"])
def test_coordinates_out_of_bounds_in_workspaces_of_two_dimensions(format: str) -> None:
    """They are elements of other rows there, and not past the end of all."""
    rows = es.asarray(DENSE, "csr")
    index = "index 7 at position 1 of coordinates of level 1 of 'A' is out of range for dimension 1"
    for statement in ("C[i,j] = sum[k](E[k,i] * A[k,j])", "C[i,j] = sum[k](A[k,i] * E[k,j])"):
        with pytest.raises(IndexOutOfRangeError, match=f"{index} of 'A' of size 3"):
            es.evaluate(statement, A=_damaged([0, 7, 1]), E=rows, C=es.Format(format, shape=(3, 3)))
