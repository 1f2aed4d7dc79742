"""Explanations as text and as HTML: titles with lines below them.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import html
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """A line: what it is about, in a word or two, and what is said; depth 1 is about the last of
    depth 0."""

    what: str
    said: str
    depth: int = 0

    def __str__(self) -> str:
        indent = "  " * (self.depth + 1)
        return indent + (f"{self.what}: {self.said}" if self.what else self.said)


# A title, and what stands below it.
Section = tuple[str, Sequence[Line]]

CELL = "text-align: left; vertical-align: top; padding: 2px 12px 2px 0"
DETAIL = "font-size: 85%; opacity: 0.75; overflow-wrap: anywhere"


def text(sections: Sequence[Section]) -> str:
    """The sections as plain text, without a line break at the end."""
    blocks = ["\n".join([title, *map(str, lines)]) for title, lines in sections]
    return "\n\n".join(blocks)


def page(sections: Sequence[Section]) -> str:
    """The sections as a piece of HTML: a table for each, whose rows are the lines of depth 0."""
    parts = []
    for number, (title, lines) in enumerate(sections):
        shown = html.escape(title)
        parts.append(f"<p><strong>{shown}</strong></p>" if not number else f"<p>{shown}</p>")
        if lines:
            parts.append(f"<table>{''.join(map(_row, _with_details(lines)))}</table>")
    return f'<div class="ember-explanation">{"".join(parts)}</div>'


def _with_details(lines: Sequence[Line]) -> list[tuple[Line, list[Line]]]:
    """Lines of depth 0, each with those below it."""
    found: list[tuple[Line, list[Line]]] = []
    for line in lines:
        if line.depth:
            found[-1][1].append(line)
        else:
            found.append((line, []))
    return found


def _row(entry: tuple[Line, list[Line]]) -> str:
    line, details = entry
    said = html.escape(line.said)
    for detail in details:
        words = f"{detail.what}: {detail.said}" if detail.what else detail.said
        said += f'<div style="{DETAIL}">{html.escape(words)}</div>'
    return (
        f'<tr><th style="{CELL}; white-space: nowrap">{html.escape(line.what)}</th>'
        f'<td style="{CELL}">{said}</td></tr>'
    )
