"""Embed programs: every level and target computes what the operation's formula says.

Each class of operation meets each type of its rows and each of its main attributes; the other
types, attributes and sizes, and the ways to run it, are drawn with a seed that follows from them.
A run takes a sample of these cases, and one case of each class and type in every way to run it at
every optimisation level. EMBER_EMBED_TESTS=cases takes all cases (10 minutes), =ways every scenario
and every way (5 minutes), =cases,ways both (an hour).

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import itertools
import os
import random
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from drawn_cases import SEED, Value, cover
from embed_problems import (
    ACTIVATIONS,
    EDGE_STEPS,
    MESSAGE_REDUCTIONS,
    SCENARIOS,
    BagCase,
    BlockCase,
    Case,
    EdgeCase,
    Problem,
    ScoreCase,
    SpMMCase,
)
from embed_values import INDICES, ROW_FORMATS, VALUES
from ember.embed_programs import RowFormat, program
from numpy.typing import NDArray
from program_runs import WAYS, Way, call, run_program

EXHAUSTIVE = os.environ.get("EMBER_EMBED_TESTS", "").split(",")
ALL_CASES = "cases" in EXHAUSTIVE
ALL_WAYS = "ways" in EXHAUSTIVE
QUICK = "EMBER_QUICK" in os.environ
# How many cases of each class a run takes: with a seed fewer, and others than with the next one.
SAMPLE = 5 if QUICK else 6 if SEED else 18
LENGTHS = (1, 2, 3, 8, 17, 32, 33)
BLOCK_SIZES = (1, 2, 3, 4, 8)
REDUCTIONS = ("sum", "mean", "max")
GRAPHS = ("csr", "coo")
MODELS = (
    ("transe", 1),
    ("transe", 2),
    ("rotate", 1),
    ("rotate", 2),
    ("distmult", None),
    ("complex", None),
)
# How rows are stored: the type of all values, one each, or bytes.
STORAGE: tuple[str | RowFormat, ...] = (*VALUES, "mixed", *ROW_FORMATS)
# Cases in which the order of a sum is left open, or a function of the C library is called, may
# differ in the last bits from way to way.
REORDERED = (EdgeCase, ScoreCase)


class Choice(random.Random):
    """The draws that complete a case, seeded by what is fixed in it."""

    def __init__(self, *fixed: object) -> None:
        super().__init__(zlib.crc32(repr(fixed).encode()))

    def types(self, storage: str | RowFormat, count: int) -> tuple[str, ...]:
        """The types of that many operands."""
        if storage in VALUES:
            return (str(storage),) * count
        return tuple(self.choice(list(VALUES)) for _ in range(count))

    def flag(self) -> bool:
        return self.random() < 0.5


def bag_cases() -> Iterator[tuple[str, Case]]:
    for reduction, kind, storage in itertools.product(
        REDUCTIONS, ("offsets", "open_offsets", "lengths"), STORAGE
    ):
        choice = Choice("bag", reduction, kind, storage)
        table, weights, out = choice.types(storage, 3)
        form = storage if isinstance(storage, RowFormat) else None
        lengths = choice.choices(LENGTHS, k=choice.choice((1, 1, 2, 3)))
        if form and form.encoding == "int4" and len(lengths) > 1:
            lengths = [2 * length for length in lengths]
        weighted = reduction != "max" and choice.flag()
        yield (
            f"bag-{reduction}-{kind}-{name_of(storage)}",
            BagCase(
                reduction,
                kind,
                table,
                weights if weighted else None,
                out,
                choice.choice(list(INDICES)),
                choice.choice(list(INDICES)),
                choice.flag(),
                form,
                tuple(lengths),
                choice.flag(),
            ),
        )


def spmm_cases() -> Iterator[tuple[str, Case]]:
    for reduction, graph, weighted, storage in itertools.product(
        REDUCTIONS, GRAPHS, (False, True), STORAGE
    ):
        choice = Choice("spmm", reduction, graph, weighted, storage)
        dense, values, out = choice.types(storage, 3)
        yield (
            f"spmm-{reduction}-{graph}-{'values' if weighted else 'ones'}-{name_of(storage)}",
            SpMMCase(
                reduction,
                graph,
                dense,
                values if weighted else None,
                out,
                choice.choice(list(INDICES)),
                storage if isinstance(storage, RowFormat) else None,
                choice.choice(LENGTHS),
                choice.flag(),
            ),
        )


def edge_cases(reductions: tuple[str | None, ...]) -> Iterator[tuple[str, Case]]:
    for reduction, edge, activation, graph, storage in itertools.product(
        reductions, EDGE_STEPS, ACTIVATIONS, GRAPHS, (*VALUES, "mixed")
    ):
        choice = Choice("edges", reduction, edge, activation, graph, storage)
        left, right, messages, values, scale, out = choice.types(storage, 6)
        yield (
            f"{reduction or 'sddmm'}-{edge}-{activation or 'plain'}-{graph}-{storage}",
            EdgeCase(
                edge,
                activation,
                graph,
                (left, right, messages, values, scale, out),
                choice.choice(list(INDICES)),
                choice.flag(),
                choice.flag(),
                reduction,
                reduction is not None and choice.flag(),
                choice.choice(LENGTHS),
                choice.flag(),
            ),
        )


def score_cases() -> Iterator[tuple[str, Case]]:
    for (model, norm), all_tails, storage in itertools.product(
        MODELS, (False, True), (*VALUES, "mixed")
    ):
        choice = Choice("score", model, norm, all_tails, storage)
        entities, relations, out = choice.types(storage, 3)
        length = choice.choice(LENGTHS)
        if model in ("complex", "rotate"):
            length *= 2
        yield (
            f"{model}{norm or ''}-{'all' if all_tails else 'given'}-{storage}",
            ScoreCase(
                model,
                norm,
                entities,
                relations,
                out,
                choice.choice(list(INDICES)),
                all_tails,
                length,
                choice.flag(),
            ),
        )


def block_cases() -> Iterator[tuple[str, Case]]:
    for kind, size, storage in itertools.product(
        ("gather", "block_scores", "block_values"), BLOCK_SIZES, STORAGE
    ):
        form = storage if isinstance(storage, RowFormat) else None
        if form and kind != "gather":
            continue
        choice = Choice(kind, size, storage)
        rows, others, scale, out = choice.types(storage, 4)
        yield (
            f"{kind}-{size}-{name_of(storage)}",
            BlockCase(
                kind,
                size,
                (rows, others, scale, out),
                choice.choice(list(INDICES)),
                choice.flag(),
                form,
                choice.choice(LENGTHS),
                choice.flag(),
            ),
        )


def name_of(storage: str | RowFormat) -> str:
    """The storage as a test is called."""
    if not isinstance(storage, RowFormat):
        return storage
    parts = (storage.encoding, storage.parameters, "leading" if storage.leading else None)
    return "-".join(part for part in parts if part)


def classes() -> Iterator[list[tuple[str, Case]]]:
    """All cases, class by class."""
    yield list(bag_cases())
    yield list(spmm_cases())
    yield list(edge_cases((None,)))
    yield list(edge_cases(tuple(MESSAGE_REDUCTIONS)))
    yield list(score_cases())
    for kind in ("gather", "block_scores", "block_values"):
        yield [(name, case) for name, case in block_cases() if name.startswith(kind)]


def combinations() -> Iterator[object]:
    """All cases, or a sample of each class."""
    for known in classes():
        chosen = known if ALL_CASES else Choice("sample", SEED, len(known)).sample(known, SAMPLE)
        yield from (pytest.param(name, case, id=name) for name, case in chosen)


def one_of_each_type() -> Iterator[object]:
    """A case for each class and each type of its rows, and of these, with a seed, so many that
    each class and each type occurs; under --quick, for one type a class."""
    chosen: list[tuple[object, frozenset[Value]]] = []
    for number, known in enumerate(classes()):
        names = [name_of(storage) for storage in STORAGE]
        if QUICK:
            names = [Choice("type", known[0][0]).choice(names[:4])]
        for storage in names:
            cases = [(name, case) for name, case in known if name.endswith(f"-{storage}")]
            if cases:
                name, case = Choice("each", SEED, storage, len(known)).choice(cases)
                values = frozenset({("class", number), ("type", zlib.crc32(storage.encode()))})
                chosen.append((pytest.param(name, case, id=name), values))
    yield from cover(chosen, SEED) if SEED else (case for case, _ in chosen)


def check(actual: NDArray, problem: Problem) -> None:
    """Compares a result with the formula's."""
    out = problem.arguments[-1]
    assert isinstance(out, np.ndarray)
    relative, absolute = problem.tolerance
    # bf16 comes back as raw bytes.
    np.testing.assert_allclose(
        actual.view(out.dtype).astype(np.float64),
        problem.expected.numpy(),
        rtol=relative,
        atol=absolute,
    )


