"""Where the operations of captured graphs stand in the program that they were captured from.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
import traceback
from collections.abc import Sequence
from pathlib import Path

from ember.torch.capture.sparse_mode import MODE_FILE

# A line of a stack trace.
_FRAME = re.compile(r'\s*File "(.*)", line (\d+), in (.*)')


def place_in_trace(stack_trace: str) -> str:
    """The place that a printed stack trace is about, as place_of has it."""
    lines = stack_trace.splitlines()
    frames = []
    for number, line in enumerate(lines):
        if found := _FRAME.match(line):
            code = lines[number + 1].strip() if number + 1 < len(lines) else ""
            frames.append(traceback.FrameSummary(found[1], int(found[2]), found[3], line=code))
    return place_of(frames)


def place_of(stack: Sequence[traceback.FrameSummary]) -> str:
    """FILE:LINE, in FUNCTION: CODE of the innermost frame that is not in an installed package."""
    if not stack:
        return ""
    own = [
        frame
        for frame in stack
        if "site-packages" not in Path(frame.filename).parts and frame.filename != MODE_FILE
    ]
    frame = (own or stack)[-1]
    place = f"{frame.filename}:{frame.lineno}, in {frame.name}"
    return f"{place}: {frame.line}" if frame.line else place
