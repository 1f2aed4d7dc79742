"""backend="ember": models as people write them by hand, with lookups spelled in their own ways.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import functools
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as functional
from compiled_models import check_forward, check_training
from torch import Tensor, nn

ROWS, LENGTH, SEEN = 60, 8, 6
SIZES = (5, 3, 16)
Batch = tuple[Any, ...]

pytestmark = pytest.mark.usefixtures("fresh_dynamo")


def drawn(*sizes: int, least: int = 0, seed: int = 0) -> Tensor:
    return torch.randint(least, ROWS, sizes, generator=torch.Generator().manual_seed(seed))


class Fields(nn.Module):
    """One table a field; the fields are the columns of one batch."""

    def __init__(self) -> None:
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(ROWS, LENGTH) for _ in range(4))
        self.linear = nn.Linear(4 * LENGTH, 1)

    def forward(self, fields: Tensor) -> Tensor:
        rows = [table(fields[:, k]) for k, table in enumerate(self.tables)]
        return self.linear(torch.cat(rows, 1))

    @staticmethod
    def batch(samples: int) -> Batch:
        return (drawn(samples, 4, seed=samples),)


class Lists(nn.Module):
    """Lists of indices and of offsets, and weights of rows that are looked up themselves."""

    def __init__(self) -> None:
        super().__init__()
        self.bags = nn.ModuleList(nn.EmbeddingBag(ROWS, LENGTH, mode="sum") for _ in range(3))
        self.weights = nn.ParameterList(torch.rand(ROWS) for _ in range(3))
        self.linear = nn.Linear(LENGTH, LENGTH)

    def forward(self, dense: Tensor, offsets: list[Tensor], indices: list[Tensor]) -> Tensor:
        found = [self.linear(dense).relu()]
        for bag, weight, *one in zip(self.bags, self.weights, indices, offsets, strict=True):
            found.append(bag(*one, per_sample_weights=weight.gather(0, one[0])))
        return torch.cat(found, dim=1)

    @staticmethod
    def batch(samples: int) -> Batch:
        # Some bags are empty. No two sizes are equal at first: torch.compile would keep them so.
        sizes = [torch.arange(samples) % (k + 2) * 3 for k in range(3)]
        return (
            torch.linspace(-1, 1, samples * LENGTH).view(samples, LENGTH),
            [size.cumsum(0) - size for size in sizes],
            [drawn(int(size.sum()), seed=k) for k, size in enumerate(sizes)],
        )


class History(nn.Module):
    """The mean of what a user has seen: a padded history, a mask that is used twice."""

    def __init__(self) -> None:
        super().__init__()
        self.items = nn.Embedding(ROWS, LENGTH)
        self.linear = nn.Linear(2 * LENGTH, 1)

    def forward(self, seen: Tensor, item: Tensor) -> Tensor:
        mask = (seen != 0).unsqueeze(-1).float()
        user = (self.items(seen) * mask).sum(1) / mask.sum(1).clamp(min=1)
        return self.linear(torch.cat([user, self.items(item)], -1))

    @staticmethod
    def batch(samples: int) -> Batch:
        seen = drawn(samples, SEEN, seed=samples)
        return seen * (torch.arange(SEEN) <= seen[:, :1] % SEEN), drawn(samples)


class Hashed(nn.Module):
    """Two small tables for the quotients and remainders of a large one, multiplied."""

    def __init__(self) -> None:
        super().__init__()
        self.quotients = nn.Parameter(torch.randn(8, LENGTH))
        self.remainders = nn.Parameter(torch.randn(8, LENGTH))

    def forward(self, indices: Tensor, offsets: Tensor) -> Tensor:
        high = (indices / 8).long()
        one = functional.embedding_bag(high, self.quotients, offsets, mode="sum")
        other = functional.embedding_bag(indices % 8, self.remainders, offsets, mode="sum")
        return one * other

    @staticmethod
    def batch(samples: int) -> Batch:
        return drawn(3 * samples, seed=samples), torch.arange(0, 3 * samples, 3)


class Factors(nn.Module):
    """Two ways to score a user and an item, as in neural collaborative filtering."""

    def __init__(self) -> None:
        super().__init__()
        self.tables = nn.ModuleDict(
            {
                name: nn.Embedding(ROWS, LENGTH)
                for name in ("user", "item", "deep_user", "deep_item")
            }
        )
        self.linear = nn.Linear(2 * LENGTH, LENGTH)

    def forward(self, user: Tensor, item: Tensor) -> Tensor:
        deep = torch.cat((self.tables["deep_user"](user), self.tables["deep_item"](item)), dim=-1)
        shallow = self.tables["user"](user) * self.tables["item"](item)
        return torch.cat((shallow, self.linear(deep).relu()), -1).sum(-1).sigmoid()

    @staticmethod
    def batch(samples: int) -> Batch:
        return drawn(samples, seed=1), drawn(samples, seed=2)


class Ranking(nn.Module):
    """A user's score of an item against that of another one."""

    def __init__(self) -> None:
        super().__init__()
        self.users, self.items = nn.Embedding(ROWS, LENGTH), nn.Embedding(ROWS, LENGTH)

    def forward(self, user: Tensor, item: Tensor, other: Tensor) -> Tensor:
        rows = self.users(user)
        difference = (rows * self.items(item)).sum(-1) - (rows * self.items(other)).sum(-1)
        return -functional.logsigmoid(difference)

    @staticmethod
    def batch(samples: int) -> Batch:
        return drawn(samples), drawn(samples, seed=1), drawn(samples, seed=2)


