"""The model zoo: recommendation models and embeddings of words, as their authors write them.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from itertools import pairwise

import pytest
import torch
import torch.nn.functional as functional
from ember.models.recommendation import (
    DeepFM,
    WideAndDeep,
    mlperf_model,
    multi_hot_inputs,
    padded_inputs,
    wide_and_deep_inputs,
)
from model_zoo import WAYS, Batch, ZooModel, check_zoo_model
from torch import Tensor, nn

pytestmark = [pytest.mark.models, pytest.mark.usefixtures("fresh_dynamo")]

ROWS, LENGTH, FIELDS, SEEN = 60, 8, 5, 6
SIZES = (16, 1, 5, 64)


def drawn(*sizes: int, seed: int = 0, least: int = 0) -> Tensor:
    draw = torch.Generator().manual_seed(seed + sum(sizes))
    return torch.randint(least, ROWS, sizes, generator=draw)


def fields(samples: int) -> Batch:
    return (drawn(samples, FIELDS),)


def pairs(samples: int) -> Batch:
    return drawn(samples), drawn(samples, seed=1)


def histories(samples: int) -> Batch:
    """What users have seen, padded with 0, and an item."""
    lengths = 1 + torch.arange(samples) % SEEN
    seen = drawn(samples, SEEN, least=1) * (torch.arange(SEEN) < lengths[:, None])
    return seen, drawn(samples, seed=1)


def mlp(*sizes: int) -> nn.Sequential:
    parts: list[nn.Module] = []
    for inputs, outputs in pairwise(sizes):
        parts += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*parts[:-1])


class MatrixFactorization(nn.Module):
    """Users, items and their biases."""

    def __init__(self) -> None:
        super().__init__()
        self.users, self.items = nn.Embedding(ROWS, LENGTH), nn.Embedding(ROWS, LENGTH)
        self.user_bias, self.item_bias = nn.Embedding(ROWS, 1), nn.Embedding(ROWS, 1)

    def forward(self, user: Tensor, item: Tensor) -> Tensor:
        score = (self.users(user) * self.items(item)).sum(1)
        return score + self.user_bias(user).squeeze(1) + self.item_bias(item).squeeze(1)


class NeuralCollaborativeFiltering(nn.Module):
    """A factorization beside a perceptron, each with tables of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(ROWS, LENGTH) for _ in range(4))
        self.deep, self.last = mlp(2 * LENGTH, 16, LENGTH), nn.Linear(2 * LENGTH, 1)

    def forward(self, user: Tensor, item: Tensor) -> Tensor:
        one, two, three, four = self.tables
        deep = self.deep(torch.cat([three(user), four(item)], -1))
        return self.last(torch.cat([one(user) * two(item), deep], -1)).sigmoid()


class FactorizationMachine(nn.Module):
    """One table for all fields, each with an offset of its own; pairs by squares of sums."""

    offsets: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("offsets", torch.arange(FIELDS) * ROWS)
        self.table = nn.Embedding(FIELDS * ROWS, LENGTH)
        self.linear = nn.EmbeddingBag(FIELDS * ROWS, 1, mode="sum")
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.offsets
        rows = self.table(x)
        pairs = rows.sum(1).square() - rows.square().sum(1)
        return self.bias + self.linear(x).squeeze(1) + 0.5 * pairs.sum(1)


class DeepAndCross(nn.Module):
    """Cross layers beside a perceptron."""

    def __init__(self) -> None:
        super().__init__()
        width = FIELDS * LENGTH
        self.tables = nn.ModuleList(nn.Embedding(ROWS, LENGTH) for _ in range(FIELDS))
        self.cross = nn.ModuleList(nn.Linear(width, width) for _ in range(2))
        self.deep, self.last = mlp(width, 16, 8), nn.Linear(width + 8, 1)

    def forward(self, x: Tensor) -> Tensor:
        rows = torch.cat([table(x[:, k]) for k, table in enumerate(self.tables)], 1)
        crossed = rows
        for layer in self.cross:
            crossed = rows * layer(crossed) + crossed
        found: Tensor = self.last(torch.cat([crossed, self.deep(rows)], 1))
        return found


class DeepInterestNetwork(nn.Module):
    """Attention of an item to what a user has seen."""

    def __init__(self) -> None:
        super().__init__()
        self.items = nn.Embedding(ROWS, LENGTH, padding_idx=0)
        self.attention, self.last = mlp(4 * LENGTH, 16, 1), mlp(2 * LENGTH, 16, 1)

    def forward(self, seen: Tensor, item: Tensor) -> Tensor:
        keys, query = self.items(seen), self.items(item)
        queries = query.unsqueeze(1).expand_as(keys)
        both = torch.cat([queries, keys, queries - keys, queries * keys], -1)
        scores = self.attention(both).squeeze(-1).masked_fill(seen == 0, -1e9).softmax(1)
        interest = torch.bmm(scores.unsqueeze(1), keys).squeeze(1)
        found: Tensor = self.last(torch.cat([interest, query], 1))
        return found


