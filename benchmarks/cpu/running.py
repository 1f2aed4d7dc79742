"""Runs cases: prepares each, checks that contenders agree, times them for each number of threads.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import statistics
import time
from collections.abc import Callable, Iterator, Sequence

import torch

from benchmarks.cpu.agreement import disagreements
from benchmarks.cpu.case import LIMIT, Case
from benchmarks.cpu.limit import DISTANCES, LimitRead, Reading
from benchmarks.cpu.measuring import Batches, Contender, measure, sample
from benchmarks.cpu.results import Result
from benchmarks.cpu.setting import Setting, use_threads

# Calls of a reading, and for how long, from which the limit's is chosen.
TRIALS = 3
TRIAL_SECONDS = 500e-6


class Clock:
    """Divides the time of a run between what is left of its cases."""

    def __init__(self, budget: float, parts: int) -> None:
        """budget: seconds of the run from now on. parts: measurements that are to come."""
        self.end = time.monotonic() + budget
        self.parts = parts
        self.overhead = 0.0

    def share(self, started: float) -> float:
        """Seconds for the next measurement, whose preparation began at `started`."""
        spent = time.monotonic() - started
        left = max(0.0, self.end - time.monotonic()) / max(1, self.parts)
        self.parts -= 1
        self.overhead += 0.2 * (spent - self.overhead)
        return max(0.0, left - self.overhead)


def run_cases(
    cases: Sequence[Case],
    setting: Setting,
    thread_counts: Sequence[int],
    budget: float,
    say: Callable[[str], None],
) -> Iterator[Result]:
    """The results of all cases, as they are measured, in about `budget` seconds."""
    clock = Clock(budget, len(cases) * len(thread_counts))
    for number, case in enumerate(cases):
        started = time.monotonic()
        use_threads(1)
        torch.compiler.reset()
        prepared = case.prepare(setting)
        wrong = disagreements(prepared)
        right = [one for one in prepared.contenders if one.name not in wrong]
        batches = Batches(prepared.batch)
        for threads in thread_counts:
            use_threads(threads)
            contenders = list(right)
            if prepared.limit:
                choose_reading(prepared.limit, batches, threads)
                contenders.append(limit_contender(prepared.limit))
            result = Result(
                group=case.group,
                factors=dict(case.factors),
                threads=threads,
                row_bytes=prepared.row_bytes,
                out_bytes=prepared.out_bytes,
                absent=prepared.absent,
                wrong=wrong,
            )
            if prepared.limit:
                result.limit_reading = vars(prepared.limit.reading).copy()
            say(f"{number + 1} of {len(cases)}: {case.group}: {result.title}, {threads} threads")
            result.times = measure(contenders, batches, clock.share(started))
            started = time.monotonic()
            yield result


def limit_contender(limit: LimitRead) -> Contender:
    """The limit of a case as a contender."""
    return Contender(LIMIT, limit.read, limit.arguments)


def choose_reading(limit: LimitRead, batches: Batches, threads: int) -> None:
    """Sets the fastest way of reading: the one before, or one of all distances on these threads."""
    contender = limit_contender(limit)
    times = {}
    for reading in dict.fromkeys([limit.reading, *(Reading(each, threads) for each in DISTANCES)]):
        limit.reading = reading
        taken = [sample(contender, batches.take(1))]
        while len(taken) < TRIALS or sum(taken) < TRIAL_SECONDS:
            if sum(taken) > TRIALS * TRIAL_SECONDS:
                break
            taken.append(sample(contender, batches.take(1)))
        times[reading] = statistics.median(taken)
    limit.reading = min(times, key=lambda reading: times[reading])
