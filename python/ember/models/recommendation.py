"""Recommendation models as PyTorch programs write them: DLRM, wide and deep, DeepFM.

They are plain modules: nothing in them is about Ember.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import itertools
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from ember.models.tables import MLPERF_LENGTH, MLPERF_MULTI_HOT, MLPERF_ROWS

DENSE_FEATURES = 13
# The layers of MLPerf's DLRM, besides the length of rows and the interaction.
BOTTOM = (512, 256)
TOP = (1024, 1024, 512, 256)


def perceptron(sizes: Sequence[int], last: nn.Module | None = None) -> nn.Sequential:
    """Linear layers of these sizes with ReLU between them, and `last` behind."""
    layers: list[nn.Module] = []
    for one, other in itertools.pairwise(sizes):
        layers += [nn.Linear(one, other), nn.ReLU()]
    layers[-1:] = [] if last is None else [last]
    return nn.Sequential(*layers)


class DLRM(nn.Module):
    """Meta's deep learning recommendation model (arXiv:1906.00091) with dot interaction.

    rows: of each table; length: of their rows. forward takes dense (samples, 13), and for every
    table indices (lookups,) and offsets (samples,), and returns (samples, 1) probabilities.
    """

    def __init__(
        self,
        rows: Sequence[int],
        length: int = MLPERF_LENGTH,
        bottom: Sequence[int] = BOTTOM,
        top: Sequence[int] = TOP,
        sparse: bool = False,
    ) -> None:
        super().__init__()
        self.rows = tuple(rows)
        self.tables = nn.ModuleList(
            nn.EmbeddingBag(count, length, mode="sum", sparse=sparse) for count in rows
        )
        self.bottom = perceptron((DENSE_FEATURES, *bottom, length), nn.ReLU())
        vectors = len(rows) + 1
        # Every pair of different vectors once.
        self.pairs: Tensor
        self.register_buffer("pairs", torch.tril_indices(vectors, vectors, -1), persistent=False)
        interactions = vectors * (vectors - 1) // 2
        self.top = perceptron((length + interactions, *top, 1), nn.Sigmoid())

    def forward(self, dense: Tensor, indices: list[Tensor], offsets: list[Tensor]) -> Tensor:
        x = self.bottom(dense)
        bags = [
            table(one, ends) for table, one, ends in zip(self.tables, indices, offsets, strict=True)
        ]
        vectors = torch.stack([x, *bags], 1)
        products = torch.bmm(vectors, vectors.transpose(1, 2))
        interactions = products[:, self.pairs[0], self.pairs[1]]
        result: Tensor = self.top(torch.cat([x, interactions], 1))
        return result


def mlperf_model(most_rows: int, length: int = MLPERF_LENGTH, sparse: bool = False) -> DLRM:
    """DLRM with the 26 tables of MLPerf's, none of them with more than most_rows rows."""
    return DLRM([min(rows, most_rows) for rows in MLPERF_ROWS], length, sparse=sparse)


def multi_hot_inputs(
    model: DLRM,
    samples: int,
    seed: int = 0,
    lookups: Sequence[int] = MLPERF_MULTI_HOT,
) -> tuple[Tensor, list[Tensor], list[Tensor]]:
    """A batch for a DLRM: as many uniform lookups a sample in each table as `lookups` says.

    A ValueError says so where it does not name one number for each of the model's tables.
    """
    if len(lookups) != len(model.rows):
        raise ValueError(
            f"the model has {len(model.rows)} tables, but `lookups` says for {len(lookups)} how "
            "many rows a sample looks up; MLPerf's numbers, the default, are for its 26"
        )
    draw = torch.Generator().manual_seed(seed)
    dense = torch.rand(samples, DENSE_FEATURES, generator=draw)
    indices = [
        torch.randint(rows, (samples * count,), generator=draw)
        for rows, count in zip(model.rows, lookups, strict=True)
    ]
    offsets = [torch.arange(0, samples * count, count) for count in lookups]
    return dense, indices, offsets


