"""es.Format("csr", fill="missing"): what is not stored has no value.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from typing import Any

import ember.sparse as es
import numpy as np
import pytest
import scipy.sparse
from ember.errors import ArgumentError, CompileError

CSR = es.Format("csr", fill="missing")
NAN = np.nan
X = np.array([1, 2, 3], np.float32)


def stored(rows: list[list[float]], format: es.Format = CSR, dtype: type = np.float32) -> es.Array:
    """An array that has no value where the rows have none."""
    whole = np.array(rows, dtype)
    place = np.nonzero(~np.isnan(whole))
    return es.Array.from_coordinates(place, whole[place], whole.shape, format)


ROWS = [[NAN, 2, NAN], [NAN, NAN, NAN], [0, NAN, -1]]
A = stored(ROWS)
B = stored([[NAN, 5, 1], [NAN, NAN, 3], [NAN, NAN, NAN]])
# A sum over nothing is missing in a format, and 0 where there is memory for it.
ROW_SUMS = "sum[j](A[i,j] * X[j])"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C[i,j] = A[i,j] + B[i,j]", [[NAN, 7, NAN], [NAN] * 3, [NAN] * 3]),
        (
            "C[i,j] = coalesce(A[i,j] + B[i,j], coalesce(A[i,j], B[i,j]))",
            [[NAN, 7, 1], [NAN, NAN, 3], [0, NAN, -1]],
        ),
        (
            "C[i,j] = coalesce(A[i,j] + B[i,j], A[i,j], B[i,j])",
            [[NAN, 7, 1], [NAN, NAN, 3], [0, NAN, -1]],
        ),
        ("C[i,j] = min[k](A[i,k] + B[k,j])", [[NAN, NAN, 5], [NAN] * 3, [NAN, 5, 1]]),
        ("C[i,j] = A[i,j] if A[i,j] < 1", [[NAN] * 3, [NAN] * 3, [0, NAN, -1]]),
        ("C[i,j] = A[i,j] * 0", [[NAN, 0, NAN], [NAN] * 3, [0, NAN, 0]]),
    ],
)
def test_statements(text: str, expected: list[list[float]]) -> None:
    arrays = {"A": A, "B": B} if "B" in text else {"A": A}
    found = es.evaluate(text, **arrays, C=CSR)
    assert found.fill is None
    np.testing.assert_array_equal(found.to_numpy(fill=NAN), np.array(expected, np.float32))


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        (f"t[i] = {ROW_SUMS}; y[i] = t[i] + X[i]", [5, 2, 0]),
        (f"t[i] = {ROW_SUMS}; y[i] = coalesce(t[i], X[i])", [4, 0, -3]),
        ("t[i] = coalesce(A[i,1], X[i]); y[i] = t[i] * 2", [4, 4, 6]),
        ("t[i] = X[i]; t[i] += A[i,1]; y[i] = t[i] * 2", [6, 4, 6]),
        ("t[i] = X[i]; t[i] max= sum[j](A[i,j]); y[i] = t[i]", [2, 2, 3]),
    ],
)
@pytest.mark.parametrize("declared", ["let ", ""])
def test_fusion_keeps_values(statements: str, expected: list[float], declared: str) -> None:
    """Whether what is between is a temporary, which may be computed where it is read, or not."""
    found = es.evaluate(declared + statements, A=A, X=X)
    result = found if declared else found[-1]
    np.testing.assert_array_equal(result, np.array(expected, np.float32))


@pytest.mark.parametrize("name", ["csr", "csc", "coo", "dcsc"])
def test_sums_of_nothing_in_any_order_of_loops(name: str) -> None:
    """By columns, sums of all rows are added up together."""
    array = A.to(es.Format(name, fill="missing"))
    found = es.evaluate("y[i] = coalesce(sum[j](A[i,j] * X[j]), 7)", A=array, X=X)
    np.testing.assert_array_equal(found, [4, 7, -3])


@pytest.mark.parametrize("name", ["csr", "csc", "coo", "dcsc"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y[i] = min[j](A[i,j] * X[j]) if coalesce(min[j](A[i,j] * X[j]), 3) > 2", [4, np.inf, 0]),
        ("let m[i] = min[j](A[i,j]); z[i] = coalesce(m[i], X[i]); y[i] = m[i]", [2, np.inf, -1]),
    ],
)
def test_the_least_of_nothing_beside_what_asks_for_it(
    name: str, text: str, expected: list[float]
) -> None:
    """It is the identity where it is assigned to a dense array, in halves, too."""
    for dtype in (np.float32, np.float16):
        array = stored(ROWS, es.Format(name, fill="missing"), dtype)
        found = es.evaluate(text, A=array, X=X.astype(dtype))
        found = found[-1] if isinstance(found, tuple) else found
        np.testing.assert_array_equal(found, np.array(expected, dtype))


@pytest.mark.parametrize("name", ["csr", "csc"])
def test_the_least_half_of_nothing(name: str) -> None:
    array = stored(ROWS, es.Format(name, fill="missing"), np.float16)
    found = es.evaluate("y[i] = min[j](A[i,j] + X[j])", A=array, X=X.astype(np.float16))
    np.testing.assert_array_equal(found, [4, np.inf, 1])


def test_a_temporary_that_may_be_missing_has_a_format() -> None:
    text = "let t[i] = A[i,1]; y[i] = coalesce(t[i], X[i])"
    with pytest.raises(CompileError, match="assigns what may be missing to t"):
        es.evaluate(text, A=A, X=X)
    found = es.evaluate(text, A=A, X=X, t=es.Format("bitmap", fill="missing"))
    np.testing.assert_array_equal(found, [2, 2, 3])


def test_conversions() -> None:
    """Zeros are stored; a fill takes the place of what is missing, and the reverse, when asked."""
    dense = np.array([[0, 2], [0, 0]], np.float32)
    assert es.asarray(dense, CSR).nnz == 4
    graph = es.asarray(scipy.sparse.csr_array(dense), CSR)
    assert (graph.nnz, graph.fill, graph.stores_fill) == (1, None, False)
    assert "fill missing" in repr(graph)
    assert graph.to("coo").format.is_missing
    np.testing.assert_array_equal(graph.to_numpy(fill=7), [[7, 2], [7, 7]])
    filled = graph.to(es.Format("csr", fill=0))
    np.testing.assert_array_equal(filled.to_numpy(), dense)
    np.testing.assert_array_equal(filled.to_scipy().toarray(), dense)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: A.to_numpy(), r"is missing: to_numpy\(fill=...\) says what takes its place"),
        (lambda: A.to_scipy(), "what is not stored is missing, and sparse arrays of SciPy know 0"),
        (lambda: es.asarray(np.eye(2)).to_numpy(fill=1), "what is not stored is 0.0, and not 1"),
        (lambda: es.Format("dense", fill="missing"), "'dense': no element is missing"),
        (lambda: es.Format("int8", fill="missing"), "'int8': no element is missing"),
        (lambda: es.Format("csr", fill="nothing"), "'nothing' is no number"),  # type: ignore[arg-type]
        (lambda: stored([[1]]).to_numpy(fill="x"), "'x' is no number"),
    ],
)
def test_errors(wrong: Callable[[], Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        wrong()
