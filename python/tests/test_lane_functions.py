"""Functions that kernels compute of lanes without the C library: how near they are.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import numpy as np
import pytest
import torch
from ember.compiler import Notation, Options, load_program
from ember.kernel import Entry

# Each with the most that it is away from what is exact, in units of the last place.
FUNCTIONS = {"exp": 1.0, "expm1": 1.5, "log": 1.0, "log1p": 1.0, "erf": 1.1}
STEPS = {"round": 0.0, "trunc": 0.0, "floor": 0.0, "ceil": 0.0}
DRAW = np.random.default_rng(3)
SPECIAL = [0.0, 1.0, 0.5, 1.5, 2.5, 88.72, 88.73, 89.0, 104.0, 127.5, 3e38, 1e-45, 1e-38]
NUMBERS = {
    "ones": DRAW.uniform(-4, 4, 100_000),
    "hundreds": DRAW.uniform(-110, 110, 100_000),
    "of_any_size": np.exp2(DRAW.uniform(-149, 128, 100_000)) * DRAW.choice([-1, 1], 100_000),
    "around_1": 1 + DRAW.normal(0, 1e-3, 10_000),
    "above_-1": -1 + np.exp2(DRAW.uniform(-24, 0, 10_000)),
    "special": np.array([*SPECIAL, *(-number for number in SPECIAL), np.inf, -np.inf, np.nan]),
}


def kernel_of(function: str, element: str) -> Entry:
    types = (f"--type=x:{element}", f"--type=y:{element}")
    return load_program(Notation(f"y[i] = {function}(x[i])", types), Options()).entry("kernel")


def check(function: str, dtype: type, most: float) -> None:
    """Compares with what f64 rounds to: where that is infinite, no number, or 0 of a sign, too."""
    kernel = kernel_of(function, f"f{np.dtype(dtype).itemsize * 8}")
    for name, numbers in NUMBERS.items():
        with np.errstate(over="ignore", under="ignore"):
            given = numbers.astype(dtype)
            exact = getattr(torch, function)(torch.from_numpy(given).double()).numpy()
            right = exact.astype(dtype)
        found = np.empty_like(given)
        kernel(given, found)
        is_finite = np.isfinite(right)
        assert np.array_equal(np.isfinite(found), is_finite), (function, name)
        assert np.array_equal(np.isnan(found), np.isnan(right)), (function, name)
        is_number = ~np.isnan(right)
        assert np.array_equal(np.signbit(found)[is_number], np.signbit(right)[is_number])
        unit = np.spacing(np.abs(right[is_finite])).astype(np.float64)
        error = np.abs(found[is_finite].astype(np.float64) - exact[is_finite]) / unit
        assert error.max(initial=0) <= most, (function, name, given[is_finite][error.argmax()])


@pytest.mark.parametrize("function", FUNCTIONS)
def test_units_in_the_last_place(function: str) -> None:
    check(function, np.float32, FUNCTIONS[function])


@pytest.mark.parametrize("function", STEPS)
def test_steps_are_exact(function: str) -> None:
    check(function, np.float32, 0)
    check(function, np.float64, 0)


@pytest.mark.parametrize("function", ["expm1", "log1p", "erf"])
def test_the_library_is_called_by_what_is_near_0(function: str) -> None:
    check(function, np.float64, 1)
    check(function, np.float16, 1)
