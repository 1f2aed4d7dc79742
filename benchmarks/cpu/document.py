"""Tables that a command measures and writes into a document, between marks that it finds.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.command_line import processor_name, show_progress
from benchmarks.cpu.setting import use_threads

SPREADS = (
    "Times are medians of samples in turns; ± is half the distance of their quartiles, behind a "
    "ratio that of its longer time; -n: n samples were accidents and are left out; ?: unstable."
)


@dataclass(frozen=True)
class DocumentTable:
    """A table of `./run bench NAME`; what: what its numbers are, a sentence without its end."""

    name: str
    what: str

    @property
    def begin(self) -> str:
        """The line before the table."""
        return f"<!-- {self.name}: written by './run bench {self.name} --write', not by hand -->"

    @property
    def end(self) -> str:
        """The line behind the table."""
        return f"<!-- end of {self.name} -->"

    def markdown(self, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """The table as documents have it, with its marks and where it comes from."""
        return "\n".join(
            [
                self.begin,
                f"Printed by `./run bench {self.name}` on one thread of {processor_name()}: "
                f"{self.what}. {SPREADS}",
                "",
                *(f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)),
                self.end,
            ]
        )

    def write(self, file: Path, text: str) -> None:
        """Replaces what a document has between the marks; raises ValueError if it has none."""
        before, begin, rest = file.read_text().partition(self.begin)
        _, end, after = rest.partition(self.end)
        if not begin or not end:
            raise ValueError(f"{file} has no table of './run bench {self.name}' to replace")
        file.write_text(before + text + after)

    def parser(self, about: str, seconds: float) -> argparse.ArgumentParser:
        """The options of the command; about: its help, seconds: measured for each row."""
        parser = argparse.ArgumentParser(prog=f"./run bench {self.name}", description=about)
        parser.add_argument("--write", metavar="FILE.md", type=Path, help="replace the table there")
        parser.add_argument(
            "--seconds", type=float, default=seconds, help=f"for each row (default: {seconds:g})"
        )
        return parser

    def command(
        self,
        about: str,
        seconds: float,
        head: Sequence[str],
        rows: Callable[[float], Iterable[Sequence[str]]],
        arguments: Sequence[str],
    ) -> int:
        """Prints the table of what `rows` measures on one thread, in so many seconds each, and
        writes it into a document if asked to: the command's exit status."""
        options = self.parser(about, seconds).parse_args(arguments)
        use_threads(1)
        measured = list(rows(options.seconds))
        show_progress("")
        self.show(self.markdown(head, measured), options.write)
        return 0

    def show(self, text: str, file: Path | None) -> None:
        """Prints the table, and replaces it in a file if one is given."""
        print(text)
        if file:
            self.write(file, text)
