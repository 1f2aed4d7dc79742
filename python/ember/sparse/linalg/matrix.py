"""Square matrices as the statements of solvers read them: by rows, or by diagonals.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ember.errors import ArgumentError
from ember.sparse.array import Array, as_sparse, asarray
from ember.sparse.evaluate import evaluate
from ember.sparse.linalg.partition import HELD_BYTES, Partition

# A matrix is stored by diagonals that has at most so many of them,
MOST_DIAGONALS = 32
# and so many elements of them, in the place of one that it stores.
_DIAGONAL_ROOM = 1.5
# Rows that are looked at before all are, to find that there are more diagonals.
_SAMPLED_ROWS = 512
# Vectors of which a tile waits for the rows that its matrix reaches: P, R, X and S.
_HELD_VECTORS = 4


class Matrix:
    """A matrix that statements multiply vectors by.

    arrays: what the product's statement names. halo: rows of zeros that a vector has on both sides
    for it, as diagonals begin and end outside of the matrix. reach: how many rows below its own a
    row has elements at, at most; None if nobody knows.
    """

    def __init__(self, given: Any, dtype: np.dtype, partition: Partition) -> None:
        size = partition.size
        self.arrays: dict[str, Any] = {}
        self.halo = 0
        self.reach: int | None = None
        # Of diagonals: which row of A_diagonals, and where it and the vector begin.
        self._terms: list[tuple[int, str, str]] = []
        self.call: Callable[[np.ndarray], np.ndarray] | None = None
        if is_operator(given):
            self.call = product_of(given)
            return
        array = rows_of(given)
        positions, coordinates = (array.stored[1][part] for part in ("positions", "coordinates"))
        values = np.ascontiguousarray(array.values, dtype)
        _check(coordinates, values, size)
        offsets = _diagonals(positions, coordinates, size)
        if offsets is not None:
            halo = max(map(abs, offsets), default=0)
            table = _by_diagonals(positions, coordinates, values, offsets, halo, partition)
            if table is not None:
                self.halo, self.reach = halo, max(0, *offsets, 0)
                self._take_diagonals(table, offsets)
                return
        last = positions[1:] - 1
        rows = np.flatnonzero(np.diff(positions))
        self.reach = max(0, int((coordinates[last[rows]] - rows).max())) if len(rows) else 0
        # Rows behind the last one store nothing.
        positions = np.pad(positions, (0, partition.padded - size), mode="edge")
        self.arrays = {"A_positions": positions, "A_coordinates": coordinates, "A_values": values}

    def _take_diagonals(self, table: np.ndarray, offsets: list[int]) -> None:
        """Keeps diagonals, but none that is another one mirrored: it is read there."""
        halo, kept = self.halo, []
        for number, offset in enumerate(offsets):
            mirror = offsets.index(-offset) if -offset in offsets else number
            # Element i of the diagonal below is element i - offset of that above.
            is_mirrored = offset < 0 and np.array_equal(
                table[number, halo:], table[mirror, halo + offset : table.shape[1] + offset]
            )
            if not is_mirrored:
                kept.append(number)
            self._terms.append((mirror if is_mirrored else number, f"a{number}", f"o{number}"))
            self.arrays[f"a{number}"] = halo + offset if is_mirrored else halo
            self.arrays[f"o{number}"] = halo + offset
        self._terms = [(kept.index(number), at, to) for number, at, to in self._terms]
        table = table if len(kept) == len(offsets) else np.ascontiguousarray(table[kept])
        self.arrays["A_diagonals"] = table

    def product(self, target: str, source: str, columns: int) -> list[str]:
        """The statement of a product; of a vector P it reads P_halo, which begins with the halo."""
        column = ",n" if columns > 1 else ""
        if self.call is not None:
            return []
        if self._terms:
            # In the order of columns, in which rows are added up, too.
            terms = [
                f"A_diagonals[{number},i+{at}] * {source}_halo[i+{to}{column}]"
                for number, at, to in self._terms
            ]
            return [f"{target}[i{column}] = {' + '.join(terms)}"]
        return [
            f"{target}[i{column}] = sum[p in A_positions[i]:A_positions[i+1]]"
            f"(A_values[p] * {source}[A_coordinates[p]{column}])"
        ]

    def lag(self, partition: Partition, itemsize: int) -> int | None:
        """Blocks that a product stays behind what writes its vector; None if rows reach so far
        that what it reads would not be in a cache any more."""
        if self.reach is None:
            return None
        held = self.reach * partition.columns * itemsize * _HELD_VECTORS
        return -(-self.reach // partition.block) if held <= HELD_BYTES else None


def is_operator(given: Any) -> bool:
    """Whether it is known by its products alone, as SciPy's LinearOperator is."""
    return as_sparse(given) is None and hasattr(given, "matvec") and hasattr(given, "shape")


