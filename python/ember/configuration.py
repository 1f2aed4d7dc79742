"""Ember's environment variables, and the switch that leaves everything to PyTorch.

Each variable is read where it matters, mostly at the time of use; docs/configuration.md has the
same table.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import contextlib
import difflib
import os
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass

OFF = ("", "0", "false", "no", "off")


@dataclass(frozen=True)
class Variable:
    """An environment variable: its name, what holds without it, what it does, what it may be."""

    name: str
    default: str
    meaning: str
    pattern: str = ".+"

    def is_well(self, value: str) -> bool:
        """Whether it may have a value."""
        return re.fullmatch(self.pattern, value) is not None


VARIABLES = (
    Variable("EMBER_BIN_DIR", "the package's own", "folder of emberc and the other programs"),
    Variable(
        "EMBER_CACHE_DIR", "$XDG_CACHE_HOME/ember or ~/.cache/ember", "folder of compiled kernels"
    ),
    Variable(
        "EMBER_CACHE_SIZE",
        "1G",
        "most bytes in it: a number, K, M or G behind it, 0: any",
        r"\d+[KMG]?",
    ),
    Variable("EMBER_CACHE_SHARED", "0", "1: that folder may be other users', who may write to it"),
    Variable("EMBER_COMPILER", "emberc on PATH", "program that statements in C++ are compiled by"),
    Variable("EMBER_DATA", "shared/data beside the checkout", "folder of reuse histograms"),
    Variable("EMBER_DISABLE", "0", "1: everything runs in PyTorch, no kernel is built or called"),
    Variable(
        "EMBER_LOAD_ANY_OWNER", "0", "1: root loads libraries and exports of other users, too"
    ),
    Variable(
        "EMBER_LOG",
        "nothing",
        "debug, info, warning: messages of that level to stderr",
        "(?i:debug|info|warning)",
    ),
    Variable(
        "EMBER_NUM_THREADS",
        "OMP_NUM_THREADS, or all processors",
        "threads of kernels' loops, 1 to 256",
        r"[1-9]\d?|1\d\d|2[0-4]\d|25[0-6]",
    ),
    Variable("EMBER_OPENMP", "1", "0: kernels' loops run on threads of their own only", "[01]"),
    Variable("EMBER_PROGRESS", "0", "1: long compilations are shown on a terminal"),
)
_NAMES = frozenset(variable.name for variable in VARIABLES)


def text(name: str) -> str | None:
    """What a variable of VARIABLES says; None if it is not set, or empty."""
    if name not in _NAMES:
        raise KeyError(name)
    return os.environ.get(name) or None


def flag(name: str) -> bool:
    """Whether a variable is set to anything but 0, false, no or off."""
    return (text(name) or "").lower() not in OFF


def misspelt_variables() -> dict[str, str]:
    """The variables of the environment that are nearly one of VARIABLES, with that one.

    Others that begin with EMBER_ are somebody's own: of ./run and of tests, for example.
    """
    close = {
        name: difflib.get_close_matches(name, _NAMES, n=1, cutoff=0.8)
        for name in sorted(os.environ)
        if name.startswith("EMBER_") and name not in _NAMES
    }
    return {name: found[0] for name, found in close.items() if found}


_lock = threading.Lock()
_disabled = int(flag("EMBER_DISABLE"))


def is_disabled() -> bool:
    """Whether calls go to PyTorch instead of kernels."""
    return _disabled > 0


@contextlib.contextmanager
def disabled() -> Iterator[None]:
    """While entered, everything runs as in PyTorch, in all threads: for comparisons and doubts.

    What ember.compile and backend="ember" have compiled stays and is called again afterwards.
    EMBER_DISABLE=1 does so for a whole process. Entries of a Library that are called directly run.
    """
    global _disabled
    with _lock:
        _disabled += 1
    try:
        yield
    finally:
        with _lock:
            _disabled -= 1
