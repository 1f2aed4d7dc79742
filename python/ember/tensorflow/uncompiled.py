"""What is said of models that run as TensorFlow runs them.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from ember.log import warn_once


def say_uncompiled(what: str, error: Exception) -> None:
    """One warning for each reason."""
    first = str(error).strip().splitlines()[0]
    warn_once(f"tensorflow {first}", f"Ember leaves {what} to TensorFlow: {first}")
