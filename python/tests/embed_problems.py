"""Problems of each embedding operation: a program, random arguments, and the result by PyTorch.

A case fixes a program. Its `problem` draws arguments for one of SCENARIOS, and computes the result
in f64 by the formula in the operation's description, row by row.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from dataclasses import dataclass

import numpy as np
import torch
from embed_values import Operands, table_type
from ember import embed_programs as embed
from ember.embed_programs import RowFormat, array
from numpy.typing import NDArray
from torch import Tensor

SCENARIOS = ("random", "empty segments", "long segment", "one", "nothing", "duplicates")


@dataclass
class Problem:
    """The arguments of a kernel, the last its output, and what it is to become."""

    arguments: list[NDArray | int | float]
    expected: Tensor
    tolerance: tuple[float, float]


def segment_lengths(scenario: str, draw: np.random.Generator, limit: int = 5) -> NDArray:
    """How many lookups, or edges, each segment has."""
    if scenario == "nothing":
        return np.zeros(0, np.int64)
    if scenario == "one":
        return np.ones(1, np.int64)
    lengths = draw.integers(0, limit, 6)
    if scenario == "empty segments":
        lengths[[0, 2, 3, 5]] = 0
    if scenario == "long segment":
        lengths[2] = 41
    return lengths


def chosen_rows(scenario: str, rows: int, count: int, draw: np.random.Generator) -> NDArray:
    """Which rows lookups or edges name."""
    if scenario == "duplicates":
        return np.full(count, draw.integers(rows))
    return draw.integers(0, rows, count)


def reduce_rows(reduction: str, rows: Tensor) -> Tensor:
    """The rows (count, length) of a segment as one."""
    if len(rows) == 0:
        return rows.new_zeros(rows.shape[1:])
    if reduction == "max":
        return rows.amax(0)
    return rows.mean(0) if reduction == "mean" else rows.sum(0)


def stack(rows: list[Tensor], *shape: int) -> Tensor:
    """The rows as one tensor, of this shape even if there are none."""
    return torch.stack(rows).reshape(shape) if rows else torch.zeros(shape, dtype=torch.float64)


@dataclass(frozen=True)
class BagCase:
    """Bags: types of table, weights and output, lengths of the tables' rows."""

    reduction: str
    segment_kind: str
    table: str
    weights: str | None
    out: str
    index: str
    segment: str
    padded: bool
    row_format: RowFormat | None
    lengths: tuple[int, ...]
    fixed: bool

    def operation(self) -> embed.Operation:
        total = sum(self.lengths)
        fixed = self.fixed or len(self.lengths) > 1
        return embed.Bag(
            tables=tuple(
                table_type(self.table, self.row_format, length, fixed) for length in self.lengths
            ),
            indices=array(self.index, None),
            segments=array(self.segment, None),
            out=array(self.out, None, total if fixed else None),
            reduction=self.reduction,
            segment_kind=self.segment_kind,
            weights=array(self.weights, None) if self.weights else None,
            padded=self.padded,
            row_format=self.row_format,
        )

    def problem(self, scenario: str, draw: np.random.Generator) -> Problem:
        operands = Operands(draw)
        rows = 1 if scenario == "one" else 9
        tables = [
            operands.table(self.table, self.row_format, rows, length) for length in self.lengths
        ]
        segments = [segment_lengths(scenario, draw) for _ in tables]
        bags = len(segments[0])
        counts = np.concatenate(segments)
        ends = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        indices = operands.indices(self.index, chosen_rows(scenario, rows, ends[-1], draw))
        forms = {"offsets": ends, "open_offsets": ends[:-1], "lengths": counts}
        operands.indices(self.segment, forms[self.segment_kind])
        weights = torch.ones(len(indices), dtype=torch.float64)
        if self.weights:
            weights = operands.values(self.weights, len(indices))
        paddings = [int(draw.integers(-1, rows)) for _ in tables] if self.padded else []
        operands.arguments.extend(paddings)
        operands.output(self.out, bags, sum(self.lengths))
        columns = []
        for number, table in enumerate(tables):
            reduced = []
            for bag in range(bags):
                segment = number * bags + bag
                places = torch.arange(ends[segment], ends[segment + 1])
                if self.padded:
                    places = places[indices[places] != paddings[number]]
                terms = table[indices[places]] * weights[places, None]
                reduced.append(reduce_rows(self.reduction, terms))
            columns.append(stack(reduced, bags, self.lengths[number]))
        return Problem(operands.arguments, torch.cat(columns, 1), operands.tolerance(self.out))


