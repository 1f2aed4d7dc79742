"""Temporaries in formats: what statements keep between them is stored as results are.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable

import ember.sparse as es
import numpy as np
import pytest
import torch
from ember import ArgumentError, CompileError
from numpy.typing import NDArray

CSR = es.Format("csr")


def drawn(rng: np.random.Generator, *shape: int) -> NDArray:
    """Small integers, of which sums are exact."""
    return (rng.integers(-4, 5, shape) * (rng.random(shape) < 0.3)).astype(np.float32)


def dense(array: es.Array | NDArray) -> NDArray:
    return array.to_numpy() if isinstance(array, es.Array) else array


#: Chains that keep what is between, and what they are.
CHAINS: dict[str, Callable[..., NDArray]] = {
    "let T[i,k] = A[i,j] * B[j,k]; C[i,l] = T[i,k] * A[k,l]": lambda a, b: a @ b @ a,
    "let T[i,k] = A[i,j] * B[j,k]; C[i,l] = T[i,k] * T[k,l] + B[i,l]": lambda a, b: (
        a @ b @ a @ b + b
    ),
    "let T[k,i] = A[i,j] * B[j,k]; C[i,l] = T[k,i] * A[k,l]": lambda a, b: a @ b @ a,
    "let T[i,k] = A[i,j] * B[j,k] if B[i,k] > 0; C[i,l] = T[i,k] * A[k,l]": lambda a, b: (
        (a @ b * (b > 0)) @ a
    ),
    "let T[i,k] = A[i,k] + B[k,i]; C[i,l] = T[i,k] * T[l,k] * A[i,l]": lambda a, b: (
        ((a + b.T) @ (a + b.T).T) * a
    ),
    "let S[i,k] = A[i,j] * B[j,k]; let T[i,l] = S[i,k] * B[k,l]; C[i,l] = T[i,k] * S[k,l]": (
        lambda a, b: a @ b @ b @ a @ b
    ),
}
FORMATS = ["csr", "dcsr", "coo", "csc", "dcsc", "csf", "bitmap", "dense"]


@pytest.mark.parametrize("text", CHAINS)
def test_formats_of_temporaries(text: str) -> None:
    """In some formats that are written, or chosen, of no elements, one, and many."""
    rng = np.random.default_rng(len(text))
    names = [name for name in "ST" if f"let {name}" in text]
    for format in ("", *rng.choice(FORMATS, 2, replace=False)):
        temporaries = {name: es.Format(format) for name in names if format}
        result = es.Format(rng.choice(["csr", "dense"]))
        for size in (0, 1, 2, 19):
            a, b = (drawn(rng, size, size) for _ in range(2))
            given = {"A": es.asarray(a, "csr"), "B": es.asarray(b, "csr")}
            found = es.evaluate(text, **given, **temporaries, C=result)
            expected = CHAINS[text](a, b)
            np.testing.assert_array_equal(dense(found), expected, err_msg=f"{format} {size}")


def test_sizes_that_follow_from_others() -> None:
    """Of a temporary that is no square, shifted, or of one dimension or three."""
    rng = np.random.default_rng(3)
    a, b = drawn(rng, 5, 8), drawn(rng, 8, 3)
    x = drawn(rng, 9)
    A, B = es.asarray(a, "csr"), es.asarray(b, "csr")
    text = "let T[i,k] = A[i,j] * B[j,k]; y[i] = T[i,k] * T[i,k]"
    found = es.evaluate(text, A=A, B=B, T=CSR)
    np.testing.assert_array_equal(found, ((a @ b) ** 2).sum(1))
    X = es.asarray(x, "csf")
    text = "let t[i] = X[i] * X[i]; y[j] = sum[k](t[j+k] * w[k]); z[i] = t[i] + max[k](t[k])"
    y, z = es.evaluate(text, X=X, w=x[:3], t=es.Format("csf"))
    square = x * x
    np.testing.assert_array_equal(y, np.convolve(square, x[2::-1], "valid"))
    np.testing.assert_array_equal(z, square + square.max())
    text = "let T[i,j,k] = A[i,j] * B[j,k]; y[i] = sum[j,k](T[i,j,k]); z[k] = max[i,j](T[i,j,k])"
    y, z = es.evaluate(text, A=A, B=B, T=es.Format("csf"))
    each = a[:, :, None] * b[None]
    np.testing.assert_array_equal(y, each.sum((1, 2)))
    np.testing.assert_array_equal(z, each.max((0, 1)))


def test_what_a_temporary_does_not_store() -> None:
    """Its fill, as of any array in a format, or nothing."""
    rng = np.random.default_rng(4)
    a, b = (np.where(rng.random((7, 7)) < 0.5, rng.random((7, 7)), np.inf) for _ in range(2))
    A, B = (es.asarray(one.astype(np.float32), es.Format("csr", fill=np.inf)) for one in (a, b))
    text = "let T[i,j] = min[k](A[i,k] + B[k,j]); C[i,j] = min[k](T[i,k] + B[k,j])"
    form = es.Format("csr", fill=np.inf)
    found = es.evaluate(text, A=A, B=B, T=form, C=form).to_numpy()
    a, b = a.astype(np.float32), b.astype(np.float32)
    t = (a[:, :, None] + b[None]).min(1)
    np.testing.assert_array_equal(found, (t[:, :, None] + b[None]).min(1))
    # All elements are stored where the fill is none that the statement makes.
    found = es.evaluate(text, A=A, B=B, T=CSR, C=form).to_numpy()
    np.testing.assert_array_equal(found, (t[:, :, None] + b[None]).min(1))
    m = drawn(rng, 6, 6)
    text = "let T[i,j] = M[i,j] * 2; y[i] = sum[j in T[i]](x[j])"
    found = es.evaluate(text, M=es.asarray(m, "csr"), x=np.arange(6.0), T=CSR)
    np.testing.assert_array_equal(found, (m != 0) @ np.arange(6.0))


def test_gradients_through_temporaries() -> None:
    """The same as of dense ones."""
    rng = np.random.default_rng(5)
    a, b, x = (torch.from_numpy(drawn(rng, 6, 6)).requires_grad_() for _ in range(3))
    text = "let T[i,k] = A[i,j] * B[j,k]; y[i] = T[i,k] * X[k,i] + T[i,k] * X[i,k]"
    (es.evaluate(text, A=a, B=b, X=x, T=CSR) ** 2).sum().backward()
    found = [one.grad.clone() for one in (a, b, x) if one.grad is not None]
    for one in (a, b, x):
        one.grad = None
    t = a @ b
    (((t * x.T) + (t * x)).sum(1) ** 2).sum().backward()
    for mine, one in zip(found, (a, b, x), strict=True):
        torch.testing.assert_close(mine, one.grad)
    text = "let T[i,j] = A[i,j] * 2; y[i] = sum[j in T[i]](X[i,j])"
    with pytest.raises(CompileError, match="which elements it stores matters"):
        es.evaluate(text, A=a, X=x, T=CSR).sum().backward()


def test_dense_temporaries_are_as_if_no_format_was_given() -> None:
    """Also where nothing could be appended, and beginning with their fill."""
    x, to = np.array([1.0, -2.0, 4.0]), np.array([1, 0, 1])
    for text, fill, expected in (
        ("let T[to[p]] += x[p]; y[i] = T[i] for i in 0:2", None, [-2, 5]),
        ("let T[to[p]] += x[p]; y[i] = T[i] for i in 0:2", 10, [8, 15]),
        ("let T[to[p]] max= x[p]; y[i] = T[i] for i in 0:2", None, [-2, 4]),
        ("let T[to[p]] max= x[p]; y[i] = T[i] for i in 0:2", 0, [0, 4]),
        ("let T[p] = x[p]; T[p] *= to[p]; y[p] = T[p]", 3, [1, 0, 4]),
        ("let T[2-p] = x[p] for p in 0:3 if x[p] > 0; y[p] = T[p] for p in 0:3", 7, [4, 7, 1]),
    ):
        found = (
            es.evaluate(text, x=x, to=to, T=es.Format("dense", fill=fill))
            if ("to" in text)
            else es.evaluate(text, x=x, T=es.Format("dense", fill=fill))
        )
        np.testing.assert_array_equal(found, expected, err_msg=text)


def test_errors() -> None:
    arrays = {"A": es.asarray(np.eye(3, dtype=np.float32)), "x": np.ones(3, np.float32)}
    text = "let T[i,j] = A[i,j] * 2; y[i] = T[i,j] * x[j] + T[i,j]"
    for form, message in (
        ("csr:i32", "positions are of i64"),
        ("int8", "elements are not encoded"),
        ("csf,dense", "is no format of that many"),
    ):
        with pytest.raises((CompileError, ArgumentError), match=message):
            es.evaluate(text, **arrays, T=es.Format(form))
    with pytest.raises(ArgumentError, match="leave the shape"):
        es.evaluate(text, **arrays, T=es.Format("csr", shape=(3, 3)))
    for statements, message in (
        ("let T[i,j] = A[i,j]; T[i,j] = 2 * A[i,j]; y[i] = T[i,j] * x[j]", "only one can append"),
        ("let T[i,i] = A[i,i]; y[i] = T[i,j] * x[j]", "no variable of its own"),
        ("let T[i,j] += A[i,j]; y[i] = T[i,j] * x[j]", "combines values"),
    ):
        with pytest.raises(CompileError, match=message):
            es.evaluate(statements, **arrays, T=CSR)
    with pytest.raises(ArgumentError, match="no statement assigns to it"):
        es.evaluate("y[i] = T[i,j] * x[j]", x=arrays["x"], T=CSR)


def test_errors_name_temporaries() -> None:
    """Also those of a size that is known."""
    with pytest.raises(IndexError, match=r"index 9 at position 1 of 'I' .* of 's' of size 4"):
        es.evaluate(
            "let s[I[p]] += x[p]; y[i] = s[i] for i in 0:4",
            x=np.ones(2, np.float32),
            I=np.array([0, 9]),
        )
