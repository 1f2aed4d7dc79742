"""What the paper's evaluation runs (tables 2 and 3), as programs with their inputs.

Models: table 3, inputs of which each core gets the same share, with low (L0), medium (L1) and high
locality (L2). Graphs: generated, with the published numbers of vertices, edges and elements, and a
degree that falls off as a power; `share` of the vertices are computed, over all rows of the table.
Block-sparse attention: 8 blocks a query of 8 x 8 x 512, each of so many rows, as BigBird selects
them.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from ember.datasets.locality import Indices, available_histograms, draw_indices, zipf_histogram

LOCALITIES = ("L0", "L1", "L2")
TABLES_PER_CORE = 2
ROWS_OF_TABLE = 16384


@dataclass(frozen=True)
class Model:
    """A row of table 3: one core's part of a batch."""

    segments: int
    elements: int
    lookups: int


MODELS = {"RM1": Model(64, 32, 64), "RM2": Model(32, 64, 128), "RM3": Model(16, 128, 256)}


@dataclass(frozen=True)
class Graph:
    """Vertices, edges, and elements of a vertex's row (table 2 and the datasets' pages)."""

    vertices: int
    edges: int
    elements: int


GRAPHS = {
    "arxiv": Graph(169_343, 1_166_243, 128),
    "mag": Graph(736_389, 5_416_271, 128),
    "products": Graph(2_449_029, 61_859_140, 100),
    "proteins": Graph(132_534, 39_561_252, 8),
}


MESSAGE_GRAPHS = {
    "com-Youtube": Graph(1_134_890, 5_975_248, 128),
    "roadNet-CA": Graph(1_965_206, 5_533_214, 128),
    "web-Google": Graph(875_713, 5_105_039, 128),
    "wiki-Talk": Graph(2_394_385, 5_021_410, 128),
}


@dataclass(frozen=True)
class KnowledgeGraph:
    """Entities and relations (the datasets' pages), and elements of a row (table 2)."""

    entities: int
    relations: int
    elements: int = 512