class Sequence(nn.Module):
    """Rows that are scaled, and added to, in place, ahead of attention over a history."""

    def __init__(self) -> None:
        super().__init__()
        self.items = nn.Embedding(ROWS, LENGTH, padding_idx=0)
        self.places = nn.Embedding(SEEN + 1, LENGTH, padding_idx=0)
        self.attention = nn.MultiheadAttention(LENGTH, 2, batch_first=True)

    def forward(self, seen: Tensor, item: Tensor) -> Tensor:
        rows = self.items(seen)
        rows *= LENGTH**0.5
        places = torch.arange(1, seen.shape[1] + 1).repeat(seen.shape[0], 1)
        places *= seen != 0
        rows += self.places(places)
        found, _ = self.attention(rows, rows, rows, need_weights=False)
        return (found[:, -1] * self.items(item)).sum(-1)

    batch = staticmethod(History.batch)


class Words(nn.Module):
    """A word's context: the mean of rows, and a bag of hashed pairs of words."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(ROWS, LENGTH)
        self.pairs = nn.EmbeddingBag(32, LENGTH, mode="mean")
        self.linear = nn.Linear(2 * LENGTH, ROWS)

    def forward(self, context: Tensor) -> Tensor:
        pairs = (context[:, :-1] * 1000003 + context[:, 1:]) % 32
        rows = torch.cat([self.words(context).mean(dim=1), self.pairs(pairs)], 1)
        return functional.log_softmax(self.linear(rows), -1)

    @staticmethod
    def batch(samples: int) -> Batch:
        return (drawn(samples, SEEN, seed=samples),)


# Each with the kinds of its kernels.
MODELS: dict[type[Any], set[str]] = {
    Fields: {"row_score"},
    Lists: {"bags"},
    History: {"bag"},
    Hashed: {"bag"},
    Factors: {"bags", "row_score"},
    Ranking: {"row_score"},
    Sequence: {"row_score"},
    Words: {"bags"},
}
# Attention learns in large steps, which add to what sums are rounded by.
TOLERANCES = {Sequence: {"rtol": 1e-3, "atol": 1e-4}}


@pytest.fixture(params=MODELS, ids=lambda model: model.__name__)
def made(request: pytest.FixtureRequest) -> tuple[Any, set[str]]:
    torch.manual_seed(0)
    return request.param(), MODELS[request.param]


def test_forward(made: tuple[Any, set[str]]) -> None:
    model, kinds = made
    heard = check_forward(model, [model.batch(samples) for samples in SIZES])
    assert heard.kinds() == kinds
    assert len(heard.reports) == 1


def test_training(made: tuple[Any, set[str]]) -> None:
    model, kinds = made
    heard = check_training(
        model,
        [model.batch(samples) for samples in SIZES],
        lambda result, batch: result.square().mean(),
        functools.partial(torch.optim.SGD, lr=0.05),
        **TOLERANCES.get(type(model), {}),
    )
    assert heard.kinds() == kinds


def check_error(call: Callable[..., Any], eager: Callable[..., Any], batch: Batch) -> None:
    """The call's error is of the kind that PyTorch raises."""
    with pytest.raises((IndexError, RuntimeError)) as expected:
        eager(*batch)
    with pytest.raises(expected.type, match=r"out of (range|bounds)"):
        call(*batch)


def test_index_outside_of_a_table(made: tuple[Any, set[str]]) -> None:
    model, _ = made
    if isinstance(model, Hashed):
        pytest.skip("all numbers are hashed into the tables")
    batch = model.batch(4)
    run = torch.compile(model, backend="ember", dynamic=True)
    with torch.no_grad():
        run(*batch)
        *others, last = batch
        last = [*last[:-1], last[-1] + ROWS] if isinstance(last, list) else last + ROWS
        check_error(run, model, (*others, last))
        torch.testing.assert_close(run(*batch), model(*batch))