def matrix_of(name: str, given: Any) -> Any:
    """A matrix of any library as es.Array, or an operator as it is. Raises ArgumentError, with
    the name."""
    try:
        array = as_sparse(given)
        if array is not None:
            return array
        return given if is_operator(given) else asarray(given, "csr")
    except ArgumentError as error:
        raise ArgumentError(f"{name}: {error}") from None


def product_of(operator: Any) -> Callable[[np.ndarray], np.ndarray]:
    """What an operator makes of vectors, which are columns if there are several."""

    def product(vectors: np.ndarray) -> np.ndarray:
        if vectors.ndim == 1:
            return np.asarray(operator.matvec(vectors)).reshape(vectors.shape)
        if hasattr(operator, "matmat"):
            return np.asarray(operator.matmat(vectors))
        columns = [np.ravel(operator.matvec(column)) for column in vectors.T]
        return np.stack(columns, axis=1)

    return product


def rows_of(array: Array) -> Array:
    """A matrix by rows."""
    if array.format.is_missing or array.format.fill_of(array.dtype) != 0:
        raise ArgumentError("A has a fill other than 0: what it does not store has to be 0")
    levels = [level.kind for level in array.levels]
    is_by_rows = levels == ["dense", "compressed"] and array.levels[0].dimension == 0
    return array if is_by_rows else array.to("csr")


def _check(coordinates: np.ndarray, values: np.ndarray, size: int) -> None:
    """Raises ArgumentError for coordinates out of range, and for values that are no numbers."""
    if len(coordinates) and not 0 <= int(coordinates.min()) <= int(coordinates.max()) < size:
        raise ArgumentError(
            f"A has columns from {coordinates.min()} to {coordinates.max()}, and its size is {size}"
        )
    check_finite("A", values)


def check_finite(name: str, values: np.ndarray) -> None:
    """Raises ArgumentError where something is infinite or no number, which is found by a sum."""
    with np.errstate(over="ignore", invalid="ignore"):
        total = values.sum(dtype=np.float64)
    if np.isfinite(total):
        return
    wrong = np.argwhere(~np.isfinite(values))
    if len(wrong):
        place = ",".join(map(str, wrong[0]))
        raise ArgumentError(f"{name} has to be finite, and element {place} is {values[*wrong[0]]}")


def _diagonals(positions: np.ndarray, coordinates: np.ndarray, size: int) -> list[int] | None:
    """The diagonals that some rows have elements on, from below; None if these are too many."""
    rows = np.unique(np.linspace(0, max(size - 1, 0), _SAMPLED_ROWS).astype(np.int64))[:size]
    offsets: set[int] = set()
    for row in rows.tolist():
        offsets.update((coordinates[positions[row] : positions[row + 1]] - row).tolist())
        if len(offsets) > MOST_DIAGONALS:
            return None
    stored = max(len(coordinates), 1)
    return sorted(offsets) if offsets and len(offsets) * size <= _DIAGONAL_ROOM * stored else None


def _by_diagonals(
    positions: np.ndarray,
    coordinates: np.ndarray,
    values: np.ndarray,
    offsets: list[int],
    halo: int,
    partition: Partition,
) -> np.ndarray | None:
    """The elements by diagonals, and rows in these behind the halo; None if there are others."""
    size = partition.size
    place = np.full(2 * size, len(offsets), np.int32)
    place[np.array(offsets) + size] = np.arange(len(offsets), dtype=np.int32)
    # One row more, for elements on no diagonal that is known.
    table = np.zeros((len(offsets) + 1, halo + partition.padded), values.dtype)
    evaluate(
        f"D[place[col[p]-i+{size}],i+halo] += val[p] "
        "for i in 0:size(pos,0)-1, p in pos[i]:pos[i+1]",
        D=table,
        halo=halo,
        place=place,
        pos=positions,
        col=coordinates,
        val=values,
    )
    return None if table[-1].any() else table[:-1]
