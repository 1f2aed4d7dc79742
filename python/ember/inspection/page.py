"""ember.show_page: one HTML file that shows a kernel at all levels side by side.

The file needs nothing else: styles and script are in it. A stream has one colour at every level.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from ember.compiler import Options
from ember.errors import CompileError
from ember.inspection.files import write_whole
from ember.inspection.levels import (
    LEVELS,
    LOOPS,
    Source,
    find_source,
    text_and_remarks,
    text_at,
)
from ember.inspection.listing import AROUND, Line, Listing, Token, read_listing
from ember.inspection.streams import StreamTable

DECOUPLED = tuple(level.name for level in LEVELS if level.stage.decoupled)
# Turns about the colour circle from one stream to the next: neighbours differ most.
GOLDEN_ANGLE = 137.508
FOLDER = Path(__file__).resolve().parent


def show_page(
    kernel: Any,
    file: str | os.PathLike[str] = "page.html",
    *,
    which: int | str | None = None,
    options: Options | None = None,
) -> Path:
    """Writes an HTML page that shows a kernel at all levels side by side; returns its path.

    A stream has the same colour in scf, slc, slcv and dlc, and the lines of the access program
    and the compute program have different borders. Remarks of passes stand behind lines of scf.
    Pointing at a value marks where it is used,
    pointing at a line the lines that come from the same line of the loops. The file loads nothing.
    Where the compiler gets no further than some level, the columns after it hold its error.

    kernel, which, options: as of show. Raises what show raises, and ArgumentError where the file
    cannot be written.
    """
    source = find_source(kernel, which, options)
    path = Path(file)
    write_whole(path, page_of(source))
    return path


def page_of(source: Source) -> str:
    """The text of the page; raises CompileError for what is no program."""
    loops = text_at(source, LOOPS)
    # From here on a location is a line of the loops.
    from_loops = Source(loops, source.options, source.label)
    listings: dict[str, Listing] = {}
    remarks: dict[int, list[str]] = {}
    for level in LEVELS:
        try:
            if level.is_given:
                text = source.program
            elif level is LOOPS:
                text = loops
            elif level.stage.is_program:
                text = text_at(from_loops, level, "--locations")
            else:
                # On the way to code all passes have their say.
                text, remarks = text_and_remarks(from_loops, level)
        except CompileError as error:
            # The levels before it tell what is wrong.
            text = "\n".join(f"// {line}" for line in str(error).splitlines())
        listings[level.name] = read_listing(text)
    table = StreamTable()
    streams: dict[str, Mapping[int, int]] = {name: table.find(listings[name]) for name in DECOUPLED}
    streams[LOOPS.name] = table.find_in_loops(listings[LOOPS.name])
    columns = [
        _Column(level.name, listings[level.name], streams.get(level.name, {})).html(
            level.stage.summary, remarks if level is LOOPS else {}
        )
        for level in LEVELS
    ]
    choices = [
        f'<label><input type="checkbox" checked data-column="{level.name}"> {level.name}</label>'
        for level in LEVELS
    ]
    return (
        (FOLDER / "page.html")
        .read_text()
        .replace("{{title}}", escape(source.label))
        .replace("{{options}}", escape(" ".join(source.options.arguments())))
        .replace("{{style}}", (FOLDER / "page.css").read_text())
        .replace("{{streams}}", _stream_colours(len(table)))
        .replace("{{script}}", (FOLDER / "page.js").read_text())
        .replace("{{choices}}", "\n".join(choices))
        .replace("{{columns}}", "\n".join(columns))
    )


def _stream_colours(count: int) -> str:
    """Styles that give each stream its hue."""
    return "\n".join(
        f"[data-stream='{number}'] {{ --hue: {number * GOLDEN_ANGLE % 360:.0f}; }}"
        for number in range(count)
    )


class _Column:
    """A listing on its way to HTML; streams: of its values, by number."""

    def __init__(self, level: str, listing: Listing, streams: Mapping[int, int]) -> None:
        self.level = level
        self.listing = listing
        self.streams = streams
        self.names = listing.names()

    def html(self, title: str, remarks: Mapping[int, list[str]]) -> str:
        """The section; remarks: what is said about its lines, by their number."""
        lines = "\n".join(
            self._line(line, remarks.get(number, []))
            for number, line in enumerate(self.listing.lines, start=1)
        )
        return (
            f'<section id="{self.level}" aria-labelledby="{self.level}-title">\n'
            f'<h2 id="{self.level}-title">{self.level} <small>{escape(title)}</small></h2>\n'
            f'<ol tabindex="0">\n{lines}\n</ol>\n</section>'
        )

    def _line(self, line: Line, remarks: list[str]) -> str:
        attributes = f' class="{line.side}"' if line.side != AROUND else ""
        if line.origin is not None:
            attributes += f' data-origin="{line.origin}"'
        if remarks:
            attributes += f' data-remark="{escape("; ".join(remarks))}"'
        return f"<li{attributes}><code>{''.join(map(self._token, line.tokens))}</code></li>"

    def _token(self, token: Token) -> str:
        text = escape(token.text)
        if token.value is None:
            marked = token.kind in ("operation", "type", "string", "comment")
            return f'<i class="{token.kind}">{text}</i>' if marked else text
        attributes = f'class="value{" definition" if token.defines else ""}"'
        attributes += f' data-value="{self.level}-{token.value}"'
        if token.value in self.streams:
            attributes += f' data-stream="{self.streams[token.value]}"'
        if token.value in self.names:
            attributes += f' title="{escape(self.names[token.value])}"'
        return f"<b {attributes}>{text}</b>"
