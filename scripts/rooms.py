"""Checks that no room of the compiler uses one above it, and draws docs/architecture.md.

    rooms.py [--check]

A room is a folder of include/ember and lib, or several that stand side by side. Its arrows are its
#includes (of .cpp, .h and .td files) and what its libraries link. With --check nothing is written;
exit status 1 when the page differs from the code. An arrow that goes up or sideways is an error
with and without it.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).resolve().parents[1]
PAGE = Path("docs") / "architecture.md"
BEGIN, END = "<!-- Written by './run docs' from scripts/rooms.py. -->\n", "<!-- End of it. -->\n"
INCLUDE = re.compile(r'^\s*#?include\s+"ember/([^"]+)/[^"/]+"', re.MULTILINE)
OUTSIDE = re.compile(r'^\s*#?include\s+"(\.\./[^"]*)"', re.MULTILINE)
LIBRARY = re.compile(r"ember_(?:library|tool)\(\s*(\w[\w-]*)([^)]*)\)")
SOURCES = {".cpp", ".h", ".td", ".inc", ".def"}


@dataclass(frozen=True)
class Room:
    """A place in the compiler: the folders that match a pattern, and what is in them."""

    folders: str
    what: str
    #: Whether its folders may not use one another, may without coming back, or are one thing.
    inside: Literal["apart", "ordered", "one"] = "apart"

    @property
    def name(self) -> str:
        """How the page calls it."""
        return self.folders.rstrip("/*")


#: From the bottom up. A room uses rooms of lower floors only.
FLOORS: tuple[tuple[Room, ...], ...] = (
    (
        Room("Runtime", "what kernels link: memory, errors, threads, queues; no LLVM in it"),
        Room("Sim/*", "the machine simulator; no MLIR in it", "one"),
        Room("Analysis/IterationAlgebra", "sets of coordinates, and how they are visited"),
        Room("Analysis/EinsumGraph", "graphs of tensor operations: reuse, loop orders, traffic"),
    ),
    (
        Room("ABI", "what compiled code calls in the runtime"),
        Room("Target/Processor", "descriptions of processors: vectors, registers, caches"),
        Room(
            "Dialect/*/IR",
            "operations, types and attributes of a level or beside them, and their rules",
            "ordered",
        ),
    ),
    (
        Room("Analysis", "what passes ask: addresses, aliases, plans, cost, legality"),
        Room("Analysis/EinsumGraph/Import", "functions of tensors as such graphs"),
    ),
    (Room("Conversion/StreamCode", "the code that streams become, at any level"),),
    (
        Room("Loops/Transforms", "passes on plain loops: rows, segments, threads, prefetches"),
        Room("Checks", "run-time checks: accesses, offsets, views, divisors"),
    ),
    (Room("Dialect/*/Transforms", "passes within a level", "ordered"),),
    (
        Room("Dialect/CIN/Notation", "statements as text"),
        Room("Dialect/SAM/Evaluation", "what graphs of blocks compute"),
    ),
    (Room("Conversion/*", "passes from level to level", "ordered"),),
    (
        Room("Pipelines", "the named pipelines of the levels"),
        Room("Target/Native", "from loops to machine code, and running it"),
        Room("Target/TMU", "what a Tensor Marshaling Unit loads"),
        Room("Translate/*", "models of other systems as modules"),
    ),
    (Room("Driver", "what tools are made of: registration, files, cache, manifests"),),
    (Room("Simulation*", "programs on a simulated machine", "one"),),
    (Room("Fuzz*", "random programs, their evaluator, and running both", "one"),),
    (Room("tools/*", "thin mains"),),
)


def room_of(folder: str) -> tuple[int, Room] | None:
    """The floor and room that a folder (as in `Dialect/SLC/IR`) belongs to."""
    for floor, rooms in enumerate(FLOORS):
        for room in rooms:
            if fnmatch(folder, room.folders):
                return floor, room
    return None


@dataclass(frozen=True, order=True)
class Arrow:
    """One folder uses another one; `place` is where it says so."""

    source: str
    target: str
    place: str


def folders(root: Path) -> Iterator[tuple[str, Path]]:
    """The compiler's folders: their names, as in `Dialect/SLC/IR`, and where they are."""
    bases = [(root / "include" / "ember", ""), (root / "lib", ""), (root / "tools", "tools/")]
    bases += [(root / part / "include" / "ember", "") for part in ("runtime", "sim")]
    for base, prefix in bases:
        for path in sorted(base.rglob("*")):
            if path.is_dir() and any(file.is_file() for file in path.iterdir()):
                yield prefix + path.relative_to(base).as_posix(), path
    yield "Runtime", root / "runtime" / "lib"


