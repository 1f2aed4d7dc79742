"""Which machine a simulation is of: a file, a preset, or changes to one.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ember.errors import ArgumentError
from ember.places import machine_folder

# What changes are to when they do not say.
BASE = "paper"


def presets() -> list[str]:
    """The names of the machines that come with Ember."""
    files = machine_folder().glob("*.json")
    return sorted(file.stem for file in files if file.name != "machine.schema.json")


def machine_file(machine: str | Path | Mapping[str, Any], folder: Path) -> Path:
    """The file of a machine; changes to one are written into the folder.

    Raises ArgumentError for a machine that is neither a preset nor a file.
    """
    if isinstance(machine, Mapping):
        base = machine_file(machine.get("extends", BASE), folder)
        file = folder / "machine.json"
        try:
            file.write_text(json.dumps({**machine, "extends": str(base)}))
        except TypeError as error:
            raise ArgumentError(f"the machine cannot be written as JSON: {error}") from error
        return file
    if not isinstance(machine, str | Path):
        raise ArgumentError(
            f"machine must be a name, a path or a dict, not {type(machine).__name__}"
        )
    if machine in presets():
        return machine_folder() / f"{machine}.json"
    if Path(machine).is_file():
        return Path(machine).resolve()
    known = ", ".join(presets()) or "none"
    raise ArgumentError(f"no machine {str(machine)!r}: it is no file, and presets are {known}")
