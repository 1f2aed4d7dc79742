"""Expressions of Python's functions of numbers as operations.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ember.sparse.function_source import Source
from ember.sparse.function_types import FLOAT, INTEGER, is_float, promoted, spelled

_ARITHMETIC = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Mod: "mod",
    ast.FloorDiv: "floordiv",
}
_BITS = {
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "shl",
    ast.RShift: "shr",
}
_COMPARISONS = {
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
}
#: Functions of one float, by what they are.
_OF_FLOATS: dict[Any, str] = {
    one: name
    for name in ("sqrt", "exp", "expm1", "log", "log1p", "sin", "cos", "tanh")
    for one in (getattr(math, name), getattr(np, name))
} | {
    math.erf: "erf",
    np.floor: "floor",
    np.ceil: "ceil",
    np.trunc: "trunc",
    np.rint: "round",
}
_TO_INTEGERS: dict[Any, str] = {
    math.floor: "floor",
    math.ceil: "ceil",
    math.trunc: "trunc",
    round: "round",
}
#: Functions of two floats.
_OF_TWO_FLOATS: dict[Any, str] = {
    math.pow: "pow",
    np.power: "pow",
    math.copysign: "copysign",
    np.copysign: "copysign",
}
_ABSOLUTE = (abs, math.fabs, np.abs, np.fabs)
_CHOICES: dict[Any, str] = {min: "min", max: "max", np.minimum: "min", np.maximum: "max"}
_CONVERSIONS: dict[Any, str] = {int: "i64", float: "f64", bool: "i1"}
#: The longest chain of multiplications that a power of an integer becomes.
_MOST_POWER = 16


@dataclass(frozen=True)
class Value:
    """A value of the body: its name, or a number that takes the type of what it meets."""

    type: str
    name: str = ""
    number: float | int = 0


@dataclass
class Body:
    """A function's body as operations, and the type of what it returns."""

    lines: list[str]
    result: str


