"""Python's functions of numbers as cin.function: a typed subset, read off the syntax tree.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ast
import builtins
import inspect
import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from ember.errors import CompileError
from ember.sparse.function_types import (
    FLOAT,
    INTEGER,
    INTEGERS,
    is_float,
    promoted,
    spelled,
)

_ARITHMETIC = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul"}
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
    for name in ("sqrt", "exp", "log", "sin", "cos", "tanh")
    for one in (getattr(math, name), getattr(np, name))
} | {np.floor: "floor", np.ceil: "ceil"}
_TO_INTEGERS: dict[Any, str] = {math.floor: "floor", math.ceil: "ceil"}
_ABSOLUTE = (abs, math.fabs, np.abs, np.fabs)
_CHOICES: dict[Any, str] = {min: "min", max: "max", np.minimum: "min", np.maximum: "max"}
_CONVERSIONS: dict[Any, str] = {int: "i64", float: "f64", bool: "i1"}
#: The longest chain of multiplications that a power of an integer becomes.
_MOST_POWER = 16
_MOST_ROUNDS = 12


@dataclass(frozen=True)
class Source:
    """A function's definition: its tree, and where it stands.

    names: what names mean that are not its own.
    """

    tree: ast.FunctionDef
    file: str
    line: int
    column: int
    names: Mapping[str, Any]

    def fail(self, node: ast.AST, message: str) -> NoReturn:
        """Raises CompileError with a place of the definition."""
        line = self.line + getattr(node, "lineno", 1) - 1
        column = self.column + getattr(node, "col_offset", 0) + 1
        raise CompileError(f"{self.file}:{line}:{column}: {message}")

    @property
    def parameters(self) -> list[ast.arg]:
        """The names of its operands."""
        return self.tree.args.args


def read(function: Callable[..., Any]) -> Source:
    """The definition of a function; raises CompileError if there is no such definition."""
    name = getattr(function, "__qualname__", repr(function))
    try:
        lines, line = inspect.getsourcelines(function)
        file = inspect.getsourcefile(function) or "?"
    except (OSError, TypeError):
        raise CompileError(f"{name}: its definition is not to be found") from None
    text = "".join(lines)
    column = len(lines[0]) - len(lines[0].lstrip())
    try:
        tree = ast.parse(textwrap.dedent(text)).body[0]
    except SyntaxError:
        tree = None
    if not isinstance(tree, ast.FunctionDef):
        raise CompileError(f"{file}:{line}:{column + 1}: {name} is not defined by 'def'")
    closure = inspect.getclosurevars(function)
    names = {**vars(builtins), **closure.globals, **closure.nonlocals}
    source = Source(tree, file, line, column, {**function.__globals__, **names})
    arguments = tree.args
    for given in (arguments.vararg, arguments.kwarg, *arguments.kwonlyargs, *arguments.posonlyargs):
        if given is not None:
            source.fail(given, "a function of statements has operands by position alone")
    if arguments.defaults:
        source.fail(arguments.defaults[0], "an operand of a function has no default")
    if not arguments.args:
        source.fail(tree, "a function of statements has an operand at least")
    return source


@dataclass(frozen=True)
class Value:
    """A value of the body: its name, or a number that takes the type of what it meets."""

    type: str
    name: str = ""
    number: float | int = 0


@dataclass
class Body:
    """A function's body as operations. callees: functions of users that it calls, by symbol."""

    lines: list[str]
    result: str
    callees: dict[str, Any] = field(default_factory=dict)


