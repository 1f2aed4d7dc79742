"""The CPU benchmark's harness: its cases, its limit, its targets, its JSON, and one run of it.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import itertools
import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from ember.measurement import without_outliers
from numpy.typing import NDArray

from benchmarks import summary
from benchmarks.cpu import (
    agreement,
    bag_cases,
    block_cases,
    command,
    fbgemm,
    graphs,
    limit,
    measuring,
    model_cases,
    plots,
    score_cases,
    suite,
    tables,
    targets,
)
from benchmarks.cpu.arena import Arena
from benchmarks.cpu.block_cases import BlockCase
from benchmarks.cpu.case import Case
from benchmarks.cpu.covering import cover
from benchmarks.cpu.graph_cases import GraphCase
from benchmarks.cpu.limit import LimitRead, Reading, RowSize
from benchmarks.cpu.measuring import Batches, Contender, Timing
from benchmarks.cpu.model_cases import TablesCase
from benchmarks.cpu.results import Result, read_results, to_json
from benchmarks.cpu.rows import ROW_TYPES
from benchmarks.cpu.running import run_cases
from benchmarks.cpu.score_cases import ScoreCase
from benchmarks.cpu.setting import Setting

MEGABYTE = 1 << 20
ROW_BYTES = (12, 54, 64, 72, 108, 127, 256, 400, 1024)


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena(MEGABYTE)


@pytest.fixture(scope="module")
def readers() -> limit.Limit:
    sizes = [RowSize(row, index) for row in ROW_BYTES for index in (4, 8)]
    return limit.limit_library(sizes)


def test_a_covering_holds_every_allowed_pair() -> None:
    factors = {"a": range(4), "b": range(3), "c": range(3), "d": range(2)}

    def allowed(choice: dict[str, Any]) -> bool:
        return choice["a"] != 0 or choice["d"] == 0

    chosen = cover(factors, 2, allowed)
    assert all(map(allowed, chosen))
    for one, other in itertools.combinations(factors, 2):
        wanted = set(itertools.product(factors[one], factors[other]))
        if (one, other) == ("a", "d"):
            wanted.remove((0, 1))
        assert {(choice[one], choice[other]) for choice in chosen} == wanted
    assert len(chosen) < 4 * 3 * 2


@pytest.mark.parametrize("strength", [1, 4])
def test_coverings_of_one_factor_and_of_all(strength: int) -> None:
    factors = {"a": "xyz", "b": "xy", "c": "x", "d": "xyzw"}
    assert len(cover(factors, strength)) == (4 if strength == 1 else 3 * 2 * 4)


@pytest.mark.parametrize("quick", [True, False])
def test_cases_are_the_same_in_every_run(quick: bool) -> None:
    cases = suite.all_cases(quick)
    assert cases == suite.all_cases(quick)
    named = [(case.group, tuple(case.factors.items())) for case in cases]
    assert len(set(named)) == len(named)


def test_quick_cases_have_every_value_of_every_factor() -> None:
    fast = [case for case in suite.all_cases(True) if case.group == "bag"]
    for name, values in suite.PLACES.items():
        assert {case.factors[name] for case in fast} == set(values)
    assert {(case.factors["reduction"], case.factors["value"]) for case in fast} == {
        (kind.reduction, kind.value) for kind in suite.FAST
    }


def checksum(rows: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """What the limit has to find in rows (count, bytes)."""
    padded = np.pad(rows, ((0, 0), (0, -rows.shape[1] % limit.LINE)))
    folded: NDArray[np.uint8] = np.bitwise_xor.reduce(padded.reshape(-1, limit.LINE), axis=0)
    return folded


@pytest.mark.parametrize("row_bytes", ROW_BYTES)
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("reading", [Reading(0, 1), Reading(8, 1), Reading(64, 2), Reading(4, 3)])
def test_the_limit_reads_every_byte(
    readers: limit.Limit, row_bytes: int, index: Any, reading: Reading
) -> None:
    draw = np.random.default_rng(row_bytes)
    table = draw.integers(0, 256, (50, row_bytes + 4), np.uint8)[:, :row_bytes]
    indices = draw.integers(0, 50, 1000).astype(index)
    offsets = np.array([0, 0, 10, 10, 400, 401, 990])
    read = LimitRead(readers, table, lambda batch: (batch, offsets), 6, 100)
    read.reading = reading
    read.out[:] = 77
    read.read(*read.arguments(indices))
    np.testing.assert_array_equal(read.checksum, checksum(table[indices[:990]]))
    assert (read.out != 77).any()


def test_the_limit_names_a_size_it_was_not_compiled_for(readers: limit.Limit) -> None:
    table = np.zeros((4, 65), np.uint8)
    read = LimitRead(readers, table, lambda batch: (batch, np.array([0, 1])), 1, 1)
    with pytest.raises(ValueError, match="no reader for rows of 65 bytes"):
        read.read(*read.arguments(np.zeros(1, np.int64)))


@pytest.mark.parametrize("name", ROW_TYPES)
def test_the_arena_is_finite_in_every_type(arena: Arena, name: str) -> None:
    kind = ROW_TYPES[name]
    for length in suite.LENGTHS:
        table = kind.table(arena, 100, length)
        values = kind.decode(table, length)
        assert values.shape == (100, length)
        assert values.isfinite().all()
        assert 0 < values.abs().max() < 1000


def test_the_arena_refuses_tables_that_do_not_fit(arena: Arena) -> None:
    with pytest.raises(ValueError, match="larger than the arena"):
        arena.table(torch.float32, MEGABYTE // 4 + 1, 1)


def timing(seconds: float) -> Timing:
    return Timing(seconds, seconds, seconds, 5, 1)


def result(group: str, threads: int, row_bytes: int = 100, **seconds: float) -> Result:
    times = {name: timing(value) for name, value in seconds.items()}
    return Result(group, {"length": 16}, threads, row_bytes, 10, times)


def test_geometric_means() -> None:
    assert math.isclose(summary.geometric_mean([2, 8]), 4)
    with pytest.raises(ValueError, match="of nothing"):
        summary.geometric_mean([])


def outcome(results: list[Result], name: str, threads: int) -> targets.Outcome:
    found = [
        one for one in targets.evaluate(results) if one.name == name and one.threads == threads
    ]
    assert len(found) == 1
    return found[0]


def summary_of(found: targets.Outcome) -> summary.Summary:
    assert found.summary is not None
    return found.summary


def bags(*ratios: float, **others: float) -> list[Result]:
    """Cases of bags whose peer takes so many times as long, with names of their own."""
    results = [result("bag", 1, ember=1, pytorch=ratio, **others) for ratio in ratios]
    for number, one in enumerate(results):
        one.factors["bags"] = number
    return results


BAG_TARGET = "bags: sum, mean, weighted"


def test_targets_take_the_mean_and_the_floor() -> None:
    one = outcome(bags(1.0, 2.0), BAG_TARGET, 1)
    found = summary_of(one)
    assert (found.cases, one.met, found.least) == (2, True, 1.0)
    assert found.mean == found.trimmed == pytest.approx(math.sqrt(2))
    low = outcome(bags(1.0, 2.0, 1.5, 0.89), BAG_TARGET, 1)
    assert summary_of(low).trimmed > low.least
    assert not low.met
    assert not outcome(bags(1.05), BAG_TARGET, 1).met


def test_no_case_carries_a_mean() -> None:
    """A peer that once took thousands of times as long is told, and decides nothing."""
    usual = (0.95, 1.0, 1.02, 1.05, 0.98)
    one = outcome(bags(*usual, 8045.0), BAG_TARGET, 1)
    found = summary_of(one)
    assert found.mean > one.least > found.trimmed == pytest.approx(1.01, abs=0.01)
    assert not one.met
    assert (found.median, found.greatest) == (pytest.approx(1.01), 8045)
    assert found.carried_by == found.greatest_case == "bag: length 16, bags 5"
    text = "\n".join(tables.target_table([one]))
    assert "the mean of all is carried by bag: length 16, bags 5" in text
    assert "0.95-8045.00x" in text
    assert "MISSED" in text
    assert summary_of(outcome(bags(*usual), BAG_TARGET, 1)).carried_by is None
    slow = summary_of(outcome(bags(*usual, 0.01), BAG_TARGET, 1))
    assert slow.carried_by == slow.least_case


def test_unstable_cases_are_left_out_and_named() -> None:
    results = bags(1.2, 1.3, 1.25, 220.0)
    accident = Timing(220.0, 3.0, 400.0, 5, 1)
    results[3].times["pytorch"] = accident
    one = outcome(results, BAG_TARGET, 1)
    assert summary_of(one).cases == 3
    assert summary_of(one).greatest == 1.3
    assert one.met
    assert one.unstable == ("bag: length 16, bags 3 (pytorch)",)
    text = "\n".join(tables.target_table([one]))
    assert "unstable and left out: bag: length 16, bags 3 (pytorch)" in text
    assert "220.00x ±90%?" in tables.line(results[3], ["pytorch"])
    nothing = outcome(results[3:], BAG_TARGET, 1)
    assert (nothing.summary, nothing.met, len(nothing.unstable)) == (None, None, 1)


def test_accidents_are_left_out_of_times() -> None:
    """Samples of a few microseconds, and some that waited until threads were awake."""
    usual = [10e-6, 10.2e-6, 9.9e-6, 10.1e-6, 10.3e-6, 9.8e-6, 10e-6, 10.1e-6, 10.2e-6, 9.9e-6]
    found = measuring.timing([*usual, 80.45e-3, 4e-3], 3)
    assert (found.samples, found.dropped, found.calls) == (10, 2, 3)
    assert found.median == pytest.approx(10e-6, rel=0.01)
    assert found.high < 11e-6
    assert found.is_stable
    assert tables.spread_in_words(found) == "±1% -2"
    assert measuring.timing(usual, 3).dropped == 0
    # Where half of the samples are accidents, nothing is known.
    often = measuring.timing([*usual[:5], 4e-3, 16e-3, 8e-3, 12e-3, 9e-3], 1)
    assert not often.is_stable
    many = measuring.timing([*usual, 1.0, 1.0, 1.0], 1)
    assert many.dropped == 3
    assert not many.is_stable
    assert tables.spread_in_words(many).endswith(" -3?")
    assert without_outliers([1.0, 1.0, 1.0, 1.05, 1.2]) == [1.0, 1.0, 1.0, 1.05]
    assert without_outliers([2.0]) == [2.0]


def test_the_first_call_of_a_turn_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A contender whose threads sleep after another's turn, and one that uses none."""
    clock = [0.0]
    monkeypatch.setattr(measuring.time, "perf_counter", lambda: clock[0])
    last = [""]

    def call(name: str, seconds: float, waking: float) -> Contender:
        def run(number: int) -> None:
            clock[0] += seconds + (waking if last[0] != name else 0)
            last[0] = name

        return Contender(name, run, lambda number: (number,))

    times = measuring.measure(
        [call("peer", 1e-3, 8.0), call("ember", 1e-3, 0.0)], Batches(lambda number: number), 1.0
    )
    assert times["peer"].median == pytest.approx(1e-3)
    assert times["ember"].median == pytest.approx(1e-3)


