"""Conjugate gradients for one right-hand side, in two sweeps an iteration.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ember.sparse.linalg.system import System, norm_of, tolerance


def cg(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float | None = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Callable[[Any], Any] | None = None,
) -> tuple[Any, int]:
    """Solves A x = b for a symmetric, positive definite A, as scipy.sparse.linalg.cg does.

    A: a sparse matrix of SciPy, PyTorch or PyData, es.Array, a dense one, or what has matvec and
    shape. b: n numbers, of NumPy or a tensor; x is of the same library, f32 if A and b are, else
    f64. x0: where to begin; "Mb" for M @ b. M: about the inverse of A: its diagonal, n numbers, or
    a matrix or operator. A diagonal costs no sweep of its own. callback: called with x, which is
    changed in place, after each iteration; x is then brought up to date in each.

    Returns x, and 0 if ||b - A x|| < max(rtol * ||b||, atol), else maxiter, which is 10 n by
    itself. Iterates are those of SciPy to rounding, and depend on no number of threads. Where
    numbers overflow, or A is singular, it stops early with the x that SciPy has in the end.

    Raises ArgumentError, which is a ValueError, for shapes that do not fit, complex arrays, and
    elements that are infinite or NaN.
    """
    system = System(A, b, x0, M)
    with np.errstate(all="ignore"):
        norm = norm_of(system.right)
        limit = tolerance("cg", norm, rtol, atol)
        if norm == 0:
            return system.answer(np.zeros_like(system.right)), 0
        system.prepare()
        return _iterate(system, limit, 10 * system.size if maxiter is None else maxiter, callback)


def _iterate(
    system: System, limit: float, maxiter: int, callback: Callable[[Any], Any] | None
) -> tuple[Any, int]:
    preconditioner = system.preconditioner
    system.vector("P", has_halo=True)
    system.vector("S")
    step, growth = system.number("step"), system.number("growth")
    if preconditioner.is_fused:
        direction = preconditioner.term("R")
    else:
        system.vector("Z")
        direction = "Z[i]"
        weigh = system.sweep(sums={"rz": ("R", "Z")})
    advance = "X[i] += step[0] * P[i]"
    # X is next read by the caller: it waits for the sweep that reads P anyway, unless there is one
    # who looks at each iterate.
    waits = callback is None
    update = system.sweep(*([advance] if waits else []), f"P[i] = {direction} + growth[0] * P[i]")
    finish = system.sweep(advance)
    product = system.product("S", "P", sums={"ps": ("P", "S")})
    sums: dict[str, tuple[str, ...]] = {"rr": ("R", "R")}
    if preconditioner.is_diagonal:
        sums["rz"] = ("weights", "R", "R")
    measure = system.sweep(sums=sums)
    residual = system.sweep(*([] if waits else [advance]), "R[i] -= step[0] * S[i]", sums=sums)
    tell = system.told(callback)
    measure()
    last = measure
    before = None
    info = maxiter
    for _ in range(maxiter):
        square = last.sum("rr")
        if np.sqrt(square) < limit:
            info = 0
            break
        if not np.isfinite(square):
            break
        if preconditioner.is_none:
            weight = square
        elif preconditioner.is_diagonal:
            weight = last.sum("rz")
        else:
            system.rows("Z")[...] = system.preconditioned(system.rows("R"))
            weigh()
            weight = weigh.sum("rz")
        growth[0] = 0 if before is None else weight / before
        product(ahead=update)
        step[0] = weight / product.sum("ps")
        residual()
        last, before = residual, weight
        tell()
    if waits:
        finish()
    return system.answer(), info
