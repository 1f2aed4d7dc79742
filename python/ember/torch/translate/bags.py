"""Bags: reductions of rows between offsets, or of as many rows in each bag.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable

from ember.torch.element_types import INDEX_TYPES
from ember.torch.translate.table import Call, translates
from ember.torch.translate.values import FIRST, Indices, NotTranslatedError, Value, is_one

# Of nothing, and of values in a row, as PyTorch has them.
_FUNCTIONS = {"sum": "sum", "mean": "sum", "max": "larger"}


@translates("ember::bags")
def _bags(call: Call) -> Value:
    """See graph/bags.py."""
    mode, _, without_gradient = call.given("mode").partition(" ")
    if mode == "max" or without_gradient:
        call.statements.own_gradients.add(call.node)
    rows = call.seen(call.arguments["rows"])
    counted = call.arguments["counted"]
    condition = None if counted is None else call.value_of(counted)
    if call.arguments["offsets"] is None:
        begin, segment, lookups = _equal(call, rows)
    else:
        begin, segment, lookups = _between_offsets(call, rows)

    def reduced(function: str, element: str, place: Indices, bag: str) -> str:
        holds = "" if condition is None else f" if {condition.at(place)}"
        variables = segment(bag)
        if not variables:
            return f"({element} if {condition.at(place)} else 0.0)" if holds else element
        return f"{function}[{variables}{holds}]({element})"

    def element(indices: Indices) -> str:
        place = begin(indices[0])
        return reduced(_FUNCTIONS[mode], rows.at([*place, indices[1]]), place, indices[0])

    whole = call.statements.reduced(call.sizes, call.result.dtype, element)
    if mode != "mean":
        return whole
    if condition is None:
        return call.elementwise([whole, lookups], "({0} / max({1}, 1.0))".format)
    counts = call.statements.reduced(
        (call.sizes[0], 1),
        whole.dtype,
        lambda indices: reduced("sum", "1.0", begin(indices[0]), indices[0]),
    )
    return call.elementwise([whole, counts], "({0} / max({1}, 1.0))".format)


Segments = tuple[Callable[[str], list[str]], Callable[[str], str], Value]


def _equal(call: Call, rows: Value) -> Segments:
    """Where a row of a bag is, the variable of its rows, and how many it has."""
    size = rows.sizes[1]
    variable = FIRST if is_one(size) else "r"
    length = call.statements.length(size)
    return (
        lambda bag: [bag, variable],
        lambda bag: "" if variable == FIRST else f"r in 0:{length}",
        # As a number of the rows' type, which quotients have then.
        call.statements.let((), call.result.dtype, lambda _: length),
    )


def _between_offsets(call: Call, rows: Value) -> Segments:
    """The same of bags between offsets, which are checked: the first one is 0."""
    offsets = call.value("offsets")
    if offsets.dtype not in INDEX_TYPES or not offsets.name:
        raise NotTranslatedError
    has_last = call.given("has_last")
    ends = call.statements.ends_of(offsets, rows.sizes[0], has_last)

    def length(indices: Indices) -> str:
        return f"({ends.at([f'({indices[0]} + 1)'])} - {ends.at([indices[0]])})"

    return (
        lambda bag: ["r"],
        lambda bag: f"r in {ends.at([bag])}:{ends.at([f'({bag} + 1)'])}",
        Value((call.sizes[0], 1), offsets.dtype, length),
    )
