"""Tensors and vectors as they were drawn for what is published.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# SplitMix64's.
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FACTORS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
#: Length and elements of the vectors of figure 4.14.
LENGTH = 2000
ELEMENTS = 400


def draws(seed: int, count: int) -> NDArray[np.uint64]:
    """Numbers of 64 bits."""
    with np.errstate(over="ignore"):
        state = np.uint64(seed) + _STEP * np.arange(1, count + 1, dtype=np.uint64)
        state = (state ^ (state >> np.uint64(30))) * _FACTORS[0]
        state = (state ^ (state >> np.uint64(27))) * _FACTORS[1]
        mixed: NDArray[np.uint64] = state ^ (state >> np.uint64(31))
        return mixed


def tensor(seed: int, position: int, shape: Sequence[int], density: float) -> NDArray[np.float64]:
    """A kernel's tensor number `position`; what is not stored is 0."""
    numbers = draws(10 * seed + position, math.prod(shape))
    is_stored = (numbers >> np.uint64(11)) < np.uint64(math.floor(density * 2.0**53))
    values = 1 + (numbers & np.uint64(0x7FF)) % np.uint64(9)
    return np.where(is_stored, values, 0).astype(np.float64).reshape(shape)


def random_vectors(sparsity: float) -> tuple[list[int], list[int]]:
    """Coordinates of two vectors that are drawn each by itself."""
    found = []
    for seed in (10, 11):
        threshold = np.uint64(math.floor((1 - sparsity) * 2.0**53))
        drawn = (draws(seed, LENGTH) >> np.uint64(11)) < threshold
        found.append([int(place) for place in np.nonzero(drawn)[0]])
    return found[0], found[1]


def vectors_of_runs(run: int) -> tuple[list[int], list[int]]:
    """Coordinates of two vectors that take turns with runs, and share one after both."""
    first: list[int] = []
    second: list[int] = []
    at = 0
    while at < LENGTH and min(len(first), len(second)) < ELEMENTS:
        for own in (first, second):
            count = min(run, max(0, ELEMENTS - len(own)), LENGTH - at)
            own += range(at, at + count)
            at += count
        if at < LENGTH:
            first.append(at)
            second.append(at)
            at += 1
    return first, second


def vectors_of_blocks(size: int) -> tuple[list[int], list[int]]:
    """Coordinates of two vectors of blocks."""
    found = []
    for seed in (10, 11):
        slots: dict[int, None] = {}
        for draw in draws(seed, 100 * ELEMENTS):
            if len(slots) * size >= ELEMENTS:
                break
            slots.setdefault(int(draw) % (LENGTH // size))
        found.append(sorted(slot * size + k for slot in slots for k in range(size)))
    return found[0], found[1]


def tiled_matrix(nonzeros: int, size: int) -> NDArray[np.int64]:
    """Rows and columns of the elements of the matrix B of figure 4.16, shape (elements, 2)."""
    numbers = draws(nonzeros * 100000 + size, 4 * nonzeros + 1000)
    places: dict[tuple[int, int], None] = {}
    for row, column in zip(numbers[::2], numbers[1::2], strict=False):
        if len(places) == nonzeros:
            break
        places.setdefault((int(row) % size, int(column) % size))
    return np.array(sorted(places), np.int64)
