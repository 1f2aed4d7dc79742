"""Sums of bags with prefetches as they are chosen, and with one choice made otherwise.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from ember.compiler import PREFETCHES, Options

from benchmarks.cpu.ablation import measure_case
from benchmarks.cpu.arena import Arena
from benchmarks.cpu.bag_cases import BagCase
from benchmarks.cpu.kernels import Variant
from benchmarks.cpu.lookups import UNIFORM
from benchmarks.cpu.setting import Setting, use_threads
from benchmarks.cpu.suite import ARENA_BYTES
from benchmarks.cpu.tables import ratio_in_words, time_in_words

MOST_LINES = PREFETCHES["prefetch_lines"][1]
WAYS = {
    "none": Variant(Options(prefetch_distance=0)),
    "8 ahead": Variant(Options(prefetch_distance=8)),
    "64 ahead": Variant(Options(prefetch_distance=64)),
    "all lines": Variant(Options(prefetch_lines=MOST_LINES)),
    "1st cache": Variant(Options(prefetch_level=1)),
    # What is chosen where the first cache waits for 16 lines at once.
    "2nd, 16": Variant(Options(prefetch_level=2, prefetch_distance=16, prefetch_lines=4)),
    "both": Variant(Options(prefetch_lines=MOST_LINES, prefetch_level=1)),
    "any table": Variant(Options(prefetch_min_table=0)),
}
LENGTHS = (16, 32, 64, 128, 256, 512)
TABLES = (256_000, 1_000_000, 26_000_000, 2_500_000_000)
# Just added up, and computed with.
TYPES = ("f32", "int8")
# Of a case.
SECONDS = 0.5


def main() -> None:
    """Prints a line for each case: its time, and how many times as long each other way takes."""
    use_threads(1)
    setting = Setting(Arena(ARENA_BYTES), None, compiles=False)
    print(f"{'sum of 256 bags':32}{'chosen':>18}" + "".join(f"{name:>15}" for name in WAYS))
    for value in TYPES:
        for table in TABLES:
            for length in LENGTHS:
                case = BagCase("bag", "sum", value, length, table, UNIFORM, 256)
                row = measure_case(case, setting, SECONDS, WAYS)
                title = row.title.removeprefix("bag: sum, ").removesuffix(", uniform, bags 256")
                ratios = "".join(
                    f"{ratio_in_words(row.without[name], row.whole):>15}" for name in WAYS
                )
                print(f"{title:32}{time_in_words(row.whole):>18}{ratios}", flush=True)
