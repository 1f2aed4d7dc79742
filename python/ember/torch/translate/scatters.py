"""Operators that add up, or otherwise combine, elements at places that other tensors hold.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch

from ember.torch.element_types import INDEX_TYPES
from ember.torch.graph.operations import is_tensor
from ember.torch.translate.lookups import places_of
from ember.torch.translate.table import Call, translates
from ember.torch.translate.values import (
    FIRST,
    Indices,
    NotTranslatedError,
    Value,
    broadcast,
    is_one,
    literal,
    same_sizes,
)

# PyTorch's names of reductions, with what statements call them, and what they begin with.
REDUCTIONS = {
    "amax": ("max", "(-inf)"),
    "amin": ("min", "inf"),
    "mean": ("sum", "0.0"),
    "prod": ("prod", "1.0"),
    "sum": ("sum", "0.0"),
}


@dataclass(frozen=True)
class _Scatter:
    """What is scattered: an element for each index of `sizes`, to some place of `onto`."""

    call: Call
    onto: Value
    sizes: tuple[Any, ...]
    place: Callable[[Indices], list[str]]
    element: Callable[[Indices], str]

    def combined(self, function: str, identity: str = "", purpose: str = "") -> Value:
        """The elements combined with what each place begins with: an identity, or what is there.

        purpose: what reports call it, if not by the function.
        """
        statements, dtype = self.call.statements, self.call.dtype
        target = statements.onto(self.onto)
        if target is None and not identity and self._may_change():
            target = self.onto
        if target is None:
            there = statements.converted(self.onto, dtype).at
            begin = (lambda _: identity) if identity else there
            target = statements.begun(self.onto.sizes, dtype, begin)
        node, sizes = self.call.node, self.sizes
        statements.combine(target, function, sizes, self.place, self.element, node, purpose)
        return target

    def _may_change(self) -> bool:
        """Whether what is there is the result of other scatters, which nothing else reads."""
        readers = filter(is_tensor, self.call.arguments["self"].users)
        is_alone = self.call.statements.is_begun(self.onto) and len(list(readers)) == 1
        return is_alone and self.onto.dtype == self.call.dtype

    def counts(self) -> Value:
        """How many elements come to each place: a tensor that is broadcast where all of a
        dimension have as many."""
        statements, dtype = self.call.statements, self.call.dtype
        names = [f"v{number}" for number in range(len(self.sizes))]
        place = self.place(names)
        told = [name for name in names if any(_names(name, one) for one in place if one != name)]
        # A dimension that no index is looked up by is one for all.
        kept = [any(_names(name, one) for name in told) or one not in names for one in place]
        sizes = tuple(
            size if stays else 1 for size, stays in zip(self.onto.sizes, kept, strict=True)
        )
        own = tuple(
            size if name in told else 1 for name, size in zip(names, self.sizes, strict=True)
        )
        target = statements.begun(sizes, dtype, lambda _: "0.0")
        node = self.call.node
        statements.combine(target, "sum", own, self.place, lambda _: "1.0", node, "count")
        return target


def _names(name: str, text: str) -> bool:
    return re.search(rf"\b{name}\b", text) is not None


def _elements(call: Call, name: str) -> Value:
    """What is scattered, of the result's type: PyTorch refuses others."""
    value, dtype = call.value(name), call.dtype
    if value.dtype is not dtype:
        raise NotTranslatedError(f"it combines {value.dtype} with {dtype}")
    return value


def _along_dimension(call: Call) -> _Scatter:
    """Elements of `src` whose index in one dimension `index` has."""
    onto, index, source = call.value("self"), call.value("index"), _elements(call, "src")
    dimension = onto.place(call.given("dim"))
    if not onto.rank:
        raise NotTranslatedError("it has one number, and no rows")
    _check_places(index, onto.sizes[dimension])
    others = [place for place in range(onto.rank) if place != dimension]
    # Where fewer are scattered than there are, variables would have two sizes.
    if not same_sizes([onto.sizes[k] for k in others], [index.sizes[k] for k in others]):
        raise NotTranslatedError(
            "its index is not as wide as its rows, which are combined in part then"
        )
    if not same_sizes(index.sizes, source.sizes):
        raise NotTranslatedError("there are not as many indices as elements")

    def place(indices: Indices) -> list[str]:
        return [*indices[:dimension], index.at(indices), *indices[dimension + 1 :]]

    return _Scatter(call, onto, index.sizes, place, source.at)


