"""Operators that read elements at places that other tensors hold.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.fx import Node

from ember.embed_programs import RowFormat
from ember.torch.element_types import INDEX_TYPES, SUM_TYPES
from ember.torch.graph.operations import fixed_size, tensor_of
from ember.torch.quantize.row_encoding import format_of, is_of_bytes
from ember.torch.translate.order import Place
from ember.torch.translate.statements import Lookup
from ember.torch.translate.table import Call, translates
from ember.torch.translate.values import (
    Indices,
    NotTranslatedError,
    Value,
    broadcast,
    is_one,
    same_sizes,
)


def at_places(
    call: Call, table: Value, dimension: int, places: Value, begin: int, rank: int
) -> Value:
    """The table's elements; its index in a dimension is what `places` has at `rank` indices, from
    `begin` on."""
    if places.dtype not in INDEX_TYPES:
        raise NotTranslatedError

    def at(indices: Indices) -> str:
        place = Place.of(places, indices[begin : begin + rank])
        return _read(table, [*indices[:dimension], place, *indices[dimension + rank :]])

    return call.shown(table, at, is_looked_up=True)


def _read(table: Value, indices: Indices) -> str:
    """The table's element at indices that others hold, which something has to be read at: nothing
    else checks them."""
    element = table.at(indices)
    if not re.search(r"\w\[", element):
        raise NotTranslatedError
    return element


@translates("aten::embedding")
def _embedding(call: Call) -> Value:
    table, places = call.value("weight"), call.value("indices")
    padding = call.fixed("padding_idx")
    options = call.arguments["scale_grad_by_freq"], call.arguments["sparse"]
    is_half = table.dtype not in SUM_TYPES
    if padding >= 0 or any(options) or is_half:
        if not table.name:
            raise NotTranslatedError
        if any(options) or is_half or not _is_only_padded(call, padding):
            at = call.arguments["indices"]
            call.statements.lookups.append(Lookup(call.node, at, table.name, (padding, *options)))
        else:
            call.statements.paddings[table.name] = padding
    return at_places(call, table, 0, places, 0, places.rank)


def _is_only_padded(call: Call, padding: int) -> bool:
    """Whether all that is read of a table is read by lookups with that padding: its row has no
    gradient then."""
    table = call.arguments["weight"]
    return isinstance(table, Node) and all(
        user.target is call.node.target
        and Call(user, call.statements, call.values).fixed("padding_idx") == padding
        for user in table.users
    )


@translates("aten::index_select")
def _index_select(call: Call) -> Value:
    table, places = call.seen(call.arguments["self"]), call.value("index")
    dimension = table.place(call.given("dim"))
    if places.rank != 1:
        raise NotTranslatedError
    return at_places(call, table, dimension, places, dimension, 1)


@dataclass(frozen=True)
class Places:
    """Indices of some of a tensor's dimensions, as `index` and `index_put` have them.

    of: by the dimension. first: where the dimensions that they have together stand among those of
    what is found: where the indexed ones stood, or in front of all others if these lie apart.
    shape: the sizes of these.
    """

    of: Mapping[int, Value]
    first: int
    shape: tuple[Any, ...]

    def sizes(self, table: Sequence[Any]) -> tuple[Any, ...]:
        """Those of what is found in a tensor of such sizes."""
        others = [size for dimension, size in enumerate(table) if dimension not in self.of]
        return (*others[: self.first], *self.shape, *others[self.first :])

    @property
    def _own(self) -> slice:
        return slice(self.first, self.first + len(self.shape))

    def own(self, indices: Sequence[Any]) -> Sequence[Any]:
        """Those of the indices of what is found that are of the places."""
        return indices[self._own]

    def among(self, found: Mapping[int, Any], indices: Indices) -> list[Any]:
        """A tensor's indices, of what is found by dimensions for `own`, and of the others."""
        everywhere = list(indices)
        del everywhere[self._own]
        for dimension in sorted(found):
            everywhere.insert(dimension, found[dimension])
        return everywhere


