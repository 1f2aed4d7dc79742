"""Models by statements, end to end, beside torch.sparse. Dense products are PyTorch's in both.

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
    EMBER,
    MODELS,
    TORCH_SPARSE,
    Case,
    Prepared,
    bytes_of,
)
from benchmarks.notation.limits import Phase, Rows


def _random_rows(rows: int, columns: int, per_row: int) -> Tensor:
    """A matrix by rows, with so many elements in each."""
    at = torch.stack([torch.randperm(columns)[:per_row].sort().values for _ in range(rows)])
    positions = torch.arange(rows + 1) * per_row
    values = torch.randn(rows * per_row) / per_row
    return torch.sparse_csr_tensor(
        positions, at.flatten(), values, (rows, columns), check_invariants=True
    )


def _product_by_hand(matrix: Tensor, x: Tensor) -> Callable[[], Tensor] | None:
    """A matrix by rows times a dense one."""
    rows = torch.arange(len(matrix)).repeat_interleave(matrix.crow_indices().diff())
    return by_hand.coo_product(len(matrix), rows, matrix.col_indices(), matrix.values(), x)


def _graph_convolution_by_hand(
    graph: Tensor, x: Tensor, first: Tensor, second: Tensor
) -> Callable[[], Tensor] | None:
    """Sums of neighbours by hand between PyTorch's dense products."""
    nodes = len(x)
    inner, outer = x.new_empty(nodes, first.shape[1]), x.new_empty(nodes, second.shape[1])
    add_inner, add_outer = _product_by_hand(graph, inner), _product_by_hand(graph, outer)
    if add_inner is None or add_outer is None:
        return None

    def run() -> Tensor:
        torch.mm(x, first, out=inner)
        torch.mm(add_inner().relu_(), second, out=outer)
        return add_outer()

    return run


def _graph_convolution(nodes: int, degree: int, features: int, hidden: int) -> Prepared:
    graph = _random_rows(nodes, nodes, degree)
    matrix = es.asarray(graph)
    x, first = torch.randn(nodes, features), torch.randn(features, hidden) / features
    second = torch.randn(hidden, 16) / hidden

    def by_torch() -> Any:
        layer = torch.relu(torch.sparse.mm(graph, x @ first))
        return torch.sparse.mm(graph, layer @ second)

    def by_ember() -> Any:
        layer = es.evaluate("H[i,e] = relu(sum[j](A[i,j] * X[j,e]))", A=matrix, X=x @ first)
        return es.evaluate("Y[i,e] = sum[j](A[i,j] * X[j,e])", A=matrix, X=layer @ second)

    calls = {TORCH_SPARSE: by_torch, EMBER: by_ember}
    if in_cpp := _graph_convolution_by_hand(graph, x, first, second):
        calls[BY_HAND] = in_cpp
    at, layer = graph.col_indices(), torch.ones(nodes, hidden)
    phases = [
        Phase(multiply_adds=nodes * features * hidden),
        Phase(bytes_of(matrix, layer, layer), rows=Rows(layer, at)),
        Phase(multiply_adds=nodes * hidden * 16),
        Phase(bytes_of(matrix), rows=Rows(layer[:, :16].contiguous(), at)),
    ]
    return Prepared(calls, phases, lambda found: np.asarray(found))


def _autoencoder_by_hand(
    encoder: Tensor, decoder: Tensor, x: Tensor, b: Tensor, c: Tensor
) -> Callable[[], Tensor] | None:
    """Sums of rows by hand; what is done with each of them in place, by PyTorch."""
    code = x.new_zeros(len(encoder), x.shape[1])
    add_encoded, add_decoded = _product_by_hand(encoder, x), _product_by_hand(decoder, code)
    if add_encoded is None or add_decoded is None:
        return None

    def run() -> Tensor:
        torch.clamp(add_encoded().add_(b[:, None]), min=0, out=code)
        return add_decoded().add_(c[:, None]).sigmoid_()

    return run


