"""./run bench sweeps: how much the parameters matter that nobody knows of the paper's machine.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import json
import tempfile
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ember
from ember.places import machine_folder

from benchmarks.cpu.document import DocumentTable
from benchmarks.figures import workloads
from benchmarks.figures.runs import Run, run_all

# What changes less than that is listed by its name alone.
LEAST = 0.05
TABLE = DocumentTable("sweeps", "times over those of the defaults")
# Estimates of energy follow theirs; seeds are no parameters of machines.
LEFT_OUT = ("energy.", "seed")


@dataclass(frozen=True)
class Parameter:
    """One that is marked as unknown: its full name, its default, and what it may be instead."""

    name: str
    default: Any
    others: tuple[Any, ...]

    def changes(self, value: Any) -> dict[str, Any]:
        """The machine that differs in this alone."""
        changed: Any = value
        for part in reversed(self.name.split(".")):
            changed = {part: changed}
        return dict(changed)


@dataclass(frozen=True)
class Swept:
    """Ratios of times by workload, for one value of a parameter; None: the machine has no such."""

    parameter: Parameter
    value: Any
    ratios: tuple[float | None, ...]

    def most(self) -> float:
        """How much it changes a time, at most, as a factor above 1."""
        return max((max(one, 1 / one) for one in self.ratios if one), default=1.0)


CASES: dict[str, tuple[workloads.Workload, dict[str, Any]]] = {
    "bags on a unit": (workloads.bags("RM1", "L0", 1), {"unit": "tmu"}),
    "sums of neighbours on a core": (
        workloads.aggregation("arxiv", 1 / 256),
        {"plain_loops": True},
    ),
    "sums of neighbours on a unit": (workloads.aggregation("arxiv", 1 / 256), {"unit": "tmu"}),
    "gather on a unit": (workloads.attention(8, 8), {"unit": "tmu", "opt_level": 4}),
}


def unknown_parameters(schema: Mapping[str, Any], prefix: str = "") -> Iterator[Parameter]:
    """Parameters of a schema of machines whose descriptions say that they are unknown."""
    for key, field in schema.get("properties", {}).items():
        name = prefix + key
        if field.get("type") == "object":
            yield from unknown_parameters(field, f"{name}.")
        elif "(unknown" in field.get("description", "") and not any(
            part in name for part in LEFT_OUT
        ):
            yield Parameter(name, field["default"], tuple(_others(field)))


def _others(field: Mapping[str, Any]) -> Iterator[Any]:
    """What a parameter is swept over: its other names, or half and twice its number."""
    default = field["default"]
    if isinstance(default, bool):
        yield not default
    elif "enum" in field:
        yield from (value for value in field["enum"] if value != default)
    else:
        for value in (default / 2, default * 2 if default else 1):
            number = int(value) if field["type"] == "integer" else value
            least, most = field.get("minimum", number), field.get("maximum", number)
            if number != default and least <= number <= most:
                yield number


def sweep(parameters: Sequence[Parameter], kept: Path) -> list[Swept]:
    """Runs each case on the paper's machine and on each that differs in one value."""
    changes = [(one, value) for one in parameters for value in one.others]
    possible = [(one, value) for one, value in changes if is_possible(one.changes(value), kept)]
    machines: list[Any] = ["paper", *(one.changes(value) for one, value in possible)]
    runs = [
        Run(workload, machine, {"cores": 1, "compare": False, **options})
        for machine in machines
        for workload, options in CASES.values()
    ]
    times = [result.nanoseconds for result in run_all(runs, kept)]
    count = len(CASES)
    rows = []
    for number, (one, value) in enumerate(possible, start=1):
        mine = times[number * count : (number + 1) * count]
        ratios = tuple(a / b for a, b in zip(mine, times[:count], strict=True))
        rows.append(Swept(one, value, ratios))
    return sorted(rows, key=Swept.most, reverse=True)


def is_possible(machine: Mapping[str, Any], kept: Path) -> bool:
    """Whether there may be such a machine: values can contradict others."""
    run = Run(workloads.attention(1, 1), machine, {"cores": 1, "unit": "tmu", "compare": False})
    try:
        run_all([run], kept)
    except ember.CompileError:
        return False
    return True


def markdown(rows: Sequence[Swept]) -> str:
    """The rows as documents have them."""
    shown = [row for row in rows if row.most() >= 1 + LEAST]
    quiet = {row.parameter.name for row in rows} - {row.parameter.name for row in shown}
    head = ["parameter", "default", "instead", *CASES]
    lines = [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head))]
    for row in shown:
        cells = [f"`{row.parameter.name}`", f"{row.parameter.default}", f"{row.value}"]
        cells += ["" if ratio is None else f"{ratio:.2f}" for ratio in row.ratios]
        lines.append(f"| {' | '.join(cells)} |")
    names = ", ".join(f"`{name}`" for name in sorted(quiet))
    rest = f"Less than {100 * LEAST:.0f} % in all of these: {names}."
    return "\n".join(
        [
            TABLE.begin,
            "Times over those of the defaults, on one core; printed by `./run bench sweeps`.",
            "",
            *lines,
            "",
            *textwrap.wrap(rest, 120, break_on_hyphens=False),
            TABLE.end,
        ]
    )


def main(arguments: Sequence[str]) -> int:
    """Runs the sweep, and prints or writes its table."""
    parser = argparse.ArgumentParser(prog="./run bench sweeps", description=__doc__.splitlines()[0])
    parser.add_argument("--only", metavar="TEXT", default="", help="only parameters of such names")
    parser.add_argument("--write", metavar="FILE.md", type=Path, help="replaces the table in FILE")
    options = parser.parse_args(arguments)
    schema = json.loads((machine_folder() / "machine.schema.json").read_text())
    parameters = [one for one in unknown_parameters(schema) if options.only in one.name]
    with tempfile.TemporaryDirectory(prefix="ember-sweeps-") as folder:
        rows = sweep(parameters, Path(folder))
    TABLE.show(markdown(rows), options.write)
    return 0
