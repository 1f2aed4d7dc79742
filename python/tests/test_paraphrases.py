"""backend="ember": the same mathematics in other words gets the same kind of kernel.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
import random
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as functional
from compiled_models import check_function
from drawn_cases import SEED
from paraphrases import OPERATIONS, Text, Writer, written
from random_programs import tried
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

pytestmark = pytest.mark.usefixtures("fresh_dynamo")

ROWS, LENGTH, LOOKUPS = 50, 12, 17
# Of each operation, in so many drawn words.
DRAWN = 4
# Of tables T and R, and places h, r and t: rows whose elements are multiplied and added up.
Spelling = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]
PRODUCTS: dict[str, Spelling] = {
    "einsum of three": lambda T, R, h, r, t: torch.einsum("bd,bd,bd->b", T[h], R[r], T[t]),
    "einsum of two": lambda T, R, h, r, t: torch.einsum("bd,bd->b", T[h] * R[r], T[t]),
    "functions": lambda T, R, h, r, t: torch.sum(torch.mul(torch.mul(T[h], R[r]), T[t]), dim=-1),
    "kept": lambda T, R, h, r, t: (T[h] * R[r] * T[t]).sum(1, keepdim=True).squeeze(1),
    "bmm": lambda T, R, h, r, t: torch.bmm((T[h] * R[r]).unsqueeze(1), T[t].unsqueeze(2)).view(-1),
    "matmul": lambda T, R, h, r, t: ((T[h] * R[r])[:, None, :] @ T[t][:, :, None]).flatten(),
    "vecdot": lambda T, R, h, r, t: torch.linalg.vecdot(T[h] * R[r], T[t]),
    "index_select": lambda T, R, h, r, t: (
        T.index_select(0, h) * torch.index_select(R, 0, r) * T.index_select(-2, t)
    ).sum(-1),
    "embedding": lambda T, R, h, r, t: (
        functional.embedding(h, T) * functional.embedding(r, R) * functional.embedding(t, T)
    ).sum(-1),
    "gather": lambda T, R, h, r, t: (T.gather(0, h[:, None].expand(-1, LENGTH)) * R[r] * T[t]).sum(
        -1
    ),
    "take_along_dim": lambda T, R, h, r, t: (
        torch.take_along_dim(T, h[:, None].expand(-1, LENGTH), 0) * R[r] * T[t]
    ).sum(-1),
    "transposed": lambda T, R, h, r, t: (T[h].T * R[r].T * T[t].T).sum(0),
    "stacked places": lambda T, R, h, r, t: _of_pair(T[torch.stack([h, t])], R[r]),
    "places behind another": lambda T, R, h, r, t: _of_halves(T[torch.cat([h, t])], R[r]),
    "mean": lambda T, R, h, r, t: (T[h] * R[r] * T[t]).mean(1) * LENGTH,
    "by heads": lambda T, R, h, r, t: (
        T[h].view(-1, 3, 4) * R[r].view(-1, 3, 4) * T[t].unflatten(1, (3, 4))
    ).sum((1, 2)),
    "product of a stack": lambda T, R, h, r, t: torch.stack((T[h], R[r], T[t])).prod(0).sum(-1),
    "any of a stack": lambda T, R, h, r, t: (
        torch.stack((T[h] > 0, R[r] > 0, T[t] > 1)).any(0) * T[h]
    ).sum(-1),
    "all of a stack": lambda T, R, h, r, t: (
        torch.stack((T[h] > 0, R[r] > -1)).all(0).logical_not() * T[t]
    ).sum(-1),
    "operators": lambda T, R, h, r, t: _of_operators(torch.ops.aten, T, R, h, r, t),
    "computed again": lambda T, R, h, r, t: _again(lambda: (T[h] * R[r] * T[t]).sum(1)),
    "diagonal": lambda T, R, h, r, t: ((T[h] * R[r]) @ T[t].T).diagonal(),
    "diagonal of inner products": lambda T, R, h, r, t: torch.inner(T[h] * R[r], T[t]).diag(),
    "elements of a product": lambda T, R, h, r, t: (T @ R.T)[h, r] * T[t, 0],
    "flat table": lambda T, R, h, r, t: (T.reshape(-1).view(ROWS, LENGTH)[h] * R[r]).sum(-1),
}
# Distances of rows.
DISTANCES: dict[str, Spelling] = {
    "norm": lambda T, R, h, r, t: -torch.norm(T[h] + R[r] - T[t], dim=1),
    "linalg.norm": lambda T, R, h, r, t: -torch.linalg.norm(T[h] + R[r] - T[t], dim=1),
    "linalg.norm of order 1": lambda T, R, h, r, t: (
        -torch.linalg.norm(T[h] + R[r] - T[t], ord=1, dim=-1)
    ),
    "pairwise_distance": lambda T, R, h, r, t: -functional.pairwise_distance(T[h] + R[r], T[t]),
    "powers": lambda T, R, h, r, t: -((T[h] + R[r] - T[t]) ** 2).sum(1).sqrt(),
    "square": lambda T, R, h, r, t: -torch.square(T[h] + R[r] - T[t]).sum(1).pow(0.5),
    "abs": lambda T, R, h, r, t: -(T[h] + R[r] - T[t]).abs().sum(1),
    "alpha": lambda T, R, h, r, t: -torch.sub(torch.add(T[h], R[r]), T[t], alpha=2).abs().sum(1),
    "l1_loss": lambda T, R, h, r, t: (
        -functional.l1_loss(T[h] + R[r], T[t], reduction="none").sum(1)
    ),
    "mse_loss": lambda T, R, h, r, t: (
        -functional.mse_loss(T[h] + R[r], T[t], reduction="none").sum(1)
    ),
    "cosine": lambda T, R, h, r, t: functional.cosine_similarity(T[h] * R[r], T[t]),
}
# Functions of rows, and of what rows are reduced to.
FUNCTIONS: dict[str, Spelling] = {
    "logsigmoid": lambda T, R, h, r, t: functional.logsigmoid((T[h] * T[t]).sum(1)),
    "softplus": lambda T, R, h, r, t: functional.softplus((T[h] * T[t]).sum(1)),
    "expit": lambda T, R, h, r, t: torch.special.expit((T[h] * R[r]).sum(1)),
    "halves": lambda T, R, h, r, t: (T[h][:, :6] * R[r][:, 6:]).sum(1),
    "heads": lambda T, R, h, r, t: (T[h].view(-1, 3, 4) * R[r].view(-1, 3, 4)).sum(2),
    "amax": lambda T, R, h, r, t: (T[h] * R[r]).amax(1),
    "logsumexp": lambda T, R, h, r, t: (T[h] * R[r]).logsumexp(1),
    "var": lambda T, R, h, r, t: (T[h] * R[r]).var(1),
    "clamp": lambda T, R, h, r, t: (T[h] * R[r]).clamp(min=0).sum(1),
    "relu": lambda T, R, h, r, t: functional.relu(T[h] - R[r]).sum(1),
    "silu": lambda T, R, h, r, t: functional.silu(T[h] + R[r]).sum(1),
    "exp2": lambda T, R, h, r, t: (T[h] - R[r]).exp2().sum(1),
    "where": lambda T, R, h, r, t: torch.where(T[h] > 0, T[h], R[r]).sum(1),
    "mask": lambda T, R, h, r, t: (T[h] * (R[r] > 0)).sum(1),
    "masked_fill": lambda T, R, h, r, t: T[h].masked_fill(T[t] < 0, 0.0).sum(1),
    "matrix and vector": lambda T, R, h, r, t: T[h] @ R[0],
    "inner": lambda T, R, h, r, t: torch.inner(T[h], R[0]),
    "outer product": lambda T, R, h, r, t: (
        functional.linear(T[h, :1], R[0][:, None], R[1]) * T[t]
    ).sum(1),
    "tensordot": lambda T, R, h, r, t: torch.tensordot(T[h], R[0], dims=1),
    "bilinear": lambda T, R, h, r, t: functional.bilinear(T[h], R[r], T[:2, :, None] * R[0])[:, 1],
    "lerp": lambda T, R, h, r, t: torch.lerp(T[h], R[r], 0.3).sum(1),
    "addcmul": lambda T, R, h, r, t: torch.addcmul(T[h], R[r], T[t], value=0.5).sum(1),
    "softmax": lambda T, R, h, r, t: (functional.softmax(T[h], -1) * R[r]).sum(1),
    "log_softmax": lambda T, R, h, r, t: (functional.log_softmax(T[h], 1) * R[r]).sum(1),
}
# Halves that are computed one behind another, of which others are computed, and parts are taken.
PARTS: dict[str, Spelling] = {
    "gated": lambda T, R, h, r, t: functional.glu(torch.cat([T[h], R[r]], -1)).sum(1),
    "rotated": lambda T, R, h, r, t: (_rotated(T[h]) * R[r].sin() + T[h] * R[r].cos()).sum(1),
    "squared": lambda T, R, h, r, t: (
        (torch.cat([T[h][:, :6] * R[r][:, 6:], T[t][:, 3:9]], 1) ** 2).mul(T[t]).sum(-1)
    ),
    "taken apart": lambda T, R, h, r, t: _quarters(torch.cat([T[h][:, :6], R[r][:, :6]], 1)),
    "other parts": lambda T, R, h, r, t: (
        torch.cat([T[h][:, :6], R[r][:, 6:]], 1) * torch.cat([T[t][:, :3], R[r][:, :9]], 1)
    ).sum(1),
    "a stack of one": lambda T, R, h, r, t: _of_pair(torch.stack([T[h]], 0).squeeze(0), R[r]),
    "last of sums": lambda T, R, h, r, t: (T[h] * R[r]).cumsum(1)[:, -1] * T[t, 0],
    "normalised parts": lambda T, R, h, r, t: (
        functional.normalize(torch.stack([T[h], R[r]]), dim=-1).prod(0).sum(-1)
    ),
    "norms of parts": lambda T, R, h, r, t: torch.stack([T[h], R[r], T[t]]).norm(dim=-1).prod(0),
    "softmax of parts": lambda T, R, h, r, t: (
        torch.stack([T[h], R[r]]).softmax(-1).prod(0) * T[t]
    ).sum(-1),
    "variances of parts": lambda T, R, h, r, t: torch.cat([T[h], R[r]]).var(1).view(2, -1).sum(0),
    "columns of a stack": lambda T, R, h, r, t: _ends(torch.stack([T[h], R[r], T[t]], 1)),
    "a stack as a row": lambda T, R, h, r, t: (
        (torch.stack([T[h][:, :6] * R[r][:, :6], R[r][:, 6:] + 1], 1) * T[t].view(-1, 2, 6))
        .flatten(1)
        .sum(1)
    ),
    "ends of heads as a row": lambda T, R, h, r, t: (
        torch.cat([T[h].view(-1, 3, 4)[..., 1:], R[r].view(-1, 3, 4)[..., :1]], -1).flatten(1)
        * T[t]
    ).sum(1),
}
# Losses of several scores, which are one number each.
LOSSES: dict[str, Spelling] = {
    "margin_ranking_loss": lambda T, R, h, r, t: functional.margin_ranking_loss(
        (T[h] * R[r]).sum(1), (T[t] * R[r]).sum(1), 1 - 2 * (h % 2), margin=1.0
    ),
    "sum of them": lambda T, R, h, r, t: functional.margin_ranking_loss(
        T[h].norm(dim=1), (T[t] - R[r]).norm(dim=1), torch.ones(1), 0.5, reduction="sum"
    ),
    "triplet_margin_loss": lambda T, R, h, r, t: functional.triplet_margin_loss(T[h], R[r], T[t]),
    "swapped": lambda T, R, h, r, t: nn.TripletMarginLoss(2.0, swap=True)(T[h], R[r], T[t]),
    "cosine_embedding_loss": lambda T, R, h, r, t: functional.cosine_embedding_loss(
        T[h], R[r], 1 - 2 * (t % 2), margin=0.1
    ),
    "mse_loss of scores": lambda T, R, h, r, t: functional.mse_loss(
        (T[h] * R[r]).sum(1), T[t].amax(1)
    ),
    "weighted mse_loss": lambda T, R, h, r, t: functional.mse_loss(
        (T[h] * R[r]).sum(1), T[t, 0], weight=R[r, 1].exp()
    ),
    "huber_loss of scores": lambda T, R, h, r, t: functional.huber_loss(
        T[h].sum(1), R[r].mean(1), delta=0.7
    ),
}
# Distances of numbers of which rows have two parts, and means with variances.
PAIRS: dict[str, Spelling] = {
    "hypot": lambda T, R, h, r, t: torch.hypot(T[h] - R[r], T[t]).sum(1),
    "var_mean": lambda T, R, h, r, t: sum(torch.var_mean(T[h] * R[r], 1)),  # type: ignore[return-value]
    "mean of std_mean": lambda T, R, h, r, t: torch.std_mean(T[h] * R[r], 1)[1],
    "deviation of std_mean": lambda T, R, h, r, t: torch.std_mean(T[h] * R[r], 1)[0],
    "number as a tensor": lambda T, R, h, r, t: (T[h] * R[r]).sum(1) / torch.tensor(8.0),
    "infinite": lambda T, R, h, r, t: (T[h].masked_fill(torch.isinf(1 / R[r]), 0) * T[t]).sum(1),
}
# Windows as large as what is pooled.
POOLS: dict[str, Spelling] = {
    "average": lambda T, R, h, r, t: functional.avg_pool1d(_columns(T, h, r, t), 3)[:, :, 0],
    "of rows": lambda T, R, h, r, t: functional.avg_pool2d(_columns(T, h, r, t).mT, (3, 1))[:, 0],
    "adaptive": lambda T, R, h, r, t: functional.adaptive_avg_pool1d(_columns(T, h, r, t), 1).mT,
    "maximum": lambda T, R, h, r, t: functional.max_pool1d(_columns(T, h, r, t), 3).flatten(1),
    "adaptive maximum": lambda T, R, h, r, t: functional.adaptive_max_pool1d(
        _columns(T, h, r, t), 1
    ).squeeze(-1),
}
# The largest or the least element, as one end of what is in order, or of several.
EXTREMES: dict[str, Spelling] = {
    "topk": lambda T, R, h, r, t: (T[h] * R[r]).topk(1, -1).values[..., 0] * T[t, 0],
    "topk of the least": lambda T, R, h, r, t: torch.topk(T[h] * R[r], 1, 1, False)[0].squeeze(1),
    "kthvalue": lambda T, R, h, r, t: (T[h] * R[r]).kthvalue(1).values,
    "sort": lambda T, R, h, r, t: (T[h] * R[r]).sort(dim=-1)[0][:, -1],
    "sort from the largest": lambda T, R, h, r, t: (
        (T[h] * R[r]).sort(1, descending=True).values.select(-1, 0)
    ),
    "cummax": lambda T, R, h, r, t: (T[h] * R[r]).cummax(1).values[..., -1],
    "cummin": lambda T, R, h, r, t: torch.cummin(T[h] * R[r], -1)[0][:, -1],
    "cumprod": lambda T, R, h, r, t: (T[h] * R[r]).cumprod(1)[:, -1],
    "cumsum": lambda T, R, h, r, t: (T[h] * R[r]).cumsum(1)[:, -1],
    "aminmax": lambda T, R, h, r, t: torch.aminmax(T[h] * R[r], dim=1).max,
    "fmax": lambda T, R, h, r, t: torch.fmax(T[h], R[r]).fmin(T[t]).sum(1),
}
SPELLINGS = {**PRODUCTS, **DISTANCES, **FUNCTIONS, **PARTS, **PAIRS, **POOLS, **EXTREMES, **LOSSES}


def _of_operators(aten: Any, T: Tensor, R: Tensor, h: Tensor, r: Tensor, t: Tensor) -> Tensor:
    rows = aten.index_select(T, 0, h), aten.embedding(R, r), aten.index(T, [t])
    found: Tensor = aten.sum(aten.mul(aten.mul(rows[0], rows[1]), rows[2]), [1])
    return found


def _again(compute: Callable[[], Tensor]) -> Tensor:
    found: Tensor = checkpoint(compute, use_reentrant=False)
    return found


def _columns(T: Tensor, *places: Tensor) -> Tensor:
    return T[torch.stack([one % ROWS for one in places], 1)].transpose(1, 2)


def _rotated(rows: Tensor) -> Tensor:
    one, other = rows.chunk(2, -1)
    return torch.cat([-other, one], -1)


def _quarters(rows: Tensor) -> Tensor:
    return (rows[:, :3] * rows[:, 3:6] * rows[:, 6:9] * rows[:, -3:]).sum(1)


def _ends(rows: Tensor) -> Tensor:
    return (rows[:, 0] * rows[:, 1] - rows[:, -1]).sum(1)


def _of_pair(both: Tensor, other: Tensor) -> Tensor:
    return (both[0] * other * both[1]).sum(-1)


def _of_halves(both: Tensor, other: Tensor) -> Tensor:
    return (both[:LOOKUPS] * other * both[LOOKUPS:]).sum(-1)


def named(operation: Callable[[Writer], Text]) -> str:
    return operation.__name__


@pytest.mark.parametrize("operation", OPERATIONS, ids=named)
def test_drawn_words(operation: Callable[[Writer], Text]) -> None:
    """Values and gradients are right, and most words have the plain ones' kernels."""
    draw = random.Random(f"{SEED} {operation.__name__}")
    programs = [(number, written(operation, draw)) for number in range(DRAWN)]
    campaign = tried(programs, DRAWN)
    assert not campaign.failed, "\n".join(campaign.failed)
    assert 2 * len(campaign.elsewhere) <= DRAWN, "\n".join(campaign.elsewhere)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_values_and_gradients(spelling: str) -> None:
    draw = torch.Generator().manual_seed(5)
    tables = [torch.randn(ROWS, LENGTH, generator=draw, dtype=torch.float64) for _ in range(2)]
    places = [torch.randint(ROWS, (LOOKUPS,), generator=draw) for _ in range(3)]
    # Where parts begin is known of rows whose length stays.
    is_dynamic = spelling not in PARTS
    heard = check_function(SPELLINGS[spelling], *tables, *places, dynamic=is_dynamic)
    assert heard.kinds() <= {"row_score", "statements"}
    assert heard.covered("") > 1


