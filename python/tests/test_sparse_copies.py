"""Statements on arrays whose lists are in no order, with levels of blocks around them.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from typing import Any

import ember.sparse as es
import numpy as np
import pytest
from numpy.typing import NDArray

MATRICES = ["compressed(unordered),bitmap", "compressed(unordered),dense"]
CUBES = [
    "compressed(unordered),bitmap,compressed",
    "compressed(unordered),dense,compressed(unordered)",
    "compressed(unordered),bitmap,dense",
    "compressed(unordered),dense,bitmap",
    "dense,compressed(unordered),bitmap",
    "bitmap,compressed(unordered),dense",
    "compressed(unordered nonunique),singleton(unordered),bitmap",
    "compressed(unordered nonunique),singleton(unordered),dense",
]
# What a bitmap leaves out is nothing that anybody may read.
NOTHING = 77


def drawn(shape: tuple[int, ...], seed: int = 0) -> NDArray:
    """An array of which most is 0, and some rows all of it."""
    rng = np.random.default_rng(seed)
    array = rng.integers(1, 5, shape) * (rng.random(shape) < 0.3)
    array[2] = 0
    return array.astype(np.float32)


def shuffled(array: NDArray, form: str, seed: int = 7) -> es.Array:
    """The array in a format, the coordinates of its unordered lists as they are drawn."""
    rng = np.random.default_rng(seed)
    stored: list[Any] = []
    # The coordinates so far, what is stored below them, and whether they are.
    entries: list[tuple[tuple[int, ...], list[Any], bool]] = [
        ((), [tuple(place) for place in np.argwhere(array)], True)
    ]
    for depth, level in enumerate(form.split(",")):
        below, positions, coordinates, marks = [], [0], [], []
        # Of what is nonunique there is one for each coordinate of the next level.
        width = 2 if "nonunique" in level else 1
        for above, places, is_stored in entries:
            here: dict[tuple[int, ...], list[Any]] = {}
            for place in places:
                here.setdefault(tuple(map(int, place[depth : depth + width])), []).append(place)
            pairs = [(at[0], mine) for at, mine in here.items()]
            if level in ("dense", "bitmap"):
                pairs = [(at, here.get((at,), [])) for at in range(array.shape[depth])]
            if "compressed" in level and "unordered" in level:
                rng.shuffle(pairs)
            coordinates += [at for at, _ in pairs]
            positions.append(len(coordinates))
            marked = [is_stored and (level != "bitmap" or bool(mine)) for _, mine in pairs]
            marks += marked
            below += [
                ((*above, at), mine, mark) for (at, mine), mark in zip(pairs, marked, strict=True)
            ]
        entries = below
        if level == "bitmap":
            stored.append(marks)
        elif "singleton" in level:
            stored.append(coordinates)
        elif "compressed" in level:
            stored.append((positions, coordinates))
    values = [array[place] if is_stored else NOTHING for place, _, is_stored in entries]
    return es.Array(form, array.shape, np.array(values, array.dtype), stored)


def count_stored(array: NDArray, form: str) -> int:
    """How many elements such an array stores: whole rows where the last level is dense."""
    return int((array.any(-1) * array.shape[-1] if form.endswith("dense") else array != 0).sum())


@pytest.mark.parametrize("result", ["csr", "dcsr", "coo", "csc"])
@pytest.mark.parametrize("form", MATRICES)
def test_matrices_are_stored_in_order(form: str, result: str) -> None:
    """By rows and by columns, with what was stored and nothing else."""
    a = drawn((6, 9))
    found = es.evaluate("r[i,j] = A[i,j]", A=shuffled(a, form), r=es.Format(result))
    np.testing.assert_array_equal(found.to_numpy(), a)
    assert found.nnz == count_stored(a, form)
    turned = es.evaluate("r[j,i] = 2 * A[i,j]", A=shuffled(a, form), r=es.Format(result))
    np.testing.assert_array_equal(turned.to_numpy(), 2 * a.T)


@pytest.mark.parametrize("other", ["csr", "csc", "coo", *MATRICES])
@pytest.mark.parametrize("form", MATRICES)
def test_sums_with_a_matrix_in_no_order(form: str, other: str) -> None:
    """Merges need the order of both."""
    a, b = drawn((6, 9)), drawn((6, 9), 1)
    given = shuffled(b, other, 3) if "unordered" in other else es.asarray(b, other)
    for operator, expected in (("+", a + b), ("*", a * b)):
        text = f"r[i,j] = A[i,j] {operator} B[i,j]"
        found = es.evaluate(text, A=shuffled(a, form), B=given, r=es.Format("csr"))
        np.testing.assert_array_equal(found.to_numpy(), expected)


@pytest.mark.parametrize("result", ["csf:i32", "dense,compressed,compressed"])
@pytest.mark.parametrize("form", CUBES)
def test_cubes_are_stored_in_order(form: str, result: str) -> None:
    a = drawn((5, 4, 7))
    found = es.evaluate("r[i,j,k] = A[i,j,k]", A=shuffled(a, form), r=es.Format(result))
    np.testing.assert_array_equal(found.to_numpy(), a)


@pytest.mark.parametrize("form", CUBES)
def test_cubes_beside_others(form: str) -> None:
    """Sums, and reductions to rows."""
    a, b = drawn((5, 4, 7)), drawn((5, 4, 7), 1)
    given = {"A": shuffled(a, form), "B": es.asarray(b, "csf")}
    found = es.evaluate("r[i,j,k] = A[i,j,k] + B[i,j,k]", **given, r=es.Format("csf"))
    np.testing.assert_array_equal(found.to_numpy(), a + b)
    found = es.evaluate("r[i,j] = sum[k](A[i,j,k] * B[i,j,k])", **given, r=es.Format("csr"))
    np.testing.assert_array_equal(found.to_numpy(), (a * b).sum(2))
    found = es.evaluate("r[k,i] = sum[j](A[i,j,k])", A=given["A"], r=es.Format("csr"))
    np.testing.assert_array_equal(found.to_numpy(), a.sum(1).T)


def test_lists_of_one_dimension() -> None:
    """In order where they are merged or appended, as they are where they are alone."""
    a, b = drawn((30,)), drawn((30,), 1)
    given = {"a": shuffled(a, "compressed(unordered)"), "b": es.asarray(b, "csf")}
    for text, expected in (
        ("r[i] = a[i] + b[i]", a + b),
        ("r[i] = a[i] * b[i]", a * b),
        ("r[i] = 2 * a[i]", 2 * a),
    ):
        arrays = {name: array for name, array in given.items() if f"{name}[" in text}
        found = es.evaluate(text, **arrays, r=es.Format("csf"))
        np.testing.assert_array_equal(found.to_numpy(), expected)
    found = es.evaluate("r[j,i] = x[j] * a[i]", a=given["a"], x=b[:3], r=es.Format("csr"))
    np.testing.assert_array_equal(found.to_numpy(), np.outer(b[:3], a))


def test_arrays_that_store_nothing() -> None:
    for form in MATRICES:
        empty = shuffled(np.zeros((6, 9), np.float32), form)
        found = es.evaluate("r[i,j] = A[i,j]", A=empty, r=es.Format("csr"))
        assert found.nnz == 0
        assert not found.to_numpy().any()


LISTS = [
    "dense,compressed(unordered)",
    "compressed(unordered),compressed(unordered)",
    "compressed(unordered nonunique),singleton(unordered)",
]


def squares(S: NDArray, x: NDArray) -> Any:
    return ((S @ x) ** 2).sum()


@pytest.mark.parametrize("form", LISTS)
def test_what_relies_on_an_order_reads_a_sorted_copy(form: str) -> None:
    """Also where each row is looked at in pieces, of which nothing but sums may be made."""
    dense, other = drawn((5, 5)), drawn((5, 5), 1)
    S, x, rows = shuffled(dense, form), np.arange(5, dtype=np.float32), np.array([4, 0, 2])
    cases: list[tuple[str, dict[str, Any], Any]] = [
        ("y = sum[i](sum[j](S[i,j] * x[j]) ** 2)", {"x": x}, squares(dense, x)),
        ("y[j,k] = S[i,j] * S[i,k]", {}, dense.T @ dense),
        (
            "y[j] = sum[i](S[i,j] * sum[k](S[i,k] * x[k]))",
            {"x": x},
            dense.T @ (dense @ x),
        ),
        (
            "y[i,j] = T[i,j] * sum[k](S[i,k] * x[k])",
            {"T": other, "x": x},
            other * (dense @ x)[:, None],
        ),
        ("y[i,j] = 2 * S[i,j]", {"y": es.Format("bitmap")}, 2 * dense),
        ("y[i,j] = 2 * S[i,j]", {"y": es.Format("csr")}, 2 * dense),
        ("y[i] last= S[i,j] for j", {"y": np.zeros(5, np.float32)}, dense[:, -1]),
        ("y[i] = S[i,2]", {}, dense[:, 2]),
        ("y[i] = S[i,i]", {}, np.diagonal(dense)),
        ("y[i,j] = S[i,j(1:4)]", {}, dense[:, 1:4]),
        ("y[p] = sum[j](S[I[p],j])", {"I": rows}, dense[rows].sum(1)),
    ]
    for text, given, expected in cases:
        result = es.evaluate(text, S=S, **given)
        found = given["y"] if "last" in text else result
        found = found.to_numpy() if isinstance(found, es.Array) else found
        np.testing.assert_allclose(found, expected, err_msg=text)
