"""Runs a case: checks that contenders agree, then times them in turns.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from dataclasses import dataclass, field

import numpy as np
import torch

from benchmarks.cpu.measuring import Batches, Contender, Timing, measure
from benchmarks.notation.case import EMBER, LIMIT, Case
from benchmarks.notation.limits import limit_seconds

# Of results, relative and absolute.
TOLERANCE = (1e-3, 1e-4)


@dataclass
class Measured:
    """A case's times, seconds of a call. limit: what any code takes at the least."""

    group: str
    name: str
    times: dict[str, Timing] = field(default_factory=dict)
    limit: float = 0.0
    wrong: dict[str, str] = field(default_factory=dict)

    def ratio(self, peer: str) -> float | None:
        """How many times as long as Ember's the peer's call takes."""
        if EMBER not in self.times:
            return None
        if peer == LIMIT:
            return self.limit / self.times[EMBER].median
        return self.times[peer].median / self.times[EMBER].median if peer in self.times else None


def run_case(case: Case, seconds: float) -> Measured:
    """Measures a case for about so many seconds."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    prepared = case.prepare()
    result = Measured(case.group, case.name, limit=limit_seconds(prepared.phases))
    right, expected = [], None
    for name, call in prepared.calls.items():
        found = prepared.as_dense(call())
        if expected is None:
            expected = found
        try:
            np.testing.assert_allclose(found, expected, *TOLERANCE)
        except AssertionError as error:
            result.wrong[name] = " ".join(str(error).split())
            continue
        right.append(Contender(name, call, lambda batch: ()))
    result.times = measure(right, Batches(lambda number: None), seconds)
    return result
