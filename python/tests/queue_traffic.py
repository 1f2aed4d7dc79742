"""The table of docs/queue-traffic.md: what each optimisation level sends through the queues.

    PYTHONPATH=python python python/tests/queue_traffic.py      writes the table into the page

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from ember.embed_programs import (
    SDDMM,
    Array,
    Bag,
    BlockScores,
    BlockValues,
    Gather,
    Message,
    Operation,
    Score,
    SpMM,
    array,
    program,
)
from numpy.typing import NDArray
from program_runs import call
from queue_model import Crossing, Lookup, least_crossing

PAGE = Path(__file__).resolve().parents[2] / "docs" / "queue-traffic.md"
BEGIN, END = "<!-- table -->\n", "<!-- end of table -->\n"
LEVELS = range(5)
ALIGNED_LEVELS = (3, 4)
BLOCK_SIZE = 4


@dataclass(frozen=True)
class Sizes:
    """A problem: L lookups (or edges, triples) in B bags (or rows of a graph), rows of D elements,
    vectors of V; Q rows of N blocks each for the block operations."""

    L: int = 60
    B: int = 10
    D: int = 32
    V: int = 8
    Q: int = 6
    N: int = 3


@dataclass(frozen=True)
class Traffic:
    """What went through the queues in one run. unaligned: operands not of a vector's size."""

    tokens: int
    operands: int
    bytes: int
    unaligned: int


@dataclass(frozen=True)
class Above:
    """What our code sends more than the least, as formulas over Sizes."""

    tokens: str = "0"
    operands: str = "0"


@dataclass(frozen=True)
class Case:
    """A class of operations, with what its lookups are.

    lookups: in the order in which results are summed up. segment_tokens: how many segments need
    something even if they are empty. above: by optimisation level, where ours is not the least.
    unit: what counts are given for each of.
    """

    name: str
    operation: Callable[["Sizes"], Operation]
    arguments: Callable[["Sizes", "Draw"], Sequence[NDArray | int]]
    lookups: Callable[["Sizes", "Draw"], Iterable[Lookup]]
    segment_tokens: str = "0"
    above: dict[int, Above] = field(default_factory=dict)
    unit: str = "L"

    def least(self, sizes: "Sizes", level: int) -> Crossing:
        """What has to cross at that optimisation level."""
        return least_crossing(
            self.lookups(sizes, Draw(sizes)),
            evaluate(self.segment_tokens, sizes),
            numbers_ride=level >= 4,
        )


class Draw:
    """Random operands of one problem."""

    PADDING = 1

    def __init__(self, sizes: Sizes) -> None:
        self.sizes = sizes
        self.random = np.random.default_rng(sizes.L)
        cuts = np.sort(self.random.integers(0, sizes.L + 1, sizes.B - 1))
        self.offsets = np.array([0, *cuts, sizes.L])
        self.lengths = np.diff(self.offsets)
        self.rows = np.repeat(np.arange(sizes.B), self.lengths)
        self.columns = self.numbers(sizes.L)
        self.out = np.zeros((sizes.B, sizes.D), np.float32)

    def numbers(self, *shape: int) -> NDArray:
        return self.random.integers(0, self.sizes.B, shape)

    def values(self, *shape: int) -> NDArray:
        return self.random.random(shape, np.float32)

    def table(self) -> NDArray:
        return self.values(self.sizes.B, self.sizes.D)


def rows(sizes: Sizes) -> Array:
    return array("f32", None, sizes.D)


VALUES, MATRIX = array("f32", None), array("f32", None, None)
NUMBERS, BLOCKS = array("i64", None), array("i64", None, None)


def bag(**options: object) -> Callable[[Sizes], Operation]:
    return lambda sizes: Bag(
        tables=(rows(sizes),), indices=NUMBERS, segments=NUMBERS, out=rows(sizes), **options
    )


def in_bags(**each: int) -> Callable[[Sizes, Draw], list[Lookup]]:
    """Lookups in the segments that offsets delimit."""
    return lambda sizes, draw: [Lookup((int(row),), **each) for row in draw.rows]


def kept_in_bags(**each: int) -> Callable[[Sizes, Draw], list[Lookup]]:
    """Lookups in the segments that offsets delimit, but for those of padding."""
    return lambda sizes, draw: [
        Lookup((int(row),), **each)
        for row, column in zip(draw.rows, draw.columns, strict=True)
        if column != Draw.PADDING
    ]


