"""Finds the streams of a program in its listings: which values at which level are the same one.

The listings come from one program of loops, each line of which holds one operation, so the line
that an operation comes from names its stream at every level. A stream that only passes another one
on (as a cast does) and the values that the compute program reads from it belong to it.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
from collections.abc import Iterable, Mapping

from ember.inspection.listing import ACCESS, AROUND, COMPUTE, Line, Listing

# Operations that define streams, besides loops.
DEFINES = re.compile(r"(slc|slcv|dlc)\.(\w+_str|as_scalar|get_\w+|new_tu)")
# Operations whose result is their operand in another form or at another place.
PASSES_ON = re.compile(r"(slc|slcv|dlc)\.(cast_str|fwd_str|as_scalar|str_to_val)")
STORES = re.compile(r"(slc|slcv|dlc)\.(vec_)?store_str")
LOOPS = ("slc.for", "slcv.vec_for")
CASE = re.compile(r"\s*case \d")
REGISTERED = re.compile(r"\bfor (\d+)\b")


class StreamTable:
    """Numbers for streams, the same in all listings that come from one program of loops."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        # By lines of the loops: the stream that each is, and which program it goes to.
        self._of_origin: dict[int, int] = {}
        self._sides: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def find(self, listing: Listing) -> dict[int, int]:
        """The streams of a decoupled program: values of the listing to numbers of streams."""
        streams: dict[int, int] = {}
        units: set[int] = set()
        for position, line in enumerate(listing.lines):
            self._note_side(line)
            defined = _stream_definitions(line)
            if not defined:
                continue
            passed = None
            if PASSES_ON.fullmatch(line.operation):
                used = [value for value in line.values(defines=False) if value not in units]
                passed = next((streams[value] for value in used if value in streams), None)
            if line.operation == "dlc.new_tu":
                units.update(defined)
            # An operation of unknown origin is a stream of its own.
            key = line.origin if line.origin is not None else (id(listing), position)
            number = self._number(key) if passed is None else passed
            streams.update(dict.fromkeys(defined, number))
            if line.origin is not None and line.side == ACCESS:
                self._of_origin.setdefault(line.origin, number)
        streams.update(_popped(listing, streams))
        return streams

    def find_in_loops(self, listing: Listing) -> dict[int, int]:
        """The streams of the program of loops itself, once others have been found."""
        streams: dict[int, int] = {}
        for position, line in enumerate(listing.lines, start=1):
            line.origin = position
            line.side = self._sides.get(position, AROUND)
            if line.opener is not None:
                line.side, line.origin = line.opener.side, line.opener.origin
            if position in self._of_origin:
                defined = _loop_counters(line) or line.values(defines=True)
                streams.update(dict.fromkeys(defined, self._of_origin[position]))
        return streams

    def _number(self, key: object) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def _note_side(self, line: Line) -> None:
        """What is looked up is of the access program, though the other one takes it over.

        A callback has the origin of what is in it, also where the access program announces it.
        """
        if line.origin is None:
            return
        if line.side == ACCESS and (_stream_definitions(line) or STORES.fullmatch(line.operation)):
            self._sides[line.origin] = ACCESS
        elif line.side == COMPUTE:
            self._sides.setdefault(line.origin, COMPUTE)


def _stream_definitions(line: Line) -> list[int]:
    if line.operation in LOOPS:
        return _loop_counters(line)
    if DEFINES.fullmatch(line.operation) or PASSES_ON.fullmatch(line.operation):
        return line.values(defines=True)
    return []


def _loop_counters(line: Line) -> list[int]:
    """The values that a loop's header defines for its body, without those carried."""
    if not line.operation.endswith((".for", ".vec_for", ".parallel")):
        return []
    counters: list[int] = []
    seen = False
    for token in line.tokens:
        seen |= token.kind == "operation"
        if seen and token.text == "=":
            break
        if seen and token.value is not None:
            counters.append(token.value)
    return counters


def _popped(listing: Listing, streams: Mapping[int, int]) -> dict[int, int]:
    """What each case pops is what is registered for it, one after the other."""
    registered: dict[str, list[int]] = {}
    popped: dict[str, list[int]] = {}
    case = ""
    for line in listing.lines:
        if line.operation == "dlc.register_operand" and (match := REGISTERED.search(line.text)):
            registered.setdefault(match[1], []).extend(_last(line.values(), streams))
        elif line.operation == "case":
            case = line.text.split()[1] if CASE.match(line.text) else ""
        elif line.operation == "dlc.pop_operand":
            popped.setdefault(case, []).extend(line.values(defines=True))
    found: dict[int, int] = {}
    for case, values in popped.items():
        operands = registered.get(case, [])
        if len(operands) == len(values):
            found.update(zip(values, operands, strict=True))
    return found


def _last(values: Iterable[int], streams: Mapping[int, int]) -> list[int]:
    """The stream that is named last, if any."""
    return [streams[value] for value in values if value in streams][-1:]
