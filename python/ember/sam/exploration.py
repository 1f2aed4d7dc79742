"""What simulations of the ways to compute a statement found, and which ways nothing beats.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ember.errors import UnsupportedError
from ember.sam.graph import Graph
from ember.sam.statistics import Statistics


@dataclass(frozen=True)
class Point:
    """A way to compute the statement, and what it takes.

    order: the variables, outermost loop first. formats: of arrays by name. empty: what becomes of
    fibers without a value. schedule: other relations, None for none.
    """

    order: tuple[str, ...]
    formats: dict[str, str]
    empty: str
    schedule: str | None
    graph: Graph
    statistics: Statistics

    @property
    def cycles(self) -> int:
        """Cycles until all is written."""
        return self.statistics.cycles

    @property
    def tokens(self) -> int:
        """Tokens over all streams."""
        return self.statistics.tokens

    @property
    def storage(self) -> int:
        """Sums that reducers have to hold."""
        return self.statistics.storage

    @property
    def costs(self) -> tuple[int, int, int]:
        """What is to be small: cycles, tokens, storage of reducers."""
        return self.cycles, self.tokens, self.storage

    @property
    def name(self) -> str:
        """The order, and what else is chosen."""
        formats = ", ".join(f"{name}: {form}" for name, form in self.formats.items())
        rest = [self.schedule] if self.schedule else []
        rest += ["drop"] if self.empty == "drop" else []
        return "; ".join(["".join(self.order) or "-", formats, *rest])


@dataclass(frozen=True)
class Refusal:
    """A way that there is no graph of, or that the simulator does not run, and why."""

    order: tuple[str, ...]
    formats: dict[str, str]
    empty: str
    schedule: str | None
    reason: str


@dataclass(frozen=True)
class Exploration:
    """All ways that were simulated, the fastest first, and those that were refused.

    result: what all of them compute.
    """

    statement: str
    points: tuple[Point, ...]
    refused: tuple[Refusal, ...]
    result: Any

    @property
    def pareto(self) -> tuple[Point, ...]:
        """The ways that no other is better than in one of the costs and as good in the others."""
        return tuple(point for point in self.points if not self._is_beaten(point))

    def _is_beaten(self, point: Point) -> bool:
        costs = point.costs
        return any(
            other.costs != costs
            and all(theirs <= ours for theirs, ours in zip(other.costs, costs, strict=True))
            for other in self.points
        )

    @property
    def best(self) -> Point:
        """The fastest."""
        return self.points[0]

    def by_order(self) -> dict[tuple[str, ...], Point]:
        """The fastest way of each order of loops."""
        found: dict[tuple[str, ...], Point] = {}
        for point in self.points:
            found.setdefault(point.order, point)
        return found

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row for each way; needs pandas."""
        try:
            import pandas
        except ImportError as error:
            raise UnsupportedError("to_frame needs pandas; points does not") from error
        pareto = set(map(id, self.pareto))
        rows = [
            {
                "order": ",".join(point.order),
                **{f"format of {name}": form for name, form in point.formats.items()},
                "empty": point.empty,
                "schedule": point.schedule,
                "cycles": point.cycles,
                "tokens": point.tokens,
                "storage": point.storage,
                "pareto": id(point) in pareto,
            }
            for point in self.points
        ]
        return pandas.DataFrame(rows)

    def table(self, points: Sequence[Point] | None = None) -> str:
        """The ways as a table; None: all of them. Those that nothing beats are marked with *."""
        shown = self.points if points is None else points
        pareto = set(map(id, self.pareto))
        lines = [f"  {'cycles':>10} {'tokens':>10} {'storage':>8}  order; formats"]
        for point in shown:
            mark = "*" if id(point) in pareto else " "
            lines.append(
                f"{mark} {point.cycles:10} {point.tokens:10} {point.storage:8}  {point.name}"
            )
        return "\n".join(lines)

    def plot(self, file: str | Path) -> Path:
        """Draws cycles and tokens of all ways, the better ones ringed; needs matplotlib."""
        try:
            from matplotlib.figure import Figure
        except ImportError as error:
            raise UnsupportedError("plot needs matplotlib") from error
        figure = Figure(figsize=(7, 5))
        axes = figure.subplots()
        for number, (order, points) in enumerate(self._grouped()):
            axes.scatter(
                [point.cycles for point in points],
                [point.tokens for point in points],
                [20 + 10 * len(str(point.storage)) ** 2 for point in points],
                color=f"C{number % 10}",
                marker="os^v"[number // 10 % 4],
                alpha=0.6,
                label="".join(order) or "-",
            )
        best = self.pareto
        axes.scatter(
            [point.cycles for point in best],
            [point.tokens for point in best],
            260,
            facecolors="none",
            edgecolors="black",
            label="not beaten",
        )
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("cycles")
        axes.set_ylabel("tokens")
        axes.set_title(f"{self.statement}\nlarger dots: more storage in reducers", fontsize=10)
        axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1))
        figure.savefig(file, dpi=150, bbox_inches="tight")
        return Path(file)

    def _grouped(self) -> Iterator[tuple[tuple[str, ...], list[Point]]]:
        """Ways by their order of loops."""
        for order in self.by_order():
            yield order, [point for point in self.points if point.order == order]

    def __str__(self) -> str:
        """The ways that nothing beats, and how many there were."""
        return (
            f"{self.statement}: {len(self.points)} ways simulated, {len(self.refused)} refused\n"
            + self.table(self.pareto)
        )
