"""Chosen schedules beside the best of all orders of loops, on random statements.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import itertools
import math
import random
import re
import statistics
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from ember.compiler import Notation, Options, find_tool, load_program
from ember.errors import CompileError
from ember.kernel import Entry
from ember.sparse.array import Array
from ember.sparse.evaluate import kinds_of, with_magnitudes
from numpy.typing import NDArray

from benchmarks.cpu.measuring import Batches, Contender, Timing, measure
from benchmarks.models.targets import Outcome
from benchmarks.notation.running import TOLERANCE

SCHEDULES = "schedules"
CHOSEN = "chosen"

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


@dataclass
class Drawn:
    """A statement with formats.

    times: of its orders, and of the chosen one by the name of CHOSEN. milliseconds: of choosing.
    wrong: orders whose result is another one, and why.
    """

    text: str
    formats: Mapping[str, str]
    times: dict[str, Timing] = field(default_factory=dict)
    milliseconds: float = math.nan
    wrong: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The statement, and the formats of its arrays."""
        return " ".join([self.text, *(f"{name}:{form}" for name, form in self.formats.items())])

    @property
    def best(self) -> str:
        """The order that takes least."""
        return min(self.times, key=lambda order: self.times[order].median)

    @property
    def ratio(self) -> float:
        """What part of the chosen order's time the best one takes."""
        return self.times[self.best].median / self.times[CHOSEN].median


def _hints(text: str, arrays: Mapping[str, Array | NDArray[Any]]) -> Iterator[str]:
    """What `es.evaluate` says of arrays where loops may stand in several orders."""
    for name, kind in with_magnitudes(kinds_of(text, arrays), arrays).items():
        if kind.hints:
            yield f"--size={name}:{kind.hints[0]}"
            yield f"--density={name}:{kind.hints[1]}"


def _program(text: str, formats: Mapping[str, str], order: str, hints: Sequence[str] = ()) -> str:
    """A module of a statement, with its loops in an order, or in none yet."""
    options = [f"--format={name}:{form}" for name, form in formats.items()]
    options += hints if order == CHOSEN else [f"--schedule=reorder({', '.join(order)})"]
    return Notation(text, tuple(options)).program()


def _kernel(
    text: str, formats: Mapping[str, str], order: str, hints: Sequence[str] = ()
) -> Entry | None:
    """The kernel of a statement; None where its loops cannot stand in that order."""
    try:
        program = _program(text, formats, order, hints)
        return load_program(program, Options(opt_level=3)).entry("kernel")
    except CompileError:
        if order == CHOSEN:
            raise
        return None


def _schedule_time(text: str, formats: Mapping[str, str], hints: Sequence[str]) -> float:
    """Milliseconds of `--cin-schedule` on a statement."""
    words = [str(find_tool("ember-opt")), "-", "--cin-schedule"]
    words += ["--mlir-timing", "--mlir-timing-display=list"]
    program = _program(text, formats, CHOSEN, hints)
    report = subprocess.run(words, input=program, capture_output=True, text=True, check=True).stderr
    seconds = re.search(r"^ *([0-9.]+) .* Schedule$", report, re.MULTILINE)
    return float(seconds[1]) * 1e3 if seconds else math.nan


def _stored(name: str, array: NDArray[Any], form: str) -> dict[str, NDArray[Any] | int]:
    """The arrays that store a matrix, by parameter."""
    rows, columns = array.shape
    parts: dict[str, NDArray[Any] | int] = {f"{name}_size0": rows, f"{name}_size1": columns}
    table = array.T if form == "csc" else array
    counts = np.count_nonzero(table, axis=1)
    outer, inner = np.nonzero(table)
    if form == "dcsr":
        filled = np.flatnonzero(counts)
        parts[f"{name}_positions0"] = np.array([0, len(filled)])
        parts[f"{name}_coordinates0"] = filled
        counts = counts[filled]
    parts[f"{name}_positions1"] = np.concatenate([[0], np.cumsum(counts)])
    parts[f"{name}_coordinates1"] = inner.copy()
    parts[f"{name}_values"] = table[outer, inner]
    return parts


def measure_statement(seed: int, size: int, seconds: float) -> Drawn:
    """One statement on random arrays in all orders, in turns, for about so many seconds."""
    chance = random.Random(seed)
    rng = np.random.default_rng(seed)
    text, variables, arrays = chance.choice(SHAPES)
    formats: dict[str, str] = {}
    parts: dict[str, NDArray[Any] | int] = {}
    given: dict[str, Array | NDArray[Any]] = {}
    for name, indices in arrays.items():
        array = rng.standard_normal((size,) * len(indices)).astype(np.float32)
        form = chance.choice(FORMATS) if len(indices) == 2 else ""
        if form:
            array *= rng.random(array.shape) < chance.choice([0.01, 0.05])
            formats[name] = form
            parts |= _stored(name, array, form)
            at = np.nonzero(array)
            given[name] = Array.from_coordinates(at, array[at], array.shape, form)
        else:
            parts[name] = given[name] = array
    target, _, indices_of_it = text.split("]")[0].partition("[")
    result = np.zeros((size,) * len(indices_of_it.split(",")), np.float32)
    parts[target] = result
    hints = tuple(_hints(text, given))
    drawn = Drawn(text, formats, milliseconds=_schedule_time(text, formats, hints))
    contenders: list[Contender] = []
    expected = None
    for order in (CHOSEN, *map("".join, itertools.permutations(variables))):
        entry = _kernel(text, formats, order, hints)
        if entry is None:
            continue
        arguments = tuple(parts[parameter.name] for parameter in entry.parameters)
        result.fill(0)
        entry(*arguments)
        if expected is None:
            expected = result.copy()
        try:
            np.testing.assert_allclose(result, expected, *TOLERANCE)
        except AssertionError as error:
            drawn.wrong[order] = " ".join(str(error).split())
            continue
        contenders.append(Contender(order, entry, lambda batch, words=arguments: words))  # type: ignore[misc]
    drawn.times = measure(contenders, Batches(lambda number: None), seconds)
    return drawn


def measure_schedules(quick: bool) -> Iterator[Drawn]:
    """Random statements, one after the other."""
    for seed in range(8 if quick else 40):
        yield measure_statement(seed, 150 if quick else 400, 0.1 if quick else 0.5)


def schedule_outcomes(drawn: Sequence[Drawn]) -> list[Outcome]:
    """The targets of orders of loops."""
    if not drawn:
        return []
    # Some are drawn again, with other values and densities.
    ratios = {f"{case.name} ({number})": case.ratio for number, case in enumerate(drawn)}
    mean = math.exp(statistics.fmean(map(math.log, ratios.values())))
    name = "chosen order: the best one's time by its own"
    return [
        Outcome(f"{name}, geometric mean", LEAST_MEAN, {f"{len(ratios)} statements": mean}),
        Outcome(f"{name}, each", LEAST_WORST, ratios),
    ]


def schedule_table(drawn: Sequence[Drawn]) -> Iterator[str]:
    """A line for each statement: its order's time, the best order's, and what choosing took."""
    if drawn:
        yield f"\n{SCHEDULES:76}{'chosen':>12}{'best':>12}{'order':>8}{'ratio':>8}{'chosen in':>12}"
    for case in drawn:
        best = "same" if case.best == CHOSEN else case.best
        cells = [
            f"{case.times[order].median * 1e6:9.0f} us".rjust(12) for order in (CHOSEN, case.best)
        ]
        yield (
            f"  {case.name:74}{''.join(cells)}{best:>8}{case.ratio:8.2f}{case.milliseconds:9.2f} ms"
        )