@pytest.mark.parametrize("window", [(5, 1), (1, LENGTH), (5, LENGTH)])
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_places_in_pools(window: tuple[int, int], dynamic: bool) -> None:
    """Where the largest elements of bags of rows are is computed with in the same part."""

    def function(table: Tensor, bags: Tensor, rows: Tensor) -> Tensor:
        _, places = functional.max_pool2d(table[bags][:, None], window, return_indices=True)
        return (places.flatten(1)[:, :1] * table[rows]).sum(1)

    draw = torch.Generator().manual_seed(2)
    # Of few different numbers, so that several are the largest.
    table = torch.randint(5, (ROWS, LENGTH), generator=draw).double()
    bags = torch.randint(ROWS, (LOOKUPS, 5), generator=draw)
    rows = torch.randint(ROWS, (LOOKUPS,), generator=draw)
    check_function(function, table, bags, rows, dynamic=dynamic)


@pytest.mark.parametrize("least", [math.nan, -math.inf, 0.0], ids=str)
@pytest.mark.parametrize("spelling", EXTREMES)
def test_special_extremes(spelling: str, least: float) -> None:
    """Of rows with NaN, with nothing else, and with elements that are equal."""
    draw = torch.Generator().manual_seed(3)
    tables = [torch.randint(-2, 3, (ROWS, LENGTH), generator=draw).double() for _ in range(2)]
    tables[0][::2, ::3] = least
    tables[0][::5] = least
    places = [torch.randint(ROWS, (LOOKUPS,), generator=draw) for _ in range(3)]
    check_function(EXTREMES[spelling], *tables, *places, equal_nan=True)
