"""Runs a program at every level, optimisation level and target, with arrays in files.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from ember.compiler import find_tool
from numpy.typing import NDArray


@dataclass(frozen=True)
class Way:
    """A way to run a program: passes that come first, then ember-run's options."""

    name: str
    passes: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    @property
    def is_recoupled(self) -> bool:
        """True if the program is optimised, and then one program of loops again."""
        return self.name.startswith("slcv") and self.name.endswith("recoupled")

    @property
    def is_target(self) -> bool:
        """True if the whole program is compiled for a target."""
        return self.name.startswith(("cpu", "dae-threads"))


def ways() -> Iterator[Way]:
    """All levels, optimisation levels and targets; the first is the plain program."""
    yield Way("scf-O0", (), ("-O0",))
    yield Way("scf-O3", (), ("-O3",))
    yield Way("slc", ("--scf-to-slc",))
    yield Way("slc-recoupled", ("--scf-to-slc", "--convert-slc-to-scf"))
    for level in range(5):
        optimized = ("--scf-to-slc", f"--optimize=opt-level={level}")
        yield Way(f"slcv-O{level}", optimized)
        yield Way(f"slcv-O{level}-recoupled", (*optimized, "--convert-slc-to-scf"))
        yield Way(f"dlc-O{level}", (*optimized, f"--slc-to-dlc=opt-level={level}"))
        yield Way(f"cpu-O{level}", (), ("--target=cpu", f"-O{level}", "--threads=3"))
        yield Way(
            f"dae-threads-O{level}",
            (),
            ("--target=dae-threads", f"-O{level}", "--schedule=threads"),
        )


WAYS = tuple(ways())

# An argument: an array, or a scalar or the sizes of a sparse tensor as ember-run spells them.
Argument = NDArray | list[int] | int | float


def run_program(
    source: Path, way: Way, arguments: Sequence[Argument], folder: Path, saved: Sequence[str]
) -> list[NDArray]:
    """Runs the function "kernel" and returns what is saved: "save=K" parameter K,
    "save-result=K" result K. The folder is made for the run, and removed."""
    folder.mkdir()
    words = []
    for k, argument in enumerate(arguments):
        if not isinstance(argument, np.ndarray):
            words.append(str(argument))
            continue
        np.save(folder / f"{k}.npy", argument)
        words.append(f"@{folder / f'{k}.npy'}")
    program_file = source
    if way.passes:
        program_file = folder / "program.mlir"
        call("ember-opt", *way.passes, source, "-o", program_file)
    files = [folder / f"result{k}.npy" for k in range(len(saved))]
    saves = [f"--{what}:{file}" for what, file in zip(saved, files, strict=True)]
    call("ember-run", program_file, "--entry=kernel", *words, *saves, *way.options)
    loaded = [np.load(file) for file in files]
    shutil.rmtree(folder)
    return loaded


def call(tool: str, *arguments: object) -> None:
    """Runs one of Ember's programs; its errors are the test's."""
    command = [str(find_tool(tool)), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"
