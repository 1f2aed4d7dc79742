"""What became of a statement: which coordinates its loops visit, why, and what decouples.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Region:
    """Coordinates that some operands store, and no others.

    stored: the operands. visited: whether the loop has them. reason: what the statement is there.
    """

    stored: tuple[str, ...]
    visited: bool
    reason: str

    @property
    def name(self) -> str:
        """The region in words."""
        if not self.stored:
            return "nowhere stored"
        return " and ".join(self.stored) + (" alone" if len(self.stored) == 1 else "")


@dataclass(frozen=True)
class LatticePoint:
    """What is walked together as long as all of it goes on. all: every coordinate, too."""

    walked: tuple[str, ...]
    all: bool
    set: str


@dataclass(frozen=True)
class Loop:
    """A loop that walks arrays in a format.

    variable: what it binds; reduces: the function that it reduces by, or None. depth: loops around
    it. operands: the arrays that it walks. set: the coordinates it visits, in terms of these.
    """

    variable: str
    reduces: str | None
    depth: int
    operands: tuple[str, ...]
    set: str
    regions: tuple[Region, ...]
    lattice: tuple[LatticePoint, ...]

    @staticmethod
    def from_json(fields: dict[str, Any]) -> "Loop":
        """Reads what `emberc --explain` writes of a loop."""
        return Loop(
            fields["variable"],
            fields["reduces"],
            fields["depth"],
            tuple(fields["operands"]),
            fields["set"],
            tuple(Region(tuple(r["stored"]), r["visited"], r["reason"]) for r in fields["regions"]),
            tuple(LatticePoint(tuple(p["walked"]), p["all"], p["set"]) for p in fields["lattice"]),
        )

    @property
    def title(self) -> str:
        """The loop in a line."""
        how = f"{self.reduces} over {self.variable}" if self.reduces else f"for {self.variable}"
        return f"{how} in {self.set}"


@dataclass(frozen=True)
class Explanation:
    """What became of a statement: print it, or show it in a notebook; save() writes a page.

    text: the statement. loops: those that walk arrays in a format, outer ones first. program: the
    loops as they are compiled, in MLIR. remarks: what of them is not decoupled, and why.
    """

    text: str
    loops: tuple[Loop, ...]
    program: str
    remarks: tuple[str, ...]

    def __str__(self) -> str:
        lines = [self.text]
        if not self.loops:
            lines.append("no loop walks an array in a format: all coordinates are visited")
        for loop in self.loops:
            indent = "  " * (loop.depth + 1)
            lines.append(f"{indent}{loop.title}")
            for region in sorted(loop.regions, key=lambda region: -len(region.stored)):
                verb = "visited" if region.visited else "skipped"
                lines.append(f"{indent}  {verb}: {region.name}: {region.reason}")
            for point in loop.lattice:
                lines.append(f"{indent}  {describe_point(point)}")
        lines += self.remarks or ["everything is decoupled"]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from ember.sparse.explanation_page import body_of

        return body_of(self)

    def save(self, file: str | os.PathLike[str]) -> Path:
        """Writes a page of HTML that needs nothing else; returns its path."""
        from ember.sparse.explanation_page import page_of

        path = Path(file)
        path.write_text(page_of(self), encoding="utf-8")
        return path


def describe_point(point: LatticePoint) -> str:
    """A lattice point in a line."""
    walked = _join([*point.walked, *(["all coordinates"] if point.all else [])])
    return f"while there is more of {walked}: {point.set}"


def _join(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
