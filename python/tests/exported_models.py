"""Models for the tests of exports, with example arguments and batches of other sizes.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.export import Dim


class Recommender(nn.Module):
    """Numbers of a user beside bags of three tables, and a layer over all of it."""

    def __init__(self) -> None:
        super().__init__()
        self.tables = nn.ModuleList(nn.EmbeddingBag(90, 16, mode="sum") for _ in range(3))
        self.top = nn.Linear(4 + 3 * 16, 2)

    def forward(self, dense: Tensor, indices: list[Tensor], offsets: list[Tensor]) -> Tensor:
        bags = [
            table(some, begins)
            for table, some, begins in zip(self.tables, indices, offsets, strict=True)
        ]
        found: Tensor = torch.sigmoid(self.top(torch.cat([dense, *bags], 1)))
        return found

    @staticmethod
    def batch(size: int, lookups: int) -> tuple[Any, ...]:
        """Arguments; every table has other lookups."""
        indices = [torch.randint(0, 90, (lookups + k,)) for k in range(3)]
        offsets = [torch.linspace(0, lookups, size).long() for _ in range(3)]
        return torch.randn(size, 4), indices, offsets


class Convolution(nn.Module):
    """Sums of neighbours, weighted, behind a layer."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(12, 8)

    def forward(self, x: Tensor, edges: Tensor, weights: Tensor) -> dict[str, Tensor]:
        x = self.layer(x)
        messages = weights.view(-1, 1) * x.index_select(0, edges[0])
        out = x.new_zeros(x.shape[0], x.shape[1]).index_add_(0, edges[1], messages)
        return {"nodes": out, "mean": out.mean(0)}

    @staticmethod
    def batch(nodes: int, edges: int) -> tuple[Any, ...]:
        """Arguments."""
        ends = torch.randint(0, nodes, (2, edges))
        return torch.randn(nodes, 12), ends, torch.randn(edges)


class Scores(nn.Module):
    """Distances of triples of a knowledge graph."""

    def __init__(self) -> None:
        super().__init__()
        self.entities = nn.Embedding(40, 24)
        self.relations = nn.Embedding(7, 24)

    def forward(self, head: Tensor, relation: Tensor, tail: Tensor) -> Tensor:
        moved = self.entities(head) + self.relations(relation)
        return -(moved - self.entities(tail)).norm(p=2, dim=-1)

    @staticmethod
    def batch(size: int) -> tuple[Any, ...]:
        """Arguments."""
        return tuple(torch.randint(0, most, (size,)) for most in (40, 7, 40))


@dataclass
class Case:
    """A model, how its sizes change, its example, and batches of other sizes."""

    model: nn.Module
    dynamic_shapes: Any
    example: tuple[Any, ...]
    others: list[tuple[Any, ...]]
    kinds: set[str]


def cases() -> dict[str, Case]:
    """The cases by name; the same numbers every time."""
    torch.manual_seed(3)
    batch, nodes, edges = Dim("batch"), Dim("nodes"), Dim("edges")
    sizes: list[Any] = [{0: Dim.DYNAMIC}] * 3
    return {
        "recommender": Case(
            Recommender().eval(),
            ({0: batch}, sizes, [{0: batch}] * 3),
            Recommender.batch(6, 30),
            [Recommender.batch(*size) for size in ((2, 5), (9, 80), (33, 33))],
            {"bags"},
        ),
        "convolution": Case(
            Convolution().eval(),
            ({0: nodes}, {1: edges}, {0: edges}),
            Convolution.batch(7, 30),
            [Convolution.batch(*size) for size in ((3, 2), (20, 100), (50, 9))],
            {"statements"},
        ),
        "scores": Case(
            Scores().eval(),
            ({0: batch},) * 3,
            Scores.batch(5),
            [Scores.batch(size) for size in (2, 17, 200)],
            {"row_score"},
        ),
    }
