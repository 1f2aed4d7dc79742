"""BiCGStab, for matrices that are not symmetric, in three sweeps an iteration.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ember.sparse.linalg.system import System, norm_of, tolerance

# What SciPy returns where a product that is divided by comes to nothing.
_NO_RHO, _NO_OMEGA = -10, -11


def bicgstab(
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
    """Solves A x = b for any square A, as scipy.sparse.linalg.bicgstab does.

    Arguments, results and errors are those of cg; info is -10 or -11 where the method breaks down,
    as SciPy's is. callback: called with x, which is changed in place, after each iteration.
    """
    system = System(A, b, x0, M)
    with np.errstate(all="ignore"):
        norm = norm_of(system.right)
        limit = tolerance("bicgstab", norm, rtol, atol)
        if norm == 0:
            return system.answer(np.zeros_like(system.right)), 0
        system.prepare()
        info = _iterate(system, limit, 10 * system.size if maxiter is None else maxiter, callback)
        return system.answer(), info


def _iterate(
    system: System, limit: float, maxiter: int, callback: Callable[[Any], Any] | None
) -> int:
    """Changes X in place; returns what SciPy calls info."""
    preconditioner = system.preconditioner
    system.vector("P", has_halo=True)
    for name in ("V", "T", "R0"):
        system.vector(name)
    system.arrays["R0"][...] = system.arrays["R"]
    step, growth, omega = (system.number(name) for name in ("step", "growth", "omega"))
    is_plain = preconditioner.is_none
    # What A multiplies; R is also what SciPy calls s, in the middle of an iteration.
    p_hat, s_hat = ("P", "R") if is_plain else ("PH", "RH")
    turn = "P[i] = R[i] + growth[0] * (P[i] - omega[0] * V[i])"
    retreat = "R[i] -= step[0] * V[i]"
    if not is_plain:
        system.vector("PH", has_halo=True)
        system.vector("RH", has_halo=True)
    fused = preconditioner.is_diagonal
    update = system.sweep(turn, *(["PH[i] = weights[i] * P[i]"] if fused else []))
    first = system.product("V", p_hat, sums={"rv": ("R0", "V")})
    halve = system.sweep(
        retreat, *(["RH[i] = weights[i] * R[i]"] if fused else []), sums={"rr": ("R", "R")}
    )
    second = system.product("T", s_hat, sums={"ts": ("T", "R"), "tt": ("T", "T")})
    sums = {"rr": ("R", "R"), "rho": ("R0", "R")}
    measure = system.sweep(sums=sums)
    advance = f"X[i] += step[0] * {p_hat}[i]"
    finish = system.sweep(
        f"{advance} + omega[0] * {s_hat}[i]", "R[i] -= omega[0] * T[i]", sums=sums
    )
    stop = system.sweep(advance)
    tell = system.told(callback)

    def precondition(target: str, source: str) -> None:
        if not preconditioner.is_fused:
            system.rows(target)[...] = system.preconditioned(system.rows(source))

    smallest = np.finfo(system.dtype).eps ** 2
    measure()
    last, before = measure, None
    for _ in range(maxiter):
        square, rho = last.sum("rr"), last.sum("rho")
        if np.sqrt(square) < limit:
            return 0
        if np.abs(rho) < smallest:
            return _NO_RHO
        if not np.isfinite(square):
            return maxiter
        if before is not None:
            if np.abs(omega[0]) < smallest:
                return _NO_OMEGA
            growth[0] = (rho / before) * (step[0] / omega[0])
        if preconditioner.is_fused:
            first(ahead=update)
        else:
            update()
            precondition("PH", "P")
            first()
        product = first.sum("rv")
        if product == 0:
            return _NO_OMEGA
        step[0] = rho / product
        if preconditioner.is_fused:
            # The product follows the sweep that writes R, and R's norm is known behind both.
            second(ahead=halve)
        else:
            halve()
        if np.sqrt(halve.sum("rr")) < limit:
            stop()
            return 0
        if not preconditioner.is_fused:
            precondition("RH", "R")
            second()
        omega[0] = second.sum("ts") / second.sum("tt")
        finish()
        last, before = finish, rho
        tell()
    return maxiter
