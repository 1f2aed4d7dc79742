"""Venn diagrams of up to three operands, as SVG: which regions a loop visits.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Sequence
from html import escape
from zlib import crc32

from ember.sparse.explanation import Loop

WIDTH, HEIGHT = 260, 210
# Of one, two and three operands: centres, and the radius.
_CIRCLES = {
    1: ([(130.0, 108.0)], 62.0),
    2: ([(100.0, 108.0), (160.0, 108.0)], 62.0),
    3: ([(102.0, 92.0), (158.0, 92.0), (130.0, 138.0)], 54.0),
}
# Where names stand, outside of the circles.
_NAMES = {
    1: [(130.0, 36.0, "middle")],
    2: [(58.0, 46.0, "middle"), (202.0, 46.0, "middle")],
    3: [(54.0, 44.0, "middle"), (206.0, 44.0, "middle"), (196.0, 186.0, "start")],
}
VISITED, SKIPPED, LINE = "#f4a259", "#f7f7f5", "#33415c"


def venn_svg(loop: Loop) -> str:
    """The diagram of a loop of up to three operands; raises KeyError for more."""
    count = len(loop.operands)
    centres, radius = _CIRCLES[count]
    visited = {region.stored for region in loop.regions if region.visited}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" role="img" font-family="sans-serif" font-size="15">',
        f"<title>{escape(loop.variable)}: {escape(loop.set)}</title>",
        f'<rect x="1" y="1" width="{WIDTH - 2}" height="{HEIGHT - 2}" rx="8" '
        f'fill="{_colour(() in visited)}" stroke="{LINE}"/>',
    ]
    # Names are those of the whole page that the diagram is a part of.
    prefix = f"v{crc32(repr(loop).encode()):x}"
    definitions = "".join(
        f'<clipPath id="{prefix}c{number}">'
        f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}"/></clipPath>'
        for number, (x, y) in enumerate(centres)
    )
    parts.append(f"<defs>{definitions}</defs>")
    # What fewer operands store is painted first, and what more of them do over it.
    for region in sorted(loop.regions, key=lambda region: len(region.stored)):
        members = [loop.operands.index(name) for name in region.stored]
        if not members:
            continue
        x, y = centres[members[0]]
        shape = (
            f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{_colour(region.visited)}">'
            f"<title>{escape(region.reason)}</title></circle>"
        )
        for member in members[1:]:
            shape = f'<g clip-path="url(#{prefix}c{member})">{shape}</g>'
        parts.append(shape)
    parts += [
        f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="none" stroke="{LINE}" '
        'stroke-width="1.5"/>'
        for x, y in centres
    ]
    parts += [
        f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{LINE}">{escape(name)}</text>'
        for name, (x, y, anchor) in zip(loop.operands, _NAMES[count], strict=True)
    ]
    parts.append("</svg>")
    return "".join(parts)


def can_be_drawn(operands: Sequence[str]) -> bool:
    """Whether there is a diagram of so many operands."""
    return len(operands) in _CIRCLES


def _colour(is_visited: bool) -> str:
    return VISITED if is_visited else SKIPPED
