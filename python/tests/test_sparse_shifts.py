"""Arrays in formats that are read, or assigned, at other places than theirs, against NumPy.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable

import ember.sparse as es
import numpy as np
import pytest
from ember.errors import CompileError, KernelError

DRAW = np.random.default_rng(23)
MATRICES = ("csr", "csc", "coo", "dcsr", "csf", "bitmap")
Binary = Callable[[np.ndarray, np.ndarray], np.ndarray]


def drawn(*shape: int) -> np.ndarray:
    return np.where(DRAW.random(shape) < 0.5, DRAW.integers(1, 5, shape), 0).astype(np.float64)


def shifted(array: np.ndarray, shifts: tuple[int, ...], shape: tuple[int, ...]) -> np.ndarray:
    return array[tuple(slice(by, by + size) for by, size in zip(shifts, shape, strict=True))]


FUNCTIONS: list[tuple[str, Binary]] = [
    ("{0} * {1}", lambda a, b: a * b),
    ("{0} - {1}", lambda a, b: a - b),
    ("max({0}, {1}) * (1 - {0})", lambda a, b: np.maximum(a, b) * (1 - a)),
    ("{0} if {1} == 0 else 0", lambda a, b: np.where(b == 0, a, 0)),
]


@pytest.mark.parametrize("format", MATRICES)
@pytest.mark.parametrize(("text", "function"), FUNCTIONS)
def test_matrices_at_two_places(format: str, text: str, function: Binary) -> None:
    dense = drawn(6, 7)
    for first, second in [((0, 0), (0, 1)), ((0, 0), (2, 0)), ((1, 0), (0, 2))]:
        shape = tuple(
            size - max(mine)
            for size, mine in zip((6, 7), zip(first, second, strict=True), strict=True)
        )
        places = [f"A[i+{i},j+{j}]".replace("+0", "") for i, j in (first, second)]
        statement = f"Y[i,j] = {text.format(*places)}"
        expected = function(shifted(dense, first, shape), shifted(dense, second, shape))
        array = es.asarray(dense, format)
        np.testing.assert_array_equal(es.evaluate(statement, A=array), expected)
        stored = es.evaluate(statement, A=array, Y=es.Format("dcsr"))
        np.testing.assert_array_equal(stored.to_numpy(), expected)


@pytest.mark.parametrize("format", MATRICES)
@pytest.mark.parametrize(("text", "function"), FUNCTIONS)
def test_copies_at_two_places(format: str, text: str, function: Binary) -> None:
    """A loop over what a copy by columns stores ends where the rows that are read do."""
    dense, columns = drawn(19, 9), DRAW.integers(0, 9, 6)
    places = "A[k,n[d]]", "A[k+2,n[d]]"
    expected = function(dense[:-2, columns].T, dense[2:, columns].T)
    found = es.evaluate(f"y[d,k] = {text.format(*places)}", A=es.asarray(dense, format), n=columns)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("format", ["csf", "bitmap"])
@pytest.mark.parametrize("by", [1, 2])
@pytest.mark.parametrize(("text", "function"), FUNCTIONS)
def test_vectors_at_two_places(format: str, by: int, text: str, function: Binary) -> None:
    dense = drawn(9)
    x = es.asarray(dense, format)
    ahead = text.format("x[i]", f"x[i+{by}]")
    expected = function(dense[:-by], dense[by:])
    np.testing.assert_array_equal(es.evaluate(f"y[i] = {ahead}", x=x), expected)
    np.testing.assert_array_equal(es.evaluate(f"s = sum[i]({ahead})", x=x), expected.sum())
    behind = text.format("x[i]", f"x[i-{by}]")
    expected = function(dense[by:], dense[:-by])
    found = es.evaluate(f"y[i] = {behind} for i in {by}:9", x=x, y=np.zeros(9))
    np.testing.assert_array_equal(found[by:], expected)


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "csf"])
def test_another_array_says_how_far(format: str) -> None:
    a, b, x = drawn(6, 7), drawn(5, 4), drawn(4)
    arrays = {"A": es.asarray(a, format), "B": es.asarray(b, format), "x": es.asarray(x, "csf")}
    ahead, here = a[1:6, 2:6], a[:5, :4]

    def evaluate(statement: str) -> np.ndarray:
        named = {name: array for name, array in arrays.items() if f"{name}[" in statement}
        return es.evaluate(statement, **named)

    for text, expected in [
        ("A[i,j] * B[i,j] + A[i+1,j+2]", here * b + ahead),
        (
            "(A[i,j] != 0) ^ (A[i+1,j+2] != 0) ^ (B[i,j] != 0)",
            (here != 0) ^ (ahead != 0) ^ (b != 0),
        ),
        ("A[i+1,j+2] * x[j] - A[i,j] * B[i,j]", ahead * x - here * b),
    ]:
        np.testing.assert_array_equal(evaluate(f"Y[i,j] = {text}"), expected)
    np.testing.assert_array_equal(
        evaluate("y[i] = sum[j](A[i+1,j+2] * A[i,j] * B[i,j])"), (ahead * here * b).sum(1)
    )


@pytest.mark.parametrize("format", ["dense,compressed", "dcsc", "bitmap"])
def test_conditions_at_another_place(format: str) -> None:
    # What is assigned where nothing is stored, and the rest, are of as many elements.
    dense = drawn(5, 6)
    found = es.evaluate(
        "Y[i,j] = (A[i+2,j] > 0) & (A[i+1,j] == 0) if A[i,j] > 1",
        A=es.asarray(dense, format),
        Y=np.zeros((3, 6), np.bool_),
    )
    np.testing.assert_array_equal(found, (dense[2:] > 0) & (dense[1:4] == 0) & (dense[:3] > 1))


@pytest.mark.parametrize("format", ["csf", "coo", "bitmap"])
def test_places_past_the_array(format: str) -> None:
    x = es.asarray(np.arange(1.0, 5.0), format)
    for statement in (
        "y[i] = z[i] + x[i] + x[i+1]",
        "y[i] = z[i] * x[i] * x[i-1]",
        "y[i] = z[i] * x[i+2]",
    ):
        with pytest.raises((KernelError, IndexError), match="out of"):
            es.evaluate(statement, x=x, z=np.ones(4))


@pytest.mark.parametrize("format", [*MATRICES, "dense,dense"])
def test_each_element_is_assigned_to_a_place_of_its_own(format: str) -> None:
    dense = drawn(3, 4)
    array = es.asarray(dense, format)
    i, j = np.indices(dense.shape)
    for indices, places in [
        ("i,j+1", (i, j + 1)),
        ("i,3-j", (i, 3 - j)),
        ("2*i,j+i", (2 * i, j + i)),
        ("j+2*i,i", (j + 2 * i, i)),
        ("2*j+1,3*i", (2 * j + 1, 3 * i)),
    ]:
        expected = np.full([index.max() + 1 for index in places], -1.0)
        expected[places] = dense
        given = np.full_like(expected, -1.0)
        es.evaluate(f"y[{indices}] = S[i,j]", S=array, y=given)
        np.testing.assert_array_equal(given, expected)
    # The first row of two that are the same.
    rows, firsts = np.array([1, 0, 1]), np.array([1, 0])
    given = np.full((2, 4), -1.0)
    es.evaluate("y[I[i],j] = S[i,j] if w[I[i]] == i", S=array, I=rows, w=firsts, y=given)
    np.testing.assert_array_equal(given, dense[[1, 0]])


@pytest.mark.parametrize("format", MATRICES)
@pytest.mark.parametrize(
    "indices",
    ["i,j//2", "i,j%2", "i,0*j", "i,2*j-j-j", "i+j", "2*i+j", "i+j,2*i+2*j", "i,I[j]"],
)
def test_elements_that_may_meet_are_refused(format: str, indices: str) -> None:
    places = np.ones((6, 6)[: 1 + indices.count(",")])
    given = {"I": [0, 0, 0, 0]} if "I" in indices else {}
    with pytest.raises(CompileError, match=r"several values of . may assign to one element of y"):
        es.evaluate(f"y[{indices}] = S[i,j]", S=es.asarray(drawn(3, 4), format), y=places, **given)


@pytest.mark.parametrize("format", [*MATRICES, "dense,dense"])
def test_indices_in_mixed_radix(format: str) -> None:
    dense, x = drawn(3, 4), np.arange(1.0, 5.0)
    array = es.asarray(dense, format)
    for text, expected in [
        ("y[i*size(S,1)+j] = S[i,j] * x[j]", (dense * x).ravel()),
        ("y[i*size(x,0)+j] = S[i,j] * x[j]", (dense * x).ravel()),
        ("y[i*size(S,1)+j] = S[i,j] for j in 1:size(S,1)", (dense * (x > 1)).ravel()),
        ("y[i*size(S,1)+j] = S[i,j]", dense.ravel()),
        ("y[j+size(S,1)*i] = S[i,j]", dense.ravel()),
        ("y[j*size(S,0)+i] = S[i,j]", dense.T.ravel()),
        ("y[i*n+j] = S[i,j] for j in 0:n", dense.ravel()),
        ("y[2*(size(S,1)*i+j)+1] = S[i,j]", np.stack([0 * dense, dense], 2).ravel()),
        ("y[(i*size(S,1)+j)*2+h] = S[i,j] for h in 0:2", dense.repeat(2)),
        ("y[size(S,1)*size(S,0)-1-(i*size(S,1)+j)] = S[i,j]", dense.ravel()[::-1]),
    ]:
        others = {"n": 4} if "n+" in text else {"x": x} if "x[" in text else {}
        given = es.evaluate(text, S=array, y=np.zeros(expected.size), **others)
        np.testing.assert_array_equal(given, expected, err_msg=text)
