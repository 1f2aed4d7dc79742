"""Cases of knowledge graphs: scores of triples, by the formulas of torch_geometric.nn.kge.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from ember.embed_programs import Score, array
from torch import Tensor

from benchmarks.cpu import case
from benchmarks.cpu.agreement import tolerance_of_sums
from benchmarks.cpu.case import Prepared, pytorch_contenders
from benchmarks.cpu.kernels import compiled, with_new_output
from benchmarks.cpu.limit import LimitRead, RowSize
from benchmarks.cpu.measuring import Contender
from benchmarks.cpu.setting import Setting

REFERENCE_TRIPLES = 64
RELATIONS = 51
# Batches that are drawn, and then taken in turn.
MOST_BATCHES = 64
DRAWN_TRIPLES = 1 << 18

Triples = tuple[Tensor, Tensor, Tensor]


@dataclass(frozen=True)
class ScoreCase:
    """Scores of so many triples; entities: rows of their table, drawn uniformly."""

    group: str
    model: str
    length: int
    entities: int
    triples: int
    compare_compiled: bool = False

    @property
    def factors(self) -> Mapping[str, Any]:
        hidden = ("group", "compare_compiled")
        return {name: field for name, field in vars(self).items() if name not in hidden}

    @property
    def relation_length(self) -> int:
        """Elements of a relation's row."""
        return self.length // 2 if self.model == "rotate" else self.length

    def limit_sizes(self) -> Sequence[RowSize]:
        return [RowSize(4 * self.relation_length, 8)]

    def prepare(self, setting: Setting) -> Prepared:
        entities = setting.arena.table(torch.float32, self.entities, self.length)
        relations = setting.arena.table(
            torch.float32, RELATIONS, self.relation_length, start=4 * entities.numel()
        )
        batches = self._batches()
        prepared = Prepared(
            contenders=self._contenders(
                entities, relations, setting.compiles and self.compare_compiled
            ),
            batch=lambda number: batches[number % len(batches)],
            row_bytes=4 * self.triples * (2 * self.length + self.relation_length),
            out_bytes=4 * self.triples,
            tolerance=tolerance_of_sums("f32", self.length),
            reference=lambda batch: self._reference(entities, relations, batch),
        )
        if setting.limit:
            rows = setting.arena.table(
                torch.float32, self._parts * self.entities + RELATIONS, self.relation_length
            )
            step = 2 * self._parts + 1
            offsets = np.arange(0, step * self.triples + 1, step)
            prepared.limit = LimitRead(
                setting.limit,
                rows.view(torch.uint8).numpy(),
                lambda batch: (self._rows_of(batch), offsets),
                self.triples,
                4,
            )
        return prepared

    @property
    def _parts(self) -> int:
        """Rows of relations that are as long as one of entities."""
        return self.length // self.relation_length

    def _batches(self) -> list[Triples]:
        draw = torch.Generator().manual_seed(self.length)

        def ids(limit: int) -> Tensor:
            return torch.randint(limit, (self.triples,), generator=draw)

        count = max(4, min(MOST_BATCHES, DRAWN_TRIPLES // self.triples))
        return [(ids(self.entities), ids(RELATIONS), ids(self.entities)) for _ in range(count)]

    def _rows_of(self, batch: Triples) -> Any:
        """The rows, of the length of relations, that triples read: entities' are in front."""
        heads, types, tails = batch
        parts = torch.arange(self._parts)
        head, tail = (ids[:, None] * self._parts + parts for ids in (heads, tails))
        relation = types[:, None] + self._parts * self.entities
        return torch.cat([head, relation, tail], 1).flatten().numpy()

    def _reference(self, entities: Tensor, relations: Tensor, batch: Triples) -> Tensor:
        """The first triples' scores in f64."""
        heads, types, tails = (ids[:REFERENCE_TRIPLES] for ids in batch)
        rows = (entities[heads], relations[types], entities[tails])
        return MODELS[self.model](*(row.double() for row in rows))

    def _contenders(self, entities: Tensor, relations: Tensor, compiles: bool) -> list[Contender]:
        ids = array("i64", None)
        operation = Score(
            entities=array("f32", None, self.length),
            relations=array("f32", None, self.relation_length),
            heads=ids,
            types=ids,
            tails=ids,
            out=array("f32", None),
            model=self.model,
            norm=2 if self.model in ("transe", "rotate") else None,
        )
        tables = [entities, relations]
        call = with_new_output(compiled(operation), tables, "f32", (self.triples,))

        score = MODELS[self.model]

        def eager(heads: Tensor, types: Tensor, tails: Tensor) -> Tensor:
            return score(entities[heads], relations[types], entities[tails])

        return [
            Contender(case.EMBER, call, lambda batch: tuple(ids.numpy() for ids in batch)),
            *pytorch_contenders(eager, lambda batch: batch, compiles),
        ]


def transe(head: Tensor, relation: Tensor, tail: Tensor) -> Tensor:
    """How far the tail is from the head moved by the relation."""
    distance: Tensor = torch.linalg.vector_norm(head + relation - tail, ord=2, dim=-1)
    return -distance


def distmult(head: Tensor, relation: Tensor, tail: Tensor) -> Tensor:
    """The product of all three, summed."""
    return (head * relation * tail).sum(-1)


def complex_product(head: Tensor, relation: Tensor, tail: Tensor) -> Tensor:
    """The real part of the product of complex rows with the conjugate of the tail."""
    head_re, head_im = head.chunk(2, -1)
    relation_re, relation_im = relation.chunk(2, -1)
    tail_re, tail_im = tail.chunk(2, -1)
    return (
        (head_re * relation_re * tail_re).sum(-1)
        + (head_im * relation_re * tail_im).sum(-1)
        + (head_re * relation_im * tail_im).sum(-1)
        - (head_im * relation_im * tail_re).sum(-1)
    )


def rotate(head: Tensor, relation: Tensor, tail: Tensor) -> Tensor:
    """How far the tail is from the head rotated by the relation's angles."""
    head_re, head_im = head.chunk(2, -1)
    tail_re, tail_im = tail.chunk(2, -1)
    cosine, sine = relation.cos(), relation.sin()
    real = cosine * head_re - sine * head_im - tail_re
    imaginary = cosine * head_im + sine * head_re - tail_im
    distance: Tensor = torch.linalg.vector_norm(torch.complex(real, imaginary), dim=-1)
    return -distance


MODELS: dict[str, Callable[..., Tensor]] = {
    "transe": transe,
    "distmult": distmult,
    "complex": complex_product,
    "rotate": rotate,
}
