"""What a simulation counted.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ember.errors import UnsupportedError


@dataclass(frozen=True)
class Simulation:
    """One run of a program on a simulated machine.

    statistics: what each part of the machine counted, as `ember-sim --stats` writes it. summary:
    what ember-sim says of the run, and of what limits it.
    """

    statistics: dict[str, Any]
    summary: str

    @property
    def nanoseconds(self) -> float:
        """The time that the program took on the machine; estimated, where samples of it ran."""
        if sampled := self.statistics.get("sampled"):
            return float(sampled["nanoseconds"])
        return float(self.statistics["machine"]["nanoseconds"])

    @property
    def bandwidth(self) -> float:
        """Bytes to and from memory in a nanosecond, which are GB/s."""
        memory = self.statistics["memory"]
        moved = memory["bytesRead"] + memory["bytesWritten"]
        # Of a sampled run, what ran in detail.
        nanoseconds = self.statistics["machine"]["nanoseconds"]
        return float(moved / nanoseconds) if nanoseconds else 0.0

    def stack(self) -> dict[str, int]:
        """Cycles of all cores by what they waited for; "base" are those that retired something."""
        total: dict[str, int] = {}
        for part, counts in self.statistics.items():
            if part.startswith("core"):
                for reason, cycles in counts["stack"].items():
                    total[reason] = total.get(reason, 0) + cycles
        return total

    def counts(self) -> dict[str, float]:
        """All numbers by their full names, such as core0.l1d.hits."""
        return dict(_numbers("", self.statistics))

    def to_frame(self) -> Any:
        """The counts as a pandas DataFrame with columns name and value; needs pandas."""
        try:
            import pandas
        except ImportError as error:
            raise UnsupportedError("to_frame needs pandas; counts() does not") from error
        return pandas.DataFrame(list(self.counts().items()), columns=["name", "value"])


def _numbers(prefix: str, counts: dict[str, Any]) -> Iterator[tuple[str, float]]:
    for name, value in counts.items():
        if isinstance(value, dict):
            yield from _numbers(f"{prefix}{name}.", value)
        elif isinstance(value, int | float):
            yield prefix + name, value
