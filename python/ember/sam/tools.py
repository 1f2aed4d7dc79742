"""Runs the programs that translate, evaluate and simulate graphs.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from ember.compiler import find_tool
from ember.errors import CompileError

# Where a message is from: a file that nobody but this package knows.
_PLACE = re.compile(r"^(?:\S*/)?graph\.mlir:\d+:\d+: ")


def run_tool(name: str, arguments: Sequence[str | Path]) -> str:
    """What a program of Ember's prints; raises CompileError with what it says where it fails."""
    command = [str(find_tool(name)), *map(str, arguments)]
    try:
        run = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        raise CompileError(f"cannot run {name}: {error}") from error
    if run.returncode != 0:
        raise CompileError(message_of(run.stderr) or f"{name} exited with status {run.returncode}")
    return run.stdout


def message_of(text: str) -> str:
    """The first error of what a program said, without the place in a temporary file and what
    stands there, and with what belongs to it."""
    lines = text.strip().splitlines()
    # A line with an arrow points into the line of the program before it.
    arrows = {number for number, line in enumerate(lines) if line.strip() and not line.strip(" ^~")}
    shown: list[str] = []
    for number, line in enumerate(lines):
        said = _PLACE.sub("", line)
        if said.startswith("error: ") and shown:
            break
        if arrows.isdisjoint((number, number + 1)) and "see current operation:" not in said:
            shown.append(said.removeprefix("error: "))
    return "\n".join(shown).strip()
