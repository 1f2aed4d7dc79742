"""Where numbers end: counts of shifts, the least integer, narrow positions, names that meet.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ember.sparse as es
import numpy as np
import pytest
import torch
from ember.errors import CompileError, IndexOutOfRangeError, KernelError

WHOLE = np.array([1, -8, 5, -2])


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64])
@pytest.mark.parametrize("count", [0, 3, 7, 8, 31, 32, 63, 64, 65, 100, -1])
def test_shifts_by_any_count(dtype: type, count: int) -> None:
    """The same for counts that are known and others, of one number and of many."""
    numbers = WHOLE.astype(dtype)
    bits = np.iinfo(dtype).bits
    is_inside = 0 <= count < bits
    left = (numbers << count if is_inside else numbers * 0).astype(dtype)
    right = numbers >> (count if is_inside else bits - 1)
    counts = np.full(4, count, dtype)
    for sign, expected in (("<<", left), (">>", right)):
        if np.iinfo(dtype).min <= count <= np.iinfo(dtype).max:
            known = es.evaluate(f"y[i] = n[i] {sign} {count}", n=numbers)
            np.testing.assert_array_equal(known, expected)
        found = es.evaluate(f"y[i] = n[i] {sign} k[i]", n=numbers, k=counts)
        np.testing.assert_array_equal(found, expected)
        assert es.evaluate(f"y = n[1] {sign} k[1]", n=numbers, k=counts) == expected[1]


def test_nothing_is_left_of_the_least_integer_divided_by_minus_one() -> None:
    a, b = np.array([-(2**63), 7, -7]), np.array([-1, -2, 3])
    np.testing.assert_array_equal(es.evaluate("y[i] = a[i] % b[i]", a=a, b=b), [0, -1, 2])
    np.testing.assert_array_equal(es.evaluate("y[i] = fmod(a[i], b[i])", a=a, b=b), [0, 1, -1])
    with pytest.raises(KernelError, match="too large"):
        es.evaluate("y[i] = a[i] // b[i]", a=a, b=b)


@pytest.mark.parametrize("format", ["csr:i8", "coo:i8", "dcsr:i8"])
def test_narrow_positions_and_coordinates(format: str) -> None:
    """They hold what fits, and say where it does not, on threads, too."""
    text = "C[i,j] = A[i,j] * 2"
    small = np.zeros((3, 200), np.float32)
    small[:, :30] = 1
    found = es.evaluate(text, A=es.asarray(small), C=es.Format(format))
    np.testing.assert_array_equal(found.to_numpy(), small * 2)
    wide = np.zeros((3, 300), np.float32)
    wide[1, 200] = 1
    message = "index 200 .* for the coordinates of i8 of dimension 1 of 'C' of size 128"
    with pytest.raises(IndexOutOfRangeError, match=message):
        es.evaluate(text, A=es.asarray(wide), C=es.Format(format))
    many = np.ones((4, 50), np.float32)
    if format != "coo:i8":
        with pytest.raises(KernelError, match="more elements of C are stored than its positions"):
            es.evaluate(text, A=es.asarray(many), C=es.Format(format))


def test_wide_coordinates_in_narrow_results() -> None:
    array = es.Array.from_coordinates([[0], [2**32 + 5]], np.array([5.0]), (1, 2**33))
    message = f"index {2**32 + 5} .* for the coordinates of i32 of dimension 1 of 'C'"
    with pytest.raises(IndexOutOfRangeError, match=message):
        es.evaluate("C[i,j] = A[i,j] * 2", A=array, C=es.Format("csr:i32"))
    found = es.evaluate("C[i,j] = A[i,j] * 2", A=array, C=es.Format("csr"))
    assert found.coordinates()[0][1] == [2**32 + 5]


def test_names_of_gradients_and_counts() -> None:
    x = torch.ones(3, requires_grad=True)
    with pytest.raises(CompileError, match="two arrays of a gradient are called 'y_gradient'"):
        es.evaluate("y[i] = x[i] * y_gradient[i]", x=x, y_gradient=torch.ones(3)).sum().backward()
    a = es.asarray(np.eye(3))
    with pytest.raises(CompileError, match='two arrays, or parts of them, are called "C_counts"'):
        es.evaluate("C[i,j] = A[i,j] * C_counts[j]", A=a, C_counts=np.ones(3), C=es.Format("csr"))


@pytest.mark.parametrize(
    ("schedule", "message"),
    [
        ("split(i, a, b, 4) split(a, c, d, 4)", "1:25.*'a' is a part of 'i', and cannot be split"),
        ("split(i, a, b, 9223372036854775807)", "at least 1 and at most 2 \\*\\* 62"),
    ],
)
def test_tiles(schedule: str, message: str) -> None:
    with pytest.raises(CompileError, match=message):
        es.evaluate("y[i] = x[i] * 2", x=np.ones(5), schedule=schedule)
    largest = "split(i, a, b, 4611686018427387904)"
    found = es.evaluate("y[i] = x[i] * 2", x=np.ones(5), schedule=largest)
    np.testing.assert_array_equal(found, np.full(5, 2.0))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_quotients_rounded_down_have_the_signs_of_numpy(dtype: type) -> None:
    """Those of zeros, too, and what infinities and zeros make."""
    numbers = np.array([0, 1, 3, 7.5, 1e-3, np.inf], dtype)
    numbers = np.concatenate([numbers, -numbers, np.array([np.nan], dtype)])
    a, b = (np.ravel(one) for one in np.meshgrid(numbers, numbers))
    with np.errstate(all="ignore"):
        needed = a // b
    quotients = es.evaluate("y[i] = a[i] // b[i]", a=a, b=b)
    np.testing.assert_array_equal(quotients, needed)
    is_number = ~np.isnan(needed)
    np.testing.assert_array_equal(np.signbit(quotients[is_number]), np.signbit(needed[is_number]))
