"""Functions of Python as the text of cin.functions, for operands of some types.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ember.errors import ArgumentError, CompileError
from ember.sparse.function_code import Translator
from ember.sparse.function_types import computed_type, promoted
from ember.tables import TABLES

if TYPE_CHECKING:
    from ember.sparse.function import Function

_BUILTINS = frozenset(row["name"] for row in TABLES["functions"])


class Definitions:
    """Functions as text, each once."""

    def __init__(self) -> None:
        """None yet."""
        self.texts: dict[str, str] = {}
        self._symbols: dict[tuple[int, str, tuple[str, ...]], tuple[str, str]] = {}
        self._open: list[tuple[int, tuple[str, ...]]] = []

    def find(self, function: Any, types: Sequence[str]) -> tuple[str, Sequence[str], str] | None:
        """The symbol of a function, its operands' types and its own, for operands of some types."""
        from ember.sparse.function import Function

        if not isinstance(function, Function) or len(types) != len(function.parameters):
            return None
        element = types[0]
        for other in types[1:]:
            element = promoted(element, other)
        symbol, result = self.add(function, function.__name__, element, is_called=True)
        return symbol, function.types_for(element), result

    def add(
        self, function: "Function", name: str, element: str, is_called: bool = False
    ) -> tuple[str, str]:
        """Defines a function for operands of a type: its symbol, and its type.

        name: what statements call it by. is_called: by a function alone.
        """
        types = function.types_for(element)
        key = (id(function), "" if is_called else name, tuple(types))
        if key in self._symbols:
            return self._symbols[key]
        if (id(function), tuple(types)) in self._open:
            raise CompileError(f"{function.__name__} calls itself, or a function that calls it")
        symbol = f"{name}.{'called.' if is_called else ''}{'.'.join(types)}"
        while symbol in self.texts:
            symbol += "."
        # Also from what it calls.
        self.texts[symbol] = ""
        self._open.append((id(function), tuple(types)))
        body = function.translator(types, self).translate(function.returned)
        attributes = function.attributes(types, body.result)
        if not is_called:
            attributes = ", ".join(filter(None, [f'overload = "{name}"', attributes]))
        operands = ", ".join(f"%.p{number}: {type}" for number, type in enumerate(types))
        text = [
            f"cin.function @{symbol}({operands}) -> {body.result} attributes {{{attributes}}} {{",
            *body.lines,
            "}",
        ]
        for case in function.cases:
            left = dict(zip(function.parameters, types, strict=True))
            words, count = [], 0
            for one, type in zip(function.parameters, types, strict=True):
                if one in case.values:
                    words.append(function.number(case.values[one], type))
                    del left[one]
                else:
                    words.append(f"%.p{count}")
                    count += 1
            inner = Translator(case.source, left, self.find).translate(body.result)
            if inner.result != body.result:
                case.source.fail(
                    case.source.tree, f"a case is of type {inner.result}, not {body.result}"
                )
            text[-1] = f"}} case ({', '.join(words)}) {{"
            text += [*inner.lines, "}"]
        self._open.pop()
        self.texts[symbol] = "\n".join(text)
        self._symbols[key] = symbol, body.result
        return self._symbols[key]

    def text(self) -> str:
        """All of them."""
        return "\n".join(self.texts.values()) + "\n"


def definitions_of(functions: Mapping[str, "Function"], elements: Iterable[str | None]) -> str:
    """The functions that statements on arrays of some types of elements may call, as text.

    Raises ArgumentError for a name that a function of the language has.
    """
    for name in functions:
        if name in _BUILTINS:
            raise ArgumentError(f"{name}: statements have a function of that name: choose another")
    found = [computed_type(element) for element in elements]
    together: list[str] = [*(one for one in found if one), "i64", "f32", "f64"]
    definitions = Definitions()
    for name, function in functions.items():
        given = function.possible_elements(together) if function.is_generic else ["f64"]
        for element in given:
            definitions.add(function, name, element)
    return definitions.text()
