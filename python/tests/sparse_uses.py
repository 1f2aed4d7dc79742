"""Statements on arrays in formats, with what they compute, and their kernels.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from ember.kernel import Entry
from notation_kernels import Statement, compile_all
from numpy.typing import NDArray
from sparse_arrays import load, room, store


@dataclass
class Use:
    """A statement on arrays, some of them in formats; `expected` is what `result` is then."""

    text: str
    arrays: dict[str, NDArray]
    formats: dict[str, str]
    expected: NDArray
    result: str
    fills: dict[str, float] = field(default_factory=dict)
    #: Elements that are stored though they are the fill.
    also: dict[str, NDArray] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)

    def options(self) -> list[str]:
        """What emberc is told of the arrays."""
        return [
            f"--{option}={name}:{value}"
            for option, given in (
                ("format", self.formats),
                ("fill", self.fills),
                ("type", self.types),
            )
            for name, value in given.items()
        ]

    def statement(self) -> Statement:
        """The statement with its options."""
        return self.text, self.options()

    def parts(self, capacity: int = 64) -> dict[str, NDArray | int]:
        """What a kernel of the statement takes, by name."""
        parts: dict[str, NDArray | int] = {}
        for name, array in self.arrays.items():
            if name in self.formats:
                fill = self.fills.get(name, 0)
                parts |= store(name, array, fill, self.formats[name], self.also.get(name))
            else:
                parts[name] = array if array.ndim else array.item()
        shape, dtype = self.expected.shape, self.expected.dtype
        if self.result in self.formats:
            parts |= room(self.result, shape, dtype, self.formats[self.result], capacity)
        else:
            parts[self.result] = np.full(shape, 7, dtype)
        return parts

    def loaded(self, parts: dict[str, NDArray | int]) -> NDArray:
        """The result as a dense array."""
        if self.result not in self.formats:
            result = parts[self.result]
            assert isinstance(result, np.ndarray)
            return result
        fill = self.fills.get(self.result, 0)
        shape = self.expected.shape
        return load(self.result, parts, shape, fill, self.formats[self.result])

    def check(self, entry: Entry, but_nan: bool = False, way: str = "") -> None:
        """Runs a kernel of the statement.

        way: how it runs, for messages.
        but_nan: what is NaN to NumPy, such as 0 times infinity, may be an annihilator's result.
        """
        parts = self.parts()
        entry(*[parts[parameter.name] for parameter in entry.parameters])
        found = self.loaded(parts)
        if but_nan:
            found = np.where(np.isnan(self.expected), self.expected, found)
        np.testing.assert_allclose(found, self.expected, 1e-4, 1e-5, err_msg=f"{way} {self}")


def compile_many(uses: Sequence[Use]) -> list[Entry]:
    """The kernels of statements, in libraries of some each, one in three of them vectorised."""
    entries = []
    for begin in range(0, len(uses), 40):
        some = uses[begin : begin + 40]
        level = 1 if begin // 40 % 3 else 3
        entries += compile_all([use.statement() for use in some], level)
    return entries
