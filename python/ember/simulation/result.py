"""What a simulation counted.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ember.errors import UnsupportedError
from ember.kernel import Library
from ember.simulation.plot import draw_stacks


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
        return _frame(self.counts().items(), ["name", "value"])

    def plot(self, file: str | Path) -> Path:
        """Draws what cores waited for, into a file of matplotlib's kinds; needs matplotlib."""
        return draw_stacks({"": self.stack()}, {"": self.nanoseconds}, Path(file))


@dataclass(frozen=True)
class KernelSimulation:
    """One call of a kernel, simulated. name: of the function in the library's program."""

    name: str
    library: Library
    simulation: Simulation


@dataclass(frozen=True)
class ModelSimulation:
    """The kernels that a model called, in their order. What ran in PyTorch is not in it."""

    kernels: tuple[KernelSimulation, ...]

    @property
    def nanoseconds(self) -> float:
        """The time of all kernels, one after the other."""
        return sum(kernel.simulation.nanoseconds for kernel in self.kernels)

    @property
    def statistics(self) -> dict[str, dict[str, Any]]:
        """What each call counted, by its number and name, such as "0 run"."""
        return {label: one.statistics for label, one in self._labelled()}

    @property
    def summary(self) -> str:
        """What ember-sim says of each call."""
        parts = [f"{label}\n{one.summary}" for label, one in self._labelled()]
        total = f"{len(self.kernels)} kernels took {self.nanoseconds / 1000:.3f} us"
        return "\n\n".join([*parts, f"{total}; PyTorch's own operations are not simulated"])

    def stack(self) -> dict[str, int]:
        """Cycles of all cores and calls by what they waited for; see Simulation.stack."""
        total: Counter[str] = Counter()
        for kernel in self.kernels:
            total.update(kernel.simulation.stack())
        return dict(total)

    def counts(self) -> dict[str, float]:
        """All numbers by their full names, such as "0 run.core0.l1d.hits"."""
        return dict(_numbers("", self.statistics))

    def to_frame(self) -> Any:
        """A pandas DataFrame with columns kernel, name and value; needs pandas."""
        rows = [
            (label, name, value)
            for label, one in self._labelled()
            for name, value in one.counts().items()
        ]
        return _frame(rows, ["kernel", "name", "value"])

    def plot(self, file: str | Path) -> Path:
        """Draws what cores waited for in each call; see Simulation.plot."""
        stacks = {label: one.stack() for label, one in self._labelled()}
        times = {label: one.nanoseconds for label, one in self._labelled()}
        return draw_stacks(stacks, times, Path(file))

    def _labelled(self) -> Iterator[tuple[str, Simulation]]:
        for number, kernel in enumerate(self.kernels):
            yield f"{number} {kernel.name}", kernel.simulation


def _frame(rows: Any, columns: list[str]) -> Any:
    try:
        import pandas
    except ImportError as error:
        raise UnsupportedError("to_frame needs pandas; counts() does not") from error
    return pandas.DataFrame(list(rows), columns=columns)


def _numbers(prefix: str, counts: dict[str, Any]) -> Iterator[tuple[str, float]]:
    for name, value in counts.items():
        if isinstance(value, dict):
            yield from _numbers(f"{prefix}{name}.", value)
        elif isinstance(value, int | float):
            yield prefix + name, value