def in_blocks(**each: int) -> Callable[[Sizes, Draw], list[Lookup]]:
    """For each query of a row of blocks, the keys of each block."""
    return lambda sizes, draw: [
        Lookup((row, block, query), **each)
        for row in range(sizes.Q)
        for block in range(sizes.N)
        for query in range(BLOCK_SIZE)
        for _ in range(BLOCK_SIZE)
    ]


CASES = (
    Case(
        "bag sum, offsets",
        bag(),
        lambda n, draw: (draw.table(), draw.columns, draw.offsets, draw.out),
        in_bags(),
        "B",
    ),
    Case(
        "bag sum, lengths",
        bag(segment_kind="lengths"),
        lambda n, draw: (draw.table(), draw.columns, draw.lengths, draw.out),
        in_bags(),
        "B",
    ),
    Case(
        "bag sum, weights",
        bag(weights=VALUES),
        lambda n, draw: (draw.table(), draw.columns, draw.offsets, draw.values(n.L), draw.out),
        in_bags(numbers=1),
        "B",
    ),
    Case(
        "bag mean",
        bag(reduction="mean"),
        lambda n, draw: (draw.table(), draw.columns, draw.offsets, draw.out),
        in_bags(),
        "B",
        # How long each bag is; it could be counted.
        {3: Above(operands="B")},
    ),
    Case(
        "bag max",
        bag(reduction="max"),
        lambda n, draw: (draw.table(), draw.columns, draw.offsets, draw.out),
        in_bags(),
        "B",
        # Where a bag begins: the maximum starts there.
        {3: Above(operands="R")},
    ),
    Case(
        "bag sum, padding",
        bag(padded=True),
        lambda n, draw: (draw.table(), draw.columns, draw.offsets, Draw.PADDING, draw.out),
        kept_in_bags(),
        "B",
    ),
    Case(
        "bag mean, padding",
        bag(reduction="mean", padded=True),
        lambda n, draw: (draw.table(), draw.columns, draw.offsets, Draw.PADDING, draw.out),
        kept_in_bags(),
        "B",
    ),
    Case(
        "spmm, CSR",
        lambda n: SpMM(rows=NUMBERS, columns=NUMBERS, values=VALUES, dense=rows(n), out=rows(n)),
        lambda n, draw: (draw.offsets, draw.columns, draw.values(n.L), draw.table(), draw.out),
        in_bags(numbers=1),
        "B",
    ),
    Case(
        "spmm, COO",
        lambda n: SpMM(
            graph="coo",
            rows=NUMBERS,
            columns=NUMBERS,
            values=VALUES,
            dense=rows(n),
            out=rows(n),
        ),
        lambda n, draw: (draw.rows, draw.columns, draw.values(n.L), draw.table(), draw.out),
        in_bags(numbers=1, segment_numbers=1),
        "0",
        # At -O4 the row of a run has a token of its own, and no operand.
        {3: Above(operands="L - R"), 4: Above("R", "-R")},
    ),
    Case(
        "sddmm",
        lambda n: SDDMM(rows=NUMBERS, columns=NUMBERS, left=rows(n), right=rows(n), out=VALUES),
        lambda n, draw: (draw.offsets, draw.columns, draw.table(), draw.table(), draw.values(n.L)),
        in_bags(staying_rows=1, segment_numbers=1),
    ),
    Case(
        "message",
        lambda n: Message(
            activation="sigmoid",
            rows=NUMBERS,
            columns=NUMBERS,
            left=rows(n),
            right=rows(n),
            messages=rows(n),
            out=rows(n),
        ),
        lambda n, draw: (
            draw.offsets,
            draw.columns,
            draw.table(),
            draw.table(),
            draw.table(),
            draw.out,
        ),
        in_bags(staying_rows=1, numbers=1),
        "B",
    ),
    Case(
        "score, transe",
        lambda n: Score(
            norm=2,
            entities=rows(n),
            relations=rows(n),
            heads=NUMBERS,
            types=NUMBERS,
            tails=NUMBERS,
            out=VALUES,
        ),
        lambda n, draw: (
            draw.table(),
            draw.table(),
            draw.numbers(n.L),
            draw.numbers(n.L),
            draw.numbers(n.L),
            draw.values(n.L),
        ),
        lambda n, draw: [Lookup((triple,), own_rows=3) for triple in range(n.L)],
    ),
    Case(
        "gather",
        lambda n: Gather(
            block_size=BLOCK_SIZE,
            source=rows(n),
            blocks=BLOCKS,
            out=array("f32", None, None, n.D),
        ),
        lambda n, draw: (
            draw.values(BLOCK_SIZE * n.B, n.D),
            draw.numbers(n.Q, n.N),
            draw.values(n.Q, n.N * BLOCK_SIZE, n.D),
        ),
        lambda n, draw: (),
        above={3: Above("S*Q*N + Q*N + Q", "S*Q*N*D//V")},
        unit="S*Q*N",
    ),
    Case(
        "block_scores",
        lambda n: BlockScores(
            block_size=BLOCK_SIZE, queries=rows(n), keys=rows(n), blocks=BLOCKS, out=MATRIX
        ),
        lambda n, draw: (
            draw.values(BLOCK_SIZE * n.Q, n.D),
            draw.values(BLOCK_SIZE * n.B, n.D),
            draw.numbers(n.Q, n.N),
            draw.values(BLOCK_SIZE * n.Q, n.N * BLOCK_SIZE),
        ),
        in_blocks(staying_rows=1),
        unit="S*S*Q*N",
    ),
    Case(
        "block_values",
        lambda n: BlockValues(
            block_size=BLOCK_SIZE, scores=MATRIX, values=rows(n), blocks=BLOCKS, out=rows(n)
        ),
        lambda n, draw: (
            draw.values(BLOCK_SIZE * n.Q, n.N * BLOCK_SIZE),
            draw.values(BLOCK_SIZE * n.B, n.D),
            draw.numbers(n.Q, n.N),
            draw.values(BLOCK_SIZE * n.Q, n.D),
        ),
        in_blocks(numbers=1),
        "Q",
        unit="S*S*Q*N",
    ),
)


