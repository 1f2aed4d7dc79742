"""Times several ways to do one thing fairly: in turns, on inputs that the others did not warm up.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

Batch = TypeVar("Batch")
# A sample further from the median than so many times the median distance is an accident.
OUTLIER_DISTANCES = 10
# The least such distance, by the median: the clock's, and the machine's.
LEAST_DISTANCE = 0.01
# A time is unstable if half of its samples are further apart.
MOST_SPREAD = 0.25


@dataclass(frozen=True)
class Seconds:
    """Seconds of a call: the median, and the quartiles, of samples without accidents."""

    median: float
    low: float
    high: float

    @property
    def spread(self) -> float:
        """Half of the distance of the quartiles, by the median."""
        return (self.high - self.low) / 2 / self.median

    @property
    def is_stable(self) -> bool:
        """Whether the median says something of the next call."""
        return self.spread <= MOST_SPREAD


def measure(
    contenders: Mapping[str, Callable[[Batch], object]],
    batches: Sequence[Batch],
    *,
    seconds: float = 0.3,
    most_rounds: int = 100,
    least_rounds: int = 5,
) -> dict[str, Seconds]:
    """The time of a call of each contender.

    A round calls each contender once. They take the batches in the same order, each starting at
    another one, so that what one contender brought into the caches is old when the next one comes
    to that batch. Rounds go on for about `seconds` a contender. The first call of each on the
    first batch is not counted.
    """
    for call in contenders.values():
        call(batches[0])
    times: dict[str, list[float]] = {name: [] for name in contenders}
    shift = max(1, len(batches) // max(1, len(contenders)))
    started = time.perf_counter()
    for turn in range(most_rounds):
        for place, (name, call) in enumerate(contenders.items()):
            batch = batches[(turn + place * shift) % len(batches)]
            before = time.perf_counter()
            call(batch)
            times[name].append(time.perf_counter() - before)
        spent = time.perf_counter() - started
        if turn + 1 >= least_rounds and spent > seconds * len(contenders):
            break
    return {name: _summary(values) for name, values in times.items()}


def _summary(values: Sequence[float]) -> Seconds:
    low, median, high = statistics.quantiles(without_outliers(values), n=4, method="inclusive")
    return Seconds(median, low, high)


def without_outliers(samples: Sequence[float]) -> list[float]:
    """The samples that are near the median, by the median distance from it.

    Fewer than half of the samples can be left out, and so change the result.
    """
    median = statistics.median(samples)
    distance = statistics.median(abs(one - median) for one in samples)
    most = OUTLIER_DISTANCES * max(distance, LEAST_DISTANCE * median)
    return [one for one in samples if abs(one - median) <= most]
