"""What is declared of functions that statements call.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from ember.errors import ArgumentError

_OPERATORS = "|&~()"
_SET = re.compile(rf"\s*(?:[{_OPERATORS}]|\w+)")


@dataclass(frozen=True)
class Special:
    """An annihilator or an identity: of any operand, or of that at a position.

    result: what the function is then; None for the value, and for the other operand.
    """

    value: float
    position: int | None = None
    result: float | None = None


@dataclass(frozen=True)
class Properties:
    """What is declared of a function."""

    commutative: bool = False
    associative: bool = False
    idempotent: bool = False
    annihilators: tuple[Special, ...] = ()
    identities: tuple[Special, ...] = ()
    #: A set of operands by number, what these are outside of it, and what the function is there.
    iteration: str | None = None
    fills: tuple[float, ...] = ()
    elsewhere: float | None = None

    @property
    def are_declared(self) -> bool:
        """Whether anything is."""
        return self != Properties()


def specials(given: Any) -> tuple[Special, ...]:
    """Annihilators or identities as they are given: a value, or (value, position, result)."""
    if given is None:
        return ()
    if isinstance(given, list):
        return tuple(one for each in given for one in specials(each))
    words = given if isinstance(given, tuple) else (given,)
    if not 1 <= len(words) <= 3:
        raise ArgumentError(f"expected a value, or (value, position, result), not {given}")
    for number in (words[0], *words[2:]):
        if number is not None and not isinstance(number, Real | np.bool_):
            raise ArgumentError(f"expected a number, not {number!r}")
    return (Special(*words),)


def numbered(text: str | None, parameters: Sequence[str]) -> str | None:
    """An iteration of operands by name, as one by number."""
    if text is None:
        return None
    if not isinstance(text, str):
        raise ArgumentError(f"an iteration is a text such as 'x | y', not {text!r}")
    words = [word.strip() for word in _SET.findall(text)]
    if "".join(words) != re.sub(r"\s", "", text):
        raise ArgumentError(f"an iteration is a set of |, &, ~ and operands, not {text!r}")
    numbers = {name: str(number) for number, name in enumerate(parameters)}
    unknown = [word for word in words if word not in _OPERATORS and word not in numbers]
    if unknown:
        raise ArgumentError(f"an iteration is of {', '.join(parameters)}, not of {unknown[0]}")
    try:
        ast.parse(text.strip(), mode="eval")
    except SyntaxError:
        raise ArgumentError(f"an iteration is a set such as 'x | y', not {text!r}") from None
    return " ".join(numbers.get(word, word) for word in words)
