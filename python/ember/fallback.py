"""What is said where PyTorch computes because a kernel cannot be built.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import logging

from ember.log import warn_once

_log = logging.getLogger(__name__)
TOPIC = "kernels"


def left_to_pytorch(what: str, error: Exception) -> None:
    """Says that PyTorch computes something, because of the error: what, as "bags of fp8 rows"."""
    _log.warning("%s: left to PyTorch, its kernel cannot be built: %s", what, error)
    warn_once(
        TOPIC,
        f"Ember cannot build a kernel, and PyTorch computes instead ({what}): {error}. "
        "'python -m ember' says what Ember needs, what is missing and what to do. "
        "This is said once; EMBER_LOG=warning shows each.",
    )
