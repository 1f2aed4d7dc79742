"""Chooses few combinations of factors that together hold every combination of two of them.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import itertools
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Choice = dict[str, Any]


def cover(
    factors: Mapping[str, Sequence[Any]],
    strength: int,
    allowed: Callable[[Choice], bool] = lambda choice: True,
) -> list[Choice]:
    """Choices in which every allowed combination of values of `strength` factors occurs.

    1 is every value once, 2 every pair of values, the number of factors their full product. Takes
    again and again a choice that adds most combinations. The result depends on nothing but the
    arguments: ties are broken in the order of a shuffle with a fixed seed, without which most
    choices would have the first value of every factor that does not matter to them.
    """
    names = list(factors)
    places = list(itertools.combinations(range(len(names)), strength))
    combinations = {}
    for values in itertools.product(*(range(len(factors[name])) for name in names)):
        choice = {name: factors[name][k] for name, k in zip(names, values, strict=True)}
        if allowed(choice):
            combinations[values] = [(where, tuple(values[k] for k in where)) for where in places]
    candidates = list(combinations)
    random.Random(0).shuffle(candidates)
    missing = {one for ones in combinations.values() for one in ones}
    chosen = []
    while missing:
        best = max(
            candidates, key=lambda values: sum(one in missing for one in combinations[values])
        )
        missing.difference_update(combinations[best])
        chosen.append({name: factors[name][k] for name, k in zip(names, best, strict=True)})
    return chosen
