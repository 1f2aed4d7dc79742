"""Reductions of segments: of rows one behind the other, by offsets or lengths, and of bags, which
are between offsets or as many rows each.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from ember.torch.element_types import INDEX_TYPES
from ember.torch.translate.scatters import REDUCTIONS
from ember.torch.translate.table import Call, translates
from ember.torch.translate.values import Indices, NotTranslatedError, Value, literal


@translates("aten::segment_reduce")
def _segment_reduce(call: Call) -> Value:
    data, axis = call.value("data"), call.given("axis")
    name = {"max": "amax", "min": "amin"}.get(call.given("reduce"), call.given("reduce"))
    function, _ = REDUCTIONS[name]
    lengths, segment = _segments(call, data, axis)

    def element(kept: Indices) -> str:
        element = data.at([*kept[:axis], "r", *kept[axis + 1 :]])
        return f"{function}[r in {segment(kept[: axis + 1])}]({element})"

    if function != "sum":
        call.statements.own_gradients.add(call.node)
    whole = call.statements.reduced(call.sizes, call.dtype, element)
    initial = call.arguments.get("initial")
    begin = "" if initial is None else literal(call.given("initial"))
    if begin:
        joined = {"sum": "({0} + {1})", "prod": "({0} * {1})"}.get(
            function, f"{function}({{0}}, {{1}})"
        )
        whole = call.elementwise([whole], lambda x: joined.format(x, begin))
    if name != "mean":
        return whole
    if not begin:
        # Of a segment without rows, it is NaN.
        return call.elementwise([whole, lengths], "({0} / {1})".format)
    return call.elementwise([whole, lengths], "({0} / max({1}, 1.0))".format)


def _segments(call: Call, data: Value, axis: int) -> tuple[Value, Callable[[Indices], str]]:
    """How many rows each segment has, to be broadcast, and its range."""
    after = [1] * (data.rank - axis - 1)
    if call.arguments.get("indices") is not None:
        raise NotTranslatedError
    if call.arguments.get("offsets") is not None:
        offsets = call.value("offsets")
        _check(offsets, axis)
        call.statements.offsets.add(offsets.name)

        def ends(indices: Indices) -> tuple[str, str]:
            *outer, segment = indices
            return offsets.at([*outer, segment]), offsets.at([*outer, f"({segment} + 1)"])

        def length(indices: Indices) -> str:
            begin, end = ends(indices[: axis + 1])
            return f"({end} - {begin})"

        counts = Value((*call.sizes[: axis + 1], *after), offsets.dtype, length)
        return counts, lambda indices: ":".join(ends(indices))
    lengths = call.value("lengths")
    _check(lengths, axis)
    if not lengths.name:
        # Of lengths that statements compute there are no gradients.
        raise NotTranslatedError(operator=call.arguments["lengths"])
    if axis:
        raise NotTranslatedError(
            f"its lengths are those of dimension {axis}; statements take lengths along the first "
            "dimension, and offsets along any"
        )
    if not call.given("unsafe"):
        call.statements.totals[call.arguments["lengths"]] = data.sizes[0]
    counts = Value((*lengths.sizes, *after), lengths.dtype, lambda indices: lengths.at(indices[:1]))
    return counts, lambda indices: f"segment({lengths.at(indices)})"


def _check(segments: Value, axis: int) -> None:
    if segments.dtype not in INDEX_TYPES or segments.rank != axis + 1:
        raise NotTranslatedError


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
        call.dtype,
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

    return call.statements.reduced(call.sizes, call.dtype, element)


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
    count = call.statements.let((), call.dtype, lambda _: length)
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
