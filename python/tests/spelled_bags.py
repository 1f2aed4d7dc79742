"""Bags, histories, experts and histograms, each in several words that mean the same.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math

import torch
import torch.nn.functional as functional
from spelled_operations import Operation, numbers, places
from torch import Tensor

ROWS, LENGTH, BAGS, EACH, EXPERTS, CHOSEN, BINS = 20, 8, 6, 5, 4, 2, 7


def _bags() -> tuple[Tensor, ...]:
    return numbers(ROWS, LENGTH), places(ROWS, BAGS, EACH)


def _summed_at_places(T: Tensor, i: Tensor) -> Tensor:
    bags = torch.arange(i.shape[0]).repeat_interleave(i.shape[1])
    return torch.zeros(i.shape[0], T.shape[1], dtype=T.dtype).index_add(0, bags, T[i.flatten()])


def _summed_columns(T: Tensor, i: Tensor) -> Tensor:
    total = T[i[:, 0]]
    for column in range(1, EACH):
        total = total + T.index_select(0, i[:, column])
    return total


BAG = Operation(
    _bags,
    {
        "sum": lambda T, i: T[i].sum(1),
        "embedding_bag": lambda T, i: functional.embedding_bag(i, T, mode="sum"),
        "offsets": lambda T, i: functional.embedding_bag(
            i.view(-1), T, torch.arange(0, i.numel(), i.shape[1]), mode="sum"
        ),
        "index_select": lambda T, i: (
            T.index_select(0, i.flatten()).view(*i.shape, T.shape[1]).sum(dim=-2)
        ),
        "einsum": lambda T, i: torch.einsum("bkd->bd", functional.embedding(i, T)),
        "stack": lambda T, i: torch.stack([T[i[:, k]] for k in range(EACH)]).sum(0),
        "loop": _summed_columns,
        "ones": lambda T, i: (torch.ones(i.shape[0], 1, i.shape[1], dtype=T.dtype) @ T[i])[:, 0],
        "at places": _summed_at_places,
        "counts": lambda T, i: functional.one_hot(i, T.shape[0]).sum(1).to(T.dtype) @ T,
        "unbound": lambda T, i: sum(T[i].unbind(1)),  # type: ignore[arg-type, return-value]
        "mean": lambda T, i: T[i].mean(1).mul(i.shape[1]),
        "last of sums": lambda T, i: T[i].cumsum(1)[:, -1],
        "vmap": lambda T, i: torch.vmap(lambda bag: T[bag].sum(0))(i),
    },
)


def _weighted_bags() -> tuple[Tensor, ...]:
    return *_bags(), numbers(BAGS, EACH)


WEIGHTED_BAG = Operation(
    _weighted_bags,
    {
        "product": lambda T, i, w: (T[i] * w[..., None]).sum(1),
        "per_sample_weights": lambda T, i, w: functional.embedding_bag(
            i, T, mode="sum", per_sample_weights=w
        ),
        "einsum": lambda T, i, w: torch.einsum("bkd,bk->bd", T[i], w),
        "bmm": lambda T, i, w: torch.bmm(w.unsqueeze(1), T[i]).squeeze(1),
        "matmul": lambda T, i, w: (T[i].mT @ w[..., None]).squeeze(-1),
        "loop": lambda T, i, w: sum(w[:, k, None] * T[i[:, k]] for k in range(EACH)),  # type: ignore[return-value]
        "vmap": lambda T, i, w: torch.vmap(lambda bag, few: few @ T[bag])(i, w),
        "scattered counts": lambda T, i, w: (
            torch.zeros(i.shape[0], T.shape[0], dtype=T.dtype).scatter_add(1, i, w) @ T
        ),
        "one-hot rows": lambda T, i, w: torch.einsum(
            "bkn,bk,nd->bd", functional.one_hot(i, T.shape[0]).to(w.dtype), w, T
        ),
    },
)


def _masked_mean_in_place(T: Tensor, i: Tensor) -> Tensor:
    rows = T[i]
    rows[i == 0] = 0.0
    return rows.sum(1) / (i != 0).sum(1, keepdim=True).clamp(min=1)


MASKED_MEAN = Operation(
    _bags,
    {
        "mask": lambda T, i: (
            (T[i] * (i != 0).unsqueeze(-1)).sum(1) / (i != 0).sum(1, keepdim=True).clamp(min=1)
        ),
        "where": lambda T, i: (
            torch.where((i > 0)[:, :, None], T[i], 0.0).sum(dim=1)
            / (i > 0).sum(-1).clamp(min=1)[:, None]
        ),
        "masked_fill": lambda T, i: (
            T[i].masked_fill((i == 0).unsqueeze(2), 0).sum(-2)
            / i.ne(0).to(T.dtype).sum(1, True).clamp_min(1.0)
        ),
        "weights": lambda T, i: torch.einsum(
            "bkd,bk->bd", T[i], (i != 0) / (i != 0).sum(1, keepdim=True).clamp(min=1).to(T.dtype)
        ),
        "bmm": lambda T, i: (
            torch.bmm((i != 0).to(T.dtype)[:, None], T[i])[:, 0]
            / torch.count_nonzero(i, dim=1).clamp(min=1)[:, None]
        ),
        "signs": lambda T, i: (
            (functional.embedding(i, T) * i.sign()[..., None]).sum(1)
            / i.sign().sum(1).clamp(min=1).unsqueeze(1)
        ),
        "in place": _masked_mean_in_place,
    },
)
MASKED_MAXIMUM = Operation(
    _bags,
    {
        "where": lambda T, i: torch.where((i != 0)[..., None], T[i], -math.inf).amax(1),
        "masked_fill": lambda T, i: (
            T[i].masked_fill(i.eq(0).unsqueeze(-1), -math.inf).max(1).values
        ),
        "max": lambda T, i: torch.max(
            torch.where(i.unsqueeze(2) == 0, torch.tensor(-math.inf, dtype=T.dtype), T[i]), dim=-2
        )[0],
        "added": lambda T, i: (
            T[i] + torch.zeros(i.shape, dtype=T.dtype).masked_fill(i == 0, -math.inf)[..., None]
        ).amax(dim=1),
        "least": lambda T, i: -torch.where((i == 0)[..., None], math.inf, -T[i]).amin(1),
    },
)


def _fields() -> tuple[Tensor, ...]:
    return *_bags(), numbers(BAGS, EACH)


def _pairs_of_fields(T: Tensor, i: Tensor, x: Tensor) -> Tensor:
    rows = T[i] * x[..., None]
    left, right = torch.triu_indices(EACH, EACH, 1)
    return (rows[:, left] * rows[:, right]).sum((1, 2))


def _products_of_fields(T: Tensor, i: Tensor, x: Tensor) -> Tensor:
    rows = T[i] * x.unsqueeze(-1)
    products = rows @ rows.transpose(1, 2)
    return 0.5 * (products.sum((1, 2)) - products.diagonal(dim1=1, dim2=2).sum(-1))


def _fm_by_einsum(T: Tensor, i: Tensor, x: Tensor) -> Tensor:
    sums = torch.einsum("bkd,bk->bd", T[i], x)
    squares = torch.einsum("bkd,bkd,bk,bk->b", T[i], T[i], x, x)
    return (torch.einsum("bd,bd->b", sums, sums) - squares) / 2


def _fm_in_words(T: Tensor, i: Tensor, x: Tensor) -> Tensor:
    rows = functional.embedding(i, T).mul(x.view(*x.shape, 1))
    square_of_sum = torch.pow(torch.sum(rows, dim=1), 2)
    sum_of_square = torch.sum(torch.pow(rows, 2), dim=1)
    return 0.5 * torch.sub(square_of_sum, sum_of_square).sum(1, keepdim=True).reshape(-1)


FM = Operation(
    _fields,
    {
        "squares": lambda T, i, x: (
            0.5
            * ((T[i] * x[..., None]).sum(1).square() - (T[i] * x[..., None]).square().sum(1)).sum(
                -1
            )
        ),
        "functions": _fm_in_words,
        "einsum": _fm_by_einsum,
        "bmm": lambda T, i, x: (
            (
                torch.bmm(x[:, None], T[i]).squeeze(1).pow(2)
                - torch.bmm((x * x)[:, None], T[i].pow(2)).squeeze(1)
            )
            .mul(0.5)
            .sum(dim=1)
        ),
        "squares of tables": lambda T, i, x: (
            ((x[..., None] * T[i]).sum(1) ** 2 - (x[..., None] ** 2 * (T**2)[i]).sum(1)).sum(1) / 2
        ),
        "all products": _products_of_fields,
        "pairs": _pairs_of_fields,
    },
)


# Attention over a history.


def _history() -> tuple[Tensor, ...]:
    return numbers(ROWS, LENGTH), places(ROWS, BAGS), places(ROWS, BAGS, EACH)


def _din(T: Tensor, item: Tensor, history: Tensor) -> Tensor:
    rows = T[history]
    scores = (T[item][:, None] * rows).sum(-1).masked_fill(history == 0, -1e30)
    return (scores.softmax(-1)[..., None] * rows).sum(1)


def _din_by_bmm(T: Tensor, item: Tensor, history: Tensor) -> Tensor:
    rows = functional.embedding(history, T)
    scores = torch.bmm(rows, functional.embedding(item, T).unsqueeze(-1)).squeeze(-1)
    weights = functional.softmax(torch.where(history == 0, -1e30, scores), dim=1)
    return torch.bmm(weights.unsqueeze(1), rows).squeeze(1)


def _din_by_einsum(T: Tensor, item: Tensor, history: Tensor) -> Tensor:
    scores = torch.einsum("bd,bkd->bk", T[item], T[history]) + (history == 0) * -1e30
    powers = (scores - scores.amax(1, keepdim=True)).exp()
    return torch.einsum("bk,bkd->bd", powers / powers.sum(1, keepdim=True), T[history])


def _din_by_function(T: Tensor, item: Tensor, history: Tensor) -> Tensor:
    mask = torch.zeros(history.shape, dtype=T.dtype).masked_fill(history == 0, -1e30)[:, None]
    rows = T[history]
    return functional.scaled_dot_product_attention(
        T[item].unsqueeze(1), rows, rows, attn_mask=mask, scale=1.0
    )[:, 0]


def _din_one_by_one(T: Tensor, item: Tensor, history: Tensor) -> Tensor:
    def one(query: Tensor, keys: Tensor, is_none: Tensor) -> Tensor:
        return torch.softmax((keys @ query).masked_fill(is_none, -1e30), 0) @ keys

    return torch.vmap(one)(T[item], T[history], history == 0)


DIN = Operation(
    _history,
    {
        "products": _din,
        "bmm": _din_by_bmm,
        "einsum": _din_by_einsum,
        "scaled_dot_product_attention": _din_by_function,
        "vmap": _din_one_by_one,
    },
)


# Mixtures of experts.


def _outputs() -> tuple[Tensor, ...]:
    """Results of all experts, those that are chosen, and their gates."""
    return (
        numbers(EXPERTS, BAGS, LENGTH),
        numbers(BAGS, EXPERTS).argsort(1)[:, :CHOSEN],
        numbers(BAGS, CHOSEN),
    )


def _combined_by_masks(y: Tensor, i: Tensor, g: Tensor) -> Tensor:
    total = torch.zeros_like(y[0])
    for expert in range(EXPERTS):
        total = total + y[expert] * (g * (i == expert)).sum(1, keepdim=True)
    return total


COMBINE = Operation(
    _outputs,
    {
        "lookups": lambda y, i, g: (y[i, torch.arange(i.shape[0])[:, None]] * g[..., None]).sum(1),
        "gather": lambda y, i, g: (
            y.transpose(0, 1).gather(1, i[..., None].expand(-1, -1, y.shape[2])) * g.unsqueeze(-1)
        ).sum(1),
        "take_along_dim": lambda y, i, g: torch.einsum(
            "bkd,bk->bd", torch.take_along_dim(y.permute(1, 0, 2), i[:, :, None], 1), g
        ),
        "flat": lambda y, i, g: torch.bmm(
            g[:, None],
            y.reshape(-1, y.shape[2])[i * y.shape[1] + torch.arange(i.shape[0])[:, None]],
        )[:, 0],
        "one-hot rows": lambda y, i, g: torch.einsum(
            "be,ebd->bd", (functional.one_hot(i, EXPERTS) * g[..., None]).sum(1), y
        ),
        "einsum of one-hot rows": lambda y, i, g: torch.einsum(
            "bke,bk,ebd->bd", functional.one_hot(i, EXPERTS).to(g.dtype), g, y
        ),
        "scattered gates": lambda y, i, g: torch.einsum(
            "be,ebd->bd", torch.zeros(i.shape[0], EXPERTS, dtype=g.dtype).scatter(1, i, g), y
        ),
        "masks": _combined_by_masks,
    },
)


def _dispatched() -> tuple[Tensor, ...]:
    """Tokens, experts' matrices and the expert of each token."""
    return numbers(BAGS, LENGTH), numbers(EXPERTS, LENGTH, 3), places(EXPERTS, BAGS)


