"""Sparse tensor formats: how upstream's sparse_tensor encodings lay a tensor out in memory.

A format is a list of levels; a tensor is packed level by level into the arrays and the sizes that a
function takes after --sparsification-and-bufferization, and unpacked from what it returns.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NUMPY_TYPES = {"index": np.int64, "i64": np.int64, "i32": np.int32}
SINGLETONS = {"singleton", "singleton(nonunique)"}


@dataclass(frozen=True)
class Level:
    """One level: a dimension, or with a block size its block number or the place in the block."""

    dimension: int
    kind: str
    block: int = 0
    inside: bool = False

    def expression(self) -> str:
        """The level's expression in the map of the encoding."""
        name = f"d{self.dimension}"
        if not self.block:
            return name
        return f"{name} {'mod' if self.inside else 'floordiv'} {self.block}"

    def coordinates(self, dimension: NDArray[np.int64]) -> NDArray[np.int64]:
        """Coordinates of this level from those of its dimension."""
        if not self.block:
            return dimension
        return dimension % self.block if self.inside else dimension // self.block

    def size(self, shape: Sequence[int]) -> int:
        """The number of coordinates there are."""
        if not self.block:
            return shape[self.dimension]
        return self.block if self.inside else shape[self.dimension] // self.block


@dataclass(frozen=True)
class Format:
    """A named way to store a tensor of some rank."""

    name: str
    levels: tuple[Level, ...]

    @property
    def rank(self) -> int:
        return 1 + max(level.dimension for level in self.levels)

    def block(self, dimension: int) -> int:
        """What the size of a dimension must be a multiple of."""
        return max([1, *(level.block for level in self.levels if level.dimension == dimension)])

    def interleaved_from(self) -> int:
        """The level from which coordinates share one array, element by element (COO)."""
        for k, level in enumerate(self.levels[:-1]):
            if "nonunique" in level.kind and self.levels[k + 1].kind in SINGLETONS:
                return k
        return len(self.levels)

    def encoding(self, width: str) -> str:
        """The sparse_tensor.encoding, with positions and coordinates of a type in NUMPY_TYPES."""
        dimensions = ", ".join(f"d{k}" for k in range(self.rank))
        levels = ", ".join(f"{level.expression()} : {level.kind}" for level in self.levels)
        bits = {"index": 0, "i64": 64, "i32": 32}[width]
        return (
            f"#sparse_tensor.encoding<{{ map = ({dimensions}) -> ({levels}), "
            f"posWidth = {bits}, crdWidth = {bits} }}>"
        )


def matrix(name: str, first: str, second: str, order: tuple[int, int] = (0, 1)) -> Format:
    """A format of matrices with one level a dimension."""
    return Format(name, (Level(order[0], first), Level(order[1], second)))


FORMATS = {
    form.name: form
    for form in (
        matrix("CSR", "dense", "compressed"),
        matrix("CSC", "dense", "compressed", (1, 0)),
        matrix("DCSR", "compressed", "compressed"),
        matrix("COO", "compressed(nonunique)", "singleton"),
        matrix("SoA-COO", "compressed(nonunique)", "singleton(soa)"),
        Format(
            "BSR",
            (
                Level(0, "dense", 2),
                Level(1, "compressed", 3),
                Level(0, "dense", 2, inside=True),
                Level(1, "dense", 3, inside=True),
            ),
        ),
        Format("CSF", tuple(Level(k, "compressed") for k in range(3))),
        Format(
            "COO3",
            (
                Level(0, "compressed(nonunique)"),
                Level(1, "singleton(nonunique)"),
                Level(2, "singleton"),
            ),
        ),
        Format("DCSF", (Level(0, "dense"), Level(1, "compressed"), Level(2, "compressed"))),
    )
}


@dataclass
class Stored:
    """A packed tensor: arrays in the order of the parameters, and the storage_specifier's sizes."""

    arrays: list[NDArray]
    sizes: list[int]

    def filled_with(self, value: float) -> "Stored":
        """The same places with other values."""
        return Stored([*self.arrays[:-1], np.full_like(self.arrays[-1], value)], self.sizes)


def pack(form: Format, dense: NDArray, stored: NDArray[np.bool_], width: str) -> Stored:
    """Packs the elements of `dense` that `stored` marks."""
    return pack_places(form, dense.shape, np.argwhere(stored), dense[stored], width)


