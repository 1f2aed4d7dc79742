"""Operators that show a tensor's elements at other indices.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Sequence

from ember.torch.operations import same_number
from ember.torch.translate.table import Call, translates
from ember.torch.translate.values import (
    FIRST,
    Indices,
    NotTranslatedError,
    Value,
    broadcast,
    is_one,
    known_number,
    same_sizes,
)


def _with_places(call: Call, value: Value, places: Sequence[int | None]) -> Value:
    """Each of the value's dimensions is that one of the result, or has one index."""

    def at(indices: Indices) -> str:
        return value.at([FIRST if place is None else indices[place] for place in places])

    return Value(call.sizes, value.dtype, at)


@translates("aten::view", "aten::_unsafe_view", "aten::reshape", "aten::squeeze", "aten::unsqueeze")
def _reshaped(call: Call) -> Value:
    """A view that adds and removes dimensions of size 1."""
    value = call.value("self")
    mine = [place for place, size in enumerate(value.sizes) if not is_one(size)]
    others = [place for place, size in enumerate(call.sizes) if not is_one(size)]
    if not same_sizes([value.sizes[k] for k in mine], [call.sizes[k] for k in others]):
        raise NotTranslatedError
    places: list[int | None] = [None] * value.rank
    for own, other in zip(mine, others, strict=True):
        places[own] = other
    return _with_places(call, value, places)


@translates("aten::permute")
def _permute(call: Call) -> Value:
    value = call.value("self")
    order = [value.place(one) for one in call.given("dims")]
    return _with_places(call, value, [order.index(place) for place in range(value.rank)])


@translates("aten::transpose", "aten::t")
def _transpose(call: Call) -> Value:
    value = call.value("self")
    places: list[int | None] = list(range(value.rank))
    if value.rank > 1:
        one, other = (
            value.place(call.arguments.get(name, default))
            for name, default in (("dim0", 0), ("dim1", 1))
        )
        places[one], places[other] = places[other], places[one]
    return _with_places(call, value, places)


@translates("aten::expand")
def _expand(call: Call) -> Value:
    value = call.value("self")
    return Value(call.sizes, value.dtype, broadcast(value, call.sizes))


@translates("aten::select")
def _select(call: Call) -> Value:
    value = call.value("self")
    dimension, index = value.place(call.given("dim")), call.given("index")
    if index < 0:
        size = known_number(value.sizes[dimension])
        if size is None:
            raise NotTranslatedError
        index += size

    def at(indices: Indices) -> str:
        return value.at([*indices[:dimension], str(index), *indices[dimension:]])

    return Value(call.sizes, value.dtype, at)


@translates("aten::slice")
def _slice(call: Call) -> Value:
    """The elements from one on to the end."""
    value = call.value("self")
    dimension, begin = value.place(call.given("dim")), call.given("start") or 0
    size, end = value.sizes[dimension], call.given("end")
    is_whole = end is None or end >= 2**62 or same_number(end, size)
    if begin < 0 or not is_whole or call.given("step") != 1:
        raise NotTranslatedError
    if not begin:
        return value

    def at(indices: Indices) -> str:
        place = f"({indices[dimension]} + {begin})"
        return value.at([*indices[:dimension], place, *indices[dimension + 1 :]])

    return Value(call.sizes, value.dtype, at)


@translates("aten::cat")
def _cat(call: Call) -> Value:
    """Tensors one behind the other, for reductions along that dimension."""
    parts = tuple(call.value_of(one) for one in call.arguments["tensors"])
    if any(part.rank != len(call.sizes) or part.dtype != call.result.dtype for part in parts):
        raise NotTranslatedError

    def at(indices: Indices) -> str:
        raise NotTranslatedError

    return Value(call.sizes, call.result.dtype, at, parts, parts[0].place(call.given("dim")))