def _dispatched_by_masks(x: Tensor, W: Tensor, i: Tensor) -> Tensor:
    total = torch.zeros(x.shape[0], W.shape[2], dtype=x.dtype)
    for expert in range(EXPERTS):
        total = total + (i == expert).unsqueeze(1) * (x @ W[expert])
    return total


DISPATCH = Operation(
    _dispatched,
    {
        "product": lambda x, W, i: (x[..., None] * W[i]).sum(1),
        "bmm": lambda x, W, i: torch.bmm(x[:, None], W[i]).squeeze(1),
        "einsum": lambda x, W, i: torch.einsum("bd,bdf->bf", x, W.index_select(0, i)),
        "one-hot rows": lambda x, W, i: torch.einsum(
            "be,edf,bd->bf", functional.one_hot(i, EXPERTS).to(x.dtype), W, x
        ),
        "vmap": lambda x, W, i: torch.vmap(torch.matmul)(x, W[i]),
        "masks": _dispatched_by_masks,
    },
)


# Tokens and their positions.


def _positions() -> tuple[Tensor, ...]:
    return numbers(ROWS, LENGTH), numbers(ROWS, LENGTH, seed=1), places(ROWS, BAGS, EACH)


POSITIONS = Operation(
    _positions,
    {
        "slice": lambda T, P, i: (T[i] * P[: i.shape[1]]).sum(-1),
        "arange": lambda T, P, i: (T[i] * P[torch.arange(i.shape[1])][None]).sum(-1),
        "embedding of arange": lambda T, P, i: torch.mul(
            functional.embedding(i, T),
            functional.embedding(torch.arange(i.shape[1]).expand(i.shape[0], -1), P),
        ).sum(2),
        "einsum": lambda T, P, i: torch.einsum("bkd,kd->bk", T[i], P[: i.size(1)]),
        "repeated": lambda T, P, i: (
            (T[i].view(-1, T.shape[1]) * P[: i.shape[1]].repeat(i.shape[0], 1)).sum(1).view(i.shape)
        ),
        "positions by counting": lambda T, P, i: (T[i] * P[torch.ones_like(i).cumsum(1) - 1]).sum(
            -1
        ),
        "vmap": lambda T, P, i: torch.vmap(torch.vmap(torch.dot))(
            T[i], P[: i.shape[1]].expand(i.shape[0], -1, -1)
        ),
        "bmm": lambda T, P, i: (
            torch.bmm(T[i].transpose(0, 1), P[: i.shape[1], :, None]).squeeze(-1).t()
        ),
    },
)


