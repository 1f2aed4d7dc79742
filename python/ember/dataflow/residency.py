"""The least traffic of a schedule, as a linear program.

Between two uses of what a tensor holds, any part of it may be in the SRAM. A part that is saves
reading it at the later use, and what is there until the last use is never written. So traffic is
linear in these parts, and what fits behind each step is a linear condition: the best residency is
found exactly, and the one of ember-dag, which knows only what is needed next, is never better.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix

from ember.dataflow.analysis import Analysis
from ember.errors import ArgumentError

# GOGETA's table 4: the machine that ember-dag has if nobody says more.
DEFAULT_SRAM, DEFAULT_WORD = 1 << 20, 4


@dataclass(frozen=True)
class LeastTraffic:
    """words: read and written, at least. heuristic: those of ember-dag's policy.

    residency: (tensor, step of a use, step of the next one, words that stay between them), where
    any do.
    """

    words: float
    heuristic: float
    residency: list[tuple[str, int, int, float]]


class _Program:
    """Collects the variables and conditions of the linear program.

    Variables are words that stay in the SRAM over an interval between uses, and words of each value
    that are written.
    """

    def __init__(self, steps: int, capacity: float) -> None:
        self.capacity = capacity
        self.costs: list[float] = []
        self.bounds: list[tuple[float, float]] = []
        # The variable of each interval, and what it is of.
        self.intervals: list[tuple[int, str, int, int]] = []
        self.constant = 0.0
        # Conditions a x <= b: the first ones say that what is kept behind each step fits.
        self.entries: list[tuple[int, int, float]] = []
        self.limits = [capacity] * steps

    def add_value(self, value: dict[str, Any]) -> None:
        """Adds what one tensor holds between two times that it is written."""
        words, uses = value["words"], value["uses"]
        is_written = uses[0]["written"]
        kept = [self._add_interval(value, a, b) for a, b in itertools.pairwise(uses)]
        for number, use in enumerate(uses):
            if use["reads"] == 0:
                continue
            # All but the first reads of a step find what the SRAM can hold at most.
            again = words - min(words, self.capacity) if value["kept"] else words
            self.constant += words + (use["reads"] - 1) * again
            if number > 0:
                self.costs[kept[number - 1]] -= 1
        if not is_written:
            return
        if value["output"]:
            self.constant += words
        elif kept:
            written = self._add_variable(1.0, words)
            for interval in kept:
                # What is not there at some use has been written: words - kept <= written.
                self._add_condition([(interval, -1.0), (written, -1.0)], -words)

    def solve(self) -> tuple[float, list[tuple[str, int, int, float]]]:
        """The least sum of costs, and what stays."""
        if not self.costs:
            return self.constant, []
        rows, columns, factors = zip(*self.entries, strict=True) if self.entries else ((), (), ())
        matrix = coo_matrix(
            (factors, (rows, columns)), shape=(len(self.limits), len(self.costs))
        ).tocsr()
        result = linprog(
            np.array(self.costs), A_ub=matrix, b_ub=self.limits, bounds=self.bounds, method="highs"
        )
        if not result.success:
            raise ArgumentError(f"the linear program has no solution: {result.message}")
        stays = [
            (tensor, begin, end, float(result.x[variable]))
            for variable, tensor, begin, end in self.intervals
            if result.x[variable] > 1e-9
        ]
        return self.constant + float(result.fun), stays

    def _add_interval(self, value: dict[str, Any], use: Any, following: Any) -> int:
        variable = self._add_variable(0.0, value["words"] if value["kept"] else 0.0)
        self.intervals.append((variable, value["tensor"], use["step"], following["step"]))
        for step in range(use["step"], following["step"]):
            self.entries.append((step, variable, 1.0))
        return variable

    def _add_variable(self, cost: float, most: float) -> int:
        self.costs.append(cost)
        self.bounds.append((0.0, most))
        return len(self.costs) - 1

    def _add_condition(self, factors: list[tuple[int, float]], limit: float) -> None:
        row = len(self.limits)
        self.limits.append(limit)
        self.entries += [(row, variable, factor) for variable, factor in factors]


def least_traffic(analysis: Analysis, scheme: str = "GOGETA-map") -> LeastTraffic:
    """The least traffic of the schedule of a scheme on the machine of an analysis.

    scheme: one that pipelines, `GOGETA-df` or `GOGETA-map`. Raises ArgumentError for others: what
    they do to transposed copies is no choice.
    """
    if not scheme.startswith("GOGETA"):
        raise ArgumentError(f"the least traffic is that of a GOGETA scheme, not of {scheme}")
    entry = analysis.traffic(scheme)
    word = analysis.machine.get("wordBytes", DEFAULT_WORD)
    capacity = analysis.machine.get("sram", DEFAULT_SRAM) / word
    program = _Program(len(entry["steps"]), capacity)
    for value in entry["values"]:
        program.add_value(value)
    words, residency = program.solve()
    return LeastTraffic(words, float(entry["words"]), residency)
