"""What a kind of region is as a statement, and its arrays in several sizes.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

Tensors = dict[str, Tensor]
#: How many of what there are. Each scenario changes some of them.
SIZES = {"bags": 5, "lookups": 24, "rows": 9, "length": 20, "heads": 3, "blocks": 3}
SCENARIOS: dict[str, dict[str, int]] = {
    "usual": {},
    "single": {"bags": 1, "lookups": 1, "rows": 1, "length": 1, "heads": 1, "blocks": 1},
    "no lookups": {"lookups": 0, "blocks": 0},
    "nothing to look up": {"lookups": 0, "rows": 0, "blocks": 0, "bags": 0},
    "no bags": {"bags": 0, "lookups": 0},
    "no length": {"length": 0},
}


@dataclass
class Draw:
    """Arrays of the sizes of a scenario. Shapes are of names of SIZES, or numbers."""

    generator: np.random.Generator
    sizes: dict[str, int]

    def shape(self, *names: str | int) -> tuple[int, ...]:
        return tuple(self.sizes[name] if isinstance(name, str) else name for name in names)

    def floats(self, *names: str | int, dtype: type = np.float32) -> NDArray:
        return self.generator.standard_normal(self.shape(*names)).astype(dtype)

    def indices(self, bound: str, *names: str | int, dtype: type = np.int64) -> NDArray:
        return self.generator.integers(0, max(self.sizes[bound], 1), self.shape(*names), dtype)

    def bools(self, *names: str | int) -> NDArray:
        return self.generator.random(self.shape(*names)) < 0.6

    def offsets(self, dtype: type = np.int64) -> NDArray:
        """Where the lookups of each bag begin, and the end; some bags are empty."""
        bags, lookups = self.shape("bags", "lookups")
        if not bags:
            return np.zeros(1, dtype)
        cuts = np.sort(self.generator.integers(0, lookups + 1, bags - 1))
        if bags > 2:
            cuts[1] = cuts[0]
        return np.array([0, *cuts, lookups], dtype)

    def lengths(self) -> NDArray:
        return np.diff(self.offsets())

    def output(self, *names: str | int, dtype: type = np.float32) -> NDArray:
        """What must not come through."""
        return np.full(self.shape(*names), 77, dtype)


@dataclass(frozen=True)
class Region:
    """A kind of region: statements, their arrays, and what the last one computes.

    outputs: what statements assign to, in any order; the rest of the arrays is read. but: scenarios
    that PyTorch has no answer for. count: the output that has how much of the last one there is.
    """

    text: str
    arrays: Callable[[Draw], dict[str, NDArray]]
    outputs: tuple[str, ...]
    expected: Callable[[Tensors], Tensor]
    options: tuple[str, ...] = ()
    but: tuple[str, ...] = ()
    tolerance: float = 3e-5
    count: str = ""

    def found(self, outputs: dict[str, NDArray]) -> NDArray:
        """The last output, as far as there is any of it."""
        last = outputs[self.outputs[-1]]
        return last[..., : int(outputs[self.count][0])] if self.count else last
