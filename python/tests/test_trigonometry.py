"""Sines and cosines that kernels compute without the C library: how near they are.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import numpy as np
import pytest
from ember.compiler import Options, load_program
from ember.kernel import Entry
from numpy.typing import NDArray

PROGRAM = """
func.func @sine_and_cosine(%x: memref<?xf32>, %s: memref<?xf32>, %c: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %angle = memref.load %x[%i] : memref<?xf32>
    %sine = math.sin %angle fastmath<afn> : f32
    %cosine = math.cos %angle fastmath<afn> : f32
    memref.store %sine, %s[%i] : memref<?xf32>
    memref.store %cosine, %c[%i] : memref<?xf32>
  }
  return
}
"""
DRAW = np.random.default_rng(3)
# Of small angles, of many turns, of zeros of both functions, and of what the C library does.
ANGLES = {
    "small": DRAW.uniform(-4, 4, 100_000),
    "tiny": DRAW.normal(0, 1e-4, 1000),
    "turns": DRAW.uniform(-10_000, 10_000, 100_000),
    "zeros": np.arange(-6000, 6000) * (np.pi / 2),
    "far": DRAW.uniform(-1e6, 1e6, 1000),
    "special": np.array([0, np.inf, 1, -np.inf, np.nan, 3e38, 10_000.001]),
}


@pytest.fixture(scope="module")
def kernel() -> Entry:
    return load_program(PROGRAM, Options()).entry("sine_and_cosine")


@pytest.mark.parametrize("name", ANGLES)
def test_two_units_in_the_last_place(kernel: Entry, name: str) -> None:
    angles = ANGLES[name].astype(np.float32)
    found = [np.empty_like(angles) for _ in range(2)]
    kernel(angles, *found)
    with np.errstate(invalid="ignore"):
        exact = [function(angles.astype(np.float64)) for function in (np.sin, np.cos)]
    for values, right in zip(found, exact, strict=True):
        unit: NDArray[np.float32] = np.spacing(np.abs(right).astype(np.float32))
        isnan = np.isnan(right)
        assert np.array_equal(np.isnan(values), isnan)
        assert np.all(np.abs(values - right)[~isnan] <= 2 * unit[~isnan].astype(np.float64))
