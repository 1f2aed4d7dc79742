"""A graph network as PyTorch programs write it: two layers of GraphSAGE.

It is a plain module: nothing in it is about Ember.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import torch
from torch import Tensor, nn


class MeanLayer(nn.Module):
    """A layer of GraphSAGE (arXiv:1706.02216): a node's own row and the mean of its neighbours'.

    forward takes x (nodes, features) and, for every edge, source (edges,) and target (edges,), and
    returns (nodes, hidden).
    """

    def __init__(self, features: int, hidden: int) -> None:
        super().__init__()
        self.neighbours = nn.Linear(features, hidden)
        self.own = nn.Linear(features, hidden, bias=False)

    def forward(self, x: Tensor, source: Tensor, target: Tensor) -> Tensor:
        sums = torch.zeros_like(x).index_add(0, target, x[source])
        ones = torch.ones(len(target), dtype=x.dtype)
        counts = x.new_zeros(len(x)).index_add(0, target, ones).clamp(min=1)
        result: Tensor = self.neighbours(sums / counts.unsqueeze(1)) + self.own(x)
        return result


class GraphNetwork(nn.Module):
    """Two such layers with ReLU between them; returns (nodes, classes) scores."""

    def __init__(self, features: int, hidden: int, classes: int) -> None:
        super().__init__()
        self.first = MeanLayer(features, hidden)
        self.second = MeanLayer(hidden, classes)

    def forward(self, x: Tensor, source: Tensor, target: Tensor) -> Tensor:
        scores: Tensor = self.second(self.first(x, source, target).relu(), source, target)
        return scores
