"""./run bench lookups: lists of coordinates merged, and looked up in a workspace of a row.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import ember.sparse as es
import numpy as np

from benchmarks.command_line import show_progress
from benchmarks.cpu.document import DocumentTable
from benchmarks.cpu.measuring import Timing
from benchmarks.cpu.tables import ratio_in_words, time_in_words
from benchmarks.notation.schedule_times import measure_schedules

MERGED, LOOKED_UP = "merged", "looked up"
# Elements of a row.
LENGTHS = (1, 2, 3, 4, 6, 10, 40)
SECONDS = 0.5
TABLE = DocumentTable(
    "lookups",
    "rows of four elements merged, and how many times as long merging takes as looking up, by "
    "elements of a row",
)


@dataclass(frozen=True)
class Rows:
    """A statement on matrices of that shape by rows, of which some may be looked up."""

    statement: str
    shape: tuple[int, int]
    schedule: str

    @property
    def name(self) -> str:
        """As the table has it."""
        return f"`{self.statement.partition(' = ')[2]}`"


_TERNARY = "precompute(A[i,j] over j), precompute(B[i,j] over j)"
_DOT = "precompute(A[i,k] over k), reorder(i, j, k)"
STATEMENTS = (
    *(
        Rows("C[i,j] = A[i,j] * B[i,j]", (20_000, columns), "precompute(A[i,j] over j)")
        for columns in (200, 4000, 40_000)
    ),
    *(
        Rows("C[i,j] = (A[i,j] + B[i,j]) * D[i,j]", (20_000, columns), _TERNARY)
        for columns in (200, 4000, 40_000)
    ),
    Rows("y[i] = sum[j](A[i,j] * B[i,j])", (20_000, 4000), "precompute(A[i,j] over j)"),
    Rows("C[i,j] = D[i,j] * sum[k](A[i,k] * B[j,k])", (2000, 2000), _DOT),
)


def _drawn(shape: tuple[int, int], length: int, seed: int) -> es.Array:
    rng = np.random.default_rng(seed)
    places = np.unique(rng.integers(0, shape[0] * shape[1], shape[0] * length))
    values = rng.random(len(places), np.float32) + 0.5
    return es.Array.from_coordinates(list(np.divmod(places, shape[1])), values, shape, "csr")


def measure_rows(rows: Rows, length: int, seconds: float) -> dict[str, Timing]:
    """The times of both ways. Raises AssertionError if results differ."""
    arrays: dict[str, Any] = {
        letter: _drawn(rows.shape, length, seed)
        for seed, letter in enumerate("ABD")
        if f"{letter}[" in rows.statement
    }
    if rows.statement.startswith("C"):
        arrays["C"] = es.Format("csr")
    order = "reorder(i, j, k)" if "k" in rows.statement else "reorder(i, j)"
    return measure_schedules(
        rows.statement, arrays, {MERGED: order, LOOKED_UP: rows.schedule}, seconds
    )


def rows_of_the_table(seconds: float) -> Iterator[list[str]]:
    """Each statement, the time of rows of four merged, and a cell for each length of rows."""
    for rows in STATEMENTS:
        cells, whole = [], ""
        for length in LENGTHS:
            show_progress(f"{rows.statement}, {length} in a row")
            times = measure_rows(rows, length, seconds)
            if length == 4:
                whole = time_in_words(times[MERGED])
            cells.append(ratio_in_words(times[MERGED], times[LOOKED_UP]))
        yield [rows.name, str(rows.shape[1]), whole, *cells]


def main(arguments: Sequence[str]) -> int:
    """Prints the table, and writes it into a document if asked to."""
    head = ["statement", "columns", "four merged", *map(str, LENGTHS)]
    return TABLE.command(__doc__.splitlines()[0], SECONDS, head, rows_of_the_table, arguments)
