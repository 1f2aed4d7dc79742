"""Time of ember-opt's pipelines on a module of 200 functions and on a nest 100 loops deep.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import subprocess
import time

from ember.bag_programs import ENTRY, BagShape, bag_program
from ember.compiler import find_tool

from benchmarks.report import report

FUNCTIONS = 200
FUNCTIONS_TARGET_SECONDS = 10
DEPTH = 100
DEPTH_TARGET_SECONDS = 1
PIPELINES = ("--scf-to-slc", "--optimize", "--slc-to-dlc")


def many_functions() -> str:
    """A module of embedding bags in every mode and type."""
    functions = []
    for number in range(FUNCTIONS):
        shape = BagShape(
            length=number + 1,
            value=("f32", "f64")[number % 2],
            index=("i32", "i64")[number // 2 % 2],
            mode=("sum", "mean")[number // 4 % 2],
            padded=bool(number // 8 % 2),
        )
        functions.append(bag_program(shape).replace(f"@{ENTRY}", f"@{ENTRY}{number}"))
    return "\n".join(functions)


def deep_nest() -> str:
    """A nest of loops, each over the positions that the level above read."""
    lines = [
        "func.func @deep(%n: index, %p: memref<?xindex>, %x: memref<?xf32>, %y: memref<?xf32>) {",
        "  %c0 = arith.constant 0 : index",
        "  %c1 = arith.constant 1 : index",
    ]
    end = "%n"
    for level in range(DEPTH):
        lines.append(f"  scf.for %i{level} = %c0 to {end} step %c1 {{")
        lines.append(f"  %e{level} = memref.load %p[%i{level}] : memref<?xindex>")
        end = f"%e{level}"
    innermost = f"%i{DEPTH - 1}"
    lines += [
        f"  %v = memref.load %x[{innermost}] : memref<?xf32>",
        f"  %o = memref.load %y[{innermost}] : memref<?xf32>",
        "  %s = arith.addf %v, %o : f32",
        f"  memref.store %s, %y[{innermost}] : memref<?xf32>",
        *["  }"] * DEPTH,
        "  return",
        "}",
    ]
    return "\n".join(lines)


def seconds_of_pipelines(text: str) -> dict[str, float]:
    """The time of each pipeline as a process of its own, in seconds, chained through text."""
    seconds = {}
    for pipeline in PIPELINES:
        started = time.perf_counter()
        done = subprocess.run(
            [find_tool("ember-opt"), pipeline], input=text, capture_output=True, text=True
        )
        seconds[pipeline] = time.perf_counter() - started
        if done.returncode:
            raise SystemExit(f"ember-opt {pipeline} failed: {done.stderr[:2000]}")
        text = done.stdout
    return seconds


def main() -> None:
    for name, text, target in (
        (f"{FUNCTIONS} functions", many_functions(), FUNCTIONS_TARGET_SECONDS),
        (f"a nest {DEPTH} deep", deep_nest(), DEPTH_TARGET_SECONDS),
    ):
        seconds = seconds_of_pipelines(text)
        for pipeline, value in seconds.items():
            report(f"{name}: {pipeline}", value, "s")
        total = sum(seconds.values())
        report(f"{name}: all pipelines", total, "s", f"{target} s", total < target)
