"""Bags of a table of 2.5 GB in pages of 4 kB, and in huge pages (ember.advise_huge_pages).

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import statistics
import time

import ember
import torch
from ember.embed_programs import ENTRY, Bag, array, program
from ember.huge_pages import SETTINGS

from benchmarks.cpu.rows import torch_type
from benchmarks.report import report

TABLE_BYTES = 2_500_000_000
LOOKUPS = 40
BAGS = 256
# Turns, in each of which both tables are read once at places of their own.
TURNS = 101
SHAPES = (("f32", 32), ("f32", 64), ("f32", 128), ("bf16", 64))
WARM_UP = 5


def seconds(tables: list[torch.Tensor], element: str, length: int) -> list[float]:
    """The median time of a call on each table, measured in turns."""
    rows = array(element, None, length)
    operation = Bag(
        tables=(rows,), indices=array("i64", None), segments=array("i64", None), out=rows
    )
    entry = ember.load_program(program(operation), ember.Options()).entry(ENTRY)
    views = [table.view(torch_type(element)) for table in tables]
    views = [view[: len(view) // length * length].view(-1, length) for view in views]
    calls = [entry.bind(view) for view in views]
    offsets = torch.arange(0, BAGS * LOOKUPS + 1, LOOKUPS)
    out = torch.empty((BAGS, length), dtype=views[0].dtype)
    times: list[list[float]] = [[] for _ in tables]
    for turn in range(TURNS + WARM_UP):
        for which in (0, 1) if turn % 2 else (1, 0):
            indices = torch.randint(0, len(views[0]), (BAGS * LOOKUPS,))
            started = time.perf_counter()
            calls[which](indices, offsets, out)
            if turn >= WARM_UP:
                times[which].append(time.perf_counter() - started)
    return [statistics.median(one) for one in times]


def main() -> None:
    for name in ("enabled", "defrag"):
        setting = SETTINGS / name
        print(f"{setting}: {setting.read_text().strip() if setting.exists() else 'not there'}")
    # Written, so that every page of both is in use before the advice.
    tables = [torch.ones(TABLE_BYTES, dtype=torch.uint8) for _ in range(2)]
    started = time.perf_counter()
    advised = ember.advise_huge_pages(tables[1])
    report("advised", advised / 1e9, "GB")
    report("time of the advice", time.perf_counter() - started, "s")
    if not advised:
        return
    for element, length in SHAPES:
        small, huge = seconds(tables, element, length)
        rows = f"sums of {BAGS} bags of {LOOKUPS} rows, {element}, length {length}"
        report(f"{rows}: 4 kB pages", 1e6 * small, "us")
        report(f"{rows}: huge pages", 1e6 * huge, "us")
        report(f"{rows}: times as fast", small / huge, "")
