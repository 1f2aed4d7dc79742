"""What errors of kernels say, in the words of whoever called es.evaluate.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from ember.compiler import without_place
from ember.errors import ArgumentError
from ember.sparse.encoded import Encoded

# What a kernel calls the parts of an array in a format.
_PART = re.compile(r"'?\b(\w+)_(positions|coordinates|mask|values)(\d*)\b'?")
_SIZES = re.compile(r"dimension (\d+) of (\w+) and dimension (\d+) of (\w+) have different sizes")
# What a kernel calls an array in another order of its levels, which it makes.
_COPY = re.compile(r"'?\bthe copy of (\w+)\b'?")
_OPERAND = re.compile(r"'?\boperand(\d+)\b'?")
_UNREAD = re.compile(r"no statement reads '(\w+)', of which a size is read")


def explained(message: str, arrays: Mapping[str, Any]) -> str:
    """The message of a kernel, with parts of the arrays that are given as what they are, and with
    sizes that disagree."""

    def part(match: re.Match[str]) -> str:
        name, what, level = match.groups()
        if name not in arrays or match[0].strip("'") in arrays:
            return match[0]
        if isinstance(arrays[name], Encoded):
            return f"'{name}'"
        where = f" of level {level}" if level else ""
        return f"{'marks' if what == 'mask' else what}{where} of '{name}'"

    def sizes(match: re.Match[str]) -> str:
        first = _size(arrays.get(match[2]), int(match[1]))
        second = _size(arrays.get(match[4]), int(match[3]))
        known = first is not None and second is not None
        return f"{match[0]}, {first} and {second}" if known else match[0]

    message = _COPY.sub(r"'\1' in another order", message)
    return _SIZES.sub(sizes, _PART.sub(part, message))


def find_missing(message: str, arrays: Mapping[str, Any]) -> str | None:
    """The array of which the compiler says that nothing is known, if it is not given."""
    match = _UNREAD.search(message)
    return match[1] if match and match[1] not in arrays else None


def of_operands(message: str) -> str:
    """The message of a statement that es.einsum has made, of its operands and its result."""
    first, *others = message.split("\n")
    words = _OPERAND.sub(r"operand \1", first).replace("'result'", "the result")
    return "\n".join([without_place(words), *others])


def check_letters(subscripts: str, operands: tuple[Any, ...]) -> None:
    """Checks that operands have a dimension for each letter, and all of a letter one size.

    Raises ArgumentError.
    """
    sizes: dict[str, tuple[int, int]] = {}
    terms = subscripts.replace(" ", "").partition("->")[0].split(",")
    for number, (term, operand) in enumerate(zip(terms, operands, strict=False)):
        shape = _shape(operand)
        if shape is None:
            continue
        if len(shape) != len(term):
            raise ArgumentError(
                f"operand {number} of {subscripts!r} has {len(term)} letters, and an array of "
                f"{len(shape)} dimensions is given"
            )
        for letter, size in zip(term, shape, strict=True):
            before, where = sizes.setdefault(letter, (size, number))
            if size != before:
                raise ArgumentError(
                    f"letter {letter!r} of {subscripts!r} is of size {before} in operand {where}, "
                    f"and of size {size} in operand {number}"
                )


def _shape(given: Any) -> tuple[int, ...] | None:
    """How large an argument is; None if it does not say."""
    if isinstance(given, list | tuple):
        try:
            given = np.asarray(given)
        except ValueError:
            return None
    shape = getattr(given, "shape", None)
    return None if shape is None else tuple(int(size) for size in shape)


def _size(given: Any, dimension: int) -> int | None:
    shape = _shape(given)
    return None if shape is None or dimension >= len(shape) else shape[dimension]
