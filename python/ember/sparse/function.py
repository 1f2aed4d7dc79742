"""Functions of numbers that statements may call: @es.function on a definition in Python.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ast
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

from ember.errors import ArgumentError, CompileError
from ember.sparse.function_code import Translator
from ember.sparse.function_definitions import Definitions
from ember.sparse.function_properties import Properties, Special, numbered, specials
from ember.sparse.function_source import Source, read
from ember.sparse.function_types import (
    INTEGERS,
    TYPES,
    spelled,
    type_of_annotation,
)


@dataclass(frozen=True)
class Case:
    """A body for operands of which some have a known value, by name."""

    values: Mapping[str, float]
    source: Source
    function: Callable[..., Any]


class Function:
    """A function that statements may call by the name that it is given as.

    Called by itself, it is the function of Python that it was made of.
    """

    def __init__(self, function: Callable[..., Any], properties: Properties) -> None:
        """Reads the definition; raises CompileError for what is no part of the subset."""
        self._function = function
        self._properties = properties
        self._cases: list[Case] = []
        self._source = read(function)
        self.__name__ = self._source.tree.name
        self.__doc__ = function.__doc__
        self._annotated = [self._annotation(one.annotation) for one in self._source.parameters]
        self._returned = self._annotation(self._source.tree.returns)

    def __call__(self, *operands: Any) -> Any:
        """What Python makes of numbers."""
        return self._function(*operands)

    def __repr__(self) -> str:
        """Its name, and what is known of it."""
        return f"<ember.sparse function {self.__name__}({', '.join(self.parameters)})>"

    @property
    def parameters(self) -> list[str]:
        """The names of its operands."""
        return [one.arg for one in self._source.parameters]

    @property
    def properties(self) -> Properties:
        """What is declared of it."""
        return self._properties

    @property
    def version(self) -> tuple["Function", int]:
        """What tells it apart from others, and from what it was before it got another case."""
        return self, len(self._cases)

    @property
    def cases(self) -> Sequence[Case]:
        """Its bodies for known values."""
        return self._cases

    def undeclared(self) -> "Function":
        """The same function, of which nothing is known."""
        return Function(self._function, Properties())

    def case(self, **values: float) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Adds a body that is used where operands are known to have these values.

            @gcd.case(y=0)
            def gcd_of_one(x):
                return abs(x)

        It has the other operands, and agrees with the function, which is tested on numbers: a value
        that differs is an ArgumentError with the numbers.
        """
        left = [name for name in self.parameters if name not in values]
        unknown = set(values) - set(self.parameters)
        if any(case.values == values for case in self._cases):
            raise ArgumentError(f"{self.__name__}: there is a case for {values} already")
        if unknown or not values or not left:
            raise ArgumentError(
                f"{self.__name__}: a case is for some of {', '.join(self.parameters)}, not for "
                f"{', '.join(values) or 'none'}"
            )

        def add(function: Callable[..., Any]) -> Callable[..., Any]:
            source = read(function)
            names = [one.arg for one in source.parameters]
            if names != left:
                source.fail(source.tree, f"a case for {', '.join(values)} has operands {left}")
            self._cases.append(Case(dict(values), source, function))
            from ember.sparse.function_check import check_case

            try:
                check_case(self, self._cases[-1])
            except BaseException:
                self._cases.pop()
                raise
            return function

        return add

    # Types.

    def _annotation(self, node: Any) -> str | None:
        if node is None:
            return None
        try:
            meant = eval(
                compile(ast.Expression(node), "annotation", "eval"), dict(self._source.names)
            )
        except Exception:
            meant = None
        found = type_of_annotation(meant)
        if found is None:
            self._source.fail(node, f"expected the type of a number, such as int, float or {TYPES}")
        return found

    @property
    def has_while(self) -> bool:
        """Whether it, or a function that it calls, has a loop that may not end."""
        for node in ast.walk(self._source.tree):
            if isinstance(node, ast.While):
                return True
            called = self._source.find(node.func) if isinstance(node, ast.Call) else None
            if isinstance(called, Function) and called is not self and called.has_while:
                return True
        return False

    @property
    def is_generic(self) -> bool:
        """Whether operands have types that follow from where it is called."""
        return None in self._annotated

    def types_for(self, element: str) -> list[str]:
        """The types of its operands, `element` where its definition says none."""
        return [one or element for one in self._annotated]

    def possible_elements(self, elements: Iterable[str]) -> list[str]:
        """Those of some types that its definition can be of; raises CompileError if none is."""
        possible, failure = [], None
        for element in dict.fromkeys(elements):
            try:
                Definitions().add(self, self.__name__, element)
                possible.append(element)
            except CompileError as error:
                failure = failure or error
        if not possible and failure is not None:
            raise failure
        return possible

    # Text.

    def attributes(self, types: Sequence[str], result: str) -> str:
        """What is declared of it for operands of some types, as MLIR spells it."""
        known = self._properties
        words = [
            name for name in ("commutative", "associative", "idempotent") if getattr(known, name)
        ]
        if words and (len(types) < 2 or {*types} != {result}):
            self._source.fail(
                self._source.tree,
                f"{self.__name__} is {words[0]}, and makes {result} of {', '.join(types)}: such a "
                "function has several operands and a result, all of one type",
            )
        for name in ("annihilators", "identities"):
            special = [self._special(one, types, result) for one in getattr(known, name)]
            if special:
                words.append(f"{name} = [{', '.join(special)}]")
        if known.iteration is not None:
            words.append(f'iteration = #cin.iteration<"{known.iteration}">')
            fills = known.fills or (0,) * len(types)
            if len(fills) == 1:
                fills *= len(types)
            if len(fills) != len(types):
                raise ArgumentError(
                    f"{self.__name__}: {len(fills)} fills for {len(types)} operands"
                )
            numbers = [self.number(fill, type) for fill, type in zip(fills, types, strict=True)]
            words.append(f"fills = [{', '.join(numbers)}]")
            if known.elsewhere is not None:
                words.append(f"elsewhere = {self.number(known.elsewhere, result)}")
        return ", ".join(words)

    def number(self, value: float, type: str) -> str:
        """A number that is declared as MLIR spells it; raises CompileError if the type lacks it."""
        is_integer = math.isfinite(value) and int(value) == value
        if type in INTEGERS and not is_integer:
            self._source.fail(self._source.tree, f"{value} is no value of type {type}")
        return spelled(value, type)

    def _special(self, special: Special, types: Sequence[str], result: str) -> str:
        at = "" if special.position is None else f" at {special.position}"
        if special.position is not None and not 0 <= special.position < len(types):
            raise ArgumentError(
                f"{self.__name__}: there is no operand {special.position} of {len(types)}"
            )
        type = types[special.position or 0]
        given = special.result
        if given is None and type != result and special in self._properties.annihilators:
            given = special.value
        gives = "" if given is None else f" gives {self.number(given, result)}"
        number = self.number(special.value, type)
        return f"#cin.special<{number}{at}{gives}>"

    def translator(self, types: Sequence[str], definitions: "Definitions") -> Translator:
        """Of its body."""
        operands = dict(zip(self.parameters, types, strict=True))
        return Translator(self._source, operands, definitions.find)

    @property
    def returned(self) -> str | None:
        """The type that its definition says it is of."""
        return self._returned


