"""Graphs of the cases: citation graphs from files, and generated ones with the skew of others.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from ember.datasets.locality import data_folder
from numpy.typing import NDArray

FILES = ("cora", "pubmed")


@dataclass(frozen=True)
class Graph:
    """Edges by row: positions (nodes + 1) of each row's first edge, columns (edges), int32."""

    positions: NDArray[np.int32]
    columns: NDArray[np.int32]

    @property
    def nodes(self) -> int:
        """Rows, and columns."""
        return len(self.positions) - 1

    @property
    def edges(self) -> int:
        """Edges, each direction of one counted."""
        return len(self.columns)

    @property
    def most_neighbours(self) -> int:
        """The degree of the largest row."""
        return int(np.diff(self.positions).max())


@dataclass(frozen=True)
class Shape:
    """Size and skew of a graph to generate.

    The k-th most frequent node has k^-skew of the edges of the most frequent one, as row and,
    independently, as column. spread: columns are so near to the row instead, as in road networks.
    """

    nodes: int
    edges: int
    skew: float
    spread: int = 0


# Nodes and edges of the Ember paper's inputs (table 2), divided by the number in the name.
SHAPES = {
    "arxiv/4": Shape(42_000, 291_000, 0.6),
    "products/64": Shape(38_000, 967_000, 0.5),
    "web-Google/16": Shape(57_000, 319_000, 0.7),
    "wiki-Talk/32": Shape(75_000, 157_000, 1.0),
    "roadNet-CA/32": Shape(61_000, 173_000, 0.0, spread=16),
}


def missing_graphs() -> list[str]:
    """The files that are not in the data folder: their cases are left out."""
    return [name for name in FILES if not (data_folder() / "graphs" / f"{name}.mtx").is_file()]


@functools.lru_cache(maxsize=2)
def find_graph(name: str) -> Graph:
    """The graph of a file's or a shape's name; raises KeyError for others."""
    if name in FILES:
        return read_graph(name)
    shape = SHAPES[name]
    draw = np.random.default_rng(shape.nodes)
    rows = _draw_nodes(shape, draw)
    if shape.spread:
        columns = (rows + draw.integers(-shape.spread, shape.spread, shape.edges)) % shape.nodes
    else:
        columns = _draw_nodes(shape, draw)
    return _by_rows(shape.nodes, rows, columns)


def read_graph(name: str) -> Graph:
    """A Matrix Market file of the data folder."""
    from scipy import io

    matrix: Any = io.mmread(data_folder() / "graphs" / f"{name}.mtx").tocoo()
    return _by_rows(matrix.shape[0], matrix.row.astype(np.int64), matrix.col)


def _draw_nodes(shape: Shape, draw: np.random.Generator) -> NDArray[np.int64]:
    """A node for each edge, by the skew; which nodes are frequent is random."""
    frequency = np.arange(1, shape.nodes + 1, dtype=np.float64) ** -shape.skew
    ends = np.cumsum(frequency)
    ranks = np.searchsorted(ends, draw.random(shape.edges) * ends[-1])
    drawn: NDArray[np.int64] = draw.permutation(shape.nodes)[np.minimum(ranks, shape.nodes - 1)]
    return drawn


def _by_rows(nodes: int, rows: NDArray[Any], columns: NDArray[Any]) -> Graph:
    """Edges sorted by row and column, none of them twice."""
    edges = np.unique(rows * nodes + columns)
    positions = np.searchsorted(edges, np.arange(nodes + 1) * nodes)
    return Graph(positions.astype(np.int32), (edges % nodes).astype(np.int32))
