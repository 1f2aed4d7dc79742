"""Operators that compute each element from those at the same place.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from dataclasses import replace

import torch
from torch.fx import Node

from ember.torch.translate.table import Call, translates
from ember.torch.translate.values import Indices, NotTranslatedError, Value, literal

# What is computed of one operand, by operators that are named so.
_UNARY = {
    "abs": "abs({0})",
    "ceil": "ceil({0})",
    "cos": "cos({0})",
    "erf": "erf({0})",
    "exp": "exp({0})",
    "exp2": "(2.0 ** {0})",
    "expm1": "expm1({0})",
    "floor": "floor({0})",
    "log": "log({0})",
    "log10": f"(log({{0}}) / {math.log(10)!r})",
    "log1p": "log1p({0})",
    "log2": f"(log({{0}}) / {math.log(2)!r})",
    "neg": "(-{0})",
    "reciprocal": "(1.0 / {0})",
    "relu": "(0.0 if {0} <= 0 else {0})",
    "round": "round({0})",
    "rsqrt": "(1.0 / sqrt({0}))",
    "sigmoid": "sigmoid({0})",
    "sign": "(1.0 if {0} > 0 else (-1.0 if {0} < 0 else 0.0))",
    "sin": "sin({0})",
    "sqrt": "sqrt({0})",
    "tanh": "tanh({0})",
    "trunc": "trunc({0})",
}
# Those of them that are steps.
_STEPS = frozenset(("ceil", "floor", "round", "sign", "trunc"))
_BINARY = {
    "copysign": "copysign({0}, {1})",
    "fmax": "({0} if {1} != {1} or {0} >= {1} else {1})",
    "fmin": "({0} if {1} != {1} or {0} <= {1} else {1})",
    "fmod": "fmod({0}, {1})",
    "maximum": "max({0}, {1})",
    "minimum": "min({0}, {1})",
    "remainder": "({0} % {1})",
}
# Functions of booleans.
_LOGICAL = {
    "and": "({0} and {1})",
    "not": "(not {0})",
    "or": "({0} or {1})",
    "xor": "({0} != {1})",
}
_COMPARISONS = {
    "eq": "==",
    "ge": ">=",
    "gt": ">",
    "le": "<=",
    "lt": "<",
    "ne": "!=",
}


def _enter_unary(name: str, text: str) -> None:
    @translates(f"aten::{name}")
    def _(call: Call) -> Value:
        if name in _STEPS:
            # Of integers they are floats, or as they were; decimals are for numbers that are read.
            if not call.result.is_floating_point() or call.arguments.get("decimals"):
                raise NotTranslatedError
            call.statements.own_gradients.add(call.node)
        return call.elementwise([call.value("self")], text.format)


def _enter_logical(name: str, text: str) -> None:
    @translates(f"aten::logical_{name}", f"aten::bitwise_{name}")
    def _(call: Call) -> Value:
        operands = [call.value(one) for one in ("self", "other") if one in call.arguments]
        if any(operand.dtype is not torch.bool for operand in operands):
            raise NotTranslatedError
        return call.elementwise(operands, text.format)


def _enter_binary(name: str, text: str) -> None:
    @translates(f"aten::{name}")
    def _(call: Call) -> Value:
        return call.elementwise([call.value("self"), call.value("other")], text.format)


def _enter_comparison(name: str, sign: str) -> None:
    @translates(f"aten::{name}")
    def _(call: Call) -> Value:
        operands = [call.value("self"), call.value("other")]
        kinds = {operand.dtype for operand in operands if operand.rank}
        if len(kinds) > 1:
            raise NotTranslatedError
        return call.statements.elementwise(
            call.sizes, torch.bool, operands, lambda x, y: f"({x} {sign} {y})"
        )


@translates("aten::mul")
def _mul(call: Call) -> Value:
    operands = [call.value("self"), call.value("other")]
    product = call.elementwise(operands, "({0} * {1})".format)
    # Rows with weights are multiplied where they are looked up, as the rows themselves are.
    return replace(product, is_looked_up=any(operand.is_looked_up for operand in operands))


for _name, _text in _UNARY.items():
    _enter_unary(_name, _text)
for _name, _text in _BINARY.items():
    _enter_binary(_name, _text)
for _name, _text in _LOGICAL.items():
    _enter_logical(_name, _text)
for _name, _sign in _COMPARISONS.items():
    _enter_comparison(_name, _sign)


def _enter_question(name: str, text: str) -> None:
    @translates(f"aten::{name}")
    def _(call: Call) -> Value:
        return call.statements.elementwise(
            call.sizes, torch.bool, [call.value("self")], text.format
        )


_enter_question("isinf", "(abs({0}) == inf)")
_enter_question("isnan", "({0} != {0})")


def _sum(call: Call, sign: str) -> Value:
    """One operand and a multiple of the other."""
    factor = literal(call.given("alpha"))
    scaled = "{1}" if factor == "1" else f"{factor} * {{1}}"
    return call.elementwise(
        [call.value("self"), call.value("other")], f"({{0}} {sign} {scaled})".format
    )


@translates("aten::add")
def _add(call: Call) -> Value:
    return _sum(call, "+")


@translates("aten::sub")
def _sub(call: Call) -> Value:
    return _sum(call, "-")


@translates("aten::rsub")
def _rsub(call: Call) -> Value:
    factor = literal(call.given("alpha"))
    return call.elementwise(
        [call.value("self"), call.value("other")], f"({{1}} - {factor} * {{0}})".format
    )


@translates("aten::div")
def _div(call: Call) -> Value:
    if call.arguments.get("rounding_mode") is not None:
        raise NotTranslatedError
    return call.elementwise([call.value("self"), call.value("other")], "({0} / {1})".format)


@translates("aten::hypot")
def _hypot(call: Call) -> Value:
    operands = [call.value("self"), call.value("other")]
    largest = call.elementwise(operands, "detach(max(abs({0}), abs({1})))".format)
    # Squares may be infinite, or 0, where the root of their sum is not.
    scale = call.elementwise([largest], "({0} if 0 < {0} and {0} < inf else 1.0)".format)
    text = "({2} * sqrt({0} / {2} * ({0} / {2}) + {1} / {2} * ({1} / {2})))"
    return call.elementwise([*operands, scale], text.format)


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


@translates("aten::leaky_relu")
def _leaky_relu(call: Call) -> Value:
    slope = literal(call.given("negative_slope"))
    return call.elementwise(
        [call.value("self")], f"({{0}} if {{0}} > 0 else {slope} * {{0}})".format
    )


@translates("aten::hardtanh")
def _hardtanh(call: Call) -> Value:
    least, most = (literal(call.given(name)) for name in ("min_val", "max_val"))
    text = f"({least} if {{0}} <= {least} else ({most} if {{0}} >= {most} else {{0}}))"
    return call.elementwise([call.value("self")], text.format)


@translates("aten::hardsigmoid")
def _hardsigmoid(call: Call) -> Value:
    text = "(0.0 if {0} <= -3 else (1.0 if {0} >= 3 else {0} / 6 + 0.5))"
    return call.elementwise([call.value("self")], text.format)


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
    condition, dtype = call.value("condition"), call.result.dtype
    operands = [call.statements.converted(call.value(name), dtype) for name in ("self", "other")]
    return call.statements.elementwise(
        call.sizes, dtype, [condition, *operands], "({1} if {0} else {2})".format
    )


@translates("aten::scalar_tensor", "aten::full", "aten::full_like")
def _full(call: Call) -> Value:
    name = "s" if "s" in call.arguments else "fill_value"
    text = literal(call.given(name))
    return Value(call.sizes, call.result.dtype, lambda _: text)


@translates("aten::empty", "aten::empty_permuted")
def _empty(call: Call) -> Value:
    """What nothing reads before it is written."""

    def at(_: Indices) -> str:
        raise NotTranslatedError("its elements are any", call.node)

    return Value(call.sizes, call.result.dtype, at)


@translates("aten::_to_copy")
def _to_copy(call: Call) -> Value:
    return call.elementwise([call.value("self")], "{0}".format)


@translates("aten::copy")
def _copy(call: Call) -> Value:
    return call.elementwise([call.value("src")], "{0}".format)


@translates("aten::alias", "aten::clone", "aten::detach", "aten::lift_fresh_copy")
def _same(call: Call) -> Value:
    return call.value("self")