@dataclass
class Edges:
    """The edges of a graph: the row and the column of each, in the order of storage."""

    rows: Tensor
    columns: Tensor


def draw_edges(
    operands: Operands, graph: str, index: str, scenario: str, nodes: int
) -> tuple[int, Edges]:
    """Appends the arrays of a graph; returns how many rows it has, and its edges."""
    draw = operands.draw
    counts = segment_lengths(scenario, draw)
    rows = np.repeat(np.arange(len(counts)), counts)
    columns = chosen_rows(scenario, nodes, len(rows), draw)
    if graph == "csr":
        operands.indices(index, np.concatenate([[0], np.cumsum(counts)]).astype(np.int64))
    else:
        order = draw.permutation(len(rows))
        rows, columns = rows[order], columns[order]
        operands.indices(index, rows)
    return len(counts), Edges(torch.from_numpy(rows), operands.indices(index, columns))


def reduce_edges(reduction: str, rows: int, edges: Edges, terms: Tensor) -> Tensor:
    """The terms (edges, length) of each row as one."""
    reduced = [reduce_rows(reduction, terms[edges.rows == row]) for row in range(rows)]
    return stack(reduced, rows, terms.shape[1])


@dataclass(frozen=True)
class SpMMCase:
    """Products with a graph's matrix: types of the rows, the edges' values and the output."""

    reduction: str
    graph: str
    dense: str
    values: str | None
    out: str
    index: str
    row_format: RowFormat | None
    length: int
    fixed: bool

    def operation(self) -> embed.Operation:
        return embed.SpMM(
            rows=array(self.index, None),
            columns=array(self.index, None),
            values=array(self.values, None) if self.values else None,
            dense=table_type(self.dense, self.row_format, self.length, self.fixed),
            out=array(self.out, None, self.length if self.fixed else None),
            reduction=self.reduction,
            graph=self.graph,
            row_format=self.row_format,
        )

    def problem(self, scenario: str, draw: np.random.Generator) -> Problem:
        operands = Operands(draw)
        nodes = 1 if scenario == "one" else 8
        rows, edges = draw_edges(operands, self.graph, self.index, scenario, nodes)
        count = len(edges.rows)
        values = torch.ones(count, dtype=torch.float64)
        if self.values:
            values = operands.values(self.values, count)
        dense = operands.table(self.dense, self.row_format, nodes, self.length)
        operands.output(self.out, rows, self.length)
        terms = dense[edges.columns] * values[:, None]
        expected = reduce_edges(self.reduction, rows, edges, terms)
        return Problem(operands.arguments, expected, operands.tolerance(self.out))


EDGE_STEPS = {
    "mul": torch.mul,
    "add": torch.add,
    "sub": torch.sub,
    "min": torch.minimum,
}
ACTIVATIONS = {
    None: lambda value: value,
    "sigmoid": torch.sigmoid,
    "relu": torch.relu,
    "exp": torch.exp,
}
# Of messages, as reductions of rows are called.
MESSAGE_REDUCTIONS = {"add": "sum", "mean": "mean", "larger": "max"}


