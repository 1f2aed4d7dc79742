"""es.Encoded: rows of bytes in statements, made and read.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ember.sparse as es
import numpy as np
import pytest
import torch
from ember.errors import ArgumentError, CompileError, IndexOutOfRangeError

ENCODINGS = ("int8", "int8:f16:leading", "int4", "int4:f32", "e4m3", "e5m2:f8E8M0FNU")
DRAW = np.random.default_rng(5)
# How far decoded numbers may be from normal ones.
ERRORS = {"int8": 0.03, "int4": 0.3, "e4m3": 0.3, "e5m2": 0.6}


def drawn(*shape: int) -> np.ndarray:
    return DRAW.standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_scores_of_encoded_rows(encoding: str) -> None:
    """Of NumPy's bytes and of tensors'; results are of the same library."""
    table = drawn(20, 33)
    rows = es.Encoded.of(table, encoding)
    assert rows.shape == (20, 33)
    assert rows.ndim == 2
    assert np.abs(rows.to_numpy() - table).max() < ERRORS[encoding.partition(":")[0]]
    h, r = DRAW.integers(0, 20, (2, 9))
    text = "s[q] = sum[d](E[h[q],d] * R[r[q],d])"
    expected = (rows.to_numpy()[h] * table[r]).sum(1)
    for _ in range(2):
        found = es.evaluate(text, E=rows, R=table, h=h, r=r)
        np.testing.assert_allclose(found, expected, 1e-5, 1e-4)
    tensors = es.Encoded.of(torch.from_numpy(table), encoding)
    found = es.evaluate(text, E=tensors, R=tensors, h=torch.from_numpy(h), r=torch.from_numpy(r))
    assert isinstance(found, torch.Tensor)
    expected = (rows.to_numpy()[h] * rows.to_numpy()[r]).sum(1)
    np.testing.assert_allclose(found, expected, 1e-5, 1e-4)


def test_a_sparse_matrix_times_encoded_rows() -> None:
    """The result is as long as the rows are."""
    a = DRAW.integers(0, 2, (5, 20)) * drawn(5, 20)
    rows = es.Encoded.of(drawn(20, 7), "int4")
    product = es.evaluate("C[i,n] = A[i,k] * T[k,n]", A=es.asarray(a), T=rows)
    np.testing.assert_allclose(product, a @ rows.to_numpy(), 1e-5, 1e-5)


def test_blocks_of_three_dimensions() -> None:
    blocks = es.Encoded.of(drawn(4, 3, 8), "int8")
    found = es.evaluate("y[i,t] = sum[e](B[i,t,e] * x[e])", B=blocks, x=np.ones(8, np.float32))
    np.testing.assert_allclose(found, blocks.to_numpy().sum(2), 1e-5, 1e-5)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_neighbours(encoding: str) -> None:
    """A variable has fewer values than the dimension that it is an index of."""
    rows = es.Encoded.of(drawn(4, 9), encoding)
    table = rows.to_numpy()
    found = es.evaluate("y[i,j] = A[i,j+2] - A[i,j]", A=rows)
    np.testing.assert_allclose(found, table[:, 2:] - table[:, :-2], 1e-5, 1e-5)
    found = es.evaluate("y[i] = A[i,i+3] + A[i,i]", A=rows)
    np.testing.assert_allclose(found, np.diag(table, 3)[:4] + np.diag(table)[:4], 1e-5, 1e-5)


def test_rows_are_as_long_as_their_bytes_or_as_said() -> None:
    values = np.zeros((2, 8), np.uint8)
    assert es.Encoded(values, "int4").shape == (2, 8)
    assert es.Encoded(values, "int4", (2, 7)).shape == (2, 7)
    assert es.Encoded(values[:, :4], "int4").shape == (2, 0)
    assert es.Encoded(np.zeros((2, 66), np.uint8), "e4m3:f8E8M0FNU").shape == (2, 64)
    assert repr(es.Encoded(values, "e5m2")) == "<2x8 array in rows of e5m2, 8 bytes each>"


@pytest.mark.parametrize(
    ("values", "encoding", "shape", "message"),
    [
        (np.zeros((2, 8), np.uint8), "int5", None, "'int5' is no encoding of rows"),
        (np.zeros((2, 8), np.uint8), "csr", None, "'csr' is no encoding of rows"),
        (np.zeros((2, 8), np.uint8), "int8:f8E8M0FNU", None, "there may be f32 or f16"),
        (np.zeros((2, 8), np.uint8), "e4m3:f32", None, "there may be f8E8M0FNU"),
        (np.zeros((2, 8), np.float32), "int8", None, "of two dimensions of uint8 or int8"),
        (np.zeros(8, np.uint8), "int8", None, "not of 1 of uint8"),
        (np.zeros((2, 7), np.uint8), "int8", None, "rows of 7 bytes are too short"),
        (np.zeros((2, 67), np.uint8), "e4m3:f8E8M0FNU", None, "rows of 66 bytes"),
        (
            np.zeros((2, 9), np.uint8),
            "int8",
            (2, 2),
            "has 2 rows of 10 bytes, and there are 2 of 9",
        ),
        (np.zeros((2, 9), np.uint8), "int8", (), "is of no array of rows"),
    ],
)
def test_bytes_that_are_no_rows(
    values: np.ndarray, encoding: str, shape: tuple[int, ...] | None, message: str
) -> None:
    with pytest.raises(ArgumentError, match=message):
        es.Encoded(values, encoding, shape)


def test_what_statements_say_of_wrong_rows() -> None:
    rows = es.Encoded.of(drawn(4, 5), "int8")
    with pytest.raises(IndexOutOfRangeError, match="T"):
        es.evaluate("y[i,e] = T[I[i],e]", T=rows, I=np.array([0, 4]))
    for given in (rows, es.Format("int8")):
        with pytest.raises(CompileError, match="assigns to T, whose elements are encoded"):
            es.evaluate("T[i,e] = x[i,e]", T=given, x=drawn(4, 5))
    with pytest.raises(ArgumentError, match=r"an es\.Encoded$"):
        es.Array("int8", (4, 5), np.zeros(20, np.float32))


@pytest.mark.parametrize("encoding", ["int8", "int4", "e4m3", "e4m3:f8E8M0FNU"])
def test_the_first_element_of_a_row(encoding: str) -> None:
    rows = es.Encoded.of(np.linspace(-2, 2, 192, dtype=np.float32).reshape(3, 64), encoding)
    decoded = rows.to_numpy()
    found = es.evaluate("y[i] first= T[i,e] for e if T[i,e] > 0.5", T=rows)
    expected = [np.append(row[row > 0.5], 0)[0] for row in decoded]
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    found = es.evaluate("y[i] last= e for e if T[i,e] < 0.5", T=rows)
    expected = [np.append(0, np.flatnonzero(row < 0.5))[-1] for row in decoded]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("length", [1, 33, 64])
@pytest.mark.parametrize(
    "encoding",
    [
        *ENCODINGS,
        "int8:f16",
        "int8:f32:leading",
        "int4:f32:leading",
        "e5m2",
        "e4m3:f8E8M0FNU",
        "e4m3:f8E8M0FNU:leading",
    ],
)
def test_decoded_rows_are_to_the_bit_what_kernels_read(encoding: str, length: int) -> None:
    """Also where a product and a bias are far apart, and cancel."""
    table = drawn(300, length) * 10 ** DRAW.uniform(-3, 3, (300, 1))
    table[::3] += 10 ** DRAW.uniform(-2, 2, (100, 1))
    rows = es.Encoded.of(table.astype(np.float32), encoding)
    read = es.evaluate("y[i,e] = T[i,e]", T=rows)
    np.testing.assert_array_equal(rows.to_numpy().view(np.uint32), read.view(np.uint32))


def test_bytes_of_any_scale_decode_to_the_bit() -> None:
    """Infinite scales, those that are no numbers, and sums half way between two numbers."""
    values = DRAW.integers(0, 256, (4000, 24), dtype=np.uint8)
    values[:8, -8:] = np.array(
        [[np.inf, 1], [1, np.nan], [0, -0.0], [-np.inf, np.inf]] * 2, "f4"
    ).view(np.uint8)
    values[8:100, -8:] = np.array([[1, 2**24], [2**-24, 1]] * 46, "f4").view(np.uint8)
    rows = es.Encoded(values, "int8")
    read = es.evaluate("y[i,e] = T[i,e]", T=rows)
    np.testing.assert_array_equal(rows.to_numpy(), read)


def test_a_product_that_decides_between_two_numbers() -> None:
    """The sum is half way between two numbers of 32 bits but for what 64 bits cannot hold."""
    pair = np.array([[1 + 2**-23, 2.0**23 * 3], [2**-40 * (1 + 2**-23), 1 + 2**-23]], "f4")
    values = np.concatenate(
        (np.arange(256, dtype=np.uint8)[None].repeat(2, 0), pair.view(np.uint8)), 1
    )
    rows = es.Encoded(values, "int8")
    read = es.evaluate("y[i,e] = T[i,e]", T=rows)
    np.testing.assert_array_equal(rows.to_numpy(), read)
