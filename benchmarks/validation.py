"""`./run bench validation`: the model of a Neoverse N1 beside what was measured on one.

Each number is a slope: of a long and a short run, so that the beginning, when caches are empty,
does not count where the run repeats itself.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import ember
import numpy as np

from benchmarks.cpu.document import DocumentTable

MACHINE = "neoverse-n1"
CYCLES_PER_NS = 2.4
TABLE = DocumentTable("validation", "the model beside measurements")
LINE = 8
KIB, MIB = 1 << 10, 1 << 20

# A load that waits for the one before it, again and again.
CHASE = """
func.func @run(%next: memref<?xindex>, %steps: index, %out: memref<1xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.for %i = %c0 to %steps step %c1 iter_args(%at = %c0) -> (index) {
    %to = memref.load %next[%at] : memref<?xindex>
    scf.yield %to : index
  }
  memref.store %last, %out[%c0] : memref<1xindex>
  return
}
"""

# Sums of each row, taken again and again, by vectors that several registers hold.
READ = """
func.func @run(%rows: memref<{rows}x{length}xi64>, %sums: memref<{rows}x{again}x16xi64>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %rows_end = arith.constant {rows} : index
  %again = arith.constant {again} : index
  %length = arith.constant {length} : index
  %zero = arith.constant dense<0> : vector<16xi64>
  scf.for %i = %c0 to %rows_end step %c1 {{
    scf.for %k = %c0 to %again step %c1 {{
      %sum = scf.for %e = %c0 to %length step %c16 iter_args(%a = %zero) -> (vector<16xi64>) {{
        %v = vector.load %rows[%i, %e] : memref<{rows}x{length}xi64>, vector<16xi64>
        %b = arith.addi %a, %v : vector<16xi64>
        scf.yield %b : vector<16xi64>
      }}
      vector.store %sum, %sums[%i, %k, %c0] : memref<{rows}x{again}x16xi64>, vector<16xi64>
    }}
  }}
  return
}}
"""


@dataclass(frozen=True)
class Quantity:
    """What was measured, by whom, and how the model does it."""

    name: str
    unit: str
    measured: float
    source: str
    model: Callable[[], float]


def latency(size: int, steps: int, warm: bool) -> float:
    """Nanoseconds of a load, in a cycle through all lines of `size` bytes in random order."""
    lines = size // (8 * LINE)
    order = np.random.default_rng(3).permutation(lines)
    following = np.zeros(lines * LINE, np.int64)
    following[order * LINE] = np.roll(order, -1) * LINE
    begin = lines if warm else 0

    def time(count: int) -> float:
        inputs = [following, begin + count, np.zeros(1, np.int64)]
        return ember.simulate(CHASE, inputs, machine=MACHINE, cores=1).nanoseconds

    return (time(2 * steps) - time(steps)) / steps


def bandwidth(size: int, again: int) -> float:
    """Bytes in a nanosecond that one core reads of `size` bytes, again and again."""
    return size * again / (_read(size, 2 * again, 1) - _read(size, again, 1))


def memory_bandwidth(size: int, cores: int) -> float:
    """Bytes in a nanosecond that so many cores read, each of memory of its own: no power of two,
    so that these begin in different banks."""
    return size * cores / (_read(2 * size, 1, cores) - _read(size, 1, cores))


def _read(size: int, again: int, cores: int) -> float:
    program = READ.format(rows=cores, length=size // 8, again=again)
    inputs = [np.zeros((cores, size // 8), np.int64), np.zeros((cores, again, 16), np.int64)]
    return ember.simulate(
        program, inputs, machine=MACHINE, cores=cores, plain_loops=True, compare=False
    ).nanoseconds


ANANDTECH = "AnandTech on Graviton2 (March 2020)"
CHIPS = "Chips and Cheese on Ampere Altra (October 2021)"
ARM = "Arm's learning path on memory subsystems, Graviton2"
QUANTITIES = [
    Quantity("load from the L1D", "cycles", 4, ANANDTECH, lambda: _cycles(32 * KIB, 2000, True)),
    Quantity("load from the L2", "cycles", 11, ANANDTECH, lambda: _cycles(512 * KIB, 8000, True)),
    Quantity("load from memory", "ns", 81, ANANDTECH, lambda: latency(256 * MIB, 4000, False)),
    Quantity(
        "reading the L2, one core",
        "bytes a cycle",
        19.28,
        CHIPS,
        lambda: bandwidth(288 * KIB, 6) / CYCLES_PER_NS,
    ),
    Quantity(
        "reading memory, 16 cores",
        "% of the channels",
        100 * 169.6 / 204.8,
        ARM,
        lambda: 100 * memory_bandwidth(MIB + 24 * KIB, 16) / 192,
    ),
]


def _cycles(size: int, steps: int, warm: bool) -> float:
    return latency(size, steps, warm) * CYCLES_PER_NS


def markdown(quantities: Sequence[Quantity]) -> str:
    """The rows as documents have them."""
    lines = [
        "| | unit | measured | model | model / measured | source |",
        "|---|---|---|---|---|---|",
    ]
    for one in quantities:
        value = one.model()
        lines.append(
            f"| {one.name} | {one.unit} | {one.measured:.3g} | {value:.3g} "
            f"| {value / one.measured:.2f} | {one.source} |"
        )
    return "\n".join([TABLE.begin, "Printed by `./run bench validation`.", "", *lines, TABLE.end])


def main(arguments: Sequence[str]) -> int:
    """Runs all, and prints or writes the table."""
    parser = argparse.ArgumentParser(
        prog="./run bench validation", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--only", metavar="TEXT", default="", help="only quantities of such names")
    parser.add_argument("--write", metavar="FILE.md", type=Path, help="replaces the table in FILE")
    options = parser.parse_args(arguments)
    chosen = [one for one in QUANTITIES if options.only in one.name]
    TABLE.show(markdown(chosen), options.write)
    return 0
