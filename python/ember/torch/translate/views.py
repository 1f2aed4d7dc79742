"""Operators that show a tensor's elements at other indices.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from torch import Tensor
from torch.fx import Node

from ember.torch.graph.operations import is_name_of_view, name_in_schema, same_number, tensor_of
from ember.torch.translate.order import Place, reordered
from ember.torch.translate.pieces import behind_another
from ember.torch.translate.table import Call, translates
from ember.torch.translate.values import (
    FIRST,
    Indices,
    Joined,
    NotTranslatedError,
    Span,
    Value,
    broadcast,
    is_one,
    same_sizes,
)


def _with_places(call: Call, value: Value, places: Sequence[int | None]) -> Value:
    """Each of the value's dimensions is that one of the result, or has one index."""

    def at(indices: Indices) -> str:
        return value.at([FIRST if place is None else indices[place] for place in places])

    return call.shown(value, at)


@translates("aten::view", "aten::_unsafe_view", "aten::reshape", "aten::squeeze", "aten::unsqueeze")
def _reshaped(call: Call) -> Value:
    """The same elements in the same order."""
    value = call.seen(call.arguments["self"])
    # Errors name places of the view, which is free. Behind other indices, those that are out of
    # bounds would be of the next row.
    most = 0 if _is_given(call.node) else 1

    def at(indices: Indices) -> str:
        found = reordered(call.statements, indices, call.sizes, value.sizes)
        if any(_parts_before_places(one) >= most for one in found):
            raise NotTranslatedError(operator=call.node)
        return value.at(found)

    reordered(call.statements, [""] * len(call.sizes), call.sizes, value.sizes)
    return call.shown(value, at)


def _is_given(node: Node) -> bool:
    """Whether a node is a view of what statements are given, or that itself."""
    if node.op == "placeholder":
        return True
    source = node.args[0] if is_name_of_view(name_in_schema(node)) else None
    return isinstance(source, Node) and _is_given(source)


def _parts_before_places(index: str) -> int:
    """How many indices stand before the last place that is counted together with others; -1 where
    there is none."""
    parts = index.parts if isinstance(index, Joined) else ()
    return max((k for k, (one, _) in enumerate(parts) if isinstance(one, Place)), default=-1)


def _refuse_places(call: Call, index: str) -> None:
    """Leaves a view to PyTorch that is looked up in, and of which what it shows has more: places
    that are out of its bounds would be within those of the tensor."""
    if isinstance(index, Place):
        raise NotTranslatedError(operator=call.node)


@translates("aten::permute")
def _permute(call: Call) -> Value:
    value = call.seen(call.arguments["self"])
    order = [value.place(one) for one in call.given("dims")]
    return _with_places(call, value, [order.index(place) for place in range(value.rank)])


@translates("aten::transpose", "aten::t")
def _transpose(call: Call) -> Value:
    value = call.seen(call.arguments["self"])
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
    value = call.seen(call.arguments["self"])
    shown, skipped = broadcast(value, call.sizes), len(call.sizes) - value.rank

    def at(indices: Indices) -> str:
        for place, index in enumerate(indices):
            if place < skipped or not same_number(value.sizes[place - skipped], call.sizes[place]):
                _refuse_places(call, index)
        return shown(indices)

    return call.shown(value, at)


@translates("aten::select")
def _select(call: Call) -> Value:
    value = call.seen(call.arguments["self"])
    dimension, index = value.place(call.given("dim")), call.given("index")
    size = value.sizes[dimension]

    def place() -> Span:
        if index >= 0:
            return Span.of(FIRST, index, 1)
        length = call.statements.length(size)
        if not length.isdecimal():
            return Span.of(FIRST, size + index, 1, f"({length} - {-index})")
        if int(length) + index < 0:
            raise NotTranslatedError
        return Span.of(FIRST, int(length) + index, 1)

    def at(indices: Indices) -> str:
        return value.at([*indices[:dimension], place(), *indices[dimension:]])

    return call.shown(value, at)


@translates("aten::as_strided")
def _as_strided(call: Call) -> Value:
    """The same tensor, whose dimensions of one element have other strides."""
    value, given = call.seen(call.arguments["self"]), tensor_of(call.arguments["self"])
    is_same = given is not None and tuple(given.shape) == call.sizes
    if not is_same or _strides(given) != _strides(call.result) or call.given("storage_offset"):
        raise NotTranslatedError
    return value


def _strides(tensor: Tensor | None) -> list[Any]:
    """Those of dimensions with several elements."""
    if tensor is None:
        return []
    return [step for size, step in zip(tensor.shape, tensor.stride(), strict=True) if size != 1]


