"""Compares contenders' results with the formula and with each other before they are timed.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from typing import Any

import torch
from ember.dtypes import as_array
from torch import Tensor

from benchmarks.cpu.case import EMBER, Prepared
from benchmarks.cpu.rows import torch_type

# Results differ by so many units in the last place of the largest one: a few roundings in the
# type of the output, and the order in which f32 sums are formed.
UNITS = 16


def tolerance_of_sums(element: str, terms: float) -> tuple[float, float]:
    """Relative and absolute tolerance of sums of so many of the arena's numbers, stored as a type.

    The absolute one is in units of the largest expected element. Roundings of partial sums in f32
    add up like a random walk.
    """
    eps = torch.finfo(torch_type(element)).eps
    return 2 * eps, UNITS * max(eps, torch.finfo(torch.float32).eps * math.sqrt(terms))


def as_tensor(result: Any) -> Tensor:
    """A contender's result in f64."""
    if isinstance(result, Tensor):
        return result.double()
    return torch.from_numpy(as_array(result).astype("float64"))


def disagreements(prepared: Prepared) -> dict[str, str]:
    """What is wrong with the results of contenders, by name.

    The first rows of each are compared with the formula, all of them with Ember's.
    """
    batch = prepared.batch(0)
    expected = prepared.reference(batch)
    results = {one.name: as_tensor(one.run(batch)) for one in prepared.contenders}
    ember = results[EMBER]
    found = {}
    for name, result in results.items():
        if result.shape != ember.shape:
            found[name] = f"has shape {list(result.shape)}, not {list(ember.shape)}"
        elif problem := _difference(result[: len(expected)], expected, prepared.tolerance):
            found[name] = f"differs from the formula: {problem}"
        elif problem := _difference(result, ember, prepared.tolerance):
            found[name] = f"differs from Ember: {problem}"
    return found


def _difference(result: Tensor, expected: Tensor, tolerance: tuple[float, float]) -> str | None:
    """How a result differs by more than the tolerance; None if it does not."""
    relative, absolute = tolerance
    scale = float(expected.abs().max()) if expected.numel() else 0.0
    bound = relative * expected.abs() + absolute * scale
    wrong = ~((result - expected).abs() <= bound)
    if not wrong.any():
        return None
    place = int(wrong.flatten().nonzero()[0])
    got, wanted = float(result.flatten()[place]), float(expected.flatten()[place])
    return f"{int(wrong.sum())} of {wrong.numel()} elements, the first is {got:g}, not {wanted:g}"