def arrows(root: Path) -> Iterator[Arrow]:
    """All arrows between different folders."""
    owners: dict[str, str] = {}
    links: list[tuple[str, Path, str]] = []
    for folder, path in folders(root):
        for file in sorted(path.iterdir()):
            place = file.relative_to(root).as_posix()
            if file.suffix in SOURCES:
                text = file.read_text()
                for target in INCLUDE.findall(text):
                    if target != folder:
                        yield Arrow(folder, target, place)
                for target in OUTSIDE.findall(text):
                    yield Arrow(folder, target, place)
            elif file.name == "CMakeLists.txt":
                for name, arguments in LIBRARY.findall(file.read_text()):
                    owners[name] = folder
                    links += [(folder, file, word) for word in arguments.split()]
    for folder, file, word in links:
        if word in owners and owners[word] != folder:
            yield Arrow(folder, owners[word], file.relative_to(root).as_posix())


def complaints(found: list[Arrow]) -> Iterator[str]:
    """What is wrong with the arrows, a line each."""
    for arrow in found:
        for folder in (arrow.source, arrow.target):
            if not room_of(folder):
                yield f"{arrow.place}: '{folder}' is in no room (scripts/rooms.py)"
    uses: dict[str, set[str]] = {}
    for arrow in found:
        source, target = room_of(arrow.source), room_of(arrow.target)
        if not source or not target:
            continue
        if source[1] is target[1] and source[1].inside == "one":
            continue
        uses.setdefault(arrow.source, set()).add(arrow.target)
        if source[1] is target[1]:
            if source[1].inside == "apart":
                yield f"{arrow.place}: {arrow.source} uses {arrow.target}, which is beside it"
        elif target[0] >= source[0]:
            where = "above" if target[0] > source[0] else "beside"
            yield f"{arrow.place}: {arrow.source} uses {arrow.target}, which is {where} it"
    for arrow in found:
        if arrow.target in uses.get(arrow.source, ()) and arrow.source in reached(
            uses, arrow.target
        ):
            yield f"{arrow.place}: {arrow.source} uses {arrow.target}, which comes back to it"


def reached(uses: dict[str, set[str]], start: str) -> set[str]:
    """All that is used by `start`, itself or by way of others."""
    pending, seen = [start], set[str]()
    while pending:
        for target in uses.get(pending.pop(), set()) - seen:
            seen.add(target)
            pending.append(target)
    return seen


def drawing(found: list[Arrow]) -> str:
    """The picture, without arrows that follow from others, and the table of rooms."""
    uses: dict[str, set[str]] = {}
    for arrow in found:
        source, target = room_of(arrow.source), room_of(arrow.target)
        if source and target and source[1] is not target[1]:
            uses.setdefault(source[1].name, set()).add(target[1].name)
    rooms = [room for floor in reversed(FLOORS) for room in floor]
    label = {room.name: f"r{number}" for number, room in enumerate(rooms)}
    lines = ["```mermaid", "flowchart TD"]
    lines += [f'  {label[room.name]}["{room.name}"]' for room in rooms]
    for room in rooms:
        direct = uses.get(room.name, set())
        implied = set[str]().union(*(reached(uses, target) for target in direct))
        lines += [
            f"  {label[room.name]} --> {label[target]}"
            for target in sorted(direct - implied, key=lambda name: int(label[name][1:]))
        ]
    lines += ["```", "", "| room | what is there | uses |", "|---|---|---|"]
    for room in rooms:
        targets = ", ".join(
            f"`{other.name}`" for other in rooms if other.name in uses.get(room.name, set())
        )
        lines.append(f"| `{room.folders}` | {room.what} | {targets} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(prog="./run docs", description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, report differences")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args()
    found = sorted(set(arrows(options.root)))
    wrong = list(dict.fromkeys(complaints(found)))
    for line in wrong:
        print(f"error: {line}")
    page = options.root / PAGE
    text = page.read_text()
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    drawn = head + BEGIN + "\n" + drawing(found) + "\n" + END + tail
    if drawn != text:
        if options.check:
            print(f"error: {PAGE} does not show the rooms as they are: ./run docs")
            return 1
        page.write_text(drawn)
        print(f"{PAGE}: written")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
