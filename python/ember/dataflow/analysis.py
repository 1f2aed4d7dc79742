"""Asks ember-dag about a program.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ember.compiler import find_tool
from ember.dataflow.compiled import record
from ember.dataflow.pictures import draw
from ember.dataflow.rolling import program_of
from ember.dataflow.table import Table
from ember.errors import ArgumentError


@dataclass(frozen=True)
class Analysis:
    """What ember-dag says of a program.

    report: its JSON: `nodes`, `edges`, `criticalPath`, `orders`, and `traffic`, an entry for each
    scheme. machine: what the traffic is on. program: what was analysed, if it is no file.
    """

    report: dict[str, Any]
    machine: dict[str, Any]
    program: dict[str, Any] | None = None

    @property
    def table(self) -> Table:
        """What each scheme moves: words, bytes, and as a part of what the first one does."""
        entries = self.report["traffic"]
        first = float(entries[0]["words"]) if entries else 0.0
        return Table(
            ("scheme", "words read", "words written", "bytes", "of the first", "traversals"),
            tuple(
                (
                    entry["scheme"],
                    float(entry["reads"]),
                    float(entry["writes"]),
                    float(entry["bytes"]),
                    float(entry["words"]) / first if first else 0.0,
                    float(entry["traversals"]),
                )
                for entry in entries
            ),
        )

    def to_dataframe(self) -> Any:
        """The table as a DataFrame of pandas; raises UnsupportedError without it."""
        return self.table.to_dataframe()

    def plot(self, picture: str = "traffic") -> Any:
        """A Figure of matplotlib: of the `graph` with the patterns of its edges, of the `orders` of
        loops, or of the `traffic`: GOGETA's figures 7, 8 and 10."""
        return draw(self.report, picture)

    def traffic(self, scheme: str) -> dict[str, Any]:
        """The entry of a scheme, as `GOGETA-map`. Raises ArgumentError if it was not asked for."""
        for entry in self.report["traffic"]:
            if entry["scheme"] == scheme:
                found: dict[str, Any] = entry
                return found
        known = ", ".join(entry["scheme"] for entry in self.report["traffic"])
        raise ArgumentError(f"no scheme {scheme!r}: there are {known}")

    def words(self, scheme: str) -> float:
        """Words that a scheme reads from DRAM and writes to it."""
        return float(self.traffic(scheme)["words"])

    def pattern(self, source: str, target: str) -> str:
        """The pattern of the edge between two nodes, which are named as in `nodes`."""
        for edge in self.report["edges"]:
            if (edge["source"], edge["target"]) == (source, target):
                return str(edge["pattern"])
        raise ArgumentError(f"no edge from {source!r} to {target!r}")


def analyze(
    program: Mapping[str, Any] | str | Path | Callable[..., Any],
    arguments: Sequence[Any] = (),
    *,
    machine: Mapping[str, Any] | None = None,
    iterations: int = 10,
    options: Sequence[str] = (),
) -> Analysis:
    """Patterns, loop orders and traffic of a program.

    program: JSON as docs/dataflow.md describes it, as a dict, or a file: of JSON, or of a function
    in MLIR; or a function of NumPy's, SciPy's or PyTorch's arrays, which is called with `arguments`
    to see what it does. Of these, nothing is computed but what its course depends on. Operations
    that repeat are a loop, and the program is that alone. machine: fields of a machine file; those
    that are missing are of GOGETA's table 4. iterations: how often a loop is unrolled. options:
    others of ember-dag's, such as `--shared-reads=always`.

    Raises ArgumentError with what ember-dag says of a program, a machine or options that are wrong.
    """
    if callable(program):
        program = program_of(record(program, arguments))
    elif len(arguments):
        raise ArgumentError("arguments are for a function, and the program is none")
    with tempfile.TemporaryDirectory(prefix="ember-dag-") as name:
        folder = Path(name)
        if isinstance(program, Mapping):
            file = folder / "program.json"
            file.write_text(json.dumps(program))
        else:
            file = Path(program)
        command = [
            str(find_tool("ember-dag")),
            str(file),
            "--format=json",
            f"--iterations={iterations}",
            *options,
        ]
        if machine is not None:
            (folder / "machine.json").write_text(json.dumps(dict(machine)))
            command.append(f"--machine={folder / 'machine.json'}")
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ArgumentError(done.stderr.strip().removeprefix("error: "))
    known = dict(program) if isinstance(program, Mapping) else None
    return Analysis(json.loads(done.stdout), dict(machine or {}), known)
