"""Models that compute everything from looked-up rows: no bag, and no layer, is a part of them.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import torch
import torch.nn.functional as functional
from torch import Tensor, nn


class FactorisationMachine(nn.Module):
    """Products of all pairs of a sample's features (Rendle, Factorization Machines, ICDM 2010)."""

    def __init__(self, features: int, length: int) -> None:
        super().__init__()
        self.vectors = nn.Embedding(features, length)

    def forward(self, index: Tensor) -> Tensor:
        """Scores (samples,) of features (samples, fields)."""
        rows = self.vectors(index)
        total = rows.sum(1)
        scores: Tensor = 0.5 * (total * total - (rows * rows).sum(1)).sum(1)
        return scores


class Interest(nn.Module):
    """A user's history as an item sees it: attention without layers, in the manner of deep interest
    networks (arXiv:1706.06978)."""

    def __init__(self, items: int, length: int) -> None:
        super().__init__()
        self.items = nn.Embedding(items, length)

    def forward(self, history: Tensor, item: Tensor) -> Tensor:
        """Rows (samples, length) of items seen (samples, each) and one item (samples,)."""
        seen, wanted = self.items(history), self.items(item)
        scores = (seen * wanted.unsqueeze(1)).sum(-1) / wanted.shape[1] ** 0.5
        weights = torch.softmax(scores, dim=1)
        interest: Tensor = (weights.unsqueeze(2) * seen).sum(1)
        return interest


class Matching(nn.Module):
    """Cosines of what is searched for and of items that are offered."""

    def __init__(self, items: int, length: int) -> None:
        super().__init__()
        self.items = nn.Embedding(items, length)

    def forward(self, offered: Tensor, item: Tensor) -> Tensor:
        """Cosines (samples, each) of items (samples, each) and one (samples,)."""
        return functional.cosine_similarity(
            self.items(offered), self.items(item).unsqueeze(1), dim=2
        )


class EdgeWeights(nn.Module):
    """GATv2's scores of edges (arXiv:2105.14491), by heads."""

    def __init__(self, heads: int, length: int) -> None:
        super().__init__()
        self.attention = nn.Parameter(torch.randn(1, heads, length))

    def forward(self, x: Tensor, edges: Tensor) -> Tensor:
        """Scores (edges, heads) of nodes' rows (nodes, heads, length) and edges (2, edges)."""
        both = x[edges[0]] + x[edges[1]]
        return (functional.leaky_relu(both, 0.2) * self.attention).sum(-1)
