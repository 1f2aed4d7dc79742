"""Reductions of rows that lie one behind the other, by offsets or lengths.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable

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
    whole = call.statements.reduced(call.sizes, call.result.dtype, element)
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
