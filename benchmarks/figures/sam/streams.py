"""Figure 4.15: what the streams of coordinates of a copied matrix are made of.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from ember import sam
from ember.datasets.citations import SIZES
from ember.datasets.locality import data_folder
from ember.errors import ArgumentError
from ember.sparse.array import Array

from benchmarks.figures.figure import Bar, Figure

#: What the text says of 15 matrices of SuiteSparse, in percent of the tokens of a stream.
PUBLISHED = {"outer, idle": 83.32, "outer, control": 0.95, "inner, control": 16.20}
WHY = "the published average is of other matrices, with about 5 elements a row"


def _matrices(folder: Path | None) -> Iterator[tuple[str, Any]]:
    """Matrices, or files of them, by name."""
    if folder is not None:
        files = sorted(folder.glob("**/*.mtx"))
        if not files:
            raise ArgumentError(f"{folder} has no .mtx file")
        for file in files:
            yield file.stem, file
        return
    for name, size in SIZES.items():
        file = data_folder() / "graphs" / f"{name}.mtx"
        if file.exists():
            yield name, file
            continue
        rng = np.random.default_rng(size.nodes)
        edges = rng.integers(0, size.nodes, (2, 2 * size.citations))
        places = np.unique(edges, axis=1)
        ones = np.ones(places.shape[1])
        yield (
            f"{name} (drawn)",
            Array.from_coordinates(list(places), ones, (size.nodes, size.nodes), "dcsr"),
        )


def shares_of(counted: sam.Statistics) -> dict[str, float]:
    """Percent of cycles without a token, and of tokens that are no data, of both streams."""
    found = {}
    for number, place in enumerate(("outer", "inner")):
        tokens = counted.blocks[f"scan_B{number}"].outputs["crd"]
        shown = sum(tokens.values())
        found[f"{place}, idle"] = 100 * (counted.cycles - shown) / counted.cycles
        found[f"{place}, control"] = 100 * (shown - tokens["data"]) / shown
    return found


def make_tokens(kept: Path, quick: bool, *, folder: Path | None = None) -> Figure:
    """By matrix: those of `folder`, else the graphs of citations."""
    del kept
    graph = sam.compile("X[i,j] = B[i,j]", formats={"X": "dcsr", "B": "dcsr"}, order="ij")
    bars = []
    shares: dict[str, list[float]] = {}
    for name, matrix in _matrices(folder):
        if quick and name.startswith("pubmed"):
            continue
        _, counted = graph.simulate(B=matrix)
        for what, share in shares_of(counted).items():
            bars.append(Bar(name, what, share))
            shares.setdefault(what, []).append(share)
    for what, values in shares.items():
        published = PUBLISHED.get(what)
        bars.append(
            Bar("average", what, statistics.fmean(values), published, why=WHY if published else "")
        )
    return Figure(
        "sam-fig4.15",
        "Streams of coordinates of X(i,j) = B(i,j): cycles without a token, tokens of control",
        "percent",
        bars,
        notes=[
            "Idle is of all cycles; control, which is stops and the end, of tokens. --data=FOLDER "
            "takes the .mtx files of a folder, such as those of SuiteSparse."
        ],
    )