def test_as_many_calls_go_ahead_of_each_sample() -> None:
    seen: dict[str, int] = {"short": 0, "long": 0}

    def run(name: str) -> Contender:
        def call(number: int) -> None:
            seen[name] += 1
            if name == "long":
                time.sleep(2e-3)

        return Contender(name, call, lambda number: (number,))

    times = measuring.measure([run("short"), run("long")], Batches(lambda number: number), 0)
    ahead = {
        name: seen[name] - 2 - timing.calls * measuring.LEAST_TURNS
        for name, timing in times.items()
    }
    assert ahead["short"] == ahead["long"] == measuring.LEAST_TURNS
    assert measuring.calls_before_sample(1.0) == 1
    assert measuring.calls_before_sample(0.0) == measuring.MOST_WARM_UP
    assert measuring.calls_before_sample(measuring.WARM_UP_SECONDS / 3) == 3


def test_targets_say_what_the_limit_allows() -> None:
    results = [*bags(3.0, limit=0.5), *bags(3.0)]
    results[1].factors["bags"] = 7
    one = outcome(results, BAG_TARGET, 1)
    assert summary_of(one).mean == pytest.approx(3)
    assert one.at_limit == pytest.approx(6)


def test_targets_without_times_are_neither_met_nor_missed() -> None:
    one = outcome([result("bag fp8", 1, ember=1)], "bags: fp8", 1)
    assert (one.summary, one.met) == (None, None)


