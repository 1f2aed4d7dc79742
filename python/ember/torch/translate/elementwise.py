"""Operators that compute each element from those at the same place.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from string import Formatter

import torch
from torch.fx import Node

from ember.torch.translate.table import Call, translates
from ember.torch.translate.values import Indices, NotTranslatedError, Value, literal

# What operators that are called so compute of their operands, {0} and {1}, and of other arguments.
_TEXTS = {
    "_to_copy": "{0}",
    "abs": "abs({0})",
    "copysign": "copysign({0}, {1})",
    "cos": "cos({0})",
    "erf": "erf({0})",
    "exp": "exp({0})",
    "exp2": "(2.0 ** {0})",
    "expm1": "expm1({0})",
    "fmax": "({0} if {1} != {1} or {0} >= {1} else {1})",
    "fmin": "({0} if {1} != {1} or {0} <= {1} else {1})",
    "fmod": "fmod({0}, {1})",
    "hardsigmoid": "(0.0 if {0} <= -3 else (1.0 if {0} >= 3 else {0} / 6 + 0.5))",
    "hardtanh": ("({min_val} if {0} <= {min_val} else ({max_val} if {0} >= {max_val} else {0}))"),
    "leaky_relu": "({0} if {0} > 0 else {negative_slope} * {0})",
    "log": "log({0})",
    "log10": f"(log({{0}}) / {math.log(10)!r})",
    "log1p": "log1p({0})",
    "log2": f"(log({{0}}) / {math.log(2)!r})",
    "maximum": "max({0}, {1})",
    "minimum": "min({0}, {1})",
    "neg": "(-{0})",
    "reciprocal": "(1.0 / {0})",
    "relu": "(0.0 if {0} <= 0 else {0})",
    "remainder": "({0} % {1})",
    "rsqrt": "(1.0 / sqrt({0}))",
    "rsub": "({1} - {alpha} * {0})",
    "sigmoid": "sigmoid({0})",
    "sin": "sin({0})",
    "sqrt": "sqrt({0})",
    "tanh": "tanh({0})",
}
# The same of steps.
_STEPS = {
    "ceil": "ceil({0})",
    "floor": "floor({0})",
    "round": "round({0})",
    "sign": "(1.0 if {0} > 0 else (-1.0 if {0} < 0 else 0.0))",
    "trunc": "trunc({0})",
}
# Of booleans, and of what is compared.
_LOGICAL = {
    "and": "({0} and {1})",
    "not": "(not {0})",
    "or": "({0} or {1})",
    "xor": "({0} != {1})",
}
_COMPARISONS = {
    "eq": "({0} == {1})",
    "ge": "({0} >= {1})",
    "gt": "({0} > {1})",
    "isinf": "(abs({0}) == inf)",
    "isnan": "({0} != {0})",
    "le": "({0} <= {1})",
    "lt": "({0} < {1})",
    "ne": "({0} != {1})",
}


def _enters(
    table: Mapping[str, str], *prefixes: str
) -> Callable[[Callable[[Call, list[Value], str], Value]], None]:
    """Enters a function of a call, its operands and its text for all operators of a table."""

    def enter(function: Callable[[Call, list[Value], str], Value]) -> None:
        for name, text in table.items():

            def entry(call: Call, text: str = text) -> Value:
                operands = [call.value(one) for one in ("self", "other") if one in call.arguments]
                return function(call, operands, text)

            translates(*(f"aten::{prefix}{name}" for prefix in prefixes or ("",)))(entry)

    return enter


@_enters(_TEXTS)
def _computed(call: Call, operands: list[Value], text: str) -> Value:
    fields = {field for _, field, *_ in Formatter().parse(text) if field and field.isidentifier()}
    given = {name: literal(call.given(name)) for name in fields}
    return call.elementwise(operands, partial(text.format, **given))


@_enters(_STEPS)
def _step(call: Call, operands: list[Value], text: str) -> Value:
    # Of integers they are floats, or as they were; decimals are for numbers that are read.
    if not call.result.is_floating_point() or call.arguments.get("decimals"):
        raise NotTranslatedError
    call.statements.own_gradients.add(call.node)
    return call.elementwise(operands, text.format)


@_enters(_LOGICAL, "logical_", "bitwise_")
def _logical(call: Call, operands: list[Value], text: str) -> Value:
    if any(operand.dtype is not torch.bool for operand in operands):
        raise NotTranslatedError
    return call.elementwise(operands, text.format)


@_enters(_COMPARISONS)
def _compared(call: Call, operands: list[Value], text: str) -> Value:
    if len({operand.dtype for operand in operands if operand.rank}) > 1:
        raise NotTranslatedError
    return call.statements.elementwise(call.sizes, torch.bool, operands, text.format)


@translates("aten::mul")
def _mul(call: Call) -> Value:
    operands = [call.value("self"), call.value("other")]
    product = call.elementwise(operands, "({0} * {1})".format)
    # Rows with weights are multiplied where they are looked up, as the rows themselves are.
    return replace(product, is_looked_up=any(operand.is_looked_up for operand in operands))


@translates("aten::add", "aten::sub")
def _sum(call: Call) -> Value:
    """One operand and a multiple of the other."""
    factor, sign = literal(call.given("alpha")), "+" if call.name == "aten::add" else "-"
    scaled = "{1}" if factor == "1" else f"{factor} * {{1}}"
    return call.elementwise(
        [call.value("self"), call.value("other")], f"({{0}} {sign} {scaled})".format
    )


@translates("aten::div")
def _div(call: Call) -> Value:
    if call.arguments.get("rounding_mode") is not None:
        raise NotTranslatedError
    return call.elementwise([call.value("self"), call.value("other")], "({0} / {1})".format)


@translates("aten::hypot")
def _hypot(call: Call) -> Value:
    return hypot(call.elementwise, call.value("self"), call.value("other"))


def hypot(compute: Callable[..., Value], one: Value, other: Value) -> Value:
    """The root of the sum of two squares; compute: makes a function of elements."""
    largest = compute([one, other], "detach(max(abs({0}), abs({1})))".format)
    # Squares may be infinite, or 0, where the root of their sum is not.
    scale = compute([largest], "({0} if 0 < {0} and {0} < inf else 1.0)".format)
    text = "({2} * sqrt({0} / {2} * ({0} / {2}) + {1} / {2} * ({1} / {2})))"
    return compute([one, other, scale], text.format)


@translates("aten::pow")
def _pow(call: Call) -> Value:
    if not isinstance(call.arguments["self"], Node):
        return _power_of_number(call)
    exponent = call.given("exponent")
    if exponent == 2:
        return call.elementwise([call.value("self")], "({0} * {0})".format)
    if exponent == 0.5:
        return call.elementwise([call.value("self")], "sqrt({0})".format)
    return call.elementwise([call.value("self")], f"({{0}} ** {literal(exponent)})".format)


def _power_of_number(call: Call) -> Value:
    base = call.given("self")
    # Others have gradients of their own where a power is 0.
    if not base > 0:
        raise NotTranslatedError
    return call.elementwise([call.value("exponent")], f"({literal(float(base))} ** {{0}})".format)


@translates("aten::clamp", "aten::clamp_min", "aten::clamp_max")
def _clamp(call: Call) -> Value:
    value = call.value("self")
    # At a bound, the gradient is that of what is clamped; NaN of either stays, and has none.
    for name, sign in (("min", "<"), ("max", ">")):
        if call.arguments.get(name) is not None:
            outside = f"({{1}} if {{0}} {sign} {{1}} else detach({{0}} + {{1}}))"
            text = f"({{0}} if {{1}} {sign}= {{0}} else {outside})"
            value = call.elementwise([value, call.value(name)], text.format)
    return value


@translates("aten::hardswish")
def _hardswish(call: Call) -> Value:
    value = call.value("self")
    # A slope of what is not chosen may be infinite, and 0 times that is no number.
    steepness = call.elementwise(
        [value], "(0.0 if {0} <= -3 else (6.0 if {0} >= 3 else {0} + 3))".format
    )
    return call.elementwise([value, steepness], "({0} * {1} / 6)".format)


@translates("aten::elu", "aten::celu")
def _elu(call: Call) -> Value:
    value = call.value("self")
    alpha = call.given("alpha")
    scale = call.arguments.get("scale", 1.0)
    inner = call.arguments.get("input_scale", 1 / alpha)
    # What is not chosen must not be infinite: 0 times that is its gradient.
    below = call.elementwise([value], f"(0.0 if {{0}} > 0 else {{0}} * {literal(inner)})".format)
    power = call.elementwise([below], "expm1({0})".format)
    text = f"({{0}} * {literal(scale)} if {{0}} > 0 else {literal(alpha * scale)} * {{1}})"
    return call.elementwise([value, power], text.format)


def _softplus_of(call: Call, value: Value, beta: float, threshold: float) -> Value:
    is_linear = f"{{0}} * {literal(beta)} > {literal(threshold)}"
    below = call.elementwise([value], f"(0.0 if {is_linear} else {{0}} * {literal(beta)})".format)
    power = call.elementwise([below], "exp({0})".format)
    text = f"({{0}} if {is_linear} else log1p({{1}}) / {literal(beta)})"
    return call.elementwise([value, power], text.format)


@translates("aten::softplus")
def _softplus(call: Call) -> Value:
    return _softplus_of(call, call.value("self"), call.given("beta"), call.given("threshold"))


@translates("aten::mish")
def _mish(call: Call) -> Value:
    value = call.value("self")
    return call.elementwise([value, _softplus_of(call, value, 1, 20)], "({0} * tanh({1}))".format)


@translates("aten::gelu")
def _gelu(call: Call) -> Value:
    if call.given("approximate") == "tanh":
        inner = f"{{0}} * {math.sqrt(2 / math.pi)!r} * (1 + 0.044715 * {{0}} * {{0}})"
        normal = f"tanh({inner})"
    else:
        normal = f"erf({{0}} * {math.sqrt(0.5)!r})"
    return call.elementwise([call.value("self")], f"(0.5 * {{0}} * (1 + {normal}))".format)


@translates("aten::where")
def _where(call: Call) -> Value:
    condition, dtype = call.value("condition"), call.dtype
    operands = [call.statements.converted(call.value(name), dtype) for name in ("self", "other")]
    return call.statements.elementwise(
        call.sizes, dtype, [condition, *operands], "({1} if {0} else {2})".format
    )


@translates("aten::scalar_tensor", "aten::full", "aten::full_like")
def _full(call: Call) -> Value:
    name = "s" if "s" in call.arguments else "fill_value"
    text = literal(call.given(name))
    return Value(call.sizes, call.dtype, lambda _: text)


@translates("aten::empty", "aten::empty_permuted")
def _empty(call: Call) -> Value:
    """What nothing reads before it is written."""

    def at(_: Indices) -> str:
        raise NotTranslatedError("its elements are any", call.node)

    return Value(call.sizes, call.dtype, at)


@translates("aten::copy")
def _copy(call: Call) -> Value:
    return call.elementwise([call.value("src")], "{0}".format)


@translates("aten::alias", "aten::clone", "aten::detach", "aten::lift_fresh_copy")
def _same(call: Call) -> Value:
    return call.value("self")
