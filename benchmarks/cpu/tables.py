"""The run as text: a table of each group's cases, and one of the targets.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Iterator, Sequence

from benchmarks.cpu.case import CONTENDERS, EMBER
from benchmarks.cpu.results import Result
from benchmarks.cpu.targets import Outcome

DASH = "-"


def seconds_in_words(seconds: float) -> str:
    """A time with three digits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} us"


def columns_of(results: Sequence[Result]) -> list[str]:
    """The peers that at least one result has a time of, in the usual order."""
    return [
        name
        for name in CONTENDERS
        if name != EMBER and any(name in result.times for result in results)
    ]


def header(group: str, peers: Sequence[str]) -> str:
    """The head of a group's table."""
    names = "".join(f"{name:>14}" for name in peers)
    return f"\n{group}\n{'case':78}{'threads':>8}{'Ember':>9}{'GB/s':>7}{names}"


def line(result: Result, peers: Sequence[str]) -> str:
    """A result: Ember's time and rate, then how many times as long each peer takes."""
    seconds, rate = result.seconds(EMBER), result.rate(EMBER)
    cells = [seconds_in_words(seconds) if seconds else DASH, f"{rate / 1e9:.3g}" if rate else DASH]
    text = f"{result.title:78}{result.threads:>8}{cells[0]:>9}{cells[1]:>7}"
    for name in peers:
        ratio = result.ratio(name, EMBER)
        text += f"{f'{ratio:.2f}x' if ratio else DASH:>14}"
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
        f"\n{'target':46}{'against':>14}{'threads':>8}{'cases':>6}{'mean':>8}{'goal':>7}"
        f"{'at limit':>10}{'worst':>8}{'floor':>7}"
    )
    for one in outcomes:
        if one.mean is None:
            continue
        at_limit = f"{one.at_limit:.2f}x" if one.at_limit else DASH
        floor = f"{one.floor:g}x" if one.floor else DASH
        yield (
            f"{one.name:46}{one.peer:>14}{one.threads:>8}{one.cases:>6}{f'{one.mean:.2f}x':>8}"
            f"{f'{one.least:g}x':>7}{at_limit:>10}{f'{one.worst:.2f}x':>8}{floor:>7}"
            f"  {'met' if one.met else 'MISSED'}; worst: {one.worst_case}"
        )