def places_of(call: Call) -> Places:
    """The places that an operator's indices are."""
    given: list[Value | None] = []
    has_masks = False
    for one in call.arguments["indices"]:
        value = None if one is None else call.value_of(one)
        if value is None or value.dtype is not torch.bool:
            given.append(value)
        elif call.dtype in INDEX_TYPES:
            # Chosen edges are indices of many others, which read them one after the other.
            raise NotTranslatedError
        else:
            has_masks = True
            given += call.statements.places_where(one, value, call.sizes[len(given)])
    of = {number: one for number, one in enumerate(given) if one is not None}
    if any(one.dtype not in INDEX_TYPES for one in of.values()):
        raise NotTranslatedError
    shape = torch.broadcast_shapes(*(one.sizes for one in of.values()))  # type: ignore[no-untyped-call]
    first, last = min(of), max(of)
    is_apart = last - first >= len(of)
    if has_masks and is_apart:
        # How many elements a mask has is not the result's size in that dimension.
        raise NotTranslatedError
    return Places(of, 0 if is_apart else first, tuple(shape))


def _from_the_beginning(call: Call, place: Value, size: Any) -> Value:
    """Constant places, of which those count that are counted from the end."""
    constant = call.statements.constants.get(place.name)
    if constant is None or not (constant < 0).any():
        return place
    return call.statements.constant(
        torch.where(constant < 0, constant + fixed_size(size), constant)
    )


def _selected(call: Call, mask: Any) -> Value:
    """The columns of a tensor where a mask holds: the result, and its size with it."""
    table, holds = call.seen(call.arguments["self"]), call.value_of(mask)
    if is_one(table.sizes[-1]) or not same_sizes(table.sizes[-1:], holds.sizes):
        raise NotTranslatedError
    call.statements.condition = lambda index: holds.at([index])
    # How many columns there are kernels tell PyTorch, which differentiates by places.
    call.statements.own_gradients.add(call.node)
    return replace(table, name="")


@translates("aten::index")
def _index(call: Call) -> Value:
    if call.node is call.statements.selecting:
        return _selected(call, call.arguments["indices"][-1])
    table = call.seen(call.arguments["self"])
    places = places_of(call)
    # With the sizes that the operator's result has.
    places = replace(places, shape=tuple(places.own(call.sizes)))
    shown = {}
    for dimension, one in places.of.items():
        counted = _from_the_beginning(call, one, table.sizes[dimension])
        shown[dimension] = Value(places.shape, one.dtype, broadcast(counted, places.shape))

    def at(indices: Indices) -> str:
        mine = places.own(indices)
        found = {dimension: Place.of(one, mine) for dimension, one in shown.items()}
        return _read(table, places.among(found, indices))

    return call.shown(table, at, is_looked_up=True)


@translates("aten::gather")
def _gather(call: Call) -> Value:
    table, places = call.seen(call.arguments["self"]), call.value("index")
    dimension = table.place(call.given("dim"))
    others = [number for number in range(table.rank) if number != dimension]
    # Where fewer are looked up than there are, variables would have two sizes.
    if not same_sizes([table.sizes[k] for k in others], [places.sizes[k] for k in others]):
        raise NotTranslatedError
    if places.dtype not in INDEX_TYPES:
        raise NotTranslatedError

    def at(indices: Indices) -> str:
        place = Place.of(places, indices)
        return _read(table, [*indices[:dimension], place, *indices[dimension + 1 :]])

    return call.shown(table, at, is_looked_up=True)


def _table(call: Call, name: str, form: RowFormat, length: int) -> Value:
    """The table (rows, length) that an argument has the rows of, in the type that it has there."""
    statements, argument = call.statements, call.arguments[name]
    if not is_of_bytes(form):
        table = call.value(name)
        if not table.name:
            raise NotTranslatedError
        statements.encodings[table.name] = form
        return table
    node, rows = statements.given.get(argument), tensor_of(argument)
    if node is None or rows is None:
        raise NotTranslatedError
    return statements.encoded(node, rows.shape[0], length, form)


@translates("ember::quantized_rows")
def _rows(call: Call) -> Value:
    form, places = format_of(call.given("encoding")), call.value("indices")
    table = _table(call, "rows", form, call.fixed("length"))
    found = at_places(call, table, 0, places, 0, places.rank)
    return call.statements.converted(found, torch.float32)