@dataclass(frozen=True)
class EdgeCase:
    """Values of edges, stored (sddmm) or, with a reduction, scaling messages (message).

    elements: types of left, right, messages, values, scale and output.
    """

    edge: str
    activation: str | None
    graph: str
    elements: tuple[str, str, str, str, str, str]
    index: str
    weighted: bool
    scaled: bool
    reduction: str | None
    vector: bool
    length: int
    fixed: bool

    def operation(self) -> embed.Operation:
        left, right, messages, values, scale, out = self.elements
        length = self.length if self.fixed else None
        shared = embed.SDDMM(
            rows=array(self.index, None),
            columns=array(self.index, None),
            values=array(values, None) if self.weighted else None,
            left=array(left, None, length),
            right=array(right, None, length),
            out=array(out, None),
            edge=self.edge,
            activation=self.activation,
            graph=self.graph,
            scale=scale if self.scaled else None,
        )
        if self.reduction is None:
            return shared
        wide = length if self.vector else None
        fields = vars(shared) | {"out": array(out, None, wide)}
        return embed.Message(
            **fields,
            messages=array(messages, None, wide),
            reduction=self.reduction,
            vector=self.vector,
        )

    def problem(self, scenario: str, draw: np.random.Generator) -> Problem:
        left, right, messages, values, scale, out = self.elements
        operands = Operands(draw)
        nodes = 1 if scenario == "one" else 8
        rows, edges = draw_edges(operands, self.graph, self.index, scenario, nodes)
        count = len(edges.rows)
        weights = torch.ones(count, dtype=torch.float64)
        if self.weighted:
            weights = operands.values(values, count)
        # Sums that stay small, so that exp does.
        left_rows = operands.values(left, rows, self.length, scale=0.3)
        right_rows = operands.values(right, nodes, self.length, scale=0.3)
        message_length = self.length if self.vector else 5
        if self.reduction is not None:
            message_rows = operands.values(messages, nodes, message_length)
        factor = operands.scalar(scale) if self.scaled else 1.0
        pairs = EDGE_STEPS[self.edge](left_rows[edges.rows], right_rows[edges.columns])
        combined = pairs if self.vector else pairs.sum(1, keepdim=True)
        edge_values = ACTIVATIONS[self.activation](combined) * factor * weights[:, None]
        if self.reduction is None:
            operands.output(out, count)
            expected = edge_values[:, 0]
        else:
            operands.output(out, rows, message_length)
            terms = edge_values * message_rows[edges.columns]
            expected = reduce_edges(MESSAGE_REDUCTIONS[self.reduction], rows, edges, terms)
        return Problem(operands.arguments, expected, operands.tolerance(out))


