"""What the benchmark of models is to reach, and how far it got.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.cpu.measuring import unstable
from benchmarks.models.cases import EDGE_LAYER, EMBEDDINGS, GRAPH_LAYER
from benchmarks.models.overhead import Overhead
from benchmarks.models.running import COMPILED, EAGER, EMBER, Measured
from benchmarks.summary import Summary, geometric_mean, summarise

SMALL_BATCH = 128
TIMES_AS_FAST = 2.0
# Of layers of edges, that of torch.compile's default, which fuses what is memory-bound.
COMPILED_TIMES_AS_FAST = 1.5
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
    """A target. values: what was measured, by case. low: whether less than the goal is better.

    unstable: cases that are left out, since their own times say little.
    """

    name: str
    goal: float
    values: dict[str, float]
    low: bool = False
    unstable: tuple[str, ...] = ()

    @property
    def met(self) -> int:
        """In how many cases the target is met."""
        if self.low:
            return sum(value <= self.goal for value in self.values.values())
        return sum(value >= self.goal for value in self.values.values())

    @property
    def summary(self) -> Summary:
        """What the cases come to; of times, which may come out below 0, by arithmetic means."""
        return summarise(self.values, statistics.fmean if self.low else geometric_mean)

    @property
    def worst(self) -> tuple[float, str]:
        """The value that is furthest from the goal, and its case."""
        found = self.summary
        if self.low:
            return found.greatest, found.greatest_case
        return found.least, found.least_case


def evaluate(
    results: Sequence[Measured], first_calls: Sequence[FirstCall], overheads: Sequence[Overhead]
) -> list[Outcome]:
    """All targets."""

    def outcome(name: str, goal: float, chosen: Sequence[Measured], peer: str) -> Outcome:
        values, left_out = {}, []
        for one in chosen:
            if not (ratio := one.ratio(peer)):
                continue
            case = f"{one.title}, threads {one.threads}"
            if of := unstable(one.times, (peer, EMBER)):
                left_out.append(f"{case} ({', '.join(of)})")
            else:
                values[case] = ratio
        return Outcome(f"{name}: times as fast as {peer}", goal, values, unstable=tuple(left_out))

    small = [one for one in results if one.kind == EMBEDDINGS and one.size <= SMALL_BATCH]
    layers = [one for one in results if one.kind == GRAPH_LAYER]
    edges = [one for one in results if one.kind == EDGE_LAYER]
    few = f"embeddings dominate, batches to {SMALL_BATCH}"
    return [
        outcome(few, TIMES_AS_FAST, small, EAGER),
        outcome(few, TIMES_AS_FAST, small, COMPILED),
        outcome("any model", NEVER_SLOWER, results, EAGER),
        outcome("graph layers", TIMES_AS_FAST, layers, EAGER),
        outcome("layers of edges", TIMES_AS_FAST, edges, EAGER),
        outcome("layers of edges", COMPILED_TIMES_AS_FAST, edges, COMPILED),
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
