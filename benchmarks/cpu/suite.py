"""All cases: which values factors have, and which of their combinations are measured.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from dataclasses import dataclass

from benchmarks.cpu.bag_cases import BagCase
from benchmarks.cpu.block_cases import BlockCase
from benchmarks.cpu.case import Case
from benchmarks.cpu.covering import Choice, cover
from benchmarks.cpu.graph_cases import GraphCase
from benchmarks.cpu.graphs import FILES, SHAPES, missing_graphs
from benchmarks.cpu.lookups import HISTOGRAMS, UNIFORM
from benchmarks.cpu.model_cases import TablesCase
from benchmarks.cpu.rows import ROW_TYPES
from benchmarks.cpu.score_cases import MODELS, ScoreCase

LENGTHS = (16, 32, 64, 100, 128, 256)
TABLES = (256_000, 26_000_000, 2_500_000_000)
LOCALITIES = (UNIFORM, *HISTOGRAMS)
BATCHES = (1, 16, 256, 4096)
PLACES = {"length": LENGTHS, "table_bytes": TABLES, "locality": LOCALITIES, "bags": BATCHES}
# PyTorch copies a table whose rows are not contiguous, in every call; others are copied once.
MOST_COPIED_BYTES = 26_000_000
ARENA_BYTES = max(TABLES)
ONE_BAG_LOOKUPS = 1_000_000


@dataclass(frozen=True)
class Kind:
    """A kind of bags: what is fixed in a kernel but the length."""

    group: str
    reduction: str
    value: str
    path: str = ""


HALVES_AND_SINGLE = ("f32", "bf16", "f16")
FAST = [
    Kind("bag", reduction, value)
    for reduction in ("sum", "mean", "weighted sum")
    for value in HALVES_AND_SINGLE
]
MAX = [Kind("bag max", "max", value) for value in (*HALVES_AND_SINGLE, "f64")]
ENCODED = [
    Kind("bag int", "sum", "int8"),
    Kind("bag int", "weighted sum", "int8"),
    Kind("bag int", "sum", "int4"),
    Kind("bag int", "weighted sum", "int4"),
    Kind("bag fp8", "sum", "e4m3"),
    Kind("bag fp8", "mean", "e5m2"),
    Kind("bag mxfp8", "sum", "mxfp8 e4m3"),
    Kind("bag mxfp8", "mean", "mxfp8 e5m2"),
    Kind("bag fbgemm int8", "sum", "int8 leading"),
]
SLOW = [
    Kind("bag padding", "sum", "f32", "padding"),
    Kind("bag padding", "mean", "f32", "padding"),
    Kind("bag padding", "weighted sum", "f32", "padding"),
    Kind("bag padding", "sum", "bf16", "padding"),
    Kind("bag f64", "sum", "f64"),
    Kind("bag f64", "mean", "f64"),
    Kind("bag strided table", "sum", "f32", "row-strided table"),
    Kind("bag strided table", "sum", "f32", "column-major table"),
    Kind("bag strided weights", "weighted sum", "f32", "strided weights"),
    Kind("bag strided weights", "weighted sum", "f16", "strided weights"),
    Kind("bag weighted mean", "weighted mean", "f32"),
]


# How many lengths a graph is taken with.
GRAPH_LENGTHS = {"spmm sum": 3, "spmm mean": 1, "spmm max": 1, "message": 3}
GRAPH_GROUPS = {"spmm sum": "spmm"}


def bag_cases(kinds: list[Kind], strength: int) -> list[Case]:
    """Bags of some kinds; kinds and places are covered together to that strength.

    torch.compile hands bags to the eager operator: its overhead is measured once a kind, and where
    every case is another kind, once. Compiling takes longer than measuring.
    """

    def fits(choice: Choice) -> bool:
        kind = choice["kind"]
        is_copied = "table" in kind.path or ROW_TYPES[kind.value].is_copied
        return choice["table_bytes"] <= MOST_COPIED_BYTES or not is_copied

    cases: list[Case] = []
    seen: set[Kind] = set()
    for choice in cover({"kind": kinds, **PLACES}, strength, fits):
        kind = choice.pop("kind")
        compares = kind not in seen if strength > 1 else not seen
        fixed = {"path": kind.path, "compare_compiled": compares}
        cases.append(BagCase(kind.group, kind.reduction, kind.value, **choice, **fixed))
        seen.add(kind)
    return cases


def one_bag_cases() -> list[Case]:
    """One bag of many lookups, that threads have to share."""
    return [
        BagCase("one bag", "sum", value, 64, max(TABLES), UNIFORM, 1, lookups=ONE_BAG_LOOKUPS)
        for value in ("f32", "bf16")
    ]


def graph_cases(quick: bool) -> list[Case]:
    """Products with graphs and message passing.

    The n-th graph is taken with every second length from the n-th on, or with quick with one
    length, and then each operation takes another third of the graphs.
    """
    names = [name for name in FILES if name not in missing_graphs()] + list(SHAPES)
    cases: list[Case] = []
    for turn, (operation, count) in enumerate(GRAPH_LENGTHS.items()):
        group = GRAPH_GROUPS.get(operation, operation)
        for number, name in enumerate(names):
            if quick and (number - turn) % 3 != 0:
                continue
            for step in range(1 if quick else count):
                length = LENGTHS[(number + 2 * step) % len(LENGTHS)]
                cases.append(GraphCase(group, operation, name, length))
    return cases


def score_cases(strength: int) -> list[Case]:
    """Triples of entities that caches hold, and of many."""
    factors = {
        "model": tuple(MODELS),
        "length": (64, 128, 256, 512),
        "entities": (20_000, 1_000_000),
        "triples": (64, 1024, 16_384),
    }
    return [
        ScoreCase("score", **choice, compare_compiled=strength > 1 or not number)
        for number, choice in enumerate(cover(factors, strength))
    ]


def block_cases(strength: int) -> list[Case]:
    """Blocks of keys of sparse attention."""
    factors = {
        "operation": ("gather", "block scores", "block values"),
        "block_size": (1, 2, 4, 8),
        "length": (64, 128),
    }
    cases: list[Case] = []
    for number, choice in enumerate(cover(factors, strength)):
        group = "gather" if choice["operation"] == "gather" else "blocks"
        compares = strength > 1 or not number
        cases.append(BlockCase(group, **choice, compare_compiled=compares))
    return cases


def model_cases(quick: bool) -> list[Case]:
    """All tables of a model, in small and large batches."""
    batches = (1, 64) if quick else (1, 4, 16, 64, 256, 1024, 4096)
    return [TablesCase("tables", batch) for batch in batches]


def all_cases(quick: bool) -> list[Case]:
    """The cases of a run, always the same: every pair of values, or with quick every value."""
    strength = 1 if quick else 2
    cases = one_bag_cases()
    for kinds in (FAST, MAX, ENCODED, SLOW):
        cases += bag_cases(kinds, strength)
    cases += model_cases(quick) + graph_cases(quick)
    return cases + score_cases(strength) + block_cases(strength)
