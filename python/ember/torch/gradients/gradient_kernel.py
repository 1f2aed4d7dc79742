"""Kernels of the gradients of statements.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ember.compiler import Notation
from ember.kernel import Entry
from ember.torch.calls.program import ENTRY, LookedUp, Program

GRADIENT = "_gradient"


class GradientKernel:
    """A kernel of the gradients of those of a program's inputs that need one.

    wanted: which inputs, by place. lookups: what is looked up whose gradient it makes. notation:
    what it is built from; None where nothing but lookups is differentiated. The others are those
    of the kernel, once it is built: the names of its parameters, those that have to hold zeros
    before, and what else it is given.
    """

    kernel: Callable[..., Any] | None = None
    parameters: tuple[str, ...] = ()
    initial: frozenset[str] = frozenset()
    given: tuple[LookedUp, ...] = ()

    def __init__(self, program: Program, needed: Sequence[bool]) -> None:
        self._program, of_rows = program, program.of_rows
        self.wanted = tuple(place for place, needs in enumerate(needed) if needs)
        self.lookups: tuple[LookedUp, ...] = ()
        notation: Notation | None = program.notation
        if of_rows is not None:
            self.lookups = tuple(one for one in of_rows.lookups if one.table in self.wanted)
        if of_rows is not None and self.lookups:
            notation, named = of_rows.notation, program.inputs
            self.wanted = tuple(place for place in self.wanted if named[place] in of_rows.inputs)
        names = [*(program.inputs[k] for k in self.wanted), *(one.name for one in self.lookups)]
        words = (f"--gradient={program.result}:{','.join(names)}", "--only-gradient")
        self.notation = notation and replace(notation, arrays=(*notation.arrays, *words))

    def build(self, built: Callable[[Notation, str], Entry]) -> None:
        """Builds it by what makes entries of statements; raises CompileError."""
        if self.notation is None:
            self.wanted = ()
            return
        entry = built(self.notation, ENTRY + GRADIENT)
        self.kernel = entry.bind(gradients=True)
        self.parameters = tuple(parameter.name for parameter in entry.parameters)
        self.initial = frozenset(one.name for one in entry.parameters if one.initial is not None)
        of_rows = self._program.of_rows
        lookups = of_rows.lookups if of_rows else ()
        self.given = tuple(one for one in lookups if one.name in self.parameters)
