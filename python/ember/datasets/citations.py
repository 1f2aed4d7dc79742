"""The citation graphs of Cora, CiteSeer and PubMed; without their files, graphs of their sizes.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ember.datasets.locality import data_folder
from ember.errors import ArgumentError


@dataclass(frozen=True)
class Size:
    """Nodes, citations (each an edge in both directions), words of features, classes."""

    nodes: int
    citations: int
    features: int
    classes: int


# As the files have them.
SIZES = {
    "cora": Size(2708, 5278, 1433, 7),
    "citeseer": Size(3327, 4676, 3703, 6),
    "pubmed": Size(19717, 44327, 500, 3),
}


@dataclass(frozen=True)
class CitationGraph:
    """A graph for node classification.

    x (nodes, features) float32: rows are bags of words, of sum 1. edges (2, edges) int64: source
    and target, both directions of each citation. labels (nodes,): drawn at random. generated:
    whether there was no file of the edges.
    """

    name: str
    x: Tensor
    edges: Tensor
    labels: Tensor
    classes: int
    generated: bool

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return len(self.x)


def citation_graph(name: str, seed: int = 0) -> CitationGraph:
    """A graph of SIZES; what has no file is drawn at random, with the same sizes.

    Raises ArgumentError for other names and for files that are not of these sizes.
    """
    size = SIZES.get(name)
    if size is None:
        raise ArgumentError(f"no graph {name!r}; there are: {', '.join(SIZES)}")
    draw = np.random.default_rng(seed)
    folder = data_folder() / "graphs"
    file, features = folder / f"{name}.mtx", folder / f"{name}.features.mtx"
    if file.is_file():
        ends = _coordinates(file, size.nodes, size.nodes)
    else:
        ends = _skewed_pairs(size, draw)
    if features.is_file():
        words = _coordinates(features, size.nodes, size.features)
    else:
        words = draw.integers(0, (size.nodes, size.features), (size.nodes * 20, 2))
    x = np.zeros((size.nodes, size.features), np.float32)
    x[words[:, 0], words[:, 1]] = 1
    x /= np.maximum(x.sum(1, keepdims=True), 1)
    # A node that cites itself does so in one direction only.
    back = ends[ends[:, 0] != ends[:, 1], ::-1]
    edges = torch.from_numpy(np.concatenate([ends, back]).T.copy())
    labels = torch.from_numpy(draw.integers(0, size.classes, size.nodes))
    return CitationGraph(name, torch.from_numpy(x), edges, labels, size.classes, not file.is_file())


def _coordinates(file: Path, rows: int, columns: int) -> NDArray[np.int64]:
    """The places of a Matrix Market pattern file, (stored, 2), counted from 0."""
    with file.open() as lines:
        header = next(line for line in lines if not line.startswith("%"))
        found: NDArray[np.int64] = np.loadtxt(lines, np.int64, ndmin=2)
    sizes = [int(word) for word in header.split()]
    if sizes != [rows, columns, len(found)]:
        raise ArgumentError(
            f"{file}: its header says {header.strip()!r}, but {rows} rows, {columns} columns and "
            f"{len(found)} entries are expected"
        )
    return found[:, :2] - 1


def _skewed_pairs(size: Size, draw: np.random.Generator) -> NDArray[np.int64]:
    """Citations (citations, 2): few nodes are cited often, none by itself."""
    ranks = draw.random(size.citations) ** 3 * (size.nodes - 1)
    one = draw.permutation(size.nodes)[ranks.astype(np.int64)]
    other = (one + draw.integers(1, size.nodes, size.citations)) % size.nodes
    return np.stack([one, other], 1)