@pytest.mark.parametrize(("name", "case"), list(combinations()))
def test_every_way_computes_the_formula(name: str, case: Case, tmp_path: Path) -> None:
    choice = Choice("ways", name)
    scenarios = SCENARIOS if ALL_WAYS else choice.sample(SCENARIOS, 2)
    ways = WAYS[1:] if ALL_WAYS else choice.sample(WAYS[1:], 3)
    run_and_compare(name, case, scenarios, ways, tmp_path)


@pytest.mark.parametrize(("name", "case"), list(one_of_each_type()))
def test_every_level_and_target_computes_the_formula(name: str, case: Case, tmp_path: Path) -> None:
    scenario = Choice("levels", name).choice(SCENARIOS)
    ways = [way for way in WAYS if way.is_recoupled or way.is_target]
    assert len(ways) == 15
    if SEED:
        # Two of the optimisation levels, of each way to run.
        levels = Choice("optimisation", SEED, name).sample(range(5), 2)
        ways = [way for way in ways if any(f"-O{level}" in way.name for level in levels)]
    run_and_compare(name, case, [scenario], ways, tmp_path)


def run_and_compare(
    name: str, case: Case, scenarios: Sequence[str], others: Sequence[Way], tmp_path: Path
) -> None:
    """Runs the case as the plain program in each scenario, and in other ways, each in one of the
    scenarios; compares with the formula and, where no order is left open, bit for bit."""
    source, loops = tmp_path / "kernel.mlir", tmp_path / "loops.mlir"
    source.write_text(program(case.operation()))
    call("ember-opt", "--embed-to-scf", source, "-o", loops)
    ways = [WAYS[0], *others]
    problems = [
        case.problem(scenario, np.random.default_rng(zlib.crc32(f"{name} {scenario}".encode())))
        for scenario in scenarios
    ]

    def run_all(numbered: tuple[int, Way]) -> list[NDArray]:
        number, way = numbered
        return [
            run_program(
                loops if way.passes else source,
                way,
                problem.arguments,
                tmp_path / f"{number}-{k}",
                [f"save={len(problem.arguments) - 1}"],
            )[0]
            for k, problem in enumerate(problems)
            if way is WAYS[0] or k % len(problems) == number % len(problems)
        ]

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        plain, *rest = pool.map(run_all, enumerate(ways))
    for result, problem in zip(plain, problems, strict=True):
        check(result, problem)
    for number, results in enumerate(rest, 1):
        k = number % len(problems)
        check(results[0], problems[k])
        if not isinstance(case, REORDERED) and getattr(case, "kind", "") != "block_scores":
            assert results[0].tobytes() == plain[k].tobytes(), f"{ways[number].name}: other bits"