def test_scaling_compares_ember_with_itself() -> None:
    results = [result("one bag", 1, ember=3.0), result("one bag", 2, ember=1.5)]
    one = outcome(results, "one long bag: against one thread", 2)
    assert summary_of(one).mean == pytest.approx(2)
    assert one.met


def test_results_come_back_from_json(tmp_path: Path) -> None:
    results = [result("bag", 1, ember=1, pytorch=2)]
    results[0].absent["fbgemm"] = "is not installed"
    path = tmp_path / "results.json"
    path.write_text(to_json(results, targets.evaluate(results), {"quick": True}))
    assert read_results(path) == results
    path.write_text(path.read_text().replace('"schema": 1', '"schema": 0'))
    with pytest.raises(ValueError, match="schema 0"):
        read_results(path)


def test_every_contender_has_its_turns_on_other_batches() -> None:
    seen: dict[str, list[int]] = {"a": [], "b": []}
    contenders = [
        Contender(name, lambda number, name=name: seen[name].append(number), lambda n: (n,))
        for name in seen
    ]
    times = measuring.measure(contenders, Batches(lambda number: number), seconds=0)
    turns = {timing.samples + timing.dropped for timing in times.values()}
    assert turns == {measuring.LEAST_TURNS}
    batches = sorted(seen["a"] + seen["b"])
    assert batches == list(range(len(batches)))


