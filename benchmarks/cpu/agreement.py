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
# Elements that are compared together: their differences stay in the caches.
CHUNK = 1 << 17


def tolerance_of_sums(element: str, terms: float) -> tuple[float, float]:
    """Relative and absolute tolerance of sums of so many of the arena's numbers, stored as a type.

    The absolute one is in units of the largest expected element. Roundings of partial sums in f32
    add up like a random walk.
    """
    eps = torch.finfo(torch_type(element)).eps
    return 2 * eps, UNITS * max(eps, torch.finfo(torch.float32).eps * math.sqrt(terms))


def as_tensor(result: Any) -> Tensor:
    """A contender's result as a tensor of its own type."""
    if isinstance(result, Tensor):
        return result
    array = as_array(result)
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view("int16")).view(torch.bfloat16)
    return torch.from_numpy(array)


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
    count, first = 0, ""
    got_all, wanted_all = result.flatten(), expected.flatten()
    for start in range(0, len(wanted_all), CHUNK):
        got = got_all[start : start + CHUNK].double()
        wanted = wanted_all[start : start + CHUNK].double()
        wrong = ~((got - wanted).abs() <= relative * wanted.abs() + absolute * scale)
        if not count and wrong.any():
            place = int(wrong.nonzero()[0])
            first = f"the first is {float(got[place]):g}, not {float(wanted[place]):g}"
        count += int(wrong.sum())
    return f"{count} of {result.numel()} elements, {first}" if count else None
