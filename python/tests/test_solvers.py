"""Solvers for one right-hand side, iterate by iterate beside SciPy's.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from typing import Any

import ember
import ember.sparse as es
import numpy as np
import pytest
import torch
from ember.errors import ArgumentError, EmberError
from ember.sparse import linalg
from ember.sparse.linalg.matrix import Matrix
from ember.sparse.linalg.partition import Partition
from scipy import sparse
from scipy.sparse import linalg as scipy_linalg

from python.tests.solver_problems import scattered, stencil, wind

RNG = np.random.default_rng(7)
MATRICES = {
    "cg": {"stencil": stencil(23), "scattered": scattered(500)},
    "bicgstab": {"wind": wind(23), "scattered": scattered(500, symmetric=False)},
    "gmres": {"wind": wind(23), "scattered": scattered(500, symmetric=False)},
}
# Each preconditioner with each solver, and either matrix.
CASES = [
    (solver, list(matrices)[number % 2], kind)
    for solver, matrices in MATRICES.items()
    for number, kind in enumerate(["none", "diagonal", "diagonal matrix", "matrix", "operator"])
] + [("cg", "scattered", "none"), ("cg", "scattered", "diagonal matrix")]
NAMES = list(MATRICES)


def preconditioners(matrix: sparse.csr_array) -> dict[str, tuple[Any, Any]]:
    """Those of a matrix, as they are given here and to SciPy."""
    inverse = 1 / matrix.diagonal()
    diagonal = sparse.diags_array(inverse)
    below = sparse.diags_array([np.full(len(inverse) - 1, 0.01)], offsets=[-1])
    rows = sparse.csr_array(diagonal + below + below.T)
    operator = scipy_linalg.aslinearoperator(rows)
    return {
        "none": (None, None),
        "diagonal": (inverse, diagonal),
        "diagonal matrix": (diagonal, diagonal),
        "matrix": (rows, rows),
        "operator": (operator, operator),
    }


def run(solver: Callable[..., Any], *arguments: Any, **options: Any) -> tuple[Any, int, list[Any]]:
    """The solution, what is known of it, and what a callback has been called with."""
    told: list[Any] = []
    x, info = solver(*arguments, callback=lambda given: told.append(np.copy(given)), **options)
    return x, info, told


def near(left: Any, right: Any, digits: float) -> None:
    """Fails unless numbers are the same, but for rounding relative to the largest one."""
    scale = np.abs(right).max() or 1.0
    assert np.abs(np.asarray(left) - right).max() <= digits * scale


@pytest.mark.parametrize(("solver", "name", "kind"), CASES)
def test_iterates_are_scipys(solver: str, name: str, kind: str) -> None:
    matrix = MATRICES[solver][name]
    right = RNG.standard_normal(matrix.shape[0])
    mine, theirs = preconditioners(matrix)[kind]
    options: dict[str, Any] = {"rtol": 1e-8}
    if solver == "gmres":
        options.update(restart=6, callback_type="x")
    x, info, told = run(getattr(linalg, solver), matrix, right, M=mine, **options)
    y, expected, known = run(getattr(scipy_linalg, solver), matrix, right, M=theirs, **options)
    assert info == expected == 0
    assert len(told) == len(known) > 1
    for one, other in zip(told, known, strict=True):
        near(one, other, 1e-10)
    near(x, y, 1e-10)
    without = getattr(linalg, solver)(matrix, right, M=mine, **options)
    near(without[0], y, 1e-10)
    assert x.shape == right.shape


@pytest.mark.parametrize("solver", NAMES)
def test_f32_stays_f32(solver: str) -> None:
    matrix = next(iter(MATRICES[solver].values())).astype(np.float32)
    right = RNG.standard_normal(matrix.shape[0]).astype(np.float32)
    x, info = getattr(linalg, solver)(matrix, right, rtol=1e-4)
    y, _ = getattr(scipy_linalg, solver)(matrix, right, rtol=1e-4)
    assert x.dtype == y.dtype == np.float32
    assert info == 0
    near(x, y, 1e-4)


@pytest.mark.parametrize("solver", NAMES)
@pytest.mark.parametrize("options", [{"maxiter": 3}, {"maxiter": 0}, {"atol": 1.0, "rtol": 0.0}])
def test_when_it_stops(solver: str, options: dict[str, Any]) -> None:
    matrix = next(iter(MATRICES[solver].values()))
    right = RNG.standard_normal(matrix.shape[0])
    start = RNG.standard_normal(matrix.shape[0])
    if solver == "gmres":
        if options.get("maxiter") == 0:
            pytest.skip("SciPy's has no residual to tell of then")
        options = {**options, "restart": 2}
    given = start.copy()
    x, info = getattr(linalg, solver)(matrix, right, start, **options)
    y, expected = getattr(scipy_linalg, solver)(matrix, right, start, **options)
    assert info == expected
    near(x, y, 1e-10)
    assert (start == given).all()


@pytest.mark.parametrize("callback_type", ["legacy", "pr_norm"])
def test_gmres_tells_norms(callback_type: str) -> None:
    matrix = MATRICES["gmres"]["wind"]
    right = RNG.standard_normal(matrix.shape[0])
    options = {"restart": 5, "maxiter": 12, "callback_type": callback_type, "rtol": 1e-8}
    x, info, told = run(linalg.gmres, matrix, right, **options)
    y, expected, known = run(scipy_linalg.gmres, matrix, right, **options)
    assert (info, len(told)) == (expected, len(known))
    np.testing.assert_allclose(told, known, rtol=1e-6)
    near(x, y, 1e-10)


def test_gmres_finds_the_exact_solution_early() -> None:
    # One step is exact, and there is nothing behind it.
    x, info = linalg.gmres(sparse.eye_array(9, format="csr") * 2, np.arange(9.0), rtol=1e-12)
    assert info == 0
    np.testing.assert_allclose(x, np.arange(9) / 2, rtol=1e-14)


def test_guess_from_the_preconditioner() -> None:
    matrix, weights = MATRICES["cg"]["stencil"], np.full(529, 0.25)
    right = RNG.standard_normal(529)
    x, _ = linalg.cg(matrix, right, "Mb", M=weights, maxiter=2)
    y, _ = scipy_linalg.cg(matrix, right, "Mb", M=sparse.diags_array(weights), maxiter=2)
    near(x, y, 1e-12)


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support is in beta state")
@pytest.mark.parametrize("library", ["csc", "coo", "dense", "torch", "es", "operator", "list"])
def test_matrices_of_any_library(library: str) -> None:
    matrix = scattered(60)
    right = RNG.standard_normal(60)
    given: Any = {
        "csc": matrix.tocsc,
        "coo": matrix.tocoo,
        "dense": matrix.toarray,
        "torch": lambda: torch.from_numpy(matrix.toarray()).to_sparse_csr(),
        "es": lambda: es.asarray(matrix),
        "operator": lambda: scipy_linalg.aslinearoperator(matrix),
        "list": lambda: matrix.toarray().tolist(),
    }[library]()
    x, info = linalg.cg(given, right, rtol=1e-9)
    assert info == 0
    near(matrix @ x, right, 1e-7)


def test_a_tensor_for_a_tensor() -> None:
    matrix = scattered(60)
    right = torch.from_numpy(RNG.standard_normal(60))
    seen: list[Any] = []
    x, info = linalg.cg(es.asarray(matrix), right, callback=seen.append)
    assert isinstance(x, torch.Tensor)
    assert isinstance(seen[0], torch.Tensor)
    assert info == 0
    near(matrix @ x.numpy(), right.numpy(), 1e-4)


def test_rows_in_no_order_and_duplicates() -> None:
    matrix = sparse.csr_array(
        (np.array([1.0, 4.0, 5.0, 1.0, 2.0]), np.array([1, 0, 1, 0, 1]), np.array([0, 2, 5])),
        shape=(2, 2),
    )
    right = np.array([1.0, 2.0])
    x, info = linalg.cg(matrix, right, rtol=1e-12)
    assert info == 0
    np.testing.assert_allclose(x, np.linalg.solve(matrix.toarray(), right), rtol=1e-12)


def test_diagonals_are_found_and_mirrored() -> None:
    matrix = stencil(40)
    partition = Partition.of(1600, 1, 8)
    by_diagonals = Matrix(es.asarray(matrix), np.dtype(np.float64), partition)
    assert len(by_diagonals.arrays["A_diagonals"]) == 3
    assert by_diagonals.reach == 40
    one_sided = Matrix(es.asarray(wind(40)), np.dtype(np.float64), partition)
    assert len(one_sided.arrays["A_diagonals"]) == 4
    # Rows that nobody looks at first may have others.
    matrix = sparse.lil_array(stencil(40))
    matrix[701, 3] = 0.5
    by_rows = Matrix(es.asarray(matrix.tocsr()), np.dtype(np.float64), partition)
    assert "A_values" in by_rows.arrays
    assert by_rows.reach == 40


def test_blocks_do_not_change_what_follows() -> None:
    """More than one block and tile, which do not divide the rows."""
    matrix = stencil(211, 4.01)
    right = RNG.standard_normal(211 * 211)
    _, info, told = run(linalg.cg, matrix, right, maxiter=12, rtol=1e-30)
    y, expected, known = run(scipy_linalg.cg, matrix, right, maxiter=12, rtol=1e-30)
    assert info == expected == 12
    for one, other in zip(told, known, strict=True):
        near(one, other, 1e-12)
    near(linalg.cg(matrix, right, maxiter=12, rtol=1e-30)[0], y, 1e-12)


@pytest.mark.parametrize(
    ("solver", "name"),
    [
        ("cg", "scattered"),
        ("bicgstab", "stencil"),
        ("gmres", "scattered"),
        ("block_cg", "stencil"),
    ],
)
def test_bits_do_not_depend_on_threads(solver: str, name: str) -> None:
    matrix = stencil(120) if name == "stencil" else scattered(30_000)
    size = matrix.shape[0]
    right = RNG.standard_normal((size, 4) if solver == "block_cg" else size)
    threads = ember.get_num_threads()
    results = []
    try:
        for number in (1, 2, 5):
            ember.set_num_threads(number)
            x, _ = getattr(linalg, solver)(matrix, right, maxiter=4, rtol=1e-30)
            results.append(x.tobytes())
    finally:
        ember.set_num_threads(threads)
    assert results[0] == results[1] == results[2]


SQUARE = scattered(20)
MISTAKES = {
    "not square": (SQUARE[:10], np.ones(10), {}, "as many equations as unknowns"),
    "another size": (SQUARE, np.ones(21), {}, r"shape \(21,\), and A asks for 20 rows"),
    "two columns": (SQUARE, np.ones((20, 2)), {}, "one column"),
    "guess": (SQUARE, np.ones(20), {"x0": np.ones(3)}, r"x0 has the shape \(3,\)"),
    "word as a guess": (SQUARE, np.ones(20), {"x0": "Ma"}, "'Ma'"),
    "atol": (SQUARE, np.ones(20), {"atol": -1}, "atol is a number from 0 on, and not -1"),
    "preconditioner": (SQUARE, np.ones(20), {"M": SQUARE[:3, :3]}, "different shapes"),
    "short diagonal": (SQUARE, np.ones(20), {"M": np.ones(3)}, "3 elements"),
    "NaN in A": (SQUARE * np.nan, np.ones(20), {}, "A has to be finite"),
    "NaN in b": (SQUARE, np.r_[np.ones(19), np.nan], {}, "b has to be finite, and element 19"),
    "infinite guess": (SQUARE, np.ones(20), {"x0": np.full(20, np.inf)}, "x0 has to be finite"),
    "complex A": (SQUARE * 1j, np.ones(20), {}, "A is complex"),
    "complex b": (SQUARE, np.ones(20) * 1j, {}, "b is complex"),
    "text": (SQUARE, np.array(["a"] * 20), {}, "have to be real"),
    "fill": (
        es.asarray(SQUARE.toarray(), es.Format("csr", fill=np.inf)),
        np.ones(20),
        {},
        "fill other than 0",
    ),
    "gradient": (SQUARE, torch.ones(20, requires_grad=True), {}, "detach"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("solver", NAMES)
def test_mistakes(solver: str, mistake: str) -> None:
    matrix, right, options, message = MISTAKES[mistake]
    with pytest.raises(ArgumentError, match=message) as caught:
        getattr(linalg, solver)(matrix, right, **options)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("solver", NAMES)
def test_nothing_to_do(solver: str) -> None:
    solve = getattr(linalg, solver)
    x, info = solve(SQUARE, np.zeros(20), np.ones(20))
    assert info == 0
    assert not x.any()
    x, info = solve(sparse.csr_array((0, 0)), np.zeros(0))
    assert (x.shape, info) == ((0,), 0)
    x, info = solve(sparse.csr_array([[4.0]]), [2])
    assert (x.tolist(), info) == ([0.5], 0)


@pytest.mark.parametrize("solver", NAMES)
def test_a_singular_matrix_ends(solver: str) -> None:
    matrix = sparse.csr_array((20, 20))
    _, info = getattr(linalg, solver)(matrix, np.ones(20), maxiter=50)
    _, expected = run_quietly(getattr(scipy_linalg, solver), matrix, np.ones(20), maxiter=50)
    assert info == expected != 0


def run_quietly(solver: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """SciPy's result, without its warnings of divisions by 0."""
    with np.errstate(all="ignore"):
        return solver(*arguments, **options)


def test_gmres_refuses_options() -> None:
    with pytest.raises(EmberError, match="callback_type"):
        linalg.gmres(SQUARE, np.ones(20), callback_type="y")
    with pytest.raises(EmberError, match="restart"):
        linalg.gmres(SQUARE, np.ones(20), restart=0)
