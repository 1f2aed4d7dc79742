"""Reads printed MLIR and LLVM IR into lines of tokens: what is a value, where it is defined.

This is no parser of MLIR: it reads what the printers of emberc write, one operation a line, and
takes anything else as plain text. A value's name holds in the region that defines it, so that two
values of one name in different regions are told apart.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
from dataclasses import dataclass, field

from ember.scalar_types import SCALARS

ACCESS, COMPUTE, AROUND = "access", "compute", "around"

TOKEN = re.compile(
    rf"""(?P<comment>//.*|(?:^|(?<=\s));.*|\#\ .*)
      | (?P<string>"(?:[^"\\]|\\.)*")
      | (?P<value>%[\w$.-]+(?:\#\d+)?)
      | (?P<type>![\w.]+|(?:memref|vector|tensor)(?=<)|(?:{"|".join(SCALARS)})\b(?!\.))
      | (?P<name>[A-Za-z_][\w.$]*)
      | (?P<number>-?\b\d[\w.+]*)
      | (?P<other>\s+|[^\s])""",
    re.VERBOSE,
)
# "%a, %b:2 = " in front of an operation.
RESULTS = re.compile(r"\s*(?:%[\w$.-]+(?::\d+)?\s*,?\s*)+=\s*")
LOCATION = re.compile(r'"(?:[^"\\]|\\.)*":(\d+):(\d+)')


@dataclass
class Token:
    """A piece of a line: its text, its kind (a group of TOKEN), for values which value it is."""

    text: str
    kind: str
    value: int | None = None
    defines: bool = False


@dataclass
class Line:
    """A line: its operation, side and origin, and the line that opened what it closes, if any.

    side: which program it belongs to, ACCESS, COMPUTE or AROUND both. origin: the line of the
    program of loops that its operation comes from, where that is known.
    """

    tokens: list[Token]
    operation: str = ""
    side: str = AROUND
    origin: int | None = None
    opener: "Line | None" = None

    @property
    def text(self) -> str:
        """The line as it was printed."""
        return "".join(token.text for token in self.tokens)

    def values(self, defines: bool | None = None) -> list[int]:
        """The values in it; only those it defines, or only those it uses."""
        return [
            token.value
            for token in self.tokens
            if token.value is not None and defines in (None, token.defines)
        ]


@dataclass
class Listing:
    """A program at one level."""

    lines: list[Line] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The program as it was printed, without locations."""
        return "\n".join(line.text for line in self.lines)

    def names(self) -> dict[int, str]:
        """What parameters are called, by the attribute ember.name that stands behind them."""
        found: dict[int, str] = {}
        for line in self.lines:
            parameter: int | None = None
            is_name = False
            for token in line.tokens:
                if token.defines:
                    parameter = token.value
                elif token.kind == "string" and is_name and parameter is not None:
                    found[parameter] = token.text.strip('"')
                if token.text.strip() not in ("", "="):
                    is_name = token.text == "ember.name"
        return found


def split_location(text: str) -> tuple[str, int | None]:
    """A line without the locations of its operation and arguments, and the operation's line.

    Of a location made of several the first counts.
    """
    kept, end, origin = [], 0, None
    for match in re.finditer(r" loc\(", text):
        if match.start() < end or _is_in_string(text, match.start()):
            continue
        close = _end_of_parentheses(text, match.end())
        kept.append(text[end : match.start()])
        location = LOCATION.search(text, match.end(), close)
        # The operation's own stands last, after those of arguments.
        origin = int(location[1]) if location else None
        end = close
    rest = text[end:]
    return "".join([*kept, rest]), origin if not rest.strip() else None


def _is_in_string(text: str, position: int) -> bool:
    return any(
        match.start() < position < match.end() for match in re.finditer(r'"(?:[^"\\]|\\.)*"', text)
    )


def _end_of_parentheses(text: str, position: int) -> int:
    """The position after the parenthesis that closes the one before a position."""
    depth = 1
    for match in re.compile(r'"(?:[^"\\]|\\.)*"|[()]').finditer(text, position):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if depth == 0:
            return match.end()
    return len(text)


# Operations that say which program the lines of their regions belong to.
SIDES = {
    "slc.for": ACCESS,
    "slcv.vec_for": ACCESS,
    "access": ACCESS,
    "slc.callback": COMPUTE,
    "compute": COMPUTE,
    "case": COMPUTE,
}


def read_listing(text: str) -> Listing:
    """Reads what emberc printed, with or without locations."""
    reader = _Reader()
    return Listing([reader.read(line) for line in text.rstrip("\n").split("\n")])


class _Reader:
    """Reads lines one after the other, keeping the regions that are open."""

    def __init__(self) -> None:
        self._regions: list[_Region] = [_Region(Line([]), {})]
        # Defined in a header, and known in the region that it opens.
        self._pending: dict[str, int] = {}
        self._parentheses = 0
        self._count = 0

    def read(self, text: str) -> Line:
        """The next line."""
        text, origin = split_location(text)
        tokens = [Token(match[0], str(match.lastgroup)) for match in TOKEN.finditer(text)]
        words = [token for token in tokens if token.text.strip() and token.kind != "comment"]
        results = RESULTS.match(text)
        after_results = results.end() if results else 0
        line = Line(tokens, _mark_operation(tokens, after_results), origin=origin)
        line.side = self._regions[-1].opener.side
        if words and words[0].text == "}" and len(self._regions) > 1:
            line.opener = opener = self._regions.pop().opener
            line.side = opener.side
            # Printed behind the region, it is the location of what opened it.
            if opener.origin is None:
                opener.origin = origin
        line.side = SIDES.get(line.operation, line.side)
        self._name_values(tokens, after_results)
        self._parentheses += sum({"(": 1, ")": -1}.get(token.text, 0) for token in words)
        if words and words[-1].text == "{":
            self._regions.append(_Region(line, self._pending))
            self._pending = {}
        elif self._parentheses <= 0:
            # Nothing opened: arguments of a block, or names this does not know better.
            self._regions[-1].names.update(self._pending)
            self._pending = {}
        return line

    def _name_values(self, tokens: list[Token], after_results: int) -> None:
        position = 0
        # In LLVM's functions, blocks and values may be named before they are defined.
        may_be_ahead = self._regions[-1].opener.operation == "define"
        for token in tokens:
            if token.kind == "value":
                name = token.text.split("#")[0]
                is_result = position < after_results
                names = self._regions[-1].names if is_result else self._pending
                if not is_result or may_be_ahead:
                    token.value = self._find(name)
                token.defines = is_result or (token.value is None and not may_be_ahead)
                if token.value is None:
                    token.value = names[name] = self._count
                    self._count += 1
            position += len(token.text)

    def _find(self, name: str) -> int | None:
        for names in (self._pending, *(region.names for region in reversed(self._regions))):
            if name in names:
                return names[name]
        return None


@dataclass
class _Region:
    """An open region: the line that opened it, and the values defined in it."""

    opener: Line
    names: dict[str, int]


def _mark_operation(tokens: list[Token], start: int) -> str:
    """The name of a line's operation, which is the first word behind the results."""
    position = 0
    for token in tokens:
        if position >= start and token.text.strip():
            if token.kind != "name":
                return ""
            token.kind = "operation"
            return token.text
        position += len(token.text)
    return ""