class WideAndDeep(nn.Module):
    """A linear model of crossed features beside a network of embeddings (arXiv:1606.07792).

    crosses: rows of the wide table, of single weights. rows: of each field's table. forward takes
    dense (samples, 13); the crossed features that a sample has, as crossed (lookups,), their
    offsets (samples,) and their weights (lookups,); and the ids of every field, (ids,) with
    offsets (samples,). It returns (samples,) scores.
    """

    def __init__(
        self,
        crosses: int,
        rows: Sequence[int],
        length: int = 32,
        hidden: Sequence[int] = (256, 128),
    ) -> None:
        super().__init__()
        self.crosses, self.rows = crosses, tuple(rows)
        self.wide = nn.EmbeddingBag(crosses, 1, mode="sum")
        self.fields = nn.ModuleList(nn.EmbeddingBag(count, length) for count in rows)
        self.deep = perceptron((DENSE_FEATURES + len(rows) * length, *hidden, 1))
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(
        self,
        dense: Tensor,
        crossed: Tensor,
        crossed_offsets: Tensor,
        crossed_weights: Tensor,
        ids: list[Tensor],
        offsets: list[Tensor],
    ) -> Tensor:
        wide = self.wide(crossed, crossed_offsets, per_sample_weights=crossed_weights)
        fields = [
            field(one, ends) for field, one, ends in zip(self.fields, ids, offsets, strict=True)
        ]
        deep = self.deep(torch.cat([dense, *fields], dim=-1))
        result: Tensor = (wide + deep + self.bias).squeeze(1)
        return result


def wide_and_deep_inputs(
    model: WideAndDeep, samples: int, seed: int = 0, most: int = 9
) -> tuple[Tensor, Tensor, Tensor, Tensor, list[Tensor], list[Tensor]]:
    """A batch: up to `most` crossed features a sample, and ids in each field; some have none."""
    draw = torch.Generator().manual_seed(seed)
    dense = torch.rand(samples, DENSE_FEATURES, generator=draw)
    crossed, crossed_offsets = _bags(model.crosses, samples, most, draw)
    weights = torch.rand(len(crossed), generator=draw)
    bags = [_bags(rows, samples, most, draw) for rows in model.rows]
    ids, offsets = [list(one) for one in zip(*bags, strict=True)]
    return dense, crossed, crossed_offsets, weights, ids, offsets


def _bags(rows: int, samples: int, most: int, draw: torch.Generator) -> tuple[Tensor, Tensor]:
    """Indices and offsets of bags of 0 to `most` lookups."""
    sizes = torch.randint(most + 1, (samples,), generator=draw)
    return torch.randint(rows, (int(sizes.sum()),), generator=draw), sizes.cumsum(0) - sizes


class DeepFM(nn.Module):
    """A factorization machine and a network over the same embeddings (arXiv:1703.04247).

    rows: of each field's table, the first of which is padding. forward takes ids (samples, ids)
    for every field, filled up with zeros, and returns (samples,) scores.
    """

    def __init__(
        self, rows: Sequence[int], length: int = 16, hidden: Sequence[int] = (128, 64)
    ) -> None:
        super().__init__()
        self.rows = tuple(rows)
        self.linear = nn.ModuleList(
            nn.EmbeddingBag(count, 1, mode="sum", padding_idx=0) for count in rows
        )
        self.fields = nn.ModuleList(
            nn.EmbeddingBag(count, length, mode="mean", padding_idx=0) for count in rows
        )
        self.deep = perceptron((len(rows) * length, *hidden, 1))

    def forward(self, ids: list[Tensor]) -> Tensor:
        first = [weight(one) for weight, one in zip(self.linear, ids, strict=True)]
        fields = torch.stack([field(one) for field, one in zip(self.fields, ids, strict=True)], 1)
        # The sum of all products of two fields: the square of the sum holds each twice.
        pairs = (fields.sum(1).square() - fields.square().sum(1)).sum(1) / 2
        result: Tensor = (
            torch.cat(first, 1).sum(1) + pairs + self.deep(fields.flatten(1)).squeeze(1)
        )
        return result


def padded_inputs(model: DeepFM, samples: int, seed: int = 0, most: int = 6) -> tuple[list[Tensor]]:
    """A batch: 1 to `most` ids in each field, filled up with zeros; the first field has one."""
    draw = torch.Generator().manual_seed(seed)
    ids = []
    for place, rows in enumerate(model.rows):
        width = most if place else 1
        one = torch.randint(1, rows, (samples, width), generator=draw)
        sizes = torch.randint(1, width + 1, (samples, 1), generator=draw)
        ids.append(one * (torch.arange(width) < sizes))
    return (ids,)
