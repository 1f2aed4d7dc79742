"""The run as text: models of every size, first calls, overheads, and the targets.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Iterator, Sequence

from benchmarks.cpu.tables import DASH, seconds_in_words, spread_in_words, time_in_words
from benchmarks.models.overhead import Overhead
from benchmarks.models.running import COMPILED, EAGER, EMBER, Measured
from benchmarks.models.targets import FirstCall, Outcome


def result_table(results: Sequence[Measured]) -> Iterator[str]:
    """A line for each model and size: Ember's time and rate, and how long the others take."""
    yield (
        f"\n{'model':34}{'threads':>8}{'Ember':>19}{'a second':>11}"
        f"{EAGER:>17}{COMPILED:>17}  kernels"
    )
    for one in results:
        timing, rate = one.times.get(EMBER), one.rate(EMBER)
        cells = [
            f"{ratio:.2f}x {spread_in_words(one.times[peer])}"
            if (ratio := one.ratio(peer))
            else DASH
            for peer in (EAGER, COMPILED)
        ]
        shown = time_in_words(timing) if timing else DASH
        yield (
            f"{one.title:34}{one.threads:>8}{shown:>19}"
            f"{f'{rate:.3g}' if rate else DASH:>11}{cells[0]:>17}{cells[1]:>17}"
            f"  {', '.join(one.kernels) or 'none'}"
        )


def first_call_table(calls: Sequence[FirstCall]) -> Iterator[str]:
    """Seconds of each model's first call, with empty caches."""
    if calls:
        yield f"\n{'first call':42}{'Ember':>10}{COMPILED:>15}"
    for one in calls:
        yield (
            f"{one.model:42}{seconds_in_words(one.ember):>10}"
            f"{seconds_in_words(one.default):>12} ({one.default / one.ember:.1f}x)"
        )


def overhead_table(overheads: Sequence[Overhead]) -> Iterator[str]:
    """Microseconds of calls with next to nothing to compute."""
    columns = {
        "kernel": "kernel",
        "region": "region",
        "direct": "ember.compile",
        "compiled": "backend=ember",
        "nothing": "backend=eager",
        "eager": EAGER,
    }
    titles = "".join(f"{title:>14}" for title in columns.values())
    yield f"\n{'a call, in us':28}{titles}"
    for one in overheads:
        cells = "".join(f"{getattr(one, column):>14.2f}" for column in columns)
        yield f"{one.name:28}{cells}"


def target_table(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """The targets that something was measured for."""
    yield (
        f"\n{'target':62}{'cases':>6}{'met':>5}{'median':>8}{'mean':>8}{'of all':>8}"
        f"{'least':>8}{'most':>8}{'goal':>8}"
    )
    for one in outcomes:
        if one.values:
            found = one.summary
            numbers = (found.median, found.trimmed, found.mean, found.least, found.greatest)
            yield (
                f"{one.name:62}{found.cases:>6}{one.met:>5}"
                + "".join(f"{number:>8.3g}" for number in (*numbers, one.goal))
                + f"  {'met' if one.met == found.cases else f'MISSED: {one.worst[1]}'}"
            )
            if found.carried_by:
                yield f"  the mean of all is carried by {found.carried_by}"
        for case in one.unstable:
            yield f"  {one.name}: unstable and left out: {case}"
