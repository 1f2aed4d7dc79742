"""./run bench tiles: products of sparse with wide dense matrices, in panels of columns and whole.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import ember.sparse as es
import numpy as np

from benchmarks.command_line import show_progress
from benchmarks.cpu.document import DocumentTable
from benchmarks.cpu.measuring import Timing
from benchmarks.cpu.tables import ratio_in_words, time_in_words
from benchmarks.notation.schedule_times import measure_schedules

STATEMENT = "C[i,n] = A[i,k] * B[k,n]"
WHOLE = "whole"
# Columns of a panel.
TILES = (64, 128, 256, 512)
SECONDS = 2.0
TABLE = DocumentTable(
    "tiles",
    "a product in one go, and how many times as long that takes as panels of so many columns do",
)


@dataclass(frozen=True)
class Product:
    """A matrix with `stored` elements in each row by a dense one of `width` columns."""

    rows: int
    columns: int
    stored: int
    width: int

    @property
    def name(self) -> str:
        """As the table has it."""
        return f"{self.rows} x {self.columns}, {self.stored} in a row"


PRODUCTS = (
    Product(3072, 768, 77, 256),
    Product(3072, 768, 77, 1024),
    Product(3072, 768, 77, 4096),
    Product(768, 3072, 300, 1024),
    Product(2000, 8000, 100, 512),
    Product(2000, 2000, 20, 512),
    Product(20_000, 2000, 8, 1024),
    Product(5000, 5000, 32, 1024),
    Product(20_000, 20_000, 16, 512),
    Product(50_000, 50_000, 16, 256),
    Product(200_000, 200_000, 8, 128),
)


def measure_product(product: Product, seconds: float) -> dict[str, Timing]:
    """The times of the whole and of panels that are narrower, by columns of a panel.

    Raises AssertionError if results differ.
    """
    rng = np.random.default_rng(0)
    count = product.rows * product.stored
    place = (
        np.repeat(np.arange(product.rows), product.stored),
        rng.integers(0, product.columns, count),
    )
    shape = (product.rows, product.columns)
    values = rng.random(count, np.float32)
    a = es.Array.from_coordinates(place, values, shape, "csr")
    b = rng.random((product.columns, product.width), np.float32)
    schedules: dict[str, str | None] = {WHOLE: None}
    for tile in TILES:
        if tile < product.width:
            schedules[str(tile)] = f"split(n, n0, n1, {tile}), reorder(n0, i, k, n1)"
    return measure_schedules(STATEMENT, {"A": a, "B": b}, schedules, seconds)


def rows_of_the_table(seconds: float) -> Iterator[list[str]]:
    """Each product, its time in one go, and a cell for each width of panels."""
    for product in PRODUCTS:
        show_progress(product.name)
        times = measure_product(product, seconds)
        whole = times[WHOLE]
        tiles = [times.get(str(tile)) for tile in TILES]
        cells = [ratio_in_words(whole, tile) if tile else "" for tile in tiles]
        yield [product.name, str(product.width), time_in_words(whole), *cells]


def main(arguments: Sequence[str]) -> int:
    """Prints the table, and writes it into a document if asked to."""
    head = ["matrix", "columns of the dense one", "in one go", *map(str, TILES)]
    return TABLE.command(__doc__.splitlines()[0], SECONDS, head, rows_of_the_table, arguments)
