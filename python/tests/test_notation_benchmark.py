"""The benchmark of statements: its cases, its targets, and one run of it.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
from dataclasses import replace
from pathlib import Path

import ember.sparse as es
import numpy as np
import pytest
import torch

from benchmarks.cpu.measuring import Timing
from benchmarks.notation import by_hand, command, overhead, schedules
from benchmarks.notation.case import BY_HAND, EAGER, EMBER, INDIRECT, LIMIT, Case, Prepared
from benchmarks.notation.indirect_cases import indirect_cases
from benchmarks.notation.limits import Phase, Rows, limit_seconds
from benchmarks.notation.model_cases import model_cases
from benchmarks.notation.running import TOLERANCE, Measured, run_case
from benchmarks.notation.schedules import CHOSEN, Drawn


def timing(seconds: float) -> Timing:
    return Timing(seconds, seconds, seconds, 5, 1)


def small_case() -> Case:
    x = np.arange(5, dtype=np.float32)
    calls = {
        EAGER: lambda: torch.from_numpy(x) * 2,
        EMBER: lambda: es.evaluate("y[i] = x[i] + x[i]", x=x),
    }
    return Case(INDIRECT, "twice", lambda: Prepared(calls, [Phase(40)]))


def test_cases() -> None:
    cases = command.all_cases()
    assert len({case.name for case in cases}) == len(cases)
    groups = {case.group for case in cases}
    assert {group for group, _, _ in command.TARGETS} == groups
    assert {case.group for case in cases if case.quick} == groups


def test_results_are_compared_before_they_are_timed() -> None:
    right = run_case(small_case(), 0.01)
    assert set(right.times) == {EAGER, EMBER}
    assert not right.wrong
    assert right.ratio(EAGER) == right.times[EAGER].median / right.times[EMBER].median
    assert right.ratio(LIMIT) == right.limit / right.times[EMBER].median

    prepared = small_case().prepare()
    calls = {**prepared.calls, EMBER: lambda: np.zeros(5, np.float32)}
    wrong = run_case(
        replace(small_case(), prepare=lambda: replace(prepared, calls=calls)), seconds=0.01
    )
    assert set(wrong.times) == {EAGER}
    assert "Not equal to tolerance" in wrong.wrong[EMBER]
    assert wrong.ratio(EAGER) is None


def test_peers_that_are_missing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are said in one line each, and others run."""
    missing = [
        replace(small_case(), name=name, needs="no_such_package") for name in ("one", "another")
    ]
    monkeypatch.setattr(command, "all_cases", lambda: [small_case(), *missing])
    options = command.argparse.Namespace(only=None, quick=False)
    assert [case.name for case in command.choose(options)] == ["twice"]
    (line,) = capsys.readouterr().out.splitlines()
    assert "no_such_package" in line


def test_targets() -> None:
    results = [
        Measured(INDIRECT, "a", {EAGER: timing(8), EMBER: timing(1)}),
        Measured(INDIRECT, "b", {EAGER: timing(2), EMBER: timing(1)}),
        Measured(INDIRECT, "c", {EAGER: Timing(9, 1, 20, 5, 1), EMBER: timing(1)}),
    ]
    drawn = [
        Drawn("y[i] = x[i]", {}, {CHOSEN: timing(1), "i": timing(1)}),
        Drawn("z[i] = x[i]", {}, {CHOSEN: timing(4), "i": timing(1)}),
    ]
    overheads = [overhead.Overhead("call", 2e-6, 1e-6)]
    eager, mean, each, call = command.outcomes_of(results, overheads, drawn)
    assert (eager.values, eager.met) == ({"a": 8.0, "b": 2.0}, 1)
    assert eager.unstable == (f"c ({EAGER})",)
    assert (list(mean.values.values()), mean.met) == ([pytest.approx(0.5)], 0)
    assert (each.met, each.worst) == (1, (0.25, "z[i] = x[i] (1)"))
    assert (call.met, call.values) == (0, {"call": pytest.approx(2)})
    assert "b" in "\n".join(command.result_table(results))
    assert len(list(schedules.schedule_table(drawn))) == 1 + len(drawn)


