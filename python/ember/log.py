"""What Ember says through logging, as "ember": nothing is printed unless somebody asks.

INFO: a kernel was built. WARNING: something is left to PyTorch because its kernel cannot be built.
DEBUG: a kernel was found, a call is left to PyTorch. EMBER_LOG=info prints them to stderr.

What nobody would notice who has set up no logging, such as that all works but slowly, is a warning
of Python's besides, which is printed: once.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import logging
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
    # Below are Ember's and PyTorch's own calls, of no fixed number.
    warnings.warn(message, RuntimeWarning, stacklevel=2)
