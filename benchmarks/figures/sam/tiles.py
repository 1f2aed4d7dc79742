"""Figure 4.16: SpM*SpM in tiles, by the size of matrices with as many elements.

Tiles of both operands go from DRAM through a buffer to the memory of a processing element; tiles
without elements are left out. What an element takes for a pair of tiles is simulated, as a graph of
streams; when tiles arrive follows from sizes, bandwidths and latencies.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import itertools
import os
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from ember import sam
from ember.sparse.array import Array
from numpy.typing import NDArray

from benchmarks.figures.figure import Bar, Figure
from benchmarks.figures.sam.draws import tiled_matrix
from benchmarks.figures.sam.reference import tiled_cycles

TILE = 128
#: Tiles of a buffer's tile, a side.
BUFFERED = 16
BYTES = 2
DRAM_BYTES, DRAM_LATENCY = 68.256, 200
BUFFER_BYTES, BUFFER_LATENCY = 256, 1
#: Elements of matrices, and their sizes.
POINTS = {500: (256, 512, 1024, 2048, 4096, 8192)}
MORE_POINTS = {1000: (1024, 2048, 4096, 8192)}
WHY = (
    "the published model is wired by hand, sequences tiles by a graph of its own, and moves "
    "on once an element has drained; here an element's cycles are those of its graph alone"
)

Place = tuple[int, int]


@dataclass(frozen=True)
class Tile:
    """The elements of a tile: rows and columns within it, shape (elements, 2)."""

    places: NDArray[np.int64]

    @property
    def bytes(self) -> int:
        """In memory: coordinates and values, and where rows begin."""
        rows = len(np.unique(self.places[:, 0]))
        return BYTES * (2 * len(self.places) + 2 * rows + 3)

    def array(self) -> Array:
        """The tile as an array of ones."""
        ones = np.ones(len(self.places))
        return Array.from_coordinates(list(self.places.T), ones, (TILE, TILE), "dcsr")


def tiles_of(places: NDArray[np.int64]) -> dict[Place, Tile]:
    """Tiles with elements, by their row and column."""
    found: dict[Place, list[NDArray[np.int64]]] = defaultdict(list)
    for place in places:
        found[int(place[0]) // TILE, int(place[1]) // TILE].append(place % TILE)
    return {place: Tile(np.array(elements)) for place, elements in found.items()}


def cycles_of(nonzeros: int, size: int, graph: sam.Graph) -> int:
    """Cycles of a point: loads of the next tiles run beside the product of those before."""
    places = tiled_matrix(nonzeros, size)
    first = tiles_of(places)
    # C is B with columns moved on by one, transposed.
    moved = np.stack([(places[:, 1] + 1) % size, places[:, 0]], axis=1)
    second = tiles_of(moved)
    pairs = _sequence(first, second)

    def simulate(pair: tuple[Place, Place]) -> int:
        left, right = first[pair[0]], second[pair[1]]
        if not np.intersect1d(left.places[:, 1], right.places[:, 0]).size:
            # The outer coordinates alone are scanned.
            return len(np.unique(left.places[:, 0]))
        _, counted = graph.simulate(B=left.array(), C=right.array())
        return counted.cycles

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        busy = list(pool.map(simulate, pairs))
    return _pipeline(pairs, busy, first, second)


def _sequence(first: dict[Place, Tile], second: dict[Place, Tile]) -> list[tuple[Place, Place]]:
    """Pairs of tiles that meet, the buffer's tiles outermost; empty ones are left out."""
    columns: dict[int, list[Place]] = defaultdict(list)
    for place in second:
        columns[place[0]].append(place)
    pairs = [(left, right) for left in first for right in columns[left[1]]]

    def order(pair: tuple[Place, Place]) -> tuple[int, ...]:
        (row, inner), (_, column) = pair
        outer = (row // BUFFERED, inner // BUFFERED, column // BUFFERED)
        return (*outer, row, inner, column)

    return sorted(pairs, key=order)


def _pipeline(
    pairs: list[tuple[Place, Place]],
    busy: list[int],
    first: dict[Place, Tile],
    second: dict[Place, Tile],
) -> int:
    """When the last product is done: memory, buffer and element each work ahead of the next."""

    def outer(pair: tuple[Place, Place]) -> tuple[int, int, int]:
        (row, inner), (_, column) = pair
        return row // BUFFERED, inner // BUFFERED, column // BUFFERED

    read = loaded = done = 0.0
    present: list[Place | None] = [None, None]
    numbered = zip(pairs, busy, strict=True)
    for _, group in itertools.groupby(numbered, key=lambda one: outer(one[0])):
        members = list(group)
        size = sum(first[place].bytes for place in {pair[0] for pair, _ in members})
        size += sum(second[place].bytes for place in {pair[1] for pair, _ in members})
        read += DRAM_LATENCY + size / DRAM_BYTES
        for pair, cycles in members:
            start = max(loaded, read)
            for side, tiles in enumerate((first, second)):
                if present[side] == pair[side]:
                    start += 1
                else:
                    start += BUFFER_LATENCY + tiles[pair[side]].bytes / BUFFER_BYTES
                    present[side] = pair[side]
            loaded = start
            done = max(done, loaded) + cycles
    return round(done)


def make_tiles(kept: Path, quick: bool) -> Figure:
    """By the size of matrices, for some numbers of elements."""
    del kept
    graph = sam.compile("X[i,j] = B[i,k]*C[k,j]", formats=dict.fromkeys("XBC", "dcsr"), order="ikj")
    points = {500: POINTS[500][:2]} if quick else POINTS | MORE_POINTS
    bars = [
        Bar(
            str(size),
            f"{nonzeros} elements",
            cycles_of(nonzeros, size, graph),
            tiled_cycles(nonzeros, size),
            why=WHY,
        )
        for nonzeros, sizes in points.items()
        for size in sizes
    ]
    return Figure(
        "sam-fig4.16",
        "SpM*SpM in tiles of 128 x 128 through a buffer",
        "cycles",
        bars,
        notes=[
            "Two operands of a size with as many elements each. The simulator has no levels of "
            "memory: when tiles arrive is computed beside it. The published trend has three "
            "regions: more tiles with elements, tiles left out, and less to do in each."
        ],
        is_log=True,
        axis="rows and columns",
    )
