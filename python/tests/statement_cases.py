"""Statements with what they read and what their results are, and their runs in every way.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from ember.kernel import Entry
from notation_kernels import Statement, compile_in_way, ways_of
from numpy.typing import NDArray
from program_runs import Way

Arrays = dict[str, NDArray]


@dataclass
class Case:
    """A statement, what it reads, what its results are before and after it."""

    text: str
    inputs: Arrays
    outputs: Arrays
    expected: Callable[[Arrays], NDArray | tuple[NDArray, ...]]
    types: dict[str, str] = field(default_factory=dict)

    @property
    def result(self) -> str:
        """What is compared: the last array that is assigned to."""
        return list(self.outputs)[-1]

    def statement(self) -> Statement:
        """The statement with its options."""
        return self.text, [f"--type={name}:{type}" for name, type in self.types.items()]

    def run(self, entry: Entry) -> NDArray:
        """What a kernel of the statement computes."""
        names = [parameter.name for parameter in entry.parameters]
        assert set(names) == {*self.inputs, *self.outputs}
        arrays = {**self.inputs, **{name: array.copy() for name, array in self.outputs.items()}}
        entry(
            *(
                arrays[name] if arrays[name].ndim or name in self.outputs else arrays[name].item()
                for name in names
            )
        )
        return arrays[self.result]

    def check(self, entry: Entry, way: str) -> None:
        """Compares what a kernel computes with what is expected."""
        expected = self.expected({**self.inputs, **self.outputs})
        single = 2e-3 if self.outputs[self.result].dtype == np.float16 else 2e-5
        found = self.run(entry)
        np.testing.assert_allclose(found, expected, single, single, err_msg=f"{way}: {self.text}")


def entries_in(
    statements: Mapping[str, Statement], way: Way, levels: int = 3
) -> Iterator[tuple[str, Entry]]:
    """The names and kernels of the statements that run in that way.

    levels: at how many of the levels each statement runs if a seed draws them.
    """
    chosen = [name for name in statements if way in ways_of(name, levels)]
    if chosen:
        entries = compile_in_way([statements[name] for name in chosen], way)
        yield from zip(chosen, entries, strict=True)
