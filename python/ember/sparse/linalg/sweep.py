"""Sweeps: statements that go over the rows of long vectors together, tile by tile.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ember.sparse.evaluate import evaluate
from ember.sparse.linalg.partition import Partition

_NAMES = re.compile(r"[A-Za-z]\w*")


class Sweep:
    """Some statements on the same rows, in one call for each tile of them.

        Sweep(["R[i] -= step[0] * S[i]"], partition, arrays, dtype, sums={"rr": ("R", "R")})

    What a statement writes of a tile is in a cache when the next one reads it, so that each array
    is read from memory and written to it once. In statements, i is the row; first and last are the
    blocks that the call is about. sums: what products of two vectors add up to, R[i] * R[i], over
    each block; for several columns, products of each column of the last two with each.
    squares: of several columns, what the squares of each one add up to.
    arrays: what statements name, which they may change in place. dtype: of sums.
    """

    def __init__(
        self,
        statements: Sequence[str],
        partition: Partition,
        arrays: Mapping[str, Any],
        dtype: np.dtype[Any],
        sums: Mapping[str, tuple[str, ...]] | None = None,
        squares: Mapping[str, str] | None = None,
    ) -> None:
        self.partition = partition
        block, columns = partition.block, partition.columns
        rows = f"for i in first*{block}:last*{block}"
        texts = [f"{one} {rows}" for one in statements]
        schedules = [""] * len(texts)
        self._parts: dict[str, np.ndarray] = {}
        row, of_block = f"b*{block}+r", f"sum[r in 0:{block}]"
        for name, factors in (sums or {}).items():
            if columns == 1:
                value = " * ".join(f"{factor}[{row}]" for factor in factors)
                texts.append(f"{name}[b] = {of_block}({value}) for b in first:last")
                schedules.append("")
                shape: tuple[int, ...] = (partition.blocks,)
            else:
                *weights, left, right = factors
                value = " * ".join([f"{weight}[{row}]" for weight in weights] + [""])
                value += f"{left}[{row},m] * {right}[{row},n]"
                texts.append(f"{name}[b,m,n] = {of_block}({value}) for b in first:last")
                # Rows outside: all sums of a block are in registers, and each row is read once.
                schedules.append("reorder(b, r, m, n)")
                shape = (partition.blocks, columns, columns)
            self._parts[name] = np.zeros(shape, dtype)
        for name, vector in (squares or {}).items():
            value = f"{vector}[{row},n] * {vector}[{row},n]"
            texts.append(f"{name}[b,n] = {of_block}({value}) for b in first:last")
            schedules.append("reorder(b, r, n)")
            self._parts[name] = np.zeros((partition.blocks, columns), dtype)
        self.text = "; ".join(texts)
        self._schedule = "; ".join(schedules) if any(schedules) else None
        known = {**arrays, **self._parts}
        self._arrays = {name: known[name] for name in _NAMES.findall(self.text) if name in known}

    def run(self, first: int, last: int) -> None:
        """Goes over some blocks."""
        evaluate(self.text, schedule=self._schedule, first=first, last=last, **self._arrays)

    def __call__(self) -> None:
        for first, last in self.partition.tiles():
            self.run(first, last)

    def sum(self, name: str) -> Any:
        """What all blocks add up to, in their order: a number, or one for each two columns."""
        total = self._parts[name].sum(axis=0, dtype=np.float64)
        return total.astype(self._parts[name].dtype)


def run_behind(ahead: Sweep, behind: Sweep, lag: int) -> None:
    """Two sweeps as one: the second one goes over blocks of which the next `lag` are done by the
    first one, and so finds in a cache what that has written."""
    partition = ahead.partition
    done = 0
    for first, last in partition.tiles():
        ahead.run(first, last)
        ready = partition.blocks if last == partition.blocks else last - lag
        if ready > done:
            behind.run(done, ready)
            done = ready
