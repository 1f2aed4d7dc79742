"""The least and the largest of a row's lanes: of NaN, infinities and zeros with their signs.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ember.sparse as es
import numpy as np
import pytest

LENGTHS = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33]
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.5, -1.5, 6e-8, -6e-8]


def rows_of(dtype: type, draw: list[float], seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.choice(np.array(draw, dtype), length) for length in LENGTHS]


def expected_of(row: np.ndarray, function: str) -> float:
    """-0 is less than 0; NaN is the result where it is there."""
    if not len(row):
        return np.inf if function == "min" else -np.inf
    found = row.min() if function == "min" else row.max()
    signs = np.signbit(row[row == 0])
    if found == 0:
        return np.copysign(found, -1 if (signs.any() if function == "min" else signs.all()) else 1)
    return found


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("function", ["min", "max"])
@pytest.mark.parametrize("draw", [SPECIAL, SPECIAL[:4], SPECIAL[:2], SPECIAL[5:]])
def test_special_numbers(dtype: type, function: str, draw: list[float]) -> None:
    for seed in range(5):
        rows = rows_of(dtype, draw, seed)
        pos = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
        text = f"y[i] = {function}[p in pos[i]:pos[i+1]](v[I[p]])"
        values = np.concatenate(rows)
        order = np.random.default_rng(seed).permutation(len(values))
        places = np.argsort(order)
        found = es.evaluate(text, pos=pos, v=values[order], I=places)
        expected = np.array([expected_of(row, function) for row in rows], dtype)
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(
            np.signbit(found[~np.isnan(found)]), np.signbit(expected[~np.isnan(expected)])
        )
