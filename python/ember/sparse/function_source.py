"""Definitions of functions: their syntax trees, and where they stand.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ast
import builtins
import inspect
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from ember.errors import CompileError


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

    def find(self, node: ast.expr) -> Any:
        """What a name means that is not the function's own, as `math.sqrt`; None if nothing."""
        if isinstance(node, ast.Name):
            return self.names.get(node.id)
        if isinstance(node, ast.Attribute):
            return getattr(self.find(node.value), node.attr, None)
        return None

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
    try:
        closure = inspect.getclosurevars(function)
    except ValueError:
        raise CompileError(
            f"{file}:{line}:{column + 1}: {name} names what has no value yet, as its own name has "
            "none: it cannot call itself"
        ) from None
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
