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
    where levels are unique, and how many values there are. Raises ArgumentError for elements that
    the levels cannot tell apart.
    """
    order = np.lexsort([coordinates[level.dimension] for level in reversed(levels)])
    here = _Positions(np.zeros(len(order), np.int64), 1)
    stored: Stored = []
    ordered = [
        np.asarray(coordinates[level.dimension])[order].astype(np.int64, copy=False)
        for level in levels
    ]
    for number, level in enumerate(levels):
        # Coordinates that are not unique have one position for all that is the same down to the
        # next level whose coordinates are; without one, each element has its own.
        unique = [below.unique for below in levels[number:]]
        key = ordered[number : number + unique.index(True) + 1] if any(unique) else None
        here, arrays = _store_level(number, level, ordered[number], key, shape, here)
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
    number: int,
    level: Level,
    mine: np.ndarray,
    key: Sequence[np.ndarray] | None,
    shape: Sequence[int],
    above: _Positions,
) -> tuple[_Positions, dict[str, np.ndarray]]:
    """One level: where elements are, and its arrays.

    mine: the coordinates of the elements, which are in order. key: those by which elements of one
    position above are told apart; None: all have positions of their own.
    """
    if level.kind in ("dense", "bitmap"):
        size = shape[level.dimension]
        here = _Positions(above.of * size + mine, above.count * size)
        if level.kind == "dense":
            return here, {}
        mask = np.zeros(here.count, np.bool_)
        mask[here.of] = True
        return here, {"mask": mask}
    if level.kind == "singleton":
        coordinates = np.zeros(above.count, np.int64)
        coordinates[above.of] = mine
        lost = coordinates[above.of] != mine
        if lost.any():
            at = int(lost.argmax())
            raise ArgumentError(
                f"level {number}, which is singleton, has room for one of the coordinates "
                f"{mine[at]} and {coordinates[above.of[at]]}: they have the same coordinates in "
                "the levels above, which are unique"
            )
        return above, {"coordinates": coordinates}
    is_new = np.ones(len(mine), np.bool_)
    if key is not None:
        is_new[1:] = np.any([part[1:] != part[:-1] for part in (above.of, *key)], axis=0)
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


@dataclass
class _Run:
    """A compressed level with the singleton ones below it, which together list coordinates.

    columns: the segment of each position, and the coordinates of each level so far; none for
    singletons below a level of another kind, of which each position has its own segment. ordered:
    whether all of these levels are.
    """

    columns: list[np.ndarray] = field(default_factory=list)
    ordered: bool = True


def check(stored: Stored, levels: Sequence[Level], shape: Sequence[int], values: int) -> None:
    """Raises ArgumentError, naming the level, for levels that are not what their kinds ask for."""
    count = 1
    run = _Run()
    for number, (level, arrays) in enumerate(zip(levels, stored, strict=True)):
        size = shape[level.dimension]
        what = f"level {number}, which is {level.kind},"
        if level.kind in ("dense", "bitmap"):
            count *= size
            run = _Run()
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
            run = _Run([np.repeat(np.arange(len(positions) - 1), np.diff(positions))])
        if len(coordinates) != count:
            raise ArgumentError(f"{what} has {len(coordinates)} coordinates instead of {count}")
        if count and not 0 <= int(coordinates.min()) <= int(coordinates.max()) < size:
            raise ArgumentError(
                f"{what} has coordinates from {coordinates.min()} to {coordinates.max()} of "
                f"dimension {level.dimension}, which has size {size}"
            )
        _check_order(what, level, run, coordinates)
    if values != count:
        raise ArgumentError(f"there are {values} values instead of {count}")


def _check_order(what: str, level: Level, run: _Run, coordinates: np.ndarray) -> None:
    """That coordinates increase where those of the run are the same, and continues the run."""
    if not run.columns or len(coordinates) < 2:
        return
    tied = np.all([column[1:] == column[:-1] for column in run.columns], axis=0)
    wrong = tied & (coordinates[1:] < coordinates[:-1]) if level.ordered else np.zeros_like(tied)
    run.columns.append(coordinates)
    run.ordered &= level.ordered
    if level.unique and run.ordered:
        wrong |= tied & (coordinates[1:] == coordinates[:-1])
    if wrong.any():
        raise ArgumentError(
            f"{what} has coordinates that do not increase: {coordinates[int(wrong.argmax())]} is "
            f"followed by {coordinates[int(wrong.argmax()) + 1]}"
        )
    if level.unique and not run.ordered:
        order = np.lexsort(run.columns[::-1])
        columns = [column[order] for column in run.columns]
        twice = np.all([column[1:] == column[:-1] for column in columns], axis=0)
        if twice.any():
            raise ArgumentError(
                f"{what} has coordinate {columns[-1][int(twice.argmax())]} of one segment twice: "
                "add the values, or mark the level nonunique"
            )