@dataclass(frozen=True)
class ScoreCase:
    """Scores of triples, of given tails or of all entities."""

    model: str
    norm: int | None
    entities: str
    relations: str
    out: str
    index: str
    all_tails: bool
    length: int
    fixed: bool

    @property
    def _relation_length(self) -> int:
        return self.length // 2 if self.model == "rotate" else self.length

    def operation(self) -> embed.Operation:
        ids = array(self.index, None)
        return embed.Score(
            entities=array(self.entities, None, self.length if self.fixed else None),
            relations=array(self.relations, None, self._relation_length if self.fixed else None),
            heads=ids,
            types=ids,
            tails=None if self.all_tails else ids,
            out=array(self.out, None, *([None] if self.all_tails else [])),
            model=self.model,
            norm=self.norm,
        )

    def problem(self, scenario: str, draw: np.random.Generator) -> Problem:
        operands = Operands(draw)
        count = {"nothing": 0, "one": 1, "long segment": 23}.get(scenario, 6)
        entity_count, relation_count = (1, 1) if scenario == "one" else (7, 3)
        entities = operands.values(self.entities, entity_count, self.length)
        relations = operands.values(self.relations, relation_count, self._relation_length)

        def ids(limit: int) -> Tensor:
            return operands.indices(self.index, chosen_rows(scenario, limit, count, draw))

        head, relation = entities[ids(entity_count)], relations[ids(relation_count)]
        if self.all_tails:
            operands.output(self.out, count, entity_count)
            head, relation, tail = head[:, None], relation[:, None], entities[None]
        else:
            tail = entities[ids(entity_count)]
            operands.output(self.out, count)
        return Problem(
            operands.arguments,
            self._scores(head, relation, tail),
            operands.tolerance(self.out),
        )

    def _scores(self, head: Tensor, relation: Tensor, tail: Tensor) -> Tensor:
        """torch_geometric.nn.kge's formulas."""

        def split(row: Tensor) -> tuple[Tensor, Tensor]:
            return row[..., : self.length // 2], row[..., self.length // 2 :]

        if self.model == "transe":
            return -torch.linalg.vector_norm(head + relation - tail, ord=self.norm or 2, dim=-1)
        if self.model == "distmult":
            return (head * relation * tail).sum(-1)
        (head_re, head_im), (tail_re, tail_im) = split(head), split(tail)
        if self.model == "complex":
            rel_re, rel_im = split(relation)
            return (
                (head_re * rel_re * tail_re).sum(-1)
                + (head_im * rel_re * tail_im).sum(-1)
                + (head_re * rel_im * tail_im).sum(-1)
                - (head_im * rel_im * tail_re).sum(-1)
            )
        rel_re, rel_im = relation.cos(), relation.sin()
        re = rel_re * head_re - rel_im * head_im - tail_re
        im = rel_re * head_im + rel_im * head_re - tail_im
        return -torch.linalg.vector_norm(torch.complex(re, im), ord=self.norm or 2, dim=-1)


@dataclass(frozen=True)
class BlockCase:
    """Gathers of blocks, products with them, and sums of them.

    kind: gather, block_scores or block_values. elements: types of the rows, of queries or
    scores, of the scale and of the output.
    """

    kind: str
    block_size: int
    elements: tuple[str, str, str, str]
    index: str
    scaled: bool
    row_format: RowFormat | None
    length: int
    fixed: bool

    def operation(self) -> embed.Operation:
        rows, others, scale, out = self.elements
        length = self.length if self.fixed else None
        blocks = array(self.index, None, None)
        if self.kind == "gather":
            return embed.Gather(
                source=table_type(rows, self.row_format, self.length, self.fixed),
                blocks=blocks,
                out=array(out, None, None, length),
                block_size=self.block_size,
                row_format=self.row_format,
            )
        if self.kind == "block_scores":
            return embed.BlockScores(
                queries=array(others, None, length),
                keys=array(rows, None, length),
                blocks=blocks,
                out=array(out, None, None),
                block_size=self.block_size,
                scale=scale if self.scaled else None,
            )
        return embed.BlockValues(
            scores=array(others, None, None),
            values=array(rows, None, length),
            blocks=blocks,
            out=array(out, None, length),
            block_size=self.block_size,
        )

    def problem(self, scenario: str, draw: np.random.Generator) -> Problem:
        rows, others, scale, out = self.elements
        operands = Operands(draw)
        size = self.block_size
        count = {"nothing": 0, "one": 1}.get(scenario, 3)
        width = {"empty segments": 0, "one": 1, "long segment": 6}.get(scenario, 2)
        source_blocks = 1 if scenario == "one" else 4
        numbers = chosen_rows(scenario, source_blocks, count * width, draw).reshape(count, width)
        gathered = (numbers[:, :, None] * size + np.arange(size)).reshape(count, width * size)

        def finish(expected: Tensor) -> Problem:
            operands.output(out, *expected.shape)
            return Problem(operands.arguments, expected, operands.tolerance(out))

        if self.kind == "gather":
            source = operands.table(rows, self.row_format, source_blocks * size, self.length)
            operands.indices(self.index, numbers)
            return finish(source[gathered])
        if self.kind == "block_scores":
            queries = operands.values(others, count * size, self.length)
            keys = operands.values(rows, source_blocks * size, self.length)
            operands.indices(self.index, numbers)
            factor = operands.scalar(scale) if self.scaled else 1.0
            blocked = queries.reshape(count, size, self.length)
            scores = torch.einsum("iqd,ikd->iqk", blocked, keys[gathered]) * factor
            return finish(scores.reshape(count * size, width * size))
        scores = operands.values(others, count * size, width * size)
        values = operands.values(rows, source_blocks * size, self.length)
        operands.indices(self.index, numbers)
        blocked = scores.reshape(count, size, width * size)
        sums = torch.einsum("iqk,ikd->iqd", blocked, values[gathered])
        return finish(sums.reshape(count * size, self.length))


Case = BagCase | SpMMCase | EdgeCase | ScoreCase | BlockCase
