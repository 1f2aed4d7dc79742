"""Operators that read elements at places that other tensors hold.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from ember.torch.element_types import INDEX_TYPES
from ember.torch.translate.table import Call, translates
from ember.torch.translate.values import (
    Indices,
    NotTranslatedError,
    Value,
    broadcast,
    same_sizes,
)

# Operators that read at places which only the run knows.
LOOKUPS = ("aten::embedding", "aten::index_select", "aten::index", "aten::gather")


def _at_places(
    call: Call, table: Value, dimension: int, places: Value, begin: int, rank: int
) -> Value:
    """The table's elements; its index in a dimension is what `places` has at `rank` indices."""
    if places.dtype not in INDEX_TYPES:
        raise NotTranslatedError

    def at(indices: Indices) -> str:
        place = places.at(indices[begin : begin + rank])
        return table.at([*indices[:dimension], place, *indices[dimension + rank :]])

    return Value(call.sizes, table.dtype, at)


@translates("aten::embedding")
def _embedding(call: Call) -> Value:
    table, places = call.value("weight"), call.value("indices")
    statements, padding = call.statements, call.given("padding_idx")
    padding = padding if padding >= 0 else -1
    if statements.paddings.setdefault(table.name, padding) != padding:
        statements.paddings[table.name] = None
    if call.arguments["scale_grad_by_freq"] or call.arguments["sparse"]:
        statements.undifferentiated.add(table.name)
    return _at_places(call, table, 0, places, 0, places.rank)


def _table(call: Call) -> Value:
    """What is looked up in, all of whose rows have a gradient."""
    table = call.value("self")
    paddings = call.statements.paddings
    if paddings.setdefault(table.name, -1) != -1:
        paddings[table.name] = None
    return table


@translates("aten::index_select")
def _index_select(call: Call) -> Value:
    table, places = _table(call), call.value("index")
    dimension = table.place(call.given("dim"))
    if places.rank != 1:
        raise NotTranslatedError
    return _at_places(call, table, dimension, places, dimension, 1)


@translates("aten::index")
def _index(call: Call) -> Value:
    table = _table(call)
    given = [None if one is None else call.value_of(one) for one in call.arguments["indices"]]
    dimensions = [number for number, one in enumerate(given) if one is not None]
    places = [one for one in given if one is not None]
    first = dimensions[0]
    # Indices of dimensions that lie apart stand in front of all others.
    if dimensions != list(range(first, first + len(dimensions))):
        raise NotTranslatedError
    if any(one.dtype not in INDEX_TYPES for one in places):
        raise NotTranslatedError
    rank = max(one.rank for one in places)
    sizes = call.sizes[first : first + rank]
    elements = [broadcast(one, sizes) for one in places]

    def at(indices: Indices) -> str:
        mine = indices[first : first + rank]
        found = [element(mine) for element in elements]
        return table.at([*indices[:first], *found, *indices[first + rank :]])

    return Value(call.sizes, table.dtype, at)


@translates("aten::gather")
def _gather(call: Call) -> Value:
    table, places = _table(call), call.value("index")
    dimension = table.place(call.given("dim"))
    others = [number for number in range(table.rank) if number != dimension]
    # Where fewer are looked up than there are, variables would have two sizes.
    if not same_sizes([table.sizes[k] for k in others], [places.sizes[k] for k in others]):
        raise NotTranslatedError
    if places.dtype not in INDEX_TYPES:
        raise NotTranslatedError

    def at(indices: Indices) -> str:
        place = places.at(indices)
        return table.at([*indices[:dimension], place, *indices[dimension + 1 :]])

    return Value(call.sizes, table.dtype, at)
