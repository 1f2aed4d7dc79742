"""How many threads the loops of kernels run on, and whose they are.

Each kernel library has a runtime of its own; what is set here is that of all of them, of those
loaded later too.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import weakref
from collections.abc import Callable
from typing import Protocol

from ember.errors import ArgumentError
from ember.team import Sharing, Team, find_team

MOST_THREADS = 256
# Kernels are compiled for as many threads, and for any number from here on.
MANY_THREADS = 3


class Configurable(Protocol):
    """What has a number of threads: a library."""

    def use_threads(self, number: int) -> None:
        """Takes the number of threads; 0 leaves it to the runtime."""

    def use_team(self, team: Team | None) -> None:
        """Takes threads of the program to share; None for none."""


_libraries: "weakref.WeakSet[Configurable]" = weakref.WeakSet()
_number = 0
_compiled_for = 0  # once it was asked for
_sharing: Sharing | None = None  # once it was looked for
_listeners: list[Callable[[], None]] = []


def when_changed(listener: Callable[[], None]) -> None:
    """Has a function called whenever another number of threads is set."""
    _listeners.append(listener)


def set_num_threads(number: int) -> None:
    """Sets how many threads a kernel's loops may run on, in this process; results do not change.

    Without a call it is EMBER_NUM_THREADS or OMP_NUM_THREADS of the environment, or else the
    number of processors this process may run on. Kernels with little to do use one thread in any
    case. Raises ArgumentError for numbers that are not from 1 to 256.
    """
    global _number, _compiled_for
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= MOST_THREADS:
        raise ArgumentError(
            f"the number of threads must be from 1 to {MOST_THREADS}, not {number!r}"
        )
    _number = number
    _compiled_for = 0
    for library in _libraries:
        library.use_threads(number)
    for listener in _listeners:
        listener()


def get_num_threads() -> int:
    """How many threads a kernel's loops may run on."""
    if _number:
        return _number
    for variable in ("EMBER_NUM_THREADS", "OMP_NUM_THREADS"):
        text = os.environ.get(variable, "")
        if text.isdecimal() and 1 <= int(text) <= MOST_THREADS:
            return int(text)
    return min(len(os.sched_getaffinity(0)), MOST_THREADS)


def compiled_for() -> int:
    """The most threads that kernels need to be compiled for now; 0 for any number."""
    global _compiled_for
    if not _compiled_for:
        _compiled_for = min(get_num_threads(), MANY_THREADS)
    return _compiled_for % MANY_THREADS


def sharing() -> Sharing:
    """Whether kernels run on PyTorch's threads, too."""
    global _sharing
    if _sharing is None:
        _sharing = find_team()
    return _sharing


def share(change: Sharing) -> None:
    """Lets the kernels of this process share other threads, or none."""
    global _sharing
    _sharing = change
    for library in _libraries:
        library.use_team(change.team)


def follow(library: Configurable) -> None:
    """Gives a library the number of threads and those to share, now and whenever they are set."""
    _libraries.add(library)
    if _number:
        library.use_threads(_number)
    library.use_team(sharing().team)


def _forget_team() -> None:
    """In a forked process: it has none of its parent's threads."""
    share(Sharing(None, "they are not in a forked process"))


os.register_at_fork(after_in_child=_forget_team)