def evaluate(formula: str, sizes: Sizes) -> int:
    """The number a formula of CASES stands for; S is the block size, R the number
    of rows with edges."""
    rows_with_edges = len(np.unique(Draw(sizes).rows))
    names = vars(sizes) | {"S": BLOCK_SIZE, "R": rows_with_edges}
    return int(eval(formula, {"__builtins__": {}}, names))


def measure(case: Case, sizes: Sizes, level: int) -> Traffic:
    """Runs the case as decoupled programs at that optimisation level."""
    with tempfile.TemporaryDirectory(prefix="ember-traffic-") as name:
        folder = Path(name)
        (folder / "program.mlir").write_text(program(case.operation(sizes)))
        words = []
        for number, argument in enumerate(case.arguments(sizes, Draw(sizes))):
            if isinstance(argument, int):
                words.append(str(argument))
                continue
            np.save(folder / f"{number}.npy", argument)
            words.append(f"@{folder}/{number}.npy")
        call(
            "ember-run",
            folder / "program.mlir",
            *words,
            "--target=dae-threads",
            f"-O{level}",
            f"--vector-length={sizes.V}",
            f"--stats={folder}/stats.json",
        )
        counts = json.loads((folder / "stats.json").read_text())
    data = counts["data_queue"]
    return Traffic(
        counts["control_queue"]["tokens"], data["operands"], data["bytes"], data["unaligned"]
    )


def per_unit(case: Case, sizes: Sizes, *counts: int) -> str:
    """Counts for each of what the case is measured in."""
    units = evaluate(case.unit, sizes)
    return " / ".join(f"{count / units:.1f}" for count in counts)


def describe(above: Above | None) -> str:
    """What ours sends above the least, for the table."""
    if above is None:
        return ""
    parts = [("tokens", above.tokens), ("operands", above.operands)]
    return ", ".join(f"{what} `{text.replace('//', '/')}`" for what, text in parts if text != "0")


def table() -> str:
    """The table, in Markdown: counts for each lookup, the least, and what is above it."""
    sizes = Sizes()
    head = ["operation", *(f"-O{level}" for level in LEVELS), "least"]
    head += [f"above the least at -O{level}" for level in ALIGNED_LEVELS]
    lines = [head, ["---"] * len(head)]
    for case in CASES:
        cells = []
        for level in LEVELS:
            found = measure(case, sizes, level)
            cells.append(per_unit(case, sizes, found.tokens, found.operands, found.bytes))
        least = case.least(sizes, max(LEVELS))
        cells.append(per_unit(case, sizes, least.tokens, least.operands(sizes.D // sizes.V)))
        cells += [describe(case.above.get(level)) for level in ALIGNED_LEVELS]
        lines.append([case.name, *cells])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def written_page() -> str:
    """The page with the table as it is measured now."""
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return before + BEGIN + table() + END + after


if __name__ == "__main__":
    PAGE.write_text(written_page())