def _autoencoder(inputs: int, hidden: int, per_row: int, batch: int) -> Prepared:
    encoder = _random_rows(hidden, inputs, per_row)
    decoder = _random_rows(inputs, hidden, per_row)
    matrices = es.asarray(encoder), es.asarray(decoder)
    x, b, c = torch.randn(inputs, batch), torch.randn(hidden), torch.randn(inputs)
    hidden_rows = torch.ones(hidden, batch)
    layer = "H[i,b] = {}(sum[j](A[i,j] * X[j,b]) + c[i])"

    def by_torch() -> Any:
        code = torch.relu(torch.sparse.mm(encoder, x) + b[:, None])
        return torch.sigmoid(torch.sparse.mm(decoder, code) + c[:, None])

    def by_ember() -> Any:
        code = es.evaluate(layer.format("relu"), A=matrices[0], X=x, c=b)
        return es.evaluate(layer.format("sigmoid"), A=matrices[1], X=code, c=c)

    calls = {TORCH_SPARSE: by_torch, EMBER: by_ember}
    if in_cpp := _autoencoder_by_hand(encoder, decoder, x, b, c):
        calls[BY_HAND] = in_cpp
    phases = [
        Phase(bytes_of(matrices[0], x, hidden_rows), rows=Rows(x, encoder.col_indices())),
        Phase(bytes_of(matrices[1], x, hidden_rows), rows=Rows(hidden_rows, decoder.col_indices())),
    ]
    return Prepared(calls, phases, lambda found: np.asarray(found))


_ATTENTION = """
S[p,a,c] = scale * sum[d](Q[i[p],a,d] * K[j[p],c,d])
m[i,a] = max[p in at[i]:at[i+1], c](S[p,a,c])
E[p,a,c] = exp(S[p,a,c] - m[i[p],a])
z[i,a] = sum[p in at[i]:at[i+1], c](E[p,a,c])
O[i,a,d] = sum[p in at[i]:at[i+1], c](E[p,a,c] * V[j[p],c,d]) / z[i,a]
"""


def _block_attention(blocks: int, per_row: int, size: int, length: int) -> Prepared:
    """Attention of each block of queries to some blocks of keys."""
    ends = torch.stack([torch.randperm(blocks)[:per_row].sort().values for _ in range(blocks)])
    rows = torch.arange(blocks).repeat_interleave(per_row)
    q, k, v = (torch.randn(blocks, size, length) for _ in range(3))
    scale = length**-0.5
    mask = torch.zeros(blocks, blocks).index_put_((rows, ends.flatten()), torch.ones(()))
    whole = mask.repeat_interleave(size, 0).repeat_interleave(size, 1).to_sparse_csr()
    flat = [part.reshape(blocks * size, length) for part in (q, k, v)]
    zero = torch.sparse_csr_tensor(
        whole.crow_indices(),
        whole.col_indices(),
        torch.zeros_like(whole.values()),
        whole.shape,
        check_invariants=True,
    )
    arrays: dict[str, Any] = {
        "Q": q,
        "K": k,
        "V": v,
        "i": rows,
        "j": ends.flatten(),
        "at": torch.arange(blocks + 1) * per_row,
        "scale": scale,
    }

    def by_torch() -> Any:
        scores = torch.sparse.sampled_addmm(zero, flat[0], flat[1].T, alpha=scale)
        weights = torch.sparse.softmax(scores.to_sparse_coo(), 1)
        return torch.sparse.mm(weights, flat[2]).reshape(blocks, size, length)

    def by_ember() -> Any:
        return es.evaluate(_ATTENTION.strip(), **arrays)[-1]

    calls = {TORCH_SPARSE: by_torch, EMBER: by_ember}
    # Scores, and sums of values by them.
    products = 2 * blocks * per_row * size * size * length
    phases = [Phase(bytes_of(q, k, v, q), products)]
    return Prepared(calls, phases, lambda found: np.asarray(found))


def model_cases() -> list[Case]:
    """A graph convolution, a sparse autoencoder, a block-sparse transformer's attention."""
    return [
        Case(MODELS, "gcn", lambda: _graph_convolution(20_000, 16, 64, 32)),
        Case(MODELS, "sparse autoencoder", lambda: _autoencoder(8_000, 2_000, 32, 64)),
        Case(MODELS, "block-sparse attention", lambda: _block_attention(32, 6, 32, 64)),
    ]
