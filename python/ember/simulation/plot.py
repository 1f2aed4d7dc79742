"""Draws what the cores of simulated machines waited for.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Mapping
from pathlib import Path

from ember.errors import UnsupportedError


def draw_stacks(
    stacks: Mapping[str, Mapping[str, int]], nanoseconds: Mapping[str, float], file: Path
) -> Path:
    """Bars of the runs' times in microseconds, each divided as its cores' cycles are.

    stacks: cycles by what was waited for, by the runs' labels; nanoseconds: their times, likewise.
    The file's suffix says of which kind it is. Returns the file; raises UnsupportedError without
    matplotlib.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise UnsupportedError("plot needs matplotlib") from error
    reasons = list(dict.fromkeys(reason for stack in stacks.values() for reason in stack))
    figure = Figure(figsize=(8, 1.2 + 0.4 * len(stacks)))
    axes = figure.subplots()
    starts = [0.0] * len(stacks)
    for reason in reasons:
        widths = []
        for label, stack in stacks.items():
            cycles = max(1, sum(stack.values()))
            widths.append(nanoseconds[label] / 1000 * stack.get(reason, 0) / cycles)
        if any(widths):
            axes.barh(list(stacks), widths, left=starts, label=reason)
        starts = [start + width for start, width in zip(starts, widths, strict=True)]
    axes.invert_yaxis()
    axes.set_xlabel("us")
    axes.set_title("What cores waited for", fontsize=10)
    axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1))
    figure.savefig(file, dpi=150, bbox_inches="tight")
    return file
