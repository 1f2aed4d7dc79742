"""What errors of statements on arrays say: names and sizes that whoever calls them knows.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
from collections.abc import Callable
from typing import Any

import ember.sparse as es
import numpy as np
import pytest
import torch
from ember.errors import (
    ArgumentError,
    CompileError,
    EmberError,
    IndexOutOfRangeError,
    KernelError,
)


@pytest.mark.parametrize(
    ("text", "given", "error", "message"),
    [
        (
            "y[i] = x[i] + z[i]",
            {"x": np.ones(4), "z": [1.0, 2.0]},
            KernelError,
            "notation:1:15: index i: dimension 0 of x and dimension 0 of z have different sizes, "
            "4 and 2",
        ),
        (
            "y[i] = sum[j](A[i,j] *\n  x[j])",
            {"A": es.asarray(np.eye(4), "csr"), "x": np.ones(3)},
            KernelError,
            "notation:2:3: index j: dimension 1 of A and dimension 0 of x have different sizes, "
            "4 and 3",
        ),
        ("y = x", {"x": np.ones(3)}, ArgumentError, "x must be a number: an array of shape (3,)"),
        (
            "y[i] = size(A, 1) * x[i]",
            {"x": np.ones(3)},
            ArgumentError,
            "'A' is read, and it is not given",
        ),
    ],
)
def test_errors_of_statements(
    text: str, given: dict[str, Any], error: type[EmberError], message: str
) -> None:
    for _ in range(2):
        with pytest.raises(error, match=re.escape(message)):
            es.evaluate(text, **given)


def test_parts_of_arrays_are_no_names() -> None:
    coordinates, positions = np.array([0, 2, 1]), np.array([0, 2, 3])
    S = es.Array("csr", (2, 3), np.ones(3), [(positions, coordinates)])
    x = np.ones(3)
    assert es.evaluate("y[i] = S[i,j] * x[j]", S=S, x=x).tolist() == [2, 1]
    coordinates[1] = 7
    with pytest.raises(IndexOutOfRangeError, match="of coordinates of level 1 of 'S' is out of"):
        es.evaluate("y[i] = S[i,j] * x[j]", S=S, x=x)
    # An array of such a name is one.
    with pytest.raises(IndexOutOfRangeError, match="of 'S_coordinates1' is out of"):
        es.evaluate("y[p] = x[S_coordinates1[p]]", S_coordinates1=coordinates, x=x)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: es.einsum("ij,jk->ik", np.ones((2, 3)), np.ones((4, 2))),
            "letter 'j' of 'ij,jk->ik' is of size 3 in operand 0, and of size 4 in operand 1",
        ),
        (lambda: es.einsum("ii", np.ones((2, 3))), "letter 'i' of 'ii' is of size 2 in operand 0"),
        (
            lambda: es.einsum("ij,j", np.ones((2, 3)), [[1.0]]),
            "operand 1 of 'ij,j' has 1 letters, and an array of 2 dimensions is given",
        ),
        (lambda: es.einsum("i,i", np.ones(2), "x"), "operand 1: it is str, which is neither"),
    ],
)
def test_errors_of_einsum(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(message)):
        call()


def test_einsum_names_no_arrays_of_its_own() -> None:
    coordinates = np.array([0, 2, 1])
    S = es.Array("csr", (2, 3), np.ones(3), [(np.array([0, 2, 3]), coordinates)])
    assert es.einsum("ij,j->i", S, np.ones(3)).tolist() == [2, 1]
    coordinates[1] = 7
    with pytest.raises(
        IndexOutOfRangeError,
        match="index 7 at position 1 of coordinates of level 1 of operand 0 is out of range for "
        "dimension 0 of operand 1 of size 3",
    ):
        es.einsum("ij,j->i", S, np.ones(3))
    with pytest.raises(CompileError, match="the result has 1 dimension, and 'csr' is no format"):
        es.einsum("ij,j->i", S, np.ones(3), format="csr")


def test_rows_of_encoded_elements() -> None:
    rows = es.Encoded.of(np.ones((2, 3), np.float32), "int4")
    with pytest.raises(IndexOutOfRangeError, match="for dimension 0 of 'T' of size 2"):
        es.evaluate("y[p,j] = T[I[p],j]", T=rows, I=np.array([1, 5]))
    with pytest.raises(
        IndexOutOfRangeError, match=r"index 5 .* dimension 0 of a row of T of size 3"
    ):
        es.evaluate("y[p] = T[I[p],J[p]]", T=rows, I=np.array([1, 1]), J=np.array([1, 5]))


def test_errors_in_a_backward_pass_name_the_arrays_and_the_statements() -> None:
    coordinates = np.array([0, 2, 1])
    S = es.Array("csr", (2, 3), np.ones(3), [(np.array([0, 2, 3]), coordinates)])
    x = torch.ones(3, dtype=torch.float64, requires_grad=True)
    y = es.evaluate("y[i] = S[i,j] * x[j] * x[j]", S=S, x=x)
    coordinates[1] = 7
    with pytest.raises(
        IndexOutOfRangeError,
        match=r"of coordinates of level 1 of 'S' .*, in the gradient of y\[i\] = S\[i,j\] \* x",
    ):
        y.sum().backward()


@pytest.mark.parametrize("format", ["bitmap", "csf"])
def test_an_index_in_digits_of_a_result_in_a_format(format: str) -> None:
    """Where coordinates are listed, the error says what works instead."""
    a = np.array([[1.0, 0, 2], [0, 3, 0]])
    if format == "bitmap":
        found = es.evaluate("y[3*i+j] = A[i,j]", A=a, y=es.Format(format))
        np.testing.assert_array_equal(found.to_numpy(), a.ravel())
    else:
        with pytest.raises(CompileError, match="to a temporary that another statement copies to y"):
            es.evaluate("y[3*i+j] = A[i,j]", A=a, y=es.Format(format))
    text = "let t[i*size(A,1)+j] = A[i,j]; y[k] = t[k]"
    with pytest.raises(ArgumentError, match=rf"give y=es\.Format\('{format}', shape=...\)"):
        es.evaluate(text, A=a, y=es.Format(format))
    found = es.evaluate(text, A=a, y=es.Format(format, shape=(6,)))
    np.testing.assert_array_equal(found.to_numpy(), a.ravel())


def test_temporaries_are_not_given() -> None:
    """What is after a # declares nothing."""
    x = np.array([1.0, 3.0])
    with pytest.raises(ArgumentError, match=r"'s' is a temporary, .*: leave it out, or 'let'"):
        es.evaluate("let s = sum[i](x[i]); y[i] = x[i] / s", x=x, s=2.0)
    found = es.evaluate("# let s be a number\ny[i] = x[i] / s", x=x, s=2.0)
    np.testing.assert_array_equal(found, x / 2)