def pack_places(
    form: Format, shape: Sequence[int], places: NDArray[np.int64], values: NDArray, width: str
) -> Stored:
    """Packs elements at distinct places, one row of coordinates each."""
    integer = NUMPY_TYPES[width]
    columns = [level.coordinates(places[:, level.dimension]) for level in form.levels]
    order = np.lexsort(columns[::-1])
    columns = [column[order] for column in columns]
    values = values[order]
    sizes = [level.size(shape) for level in form.levels]
    interleaved = form.interleaved_from()

    arrays: list[NDArray] = []
    parent = np.zeros(len(values), np.int64)
    parents = 1
    for k, (level, column) in enumerate(zip(form.levels, columns, strict=True)):
        if level.kind == "dense":
            parent = parent * sizes[k] + column
            parents *= sizes[k]
            continue
        if not level.kind.startswith("singleton"):
            if "nonunique" in level.kind:
                owners, kept, child = parent, column, np.arange(len(column))
            else:
                keys, child = np.unique(parent * (sizes[k] + 1) + column, return_inverse=True)
                owners, kept = np.divmod(keys, sizes[k] + 1)
            positions = np.searchsorted(owners, np.arange(parents + 1))
            arrays.append(positions.astype(integer))
            parent, parents, column = child, len(kept), kept
        if k == interleaved:
            arrays.append(np.stack(columns[k:], axis=-1).reshape(-1).astype(integer))
        elif k < interleaved:
            arrays.append(column.astype(integer))
    elements = np.zeros(parents, values.dtype)
    elements[parent] = values
    arrays.append(elements)
    return Stored(arrays, [*sizes, *(len(array) for array in arrays)])


def unpack(form: Format, shape: Sequence[int], stored: Stored) -> NDArray:
    """The dense tensor; raises ValueError where the storage is not what the format says."""
    places, elements = unpack_places(form, shape, stored)
    dense = np.zeros(shape, elements.dtype)
    dense[tuple(places.T)] = elements
    return dense


def unpack_places(
    form: Format, shape: Sequence[int], stored: Stored
) -> tuple[NDArray[np.int64], NDArray]:
    """The coordinates of each stored element, one row each, and the elements."""
    sizes, lengths = stored.sizes[: len(form.levels)], stored.sizes[len(form.levels) :]
    if sizes != [level.size(shape) for level in form.levels]:
        raise ValueError(f"level sizes {sizes} do not fit the shape {list(shape)}")
    arrays = iter(array[:length] for array, length in zip(stored.arrays, lengths, strict=True))
    interleaved = form.interleaved_from()
    levels: list[NDArray[np.int64]] = []
    parents = 1
    together = None
    for k, level in enumerate(form.levels):
        if level.kind == "dense":
            parent = np.repeat(np.arange(parents), sizes[k])
            column = np.tile(np.arange(sizes[k]), parents)
        elif level.kind.startswith("singleton"):
            parent = np.arange(parents)
            column = together[k - interleaved] if together is not None else next(arrays)
        else:
            positions = next(arrays).astype(np.int64)
            if len(positions) != parents + 1 or positions[0] or (np.diff(positions) < 0).any():
                raise ValueError(f"positions {positions} of level {k} under {parents} parents")
            parent = np.repeat(np.arange(parents), np.diff(positions))
            column = next(arrays)
            if k == interleaved:
                together = column.reshape(-1, len(form.levels) - k).T
                column = together[0]
            if len(column) != positions[-1]:
                raise ValueError(f"{len(column)} coordinates in level {k}, not {positions[-1]}")
        levels = [above[parent] for above in levels] + [column.astype(np.int64)]
        parents = len(column)
    elements = next(arrays)
    if len(elements) != parents:
        raise ValueError(f"{len(elements)} values, not {parents}")
    keys = np.stack(levels) if parents else np.zeros((len(levels), 0), np.int64)
    if (np.diff(np.lexsort(keys[::-1])) != 1).any():
        raise ValueError("coordinates are not in order")
    if len(np.unique(keys, axis=1).T) != parents:
        raise ValueError("a coordinate is stored twice")
    places = np.zeros((parents, len(shape)), np.int64)
    for level, column in zip(form.levels, levels, strict=True):
        scale = level.block if level.block and not level.inside else 1
        places[:, level.dimension] += column * scale
    return places, elements
