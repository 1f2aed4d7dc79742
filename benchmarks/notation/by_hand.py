"""Indirect statements in C++ as an expert writes them: what code can reach on this machine.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ctypes
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import torch
from torch import Tensor

from benchmarks.native import NoLibraryError, load_library

SOURCE = Path(__file__).with_name("by_hand.cpp")
# Of sums, as Ember's: multiplies and adds are one operation.
FLAGS = ("-ffast-math",)
_DISTANCES = (0, 8, 16, 32)
_TURNS = 5


@cache
def _library() -> ctypes.CDLL | None:
    try:
        return load_library(SOURCE, *FLAGS)
    except NoLibraryError:
        return None


def by_hand(name: str, out: Tensor, *arguments: Tensor | int) -> Callable[[], Tensor] | None:
    """A call of a function of by_hand.cpp, which writes and returns `out`, the array behind the
    last of the inputs; None where nothing compiles it.

    Raises ValueError for sizes that it has no code for.
    """
    library = _library()
    if library is None:
        return None
    function = library[name]
    inputs = [one for one in arguments if isinstance(one, Tensor)]
    sizes = [ctypes.c_int64(one) for one in arguments if isinstance(one, int)]
    given = [ctypes.c_void_p(one.data_ptr()) for one in (*inputs, out)]

    def call() -> Tensor:
        # Tensors that addresses are of live as long as this function.
        if function(*given, *sizes) != 0:
            raise ValueError(f"{name} has no code for {[one.shape for one in inputs]}")
        return out

    return call


def best_of(calls: list[Callable[[], Tensor] | None]) -> Callable[[], Tensor] | None:
    """The fastest of some calls."""
    known = [call for call in calls if call]
    return min(known, key=least_seconds) if known else None


def least_seconds(call: Callable[[], object]) -> float:
    """The least seconds of some calls."""
    best = float("inf")
    for _ in range(_TURNS):
        started = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - started)
    return best


def coo_product(
    rows: int, row: Tensor, col: Tensor, val: Tensor, b: Tensor
) -> Callable[[], Tensor] | None:
    """C[row[p],n] += val[p] * B[col[p],n], with sorted rows."""
    out = b.new_empty(rows, b.shape[1])
    return best_of(
        [
            by_hand("coo_product", out, row, col, val, b, len(val), rows, b.shape[1], distance)
            for distance in _DISTANCES
        ]
    )


def sparse_convolution(
    to: Tensor, at: Tensor, k: Tensor, x: Tensor, w: Tensor
) -> Callable[[], Tensor] | None:
    """Y[to[p],o] += sum[c](X[at[p],c] * W[k[p],c,o]), where pairs of the same k are side by side
    and add to different rows.
    """
    points, channels = x.shape
    return by_hand(
        "sparse_convolution", torch.empty_like(x), to, at, k, x, w, len(to), points, channels
    )


def equivariant_product(
    i: Tensor, j: Tensor, k: Tensor, at: Tensor, v: Tensor, x: Tensor, y: Tensor, w: Tensor
) -> Callable[[], Tensor] | None:
    """Z[b,K[p],u] += V[p] * X[b,I[p],u] * Y[b,J[p]] * W[b,L[p],u], with sorted K."""
    batch, orders, channels = x.shape
    sizes = (len(v), batch, orders, w.shape[1], channels)
    return by_hand("equivariant_product", torch.empty_like(x), i, j, k, at, v, x, y, w, *sizes)


def block_product(row: Tensor, col: Tensor, v: Tensor, b: Tensor) -> Callable[[], Tensor] | None:
    """C[row[p],a,n] += sum[c](V[p,a,c] * B[col[p],c,n]) of 64 columns, with sorted rows."""
    sizes = (len(v), len(b), v.shape[1])
    return by_hand("block_product", torch.empty_like(b), row, col, v, b, *sizes)


def multiply_adds(count: int) -> Callable[[], object] | None:
    """So many of floats, in registers; None where nothing compiles that."""
    library = _library()
    return (lambda: library.multiply_add(ctypes.c_int64(count))) if library else None
