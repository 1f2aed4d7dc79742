"""GMRES: each basis vector is subtracted in the sweep that multiplies by the next one.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ember.errors import ArgumentError
from ember.sparse.evaluate import evaluate
from ember.sparse.linalg.sweep import Sweep
from ember.sparse.linalg.system import System, norm_of, tolerance

_CALLBACKS = ("x", "pr_norm", "legacy")
_RESTART = 20


def gmres(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float | None = 0.0,
    restart: int | None = None,
    maxiter: int | None = None,
    M: Any = None,
    callback: Callable[[Any], Any] | None = None,
    callback_type: str | None = None,
) -> tuple[Any, int]:
    """Solves A x = b for any square A, as scipy.sparse.linalg.gmres does.

    restart: iterations between restarts, 20 by itself and n at most. maxiter: restarts, 10 n by
    itself. callback_type: "x" calls with x after each restart; "pr_norm" with the norm of the
    preconditioned residual, divided by that of b, after each iteration; "legacy", which is taken
    if nothing is said, does that, too, and has maxiter count iterations. All else is as for cg.
    """
    if callback_type not in (None, *_CALLBACKS):
        raise ArgumentError(f"Unknown callback_type: {callback_type!r}")
    if restart is not None and restart < 1:
        raise ArgumentError(f"restart is a number of iterations, from 1 on, and not {restart}")
    kind = None if callback is None else callback_type or "legacy"
    system = System(A, b, x0, M)
    with np.errstate(all="ignore"):
        norm = norm_of(system.right)
        limit = tolerance("gmres", norm, rtol, atol)
        if norm == 0:
            return system.answer(np.zeros_like(system.right)), 0
        system.prepare()
        length = min(_RESTART if restart is None else restart, system.size)
        solver = _Restarts(system, limit, norm, length, callback, kind)
        info = solver.run(10 * system.size if maxiter is None else maxiter)
        return system.answer(), info


class _Restarts:
    """Krylov spaces of some length, one after the other."""

    def __init__(
        self,
        system: System,
        limit: float,
        norm: float,
        length: int,
        callback: Callable[[Any], Any] | None,
        kind: str | None,
    ) -> None:
        self.system, self.limit, self.norm, self.length = system, limit, norm, length
        self._callback, self._kind = callback, kind
        self._inner = 0
        partition = system.partition
        # A row for each vector of the basis; A multiplies V, which has room around it.
        system.arrays["Q"] = self._basis = np.zeros((length + 1, partition.padded), system.dtype)
        for name in ("V", "S"):
            system.vector(name, has_halo=True)
        if not system.preconditioner.is_none:
            system.vector("W")
        self._vector = "S" if system.preconditioner.is_none else "W"
        self._factor = system.number("factor")
        name = self._vector
        self._multiply = system.product("S", "V")
        self._first = self._sweep(0, [], {"ww": (name, name), "hw": ("basis", name)})
        subtract = [f"{name}[i] -= factor[0] * basis[i]"]
        # For each vector: it is subtracted, and what is left multiplied by the next one or itself.
        self._steps = [self._sweep(row, subtract, {"hw": ("next", name)}) for row in range(length)]
        self._lasts = [self._sweep(row, subtract, {"ww": (name, name)}) for row in range(length)]
        self._residual = system.sweep(sums={"rr": ("R", "R")})

    def _sweep(
        self, number: int, statements: list[str], sums: Mapping[str, tuple[str, ...]]
    ) -> Sweep:
        """A sweep that reads a vector of the basis, and the one behind it."""
        system = self.system
        basis = {"basis": self._basis[number], "next": self._basis[number + 1]}
        arrays = {**system.arrays, **basis}
        return Sweep(statements, system.partition, arrays, system.dtype, sums)

    def run(self, maxiter: int) -> int:
        """Changes X in place; returns what SciPy calls info."""
        system = self.system
        is_legacy = self._kind == "legacy"
        norm = self._residual_norm()
        if norm < self.limit and maxiter > 0:
            return 0
        weighed = norm_of(system.preconditioned(system.right))
        factor = 1.0
        eps = float(np.finfo(system.dtype).eps)
        aim = weighed * min(factor, self.limit / self.norm)
        for _ in range(maxiter):
            estimate, is_exact = self._restart(aim, maxiter if is_legacy else None)
            self._find_residual()
            norm = self._residual_norm()
            if is_legacy and self._inner == maxiter:
                return 0 if norm <= self.limit else maxiter
            if self._kind == "x" and self._callback is not None:
                self._callback(system.answer())
            # The same where nothing is finite any more: no restart changes that.
            if norm <= self.limit or is_exact or not np.isfinite(norm):
                break
            is_misled = estimate <= aim
            factor = max(eps, 0.25 * factor) if is_misled else min(1.0, 1.5 * factor)
            aim = estimate * min(factor, self.limit / norm)
        return 0 if norm <= self.limit else maxiter

    def _residual_norm(self) -> float:
        self._residual()
        return float(np.sqrt(self._residual.sum("rr")))

    def _find_residual(self) -> None:
        """R = b - A x."""
        system = self.system
        system.product("S", "X")()
        system.rows("R")[...] = system.right
        system.arrays["R"] -= system.arrays["S"]

    def _restart(self, aim: float, most: int | None) -> tuple[float, bool]:
        """One Krylov space. Returns the norm of the preconditioned residual as rotations have it,
        and whether the space has the exact solution."""
        system, length = self.system, self.length
        eps = float(np.finfo(system.dtype).eps)
        basis = self._basis[:, : system.size]
        basis[0] = system.preconditioned(system.rows("R"))
        start = norm_of(basis[0])
        basis[0] *= system.dtype.type(1 / start)
        triangle = np.zeros((length + 1, length))
        rotations = np.zeros((length, 2))
        right = np.zeros(length + 1)
        right[0] = start
        is_exact, estimate, column = False, start, 0
        for column in range(length):
            column_of = triangle[:, column]
            before, after = self._orthogonalize(column, column_of)
            column_of[column + 1] = after
            is_exact = after <= eps * before
            if is_exact:
                column_of[column + 1] = 0
            else:
                np.multiply(
                    system.rows(self._vector), system.dtype.type(1 / after), out=basis[column + 1]
                )
            for row in range(column):
                cosine, sine = rotations[row]
                upper, lower = column_of[row : row + 2]
                column_of[row : row + 2] = (
                    cosine * upper + sine * lower,
                    cosine * lower - sine * upper,
                )
            upper, lower = column_of[column : column + 2]
            length_of = np.hypot(upper, lower)
            rotations[column] = (upper / length_of, lower / length_of) if length_of else (1, 0)
            cosine, sine = rotations[column]
            column_of[column : column + 2] = cosine * upper + sine * lower, 0
            right[column : column + 2] = cosine * right[column], -sine * right[column]
            estimate = abs(float(right[column + 1]))
            self._inner += 1
            if self._kind in ("legacy", "pr_norm") and self._callback is not None:
                self._callback(estimate / self.norm)
            if self._inner == most or estimate <= aim or is_exact:
                break
        self._advance(triangle[: column + 1, : column + 1], right[: column + 1].copy())
        return estimate, is_exact

    def _orthogonalize(self, column: int, products: np.ndarray) -> tuple[float, float]:
        """Multiplies a vector of the basis by A and M, and subtracts what lies along the basis:
        products. Returns the norms before and after that."""
        system = self.system
        system.arrays["V"][...] = self._basis[column]
        self._multiply()
        if not system.preconditioner.is_none:
            system.rows("W")[...] = system.preconditioned(system.rows("S"))
        # Modified Gram-Schmidt: a vector is subtracted in the sweep that multiplies by the next.
        sweep = self._first
        sweep()
        before = float(np.sqrt(sweep.sum("ww")))
        for row in range(column):
            products[row] = self._factor[0] = sweep.sum("hw")
            sweep = self._steps[row]
            sweep()
        products[column] = self._factor[0] = sweep.sum("hw")
        last = self._lasts[column]
        last()
        return before, float(np.sqrt(last.sum("ww")))

    def _advance(self, triangle: np.ndarray, right: np.ndarray) -> None:
        """Adds the least-squares solution to X, with 0 where the triangle is singular."""
        column = len(right) - 1
        if triangle[column, column] == 0:
            right[column] = 0
        for row in range(column, -1, -1):
            if right[row] != 0:
                right[row] /= triangle[row, row]
                right[:row] -= right[row] * triangle[:row, row]
        factors = right.astype(self.system.dtype)
        evaluate(
            "x[i] += sum[k](factors[k] * basis[k,i])",
            x=self.system.rows("X"),
            factors=factors,
            basis=self._basis[: len(factors), : self.system.size],
        )
