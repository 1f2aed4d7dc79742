"""Kernels of the gradients of statements.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ember.compiler import Notation
from ember.kernel import Entry
from ember.torch.calls.program import ENTRY, Program
from ember.torch.gradients.looked_up import LookedUp

GRADIENT = "_gradient"
# An entry of what is compiled from statements.
Build = Callable[[Notation, str], Entry]


@dataclass(frozen=True)
class GradientKernel:
    """A kernel of gradients: of which inputs, by place, and of what is looked up; the names of its
    parameters; those that have to hold zeros before; what else it is given; how it is built of
    edges that are grouped."""

    kernel: Callable[..., Any] | None
    wanted: tuple[int, ...] = ()
    lookups: tuple[LookedUp, ...] = ()
    parameters: tuple[str, ...] = ()
    initial: frozenset[str] = frozenset()
    given: tuple[LookedUp, ...] = ()
    notation: Notation | None = None


@dataclass(frozen=True)
class AskedGradient:
    """What a kernel of gradients is built from: of which inputs, and of what is looked up; the
    statements with what emberc is asked for. None where nothing but lookups is differentiated."""

    wanted: tuple[int, ...]
    lookups: tuple[LookedUp, ...]
    notation: Notation | None

    @staticmethod
    def of(program: Program, needed: Sequence[bool]) -> "AskedGradient":
        """That of a program's inputs that need a gradient."""
        of_rows = program.of_rows
        wanted = tuple(place for place, needs in enumerate(needed) if needs)
        lookups: tuple[LookedUp, ...] = ()
        if of_rows is not None:
            lookups = tuple(one for one in of_rows.lookups if one.table in wanted)
        notation = program.notation
        if of_rows is not None and lookups:
            if of_rows.notation is None:
                return AskedGradient((), lookups, None)
            notation = of_rows.notation
            wanted = tuple(place for place in wanted if program.inputs[place] in of_rows.inputs)
        names = [*(program.inputs[place] for place in wanted), *(one.name for one in lookups)]
        asked = f"--gradient={program.result}:{','.join(names)}"
        notation = replace(notation, arrays=(*notation.arrays, asked, "--only-gradient"))
        return AskedGradient(wanted, lookups, notation)


def gradient_kernel(program: Program, needed: Sequence[bool], built: Build) -> GradientKernel:
    """The kernel of the gradients of a program's inputs that need one; raises CompileError."""
    asked = AskedGradient.of(program, needed)
    if asked.notation is None:
        return GradientKernel(None, lookups=asked.lookups)
    entry = built(asked.notation, ENTRY + GRADIENT)
    parameters = tuple(parameter.name for parameter in entry.parameters)
    of_rows = program.of_rows
    given = tuple(one for one in (of_rows.lookups if of_rows else ()) if one.name in parameters)
    initial = frozenset(one.name for one in entry.parameters if one.initial is not None)
    kernel = entry.bind(gradients=True)
    return GradientKernel(
        kernel, asked.wanted, asked.lookups, parameters, initial, given, asked.notation
    )
