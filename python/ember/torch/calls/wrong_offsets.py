"""What is wrong with offsets of segments, in words.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from torch import Tensor


def why_wrong(offsets: Tensor, lookups: int) -> str:
    """What is wrong with offsets of bags of so many indices; empty if they are right."""
    if not len(offsets):
        return ""
    first, last = int(offsets[0]), int(offsets[-1])
    if first != 0:
        return f"the first one has to be 0, but is {first}"
    decreases = (offsets.diff() < 0).nonzero()
    if len(decreases):
        at = int(decreases[0])
        return f"they decrease, from {int(offsets[at])} at {at} to {int(offsets[at + 1])}"
    return f"the last one is {last}, past the {lookups} indices" if last > lookups else ""