def test_samples_of_short_calls_hold_many() -> None:
    assert measuring.calls_of_sample(1.0) == 1
    assert measuring.calls_of_sample(0.0) == measuring.MOST_CALLS
    assert 1 < measuring.calls_of_sample(measuring.SAMPLE_SECONDS / 10) < measuring.MOST_CALLS


BAGS = {
    "fast": bag_cases.BagCase("bag", "mean", "f16", 100, 20_000, "uniform", 16),
    "weighted": bag_cases.BagCase("bag", "weighted sum", "bf16", 32, 20_000, "2021", 16),
    "f64": bag_cases.BagCase("bag f64", "mean", "f64", 100, 20_000, "uniform", 16),
    "max": bag_cases.BagCase("bag max", "max", "f32", 16, 20_000, "uniform", 16),
    "padding": bag_cases.BagCase("x", "mean", "f32", 16, 2_000, "uniform", 16, "padding"),
    "strided": bag_cases.BagCase("x", "sum", "f32", 16, 20_000, "uniform", 16, "row-strided table"),
    "columns": bag_cases.BagCase(
        "x", "sum", "f32", 16, 20_000, "uniform", 16, "column-major table"
    ),
    "weights": bag_cases.BagCase(
        "x", "weighted sum", "f32", 16, 20_000, "uniform", 16, "strided weights"
    ),
    "int8": bag_cases.BagCase("bag int", "weighted sum", "int8", 32, 20_000, "uniform", 16),
    "int4": bag_cases.BagCase("bag int", "sum", "int4", 100, 20_000, "uniform", 16),
    "leading": bag_cases.BagCase("bag int", "sum", "int8 leading", 32, 20_000, "uniform", 16),
    "e5m2": bag_cases.BagCase("bag fp8", "mean", "e5m2", 32, 20_000, "uniform", 16),
    "mxfp8": bag_cases.BagCase("bag mxfp8", "sum", "mxfp8 e4m3", 100, 20_000, "uniform", 16),
    "one bag": bag_cases.BagCase("one bag", "sum", "f32", 16, 20_000, "uniform", 1, lookups=10_000),
}


@pytest.mark.parametrize("name", BAGS)
def test_contenders_of_bags_agree(arena: Arena, name: str) -> None:
    prepared = BAGS[name].prepare(Setting(arena, None, compiles=False))
    assert agreement.disagreements(prepared) == {}
    expected = {"ember"} if name in ("e5m2", "leading", "mxfp8") else None
    names = {one.name for one in prepared.contenders} - {"fbgemm"}
    assert names == expected if expected else len(names) == 2


OTHERS: list[tuple[Case, set[str]]] = [
    (GraphCase("spmm", "spmm sum", "small", 32), {"ember", "torch.sparse", "scipy"}),
    (GraphCase("spmm", "spmm mean", "small", 16), {"ember", "torch.sparse"}),
    (GraphCase("spmm", "spmm max", "roads", 16), {"ember", "torch.sparse"}),
    (GraphCase("message", "message", "small", 64), {"ember", "torch.sparse"}),
    *((ScoreCase("score", name, 64, 90, 100), {"ember", "pytorch"}) for name in score_cases.MODELS),
    *(
        (BlockCase("blocks", operation, 4, 64), {"ember", "pytorch"})
        for operation in ("gather", "block scores", "block values")
    ),
    (TablesCase("tables", 5), {"ember", "pytorch", "fbgemm"}),
]


