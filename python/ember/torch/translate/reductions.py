"""Operators that reduce dimensions.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch

from ember.torch.graph.operations import same_number
from ember.torch.translate.table import Call, translates
from ember.torch.translate.values import (
    FIRST,
    Indices,
    NotTranslatedError,
    Span,
    Value,
    is_one,
    known_number,
    literal,
)


def _dimensions(value: Value, given: Any) -> list[int]:
    """The dimensions that are reduced: those given, or all."""
    if given is None or given == [] or not value.rank:
        return list(range(value.rank))
    return sorted(value.place(one) for one in (given if isinstance(given, list) else [given]))


def _reduced(
    call: Call,
    value: Value,
    dimensions: Sequence[int],
    name: str,
    of_element: Callable[[str], str] = str,
    of_whole: Callable[[str], str] = str,
    stay: bool = False,
) -> Value:
    """The reduction `name` of a function of elements, and a function of the whole; stay: the
    dimensions do, with one element, whatever the operator is told."""
    is_kept, sizes = stay or bool(call.arguments.get("keepdim")), call.sizes
    if stay:
        sizes = tuple(1 if k in dimensions else size for k, size in enumerate(value.sizes))

    def text(kept: Indices) -> str:
        left = iter(kept)
        indices = []
        for place, size in enumerate(value.sizes):
            if place in dimensions:
                indices.append(FIRST if is_one(size) else f"r{place}")
                if is_kept:
                    next(left)
            else:
                indices.append(next(left))
        variables = {
            f"r{place}": value.sizes[place]
            for place in dimensions
            if not is_one(value.sizes[place])
        }
        return call.statements.reduction(
            name,
            variables,
            lambda at: of_element(value.at([at.get(index, index) for index in indices])),
        )

    return call.statements.reduced(sizes, call.dtype, lambda kept: of_whole(text(kept)))


def _operand(call: Call) -> Value:
    """What is reduced, in the type of the result."""
    return call.statements.converted(call.value("self"), call.dtype)


@translates("aten::sum")
def _sum(call: Call) -> Value:
    value = _operand(call)
    return _reduced(call, value, _dimensions(value, call.arguments.get("dim")), "sum")


def _at_end(call: Call, function: str, is_first: bool = False) -> Value:
    """A reduction, of which what it comes to at one end of a dimension is all that is read."""
    value = _operand(call)
    if not value.rank or call.number:
        raise NotTranslatedError
    dimension = value.place(call.given("dim"))
    size = value.sizes[dimension]

    def at(indices: Indices) -> str:
        place = indices[dimension]
        end = 1 if is_first else size
        if (
            not isinstance(place, Span)
            or place.inner != FIRST
            or not same_number(place.begin + 1, end)
        ):
            raise NotTranslatedError("all of its elements but one end are PyTorch's", call.node)
        call.statements.reduces = True
        return call.statements.reduction(
            function,
            {} if is_one(size) else {"r": size},
            lambda found: value.at(
                [*indices[:dimension], found.get("r", FIRST), *indices[dimension + 1 :]]
            ),
        )

    if function != "sum":
        call.statements.own_gradients.add(call.node)
    return Value(call.sizes, call.dtype, at, is_reduced=True)


_LAST = {"cummax": "max", "cummin": "min", "cumprod": "prod", "cumsum": "sum"}


@translates(*(f"aten::{name}" for name in _LAST))
def _last(call: Call) -> Value:
    return _at_end(call, _LAST[call.name.removeprefix("aten::")])


@translates("aten::sort")
def _sort(call: Call) -> Value:
    """The largest element alone: the least one of these is not that of PyTorch's minima, which are
    NaN where one element is."""
    return _at_end(call, "max", is_first=call.given("descending"))


@translates("aten::mean")
def _mean(call: Call) -> Value:
    value = _operand(call)
    dimensions = _dimensions(value, call.arguments.get("dim"))
    divisor = _count(call, [value.sizes[place] for place in dimensions])
    return _reduced(call, value, dimensions, "sum", of_whole=lambda whole: f"({whole} / {divisor})")


def _count(call: Call, sizes: Sequence[Any]) -> str:
    """How many elements are reduced, as a float; of one dimension, any number."""
    if len(sizes) == 1 and known_number(sizes[0]) is None:
        length = call.statements.length(sizes[0])
        if not length.isdigit():
            return call.statements.let((), call.dtype, lambda _: length).at([])
    return literal(float(math.prod(map(call.statements.number_of, sizes))))


_EXTREMES = {"amax": "max", "amin": "min", "max": "max", "min": "min"}


@translates(*(f"aten::{name}" for name in _EXTREMES))
def _extreme(call: Call) -> Value:
    """The largest or the least element; of none, PyTorch has an error."""
    # Where it is, no statement says.
    if call.number or "other" in call.arguments:
        raise NotTranslatedError
    value = _operand(call)
    dimensions = _dimensions(value, call.arguments.get("dim"))
    if any(known_number(value.sizes[place]) == 0 for place in dimensions):
        raise NotTranslatedError
    call.statements.own_gradients.add(call.node)
    return _reduced(call, value, dimensions, _EXTREMES[call.name.removeprefix("aten::")])


@translates("aten::all", "aten::any", "aten::prod")
def _of_all(call: Call) -> Value:
    value = call.value("self")
    if value.dtype != call.dtype:
        raise NotTranslatedError
    dimensions = _dimensions(value, call.arguments.get("dim"))
    if all(is_one(value.sizes[place]) for place in dimensions):
        # PyTorch's gradient reads what a kernel's does not.
        call.statements.own_gradients.add(call.node)
    return _reduced(call, value, dimensions, call.name.removeprefix("aten::"))


# The gradient of the root of nothing but zeros is 0.
_ROOT = "(0.0 if {0} == 0 else sqrt(1.0 if {0} == 0 else {0}))"


@translates("aten::std")
def _std(call: Call) -> Value:
    return call.elementwise([_var(call)], _ROOT.format)


@translates("aten::var")
def _var(call: Call) -> Value:
    value = _operand(call)
    correction = call.arguments.get("correction")
    dimensions = _dimensions(value, call.arguments.get("dim"))
    count = math.prod(call.statements.number_of(value.sizes[place]) for place in dimensions)
    divisor = count - (1 if correction is None else call.given("correction"))
    if divisor <= 0 or not call.arguments.get("unbiased", True):
        raise NotTranslatedError
    divided = f"({{}} / {literal(float(count))})".format
    mean = _reduced(call, value, dimensions, "sum", of_whole=divided, stay=True)
    squares = call.statements.elementwise(
        value.sizes, value.dtype, [value, mean], "(({0} - {1}) * ({0} - {1}))".format
    )
    scaled = literal(float(divisor))
    return _reduced(
        call, squares, dimensions, "sum", of_whole=lambda whole: f"({whole} / {scaled})"
    )


@translates("aten::std_mean", "aten::var_mean")
def _with_mean(call: Call) -> Value:
    if call.number:
        return _mean(call)
    return _std(call) if call.name == "aten::std_mean" else _var(call)


@translates("aten::linalg_vector_norm")
def _norm(call: Call) -> Value:
    return norm(call, _operand(call))


def norm(call: Call, value: Value) -> Value:
    """That of a value's rows, as the operator's arguments say."""
    order = call.given("ord")
    dimensions = _dimensions(value, call.arguments["dim"])
    if order == 1:
        return _reduced(call, value, dimensions, "sum", lambda x: f"abs({x})")
    if order == 2:
        squares = _reduced(call, value, dimensions, "sum", lambda x: f"({x} * {x})")
        return call.elementwise([squares], _ROOT.format)
    if 1 < order < math.inf:
        powers = _reduced(
            call, value, dimensions, "sum", lambda x: f"(abs({x}) ** {literal(float(order))})"
        )
        root = f"(0.0 if {{0}} == 0 else (1.0 if {{0}} == 0 else {{0}}) ** {1 / order!r})"
        return call.elementwise([powers], root.format)
    if order == math.inf:
        call.statements.own_gradients.add(call.node)
        return _reduced(call, value, dimensions, "max", lambda x: f"abs({x})")
    raise NotTranslatedError


@translates("aten::_softmax", "aten::_log_softmax")
def _softmax(call: Call) -> Value:
    value = call.value("self")
    dimensions = _dimensions(value, call.given("dim"))
    if value.dtype != call.dtype or value.dtype is torch.bool:
        raise NotTranslatedError
    largest = _reduced(call, value, dimensions, "max", stay=True)
    powers = call.elementwise([value, largest], "exp({0} - {1})".format)
    total = _reduced(call, powers, dimensions, "sum", stay=True)
    if call.name == "aten::_softmax":
        return call.elementwise([powers, total], "({0} / {1})".format)
    return call.elementwise([value, largest, total], "({0} - {1} - log({2}))".format)