def _along_index(call: Call) -> _Scatter:
    """Parts of `source` to where `index` says, one for each of its places."""
    onto, index, source = call.value("self"), call.value("index"), _elements(call, "source")
    dimension = onto.place(call.given("dim"))
    if not onto.rank or index.rank != 1 or source.rank != onto.rank:
        raise NotTranslatedError("it has one number, and no rows")
    sizes = (*onto.sizes[:dimension], index.sizes[0], *onto.sizes[dimension + 1 :])
    _check_places(index, onto.sizes[dimension])
    if not same_sizes(source.sizes, sizes):
        raise NotTranslatedError("its rows are not known to be as long as those of the result")

    def place(indices: Indices) -> list[str]:
        return [*indices[:dimension], index.at([indices[dimension]]), *indices[dimension + 1 :]]

    return _Scatter(call, onto, sizes, place, source.at)


def _check_places(index: Value, size: Any) -> None:
    """Raises NotTranslatedError for places that statements do not scatter to."""
    if index.dtype not in INDEX_TYPES:
        raise NotTranslatedError(f"its index is {index.dtype}")
    if is_one(size):
        raise NotTranslatedError("there is one place for all")


@translates("aten::scatter_add")
def _scatter_add(call: Call) -> Value:
    return _along_dimension(call).combined("sum")


@translates("aten::scatter")
def _scatter(call: Call) -> Value:
    """Where it reduces: what comes last to a place that several elements come to, nothing says."""
    function = {"add": "sum", "multiply": "prod"}.get(call.arguments.get("reduce", ""))
    if function is None or "src" not in call.arguments:
        raise NotTranslatedError("it writes elements, and which comes last is not known")
    # PyTorch has no gradient of it.
    call.statements.own_gradients.add(call.node)
    return _along_dimension(call).combined(function)


@translates("aten::scatter_reduce")
def _scatter_reduce(call: Call) -> Value:
    return _reduced(call, _along_dimension(call))


@translates("aten::index_reduce")
def _index_reduce(call: Call) -> Value:
    return _reduced(call, _along_index(call))


def _reduced(call: Call, scatter: _Scatter) -> Value:
    """What is scattered, reduced as the operator is told, with what is there or without."""
    reduction = call.given("reduce")
    if not call.result.is_floating_point() or reduction not in REDUCTIONS:
        raise NotTranslatedError(f"there is no reduction {reduction} of {call.dtype}")
    takes_part = bool(call.given("include_self"))
    function, identity = REDUCTIONS[reduction]
    if function in ("max", "min", "prod"):
        call.statements.own_gradients.add(call.node)
    purpose = "mean" if reduction == "mean" else ""
    whole = scatter.combined(function, "" if takes_part else identity, purpose)
    if takes_part and reduction != "mean":
        return whole
    counts = scatter.counts()
    if takes_part:
        return call.elementwise([whole, counts], "({0} / ({1} + 1.0))".format)
    text = "({0} / {1} if {1} > 0 else {2})" if reduction == "mean" else "({0} if {1} > 0 else {2})"
    return call.elementwise([whole, counts, scatter.onto], text.format)


@translates("aten::index_add")
def _index_add(call: Call) -> Value:
    scatter, factor = _along_index(call), literal(call.given("alpha"))

    def element(indices: Indices) -> str:
        return f"({factor} * {scatter.element(indices)})"

    return (scatter if factor == "1" else replace(scatter, element=element)).combined("sum")


def _written_where(call: Call, onto: Value) -> Value:
    """A tensor with one element, or row, in the place of all where a mask holds."""
    (place, given), *others = [(k, one) for k, one in enumerate(call.arguments["indices"]) if one]
    mask, values = call.value_of(given), _elements(call, "values")
    behind = onto.rank - place - mask.rank
    is_row = values.rank <= behind or is_one(values.sizes[-behind - 1])
    if others or mask.dtype is not torch.bool or not is_row:
        raise NotTranslatedError("which of its elements comes where is not known")
    sizes = (*onto.sizes[:place], 1, *onto.sizes[onto.rank - behind :])
    element = broadcast(values, sizes)

    def at(indices: Indices) -> str:
        front, own = indices[:place], indices[place : place + mask.rank]
        new = element([*front, FIRST, *indices[place + mask.rank :]])
        return f"({new} if {mask.at(own)} else {onto.at(indices)})"

    return call.statements.let(call.sizes, call.dtype, at)


@translates("aten::index_put")
def _index_put(call: Call) -> Value:
    """Rows, or other parts, of `values` to the places that indices have."""
    onto = call.value("self")
    if not call.given("accumulate"):
        return _written_where(call, onto)
    places = places_of(call)
    if any(is_one(onto.sizes[dimension]) for dimension in places.of):
        raise NotTranslatedError
    sizes = places.sizes(onto.sizes)
    elements = {dimension: broadcast(one, places.shape) for dimension, one in places.of.items()}
    values = _elements(call, "values")
    if values.rank > len(sizes):
        raise NotTranslatedError

    def place(indices: Indices) -> list[str]:
        mine = places.own(indices)
        return places.among({at: element(mine) for at, element in elements.items()}, indices)

    return _Scatter(call, onto, sizes, place, broadcast(values, sizes)).combined("sum")