@overload
def function(definition: Callable[..., Any], /) -> Function: ...


@overload
def function(
    *,
    commutative: bool = False,
    associative: bool = False,
    idempotent: bool = False,
    annihilator: Any = None,
    identity: Any = None,
    iteration: str | None = None,
    fill: Any = 0,
    elsewhere: float | None = None,
) -> Callable[[Callable[..., Any]], Function]: ...


def function(
    definition: Callable[..., Any] | None = None,
    /,
    *,
    commutative: bool = False,
    associative: bool = False,
    idempotent: bool = False,
    annihilator: Any = None,
    identity: Any = None,
    iteration: str | None = None,
    fill: Any = 0,
    elsewhere: float | None = None,
) -> Any:
    """Makes a function of Python one that statements may call.

        @es.function(commutative=True, iteration="x | y")
        def gcd(x, y):
            x, y = abs(x), abs(y)
            while x != 0:
                x, y = y % x, x
            return y

        es.evaluate("a[i] = gcd(b[i], c[i])", gcd=gcd, b=b, c=c)

    Operands have the types of their annotations; those without are of one type, which follows from
    the call. The definition assigns to names, has if, while and for over range(...), and computes
    with operators, comparisons, abs, min, max, functions of math, and other such functions.

    What is declared is what iteration goes by: annihilator and identity are values, or (value,
    position), or (value, position, result), or a list of some. iteration: the set of operands
    outside of which the function is `elsewhere` (what it is of all fills, if it is not said), where
    an operand is in the set if it is not `fill`, one number or a tuple of one for each. A
    reduction needs a function that is associative and commutative; without an identity, one of
    nothing is an error.

    Raises CompileError, with the line and column, for what is no part of the subset, and
    ArgumentError, with the numbers, for what is declared and not so: it is computed for some.
    """

    def make(given: Callable[..., Any]) -> Function:
        bare = Function(given, Properties())
        properties = Properties(
            commutative,
            associative,
            idempotent,
            specials(annihilator),
            specials(identity),
            numbered(iteration, bare.parameters),
            (fill if isinstance(fill, tuple) else (fill,)) if iteration is not None else (),
            elsewhere,
        )
        made = Function(given, properties)
        from ember.sparse.function_check import check_function

        check_function(made)
        return made

    return make if definition is None else make(definition)