@pytest.fixture
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Graphs, tables and sequences that fit the arena."""
    shapes = {"small": graphs.Shape(90, 800, 0.7), "roads": graphs.Shape(90, 200, 0, spread=4)}
    monkeypatch.setattr(graphs, "SHAPES", shapes)
    monkeypatch.setattr(block_cases, "TOKENS", 64)
    monkeypatch.setattr(model_cases, "MOST_ROWS", 20)


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize(
    ("case", "names"), OTHERS, ids=lambda value: "" if isinstance(value, set) else str(value)[:60]
)
def test_contenders_of_other_cases_agree(arena: Arena, case: Case, names: set[str]) -> None:
    setting = Setting(arena, limit.limit_library(case.limit_sizes()), compiles=False)
    prepared = case.prepare(setting)
    assert agreement.disagreements(prepared) == {}
    found = {one.name for one in prepared.contenders}
    assert found == names - set(prepared.absent)
    assert prepared.limit
    prepared.limit.read(*prepared.limit.arguments(prepared.batch(1)))
    assert prepared.limit.checksum.any()


def test_graphs_have_their_sizes_and_skew(monkeypatch: pytest.MonkeyPatch) -> None:
    shapes = {"even": graphs.Shape(500, 4000, 0), "skewed": graphs.Shape(500, 4000, 1.0)}
    monkeypatch.setattr(graphs, "SHAPES", shapes)
    even, skewed = graphs.find_graph("even"), graphs.find_graph("skewed")
    assert even.nodes == skewed.nodes == 500
    assert 3900 < even.edges <= 4000
    assert skewed.most_neighbours > 4 * even.most_neighbours
    for graph in (even, skewed):
        assert graph.positions[-1] == len(graph.columns)
        rows = np.repeat(np.arange(500), np.diff(graph.positions))
        assert (np.diff(rows * 500 + graph.columns) > 0).all()


def test_wrong_results_are_named(arena: Arena) -> None:
    prepared = BAGS["fast"].prepare(Setting(arena, None, compiles=False))
    right = prepared.contenders[1]

    def wrong(*arguments: Any) -> torch.Tensor:
        values = right.call(*arguments).clone()
        values[-1, 3] += 1
        return values

    prepared.contenders[1] = Contender(right.name, wrong, right.arguments)
    found = agreement.disagreements(prepared)
    assert list(found) == [right.name]
    assert "1 of 1600 elements" in found[right.name]
    prepared.contenders[1] = Contender(right.name, lambda *a: right.call(*a)[1:], right.arguments)
    assert "has shape [15, 100], not [16, 100]" in agreement.disagreements(prepared)[right.name]


def test_a_case_is_measured_beside_its_peers(arena: Arena) -> None:
    case = BAGS["fast"]
    setting = Setting(arena, limit.limit_library(case.limit_sizes()), compiles=False)
    results = list(run_cases([case], setting, [1], 0, lambda text: None))
    assert len(results) == 1
    assert {"ember", "pytorch", "limit"} <= set(results[0].times)
    assert all(
        0 < timing.low <= timing.median <= timing.high for timing in results[0].times.values()
    )
    assert results[0].ratio("ember", "limit") > 0.5


def test_the_command_measures_and_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "ARENA_BYTES", MEGABYTE)
    monkeypatch.setattr(command, "all_cases", lambda quick: [BAGS["fast"], BAGS["e5m2"]])
    monkeypatch.setattr(fbgemm, "why_missing", lambda: "is not installed")
    # Times of one call on a busy machine may all be unstable, and leave nothing to draw.
    monkeypatch.setattr(targets, "unstable", lambda times, contenders: [])
    path = tmp_path / "folder" / "results.json"
    assert command.main(["--quick", "--seconds", "0", "--json", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "missing: fbgemm-gpu-cpu: is not installed" in printed
    assert "mean, f16, length 100, 20 kB, uniform, bags 16" in printed
    for plot in plots.plot_files(path):
        assert plot.read_bytes().startswith(b"\x89PNG")
    document = json.loads(path.read_text())
    assert document["about"]["missing"]["fbgemm-gpu-cpu"] == "is not installed"
    assert {one["name"] for one in document["targets"]} == {one.name for one in targets.TARGETS}
    absent = [one.absent for one in read_results(path) if one.group == "bag fp8"]
    assert absent[0] == {"fbgemm": "is not installed"}


def test_a_group_that_there_is_not_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--only", "nothing such"]) == 2
    assert "no group of cases contains 'nothing such'" in capsys.readouterr().err