class Expressions:
    """Translates expressions of one definition for operands of given types.

    callee: the symbol and the types of another function for operands of some types.
    """

    def __init__(
        self,
        source: Source,
        operands: Mapping[str, str],
        callee: Callable[[Any, Sequence[str]], tuple[str, Sequence[str], str] | None],
    ) -> None:
        self._source = source
        self._operands = dict(operands)
        self._callee = callee
        self._locals: dict[str, str] = {}
        self._lines: list[str] = []
        self._count = 0
        self._changed = False
        self._result: str | None = None

    # Operations.

    def _emit_line(self, line: str) -> None:
        self._lines.append(line)

    def _fresh(self) -> str:
        self._count += 1
        # Not a name of an operand.
        return f"%.{self._count}"

    def _emit(self, text: str, type: str) -> Value:
        value = Value(type, self._fresh())
        self._emit_line(f"{value.name} = {text}")
        return value

    def _number(self, number: float | int, type: str) -> Value:
        return self._typed(Value(INTEGER, "", number), type)

    def _call(self, function: str, operands: Sequence[Value], type: str) -> Value:
        names = ", ".join(one.name for one in operands)
        types = ", ".join(one.type for one in operands)
        return self._emit(f"cin.call {function}({names}) : ({types}) -> {type}", type)

    def _default(self, type: str) -> str:
        """The type of a number that meets nothing."""
        floats = [one for one in self._operands.values() if is_float(one)]
        if type == FLOAT:
            return max(floats, default="f64")
        return "i64" if type == INTEGER else type

    def _typed(self, value: Value, type: str | None = None) -> Value:
        """A value of a type, or of its own."""
        if type is None or type in (INTEGER, FLOAT):
            type = self._default(value.type)
        if not value.name:
            return self._emit(f"arith.constant {spelled(value.number, type)}", type)
        return value if value.type == type else self._call("convert", [value], type)

    def _together(self, values: Sequence[Value], least: str | None = None) -> list[Value]:
        """Values in the type in which they meet."""
        type = values[0].type
        for value in values[1:]:
            type = promoted(type, value.type)
        type = self._default(type)
        if least:
            type = promoted(type, least)
        return [self._typed(value, type) for value in values]

    def _truth(self, node: ast.expr, names: dict[str, Value]) -> Value:
        value = self._typed(self._expression(node, names))
        if value.type != "i1":
            self._source.fail(node, "a condition is a boolean: compare a number with 0")
        return value

    def _choose(
        self, condition: Value, branches: Sequence[Callable[[], list[Value]]], types: Sequence[str]
    ) -> list[Value]:
        """What one of two branches gives."""
        pack = self._fresh()
        made = f"{pack}:{len(types)} = " if types else ""
        arrow = f" -> ({', '.join(types)})" if types else ""
        self._emit_line(f"{made}scf.if {condition.name}{arrow} {{")
        for number, branch in enumerate(branches):
            if number:
                self._emit_line("} else {")
            values = branch()
            if types:
                given = [
                    self._typed(value, type) for value, type in zip(values, types, strict=True)
                ]
                self._emit_line(
                    f"scf.yield {', '.join(one.name for one in given)} : {', '.join(types)}"
                )
        self._emit_line("}")
        return [Value(type, f"{pack}#{number}") for number, type in enumerate(types)]

    # Expressions.

    def _read(self, node: ast.expr, names: dict[str, Value]) -> Value:
        if isinstance(node, ast.Name) and node.id in names:
            return names[node.id]
        if isinstance(node, ast.Name) and node.id in (*self._locals, *self._operands):
            self._source.fail(node, f"'{node.id}' has no value on every path to here")
        return self._constant(node, self._source.find(node))

    def _constant(self, node: ast.expr, number: Any) -> Value:
        if isinstance(number, np.generic):
            number = number.item()
        if isinstance(number, bool):
            return self._emit(f"arith.constant {spelled(number, 'i1')}", "i1")
        if isinstance(number, int | float):
            if isinstance(number, int) and not -(2**63) <= number < 2**63:
                self._source.fail(node, f"{number} does not fit in 64 bits")
            return Value(INTEGER if isinstance(number, int) else FLOAT, "", number)
        self._source.fail(node, f"'{ast.unparse(node)}' is no number and no local of the function")

    def _expression(self, node: ast.expr, names: dict[str, Value]) -> Value:
        match node:
            case ast.Constant():
                return self._constant(node, node.value)
            case ast.Name() | ast.Attribute():
                return self._read(node, names)
            case ast.BinOp():
                left = self._expression(node.left, names)
                right = self._expression(node.right, names)
                return self._binary(node, node.op, left, right)
            case ast.UnaryOp():
                return self._unary(node, names)
            case ast.BoolOp():
                return self._logical(node, names)
            case ast.Compare():
                return self._compare(node, names)
            case ast.IfExp():
                return self._conditional(node, names)
            case ast.Call():
                return self._called(node, names)
        self._source.fail(node, f"'{ast.unparse(node)}' is no part of what functions can compute")

    def _unary(self, node: ast.UnaryOp, names: dict[str, Value]) -> Value:
        if isinstance(node.op, ast.Not):
            return self._call("not", [self._truth(node.operand, names)], "i1")
        value = self._expression(node.operand, names)
        if not value.name and not isinstance(node.op, ast.Invert):
            sign = -1 if isinstance(node.op, ast.USub) else 1
            return Value(value.type, "", sign * value.number)
        value = self._typed(value)
        if isinstance(node.op, ast.Invert):
            if is_float(value.type):
                self._source.fail(node, f"'~' is of integers, not of {value.type}")
            return self._call("not", [value], value.type)
        value = self._counted(value)
        return value if isinstance(node.op, ast.UAdd) else self._call("neg", [value], value.type)

    def _binary(self, node: ast.AST, operator: ast.operator, left: Value, right: Value) -> Value:
        kind = type(operator)
        if kind in _BITS:
            values = self._together([left, right])
            (element, *_) = {value.type for value in values}
            if is_float(element) or (element == "i1" and kind in (ast.LShift, ast.RShift)):
                self._source.fail(node, f"'{_BITS[kind]}' is of integers, not of {element}")
            return self._call(_BITS[kind], values, element)
        if kind is ast.Pow:
            return self._power(node, left, right)
        # Booleans are numbers here.
        values = self._together([left, right], "i64" if self._are_booleans(left, right) else None)
        element = values[0].type
        if kind in _ARITHMETIC:
            return self._call(_ARITHMETIC[kind], values, element)
        if kind is ast.Div:
            if not is_float(element):
                values = [self._typed(value, "f64") for value in values]
            return self._call("div", values, values[0].type)
        self._source.fail(node, f"'{kind.__name__}' is no operator of functions")

    def _are_booleans(self, *values: Value) -> bool:
        return all(value.type in ("i1", INTEGER) for value in values)

    def _counted(self, value: Value) -> Value:
        """A boolean as the number that it is."""
        return self._typed(value, "i64") if value.type == "i1" else value

    def _power(self, node: ast.AST, left: Value, right: Value) -> Value:
        is_short = not right.name and right.type == INTEGER and 0 < right.number <= _MOST_POWER
        if is_short:
            product = base = self._counted(self._typed(left))
            for _ in range(int(right.number) - 1):
                product = self._call("mul", [product, base], base.type)
            return product
        values = self._together([left, right])
        if not is_float(values[0].type):
            self._source.fail(node, f"a power of integers has an exponent of 1 to {_MOST_POWER}")
        return self._call("pow", values, values[0].type)

    def _logical(self, node: ast.BoolOp, names: dict[str, Value]) -> Value:
        # What is on the right is computed only where it counts.
        value = self._truth(node.values[0], names)
        is_and = isinstance(node.op, ast.And)
        for operand in node.values[1:]:
            known = value

            def computed(operand: ast.expr = operand) -> list[Value]:
                return [self._truth(operand, names)]

            def kept(known: Value = known) -> list[Value]:
                return [known]

            first, second = (computed, kept) if is_and else (kept, computed)
            value = self._choose(known, [first, second], ["i1"])[0]
        return value

    def _compare(self, node: ast.Compare, names: dict[str, Value]) -> Value:
        left = self._expression(node.left, names)
        result: Value | None = None
        for operator, operand in zip(node.ops, node.comparators, strict=True):
            function = _COMPARISONS.get(type(operator))
            if function is None:
                self._source.fail(node, f"'{ast.unparse(node)}' is no comparison of numbers")
            right = self._expression(operand, names)
            compared = self._call(function, self._together([left, right]), "i1")
            result = self._call("and", [result, compared], "i1") if result else compared
            left = right
        assert result is not None
        return result

    def _conditional(self, node: ast.IfExp, names: dict[str, Value]) -> Value:
        condition = self._truth(node.test, names)
        # What is not chosen is not computed; for the types, both are.
        lines, count = list(self._lines), self._count
        types = [self._expression(one, names).type for one in (node.body, node.orelse)]
        self._lines, self._count = lines, count
        type = self._default(promoted(*types))
        branches = [
            lambda: [self._expression(node.body, names)],
            lambda: [self._expression(node.orelse, names)],
        ]
        return self._choose(condition, branches, [type])[0]

    def _called(self, node: ast.Call, names: dict[str, Value]) -> Value:
        function = self._source.find(node.func)
        if node.keywords or any(isinstance(one, ast.Starred) for one in node.args):
            self._source.fail(node, "a call has operands by position alone")
        values = [self._expression(one, names) for one in node.args]
        if function is None:
            self._source.fail(node.func, f"'{ast.unparse(node.func)}' is no function that is known")
        if _is_in(function, _ABSOLUTE) and len(values) == 1:
            value = self._counted(self._typed(values[0]))
            if function is math.fabs:
                value = self._floated(value)
            return self._call("abs", [value], value.type)
        if _is_in(function, _CHOICES) and len(values) > 1:
            has_number = any(value.type == INTEGER for value in values)
            least = "i64" if has_number and self._are_booleans(*values) else None
            chosen, *others = self._together(values, least)
            name = _CHOICES[function]
            if chosen.type == "i1":
                name = "and" if name == "min" else "or"
            for other in others:
                chosen = self._call(name, [chosen, other], chosen.type)
            return chosen
        if len(values) == 1 and _is_in(function, (*_OF_FLOATS, *_TO_INTEGERS)):
            value = self._floated(self._typed(values[0]))
            name = _OF_FLOATS.get(function) or _TO_INTEGERS[function]
            value = self._call(name, [value], value.type)
            return self._typed(value, "i64") if _is_in(function, _TO_INTEGERS) else value
        if _is_in(function, _OF_TWO_FLOATS) and len(values) == 2:
            floats = [self._floated(value) for value in self._together(values)]
            return self._call(_OF_TWO_FLOATS[function], floats, floats[0].type)
        if _is_in(function, _CONVERSIONS) and len(values) == 1:
            return self._typed(self._typed(values[0]), _CONVERSIONS[function])
        found = self._callee(function, [self._default(value.type) for value in values])
        if found is None:
            self._source.fail(
                node,
                f"'{ast.unparse(node.func)}' is no function of {len(values)} numbers that is known",
            )
        symbol, types, result = found
        operands = [self._typed(value, type) for value, type in zip(values, types, strict=True)]
        return self._call(f"@{symbol}", operands, result)

    def _floated(self, value: Value) -> Value:
        return value if is_float(value.type) else self._typed(value, "f64")


def _is_in(function: Any, known: Any) -> bool:
    """Whether it is one of some; what cannot be compared is none."""
    return any(function is one for one in known)
