"""Models of edges and of segments: what is looked up for each edge is computed with, and combined.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import torch
import torch.nn.functional as functional
from torch import Tensor, nn


def sums_at(values: Tensor, places: Tensor, count: int) -> Tensor:
    """Sums (count, ...) of values (edges, ...) with the same place (edges,)."""
    return values.new_zeros(count, *values.shape[1:]).index_add(0, places, values)


class RaggedAttention(nn.Module):
    """Each user's items, however many, weighted by a softmax over them alone."""

    def __init__(self, items: int, length: int) -> None:
        super().__init__()
        self.items = nn.Embedding(items, length)
        self.query = nn.Parameter(torch.randn(length))

    def forward(self, items: Tensor, users: Tensor, count: int) -> Tensor:
        """Rows (count, length) of the items (lookups,) of users (lookups,)."""
        rows = self.items(items)
        scores = rows @ self.query
        most = scores.new_zeros(count).scatter_reduce(0, users, scores, "amax", include_self=False)
        powers = torch.exp(scores - most.detach()[users])
        weights = powers / sums_at(powers, users, count)[users]
        return sums_at(rows * weights.unsqueeze(1), users, count)


class Statistics(nn.Module):
    """Mean, maximum and deviation of the neighbours' rows in one (arXiv:2004.05718)."""

    def forward(self, x: Tensor, edges: Tensor) -> Tensor:
        """Rows (nodes, 3 * length) of rows (nodes, length) and edges (2, edges)."""
        rows, places = x[edges[0]], edges[1]
        count = sums_at(rows.new_ones(len(rows)), places, len(x)).clamp(min=1).unsqueeze(1)
        mean = sums_at(rows, places, len(x)) / count
        squares = sums_at(rows * rows, places, len(x)) / count
        most = torch.zeros_like(x).scatter_reduce(
            0, places.unsqueeze(1).expand_as(rows), rows, "amax", include_self=False
        )
        deviation = (squares - mean * mean).clamp(min=1e-5).sqrt()
        return torch.cat([mean, most, deviation], dim=1)


class Relations(nn.Module):
    """Rows of neighbours times the matrix of the edge's relation (R-GCN, arXiv:1703.06103)."""

    def __init__(self, relations: int, length: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(relations, length, length) / length**0.5)

    def forward(self, x: Tensor, edges: Tensor, kinds: Tensor) -> Tensor:
        """Rows (nodes, length) of rows, edges (2, edges) and their relations (edges,)."""
        result = torch.zeros_like(x)
        for relation, weight in enumerate(self.weight):
            source, target = edges[:, kinds == relation]
            result = result + sums_at(x[source], target, len(x)) @ weight
        return result


class SparseConvolution(nn.Module):
    """A convolution of points of a sparse grid: gather, multiply, scatter (arXiv:1904.08755)."""

    def __init__(self, offsets: int, length: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(offsets, length, length) / length**0.5)

    def forward(self, x: Tensor, pairs: Tensor, starts: list[int]) -> Tensor:
        """Rows (points, length) of rows and pairs (2, pairs) of points, which are sorted by offset
        of the kernel: those of offset k begin at starts[k]."""
        result = torch.zeros_like(x)
        for weight, begin, end in zip(self.weight, starts, starts[1:], strict=False):
            source, target = pairs[:, begin:end]
            result = result.index_add(0, target, x[source] @ weight)
        return result


class PairConvolution(nn.Module):
    """The same convolution as one product for each pair of points, as an equation has it."""

    def __init__(self, offsets: int, length: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(offsets, length, length) / length**0.5)

    def forward(self, x: Tensor, pairs: Tensor, offsets: Tensor) -> Tensor:
        """Rows (points, length) of rows, pairs (2, pairs) of points and the kernel's offset of
        each (pairs,)."""
        messages = torch.einsum("pc,pco->po", x[pairs[0]], self.weight[offsets])
        return sums_at(messages, pairs[1], len(x))


class MixtureOfExperts(nn.Module):
    """Two experts for each token: dispatch, a layer of each expert, weighted sums of both
    (arXiv:1701.06538)."""

    def __init__(self, experts: int, length: int) -> None:
        super().__init__()
        self.gate = nn.Linear(length, experts, bias=False)
        self.weight = nn.Parameter(torch.randn(experts, length, length) / length**0.5)

    def forward(self, tokens: Tensor) -> Tensor:
        """Rows (tokens, length) of rows."""
        weights, experts = torch.topk(torch.softmax(self.gate(tokens), dim=1), 2)
        weights = weights / weights.sum(1, keepdim=True)
        result = torch.zeros_like(tokens)
        for expert, weight in enumerate(self.weight):
            token, choice = torch.where(experts == expert)
            rows = functional.relu(tokens[token] @ weight)
            result = result.index_add(0, token, rows * weights[token, choice].unsqueeze(1))
        return result


class TensorProduct(nn.Module):
    """Equivariant products of neighbours' rows and of edges' harmonics (arXiv:1802.08219)."""

    def __init__(self, orders: int) -> None:
        super().__init__()
        self.coupling = nn.Parameter(torch.randn(orders, orders, orders))

    def forward(self, x: Tensor, edges: Tensor, harmonics: Tensor, weights: Tensor) -> Tensor:
        """Rows (nodes, length, orders) of rows, edges (2, edges), harmonics (edges, orders) and
        weights (edges, length)."""
        messages = torch.einsum(
            "eui,ej,ijk,eu->euk", x[edges[0]], harmonics, self.coupling, weights
        )
        return sums_at(messages, edges[1], len(x))


class Distances(nn.Module):
    """Distances of what samples' items are to what they are compared with."""

    def __init__(self, items: int, length: int) -> None:
        super().__init__()
        self.items = nn.Embedding(items, length)

    def forward(self, items: Tensor, others: Tensor) -> Tensor:
        """Distances (samples, each, other) of items (samples, each) and others (samples, other)."""
        return torch.cdist(self.items(items), self.items(others))
