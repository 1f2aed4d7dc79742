"""What has become of the columns of a graph.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# What the ids of a column are, by the operations that make them: the first that is there.
_KINDS = {
    "bucketize": "bucketized",
    "hash": "hashed",
    "vocab": "vocabulary",
    "cross": "crossed",
}


@dataclass(frozen=True)
class Column:
    """A column that is compiled: steps are the operations between the feature and its ids."""

    feature: str
    table: str
    steps: tuple[str, ...]
    combiner: str
    dimension: int
    rows: int | None

    @property
    def kind(self) -> str:
        return next((name for step, name in _KINDS.items() if step in self.steps), "identity")

    def __str__(self) -> str:
        rows = "?" if self.rows is None else self.rows
        table = f"{self.table} [{rows} x {self.dimension}]"
        return (
            f"  {self.feature}: {self.kind}, {self.combiner} of {table} ({', '.join(self.steps)})"
        )


@dataclass(frozen=True)
class Report:
    """What has been found in a graph; nodes are those that are no constants.

    nodes: how many there were. raised: how many --raise-graph-to-col leaves. left: how many there
    are in the end, those of kernels among them. stayed: why something is no column.
    """

    nodes: int
    raised: int
    left: int
    columns: tuple[Column, ...]
    stayed: tuple[str, ...]

    @classmethod
    def read(cls, found: Mapping[str, Any]) -> "Report":
        columns = [
            Column(
                one["feature"],
                one["table"],
                tuple(one["steps"]),
                one["combiner"],
                one["dimension"],
                one.get("rows"),
            )
            for one in found["columns"]
        ]
        counts = (found["nodes"], found["raised"], found["left"])
        return cls(*counts, tuple(columns), tuple(found["stayed"]))

    @property
    def kernels(self) -> int:
        """How many nodes call kernels."""
        return max(self.left - self.raised, 0)

    def __str__(self) -> str:
        kinds = Counter(column.kind for column in self.columns)
        counted = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
        lines = [
            f"{len(self.columns)} columns are compiled" + (f": {counted}" if counted else ""),
            f"nodes without constants: {self.nodes}",
            f"  removed by --raise-graph-to-col: {self.nodes - self.raised}",
            f"  left: {self.left}, {self.kernels} of them for kernels and their results",
            *map(str, self.columns),
        ]
        if self.stayed:
            lines += ["what stays as it is:", *(f"  {one}" for one in self.stayed)]
        return "\n".join(lines)
