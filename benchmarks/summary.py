"""What several cases come to, so that no single one decides it.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

# From so many cases on, the least and the greatest are left out of the mean that counts.
LEAST_TRIMMED = 3
# A mean that is so many times another without a case is carried by it.
CARRIED = 1.1


@dataclass(frozen=True)
class Summary:
    """Values of cases. mean: of all. trimmed: without the least and the greatest, where there are
    LEAST_TRIMMED or more. carried_by: the case without which the mean is another one, if any."""

    cases: int
    mean: float
    trimmed: float
    median: float
    least: float
    least_case: str
    greatest: float
    greatest_case: str
    carried_by: str | None


def geometric_mean(ratios: Sequence[float]) -> float:
    """The geometric mean of positive numbers; raises ValueError without any."""
    if not ratios:
        raise ValueError("the geometric mean of nothing")
    return math.exp(math.fsum(map(math.log, ratios)) / len(ratios))


def summarise(
    values: Mapping[str, float], mean: Callable[[Sequence[float]], float] = geometric_mean
) -> Summary:
    """The summary of values by their cases' names; raises ValueError without any."""
    ordered = sorted(values, key=lambda name: values[name])
    numbers = [values[name] for name in ordered]
    whole = mean(numbers)
    trimmed = mean(numbers[1:-1]) if len(numbers) >= LEAST_TRIMMED else whole
    return Summary(
        len(numbers),
        whole,
        trimmed,
        statistics.median(numbers),
        numbers[0],
        ordered[0],
        numbers[-1],
        ordered[-1],
        _carrier(ordered, numbers, mean),
    )


def _carrier(
    names: Sequence[str], numbers: Sequence[float], mean: Callable[[Sequence[float]], float]
) -> str | None:
    """The first or last of the cases, which are in order, if the mean is another without it."""
    if len(numbers) < LEAST_TRIMMED:
        return None
    changes = {}
    for name, others in ((names[0], numbers[1:]), (names[-1], numbers[:-1])):
        one, other = mean(numbers), mean(others)
        changes[name] = max(one, other) / min(one, other) if min(one, other) > 0 else math.inf
    name = max(changes, key=lambda name: changes[name])
    return name if changes[name] > CARRIED else None
