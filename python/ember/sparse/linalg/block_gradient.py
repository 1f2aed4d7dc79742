"""Conjugate gradients for several right-hand sides at once, in two sweeps an iteration.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ember.errors import ArgumentError, BreakdownError
from ember.sparse.linalg.system import System, tolerance

_WAYS = ("error", "drop")


def block_cg(
    A: Any,
    B: Any,
    X0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float | None = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Callable[[Any], Any] | None = None,
    breakdown: str = "error",
) -> tuple[Any, int]:
    """Solves A X = B for a symmetric, positive definite A and the N columns of B together.

    Block conjugate gradients (O'Leary 1980): each iteration multiplies A by N directions, minimises
    the error of every column over all of them, and so needs fewer iterations than N solvers do.
    A and M are those of cg, B is n x N, and so is X0. callback: called with X after each iteration.

    breakdown: what happens where directions depend on each other, as they do where columns of B
    do. "error" raises BreakdownError, which has the iteration; "drop" leaves the direction out,
    and goes on with the others. A column whose residual is exactly 0 has no direction in any case.

    Returns X, and 0 if the residual of each column j is less than max(rtol * ||B[:,j]||, atol),
    or, where that is 0, is 0; else maxiter, which is 10 n by itself. Results depend on no number of
    threads.

    Raises ArgumentError, which is a ValueError, for what cg raises it for, and for an A that the
    first iteration finds not to be symmetric; BreakdownError also where A is not positive definite.
    """
    if breakdown not in _WAYS:
        raise ArgumentError(f"breakdown is one of {', '.join(_WAYS)}, and not {breakdown!r}")
    system = System(A, B, X0, M, is_block=True)
    with np.errstate(all="ignore"):
        norms = np.linalg.norm(system.right.reshape(system.shape).astype(np.float64), axis=0)
        limits = tolerance("block_cg", norms, rtol, atol)
        if not norms.any():
            return system.answer(np.zeros(system.shape, system.dtype)), 0
        system.prepare()
        steps = 10 * system.size if maxiter is None else maxiter
        return _Iteration(system, breakdown == "drop", callback).run(limits, steps)


class _Iteration:
    """The sweeps of an iteration, for any number of columns from one on."""

    def __init__(self, system: System, drops: bool, callback: Callable[[Any], Any] | None) -> None:
        self.system, self.drops = system, drops
        columns, preconditioner = system.columns, system.preconditioner
        system.vector("P", has_halo=True)
        system.vector("S")
        self.step, self.growth = system.number("step"), system.number("growth")
        column, times = (",n", "sum[m]({0}[i,m] * {1}[m,n])") if system.is_wide else ("", "")
        times = times or "{0}[i] * {1}[0]"
        residual = "R"
        if not preconditioner.is_fused:
            system.vector("Z")
            residual = "Z"
        direction = f"{residual}[i{column}]"
        if preconditioner.is_diagonal:
            direction = f"weights[i] * {direction}"
        advance = f"X[i{column}] += {times.format('P', 'step')}"
        turn = [f"P[i{column}] = {direction} + {times.format('P', 'growth')}"]
        if system.is_wide:
            # A row of P is read whole before any of it is written: it is made in a row of a tile.
            partition = system.partition
            rows = partition.tile * partition.block
            system.arrays["W"] = np.zeros((rows, columns), system.dtype)
            place = f"W[i-first*{partition.block},n]"
            turn = [f"{place} = {turn[0].partition(' = ')[2]}", f"P[i,n] = {place}"]
        # As in cg: X waits for the sweep that reads P anyway.
        self._waits = callback is None
        self._update = system.sweep(*([advance] if self._waits else []), *turn)
        self._finish = system.sweep(advance)
        self._product = system.product("S", "P", sums={"ps": ("P", "S")})
        weights = ("weights",) if preconditioner.is_diagonal else ()
        sums = {"rz": (*weights, "R", residual)}
        if drops:
            sums["sz"] = (*weights, "S", residual)
        squares = {} if preconditioner.is_none else {"rr": "R"}
        if not system.is_wide and squares:
            sums, squares = {**sums, "rr": ("R", "R")}, {}
        subtract = f"R[i{column}] -= {times.format('S', 'step')}"
        retreat = [*([] if self._waits else [advance]), subtract]
        self._measured_apart = not preconditioner.is_fused
        if self._measured_apart:
            self._residual = system.sweep(*retreat)
            self._measure = system.sweep(sums=sums, squares=squares)
        else:
            self._residual = system.sweep(*retreat, sums=sums, squares=squares)
            self._measure = system.sweep(sums=sums, squares=squares)
        self._last = self._measure
        self._tell = system.told(callback)

    def run(self, limits: np.ndarray, maxiter: int) -> tuple[Any, int]:
        """Iterates until all columns are below their limits."""
        info = maxiter
        self._weigh()
        kept: np.ndarray = np.arange(0)
        small, before = np.zeros((0, 0)), np.zeros((0, 0))
        for number in range(1, maxiter + 1):
            weights, squares = self._square("rz"), self._squares()
            norms = np.sqrt(squares)
            if ((norms < limits) | (norms == 0)).all():
                info = 0
                break
            if not np.isfinite(squares).all():
                break
            growth = np.zeros_like(weights)
            if len(kept) and self.drops:
                # Directions are orthogonal by A to those before: P = Z - P (S^T P)^-1 S^T Z.
                growth[kept] = -np.linalg.solve(small, self._square("sz")[kept])
            elif len(kept):
                # The same, as long as no direction is left out.
                growth[kept] = np.linalg.solve(before[np.ix_(kept, kept)], weights[kept])
            before = weights
            self.growth[...] = growth.reshape(self.growth.shape)
            self._product(ahead=self._update)
            energies = np.asarray(self._product.sum("ps"), np.float64).reshape(weights.shape)
            if not np.isfinite(energies).all():
                break
            kept = self._independent(energies, number)
            small = _symmetric(energies)[np.ix_(kept, kept)]
            step = np.zeros_like(weights)
            if len(kept):
                step[kept] = np.linalg.solve(small, weights[kept])
            self.step[...] = step.reshape(self.step.shape)
            self._residual()
            self._last = self._residual
            if self._measured_apart:
                self._weigh()
            self._tell()
        if self._waits:
            self._finish()
        return self.system.answer(), info

    def _weigh(self) -> None:
        """Sums of the residual by a sweep of their own."""
        if self._measured_apart:
            preconditioned = self.system.preconditioned(self.system.rows("R"))
            self.system.rows("Z")[...] = preconditioned
        self._measure()
        self._last = self._measure

    def _square(self, name: str) -> np.ndarray:
        """Sums of a sweep over the residual, N by N."""
        columns = self.system.columns
        return np.asarray(self._last.sum(name), np.float64).reshape(columns, columns)

    def _squares(self) -> np.ndarray:
        """Of each column of the residual."""
        if self.system.preconditioner.is_none:
            return np.diagonal(self._square("rz"))
        return np.asarray(self._last.sum("rr"), np.float64).reshape(-1)

    def _independent(self, energies: np.ndarray, number: int) -> np.ndarray:
        """Which directions are independent. Raises BreakdownError, and ArgumentError."""
        eps = float(np.finfo(self.system.dtype).eps)
        scale = np.sqrt(np.abs(energies.diagonal()))
        is_there = scale > 0
        scale[~is_there] = 1
        scaled = energies / scale / scale[:, None]
        if number == 1 and np.abs(scaled - scaled.T).max() > eps**0.25:
            raise ArgumentError("A is not symmetric: block_cg is for symmetric matrices")
        if (energies.diagonal() < 0).any():
            worst = int(energies.diagonal().argmin())
            raise BreakdownError(
                f"iteration {number}: A is not positive definite, as P^T A P is "
                f"{energies[worst, worst]:.3g} for the direction of column {worst}"
            )
        kept = independent_columns(_symmetric(scaled), np.flatnonzero(is_there), eps**0.75)
        if len(kept) < is_there.sum() and not self.drops:
            (first, *_) = sorted(set(np.flatnonzero(is_there)) - set(kept.tolist()))
            raise BreakdownError(
                f"iteration {number}: the direction of column {first} depends on the others, "
                f"{len(kept)} of {len(scaled)} are independent; breakdown='drop' leaves it out"
            )
        return kept


def _symmetric(square: np.ndarray) -> np.ndarray:
    """Without what rounding has made different on both sides of the diagonal."""
    return np.asarray((square + square.T) / 2)


def independent_columns(gram: np.ndarray, candidates: np.ndarray, tolerance: float) -> np.ndarray:
    """Columns of which a Gram matrix with a diagonal of ones says that they are independent.

    A Cholesky decomposition takes the column first that is farthest from those that are taken,
    until none is: the square of its sine to them is at most the tolerance.
    """
    rest, taken = gram.copy(), []
    left = list(candidates)
    while left:
        pivot = max(left, key=lambda column: rest[column, column])
        if not rest[pivot, pivot] > tolerance:
            break
        taken.append(pivot)
        left.remove(pivot)
        row = rest[pivot] / np.sqrt(rest[pivot, pivot])
        rest -= np.outer(row, row)
    return np.array(sorted(taken), np.int64)
