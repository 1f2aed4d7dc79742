"""Attention over the edges of a graph, in PyTorch's operations: one kernel, with its gradient.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ember
import torch
from torch import Tensor


def attention(x: Tensor, scores: Tensor, source: Tensor, target: Tensor) -> Tensor:
    """The sources' rows, weighted by the softmax of the scores over each target's edges."""
    most = scores.new_full((len(x),), -torch.inf).scatter_reduce(0, target, scores, "amax")
    powers = (scores - most[target]).exp()
    sums = scores.new_zeros(len(x)).index_add(0, target, powers)
    weights = powers / sums[target]
    return torch.zeros_like(x).index_add(0, target, weights.view(-1, 1) * x[source])


def inputs(nodes: int, edges: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Rows of nodes, scores of edges, and the edges' ends."""
    source, target = torch.randint(nodes, (2, edges))
    return torch.randn(nodes, 64), torch.randn(edges), source, target


if __name__ == "__main__":
    arguments = inputs(2000, 20000)
    compiled = torch.compile(attention, backend="ember")
    torch.testing.assert_close(compiled(*arguments), attention(*arguments))
    print(ember.explain(attention, *arguments))
