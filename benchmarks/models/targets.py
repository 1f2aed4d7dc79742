"""What the benchmark of models is to reach, and how far it got.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.models.cases import EMBEDDINGS, GRAPH_LAYER
from benchmarks.models.overhead import Overhead
from benchmarks.models.running import COMPILED, EAGER, Measured

SMALL_BATCH = 128
TIMES_AS_FAST = 2.0
# Ember may take 3 % longer than eager PyTorch, never more.
NEVER_SLOWER = 1 / 1.03
COMPILE_TIMES_AS_FAST = 3.0
OVERHEAD_MICROSECONDS = 5.0


@dataclass(frozen=True)
class FirstCall:
    """Seconds of a model's first call: Ember's, and those of torch.compile's default."""

    model: str
    ember: float
    default: float


@dataclass(frozen=True)
class Outcome:
    """A target. values: what was measured, by case. low: whether less than the goal is better."""

    name: str
    goal: float
    values: dict[str, float]
    low: bool = False

    @property
    def met(self) -> int:
        """In how many cases the target is met."""
        if self.low:
            return sum(value <= self.goal for value in self.values.values())
        return sum(value >= self.goal for value in self.values.values())

    @property
    def mean(self) -> float:
        """The geometric mean of ratios; of times, which may come out below 0, the mean."""
        if self.low:
            return statistics.fmean(self.values.values())
        return math.exp(sum(map(math.log, self.values.values())) / len(self.values))

    @property
    def worst(self) -> tuple[float, str]:
        """The value that is furthest from the goal, and its case."""
        ordered = sorted((value, name) for name, value in self.values.items())
        return ordered[-1] if self.low else ordered[0]


def evaluate(
    results: Sequence[Measured], first_calls: Sequence[FirstCall], overheads: Sequence[Overhead]
) -> list[Outcome]:
    """All targets."""

    def ratios(chosen: Sequence[Measured], peer: str) -> dict[str, float]:
        found = {f"{one.title}, threads {one.threads}": one.ratio(peer) for one in chosen}
        return {name: ratio for name, ratio in found.items() if ratio}

    small = [one for one in results if one.kind == EMBEDDINGS and one.size <= SMALL_BATCH]
    layers = [one for one in results if one.kind == GRAPH_LAYER]
    few = f"embeddings dominate, batches to {SMALL_BATCH}: times as fast as"
    return [
        Outcome(f"{few} {EAGER}", TIMES_AS_FAST, ratios(small, EAGER)),
        Outcome(f"{few} {COMPILED}", TIMES_AS_FAST, ratios(small, COMPILED)),
        Outcome(f"any model: times as fast as {EAGER}", NEVER_SLOWER, ratios(results, EAGER)),
        Outcome(f"graph layers: times as fast as {EAGER}", TIMES_AS_FAST, ratios(layers, EAGER)),
        Outcome(
            "first call: times as fast as torch.compile's default",
            COMPILE_TIMES_AS_FAST,
            {one.model: one.default / one.ember for one in first_calls},
        ),
        Outcome(
            "a region's call above its kernel's: us",
            OVERHEAD_MICROSECONDS,
            {one.name: one.above_kernel for one in overheads},
            low=True,
        ),
    ]
