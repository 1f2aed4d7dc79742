"""Chosen schedules beside the best of all orders of loops, on random statements.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import itertools
import math
import random
import statistics
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from ember.compiler import Options, find_tool, load_program
from ember.errors import EmberError
from ember.kernel import Entry
from numpy.typing import NDArray

#: Geometric mean and worst of the best order's time as a part of the chosen one's.
LEAST_MEAN, LEAST_WORST = 0.9, 0.5
FORMATS = ("csr", "csc", "dcsr", "")
#: Statements, the variables of their loops, and those of each array.
SHAPES: Sequence[tuple[str, str, Mapping[str, str]]] = (
    ("y[i] = A[i,j] * x[j]", "ij", {"A": "ij", "x": "j"}),
    ("y[j] = A[i,j] * x[i]", "ij", {"A": "ij", "x": "i"}),
    ("C[i,j] = A[i,k] * B[k,j]", "ijk", {"A": "ik", "B": "kj"}),
    ("C[i,j] = A[k,i] * B[k,j]", "ijk", {"A": "ki", "B": "kj"}),
    ("C[i,j] = A[i,j] + B[i,j]", "ij", {"A": "ij", "B": "ij"}),
    ("C[i,j] = D[i,j] * sum[k](X[i,k] * Y[k,j])", "ijk", {"D": "ij", "X": "ik", "Y": "kj"}),
)


@dataclass(frozen=True)
class Drawn:
    """A statement with formats, and the time of each order; the chosen one's is first."""

    text: str
    formats: Mapping[str, str]
    chosen: float
    best: float
    best_order: str
    milliseconds: float

    @property
    def ratio(self) -> float:
        """What part of the chosen order's time the best one takes."""
        return self.best / self.chosen


def _kernel(text: str, formats: Mapping[str, str], order: str | None) -> Entry | None:
    """The kernel of a statement; None where its loops cannot stand in that order."""
    command = [str(find_tool("emberc")), f"--notation={text}", "--emit=cin"]
    command += [f"--format={name}:{format}" for name, format in formats.items()]
    if order:
        command.append(f"--schedule=reorder({', '.join(order)})")
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return None
    try:
        return load_program(done.stdout, Options(opt_level=3)).entry("kernel")
    except EmberError:
        return None


def _schedule_time(text: str, formats: Mapping[str, str]) -> float:
    """Milliseconds of `--cin-schedule` on a statement."""
    command = [str(find_tool("emberc")), f"--notation={text}", "--emit=cin"]
    command += [f"--format={name}:{format}" for name, format in formats.items()]
    program = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    timed = subprocess.run(
        [
            str(find_tool("ember-opt")),
            "--cin-schedule",
            "--mlir-timing",
            "--mlir-timing-display=list",
        ],
        input=program,
        capture_output=True,
        text=True,
        check=True,
    ).stderr
    for line in timed.splitlines():
        if line.rstrip().endswith("Schedule"):
            return float(line.split()[0]) * 1e3
    return math.nan


def _stored(name: str, array: NDArray[Any], format: str) -> dict[str, NDArray[Any] | int]:
    """The arrays that store a matrix, by parameter."""
    rows, columns = array.shape
    parts: dict[str, NDArray[Any] | int] = {f"{name}_size0": rows, f"{name}_size1": columns}
    table = array.T if format == "csc" else array
    counts = np.count_nonzero(table, axis=1)
    outer, inner = np.nonzero(table)
    if format == "dcsr":
        filled = np.flatnonzero(counts)
        parts[f"{name}_positions0"] = np.array([0, len(filled)])
        parts[f"{name}_coordinates0"] = filled
        counts = counts[filled]
    parts[f"{name}_positions1"] = np.concatenate([[0], np.cumsum(counts)])
    parts[f"{name}_coordinates1"] = inner
    parts[f"{name}_values"] = table[outer, inner]
    return parts


def _time(entry: Entry, parts: Mapping[str, NDArray[Any] | int], budget: float) -> float:
    """The median time of calls, of as many as the budget allows."""
    arguments = [parts[parameter.name] for parameter in entry.parameters]
    entry(*arguments)
    times: list[float] = []
    until = time.perf_counter() + budget
    while len(times) < 3 or time.perf_counter() < until:
        begin = time.perf_counter()
        entry(*arguments)
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def measure(seed: int, size: int, budget: float) -> Drawn:
    """One statement on random arrays, in all orders."""
    chance = random.Random(seed)
    rng = np.random.default_rng(seed)
    text, variables, arrays = chance.choice(SHAPES)
    formats: dict[str, str] = {}
    parts: dict[str, NDArray[Any] | int] = {}
    for name, indices in arrays.items():
        array = rng.standard_normal((size,) * len(indices)).astype(np.float32)
        format = chance.choice(FORMATS) if len(indices) == 2 else ""
        if format:
            array *= rng.random(array.shape) < chance.choice([0.01, 0.05])
            formats[name] = format
            parts |= _stored(name, array, format)
        else:
            parts[name] = array
    target = text.split("[")[0]
    parts[target] = np.zeros((size,) * text.split("]")[0].count(",") + (size,), np.float32)
    chosen = _kernel(text, formats, None)
    assert chosen is not None, text
    times = {"": _time(chosen, parts, budget)}
    for order in map("".join, itertools.permutations(variables)):
        kernel = _kernel(text, formats, order)
        if kernel is not None:
            times[order] = _time(kernel, parts, budget)
    best = min(times, key=lambda order: times[order])
    return Drawn(text, formats, times[""], times[best], best, _schedule_time(text, formats))


def measure_schedules(quick: bool = False) -> Iterator[Drawn]:
    """Random statements, one after the other."""
    for seed in range(8 if quick else 40):
        yield measure(seed, 150 if quick else 400, 0.02 if quick else 0.1)


def mean_ratio(drawn: Sequence[Drawn]) -> float:
    """The geometric mean of the best order's time as a part of the chosen one's."""
    return math.exp(statistics.fmean(math.log(case.ratio) for case in drawn))


def main() -> None:
    """Prints a line for each statement, and the limits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer and smaller statements")
    drawn = []
    for case in measure_schedules(parser.parse_args().quick):
        drawn.append(case)
        formats = " ".join(f"{name}:{format}" for name, format in case.formats.items())
        print(
            f"{case.text:45} {formats:24} chosen {case.chosen * 1e6:9.0f} us, "
            f"best {case.best * 1e6:9.0f} us ({case.best_order or 'the same'}), "
            f"{case.ratio:.2f}; scheduled in {case.milliseconds:.1f} ms"
        )
    worst = min(case.ratio for case in drawn)
    print(f"geometric mean {mean_ratio(drawn):.2f} (at least {LEAST_MEAN})")
    print(f"worst {worst:.2f} (at least {LEAST_WORST})")


if __name__ == "__main__":
    main()
