"""Indices of elements in tensors that have them in the same order, but other dimensions.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from collections.abc import Sequence
from typing import Any

from ember.torch.graph.operations import likely_sizes, same_number
from ember.torch.translate.statements import Statements
from ember.torch.translate.values import (
    FIRST,
    Indices,
    Joined,
    NotTranslatedError,
    Split,
    SplitError,
    Value,
    Variable,
    is_one,
    known_number,
)


class Place(str):
    """An element of a tensor of integers as an index; quotients of these are computed once."""

    value: Value
    indices: Indices

    @staticmethod
    def of(value: Value, indices: Indices) -> "Place":
        """The element at these indices."""
        for index in indices:
            # Each place is better looked up once than with each of what lies behind it.
            if isinstance(index, Split) and isinstance(index.whole, Variable):
                others = [one.number for one in indices if isinstance(one, Split)]
                if others != list(range(len(index.sizes))):
                    raise SplitError(index.whole, index.sizes)
        place = Place(value.at(indices))
        place.value, place.indices = value, tuple(indices)
        return place


def reordered(
    statements: Statements, indices: Indices, sizes: Sequence[Any], others: Sequence[Any]
) -> list[str]:
    """The indices, in a tensor of sizes `others`, of the element that is at `indices` in one of
    `sizes`."""
    given: list[tuple[str, Any]] = []
    for index, size in zip(indices, sizes, strict=True):
        given += index.parts if isinstance(index, Joined) else [(index, size)]
    given = [(index, size) for index, size in given if not is_one(size)]
    wanted = [place for place, size in enumerate(others) if not is_one(size)]
    places = [FIRST] * len(others)
    while given and wanted:
        index, size = given.pop()
        if same_number(size, others[wanted[-1]]):
            places[wanted.pop()] = index
            continue
        divisor = _divisor(size, [others[place] for place in wanted])
        if divisor is None:
            given.append((index, size))
            break
        # All that lies in front of it is counted without it.
        inner, outer = (
            _computed(statements, index, f"({{0}} {sign} {divisor})") for sign in ("%", "//")
        )
        statements.are_ranged = True
        halves = size // divisor, divisor
        places[wanted.pop()] = Split.of(inner, whole=index, number=1, sizes=halves)
        given.append((Split.of(outer, whole=index, number=0, sizes=halves), halves[0]))
    while given or wanted:
        left, right = given[:1], wanted[:1]
        del given[:1], wanted[:1]
        while (is_less := _is_less([size for _, size in left], [others[k] for k in right])) != 0:
            if not given and not wanted:
                # All of it has as many elements, whatever is known of sizes.
                break
            if not (given if is_less < 0 else wanted):
                raise NotTranslatedError
            if is_less < 0:
                left.append(given.pop(0))
            else:
                right.append(wanted.pop(0))
        if len(left) > 1 or len(right) > 1:
            # Variables that are counted together have ranges.
            statements.are_ranged = True
        place = _ravelled(statements, left)
        rest = place
        first, *behind = right
        for number in reversed(behind):
            size = _length(statements, others[number])
            places[number] = _computed(statements, rest, f"({{0}} % {size})")
            rest = _computed(statements, rest, f"({{0}} // {size})")
        places[first] = rest
        if behind:
            for number, part in enumerate(right):
                parts = [others[one] for one in right]
                places[part] = Split.of(places[part], whole=place, number=number, sizes=parts)
    return places


def _divisor(size: Any, wanted: Sequence[Any]) -> int | None:
    """The last of the wanted sizes, where one of a variable is a multiple of it, but not of as many
    elements as some of the last ones together."""
    number, last, count = known_number(size), known_number(wanted[-1]), 1
    if number is None or not last or number <= last or number % last:
        return None
    for one in reversed(wanted):
        known = known_number(one)
        if known is None:
            break
        count *= known
        if count == number:
            return None
    return last


def _computed(statements: Statements, place: str, text: str) -> str:
    """A function of an index; of a tensor's elements, one of its own."""
    if not isinstance(place, Place):
        return text.format(place)
    return Place.of(statements.of_places(place.value, text), place.indices)


def _is_less(left: Sequence[Any], right: Sequence[Any]) -> int:
    """-1 where dimensions of these sizes have fewer elements than others, 1 where these have."""
    if not left or not right:
        raise NotTranslatedError
    one, other = math.prod(left), math.prod(right)
    if same_number(one, other):
        return 0
    left_likely, right_likely = math.prod(likely_sizes(left)), math.prod(likely_sizes(right))
    return -1 if left_likely < right_likely else 1


def _length(statements: Statements, size: Any) -> str:
    """A size that an index is multiplied by, or divided: one that is computed of others, as that of
    a block is, stays."""
    if known_number(size) is None and not size.node.expr.is_symbol:
        statements.fixed.append(size)
    return statements.length(size)


def _ravelled(statements: Statements, parts: Sequence[tuple[str, Any]]) -> str:
    """Where an element is in the order of all elements of these dimensions."""
    wholes = {(index.whole, len(index.sizes)) for index, _ in parts if isinstance(index, Split)}
    if len(wholes) == 1 and all(
        isinstance(index, Split) and index.number == number
        for number, (index, _) in enumerate(parts)
    ):
        ((whole, many),) = wholes
        if many == len(parts):
            return whole
    (place, _), *others = parts
    for index, size in others:
        place = f"({place} * {_length(statements, size)} + {index})"
    return Joined.of(place, parts=parts) if others else place
