"""Times the contenders of a case in turns, each call on a batch that none has seen for long.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

# A sample is of so many calls that the clock's own time does not matter in it.
SAMPLE_SECONDS = 200e-6
MOST_CALLS = 64
LEAST_TURNS = 5
# Of turns that take seconds.
LEAST_LONG_TURNS = 3
LONG_TURN_SECONDS = 0.25
MOST_TURNS = 200


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
    """Seconds of a call: the median of the samples, and their quartiles."""

    median: float
    low: float
    high: float
    samples: int
    calls: int


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


def sample(contender: Contender, batches: Sequence[Any]) -> float:
    """The mean time of a call, in seconds, over the batches."""
    call = contender.call
    prepared = [contender.arguments(batch) for batch in batches]
    started = time.perf_counter()
    for arguments in prepared:
        call(*arguments)
    return (time.perf_counter() - started) / len(prepared)


def calls_of_sample(seconds: float) -> int:
    """How many calls of so many seconds make a sample."""
    return max(1, min(MOST_CALLS, round(SAMPLE_SECONDS / max(seconds, 1e-9))))


def measure(
    contenders: Sequence[Contender], batches: Batches, seconds: float, seed: int = 0
) -> dict[str, Timing]:
    """The times of a call of each contender, measured for about `seconds` together.

    In a turn each contender gives one sample. Their order is drawn anew in every turn: in a fixed
    one, or one that is only rotated, a contender always finds the caches and the memory as the
    same other one left them. The first sample of each is not counted.
    """
    calls = {}
    for contender in contenders:
        sample(contender, batches.take(1))
        calls[contender.name] = calls_of_sample(sample(contender, batches.take(1)))
    samples: dict[str, list[float]] = {contender.name: [] for contender in contenders}
    draw = random.Random(seed)
    order = list(contenders)
    started = time.perf_counter()
    for turn in range(MOST_TURNS):
        draw.shuffle(order)
        for contender in order:
            samples[contender.name].append(sample(contender, batches.take(calls[contender.name])))
        spent = time.perf_counter() - started
        is_long = spent > LONG_TURN_SECONDS * (turn + 1)
        if spent > seconds and turn + 1 >= (LEAST_LONG_TURNS if is_long else LEAST_TURNS):
            break
    return {name: timing(values, calls[name]) for name, values in samples.items()}


def timing(samples: Sequence[float], calls: int) -> Timing:
    """The summary of samples of so many calls each."""
    low, median, high = statistics.quantiles(samples, n=4, method="inclusive")
    return Timing(median, low, high, len(samples), calls)
