"""What a simulation of a graph counted.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ember.errors import ArgumentError, UnsupportedError

#: Kinds of tokens, as they are counted.
TOKENS = ("data", "stops", "empty", "done")


@dataclass(frozen=True)
class Block:
    """What a block did.

    busy: cycles in which it took or showed a token; starved: in which what it needed had not come;
    held: in which a full queue held it up. done: the cycle after which it had nothing more to do.
    inputs: where the tokens of a port come from, as "scan_B0.crd"; "" for the root. outputs: tokens
    by port and kind. queues: the most tokens that waited at a port; empty where streams were mapped
    with their times. storage: sums that a reducer held at most; None for other blocks.
    """

    name: str
    kind: str
    busy: int
    starved: int
    held: int
    done: int | None
    inputs: dict[str, str]
    outputs: dict[str, dict[str, int]]
    queues: dict[str, int]
    storage: int | None

    @property
    def tokens(self) -> int:
        """All that it showed."""
        return sum(sum(counts.values()) for counts in self.outputs.values())


@dataclass(frozen=True)
class Statistics:
    """One simulated run of a graph.

    report: as `ember-sam --statistics` writes it. summary: what ember-sam says of the run.
    """

    report: dict[str, Any]
    summary: str

    @property
    def cycles(self) -> int:
        """Cycles until the last writer was done."""
        return int(self.report["cycles"])

    @property
    def tokens(self) -> int:
        """All that went over all streams."""
        return int(self.report["tokens"])

    @property
    def seconds(self) -> float:
        """Processor time that the simulation took."""
        return float(self.report["seconds"])

    @cached_property
    def blocks(self) -> dict[str, Block]:
        """What each block did, by its name."""
        return {
            name: Block(
                name=name,
                kind=counts["kind"],
                busy=counts["busy"],
                starved=counts["starved"],
                held=counts["held"],
                done=counts.get("doneCycle"),
                inputs=counts["inputs"],
                outputs=counts["outputs"],
                queues=counts.get("longestQueues", {}),
                storage=counts.get("storage"),
            )
            for name, counts in self.report["blocks"].items()
        }

    @property
    def storage(self) -> int:
        """Sums that all reducers together had to hold: one each for those of whole lists."""
        return sum(block.storage or 0 for block in self.blocks.values())

    def tokens_by_kind(self) -> dict[str, int]:
        """Tokens of all streams: data, stops, empty ones, done."""
        total: Counter[str] = Counter()
        for block in self.blocks.values():
            for counts in block.outputs.values():
                total.update(counts)
        return {kind: total[kind] for kind in TOKENS}

    def critical_chain(self) -> list[tuple[str, int]]:
        """Blocks whose pace the run's length is made of, with their cycles; the most first.

        Raises ArgumentError unless the simulation was asked for it.
        """
        if "criticalChain" not in self.report:
            raise ArgumentError("simulate(critical_chain=True) finds the critical chain")
        total: Counter[str] = Counter()
        for link in self.report["criticalChain"]:
            total[link["block"]] += link["cycles"]
        return total.most_common()

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row for each block; needs pandas."""
        try:
            import pandas
        except ImportError as error:
            raise UnsupportedError("to_frame needs pandas; blocks does not") from error
        rows = [
            {
                "block": block.name,
                "kind": block.kind,
                "busy": block.busy,
                "starved": block.starved,
                "held": block.held,
                "done": block.done,
                "tokens": block.tokens,
                "storage": block.storage,
            }
            for block in self.blocks.values()
        ]
        return pandas.DataFrame(rows)

    def plot(self, file: str | Path) -> Path:
        """Draws how long each block was busy, starved and held; needs matplotlib.

        The file's suffix says of which kind it is.
        """
        try:
            from matplotlib.figure import Figure
        except ImportError as error:
            raise UnsupportedError("plot needs matplotlib") from error
        blocks = list(self.blocks.values())
        figure = Figure(figsize=(8, 1.2 + 0.25 * len(blocks)))
        axes = figure.subplots()
        starts = [0] * len(blocks)
        colours = {"busy": "C0", "starved": "lightgrey", "held": "C3"}
        for state, colour in colours.items():
            widths = [getattr(block, state) for block in blocks]
            names = [block.name for block in blocks]
            axes.barh(names, widths, left=starts, color=colour, label=state)
            starts = [start + width for start, width in zip(starts, widths, strict=True)]
        axes.invert_yaxis()
        axes.set_xlabel("cycles")
        axes.set_title(f"{self.cycles} cycles, {self.tokens} tokens", fontsize=10)
        axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1))
        figure.savefig(file, dpi=150, bbox_inches="tight")
        return Path(file)

    def __str__(self) -> str:
        """What ember-sam says of the run."""
        return self.summary
