"""Sums of several rows that are computed at once: which rows these are, only the run knows.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ember.sparse as es
import numpy as np
import pytest

POINTS, MATRICES = 50, 4
# From none to such that are no multiple of how many are at once.
COUNTS = (0, 1, 3, 4, 5, 97)


def _rows(kind: str, count: int, rng: np.random.Generator) -> np.ndarray:
    if kind == "different":
        turns = [rng.permutation(POINTS) for _ in range(count // POINTS + 1)]
        return np.concatenate(turns)[:count]
    return rng.integers(0, 3 if kind == "often the same" else POINTS, count)


@pytest.mark.parametrize("channels", [(16, 16), (32, 32), (3, 20), (16, 5), (8, 64)])
@pytest.mark.parametrize("kind", ["different", "often the same", "any"])
def test_rows_and_matrices_that_are_looked_up(kind: str, channels: tuple[int, int]) -> None:
    """As in a sparse convolution; matrices are in order, or not."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((POINTS, channels[0]), np.float32)
    w = rng.standard_normal((MATRICES, *channels), np.float32)
    for count in COUNTS:
        to, at = _rows(kind, count, rng), rng.integers(0, POINTS, count)
        k = rng.integers(0, MATRICES, count)
        for which in (k, np.sort(k)):
            found = es.evaluate(
                "Y[to[p],o] += sum[c](X[at[p],c] * W[k[p],c,o])",
                **{"to": to, "at": at, "k": which, "X": x, "W": w},
                Y=es.Format(shape=(POINTS, channels[1])),
            )
            expected = np.zeros((POINTS, channels[1]))
            terms = np.einsum("pc,pco->po", x[at].astype(float), w[which].astype(float))
            np.add.at(expected, to, terms)
            np.testing.assert_allclose(found, expected, 1e-3, 1e-3)


@pytest.mark.parametrize(
    "sizes", [(16, 16, 64), (7, 5, 33), (2, 16, 16), (6, 2, 100), (5, 16, 128)]
)
def test_rows_of_blocks(sizes: tuple[int, int, int]) -> None:
    """Blocks of as many rows as are at once, of more, and of fewer."""
    rng = np.random.default_rng(0)
    rows, inner, columns = sizes
    blocks = 7
    b = rng.standard_normal((blocks, inner, columns), np.float32)
    for count in (0, 1, 10):
        row, col = rng.integers(0, blocks, count), rng.integers(0, blocks, count)
        v = rng.standard_normal((count, rows, inner), np.float32)
        found = es.evaluate(
            "C[row[p],a,n] += sum[c](V[p,a,c] * B[col[p],c,n])",
            **{"row": row, "col": col, "V": v, "B": b},
            C=es.Format(shape=(blocks, rows, columns)),
        )
        expected = np.zeros((blocks, rows, columns))
        np.add.at(expected, row, np.einsum("pac,pcn->pan", v.astype(float), b[col].astype(float)))
        np.testing.assert_allclose(found, expected, 1e-3, 1e-3)


@pytest.mark.parametrize("name", ["to", "at", "k"])
def test_an_index_out_of_bounds_among_several(name: str) -> None:
    """The one of several at once is named."""
    arrays: dict[str, np.ndarray] = {
        "to": np.arange(9),
        "at": np.arange(9),
        "k": np.zeros(9, np.int64),
        "X": np.ones((9, 4), np.float32),
        "W": np.ones((1, 4, 16), np.float32),
    }
    arrays[name][6] = 99
    with pytest.raises(IndexError, match=f"index 99 at position 6 of '{name}'"):
        es.evaluate(
            "Y[to[p],o] += sum[c](X[at[p],c] * W[k[p],c,o])", **arrays, Y=es.Format(shape=(9, 16))
        )