def test_schedule_of_a_statement(monkeypatch: pytest.MonkeyPatch) -> None:
    """All orders compute the same; one that does not is not timed."""
    drawn = schedules.measure_statement(seed=1, size=40, seconds=0.01)
    assert {CHOSEN, "ij"} <= set(drawn.times)
    assert not drawn.wrong
    assert 0 < drawn.ratio <= 1
    assert drawn.milliseconds >= 0

    real = schedules._kernel

    def once_wrong(
        text: str, formats: dict[str, str], order: str, hints: tuple[str, ...]
    ) -> object:
        wrong = text.replace(" = ", " = 2 * ")
        return real(wrong if order == "ij" else text, formats, order, hints)

    monkeypatch.setattr(schedules, "_kernel", once_wrong)
    drawn = schedules.measure_statement(seed=1, size=40, seconds=0.01)
    assert set(drawn.wrong) == {"ij"}
    assert "ij" not in drawn.times


def test_limits() -> None:
    """Phases follow each other, and take at least as long as what each of them has to do."""
    table = torch.zeros(100, 16)
    rows = Rows(table, torch.randint(100, (1000,)))
    apart = [Phase(bytes=1 << 20), Phase(multiply_adds=1 << 20), Phase(rows=rows)]
    seconds = [limit_seconds([phase]) for phase in apart[:2]]
    assert limit_seconds(apart) > sum(seconds) > max(seconds) > 0
    assert limit_seconds([Phase(1 << 20, 1 << 20)]) == max(seconds)


@pytest.mark.filterwarnings("ignore:Sparse CSR")
@pytest.mark.parametrize("case", [*indirect_cases(), model_cases()[0]], ids=lambda case: case.name)
def test_loops_by_hand(case: Case) -> None:
    torch.manual_seed(0)
    calls = case.prepare().calls
    if BY_HAND not in calls:
        pytest.skip("nothing compiles them")
    np.testing.assert_allclose(calls[BY_HAND](), calls[EMBER](), *TOLERANCE)


def test_sizes_without_loops_by_hand() -> None:
    row = torch.arange(3)
    call = by_hand.by_hand("coo_product", torch.empty(3, 5), row, row, row.float(), 3, 3, 5, 0)
    if call is None:
        pytest.skip("nothing compiles them")
    with pytest.raises(ValueError, match="coo_product has no code"):
        call()


def test_goals_beyond_loops_by_hand() -> None:
    times = {EAGER: timing(6), EMBER: timing(3), BY_HAND: timing(2)}
    (line,) = command.beyond_limits([Measured(INDIRECT, "a", times, limit=1)])
    assert f"a: {EAGER} takes 3.00 times as long as loops by hand, less than 4" in line


def test_goals_beyond_limits() -> None:
    results = [
        Measured(INDIRECT, name, {EAGER: timing(6), EMBER: timing(3)}, limit)
        for name, limit in (("a", 1), ("b", 2))
    ]
    (line,) = command.beyond_limits(results)
    assert f"b: {EAGER} takes 3.00 times as long as the limit: 4 times" in line


def test_overheads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overhead, "_CALLS", 2)
    monkeypatch.setattr(overhead, "_TURNS", 1)
    assert len(overhead.call_overheads()) == len(overhead._small())


@pytest.mark.slow
def test_compile_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overhead, "_TURNS", 1)
    _, thousand = overhead.compile_times()
    assert thousand.seconds > 0


@pytest.mark.slow
def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "new" / "notation.json"
    words = ["--quick", "--only", "coo", "--seconds", "0.05", "--json", str(file)]
    try:
        assert command.main(words) == 0
    finally:
        torch.set_num_threads(1)
    document = json.loads(file.read_text())
    assert {result["group"] for result in document["results"]} == {INDIRECT}
    assert all(EMBER in result["times"] for result in document["results"])
    assert "times as fast as torch.compile" in capsys.readouterr().out


def test_command_without_cases(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--only", "nothing like it"]) == 2
    assert "no case to run" in capsys.readouterr().err
