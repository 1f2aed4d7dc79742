"""What Ember says through logging, as "ember": nothing is printed unless somebody asks.

INFO: a kernel was built. WARNING: something is left to PyTorch because its kernel cannot be built.
DEBUG: a kernel was found, a call is left to PyTorch. EMBER_LOG=info prints them to stderr.

What nobody would notice who has set up no logging, such as that all works but slowly, is a warning
of Python's besides, which is printed: once.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import logging
import sys
import warnings

from ember import configuration

# What warn_once has warned of.
_warned: set[str] = set()
LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING}


def set_up() -> None:
    """Keeps the messages from being printed, or prints them as EMBER_LOG says."""
    logger = logging.getLogger("ember")
    # Without a handler, Python would print warnings.
    logger.addHandler(logging.NullHandler())
    wanted = configuration.text("EMBER_LOG")
    if wanted is None:
        return
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(name)s: %(message)s"))
    logger.addHandler(handler)
    logger.setLevel(LEVELS.get(wanted.lower(), logging.INFO))
    if wanted.lower() not in LEVELS:
        logger.warning("EMBER_LOG=%s is not one of %s: taken as info", wanted, ", ".join(LEVELS))


def warn_once(topic: str, message: str) -> None:
    """A RuntimeWarning, unless there has been one of that topic in this process."""
    if topic in _warned:
        return
    _warned.add(topic)
    # Of the program's line, not of one of Ember's, PyTorch's or of a captured graph.
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and _is_within(frame.f_globals.get("__name__")):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, RuntimeWarning, stacklevel=level)


def _is_within(module: str | None) -> bool:
    return module is None or module.partition(".")[0] in ("ember", "torch")
