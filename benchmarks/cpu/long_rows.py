"""./run bench long-rows: rows that are longer than the registers, in strips and in one go.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from ember.compiler import Options
from ember.embed_programs import Bag, array

from benchmarks.command_line import show_progress
from benchmarks.cpu.arena import Arena
from benchmarks.cpu.document import DocumentTable
from benchmarks.cpu.kernels import Variant, compiled, variant
from benchmarks.cpu.lookups import UNIFORM, Indices, Windows, draw_stream
from benchmarks.cpu.measuring import Batches, Contender, Timing, measure
from benchmarks.cpu.rows import torch_type
from benchmarks.cpu.tables import ratio_in_words, time_in_words

# 16 registers of 256 bits: those of AVX-512 hold all of most rows.
PROCESSOR = "x86-64-v3" if platform.machine() == "x86_64" else None
STRIPS, WHOLE = "strips", "whole"
WAYS = {
    STRIPS: Variant(Options(cpu=PROCESSOR)),
    WHOLE: Variant(Options(cpu=PROCESSOR, strip_rows=False)),
}
ROWS = (("f32", 256), ("f32", 512), ("f64", 128), ("bf16", 256))
MB = 1_000_000
TABLES = (MB // 4, 26 * MB, 1200 * MB)
# Lookups of a bag, and of a call.
EACH = (2, 10, 80)
LOOKUPS = 10_240
SECONDS = 2.0
TABLE = DocumentTable(
    "long-rows",
    f"a call of {LOOKUPS} uniform lookups with code for {PROCESSOR or 'this processor'}, and how "
    "many times as long it takes without strips",
)


@dataclass(frozen=True)
class Bags:
    """Sums of bags of `each` rows; table: in bytes."""

    element: str
    length: int
    table: int
    each: int

    @property
    def row_bytes(self) -> int:
        """Bytes of a row."""
        return self.length * torch_type(self.element).itemsize


def call_of(bags: Bags, arena: Arena) -> Callable[[Indices], Any]:
    """A call of the bags' kernel, made as kernels are made now; it returns its output."""
    dtype = torch_type(bags.element)
    table = arena.table(dtype, bags.table // bags.row_bytes, bags.length)
    rows, ids = array(bags.element, None, bags.length), array("i64", None)
    kernel = compiled(Bag(tables=(rows,), indices=ids, segments=ids, out=rows)).bind(table)
    offsets = torch.arange(0, LOOKUPS + 1, bags.each)
    out = torch.empty((LOOKUPS // bags.each, bags.length), dtype=dtype)

    def call(indices: Indices) -> torch.Tensor:
        kernel(indices, offsets, out)
        return out

    return call


def measure_bags(bags: Bags, arena: Arena, seconds: float) -> tuple[Timing, Timing]:
    """The times of a call with strips, and without.

    Raises ValueError if the results differ: all elements are summed in the same order.
    """
    rows = bags.table // bags.row_bytes
    windows = Windows(draw_stream(UNIFORM, rows, bags.row_bytes, 4 * LOOKUPS, seed=rows), LOOKUPS)
    contenders, results = [], []
    for name, how in WAYS.items():
        token = variant.set(how)
        try:
            call = call_of(bags, arena)
        finally:
            variant.reset(token)
        contenders.append(Contender(name, call, lambda indices: (indices,)))
        results.append(call(windows[0]).clone())
    if not torch.equal(*results):
        raise ValueError(f"{bags}: strips have another result")
    times = measure(contenders, Batches(windows.__getitem__), seconds)
    return times[STRIPS], times[WHOLE]


def rows_of_the_table(seconds: float) -> Iterator[list[str]]:
    """Each row's type, table, and a cell for each number of lookups of a bag."""
    arena = Arena(max(TABLES))
    for element, length in ROWS:
        for table in TABLES:
            cells = []
            for each in EACH:
                bags = Bags(element, length, table, each)
                show_progress(str(bags))
                strips, whole = measure_bags(bags, arena, seconds / len(EACH))
                cells.append(f"{time_in_words(strips)}, {ratio_in_words(whole, strips)}")
            yield [f"{length} {element}", f"{table / MB:g} MB", *cells]


def main(arguments: Sequence[str]) -> int:
    """Prints the table, and writes it into a document if asked to."""
    head = ["rows", "table", *(f"{each} lookups a bag" for each in EACH)]
    return TABLE.command(__doc__.splitlines()[0], SECONDS, head, rows_of_the_table, arguments)
