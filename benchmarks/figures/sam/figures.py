"""Tables 4.1 to 4.3 and figures 4.12 to 4.17 by their names.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from pathlib import Path

from benchmarks.figures.figure import Figure
from benchmarks.figures.sam import hardware, orders, streams, tables, tiles, vectors, website
from benchmarks.figures.sam.comparison import Comparison

FIGURES: dict[str, Callable[[Path, bool], Figure | Comparison]] = {
    "sam-table4.1": tables.make_table1,
    "sam-table4.2": tables.make_table2,
    "sam-table4.3": website.make_table3,
    "sam-fig4.12": orders.make_fusion,
    "sam-fig4.13": orders.make_orders,
    "sam-fig4.14a": vectors.make_random,
    "sam-fig4.14b": vectors.make_runs,
    "sam-fig4.14c": vectors.make_blocks,
    "sam-fig4.15": streams.make_tokens,
    "sam-fig4.16": tiles.make_tiles,
    "sam-fig4.17": hardware.make_hardware,
}
