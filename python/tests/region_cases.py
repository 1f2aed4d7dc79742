"""One spelling and more of every kind of region, with small tensors for it.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
import torch
import torch.nn.functional as functional
from torch import Tensor

ROWS, LENGTH, BAGS, EACH = 11, 4, 5, 3
NODES, EDGES, HEADS = 7, 20, 2
SAMPLES, BLOCKS, SIZE, WINDOWS = 3, 5, 2, 3
F64 = torch.float64

Arguments = tuple[Any, ...]


@dataclass(frozen=True)
class Case:
    """A function of tensors, some of which have gradients.

    kind: of the region that it is. make: its arguments, values of a type. differentiable:
    the places of those with a gradient.
    """

    name: str
    kind: str
    function: Callable[..., Tensor]
    make: Callable[[torch.dtype], Arguments]
    differentiable: tuple[int, ...]

    def arguments(self, dtype: torch.dtype = F64, requires_grad: bool = False) -> Arguments:
        """The same numbers each time, in memory of their own."""
        made = self.make(dtype)
        for place in self.differentiable:
            made[place].requires_grad_(requires_grad)
        return made


def values(*sizes: int, dtype: torch.dtype, seed: int = 0) -> Tensor:
    """Small numbers that many types have, none of them equal in f64."""
    draw = torch.Generator().manual_seed(sum(sizes) + seed)
    numbers = torch.rand(sizes, generator=draw, dtype=F64) * 4 + 0.5
    if dtype.is_floating_point and dtype.itemsize > 1:
        numbers = numbers * 2 - 5
    return numbers.to(dtype)


def numbers(count: int, *sizes: int, seed: int = 0) -> Tensor:
    draw = torch.Generator().manual_seed(sum(sizes) + seed)
    return torch.randint(count, sizes, generator=draw)


# Tables and indices.


def table(dtype: torch.dtype) -> Arguments:
    return values(ROWS, LENGTH, dtype=dtype), numbers(ROWS, BAGS, EACH)


def weighted_table(dtype: torch.dtype) -> Arguments:
    return *table(dtype), values(BAGS, EACH, dtype=dtype)


def masked_table(dtype: torch.dtype) -> Arguments:
    return *table(dtype), numbers(2, BAGS, EACH)


def flat_table(dtype: torch.dtype) -> Arguments:
    return values(ROWS, LENGTH, dtype=dtype), numbers(ROWS, BAGS * EACH), OFFSETS.clone()


def two_tables(dtype: torch.dtype) -> Arguments:
    other = values(ROWS + 2, LENGTH, dtype=dtype)
    return *table(dtype), other, numbers(ROWS + 2, BAGS), values(BAGS, 2, dtype=dtype)


def segments(dtype: torch.dtype) -> Arguments:
    rows = values(ROWS, LENGTH, dtype=dtype)
    return rows, numbers(ROWS, BAGS * EACH), torch.full((BAGS,), EACH)


OFFSETS = torch.tensor([0, 2, 6, 6, 11])


def group(table: Tensor, ids: Tensor, other: Tensor, row: Tensor, beside: Tensor) -> Tensor:
    parts = [
        beside,
        functional.embedding(ids, table).sum(1),
        functional.embedding(row, other),
        functional.embedding(ids, table).mean(1),
    ]
    return torch.cat(parts, 1)


def bag_group(table: Tensor, ids: Tensor, other: Tensor, row: Tensor, beside: Tensor) -> Tensor:
    bags = (functional.embedding_bag(ids, one, mode="sum") for one in (table, other))
    return torch.stack(tuple(bags), 1)


def weighted_group(table: Tensor, ids: Tensor, offsets: Tensor, weights: Tensor) -> Tensor:
    bag = functional.embedding_bag(ids, table, offsets, mode="sum", per_sample_weights=weights)
    other = functional.embedding_bag(ids, table, offsets, mode="mean")
    return torch.cat([bag, other], 1)


def maxima_group(table: Tensor, ids: Tensor, offsets: Tensor) -> Tensor:
    bags = [functional.embedding_bag(ids, table, offsets, mode=mode) for mode in ("max", "sum")]
    return torch.cat(bags, 1)


# Graphs.


def graph(dtype: torch.dtype) -> Arguments:
    x = values(NODES, LENGTH, dtype=dtype)
    return x, numbers(NODES, EDGES), numbers(NODES - 1, EDGES, seed=1)


def weighted_graph(dtype: torch.dtype) -> Arguments:
    return *graph(dtype), values(EDGES, dtype=dtype)


def graph_with_heads(dtype: torch.dtype) -> Arguments:
    _, source, target = graph(dtype)
    x = values(NODES, HEADS, LENGTH, dtype=dtype)
    return x, source, target, values(EDGES, HEADS, 1, dtype=dtype)


def graph_onto(dtype: torch.dtype) -> Arguments:
    return values(NODES, LENGTH, dtype=dtype, seed=1), *weighted_graph(dtype)


def scatter(messages: Tensor, target: Tensor, reduce: str) -> Tensor:
    index = target.view(-1, *(1,) * (messages.dim() - 1)).expand_as(messages)
    zeros = messages.new_zeros((NODES, *messages.shape[1:]))
    if reduce == "sum":
        return zeros.scatter_add_(0, index, messages)
    return zeros.scatter_reduce_(0, index, messages, reduce=reduce, include_self=False)


def softmax(scores: Tensor, target: Tensor) -> Tensor:
    index = target.view(-1, 1).expand_as(scores)
    most = scores.new_zeros(NODES, HEADS)
    most = most.scatter_reduce_(0, index, scores.detach(), reduce="amax", include_self=False)
    powers = (scores - most.index_select(0, target)).exp()
    sums = powers.new_zeros(NODES, HEADS).scatter_add_(0, index, powers)
    return powers / (sums + 1e-16).index_select(0, target)


# Products.


def samples(dtype: torch.dtype) -> Arguments:
    return values(SAMPLES, 4, LENGTH, dtype=dtype), values(SAMPLES, 2, dtype=dtype)


def pairs(rows: Tensor, beside: Tensor) -> Tensor:
    places = torch.tril_indices(4, 4, -1)
    products = torch.bmm(rows, rows.transpose(1, 2))[:, places[0], places[1]]
    return torch.cat([beside, products], 1)


def negatives(dtype: torch.dtype) -> Arguments:
    own = values(SAMPLES, LENGTH, dtype=dtype, seed=1)
    return own, values(ROWS, LENGTH, dtype=dtype), numbers(ROWS, SAMPLES, EACH)


def looked_up(one: Tensor, ids: Tensor, table: Tensor, others: Tensor) -> Tensor:
    own = functional.embedding(ids, one)
    return torch.bmm(functional.embedding(others, table), own.unsqueeze(2)).squeeze(2)


def looked_up_tables(dtype: torch.dtype) -> Arguments:
    one = values(ROWS, LENGTH, dtype=dtype, seed=2)
    return one, numbers(ROWS, SAMPLES, seed=3), *negatives(dtype)[1:]


def triples(dtype: torch.dtype) -> Arguments:
    entities, relations = (values(ROWS, LENGTH, dtype=dtype, seed=seed) for seed in range(2))
    return entities, relations, *(numbers(ROWS, BAGS, seed=seed) for seed in range(3))


def distance(entities: Tensor, relations: Tensor, h: Tensor, r: Tensor, t: Tensor) -> Tensor:
    return -(entities[h] + relations[r] - entities[t]).norm(dim=1)


def windows(dtype: torch.dtype) -> Arguments:
    rows = values(1, HEADS, BLOCKS, SIZE, LENGTH, dtype=dtype)
    queries = values(1, HEADS, WINDOWS, SIZE, LENGTH, dtype=dtype)
    weights = values(1, HEADS, WINDOWS, SIZE, 2 * SIZE, dtype=dtype)
    return rows, numbers(BLOCKS, WINDOWS, 2), queries, weights


def gathered(rows: Tensor, index: Tensor) -> Tensor:
    return rows[:, :, index].flatten(3, 4)


def block_scores(rows: Tensor, index: Tensor, queries: Tensor, weights: Tensor) -> Tensor:
    return torch.matmul(queries, gathered(rows, index).transpose(-1, -2))


def block_values(rows: Tensor, index: Tensor, queries: Tensor, weights: Tensor) -> Tensor:
    return torch.matmul(weights, gathered(rows, index))


def summed_rows(dtype: torch.dtype) -> Arguments:
    one, other = (values(ROWS, LENGTH, dtype=dtype, seed=seed) for seed in range(2))
    return one, other, numbers(ROWS, BAGS, EACH), numbers(ROWS, BAGS, EACH, seed=1)


def edges(dtype: torch.dtype) -> Arguments:
    return numbers(NODES, 2, EDGES), values(EDGES, dtype=dtype)


EMBEDDING = functional.embedding
BAG = functional.embedding_bag
CASES = (
    Case("bag sum", "bag", lambda w, i: BAG(i, w, mode="sum"), table, (0,)),
    Case("bag mean", "bag", lambda w, i, o: BAG(i, w, o, mode="mean"), flat_table, (0,)),
    Case("bag max", "bag", lambda w, i, o: BAG(i, w, o, mode="max"), flat_table, (0,)),
    Case("bag padded", "bag", lambda w, i: BAG(i, w, mode="mean", padding_idx=2), table, (0,)),
    Case(
        "bag weighted",
        "bag",
        lambda w, i, s: BAG(i, w, mode="sum", per_sample_weights=s, padding_idx=2),
        weighted_table,
        (0, 2),
    ),
    Case("rows summed", "bag", lambda w, i: EMBEDDING(i, w).sum(1), table, (0,)),
    Case("rows' mean", "bag", lambda w, i: EMBEDDING(i, w).mean(1), table, (0,)),
    Case("rows' amax", "bag", lambda w, i: EMBEDDING(i, w).amax(1), table, (0,)),
    Case("rows' max", "bag", lambda w, i: EMBEDDING(i, w).max(1).values, table, (0,)),
    Case(
        "rows weighted",
        "bag",
        lambda w, i, s: (EMBEDDING(i, w) * s.unsqueeze(-1)).sum(1),
        weighted_table,
        (0, 2),
    ),
    Case(
        "rows masked",
        "bag",
        lambda w, i, s: (EMBEDDING(i, w) * s.unsqueeze(-1)).sum(1),
        masked_table,
        (0,),
    ),
    Case("group", "bags", group, two_tables, (0, 2, 4)),
    Case("group of bags", "bags", bag_group, two_tables, (0, 2)),
    Case(
        "group weighted",
        "bags",
        weighted_group,
        lambda dtype: (*flat_table(dtype), values(BAGS * EACH, dtype=dtype)),
        (0, 3),
    ),
    Case("group of maxima", "bags", maxima_group, flat_table, (0,)),
    *(
        Case(
            f"segments' {mode}",
            "statements",
            lambda x, i, lengths, mode=mode: torch.segment_reduce(x[i], mode, lengths=lengths),
            segments,
            (0,),
        )
        for mode in ("sum", "mean", "max")
    ),
    *(
        Case(
            f"aggregation {mode}",
            "aggregation",
            lambda x, s, t, mode=mode: scatter(x.index_select(0, s), t, mode),
            graph,
            (0,),
        )
        for mode in ("sum", "mean", "amax")
    ),
    Case(
        "aggregation of zeros like",
        "statements",
        lambda x, s, t: torch.zeros_like(x).index_add_(0, t, x[s]),
        graph,
        (0,),
    ),
    Case(
        "aggregation weighted",
        "statements",
        lambda x, s, t, w: scatter(x.index_select(0, s) * w.view(-1, 1), t, "sum"),
        weighted_graph,
        (0, 3),
    ),
    Case(
        "aggregation with heads",
        "statements",
        lambda x, s, t, w: scatter(x[s] * w, t, "sum"),
        graph_with_heads,
        (0, 3),
    ),
    Case(
        "onto",
        "statements",
        lambda b, x, s, t, w: b.index_add(0, t, x[s] * w.view(-1, 1), alpha=3),
        graph_onto,
        (0, 1, 4),
    ),
    Case(
        "onto in place",
        "statements",
        lambda b, x, s, t, w: (b * 1).index_add_(0, t, x[s]),
        graph_onto,
        (0, 1),
    ),
    Case(
        "maximum onto",
        "statements",
        lambda b, x, s, t, w: b.scatter_reduce(0, t.view(-1, 1).expand(-1, LENGTH), x[s], "amax"),
        graph_onto,
        (0, 1),
    ),
    Case(
        "edge softmax",
        "edge_softmax",
        softmax,
        lambda dtype: (values(EDGES, HEADS, dtype=dtype), numbers(NODES, EDGES)),
        (0,),
    ),
    Case(
        "head products",
        "statements",
        lambda x, w: (x * w).sum(-1),
        lambda dtype: (
            values(NODES, HEADS, LENGTH, dtype=dtype),
            values(1, HEADS, LENGTH, dtype=dtype),
        ),
        (0, 1),
    ),
    Case("pair products", "statements", pairs, samples, (0, 1)),
    Case(
        "row products",
        "statements",
        lambda own, w, i: torch.einsum("bd,bkd->bk", own, w[i]),
        negatives,
        (0, 1),
    ),
    Case("row products of tables", "statements", looked_up, looked_up_tables, (0, 2)),
    Case("row score", "row_score", distance, triples, (0, 1)),
    Case("block gather", "rows", lambda x, i, q, w: gathered(x, i), windows, (0,)),
    Case("block scores", "statements", block_scores, windows, (0, 2)),
    Case("block values", "statements", block_values, windows, (0, 3)),
    Case(
        "rows",
        "rows",
        lambda one, other, i, j: EMBEDDING(i, one) + 2 * EMBEDDING(j, other),
        summed_rows,
        (0, 1),
    ),
    Case("looked-up rows", "rows", lambda one, other, i, j: one[i], summed_rows, (0,)),
    Case("selection", "selection", lambda e, w: w[e[0] != e[1]], edges, (1,)),
)


LIMITS = {
    "graph.costs": ("LEAST_SUMMED", "LEAST_LOOKUPS", "LEAST_TABLE_BYTES"),
    "calls.special_results": ("LEAST_ADDED",),
}


@contextmanager
def nothing_is_left() -> Iterator[None]:
    """Kernels are used however little they gain."""
    with pytest.MonkeyPatch.context() as patch:
        for module, limits in LIMITS.items():
            for limit in limits:
                patch.setattr(f"ember.torch.{module}.{limit}", 0)
        yield
