"""Rows that are put in workspaces and looked up, where one list leads; `precompute(A[i,j] over j)`.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from typing import Any

import ember
import ember.sparse as es
import numpy as np
import pytest
from ember.errors import CompileError

Arrays = tuple[np.ndarray, ...]
DRAW = np.random.default_rng(11)


def drawn(shape: tuple[int, ...], dtype: type, fill: float = 0) -> np.ndarray:
    values = DRAW.integers(1, 5, shape)
    return np.where(DRAW.random(shape) < 0.3, values, fill).astype(dtype)


TEXTS: list[tuple[str, type, Callable[..., Any]]] = [
    ("(A[{0}] ^ B[{0}]) & D[{0}]", np.bool_, lambda a, b, d: (a ^ b) & d),
    ("(A[{0}] | B[{0}]) & D[{0}]", np.bool_, lambda a, b, d: (a | b) & d),
    ("A[{0}] * B[{0}] * D[{0}]", np.float32, lambda a, b, d: a * b * d),
    ("(A[{0}] + B[{0}]) * D[{0}]", np.float32, lambda a, b, d: (a + b) * d),
    ("max(A[{0}], B[{0}]) * D[{0}]", np.int32, lambda a, b, d: np.maximum(a, b) * d),
    ("(A[{0}] - B[{0}]) * D[{0}] + 0 * A[{0}]", np.float64, lambda a, b, d: (a - b) * d),
]


@pytest.mark.parametrize(
    ("format", "shape", "text", "dtype", "function"),
    [("csr", (40, 30), *case) for case in TEXTS]
    + [("csf", (9, 8, 20), *TEXTS[0]), ("dcsr", (40, 30), *TEXTS[3]), ("csc", (30, 40), *TEXTS[1])]
    # Bitmaps that are cleared as a whole, and by the row.
    + [("csr", (12, size), *TEXTS[3]) for size in (63, 64, 65, 1024, 1025)],
)
def test_what_is_looked_up_is_what_is_merged(
    format: str, shape: tuple[int, ...], text: str, dtype: type, function: Callable[..., Any]
) -> None:
    dense = [drawn(shape, dtype) for _ in range(3)]
    arrays = dict(zip("ABD", (es.asarray(array, format) for array in dense), strict=True))
    indices = ",".join("ijk"[: len(shape)])
    statement = f"C[{indices}] = {text.format(indices)}"
    expected = function(*dense)
    threads = ember.get_num_threads()
    try:
        for count in (1, 2):
            ember.set_num_threads(count)
            found = es.evaluate(statement, **arrays, C=es.Format(format, dtype=dtype))
            np.testing.assert_array_equal(found.to_numpy(), expected)
    finally:
        ember.set_num_threads(threads)
    np.testing.assert_array_equal(es.evaluate(statement, **arrays), expected)


REDUCTIONS: list[tuple[str, Callable[..., Any]]] = [
    ("y[i] = sum[j](A[i,j] * B[i,j])", lambda a, b, d: (a * b).sum(1)),
    ("y[i] = max[j]((A[i,j] + B[i,j]) * D[i,j])", lambda a, b, d: ((a + b) * d).max(1)),
    ("C[i,j] = sum[k](A[i,k] * B[j,k])", lambda a, b, d: a @ b.T),
    ("C[i,j] = D[i,j] * sum[k](A[i,k] * B[j,k])", lambda a, b, d: d * (a @ b.T)),
    ("C[i,j] = sum[k](A[i,k] * B[j,k]) if D[i,j] > 1 else 0", lambda a, b, d: (a @ b.T) * (d > 1)),
    ("y[i] += sum[j](A[i,j] * B[i,j] * D[i,j])", lambda a, b, d: (a * b * d).sum(1)),
]


@pytest.mark.parametrize(("text", "function"), REDUCTIONS)
@pytest.mark.parametrize("schedule", [None, "precompute(A[{0}] over {1})"])
def test_reductions(text: str, function: Callable[..., Any], schedule: str | None) -> None:
    """Rows are kept outside of loops that do not change them, on threads, too."""
    dense = [drawn((30, 30), np.float64) for _ in range(3)]
    arrays = dict(zip("ABD", (es.asarray(array, "csr") for array in dense), strict=True))
    arrays = {name: array for name, array in arrays.items() if f"{name}[" in text}
    words = {}
    if schedule:
        last = "k" if "[i,k]" in text else "j"
        words["schedule"] = schedule.format(f"i,{last}", last)
    room: Any = es.Format("csr") if text.startswith("C") else np.zeros(30)
    threads = ember.get_num_threads()
    try:
        for count in (1, 2):
            ember.set_num_threads(count)
            if text.startswith("C"):
                found = es.evaluate(text, **arrays, C=room, **words).to_numpy()
            else:
                room[:] = 0
                found = es.evaluate(text, **arrays, y=room, **words)
            np.testing.assert_array_equal(found, function(*dense))
    finally:
        ember.set_num_threads(threads)


@pytest.mark.parametrize("fill", [0.0, 1.0, np.inf])
def test_fills_and_missing_elements(fill: float) -> None:
    a, b, d = (drawn((20, 25), np.float32, value) for value in (fill, 2.0, 0.0))
    arrays = {
        "A": es.asarray(a, es.Format("csr", fill=fill)),
        "B": es.asarray(b, es.Format("csr", fill=2.0)),
        "D": es.asarray(d, "csr"),
    }
    schedule = "precompute(A[i,j] over j) precompute(B[i,j] over j)"
    for text, expected in (
        (
            "C[i,j] = min(A[i,j], B[i,j]) if D[i,j] != 0 else 0",
            np.where(d != 0, np.minimum(a, b), 0),
        ),
        ("C[i,j] = (A[i,j] + B[i,j]) if D[i,j] > 2 else 0", np.where(d > 2, a + b, 0)),
    ):
        for words in ({}, {"schedule": schedule}):
            found = es.evaluate(text, **arrays, C=es.Format("csr"), **words)
            np.testing.assert_array_equal(found.to_numpy(), expected)
    place = np.nonzero(d)
    missing = es.Array.from_coordinates(place, d[place], d.shape, es.Format("csr", fill="missing"))
    expected = np.where(b != 2, np.where(d != 0, d, -1) * (b - 2), 0)
    found = es.evaluate(
        "C[i,j] = coalesce(A[i,j], -1) * (B[i,j] - 2)",
        A=missing,
        B=arrays["B"],
        C=es.Format("csr"),
        schedule="precompute(A[i,j] over j)",
    )
    np.testing.assert_array_equal(found.to_numpy(), expected)


def test_coordinates_in_any_order() -> None:
    """What is looked up needs none."""
    a, d = drawn((6, 30), np.float32), drawn((6, 30), np.float32)
    unordered = es.asarray(a, "dense,compressed(unordered)")
    found = es.evaluate(
        "C[i,j] = A[i,j] * D[i,j]",
        A=unordered,
        D=es.asarray(d, "csr"),
        C=es.Format("csr"),
        schedule="precompute(A[i,j] over j)",
    )
    np.testing.assert_array_equal(found.to_numpy(), a * d)


@pytest.mark.parametrize("result", ["csr", "dcsr"])
def test_rows_of_a_list_are_looked_up_for_results_that_are_counted(result: str) -> None:
    """The room that such a result needs is counted by loops over the list of rows."""
    a, b = drawn((9, 30), np.float32), drawn((7, 30), np.float32)
    b[3] = 0
    found = es.evaluate(
        "C[i,j] = sum[k]((A[i,k] + B[j,k]) * A[i,k])",
        A=es.asarray(a, "dcsr"),
        B=es.asarray(b, "dcsr"),
        C=es.Format(result),
        schedule="precompute(B[j,k] over k)",
    )
    expected = ((a[:, None] + b[None]) * a[:, None]).sum(2)
    np.testing.assert_allclose(found.to_numpy(), expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("text", "schedule", "message"),
    [
        ("C[i,j] = A[i,j] * D[i,j]", "precompute(A[i,j] over i)", "over the index of a last level"),
        ("C[i,j] = A[i,j] * D[i,j]", "precompute(A[i,j] over i, j)", "those of one row"),
        ("y = sum[i,j](A[i,j] * D[i,j])", "precompute(A[i,j] over j)", "the index of a last level"),
        (
            "y[i] = sum[j](A[i,j] * D[i,j])",
            "precompute(A[i,j] over j) reorder(j, i)",
            "'j' cannot be that of the innermost loop",
        ),
    ],
)
def test_what_cannot_be_looked_up(text: str, schedule: str, message: str) -> None:
    a = es.asarray(drawn((5, 6), np.float32), "csr")
    rooms = {"C": es.Format("csr")} if text.startswith("C") else {}
    with pytest.raises(CompileError, match=message):
        es.evaluate(text, A=a, D=a, **rooms, schedule=schedule)
