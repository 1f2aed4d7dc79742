"""Times the contenders of a case in turns, each call on a batch that none has seen for long.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
import random
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ember.measurement import MOST_SPREAD, without_outliers

# A sample is of so many calls that the clock's own time does not matter in it.
SAMPLE_SECONDS = 200e-6
MOST_CALLS = 64
LEAST_TURNS = 5
# Of turns that take seconds.
LEAST_LONG_TURNS = 3
LONG_TURN_SECONDS = 0.25
MOST_TURNS = 200
# Each sample comes behind calls that are not timed, for about so long: after a pause, as in the
# turns of others, PyTorch's threads sleep, and the first call waits until they run.
WARM_UP_SECONDS = 1e-3
MOST_WARM_UP = 8
# A timing is unstable, too, if more of its samples are accidents.
MOST_DROPPED = 0.2


@dataclass(frozen=True)
class Contender:
    """One way of doing a case. arguments makes a call's arguments of a batch, off the clock."""

    name: str
    call: Callable[..., Any]
    arguments: Callable[[Any], tuple[Any, ...]]

    def run(self, batch: Any) -> Any:
        """The result of one batch."""
        return self.call(*self.arguments(batch))


@dataclass(frozen=True)
class Timing:
    """Seconds of a call: the median of the samples, and their quartiles; dropped: how many more
    samples there were, so far from the others that they are not among these."""

    median: float
    low: float
    high: float
    samples: int
    calls: int
    dropped: int = 0

    @property
    def spread(self) -> float:
        """Half of the distance of the quartiles, by the median."""
        return (self.high - self.low) / 2 / self.median if self.median else 0.0

    @property
    def is_stable(self) -> bool:
        """Whether the median says something of the next call."""
        most = MOST_DROPPED * (self.samples + self.dropped)
        return self.spread <= MOST_SPREAD and self.dropped <= most


def unstable(times: Mapping[str, Timing], contenders: Iterable[str]) -> list[str]:
    """Those of the contenders, each once, whose times say little of the next call."""
    names = dict.fromkeys(contenders)
    return [name for name in names if name in times and not times[name].is_stable]


class Batches:
    """A case's batches one after the other, for all contenders together."""

    def __init__(self, make: Callable[[int], Any]) -> None:
        """make: the batch of a number; numbers only grow."""
        self.make = make
        self.next_number = 0

    def take(self, count: int) -> list[Any]:
        """The next batches."""
        first = self.next_number
        self.next_number += count
        return [self.make(number) for number in range(first, first + count)]


def sample(contender: Contender, batches: Sequence[Any], warm_up: int = 0) -> float:
    """The mean time of a call, in seconds, over the batches but for the first `warm_up`."""
    call = contender.call
    prepared = [contender.arguments(batch) for batch in batches]
    for arguments in prepared[:warm_up]:
        call(*arguments)
    timed = prepared[warm_up:]
    started = time.perf_counter()
    for arguments in timed:
        call(*arguments)
    return (time.perf_counter() - started) / len(timed)


def calls_of_sample(seconds: float) -> int:
    """How many calls of so many seconds make a sample."""
    return max(1, min(MOST_CALLS, round(SAMPLE_SECONDS / max(seconds, 1e-9))))


def calls_before_sample(seconds: float) -> int:
    """How many calls go ahead of each sample if the slowest contender's takes so many seconds."""
    return max(1, min(MOST_WARM_UP, math.ceil(WARM_UP_SECONDS / max(seconds, 1e-9))))


def measure(
    contenders: Sequence[Contender], batches: Batches, seconds: float, seed: int = 0
) -> dict[str, Timing]:
    """The times of a call of each contender, measured for about `seconds` together.

    In a turn each contender gives one sample. Their order is drawn anew in every turn: in a fixed
    one, or one that is only rotated, a contender always finds the caches and the memory as the
    same other one left them. The same number of calls of each goes right ahead of its samples.
    """
    calls, slowest = {}, 0.0
    for contender in contenders:
        seconds_of_call = sample(contender, batches.take(2), warm_up=1)
        calls[contender.name] = calls_of_sample(seconds_of_call)
        slowest = max(slowest, seconds_of_call)
    warm_up = calls_before_sample(slowest)
    samples: dict[str, list[float]] = {contender.name: [] for contender in contenders}
    draw = random.Random(seed)
    order = list(contenders)
    started = time.perf_counter()
    for turn in range(MOST_TURNS):
        draw.shuffle(order)
        for contender in order:
            taken = batches.take(warm_up + calls[contender.name])
            samples[contender.name].append(sample(contender, taken, warm_up))
        spent = time.perf_counter() - started
        is_long = spent > LONG_TURN_SECONDS * (turn + 1)
        if spent > seconds and turn + 1 >= (LEAST_LONG_TURNS if is_long else LEAST_TURNS):
            break
    return {name: timing(values, calls[name]) for name, values in samples.items()}


def timing(samples: Sequence[float], calls: int) -> Timing:
    """The summary of samples of so many calls each, without those that are accidents."""
    kept = without_outliers(samples)
    low, median, high = statistics.quantiles(kept, n=4, method="inclusive")
    return Timing(median, low, high, len(kept), calls, len(samples) - len(kept))
