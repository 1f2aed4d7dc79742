"""Numbers computed from rows of several tables, as scores of a knowledge graph's triples are.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from ember.compiler import Options
from ember.errors import ArgumentError
from ember.torch.program_call import ProgramCall
from ember.torch.region_call import NotTakenError, Reference
from ember.torch.repeat import MOST, Repeat, repeat_of
from ember.torch.row_expressions import ENTRY, RowProgram


class RowScoreCall(ProgramCall):
    """A number for each lookup. Inputs: tables (rows, length), indices (lookups), numbers.

    expected: values that numbers must have, by their places among the inputs: the program is
    written for them.
    """

    def __init__(
        self,
        reference: Reference,
        program: RowProgram,
        expected: Mapping[int, float],
        kept: bool,
        options: Options,
        raises: bool = False,
    ) -> None:
        super().__init__(
            reference,
            program.tables + program.indices + program.arguments + len(expected),
            program.text,
            ENTRY,
            options,
            raises,
        )
        self.program = program
        self.expected = expected
        self.kept = kept

    def forward(self, *inputs: Any) -> Tensor:
        for place, value in self.expected.items():
            if inputs[place] != value:
                raise NotTakenError
        program = self.program
        first = inputs[program.tables]
        if not len(first):
            raise NotTakenError
        out: Tensor = inputs[0].new_empty(len(first))
        last = program.tables + program.indices
        # Columns of a batch of triples lie apart.
        indices = [index.contiguous() for index in inputs[program.tables : last]]
        numbers = inputs[last : last + program.arguments]
        arguments = (*inputs[: program.tables], *indices, *numbers)
        try:
            self.kernel(*arguments, out)
        except ArgumentError:
            raise NotTakenError from None
        return out.unsqueeze(1) if self.kept else out

    def repeat_for(self, arguments: tuple[Any, ...]) -> Repeat | None:
        first = self.program.tables
        lookups = (first, 0, 0)
        return repeat_of(
            self.common,
            arguments,
            range(first + self.program.indices + self.program.arguments),
            0,
            (lookups, 1) if self.kept else (lookups,),
            kernel_sizes=(lookups,),
            bounds=[(first, 0, 1, MOST)],
            expected=list(self.expected),
        )