# Of wikikg2's 2.5 million entities, a quarter: two simulations at a time have to fit in memory.
KNOWLEDGE_GRAPHS = {
    "biokg": KnowledgeGraph(93_773, 51),
    "wikikg2": KnowledgeGraph(2_500_604 // 4, 535),
}


# The shares of their vertices that are computed for figures of one core.
SHARES = {"arxiv": 16, "mag": 64, "products": 640, "proteins": 256}
PART_NOTE = (
    "Sums for "
    + ", ".join(f"1/{share} of {graph}'s vertices" for graph, share in SHARES.items())
    + " (an eighth of that with --quick), which look rows up in tables of all vertices."
)


# Not a load passes an older store until its address is known: the other end of what is not known
# of the paper's cores.
WAITING = {"core": {"disambiguation": "waitForStores"}}


@dataclass(frozen=True)
class Workload:
    """A program with what makes its inputs; equal recipes make equal inputs."""

    name: str
    kind: str
    program: str
    recipe: str
    make: Callable[[], list[Any]]


def bags(model: str, locality: str, cores: int) -> Workload:
    """Embedding bags of a model, for so many cores."""
    size = MODELS[model]
    program = f"""
func.func @run(%table: memref<?x{size.elements}xf32>, %indices: memref<?xi32>,
               %offsets: memref<?xi32>, %out: memref<?x{size.elements}xf32>) {{
  embed.bag sum tables(%table : memref<?x{size.elements}xf32>) indices(%indices : memref<?xi32>)
      offsets(%offsets : memref<?xi32>) outs(%out : memref<?x{size.elements}xf32>)
  return
}}
"""
    recipe = f"bags {size} {locality} {cores}"
    return Workload(
        f"{model} {locality}", "SLS", program, recipe, partial(_bags, size, locality, cores)
    )


def _bags(size: Model, locality: str, cores: int) -> list[Any]:
    tables = TABLES_PER_CORE * cores
    lookups = size.segments * size.lookups
    rng = np.random.default_rng(7)
    indices = [_draw(locality, lookups, seed) + ROWS_OF_TABLE * seed for seed in range(tables)]
    rows = tables * size.segments
    return [
        rng.standard_normal((tables * ROWS_OF_TABLE, size.elements), dtype=np.float32),
        np.concatenate(indices).astype(np.int32),
        (np.arange(rows + 1) * size.lookups).astype(np.int32),
        np.zeros((rows, size.elements), np.float32),
    ]


def _draw(locality: str, lookups: int, seed: int) -> Indices:
    """Low: any row is as likely. Medium and high: of the histograms of production tables, or of
    two Zipf distributions without them, the one with less and the one with more reuse."""
    if locality == "L0":
        return np.random.default_rng(seed).integers(0, ROWS_OF_TABLE, lookups)
    known = available_histograms() or [zipf_histogram(exponent=exponent) for exponent in (0.9, 1.2)]
    by_reuse = sorted(known, key=lambda one: one.lookups / one.rows_used)
    histogram = by_reuse[0 if locality == "L1" else -1]
    return draw_indices(histogram, lookups, ROWS_OF_TABLE, seed)


def aggregation(graph: str, share: float) -> Workload:
    """Sums of neighbours' rows times edges' weights."""
    size = GRAPHS[graph]
    memref = f"memref<?x{size.elements}xf32>"
    program = f"""
func.func @run(%rows: {memref}, %columns: memref<?xi32>, %offsets: memref<?xi32>,
               %values: memref<?xf32>, %out: {memref}) {{
  embed.spmm sum csr(%offsets, %columns : memref<?xi32>, memref<?xi32>)
      values(%values : memref<?xf32>) dense(%rows : {memref}) outs(%out : {memref})
  return
}}
"""
    return Workload(
        graph, "SpMM", program, f"spmm {size} {share}", partial(_graph, size, share, True)
    )


def some_graphs(quick: bool) -> list[str]:
    """The graphs that figures of one core show."""
    return ["arxiv", "proteins"] if quick else list(GRAPHS)


def part_of(graph: str, quick: bool, cores: int = 1) -> Workload:
    """Sums of neighbours' rows of the share of the graph, for so many cores."""
    return aggregation(graph, min(1, cores / (SHARES[graph] * (8 if quick else 1))))


def messages(graph: str, share: float) -> Workload:
    """Rows of neighbours, each times what it has in common with the vertex (message passing)."""
    size = (GRAPHS | MESSAGE_GRAPHS)[graph]
    memref = f"memref<?x{size.elements}xf32>"
    program = f"""
func.func @run(%rows: {memref}, %columns: memref<?xi32>, %offsets: memref<?xi32>,
               %own: {memref}, %out: {memref}) {{
  embed.message add edge(mul) csr(%offsets, %columns : memref<?xi32>, memref<?xi32>)
      rows(%own, %rows : {memref}, {memref}) messages(%rows : {memref}) outs(%out : {memref})
  return
}}
"""
    return Workload(
        f"{graph} messages",
        "MP",
        program,
        f"messages {size} {share}",
        partial(_graph, size, share, False),
    )


def _graph(size: Graph, share: float, has_values: bool) -> list[Any]:
    rng = np.random.default_rng(11)
    vertices = max(8, int(size.vertices * share))
    # Degrees that fall off as a power, around the graph's mean; targets likewise.
    weights = rng.pareto(2.0, vertices) + 0.2
    degrees = np.maximum(1, weights * size.edges / size.vertices / weights.mean()).astype(np.int64)
    offsets = np.concatenate([[0], np.cumsum(degrees)])
    popularity = rng.permutation(size.vertices)
    ranks = np.minimum(size.vertices * rng.random(offsets[-1]) ** 1.5, size.vertices - 1)
    inputs: list[Any] = [
        rng.standard_normal((size.vertices, size.elements), dtype=np.float32),
        popularity[ranks.astype(np.int64)].astype(np.int32),
        offsets.astype(np.int32),
    ]
    if has_values:
        inputs.append(rng.standard_normal(offsets[-1], dtype=np.float32))
    else:
        inputs.append(inputs[0][:vertices].copy())
    inputs.append(np.zeros((vertices, size.elements), np.float32))
    return inputs


def triples(graph: str, samples: int) -> Workload:
    """Distances of tails from what relations make of heads, all at random."""
    size = KNOWLEDGE_GRAPHS[graph]
    memref = f"memref<?x{size.elements}xf32>"
    program = f"""
func.func @run(%entities: {memref}, %relations: {memref}, %heads: memref<?xi32>,
               %types: memref<?xi32>, %tails: memref<?xi32>, %out: memref<?xf32>) {{
  embed.score transe norm 2 entities(%entities : {memref}) relations(%relations : {memref})
      heads(%heads : memref<?xi32>) types(%types : memref<?xi32>) tails(%tails : memref<?xi32>)
      outs(%out : memref<?xf32>)
  return
}}
"""

    def make() -> list[Any]:
        rng = np.random.default_rng(17)
        entities, relations = (
            rng.standard_normal((rows, size.elements), dtype=np.float32)
            for rows in (size.entities, size.relations)
        )
        heads, types, tails = (
            rng.integers(0, rows, samples).astype(np.int32)
            for rows in (size.entities, size.relations, size.entities)
        )
        return [entities, relations, heads, types, tails, np.zeros(samples, np.float32)]

    return Workload(graph, "KG", program, f"triples {size} {samples}", make)


def attention(block: int, queries: int) -> Workload:
    """BigBird's gather of blocks of `block` rows of 512 elements, one query after the other: the
    first and the last block, three around the query, and three at random."""
    elements = 512
    memref = f"memref<?x{elements}xf32>"
    out = f"memref<?x{8 * block}x{elements}xf32>"
    program = f"""
func.func @run(%keys: {memref}, %blocks: memref<?x8xi32>, %out: {out}) {{
  embed.gather block_size {block} rows(%keys : {memref}) blocks(%blocks : memref<?x8xi32>)
      outs(%out : {out})
  return
}}
"""

    def make() -> list[Any]:
        rng = np.random.default_rng(13)
        rows = 4096
        count = rows // block
        query = np.arange(queries) % count
        near = [(query + step) % count for step in (-1, 0, 1)]
        ends = [np.zeros_like(query), np.full_like(query, count - 1)]
        random = list(rng.integers(0, count, (3, queries)))
        return [
            rng.standard_normal((rows, elements), dtype=np.float32),
            np.stack([*ends, *near, *random], axis=1).astype(np.int32),
            np.zeros((queries, 8 * block, elements), np.float32),
        ]

    return Workload(f"block {block}", "SpAttn", program, f"bigbird {block} {queries}", make)
