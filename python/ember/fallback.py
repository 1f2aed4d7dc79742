"""What is said where PyTorch computes because a kernel cannot be built.

Whoever has set up no logging would not know: all works, but slowly. So the first time is a warning
of Python's, which is printed; the others are in the log.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import logging
import warnings

_log = logging.getLogger(__name__)
_is_said = False


def left_to_pytorch(what: str, error: Exception) -> None:
    """Says that PyTorch computes something, because of the error: what, as "bags of fp8 rows"."""
    global _is_said
    _log.warning("%s: left to PyTorch, its kernel cannot be built: %s", what, error)
    if _is_said:
        return
    _is_said = True
    warnings.warn(
        f"Ember cannot build a kernel, and PyTorch computes instead ({what}): {error}. "
        "'python -m ember' says what Ember needs, what is missing and what to do. "
        "This is said once; EMBER_LOG=warning shows each.",
        RuntimeWarning,
        # Below are Ember's and PyTorch's own calls, of no fixed number.
        stacklevel=2,
    )
