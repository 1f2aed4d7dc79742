"""What is declared of functions, tested on numbers: compiled, and called with arrays of them.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ember.errors import ArgumentError
from ember.sparse.function_properties import Properties, Special
from ember.sparse.function_types import is_float, numpy_type

if TYPE_CHECKING:
    from ember.sparse.function import Case, Function

Compute = Callable[..., NDArray[Any]]
#: Types that functions are tested with whose operands have none.
_TESTED = ("i64", "f64")
_MOST_TUPLES = 4000


def _samples(element: str, extremes: bool = True) -> NDArray[Any]:
    """Numbers of a type: corners, and random ones.

    No NaN, which nothing that is declared is about. extremes: infinities, and the largest; of
    integers, all but the least, whose negative is none.
    """
    draw = np.random.default_rng(5)
    if element == "i1":
        return np.array([False, True])
    if is_float(element):
        few = np.concatenate([[0, 1, -1, 0.5, 2, -3], draw.standard_normal(8).round(3)])
        most = np.finfo(numpy_type(element)).max
        more = [np.inf, -np.inf, most, -most] if extremes else []
    else:
        few = np.concatenate([[0, 1, -1, 2, -3, 6, 12], draw.integers(-99, 99, 7)])
        most = np.iinfo(numpy_type(element)).max
        more = [most, -most] if extremes else []
    return np.array([*few.tolist(), *more], numpy_type(element))


def ends_on_infinities(function: "Function") -> bool:
    """Whether its loops surely end of infinities, which make a NaN of a remainder."""
    return not function.has_while


def _tuples(
    types: Sequence[str], extremes: bool, given: dict[int, Any] | None = None
) -> list[NDArray[Any]]:
    """An array for each operand: all combinations of samples, or as many as there is time for."""
    fixed = given or {}
    axes = [
        np.array([fixed[number]], numpy_type(type)) if number in fixed else _samples(type, extremes)
        for number, type in enumerate(types)
    ]
    longest = max(1, int(_MOST_TUPLES ** (1 / max(1, len(types) - len(fixed)))))
    axes = [axis[:longest] for axis in axes]
    return [np.ascontiguousarray(grid.ravel()) for grid in np.meshgrid(*axes, indexing="ij")]


class _Tests:
    """Tests of one function with operands of some types."""

    def __init__(self, function: "Function", types: Sequence[str]) -> None:
        self._function = function
        self._types = types
        self._compute = _compiled(function.undeclared(), types)
        self._extremes = ends_on_infinities(function)

    def _text(self, *operands: Any) -> str:
        return f"{self._function.__name__}({', '.join(str(_plain(one)) for one in operands)})"

    def _refute(self, declared: str, facts: str) -> None:
        raise ArgumentError(f"{self._function.__name__} is declared {declared}, but {facts}")

    def _expect(self, operands: list[NDArray[Any]], expected: NDArray[Any], declared: str) -> None:
        """That the function of operands is what is expected; NaN, as of 0 / 0, is not asked."""
        found = self._compute(*operands)
        wrong = (found != expected) & (found == found)
        if wrong.any():
            at = int(np.argmax(wrong))
            self._refute(
                declared,
                f"{self._text(*(one[at] for one in operands))} is {_plain(found[at])}, "
                f"not {_plain(expected[at])}",
            )

    def run(self) -> None:
        """All that is declared."""
        known = self._function.properties
        if known.commutative:
            self._commutative()
        if known.associative:
            self._associative()
        if known.idempotent:
            samples = _samples(self._types[0], self._extremes)
            self._expect([samples] * len(self._types), samples, "idempotent")
        for special in known.annihilators:
            self._special(special, "with annihilator", known)
        for special in known.identities:
            self._special(special, "with identity", known)
        if known.iteration is not None:
            self._iteration(known)

    def _commutative(self) -> None:
        operands = _tuples(self._types, self._extremes)
        found = self._compute(*operands)
        for first in range(len(operands) - 1):
            swapped = list(operands)
            swapped[first], swapped[first + 1] = swapped[first + 1], swapped[first]
            other = self._compute(*swapped)
            wrong = (found != other) & ((found == found) | (other == other))
            if wrong.any():
                at = int(np.argmax(wrong))
                self._refute(
                    "commutative",
                    f"{self._text(*(one[at] for one in operands))} is {_plain(found[at])}, and "
                    f"{self._text(*(one[at] for one in swapped))} is {_plain(other[at])}",
                )

    def _associative(self) -> None:
        x, y, z = _tuples([self._types[0]] * 3, extremes=False)
        left = self._compute(self._compute(x, y), z)
        right = self._compute(x, self._compute(y, z))
        wrong = left != right
        if is_float(self._types[0]):
            # As far apart as sums in another order are.
            wrong = ~np.isclose(left, right, 1e-4, 1e-6, equal_nan=True)
        if wrong.any():
            at = int(np.argmax(wrong))
            name = self._function.__name__
            self._refute(
                "associative",
                f"{name}({self._text(x[at], y[at])}, {_plain(z[at])}) is {_plain(left[at])}, and "
                f"{name}({_plain(x[at])}, {self._text(y[at], z[at])}) is {_plain(right[at])}",
            )

    def _special(self, special: Special, what: str, known: Properties) -> None:
        positions = range(len(self._types))
        is_anywhere = special.position is None or known.commutative
        for position in positions if is_anywhere else [special.position or 0]:
            # An annihilator is not asked of infinities: 0 times one is NaN.
            is_identity = what == "with identity"
            extremes = is_identity and self._extremes
            operands = _tuples(self._types, extremes, {position: special.value})
            expected = np.full_like(
                operands[0], special.value if special.result is None else special.result
            )
            if is_identity:
                expected = operands[1 - position]
            self._expect(operands, expected, f"{what} {_plain(special.value)}")

    def _iteration(self, known: Properties) -> None:
        fills = known.fills * (len(self._types) if len(known.fills) == 1 else 1)
        operands = _tuples(self._types, extremes=False)
        with_fills = _tuples(self._types, extremes=False, given=dict(enumerate(fills)))
        # Fills among samples, too.
        for number, fill in enumerate(fills):
            more = _tuples(self._types, extremes=False, given={number: fill})
            operands = [np.concatenate(pair) for pair in zip(operands, more, strict=True)]
        at_fills = self._compute(*with_fills)[0]
        elsewhere = at_fills if known.elsewhere is None else known.elsewhere
        assert known.iteration is not None
        # NaN differs from itself, and is a fill like others.
        sets = [
            (one != fill) & ((one == one) | (fill == fill))
            for one, fill in zip(operands, fills, strict=True)
        ]
        inside = _evaluate_set(known.iteration, sets)
        outside = [one[~inside] for one in operands]
        if len(outside[0]):
            expected = np.full(len(outside[0]), elsewhere)
            names = {str(at): name for at, name in enumerate(self._function.parameters)}
            text = " ".join(names.get(word, word) for word in known.iteration.split())
            self._expect(outside, expected, f"with iteration {text}")


def _evaluate_set(text: str, sets: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """What a set of operands by number has of points, of which each operand has some."""
    names = {f"s{number}": one for number, one in enumerate(sets)}
    # The text is of |, &, ~, parentheses and numbers alone.
    words = "".join(f"s{word}" if word.isdigit() else word for word in text.split())
    everything = np.ones(len(sets[0]), np.bool_)
    names |= {"all": everything, "none": ~everything}
    return np.asarray(eval(words, {"__builtins__": {}}, names))


def _plain(value: Any) -> Any:
    """A number as Python prints it."""
    return value.item() if isinstance(value, np.generic) else value


def _compiled(function: "Function", types: Sequence[str]) -> Compute:
    """A function of arrays that calls one of numbers."""
    from ember.sparse.evaluate import evaluate

    names = [f"operand{number}" for number in range(len(types))]
    text = f"result[i] = called({', '.join(f'{name}[i]' for name in names)})"

    def compute(*operands: NDArray[Any]) -> NDArray[Any]:
        arrays: Any = dict(zip(names, operands, strict=True))
        return np.asarray(evaluate(text, called=function, **arrays))

    return compute


def tested_types(function: "Function") -> list[list[str]]:
    """The types that a function is tested with; raises CompileError if it can be of none."""
    elements = function.possible_elements(_TESTED if function.is_generic else ["f64"])
    return [function.types_for(element) for element in elements]


def check_function(function: "Function") -> None:
    """Raises CompileError if there is no code for it, ArgumentError for what is refuted."""
    for types in tested_types(function):
        if function.properties.are_declared:
            _Tests(function, types).run()


def check_case(function: "Function", case: "Case") -> None:
    """Raises ArgumentError if a case differs from the function that it is for."""
    from ember.sparse.function import Function

    body = Function(case.function, Properties())
    for types in tested_types(function):
        given = {
            number: case.values[name]
            for number, name in enumerate(function.parameters)
            if name in case.values
        }
        operands = _tuples(types, ends_on_infinities(function), given=given)
        left = [number for number in range(len(types)) if number not in given]
        mine = _compiled(body, [types[number] for number in left])(
            *[operands[number] for number in left]
        )
        expected = _compiled(function.undeclared(), types)(*operands)
        wrong = (mine != expected) & ((mine == mine) | (expected == expected))
        if wrong.any():
            at = int(np.argmax(wrong))
            numbers = ", ".join(str(_plain(one[at])) for one in operands)
            raise ArgumentError(
                f"{function.__name__}: the case for {', '.join(case.values)} makes "
                f"{_plain(mine[at])} of ({numbers}), which the function makes "
                f"{_plain(expected[at])} of"
            )
