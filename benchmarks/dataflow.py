"""./run bench dataflow: iterations of conjugate gradients in sweeps, beside SciPy's.

The matrix is the 5-point stencil on a square, for 1000 x 1000 that of ecology1. An iteration is
what a solve of some more of them takes longer.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

import numpy as np
from ember.sparse import linalg
from ember.sparse.linalg import matrix as matrices
from ember.sparse.linalg import partition as partitions
from scipy import sparse
from scipy.sparse import linalg as scipy_linalg

from benchmarks.command_line import show_progress
from benchmarks.cpu.document import DocumentTable
from benchmarks.notation.limits import bandwidth

SIDES = (300, 1000)
COLUMNS = (1, 8, 16)
SECONDS = 20.0
# Iterations of the shorter solve, and of the longer one.
FEW, MANY = 1, 6
LEAST_TURNS, MOST_TURNS = 3, 100
# Vectors that sweeps read and write in an iteration: X, P, R, R and S; X, P, S and R.
VECTORS = 9
SCIPY = "SciPy"
#: Ways to run the same statements, by what is set for them.
WAYS: dict[str, Mapping[tuple[Any, str], int]] = {
    "Ember": {},
    "product behind the other sweep": {(matrices, "HELD_BYTES"): 0},
    "statement by statement": {
        (partitions, "TILE_BYTES"): 1 << 40,
        (matrices, "HELD_BYTES"): 0,
    },
    "by rows": {(matrices, "MOST_DIAGONALS"): 0},
}
TABLE = DocumentTable(
    "dataflow",
    "an iteration of `cg`, or of `block_cg` for several columns, and how many times as long others "
    "take: SciPy (for several columns the same products by NumPy and SciPy), the statements with "
    "each product in a sweep of its own, each statement by itself, and with the matrix by rows "
    "instead of diagonals. Moved: bytes that sweeps have to read and write, by Ember's time, "
    "beside those of a copy of 64 MB; less memory than a cache has is moved faster",
)


def stencil(side: int) -> Any:
    """The 5-point stencil on a square, a little off singular."""
    line = sparse.diags_array(
        [np.full(side - 1, -1.0), np.full(side, 2.0005), np.full(side - 1, -1.0)],
        offsets=[-1, 0, 1],
    )
    one = sparse.eye_array(side)
    return sparse.csr_array(sparse.kron(one, line) + sparse.kron(line, one))


def block_by_scipy(matrix: Any, right: np.ndarray, iterations: int) -> np.ndarray:
    """Block conjugate gradients, each operation by itself."""
    solution, residual = np.zeros_like(right), right.copy()
    direction = residual.copy()
    before = residual.T @ residual
    for _ in range(iterations):
        product = matrix @ direction
        step = np.linalg.solve(direction.T @ product, before)
        solution += direction @ step
        residual -= product @ step
        weight = residual.T @ residual
        direction = residual + direction @ np.linalg.solve(before, weight)
        before = weight
    return solution


def solvers(matrix: Any, right: np.ndarray) -> dict[str, Callable[[int], Any]]:
    """What solves a system in some iterations, by names."""
    options: dict[str, Any] = {"rtol": 1e-30}

    def ours(settings: Mapping[tuple[Any, str], int]) -> Callable[[int], Any]:
        def solve(iterations: int) -> Any:
            with ExitStack() as stack:
                for (module, name), value in settings.items():
                    stack.enter_context(patch.object(module, name, value))
                solver = linalg.cg if right.ndim == 1 else linalg.block_cg
                return solver(matrix, right, maxiter=iterations, **options)[0]

        return solve

    def scipys(iterations: int) -> Any:
        if right.ndim == 1:
            return scipy_linalg.cg(matrix, right, maxiter=iterations, **options)[0]
        return block_by_scipy(matrix, right, iterations)

    return {**{name: ours(settings) for name, settings in WAYS.items()}, SCIPY: scipys}


def iteration_times(
    contenders: Mapping[str, Callable[[int], Any]], seconds: float
) -> dict[str, list[float]]:
    """Samples of the time of an iteration, taken in turns.

    Raises AssertionError if solutions differ.
    """
    expected: Any = None
    for name, solve in contenders.items():
        found = solve(MANY)
        expected = found if expected is None else expected
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9, err_msg=name)
    samples: dict[str, list[float]] = {name: [] for name in contenders}
    begun = time.perf_counter()
    for turn in range(MOST_TURNS):
        if turn >= LEAST_TURNS and time.perf_counter() - begun > seconds:
            break
        for name, solve in contenders.items():
            lengths = []
            for iterations in (FEW, MANY):
                started = time.perf_counter()
                solve(iterations)
                lengths.append(time.perf_counter() - started)
            samples[name].append((lengths[1] - lengths[0]) / (MANY - FEW))
    return samples


def moved(size: int, columns: int) -> float:
    """Bytes of an iteration's sweeps: three diagonals of the symmetric stencil and the vectors,
    each as often as a sweep reads or writes it."""
    return 8.0 * size * (3 + VECTORS * columns)


def rows_of_the_table(seconds: float) -> Iterator[list[str]]:
    """A row for each system."""
    rng = np.random.default_rng(3)
    for side in SIDES:
        matrix = stencil(side)
        size = side * side
        for columns in COLUMNS:
            show_progress(f"{side} x {side}, {columns} columns")
            right = rng.standard_normal((size, columns) if columns > 1 else size)
            samples = iteration_times(solvers(matrix, right), seconds)
            medians = {name: statistics.median(taken) for name, taken in samples.items()}
            ours = medians["Ember"]
            low, _, high = statistics.quantiles(samples["Ember"], n=4)
            others = [SCIPY, *list(WAYS)[1:]]
            yield [
                f"{side} x {side}",
                str(columns),
                f"{ours * 1e3:.3g} ms ±{(high - low) / 2 / ours:.0%}",
                f"{medians[SCIPY] * 1e3:.3g} ms",
                *(f"{medians[name] / ours:.2f}" for name in others),
                f"{moved(size, columns) / ours / 1e9:.1f} of {bandwidth() / 1e9:.1f} GB/s",
            ]


def main(arguments: Sequence[str]) -> int:
    """Prints the table, and writes it into a document if asked to."""
    head = ["grid", "columns", "Ember", "SciPy", "SciPy by Ember", *list(WAYS)[1:], "moved"]
    return TABLE.command(
        (__doc__ or "").splitlines()[0], SECONDS, head, rows_of_the_table, arguments
    )
