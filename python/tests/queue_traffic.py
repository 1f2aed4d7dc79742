"""The table of docs/queue-traffic.md: what each optimisation level sends through the queues.

    PYTHONPATH=python python python/tests/queue_traffic.py      writes the table into the page

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
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

PAGE = Path(__file__).resolve().parents[2] / "docs" / "queue-traffic.md"
BEGIN, END = "<!-- table -->\n", "<!-- end of table -->\n"
LEVELS = range(5)
FORMULA_LEVELS = (3, 4)
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
class Case:
    """A class of operations with what its code sends at -O3 and -O4, as formulas over Sizes.

    special_tokens, special_operands: at -O4; None where that sends what -O3 does.
    unit: what counts are given for each of.
    """

    name: str
    operation: Callable[[Sizes], Operation]
    arguments: Callable[[Sizes, "Draw"], Sequence[NDArray]]
    tokens: str
    operands: str
    special_tokens: str | None = None
    special_operands: str | None = None
    unit: str = "L"

    def formulas(self, level: int) -> tuple[str, str]:
        """Tokens and operands at that optimisation level, 3 or 4."""
        if level == 3:
            return self.tokens, self.operands
        return self.special_tokens or self.tokens, self.special_operands or self.operands


class Draw:
    """Random operands of one problem."""

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


CASES = (
    Case(
        "bag sum, offsets",
        bag(),
        lambda n, draw: (draw.table(), draw.columns, draw.offsets, draw.out),
        "L + B + 1",
        "L*D//V",
    ),
    Case(
        "bag sum, lengths",
        bag(segment_kind="lengths"),
        lambda n, draw: (draw.table(), draw.columns, draw.lengths, draw.out),
        "L + B + 1",
        "L*D//V",
    ),
    Case(
        "bag sum, weights",
        bag(weights=VALUES),
        lambda n, draw: (draw.table(), draw.columns, draw.offsets, draw.values(n.L), draw.out),
        "L + B + 1",
        "L*(D//V + 1)",
        special_operands="L*D//V",
    ),
    Case(
        "bag mean",
        bag(reduction="mean"),
        lambda n, draw: (draw.table(), draw.columns, draw.offsets, draw.out),
        "L + 2*B + 1",
        "L*D//V + 2*B",
        special_operands="L*D//V",
    ),
    Case(
        "bag max",
        bag(reduction="max"),
        lambda n, draw: (draw.table(), draw.columns, draw.offsets, draw.out),
        "L + B + 1",
        "L*(D//V + 2)",
        special_operands="L*(D//V + 1)",
    ),
    Case(
        "spmm, CSR",
        lambda n: SpMM(rows=NUMBERS, columns=NUMBERS, values=VALUES, dense=rows(n), out=rows(n)),
        lambda n, draw: (draw.offsets, draw.columns, draw.values(n.L), draw.table(), draw.out),
        "L + B + 1",
        "L*(D//V + 1)",
        special_operands="L*D//V",
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
        "L + 1",
        "L*(D//V + 2)",
        special_tokens="L + R + 1",
        special_operands="L*D//V",
    ),
    Case(
        "sddmm",
        lambda n: SDDMM(rows=NUMBERS, columns=NUMBERS, left=rows(n), right=rows(n), out=VALUES),
        lambda n, draw: (draw.offsets, draw.columns, draw.table(), draw.table(), draw.values(n.L)),
        "L + 1",
        "L*(2*D//V + 1)",
        special_operands="2*L*D//V",
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
        "L + B + 1",
        "L*(2*D//V + 1)",
        special_operands="2*L*D//V",
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
        "L + 1",
        "3*L*D//V",
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
        "S*Q*N + Q*N + Q + 1",
        "S*Q*N*D//V",
        special_tokens="1",
        special_operands="0",
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
        "2*S*S*Q*N + S*Q*N + Q*N + Q + 1",
        "S*S*Q*N*(2*D//V + 1)",
        special_operands="2*S*S*Q*N*D//V",
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
        "S*S*Q*N + Q + 1",
        "S*S*Q*N*(D//V + 2) + Q",
        special_operands="S*S*Q*N*(D//V + 1)",
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


def table() -> str:
    """The table, in Markdown: counts for each lookup, and the formulas of the last levels."""
    sizes = Sizes()
    head = ["operation", *(f"-O{level}" for level in LEVELS)]
    head += [f"{what} at -O{level}" for level in FORMULA_LEVELS for what in ("tokens", "operands")]
    lines = [head, ["---"] * len(head)]
    for case in CASES:
        units = evaluate(case.unit, sizes)
        cells = []
        for level in LEVELS:
            found = measure(case, sizes, level)
            counts = (found.tokens, found.operands, found.bytes)
            cells.append(" / ".join(f"{count / units:.1f}" for count in counts))
        formulas = [
            f"`{text.replace('//', '/')}`"
            for level in FORMULA_LEVELS
            for text in case.formulas(level)
        ]
        lines.append([case.name, *cells, *formulas])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def written_page() -> str:
    """The page with the table as it is measured now."""
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return before + BEGIN + table() + END + after


if __name__ == "__main__":
    PAGE.write_text(written_page())