@translates("aten::diagonal")
def _diagonal(call: Call) -> Value:
    """Elements whose indices in two dimensions, which are as long, are the same."""
    value = call.seen(call.arguments["self"])
    one, other = (value.place(call.given(name)) for name in ("dim1", "dim2"))
    if call.given("offset") or not same_sizes(value.sizes[one : one + 1], [value.sizes[other]]):
        raise NotTranslatedError

    def at(indices: Indices) -> str:
        *others, index = indices
        _refuse_places(call, index)
        for dimension in sorted((one, other)):
            others.insert(dimension, index)
        return value.at(others)

    return call.shown(value, at)


@translates("aten::slice")
def _slice(call: Call) -> Value:
    """Elements from one on to another one."""
    value = call.seen(call.arguments["self"])
    dimension = value.place(call.given("dim"))
    begin, end, step = (call.given(name) for name in ("start", "end", "step"))
    size = value.sizes[dimension]
    is_whole = end is None or end >= 2**62 or same_number(end, size)
    if not begin and is_whole and step == 1:
        return value
    begin = begin or 0
    if begin < 0:
        begin = max(begin + call.statements.number_of(size), 0)
    return _some(call, value, dimension, begin, step, is_behind=is_whole and step == 1)


@translates("aten::split_with_sizes")
def _split(call: Call) -> Value:
    """One of the parts that a tensor is split into."""
    value = call.seen(call.arguments["self"])
    begin = sum(call.given("split_sizes")[: call.number])
    return _some(call, value, value.place(call.given("dim")), begin)


def _some(
    call: Call, value: Value, dimension: int, begin: int, step: int = 1, is_behind: bool = False
) -> Value:
    """Elements in steps from one on; is_behind: all of those."""
    if not is_behind and not is_one(call.sizes[dimension]):
        # Nothing but a range says how many elements there are.
        call.statements.number_of(call.sizes[dimension])
        call.statements.are_ranged = True

    def at(indices: Indices) -> str:
        index = indices[dimension]
        _refuse_places(call, index)
        place = f"({index} * {step} + {begin})"
        if step == 1 or index == FIRST:
            place = Span.of(index, begin, call.sizes[dimension])
        return value.at([*indices[:dimension], place, *indices[dimension + 1 :]])

    return call.shown(value, at)


@translates("aten::flip")
def _flip(call: Call) -> Value:
    value = call.seen(call.arguments["self"])
    flipped = {
        value.place(one): call.statements.number_of(value.sizes[value.place(one)]) - 1
        for one in call.given("dims")
        # A number has no dimension, but one that may be named.
        if value.sizes
    }

    def at(indices: Indices) -> str:
        for place in flipped:
            _refuse_places(call, indices[place])
        return value.at(
            [
                f"({flipped[place]} - {index})" if place in flipped else index
                for place, index in enumerate(indices)
            ]
        )

    return call.shown(value, at)


@translates("aten::repeat")
def _repeat(call: Call) -> Value:
    """A tensor several times, one behind the other."""
    value = call.seen(call.arguments["self"])
    skipped = len(call.sizes) - value.rank
    # Nothing but a range says how many elements there are.
    repeated = {
        place: call.statements.number_of(size)
        for place, size in enumerate(value.sizes)
        if not same_number(size, call.sizes[place + skipped])
    }

    def at(indices: Indices) -> str:
        own = indices[skipped:]
        for index in (*indices[:skipped], *(own[place] for place in repeated)):
            _refuse_places(call, index)
        return value.at(
            [
                FIRST
                if is_one(size)
                else f"({index} % {repeated[place]})"
                if place in repeated
                else index
                for place, (index, size) in enumerate(zip(own, value.sizes, strict=True))
            ]
        )

    return call.shown(value, at)


@translates("aten::cat")
def _cat(call: Call) -> Value:
    """Tensors one behind another: statements are of one of them each."""
    parts = [call.seen(one) for one in call.arguments["tensors"]]
    if any(part.rank != len(call.sizes) or part.dtype != call.dtype for part in parts):
        raise NotTranslatedError
    if len(parts) == 1:
        return parts[0]
    dimension = parts[0].place(call.given("dim"))
    whole = behind_another(parts, dimension, call.sizes, call.node)
    if not any(part.is_reduced for part in parts):
        return whole
    stored = call.statements.stored

    def kept() -> Value:
        return behind_another(list(map(stored, parts)), dimension, call.sizes, call.node)

    return replace(whole, is_reduced=True, kept=kept)
