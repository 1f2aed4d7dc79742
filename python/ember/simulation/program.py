"""Runs a program, with arguments, in ember-sim.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ember.compiler import find_tool
from ember.dtypes import as_array
from ember.errors import ArgumentError, CompileError
from ember.kernel import Library
from ember.simulation.machine import BASE, machine_file
from ember.simulation.result import Simulation

UNITS = ("tmu", "indirection")


def simulate(
    program: str | Path | Library,
    inputs: Sequence[Any],
    *,
    entry: str | None = None,
    machine: str | Path | Mapping[str, Any] = BASE,
    unit: str | None = None,
    cores: int | None = None,
    opt_level: int = 3,
    program_level: int | None = None,
    vector_length: int | None = None,
    prefetch_distance: int | None = None,
    plain_loops: bool = False,
    sample: int | None = None,
    compare: bool = True,
) -> Simulation:
    """Runs one function of a program on a simulated machine; its results are checked.

    program: MLIR text, a file of it, or a library that was compiled from it, such as one of
    ember.libraries(). inputs: arrays and numbers, in the order of the function's parameters; they
    stay as they are. entry: the function; None: the only one. machine: a preset's name, a file, or
    a dict of changes to the one it "extends". unit: the access unit beside each core, "tmu" or
    "indirection". cores: None for as many as the machine has. sample: instructions from one sample
    to the next, for long runs. The others are those of the command line, where docs/simulator.md
    describes them; compare: also run the program on this processor, to compare results. Raises
    ArgumentError, or CompileError with what ember-sim said.
    """
    if unit is not None and unit not in UNITS:
        raise ArgumentError(f"unit must be None or one of {', '.join(UNITS)}, not {unit!r}")
    if opt_level not in range(5):
        raise ArgumentError(f"opt_level must be 0, 1, 2, 3 or 4, not {opt_level!r}")
    text = _text(program)
    with tempfile.TemporaryDirectory(prefix="ember-sim-") as name:
        folder = Path(name)
        source, statistics = folder / "program.mlir", folder / "statistics.json"
        source.write_text(text)
        command = [str(find_tool("ember-sim")), str(source)]
        command += [_argument(value, k, folder) for k, value in enumerate(inputs)]
        command += [f"--machine={machine_file(machine, folder)}", f"-O{opt_level}"]
        command.append(f"--stats={statistics}")
        named = {
            "entry": entry,
            "unit": unit,
            "cores": cores,
            "program-level": program_level,
            "vector-length": vector_length,
            "prefetch-distance": prefetch_distance,
            "sample": sample,
        }
        command += ["--plain-loops"] if plain_loops else []
        command += [] if compare else ["--no-compare"]
        command += [f"--{key}={value}" for key, value in named.items() if value is not None]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
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
