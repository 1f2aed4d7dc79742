"""ember.simulate: programs, and models of PyTorch, on a simulated machine.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack, overload

from ember.errors import ArgumentError
from ember.kernel import Library
from ember.simulation.program import Settings, simulate_program
from ember.simulation.recording import simulate_model
from ember.simulation.result import ModelSimulation, Simulation


class Options(TypedDict, total=False):
    """The options of simulate; their defaults are those of Settings."""

    machine: str | Path | Mapping[str, Any] | None
    unit: str | None
    cores: int | None
    opt_level: int
    program_level: int | None
    lookup_level: str | None
    vector_length: int | None
    prefetch_distance: int | None
    plain_loops: bool
    sample: int | None
    compare: bool


@overload
def simulate(
    program: str | Path | Library,
    inputs: Sequence[Any],
    *,
    entry: str | None = None,
    **options: Unpack[Options],
) -> Simulation: ...


@overload
def simulate(
    program: Callable[..., Any],
    inputs: Sequence[Any],
    *,
    entry: None = None,
    **options: Unpack[Options],
) -> ModelSimulation: ...


def simulate(
    program: str | Path | Library | Callable[..., Any],
    inputs: Sequence[Any],
    *,
    entry: str | None = None,
    **options: Unpack[Options],
) -> Simulation | ModelSimulation:
    """Runs a program or a model on a simulated machine; its results are checked.

    program: one of
      - MLIR text, a file of it, or a library that was compiled from it, such as one of
        ember.libraries(). inputs are arrays and numbers, in the order of the function's
        parameters, and stay as they are; entry is the function, None the only one.
      - an nn.Module or a function, which may be what ember.compile returned. It is called once
        with the inputs, and each kernel that the call makes is simulated; what PyTorch itself
        does in between is not.

    options:
      - machine: a preset's name, a file, or a dict of changes to the one it "extends"; None: the
        paper's.
      - unit: the access unit beside each core, "tmu" or "indirection"; None: none.
      - cores: None for as many as the machine has.
      - opt_level, program_level, lookup_level, vector_length, prefetch_distance, plain_loops: as
        the command line has them, which docs/simulator.md describes.
      - sample: instructions from one sample to the next, for long runs.
      - compare: also run the program on this processor, to compare results (default: True).

    Raises ArgumentError, UnsupportedError where a model calls no kernel, or CompileError with what
    ember-sim said.
    """
    settings = Settings(**options)
    if not callable(program):
        return simulate_program(program, inputs, entry, settings)
    if entry is not None:
        raise ArgumentError("entry is of programs: all kernels that a model calls are simulated")
    return simulate_model(program, inputs, settings)
