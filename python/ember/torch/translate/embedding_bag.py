"""Bags: reductions of rows between offsets, or of as many rows in each bag.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from ember.torch.element_types import INDEX_TYPES
from ember.torch.translate.table import Call, translates
from ember.torch.translate.values import Indices, NotTranslatedError, Value


@translates("ember::bags")
def _bags(call: Call) -> Value:
    """See graph/embedding_bag.py."""
    mode, _, without_gradient = call.given("mode").partition(" ")
    if mode == "max" or without_gradient:
        call.statements.own_gradients.add(call.node)
    rows, counted = call.seen(call.arguments["rows"]), call.arguments["counted"]
    condition = None if counted is None else call.value_of(counted)
    if call.arguments["offsets"] is None:
        segments = _equal(call, rows)
    else:
        segments = _between_offsets(call, rows)
    if mode == "max":
        return _largest(call, rows, condition, segments)

    def summed(text: str, bag: str) -> str:
        holds = "" if condition is None else f" if {condition.at(segments.place(bag))}"
        return f"sum[r in {segments.begin(bag)}:{segments.end(bag)}{holds}]({text})"

    total = call.statements.reduced(
        call.sizes,
        call.result.dtype,
        lambda at: summed(rows.at([*segments.place(at[0]), at[1]]), at[0]),
    )
    if mode == "sum":
        return total
    counts = segments.counts
    if condition is not None:
        counts = call.statements.reduced(
            (call.sizes[0], 1), total.dtype, lambda at: summed("1.0", at[0])
        )
    return call.elementwise([total, counts], "({0} / max({1}, 1.0))".format)


def _largest(call: Call, rows: Value, condition: Value | None, segments: "Segments") -> Value:
    """The largest of each bag as PyTorch has it: a NaN only if it is the first, 0 of nothing."""
    begin, place = segments.begin, segments.place
    if condition is not None:
        # Rows that do not count come after one that does, and are what changes nothing.
        firsts = call.statements.reduced(
            call.sizes[:1],
            torch.int64,
            lambda at: (
                f"min[r in {segments.begin(at[0])}:{segments.end(at[0])}"
                f" if {condition.at(place(at[0]))}](r)"
            ),
        )

        def begin(bag: str) -> str:
            return firsts.at([bag])

    def element(at: Indices) -> str:
        text = rows.at([*place(at[0]), at[1]])
        if condition is not None:
            text = f"({text} if {condition.at(place(at[0]))} else nan)"
        return f"larger[r in {begin(at[0])}:{segments.end(at[0])}]({text})"

    return call.statements.reduced(call.sizes, call.result.dtype, element)


@dataclass(frozen=True)
class Segments:
    """The bags: of each, by its index, where it begins and ends, and the place of row r of it.

    counts: how many rows each has, to be broadcast.
    """

    begin: Callable[[str], str]
    end: Callable[[str], str]
    place: Callable[[str], list[str]]
    counts: Value


def _equal(call: Call, rows: Value) -> Segments:
    """Bags of (bags, lookups a bag, length)."""
    length = call.statements.given_length(rows.sizes[1])
    # As a number of the rows' type, which quotients have then.
    count = call.statements.let((), call.result.dtype, lambda _: length)
    return Segments(lambda bag: "0", lambda bag: length, lambda bag: [bag, "r"], count)


def _between_offsets(call: Call, rows: Value) -> Segments:
    """Bags between offsets, which are checked: the first one is 0."""
    offsets = call.value("offsets")
    is_given = bool(offsets.name) and offsets.name not in call.statements.constants
    if offsets.dtype not in INDEX_TYPES or not is_given:
        raise NotTranslatedError
    ends = call.statements.ends_of(offsets, rows.sizes[0], call.given("has_last"))

    def begin(bag: str) -> str:
        return ends.at([bag])

    def end(bag: str) -> str:
        return ends.at([f"({bag} + 1)"])

    counts = Value((call.sizes[0], 1), offsets.dtype, lambda at: f"({end(at[0])} - {begin(at[0])})")
    return Segments(begin, end, lambda bag: ["r"], counts)
