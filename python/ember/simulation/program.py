"""Runs a program, with arguments, in ember-sim.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ember.compiler import find_tool
from ember.dtypes import as_array
from ember.errors import ArgumentError, CompileError
from ember.kernel import Library
from ember.simulation.machine import BASE, machine_file
from ember.simulation.result import Simulation

# The access units that ember-sim knows.
UNITS = ("tmu", "indirection")


@dataclass(frozen=True)
class Settings:
    """How a program is simulated; see simulate."""

    machine: str | Path | Mapping[str, Any] | None = None
    unit: str | None = None
    cores: int | None = None
    opt_level: int = 3
    program_level: int | None = None
    lookup_level: str | None = None
    vector_length: int | None = None
    prefetch_distance: int | None = None
    plain_loops: bool = False
    sample: int | None = None
    compare: bool = True

    def check(self) -> None:
        """Raises ArgumentError for what ember-sim would not say as well."""
        if self.unit not in (None, "none", *UNITS):
            known = ", ".join(UNITS)
            raise ArgumentError(f"unit must be None or one of {known}, not {self.unit!r}")
        if self.opt_level not in range(5):
            raise ArgumentError(f"opt_level must be 0, 1, 2, 3 or 4, not {self.opt_level!r}")

    def flags(self, folder: Path) -> list[str]:
        """The options of the command line; what they need is written into the folder."""
        machine = BASE if self.machine is None else self.machine
        named = {
            "machine": machine_file(machine, folder),
            "unit": self.unit,
            "cores": self.cores,
            "program-level": self.program_level,
            "lookup-level": self.lookup_level,
            "vector-length": self.vector_length,
            "prefetch-distance": self.prefetch_distance,
            "sample": self.sample,
        }
        flags = [f"-O{self.opt_level}"]
        flags += ["--plain-loops"] if self.plain_loops else []
        flags += [] if self.compare else ["--no-compare"]
        return flags + [f"--{key}={value}" for key, value in named.items() if value is not None]


def simulate_program(
    program: str | Path | Library, inputs: Sequence[Any], entry: str | None, settings: Settings
) -> Simulation:
    """Runs one function of a program in ember-sim; see simulate."""
    settings.check()
    if isinstance(inputs, str) or not isinstance(inputs, Sequence):
        raise ArgumentError(
            f"inputs must be a list of arrays and numbers, not a {type(inputs).__name__}"
        )
    text = _text(program)
    with tempfile.TemporaryDirectory(prefix="ember-sim-") as name:
        folder = Path(name)
        source, statistics = folder / "program.mlir", folder / "statistics.json"
        source.write_text(text)
        command = [str(find_tool("ember-sim")), str(source)]
        command += [_argument(value, k, folder) for k, value in enumerate(inputs)]
        command += [*settings.flags(folder), f"--stats={statistics}"]
        command += [] if entry is None else [f"--entry={entry}"]
        try:
            run = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            raise CompileError(f"cannot run ember-sim: {error}") from error
        if run.returncode != 0:
            said = run.stderr.strip().removeprefix("error: ")
            raise CompileError(said or f"ember-sim exited with status {run.returncode}")
        return Simulation(json.loads(statistics.read_text()), run.stdout.strip())


def _text(program: str | Path | Library) -> str:
    """The MLIR text of a program."""
    if isinstance(program, Library):
        if program.program is None:
            raise ArgumentError(
                f"{program.path} was loaded from its file: its program is not known"
            )
        return program.program
    if isinstance(program, str) and ("\n" in program or "func.func" in program):
        return program
    if not isinstance(program, str | Path):
        raise ArgumentError(
            f"program must be MLIR text, a path or an ember.Library, not {type(program).__name__}"
        )
    try:
        return Path(program).read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise ArgumentError(f"cannot read the program: {error}") from error


def _argument(value: Any, position: int, folder: Path) -> str:
    """An argument as the command line has it; arrays are written into the folder."""
    number = value.item() if isinstance(value, np.generic) else value
    if isinstance(number, bool):
        return "true" if number else "false"
    if isinstance(number, int | float):
        return repr(number)
    file = folder / f"{position}.npy"
    # A tensor that needs its gradient is read all the same.
    detached = value.detach() if hasattr(value, "detach") else value
    np.save(file, as_array(detached))
    return f"@{file}"
