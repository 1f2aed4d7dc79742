"""The run as text: models of every size, first calls, overheads, and the targets.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Iterator, Sequence

from benchmarks.cpu.tables import DASH, seconds_in_words
from benchmarks.models.overhead import Overhead
from benchmarks.models.running import COMPILED, EAGER, EMBER, Measured
from benchmarks.models.targets import FirstCall, Outcome


def result_table(results: Sequence[Measured]) -> Iterator[str]:
    """A line for each model and size: Ember's time and rate, and how long the others take."""
    yield (
        f"\n{'model':34}{'threads':>8}{'Ember':>10}{'a second':>11}"
        f"{EAGER:>10}{COMPILED:>15}  kernels"
    )
    for one in results:
        timing, rate = one.times.get(EMBER), one.rate(EMBER)
        ratios = [one.ratio(peer) for peer in (EAGER, COMPILED)]
        cells = [f"{ratio:.2f}x" if ratio else DASH for ratio in ratios]
        shown = seconds_in_words(timing.median) if timing else DASH
        yield (
            f"{one.title:34}{one.threads:>8}{shown:>10}"
            f"{f'{rate:.3g}' if rate else DASH:>11}{cells[0]:>10}{cells[1]:>15}"
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
    yield f"\n{'target':62}{'cases':>6}{'met':>5}{'mean':>8}{'goal':>8}{'worst':>8}"
    for one in outcomes:
        if not one.values:
            continue
        worst, name = one.worst
        yield (
            f"{one.name:62}{len(one.values):>6}{one.met:>5}{one.mean:>8.3g}{one.goal:>8.3g}"
            f"{worst:>8.3g}  {'met' if one.met == len(one.values) else f'MISSED: {name}'}"
        )
