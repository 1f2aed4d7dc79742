"""Says that a compilation is still going on, when it takes long.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import logging
import re
import sys
import time

from ember import configuration

_log = logging.getLogger(__name__)
# Seconds until the first message; the next one comes after as many again.
PATIENCE = 5.0
# Seconds between two pictures on a terminal.
TICK = 0.5
FUNCTION = re.compile(r"\bfunc(?:\.func)?\s+(?:public\s+)?@([\w$.-]+)")


def name_of(program: str) -> str:
    """What to call a program: its first function."""
    found = FUNCTION.search(program)
    return found[1] if found else "a program"


class Progress:
    """Of one compilation: tick is called now and then, done at the end."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._began = time.monotonic()
        self._next = PATIENCE
        self._shows = configuration.flag("EMBER_PROGRESS") and sys.stderr.isatty()
        self._shown = False

    def interval(self) -> float:
        """Seconds until the next tick."""
        return TICK if self._shows else max(self._next - self._seconds(), 0.01)

    def tick(self) -> None:
        """Time has passed."""
        seconds = self._seconds()
        if seconds >= self._next:
            _log.info("still compiling %s, after %.0f s", self._name, seconds)
            self._next = 2 * seconds
        if self._shows:
            self._shown = True
            self._write(f"\r\033[Kember: compiling {self._name}: {seconds:.1f} s")

    def done(self) -> None:
        """Leaves the terminal as it was."""
        if self._shown:
            self._write("\r\033[K")

    def _seconds(self) -> float:
        return time.monotonic() - self._began

    @staticmethod
    def _write(text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()
