"""Operators that compute each element from those at the same place.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import torch

from ember.torch.translate.table import Call, translates
from ember.torch.translate.values import NotTranslatedError, Value, literal

# What is computed of one operand, by operators that are named so.
_UNARY = {
    "abs": "abs({0})",
    "cos": "cos({0})",
    "exp": "exp({0})",
    "exp2": "(2.0 ** {0})",
    "log": "log({0})",
    "neg": "(-{0})",
    "reciprocal": "(1.0 / {0})",
    "relu": "(0.0 if {0} <= 0 else {0})",
    "rsqrt": "(1.0 / sqrt({0}))",
    "sigmoid": "sigmoid({0})",
    "sin": "sin({0})",
    "sqrt": "sqrt({0})",
    "tanh": "tanh({0})",
}
_BINARY = {
    "maximum": "max({0}, {1})",
    "minimum": "min({0}, {1})",
    "mul": "({0} * {1})",
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
        return call.elementwise([call.value("self")], text.format)


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


for _name, _text in _UNARY.items():
    _enter_unary(_name, _text)
for _name, _text in _BINARY.items():
    _enter_binary(_name, _text)
for _name, _sign in _COMPARISONS.items():
    _enter_comparison(_name, _sign)


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


@translates("aten::pow")
def _pow(call: Call) -> Value:
    exponent = call.given("exponent")
    if exponent == 2:
        return call.elementwise([call.value("self")], "({0} * {0})".format)
    if exponent == 0.5:
        return call.elementwise([call.value("self")], "sqrt({0})".format)
    return call.elementwise([call.value("self")], f"({{0}} ** {literal(exponent)})".format)


@translates("aten::clamp", "aten::clamp_min", "aten::clamp_max")
def _clamp(call: Call) -> Value:
    value = call.value("self")
    # At a bound, the gradient is that of what is clamped; NaN stays.
    for name, sign in (("min", "<"), ("max", ">")):
        if call.arguments.get(name) is not None:
            text = f"({{1}} if {{0}} {sign} {{1}} else {{0}})"
            value = call.elementwise([value, call.value(name)], text.format)
    return value


@translates("aten::leaky_relu")
def _leaky_relu(call: Call) -> Value:
    slope = literal(call.given("negative_slope"))
    return call.elementwise(
        [call.value("self")], f"({{0}} if {{0}} > 0 else {slope} * {{0}})".format
    )


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


@translates("aten::_to_copy")
def _to_copy(call: Call) -> Value:
    return call.elementwise([call.value("self")], "{0}".format)


@translates("aten::alias", "aten::clone", "aten::detach", "aten::lift_fresh_copy")
def _same(call: Call) -> Value:
    return call.value("self")
