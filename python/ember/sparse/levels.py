"""Levels out of the coordinates of elements, and coordinates out of levels.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ember.errors import ArgumentError
from ember.sparse.format import Format, Level

# The arrays of each level, by what they are called.
Stored = list[dict[str, np.ndarray]]


@dataclass
class _Positions:
    """Where elements are at one level, in the order of their coordinates.

    of: the position of each element. count: how many positions the level has.
    """

    of: np.ndarray
    count: int


def store(
    coordinates: Sequence[np.ndarray], shape: Sequence[int], form: Format, levels: Sequence[Level]
) -> tuple[Stored, np.ndarray, int]:
    """Levels that have elements at these coordinates, one array a dimension.

    Returns the arrays of the levels, the position of each element given, which several may share
    where levels are unique, and how many values there are.
    """
    order = np.lexsort([coordinates[level.dimension] for level in reversed(levels)])
    here = _Positions(np.zeros(len(order), np.int64), 1)
    stored: Stored = []
    for level in levels:
        mine = np.asarray(coordinates[level.dimension])[order].astype(np.int64, copy=False)
        here, arrays = _store_level(level, mine, shape[level.dimension], here)
        for name in ("positions", "coordinates"):
            if name in arrays:
                arrays[name] = as_indices(arrays[name], form)
        stored.append(arrays)
    positions = np.empty(len(order), np.int64)
    positions[order] = here.of
    return stored, positions, here.count


def as_indices(numbers: np.ndarray, form: Format) -> np.ndarray:
    """Positions or coordinates in the type that a format has; raises ArgumentError if it cannot."""
    limit = np.iinfo(form.index).max
    if numbers.size and int(numbers.max()) > limit:
        raise ArgumentError(
            f"{int(numbers.max())} does not fit in the positions and coordinates of format "
            f"{form.name!r}: give it a wider type, such as i64"
        )
    return np.ascontiguousarray(numbers, form.index)


def _store_level(
    level: Level, mine: np.ndarray, size: int, above: _Positions
) -> tuple[_Positions, dict[str, np.ndarray]]:
    """One level: where elements are, and its arrays. The elements are in order."""
    if level.kind in ("dense", "bitmap"):
        here = _Positions(above.of * size + mine, above.count * size)
        if level.kind == "dense":
            return here, {}
        mask = np.zeros(here.count, np.bool_)
        mask[here.of] = True
        return here, {"mask": mask}
    if level.kind == "singleton":
        coordinates = np.zeros(above.count, np.int64)
        coordinates[above.of] = mine
        return above, {"coordinates": coordinates}
    is_new = np.ones(len(mine), np.bool_)
    if level.unique:
        is_new[1:] = (above.of[1:] != above.of[:-1]) | (mine[1:] != mine[:-1])
    here = _Positions(np.cumsum(is_new) - 1, int(is_new.sum()))
    counts = np.bincount(above.of[is_new], minlength=above.count)
    positions = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    return here, {"positions": positions, "coordinates": mine[is_new]}


@dataclass
class _Walk:
    """Positions of a level with the coordinates that lead to them, by dimension."""

    positions: np.ndarray
    coordinates: dict[int, np.ndarray] = field(default_factory=dict)

    def repeated(self, counts: np.ndarray | int) -> "_Walk":
        """Each position so many times."""
        return _Walk(
            np.repeat(self.positions, counts),
            {d: np.repeat(numbers, counts) for d, numbers in self.coordinates.items()},
        )


def coordinates_of(
    stored: Stored, levels: Sequence[Level], shape: Sequence[int]
) -> tuple[list[np.ndarray], np.ndarray]:
    """The coordinates of all that levels store, one array a dimension, and their positions."""
    walk = _Walk(np.zeros(1, np.int64))
    for level, arrays in zip(levels, stored, strict=True):
        size = shape[level.dimension]
        if level.kind in ("dense", "bitmap"):
            count = len(walk.positions)
            below = walk.repeated(size)
            mine = np.tile(np.arange(size), count)
            below.positions = below.positions * size + mine
            below.coordinates[level.dimension] = mine
            if level.kind == "bitmap":
                kept = arrays["mask"][below.positions]
                below.positions = below.positions[kept]
                below.coordinates = {d: c[kept] for d, c in below.coordinates.items()}
        elif level.kind == "singleton":
            below = walk
            below.coordinates[level.dimension] = arrays["coordinates"][walk.positions]
        else:
            begins = arrays["positions"][walk.positions].astype(np.int64)
            counts = arrays["positions"][walk.positions + 1] - begins
            below = walk.repeated(counts)
            first = np.repeat(np.cumsum(counts) - counts, counts)
            below.positions = np.arange(len(first)) - first + np.repeat(begins, counts)
            below.coordinates[level.dimension] = arrays["coordinates"][below.positions]
        walk = below
    return [walk.coordinates[dimension] for dimension in range(len(shape))], walk.positions


def check(stored: Stored, levels: Sequence[Level], shape: Sequence[int], values: int) -> None:
    """Raises ArgumentError, naming the level, for levels that are not what their kinds ask for."""
    count = 1
    for number, (level, arrays) in enumerate(zip(levels, stored, strict=True)):
        size = shape[level.dimension]
        what = f"level {number}, which is {level.kind},"
        if level.kind in ("dense", "bitmap"):
            count *= size
            if level.kind == "bitmap" and len(arrays["mask"]) != count:
                raise ArgumentError(f"{what} has {len(arrays['mask'])} booleans instead of {count}")
            continue
        coordinates = arrays["coordinates"]
        if level.kind == "compressed":
            positions = arrays["positions"]
            if len(positions) != count + 1:
                raise ArgumentError(f"{what} has {len(positions)} positions instead of {count + 1}")
            if positions[0] != 0 or (np.diff(positions) < 0).any():
                raise ArgumentError(f"{what} has positions that do not begin at 0 or decrease")
            count = int(positions[-1])
        if len(coordinates) != count:
            raise ArgumentError(f"{what} has {len(coordinates)} coordinates instead of {count}")
        if count and not 0 <= int(coordinates.min()) <= int(coordinates.max()) < size:
            raise ArgumentError(
                f"{what} has coordinates from {coordinates.min()} to {coordinates.max()} of "
                f"dimension {level.dimension}, which has size {size}"
            )
        if level.kind == "compressed":
            _check_order(what, level, positions, coordinates)
    if values != count:
        raise ArgumentError(f"there are {values} values instead of {count}")


def _check_order(what: str, level: Level, positions: np.ndarray, coordinates: np.ndarray) -> None:
    """That the coordinates of each segment increase."""
    if not level.ordered or len(coordinates) < 2:
        return
    step = np.diff(coordinates.astype(np.int64))
    inside = np.ones(len(step), np.bool_)
    ends = positions[1:-1]
    inside[ends[(ends > 0) & (ends < len(coordinates))] - 1] = False
    wrong = inside & ((step <= 0) if level.unique else (step < 0))
    if wrong.any():
        raise ArgumentError(
            f"{what} has coordinates that do not increase: {coordinates[int(wrong.argmax())]} is "
            f"followed by {coordinates[int(wrong.argmax()) + 1]}"
        )