# Histograms with weights that are looked up.


def _histogram() -> tuple[Tensor, ...]:
    return numbers(ROWS), places(ROWS, 34), places(BINS, 34)


HISTOGRAM = Operation(
    _histogram,
    {
        "index_add": lambda w, i, b: torch.zeros(BINS, dtype=w.dtype).index_add(0, b, w[i]),
        "scatter_add": lambda w, i, b: torch.zeros(BINS, dtype=w.dtype).scatter_add(
            0, b, w.take(i)
        ),
        "index_put": lambda w, i, b: w.new_zeros(BINS).index_put((b,), w[i], accumulate=True),
        "put": lambda w, i, b: torch.zeros(BINS, dtype=w.dtype).put(b, w[i], accumulate=True),
        "mask": lambda w, i, b: ((b[:, None] == torch.arange(BINS)) * w[i][:, None]).sum(0),
        "one-hot rows": lambda w, i, b: w[i] @ functional.one_hot(b, BINS).to(w.dtype),
        "where": lambda w, i, b: torch.where(
            torch.arange(BINS)[:, None] == b, w.gather(0, i), 0.0
        ).sum(1),
    },
)
COUNTED = Operation(
    _histogram,
    {
        "index_add": lambda w, i, b: torch.zeros(BINS, dtype=w.dtype).index_add(0, b, w[i]),
        "bincount": lambda w, i, b: torch.bincount(b, w[i], BINS),
        "bincount of keywords": lambda w, i, b: torch.bincount(
            b, weights=w.index_select(0, i), minlength=BINS
        )[:BINS],
    },
    has_gradients=False,
)


