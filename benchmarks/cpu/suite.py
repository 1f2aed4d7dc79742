"""All cases: which values factors have, and which of their combinations are measured.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from dataclasses import dataclass

from benchmarks.cpu.bags import BagCase
from benchmarks.cpu.case import Case
from benchmarks.cpu.covering import Choice, cover
from benchmarks.cpu.lookups import HISTOGRAMS, UNIFORM

LENGTHS = (16, 32, 64, 100, 128, 256)
TABLES = (256_000, 26_000_000, 2_500_000_000)
LOCALITIES = (UNIFORM, *HISTOGRAMS)
BATCHES = (1, 16, 256, 4096)
PLACES = {"length": LENGTHS, "table_bytes": TABLES, "locality": LOCALITIES, "bags": BATCHES}
# PyTorch copies a table whose rows are not contiguous, in every call.
MOST_STRIDED_BYTES = 26_000_000
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


def bag_cases(kinds: list[Kind], strength: int) -> list[Case]:
    """Bags of some kinds; kinds and places are covered together to that strength."""

    def fits(choice: Choice) -> bool:
        return choice["table_bytes"] <= MOST_STRIDED_BYTES or "table" not in choice["kind"].path

    return [
        BagCase(kind.group, kind.reduction, kind.value, path=kind.path, **choice)
        for choice in cover({"kind": kinds, **PLACES}, strength, fits)
        if (kind := choice.pop("kind"))
    ]


def one_bag_cases() -> list[Case]:
    """One bag of many lookups, that threads have to share."""
    return [
        BagCase("one bag", "sum", value, 64, max(TABLES), UNIFORM, 1, lookups=ONE_BAG_LOOKUPS)
        for value in ("f32", "bf16")
    ]


def all_cases(quick: bool) -> list[Case]:
    """The cases of a run, always the same: every pair of values, or with quick every value."""
    strength = 1 if quick else 2
    cases = one_bag_cases()
    for kinds in (FAST, MAX, ENCODED, SLOW):
        cases += bag_cases(kinds, strength)
    return cases
