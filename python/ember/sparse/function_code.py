"""Python's functions of numbers as cin.function: a typed subset, read off the syntax tree.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ember.sparse.function_expressions import Body, Expressions, Value
from ember.sparse.function_types import FLOAT, INTEGER, is_float, promoted

_MOST_ROUNDS = 12


class Translator(Expressions):
    """Translates one definition for operands of given types."""

    def translate(self, result: str | None = None) -> Body:
        """The body; raises CompileError with the place of what is no part of the subset."""
        self._result = result
        # Types of locals follow from all that is assigned to them.
        for _ in range(_MOST_ROUNDS):
            self._lines, self._count, self._changed = [], 0, False
            names = {
                name: Value(type, f"%.p{number}")
                for number, (name, type) in enumerate(self._operands.items())
            }
            value = self._block(self._source.tree.body, names)
            if value is None:
                self._source.fail(
                    self._source.tree, "a function ends with a return on all its paths"
                )
            returned = self._typed(value)
            if not self._changed:
                self._emit_line(f"cin.return {returned.name} : {returned.type}")
                return Body(self._lines, returned.type)
        self._source.fail(self._source.tree, "types of locals depend on each other")

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
            if value.name or (is_float(value.type) and not is_float(str(known))):
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
            and self._source.find(call.func) is range
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
        carried = [
            name for name in _assigned(loop.body) if name in names and name != loop.target.id
        ]
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


def _returns(branch: ast.If) -> bool:
    """Whether any path through a branch returns, but for those in loops."""
    return any(
        isinstance(statement, ast.Return) or (isinstance(statement, ast.If) and _returns(statement))
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