# Blocks.


def _blocks() -> tuple[Tensor, ...]:
    """Blocks of rows, those that are looked up in each, and queries."""
    return numbers(2, 3, 9, LENGTH), places(9, 2, 3, 4), numbers(2, 3, 2, LENGTH)


BLOCKS = Operation(
    _blocks,
    {
        "gather": lambda x, i, q: q @ x.gather(2, i[..., None].expand(-1, -1, -1, x.shape[-1])).mT,
        "take_along_dim": lambda x, i, q: torch.einsum(
            "bhqd,bhkd->bhqk", q, torch.take_along_dim(x, i.unsqueeze(-1), dim=2)
        ),
        "places": lambda x, i, q: torch.matmul(
            q, x[torch.arange(2)[:, None, None], torch.arange(3)[:, None], i].transpose(-1, -2)
        ),
        "flat": lambda x, i, q: torch.bmm(
            q.flatten(0, 1),
            x.flatten(0, 2)[i.view(6, -1) + 9 * torch.arange(6)[:, None]].transpose(1, 2),
        ).view(2, 3, 2, -1),
        "vmap": lambda x, i, q: torch.vmap(torch.vmap(lambda one, few, some: some @ one[few].T))(
            x, i, q
        ),
        "broadcast": lambda x, i, q: (
            q.unsqueeze(-2)
            * x.gather(-2, i.unsqueeze(-1).expand(*i.shape, x.size(3))).unsqueeze(-3)
        ).sum(-1),
    },
)


