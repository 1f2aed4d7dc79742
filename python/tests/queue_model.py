"""What has to go through the queues, from the mathematics alone.

An operation is a sequence of lookups in segments: the edges of a vertex, the lookups of a bag,
the keys of a block for one query. The execute unit works on one lookup at a time and has room
for one row that stays in a segment. It has to learn of each lookup, which is a token, of each
segment that needs something even if it is empty, which is another, and of the end. It has to
get each row that is looked up, each row that stays when its segment begins, and the numbers
that are data: weights, values, where the results of a segment begin. What is counted from zero,
such as bags, it counts itself. At -O4 a token carries a number.

Nothing here knows what the compiler does; nothing in the compiler reads it.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Lookup:
    """The smallest piece of work.

    segment: which it belongs to; lookups of a segment follow each other.
    own_rows: rows that it looks up. staying_rows: rows that all lookups of the segment read.
    numbers: scalars of its own. segment_numbers: scalars that the segment is known by.
    """

    segment: tuple[int, ...]
    own_rows: int = 1
    staying_rows: int = 0
    numbers: int = 0
    segment_numbers: int = 0


@dataclass(frozen=True)
class Crossing:
    """What goes through the queues: tokens, rows, and scalars that are operands."""

    tokens: int
    rows: int
    numbers: int

    def operands(self, vectors_a_row: int) -> int:
        """The number of operands where a row is that many vectors."""
        return self.rows * vectors_a_row + self.numbers


def least_crossing(lookups: Iterable[Lookup], segment_tokens: int, numbers_ride: bool) -> Crossing:
    """What the lookups need at least.

    segment_tokens: how many segments need something even if they are empty.
    numbers_ride: whether a token can carry a number.
    """
    tokens, rows, numbers = segment_tokens + 1, 0, 0
    previous: tuple[int, ...] | None = None
    for lookup in lookups:
        is_first = lookup.segment != previous
        previous = lookup.segment
        tokens += 1
        rows += lookup.own_rows + is_first * lookup.staying_rows
        sent = lookup.numbers + is_first * lookup.segment_numbers
        numbers += max(sent - numbers_ride, 0)
    return Crossing(tokens, rows, numbers)