class Translator:
    """Translates one definition for operands of given types.

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
        self._callees: dict[str, Any] = {}
        self._result: str | None = None

    def translate(self, result: str | None = None) -> Body:
        """The body; raises CompileError with the place of what is no part of the subset."""
        self._result = result
        # Types of locals follow from all that is assigned to them.
        for _ in range(_MOST_ROUNDS):
            self._lines, self._count, self._changed = [], 0, False
            names = {
                name: Value(type, f"%{name}") for name, type in self._operands.items()
            }
            value = self._block(self._source.tree.body, names)
            if value is None:
                self._source.fail(self._source.tree, "a function ends with a return on all its paths")
            returned = self._typed(value)
            if not self._changed:
                self._emit_line(f"cin.return {returned.name} : {returned.type}")
                return Body(self._lines, returned.type, self._callees)
        self._source.fail(self._source.tree, "types of locals depend on each other")

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
        names = [self._fresh() for _ in types]
        made = f"{names[0][:]}:{len(types)} = " if types else ""
        arrow = f" -> ({', '.join(types)})" if types else ""
        self._emit_line(f"{made}scf.if {condition.name}{arrow} {{")
        for number, branch in enumerate(branches):
            if number:
                self._emit_line("} else {")
            values = branch()
            if types:
                given = [self._typed(value, type) for value, type in zip(values, types, strict=True)]
                self._emit_line(
                    f"scf.yield {', '.join(one.name for one in given)} : {', '.join(types)}"
                )
        self._emit_line("}")
        return [Value(type, f"{names[0]}#{number}") for number, type in enumerate(types)]

    # Statements.

    def _block(self, statements: Sequence[ast.stmt], names: dict[str, Value]) -> Value | None:
        """What a list of statements returns, if it does; names are changed."""
        for number, statement in enumerate(statements):
            rest = statements[number + 1 :]
            if isinstance(statement, ast.Return):
                if statement.value is None:
                    self._source.fail(statement, "a function returns a value")
                value = self._expression(statement.value, names)
                return self._joined_result(value, statement)
            if isinstance(statement, ast.If) and _returns(statement):
                return self._returning(statement, rest, names)
            self._statement(statement, names)
        return None

    def _joined_result(self, value: Value, node: ast.AST) -> Value:
        """A returned value in the type of all that are."""
        before = self._result
        type = value.type if before is None else promoted(before, value.type)
        if before is not None and before not in (INTEGER, FLOAT) and type != before:
            if value.name and is_float(value.type) == is_float(before):
                self._source.fail(node, f"returns {value.type}, and {before} elsewhere")
            if is_float(type) != is_float(before):
                self._source.fail(node, f"returns {value.type}, and {before} elsewhere")
        if type != before:
            self._result, self._changed = type, before is not None or self._changed
        return self._typed(value, type)

    def _returning(
        self, branch: ast.If, rest: Sequence[ast.stmt], names: dict[str, Value]
    ) -> Value | None:
        """A branch that returns, with what follows where it does not."""
        condition = self._truth(branch.test, names)
        ends = False

        def emit(body: Sequence[ast.stmt]) -> Callable[[], list[Value]]:
            def inside() -> list[Value]:
                nonlocal ends
                value = self._block([*body, *rest], dict(names))
                ends = ends or value is None
                return [value or Value(INTEGER)]

            return inside

        # The type is known once both have been seen.
        lines, count = list(self._lines), self._count
        for inside in (emit(branch.body), emit(branch.orelse)):
            inside()
        self._lines, self._count = lines, count
        type = self._default(self._result or INTEGER)
        made = self._choose(condition, [emit(branch.body), emit(branch.orelse)], [type])
        return None if ends else made[0]

    def _statement(self, statement: ast.stmt, names: dict[str, Value]) -> None:
        match statement:
            case ast.Assign(targets=[target]):
                self._assign(target, self._values(statement.value, names), names)
            case ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value):
                self._assign(target, self._expression(value, names), names)
            case ast.AugAssign(target=ast.Name() as target):
                left = self._read(ast.copy_location(ast.Name(target.id, ast.Load()), target), names)
                right = self._expression(statement.value, names)
                self._assign(target, self._binary(statement, statement.op, left, right), names)
            case ast.If():
                self._branch(statement, names)
            case ast.While(orelse=[]):
                self._while(statement, names)
            case ast.For(orelse=[]):
                self._for(statement, names)
            case ast.Pass() | ast.Expr(value=ast.Constant(value=str())):
                pass
            case _:
                kind = type(statement).__name__.lower()
                self._source.fail(statement, f"'{kind}' is no part of what functions can do")

    def _values(self, node: ast.expr, names: dict[str, Value]) -> Value | list[Value]:
        if isinstance(node, ast.Tuple):
            return [self._expression(one, names) for one in node.elts]
        return self._expression(node, names)

    def _assign(
        self, target: ast.expr, value: Value | list[Value], names: dict[str, Value]
    ) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, list):
            if len(target.elts) != len(value):
                self._source.fail(target, f"{len(target.elts)} names for {len(value)} values")
            for one, mine in zip(target.elts, value, strict=True):
                self._assign(one, mine, names)
            return
        if not isinstance(target, ast.Name) or isinstance(value, list):
            self._source.fail(target, "a function assigns to names, one value to each")
        name = target.id
        known = self._operands.get(name) or self._locals.get(name)
        type = value.type if known is None else promoted(known, value.type)
        is_weak = known in (None, INTEGER, FLOAT)
        if not is_weak and (type != known or is_float(type) != is_float(value.type)):
            # A number fits where it loses nothing.
            if value.name or is_float(value.type) and not is_float(str(known)):
                self._source.fail(
                    target, f"'{name}' is of type {known}, and {value.type} is assigned to it"
                )
            type = str(known)
        if is_weak and type != known:
            self._locals[name] = type
            self._changed = True
        names[name] = self._typed(value, self._default(type))

    def _branch(self, branch: ast.If, names: dict[str, Value]) -> None:
        condition = self._truth(branch.test, names)
        assigned = [_assigned(branch.body), _assigned(branch.orelse)]
        changed = [
            name
            for name in dict.fromkeys([*assigned[0], *assigned[1]])
            if name in names or (name in assigned[0] and name in assigned[1])
        ]

        def emit(body: Sequence[ast.stmt]) -> Callable[[], list[Value]]:
            def inside() -> list[Value]:
                mine = dict(names)
                self._block(body, mine)
                return [mine.get(name, Value(INTEGER)) for name in changed]

            return inside

        branches = [emit(branch.body), emit(branch.orelse)]
        types = [self._type_of(name, branches, names) for name in changed]
        values = self._choose(condition, branches, types)
        names.update(zip(changed, values, strict=True))

    def _type_of(
        self, name: str, branches: Sequence[Callable[[], Any]], names: dict[str, Value]
    ) -> str:
        """The type of a name behind branches, of which some may be the first to assign to it."""
        if name not in names and name not in self._locals:
            lines, count = list(self._lines), self._count
            for branch in branches:
                branch()
            self._lines, self._count = lines, count
        known = self._operands.get(name) or self._locals.get(name) or names[name].type
        return self._default(known)

    def _while(self, loop: ast.While, names: dict[str, Value]) -> None:
        carried = [name for name in _assigned(loop.body) if name in names]
        types = ", ".join(names[name].type for name in carried)

        def enter() -> dict[str, Value]:
            return names | {name: Value(names[name].type, self._fresh()) for name in carried}

        before = enter()
        made = self._fresh()
        starts = ", ".join(f"{before[name].name} = {names[name].name}" for name in carried)
        arguments = f"({starts}) : ({types}) -> ({types})" if carried else ": () -> ()"
        self._emit_line(f"{f'{made}:{len(carried)} = ' if carried else ''}scf.while {arguments} {{")
        condition = self._truth(loop.test, before)
        handed = ", ".join(before[name].name for name in carried)
        self._emit_line(
            f"scf.condition({condition.name})" + (f" {handed} : {types}" if carried else "")
        )
        self._emit_line("} do {")
        inside = enter()
        listed = ", ".join(f"{inside[name].name}: {inside[name].type}" for name in carried)
        if carried:
            self._emit_line(f"^bb0({listed}):")
        self._loop_body(loop.body, inside, carried, names)
        self._emit_line("}")
        for number, name in enumerate(carried):
            names[name] = Value(names[name].type, f"{made}#{number}")

    def _loop_body(
        self,
        body: Sequence[ast.stmt],
        inside: dict[str, Value],
        carried: Sequence[str],
        names: Mapping[str, Value],
    ) -> None:
        for statement in body:
            for node in ast.walk(statement):
                if isinstance(node, ast.Return):
                    self._source.fail(node, "a function returns behind its loops, not in one")
        self._block(body, inside)
        types = [names[name].type for name in carried]
        values = [self._typed(inside[name], names[name].type) for name in carried]
        given = ", ".join(value.name for value in values)
        self._emit_line("scf.yield" + (f" {given} : {', '.join(types)}" if carried else ""))

    def _for(self, loop: ast.For, names: dict[str, Value]) -> None:
        call = loop.iter
        is_range = (
            isinstance(call, ast.Call)
            and self._object(call.func) is range
            and isinstance(loop.target, ast.Name)
            and not call.keywords
            and 1 <= len(call.args) <= 3
        )
        if not is_range or not isinstance(call, ast.Call) or not isinstance(loop.target, ast.Name):
            self._source.fail(loop, "a loop goes over a name in range(...)")
        bounds = [self._integer(one, names) for one in call.args[:2]]
        lower, upper = bounds if len(bounds) == 2 else [self._number(0, "i64"), bounds[0]]
        step = self._step(call.args[2]) if len(call.args) == 3 else 1
        begin = lower
        if step < 0:
            # Counted upwards.
            lower, upper = self._number(0, "i64"), self._call("sub", [lower, upper], "i64")
        width = self._number(abs(step), "i64")
        carried = [name for name in _assigned(loop.body) if name in names and name != loop.target.id]
        inside = names | {name: Value(names[name].type, self._fresh()) for name in carried}
        made, variable = self._fresh(), self._fresh()
        starts = ", ".join(f"{inside[name].name} = {names[name].name}" for name in carried)
        types = ", ".join(names[name].type for name in carried)
        results = f" iter_args({starts}) -> ({types})" if carried else ""
        self._emit_line(
            f"{f'{made}:{len(carried)} = ' if carried else ''}scf.for {variable} = {lower.name} to "
            f"{upper.name} step {width.name}{results} : i64 {{"
        )
        value = Value("i64", variable)
        if step < 0:
            value = self._call("sub", [begin, value], "i64")
        self._assign(loop.target, value, inside)
        self._loop_body(loop.body, inside, carried, names)
        self._emit_line("}")
        for number, name in enumerate(carried):
            names[name] = Value(names[name].type, f"{made}#{number}")

    def _integer(self, node: ast.expr, names: dict[str, Value]) -> Value:
        value = self._expression(node, names)
        if is_float(value.type) or value.type == "i1":
            self._source.fail(node, f"a bound of a range is an integer, not {value.type}")
        return self._typed(value, "i64")

    def _step(self, node: ast.expr) -> int:
        try:
            step = ast.literal_eval(node)
        except ValueError:
            step = 0
        if not isinstance(step, int) or not step:
            self._source.fail(node, "the step of a range is an integer that is written out, not 0")
        return step

    def _number(self, number: float | int, type: str) -> Value:
        return self._typed(Value(INTEGER, "", number), type)

    # Expressions.

    def _object(self, node: ast.expr) -> Any:
        """What a name means that is not the function's own, as `math.sqrt`; None if nothing."""
        if isinstance(node, ast.Name):
            return self._source.names.get(node.id)
        if isinstance(node, ast.Attribute):
            return getattr(self._object(node.value), node.attr, None)
        return None

    def _read(self, node: ast.expr, names: dict[str, Value]) -> Value:
        if isinstance(node, ast.Name) and node.id in names:
            return names[node.id]
        if isinstance(node, ast.Name) and node.id in (*self._locals, *self._operands):
            self._source.fail(node, f"'{node.id}' has no value on every path to here")
        return self._constant(node, self._object(node))

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
        if value.type == "i1":
            value = self._typed(value, "i64")
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
        if kind is ast.Mod:
            return self._modulus(values)
        if kind is ast.FloorDiv:
            return self._floor_division(values)
        self._source.fail(node, f"'{kind.__name__}' is no operator of functions")

    def _are_booleans(self, *values: Value) -> bool:
        return all(value.type == "i1" for value in values)

    def _modulus(self, values: Sequence[Value]) -> Value:
        """Of the sign of what it is divided by, as Python has it."""
        element = values[0].type
        rest = self._call("mod", values, element)
        zero = self._number(0, element)
        is_below = [self._call("lt", [one, zero], "i1") for one in (rest, values[1])]
        is_other = self._call("ne", is_below, "i1")
        is_any = self._call("ne", [rest, zero], "i1")
        moved = self._call("add", [rest, values[1]], element)
        chosen = self._call("and", [is_other, is_any], "i1")
        return self._call("select", [chosen, moved, rest], element)

    def _floor_division(self, values: Sequence[Value]) -> Value:
        element = values[0].type
        if is_float(element):
            return self._call("floor", [self._call("div", values, element)], element)
        # Towards zero, but for a rest of the other sign.
        quotient = self._call("div", values, element)
        rest = self._call("mod", values, element)
        zero = self._number(0, element)
        is_below = [self._call("lt", [one, zero], "i1") for one in (rest, values[1])]
        is_other = self._call("ne", is_below, "i1")
        is_any = self._call("ne", [rest, zero], "i1")
        lower = self._call("sub", [quotient, self._number(1, element)], element)
        chosen = self._call("and", [is_other, is_any], "i1")
        return self._call("select", [chosen, lower, quotient], element)

    def _power(self, node: ast.AST, left: Value, right: Value) -> Value:
        is_short = not right.name and right.type == INTEGER and 0 < right.number <= _MOST_POWER
        if is_short:
            base = self._typed(left)
            product = base
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

            branches = [computed, kept] if is_and else [kept, computed]
            value = self._choose(known, branches, ["i1"])[0]
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
        function = self._object(node.func)
        if node.keywords or any(isinstance(one, ast.Starred) for one in node.args):
            self._source.fail(node, "a call has operands by position alone")
        values = [self._expression(one, names) for one in node.args]
        if function is None:
            self._source.fail(node.func, f"'{ast.unparse(node.func)}' is no function that is known")
        if _is_in(function, _ABSOLUTE) and len(values) == 1:
            value = self._typed(values[0])
            if function is math.fabs:
                value = self._floated(value)
            return self._call("abs", [value], value.type)
        if _is_in(function, _CHOICES) and len(values) > 1:
            chosen, *others = self._together(values)
            for other in others:
                chosen = self._call(_CHOICES[function], [chosen, other], chosen.type)
            return chosen
        if len(values) == 1 and _is_in(function, (*_OF_FLOATS, *_TO_INTEGERS)):
            value = self._floated(self._typed(values[0]))
            name = _OF_FLOATS.get(function) or _TO_INTEGERS[function]
            value = self._call(name, [value], value.type)
            return self._typed(value, "i64") if _is_in(function, _TO_INTEGERS) else value
        if _is_in(function, (math.pow, np.power)) and len(values) == 2:
            floats = [self._floated(value) for value in self._together(values)]
            return self._call("pow", floats, floats[0].type)
        if _is_in(function, _CONVERSIONS) and len(values) == 1:
            return self._typed(self._typed(values[0]), _CONVERSIONS[function])
        found = self._callee(function, [self._default(value.type) for value in values])
        if found is None:
            self._source.fail(
                node, f"'{ast.unparse(node.func)}' is no function of {len(values)} numbers that is known"
            )
        symbol, types, result = found
        self._callees[symbol] = function
        operands = [self._typed(value, type) for value, type in zip(values, types, strict=True)]
        return self._call(f"@{symbol}", operands, result)

    def _floated(self, value: Value) -> Value:
        return value if is_float(value.type) else self._typed(value, "f64")


def _is_in(function: Any, known: Any) -> bool:
    """Whether it is one of some; what cannot be compared is none."""
    return any(function is one for one in known)


def _returns(branch: ast.If) -> bool:
    """Whether any path through a branch returns, but for those in loops."""
    return any(
        isinstance(statement, ast.Return)
        or (isinstance(statement, ast.If) and _returns(statement))
        for statement in [*branch.body, *branch.orelse]
    )


def _assigned(body: Sequence[ast.stmt]) -> list[str]:
    """The names that statements assign to, each once."""
    found: dict[str, None] = {}
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found[node.id] = None
    return list(found)


__all__ = ["INTEGERS", "Body", "Source", "Translator", "read"]