class SelfAttentiveSequence(nn.Module):
    """SASRec: items and their places, causal attention, and scores of the last one."""

    def __init__(self) -> None:
        super().__init__()
        self.items = nn.Embedding(ROWS, LENGTH, padding_idx=0)
        self.places = nn.Embedding(SEEN, LENGTH)
        self.attention = nn.MultiheadAttention(LENGTH, 2, batch_first=True)
        self.norm, self.forward_layer = nn.LayerNorm(LENGTH), mlp(LENGTH, 16, LENGTH)

    def forward(self, seen: Tensor, item: Tensor) -> Tensor:
        places = torch.arange(seen.shape[1]).unsqueeze(0).expand_as(seen)
        rows = self.items(seen) * LENGTH**0.5 + self.places(places)
        rows = rows * (seen != 0).unsqueeze(-1)
        causal = torch.ones(SEEN, SEEN, dtype=torch.bool).triu(1)
        found, _ = self.attention(self.norm(rows), rows, rows, attn_mask=causal)
        rows = rows + found
        rows = rows + self.forward_layer(rows)
        return (rows[:, -1] * self.items(item)).sum(-1)


class TwoTowers(nn.Module):
    """A tower of users' histories and one of items, and scores of all pairs in a batch."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = nn.EmbeddingBag(ROWS, LENGTH, mode="mean", padding_idx=0)
        self.items = nn.Embedding(ROWS, LENGTH)
        self.user_tower, self.item_tower = mlp(LENGTH, 16, LENGTH), mlp(LENGTH, 16, LENGTH)

    def forward(self, seen: Tensor, item: Tensor) -> Tensor:
        users = functional.normalize(self.user_tower(self.seen(seen)), dim=1)
        items = functional.normalize(self.item_tower(self.items(item)), dim=1)
        return users @ items.t()


class YouTubeNetwork(nn.Module):
    """The mean of videos that were watched, and logits of all."""

    def __init__(self) -> None:
        super().__init__()
        self.videos = nn.Embedding(ROWS, LENGTH, padding_idx=0)
        self.searches = nn.Embedding(ROWS, LENGTH)
        self.tower = mlp(2 * LENGTH, 16, LENGTH)

    def forward(self, seen: Tensor, search: Tensor) -> Tensor:
        mask = (seen != 0).unsqueeze(-1)
        watched = (self.videos(seen) * mask).sum(1) / mask.sum(1).clamp(min=1)
        user = self.tower(torch.cat([watched, self.searches(search)], 1))
        return functional.log_softmax(functional.linear(user, self.videos.weight), 1)


class SkipGram(nn.Module):
    """word2vec: a word, one of its context, and words that are not."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(ROWS, LENGTH)
        self.contexts = nn.Embedding(ROWS, LENGTH)

    def forward(self, word: Tensor, context: Tensor, others: Tensor) -> Tensor:
        rows = self.words(word)
        near = functional.logsigmoid((rows * self.contexts(context)).sum(1))
        far = torch.bmm(self.contexts(others), rows.unsqueeze(2)).squeeze(2)
        return -(near + functional.logsigmoid(-far).sum(1))

    @staticmethod
    def batch(samples: int) -> Batch:
        return *pairs(samples), drawn(samples, 4, seed=2)


class ContinuousBag(nn.Module):
    """word2vec: a word from the mean of its context."""

    def __init__(self) -> None:
        super().__init__()
        self.contexts = nn.EmbeddingBag(ROWS, LENGTH, mode="mean")
        self.words = nn.Linear(LENGTH, ROWS)

    def forward(self, context: Tensor) -> Tensor:
        return functional.log_softmax(self.words(self.contexts(context)), 1)


def dlrm() -> ZooModel:
    model = mlperf_model(200, length=16)
    return ZooModel(lambda: model, lambda: [multi_hot_inputs(model, one, one) for one in SIZES])


def wide_and_deep() -> ZooModel:
    model = WideAndDeep(500, (50, 3, 200))
    return ZooModel(lambda: model, lambda: [wide_and_deep_inputs(model, one, one) for one in SIZES])


def deep_fm() -> ZooModel:
    model = DeepFM((50, 3, 200))
    return ZooModel(lambda: model, lambda: [padded_inputs(model, one, one) for one in SIZES])


def on_samples(make: Callable[[], nn.Module], batch: Callable[[int], Batch]) -> ZooModel:
    return ZooModel(make, lambda: [batch(samples) for samples in SIZES])


MODELS: dict[str, Callable[[], ZooModel]] = {
    "DLRM": dlrm,
    "wide & deep": wide_and_deep,
    "DeepFM": deep_fm,
    "matrix factorization": lambda: on_samples(MatrixFactorization, pairs),
    "NCF": lambda: on_samples(NeuralCollaborativeFiltering, pairs),
    "FM": lambda: on_samples(FactorizationMachine, fields),
    "DCN": lambda: on_samples(DeepAndCross, fields),
    "DIN": lambda: on_samples(DeepInterestNetwork, histories),
    "SASRec": lambda: on_samples(SelfAttentiveSequence, histories),
    "two towers": lambda: on_samples(TwoTowers, histories),
    "YouTube DNN": lambda: on_samples(YouTubeNetwork, histories),
    "word2vec, skip-gram": lambda: on_samples(SkipGram, SkipGram.batch),
    "word2vec, CBOW": lambda: on_samples(ContinuousBag, lambda one: (drawn(one, SEEN),)),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", MODELS)
def test_model(name: str, way: str) -> None:
    check_zoo_model(MODELS[name](), way)
