"""The compiler's stages and targets: what `emberc --print-tables` says, in tables.json.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from dataclasses import dataclass

from ember.tables import TABLES


@dataclass(frozen=True)
class Stage:
    """A row of the table of stages.

    name: what emberc calls it. level: at which a program of the stage is, "" for code. decoupled:
    access and compute are apart. shown_as: what pages and ember.show call it, first its title.
    made_from: the stage before it, "" for the first one and for code.
    """

    name: str
    summary: str
    shown_as: tuple[str, ...]
    level: str
    made_from: str
    decoupled: bool
    binary: bool

    @property
    def is_program(self) -> bool:
        """Whether it is a program still, not code."""
        return bool(self.level)


@dataclass(frozen=True)
class Target:
    """A row of the table of targets; orders_cases: options may name a profile."""

    name: str
    summary: str
    stage: str
    orders_cases: bool


def _read() -> tuple[tuple[Stage, ...], dict[str, Target]]:
    stages = tuple(
        Stage(
            row["name"],
            row["summary"],
            tuple(row["shown_as"]),
            row["level"],
            row["from"],
            row["decoupled"],
            row["binary"],
        )
        for row in TABLES["stages"]
    )
    targets = (
        Target(row["name"], row["summary"], row["stage"], row["orders_cases"])
        for row in TABLES["targets"]
    )
    return stages, {target.name: target for target in targets}


STAGES, TARGETS = _read()
