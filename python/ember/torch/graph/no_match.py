"""Why an operation that a pattern is about has no kernel.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""


class NoMatchError(Exception):
    """The reason, in words: it stands behind the operation's name in reports."""


class AsFastError(NoMatchError):
    """PyTorch is as fast: it says little beside why something larger, around it, has no kernel."""