# Ragged segments.


def _ragged() -> tuple[Tensor, ...]:
    return numbers(ROWS, LENGTH), places(ROWS, 12), torch.tensor([0, 3, 4, 9, 12])


def _mean_at_segments(T: Tensor, i: Tensor, offsets: Tensor) -> Tensor:
    lengths = offsets.diff()
    segments = torch.repeat_interleave(lengths, output_size=i.shape[0])
    sums = torch.zeros(lengths.shape[0], T.shape[1], dtype=T.dtype).index_add(0, segments, T[i])
    return sums / lengths[:, None]


def _mean_of_counted(T: Tensor, i: Tensor, offsets: Tensor) -> Tensor:
    segments = torch.bucketize(torch.arange(i.shape[0]), offsets[1:], right=True)
    sums = T.new_zeros(offsets.shape[0] - 1, T.shape[1]).index_add(0, segments, T[i])
    return sums / (offsets[1:] - offsets[:-1]).unsqueeze(1)


RAGGED_MEAN = Operation(
    _ragged,
    {
        "segment_reduce": lambda T, i, o: torch.segment_reduce(T[i], "mean", offsets=o),
        "embedding_bag": lambda T, i, o: functional.embedding_bag(
            i, T, o, mode="mean", include_last_offset=True
        ),
        "offsets only": lambda T, i, o: functional.embedding_bag(i, T, o[:-1]),
        "lengths": lambda T, i, o: torch.segment_reduce(T[i], "mean", lengths=o.diff()),
        "sums by lengths": lambda T, i, o: (
            torch.segment_reduce(T.index_select(0, i), "sum", offsets=o) / o.diff()[:, None]
        ),
        "at segments": _mean_at_segments,
        "counted segments": _mean_of_counted,
    },
)
OPERATIONS = {
    "bag": BAG,
    "weighted bag": WEIGHTED_BAG,
    "masked mean": MASKED_MEAN,
    "masked maximum": MASKED_MAXIMUM,
    "FM": FM,
    "DIN": DIN,
    "combine": COMBINE,
    "dispatch": DISPATCH,
    "positions": POSITIONS,
    "histogram": HISTOGRAM,
    "counted": COUNTED,
    "blocks": BLOCKS,
    "ragged mean": RAGGED_MEAN,
}
