"""The times that a statement takes by several schedules.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Mapping
from typing import Any

import ember.sparse as es
import numpy as np

from benchmarks.cpu.measuring import Batches, Contender, Timing, measure
from benchmarks.notation.running import TOLERANCE


def measure_schedules(
    statement: str,
    arrays: Mapping[str, Any],
    schedules: Mapping[str, str | None],
    seconds: float,
) -> dict[str, Timing]:
    """The times in turns, by the names of the schedules; None: the one that is chosen.

    Raises AssertionError if results differ.
    """
    contenders, expected = [], None
    for name, schedule in schedules.items():

        def call(schedule: str | None = schedule) -> Any:
            return es.evaluate(statement, **arrays, schedule=schedule)

        found = call()
        values = found.values if isinstance(found, es.Array) else found
        expected = values if expected is None else expected
        np.testing.assert_allclose(values, expected, *TOLERANCE)
        contenders.append(Contender(name, call, lambda batch: ()))
    return measure(contenders, Batches(lambda number: None), seconds)
