"""Block conjugate gradients beside a direct solve, and for one column beside cg.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from typing import Any

import numpy as np
import pytest
import torch
from ember.errors import ArgumentError, BreakdownError
from ember.sparse import linalg
from ember.sparse.linalg.block_gradient import independent_columns
from scipy import sparse
from scipy.sparse import linalg as scipy_linalg

from python.tests.solver_problems import scattered, stencil, wind

RNG = np.random.default_rng(11)
MATRIX = stencil(31, 4.05)
SIZE = MATRIX.shape[0]


def direct(right: np.ndarray) -> np.ndarray:
    """What a factorisation makes of it."""
    return scipy_linalg.spsolve(MATRIX.tocsc(), right).reshape(right.shape)


def near(left: Any, right: np.ndarray, digits: float) -> None:
    """Fails unless numbers are the same, but for that relative to the largest one."""
    assert np.abs(np.asarray(left) - right).max() <= digits * np.abs(right).max()


@pytest.mark.parametrize(
    ("columns", "kind"),
    [(1, "none"), (2, "diagonal"), (3, "operator"), (8, "none"), (8, "matrix"), (17, "diagonal")],
)
def test_beside_a_direct_solve(columns: int, kind: str) -> None:
    right = RNG.standard_normal((SIZE, columns))
    weights = np.linspace(0.2, 0.3, SIZE)
    rows = sparse.csr_array(sparse.diags_array([weights[1:] / 9, weights], offsets=[-1, 0]))
    rows = sparse.csr_array(rows + rows.T)
    preconditioner = {
        "none": None,
        "diagonal": weights,
        "matrix": rows,
        "operator": scipy_linalg.aslinearoperator(rows),
    }[kind]
    told: list[np.ndarray] = []
    options = {"M": preconditioner, "rtol": 1e-11}
    x, info = linalg.block_cg(
        MATRIX, right, callback=lambda given: told.append(given.copy()), **options
    )
    assert info == 0
    near(x, direct(right), 1e-9)
    near(told[-1], x, 0)
    y, info = linalg.block_cg(MATRIX, right, **options)
    assert info == 0
    near(y, x, 1e-9)
    # Columns help each other.
    alone: list[int] = []
    linalg.cg(MATRIX, right[:, 0], callback=lambda _: alone.append(0), **options)
    assert len(told) <= len(alone)


def test_one_column_is_cg() -> None:
    right = RNG.standard_normal((SIZE, 1))
    told: list[np.ndarray] = []
    known: list[np.ndarray] = []
    start = RNG.standard_normal((SIZE, 1))
    x, info = linalg.block_cg(MATRIX, right, start, callback=lambda x: told.append(x.copy()))
    linalg.cg(MATRIX, right, start, callback=lambda x: known.append(x.copy()))
    assert info == 0
    assert x.shape == (SIZE, 1)
    assert len(told) == len(known)
    for block, vector in zip(told, known, strict=True):
        near(block[:, 0], vector, 1e-10)


def test_columns_of_other_sizes_stop_when_each_is_done() -> None:
    right = RNG.standard_normal((SIZE, 3)) * [1e-9, 1.0, 1e9]
    x, info = linalg.block_cg(MATRIX, right, rtol=1e-7)
    assert info == 0
    residuals = np.linalg.norm(MATRIX @ x - right, axis=0) / np.linalg.norm(right, axis=0)
    assert (residuals < 2e-7).all()


def test_f32() -> None:
    right = RNG.standard_normal((SIZE, 4)).astype(np.float32)
    x, info = linalg.block_cg(MATRIX.astype(np.float32), right, rtol=1e-4)
    assert (x.dtype, info) == (np.float32, 0)
    near(x, direct(right.astype(np.float64)), 1e-3)


def test_tensors_and_guesses() -> None:
    right = RNG.standard_normal((SIZE, 2))
    start = direct(right)
    x, info = linalg.block_cg(
        MATRIX, torch.from_numpy(right), torch.from_numpy(start), maxiter=1, rtol=1e-8
    )
    assert isinstance(x, torch.Tensor)
    assert info == 0
    near(x, start, 1e-12)
    x, info = linalg.block_cg(MATRIX, right, maxiter=3, rtol=1e-12)
    assert info == 3


@pytest.mark.parametrize("kind", ["twice", "sum", "nearly"])
def test_breakdown(kind: str) -> None:
    right = RNG.standard_normal((SIZE, 4))
    right[:, 2] = {
        "twice": 2 * right[:, 0],
        "sum": right[:, 0] - right[:, 3],
        "nearly": right[:, 1] + 1e-9 * right[:, 0],
    }[kind]
    with pytest.raises(BreakdownError, match=r"^iteration 1: .* 3 of 4 are independent.*'drop'"):
        linalg.block_cg(MATRIX, right)
    x, info = linalg.block_cg(MATRIX, right, rtol=1e-10, breakdown="drop")
    assert info == 0
    near(x, direct(right), 1e-8)


def test_breakdown_later_on() -> None:
    # Three eigenvalues: directions of four columns are exhausted after at most that many steps.
    diagonal = sparse.diags_array(np.repeat([1.0, 2.0, 5.0], [4, 4, 1]))
    right = RNG.standard_normal((9, 4))
    with pytest.raises(BreakdownError, match=r"^iteration [23]: "):
        linalg.block_cg(diagonal, right, rtol=1e-12)
    x, info = linalg.block_cg(diagonal, right, rtol=1e-12, breakdown="drop")
    assert info == 0
    near(x, right / diagonal.diagonal()[:, None], 1e-10)


def test_a_column_of_zeros_has_no_direction() -> None:
    right = RNG.standard_normal((SIZE, 3))
    right[:, 1] = 0
    x, info = linalg.block_cg(MATRIX, right, rtol=1e-10)
    assert info == 0
    assert not x[:, 1].any()
    near(x, direct(right), 1e-8)


MISTAKES: dict[str, tuple[Any, Any, dict[str, Any], type[Exception], str]] = {
    "one dimension": (MATRIX, np.ones(SIZE), {}, ArgumentError, "asks for"),
    "guess": (MATRIX, np.ones((SIZE, 2)), {"X0": np.ones((SIZE, 3))}, ArgumentError, "x0"),
    "breakdown": (MATRIX, np.ones((SIZE, 2)), {"breakdown": "?"}, ArgumentError, "error, drop"),
    "NaN": (MATRIX, np.full((SIZE, 2), np.nan), {}, ArgumentError, "element 0,0 is nan"),
    "no symmetry": (
        wind(9),
        RNG.standard_normal((81, 2)),
        {},
        ArgumentError,
        "not symmetric",
    ),
    "indefinite": (
        stencil(9, 0.5),
        RNG.standard_normal((81, 2)),
        {},
        BreakdownError,
        r"iteration \d+: A is not positive definite",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes(mistake: str) -> None:
    matrix, right, options, error, message = MISTAKES[mistake]
    with pytest.raises(error, match=message):
        linalg.block_cg(matrix, right, **options)


def test_nothing_to_do() -> None:
    x, info = linalg.block_cg(MATRIX, np.zeros((SIZE, 2)))
    assert (x.shape, info) == ((SIZE, 2), 0)
    assert not x.any()
    x, info = linalg.block_cg(MATRIX, np.zeros((SIZE, 0)))
    assert (x.shape, info) == ((SIZE, 0), 0)
    x, info = linalg.block_cg(sparse.csr_array((0, 0)), np.zeros((0, 3)))
    assert (x.shape, info) == ((0, 3), 0)


@pytest.mark.parametrize("rank", [0, 1, 3, 5])
def test_independent_columns(rank: int) -> None:
    basis = np.linalg.qr(RNG.standard_normal((20, 5)))[0][:, :rank]
    vectors = basis @ RNG.standard_normal((rank, 5))
    gram = vectors.T @ vectors
    scale = np.sqrt(np.diagonal(gram))
    scale[scale == 0] = 1
    kept = independent_columns(gram / scale / scale[:, None], np.arange(5), 1e-12)
    assert len(kept) == rank
    assert np.linalg.matrix_rank(vectors[:, kept]) == rank


def test_wide_systems_of_rows() -> None:
    """A matrix that is by rows, in more than one tile."""
    matrix = scattered(6000)
    right = RNG.standard_normal((6000, 16))
    x, info = linalg.block_cg(matrix, right, rtol=1e-10)
    assert info == 0
    near(matrix @ x, right, 1e-8)
