"""The run as text: a table of each group's cases, and one of the targets.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Iterator, Sequence

from benchmarks.cpu.case import CONTENDERS, EMBER
from benchmarks.cpu.measuring import Timing
from benchmarks.cpu.results import Result
from benchmarks.cpu.targets import Outcome

DASH = "-"


def seconds_in_words(seconds: float) -> str:
    """A time with three digits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} us"


def spread_in_words(timing: Timing) -> str:
    """How far samples are from their median, what of them is left out, and if they say little."""
    words = f"±{timing.spread:.0%}"
    if timing.dropped:
        words += f" -{timing.dropped}"
    return words if timing.is_stable else f"{words}?"


def time_in_words(timing: Timing) -> str:
    """A median with its spread."""
    return f"{seconds_in_words(timing.median)} {spread_in_words(timing)}"


def ratio_in_words(slower: Timing, faster: Timing) -> str:
    """How many times as long one takes as the other, and the spread of the one's time."""
    return f"{slower.median / faster.median:.2f} {spread_in_words(slower)}"


def columns_of(results: Sequence[Result]) -> list[str]:
    """The peers that at least one result has a time of, in the usual order."""
    return [
        name
        for name in CONTENDERS
        if name != EMBER and any(name in result.times for result in results)
    ]


def header(group: str, peers: Sequence[str]) -> str:
    """The head of a group's table."""
    names = "".join(f"{name:>21}" for name in peers)
    return f"\n{group}\n{'case':78}{'threads':>8}{'Ember':>18}{'GB/s':>7}{names}"


def line(result: Result, peers: Sequence[str]) -> str:
    """A result: Ember's time and rate, then how many times as long each peer takes; behind each
    time, and each ratio of the peer's time, the spread of that time."""
    timing, rate = result.times.get(EMBER), result.rate(EMBER)
    seconds = time_in_words(timing) if timing else DASH
    text = f"{result.title:78}{result.threads:>8}{seconds:>18}"
    text += f"{f'{rate / 1e9:.3g}' if rate else DASH:>7}"
    for name in peers:
        ratio = result.ratio(name, EMBER)
        cell = f"{ratio:.2f}x {spread_in_words(result.times[name])}" if ratio else DASH
        text += f"{cell:>21}"
    return text


def group_tables(results: Sequence[Result]) -> Iterator[str]:
    """The lines of all groups' tables."""
    for group in dict.fromkeys(result.group for result in results):
        members = [result for result in results if result.group == group]
        peers = columns_of(members)
        yield header(group, peers)
        for result in members:
            yield line(result, peers)


def target_table(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """The lines of the table of targets, of those that have cases."""
    yield (
        f"\n{'target':46}{'against':>14}{'threads':>8}{'cases':>6}{'median':>8}{'mean':>8}"
        f"{'of all':>8}{'range':>17}{'goal':>7}{'at limit':>10}{'floor':>7}"
    )
    for one in outcomes:
        found = one.summary
        if found is not None:
            at_limit = f"{one.at_limit:.2f}x" if one.at_limit else DASH
            floor = f"{one.floor:g}x" if one.floor else DASH
            yield (
                f"{one.name:46}{one.peer:>14}{one.threads:>8}{found.cases:>6}"
                f"{f'{found.median:.2f}x':>8}{f'{found.trimmed:.2f}x':>8}{f'{found.mean:.2f}x':>8}"
                f"{f'{found.least:.2f}-{found.greatest:.2f}x':>17}"
                f"{f'{one.least:g}x':>7}{at_limit:>10}{floor:>7}"
                f"  {'met' if one.met else 'MISSED'}; worst: {found.least_case}"
            )
            if found.carried_by:
                yield f"  the mean of all is carried by {found.carried_by}"
        for case in one.unstable:
            yield f"  {one.name}, {one.threads} threads: unstable and left out: {case}"


NOTE = (
    "±: half the distance of a time's quartiles; -n: n samples were accidents and are left out; ?: "
    "unstable, in no mean. mean: geometric, without the least and the greatest case."
)
