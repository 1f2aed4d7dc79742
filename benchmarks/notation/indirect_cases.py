"""Indirect statements (the four of Insum) beside PyTorch's gathers, products and scatters, and
beside loops by hand.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from typing import Any

import ember.sparse as es
import numpy as np
import torch
from torch import Tensor

from benchmarks.notation import by_hand
from benchmarks.notation.case import (
    BY_HAND,
    COMPILED,
    EAGER,
    EMBER,
    INDIRECT,
    Case,
    Prepared,
    bytes_of,
)
from benchmarks.notation.limits import Phase, Rows


def _prepared(
    statement: str,
    arrays: dict[str, Tensor],
    shape: tuple[int, ...],
    by_torch: Callable[..., Any],
    in_cpp: Callable[[], Tensor] | None,
    multiply_adds: int,
    rows: Rows | None = None,
) -> Prepared:
    """A statement, and a function of the same tensors, eager and compiled.

    in_cpp: the same by hand. multiply_adds: in all. rows: what is looked up, where that is more
    than the caches hold.
    """
    result = {statement.partition("[")[0]: es.Format(shape=shape)}
    tensors = list(arrays.values())
    compiled = torch.compile(by_torch)

    def by_ember() -> Any:
        return es.evaluate(statement, **arrays, **result)

    out_bytes = int(np.prod(shape)) * tensors[-1].element_size()
    calls = {
        EAGER: lambda: by_torch(*tensors),
        COMPILED: lambda: compiled(*tensors),
        EMBER: by_ember,
    }
    if in_cpp:
        calls[BY_HAND] = in_cpp
    phases = [Phase(bytes_of(*tensors) + out_bytes, multiply_adds, rows)]
    return Prepared(calls, phases, lambda found: np.asarray(found))


def _coo_product(rows: int, per_row: int, length: int) -> Prepared:
    count = rows * per_row
    row = torch.randint(rows, (count,)).sort().values
    arrays = {
        "row": row,
        "col": torch.randint(rows, (count,)),
        "val": torch.randn(count),
        "B": torch.randn(rows, length),
    }

    def by_torch(row: Tensor, col: Tensor, val: Tensor, b: Tensor) -> Tensor:
        return b.new_zeros(rows, length).index_add_(0, row, val[:, None] * b[col])

    statement = "C[row[p],n] += val[p] * B[col[p],n]"
    looked_up = Rows(arrays["B"], arrays["col"])
    in_cpp = by_hand.coo_product(rows, *arrays.values())
    return _prepared(statement, arrays, (rows, length), by_torch, in_cpp, count * length, looked_up)


def _sparse_convolution(points: int, channels: int) -> Prepared:
    offsets, pairs = 27, points // 2
    arrays = {
        "to": torch.cat([torch.randperm(points)[:pairs].sort().values for _ in range(offsets)]),
        "at": torch.cat([torch.randperm(points)[:pairs].sort().values for _ in range(offsets)]),
        "k": torch.arange(offsets).repeat_interleave(pairs),
        "X": torch.randn(points, channels),
        "W": torch.randn(offsets, channels, channels) / channels,
    }

    def by_torch(to: Tensor, at: Tensor, k: Tensor, x: Tensor, w: Tensor) -> Tensor:
        terms = torch.einsum("pc,pco->po", x[at], w[k])
        return x.new_zeros(points, channels).index_add_(0, to, terms)

    statement = "Y[to[p],o] += sum[c](X[at[p],c] * W[k[p],c,o])"
    products = offsets * pairs * channels * channels
    in_cpp = by_hand.sparse_convolution(*arrays.values())
    return _prepared(statement, arrays, (points, channels), by_torch, in_cpp, products)


def _equivariant_product(batch: int, channels: int) -> Prepared:
    # As many as real Clebsch-Gordan coefficients up to degree 2 are not 0.
    terms, orders, paths = 83, 9, 11
    arrays = {
        "I": torch.randint(orders, (terms,)),
        "J": torch.randint(orders, (terms,)),
        "K": torch.randint(orders, (terms,)).sort().values,
        "L": torch.randint(paths, (terms,)),
        "V": torch.randn(terms),
        "X": torch.randn(batch, orders, channels),
        "Y": torch.randn(batch, orders),
        "W": torch.randn(batch, paths, channels),
    }

    def by_torch(
        i: Tensor, j: Tensor, k: Tensor, at: Tensor, v: Tensor, x: Tensor, y: Tensor, w: Tensor
    ) -> Tensor:
        products = torch.einsum("p,bpu,bp,bpu->bpu", v, x[:, i], y[:, j], w[:, at])
        return x.new_zeros(batch, orders, channels).index_add_(1, k, products)

    statement = "Z[b,K[p],u] += V[p] * X[b,I[p],u] * Y[b,J[p]] * W[b,L[p],u]"
    # Two products and a sum of each channel.
    products = 2 * batch * terms * channels
    in_cpp = by_hand.equivariant_product(*arrays.values())
    return _prepared(statement, arrays, (batch, orders, channels), by_torch, in_cpp, products)


def _block_product(blocks: int, per_row: int, size: int, length: int) -> Prepared:
    count = blocks * per_row
    arrays = {
        "row": torch.arange(blocks).repeat_interleave(per_row),
        "col": torch.randint(blocks, (count,)),
        "V": torch.randn(count, size, size),
        "B": torch.randn(blocks, size, length),
    }

    def by_torch(row: Tensor, col: Tensor, v: Tensor, b: Tensor) -> Tensor:
        terms = torch.einsum("pac,pcn->pan", v, b[col])
        return b.new_zeros(blocks, size, length).index_add_(0, row, terms)

    statement = "C[row[p],a,n] += sum[c](V[p,a,c] * B[col[p],c,n])"
    products = count * size * size * length
    in_cpp = by_hand.block_product(*arrays.values())
    return _prepared(statement, arrays, (blocks, size, length), by_torch, in_cpp, products)


def indirect_cases() -> list[Case]:
    """Two sizes of each."""
    return [
        Case(INDIRECT, "coo product, 64 columns", lambda: _coo_product(20_000, 16, 64)),
        Case(INDIRECT, "coo product, 16 columns", lambda: _coo_product(50_000, 8, 16), quick=False),
        Case(INDIRECT, "sparse convolution, 16", lambda: _sparse_convolution(2_000, 16)),
        Case(
            INDIRECT, "sparse convolution, 32", lambda: _sparse_convolution(2_000, 32), quick=False
        ),
        Case(INDIRECT, "equivariant product, 32", lambda: _equivariant_product(1_000, 32)),
        Case(
            INDIRECT,
            "equivariant product, 8",
            lambda: _equivariant_product(4_000, 8),
            quick=False,
        ),
        Case(INDIRECT, "block product, 16x16", lambda: _block_product(256, 8, 16, 64)),
        Case(INDIRECT, "block product, 32x32", lambda: _block_product(128, 8, 32, 64), quick=False),
    ]
