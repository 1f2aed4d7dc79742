"""The benchmark of models: its cases, its targets, and one run of it.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import warnings
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from benchmarks.cpu.measuring import Timing
from benchmarks.models import command, document, plots, running, tables
from benchmarks.models.cases import EDGE_LAYER, EMBEDDINGS, GRAPH_LAYER, OTHER, ModelCase, all_cases
from benchmarks.models.overhead import Overhead, contenders_of, functions, measure_overheads
from benchmarks.models.running import COMPILED, EAGER, EMBER, Measured, run_case
from benchmarks.models.targets import FirstCall, Outcome, evaluate

ROWS = 50


def measured(name: str, kind: str, size: int, **times: float) -> Measured:
    """A result with these medians, in seconds."""
    names = {"eager": EAGER, "compiled": COMPILED, "ember": EMBER}
    found = {names[key]: Timing(value, value, value, 5, 1) for key, value in times.items()}
    return Measured(name, kind, size, 1, found)


def small_case() -> ModelCase:
    bag = nn.Sequential(nn.EmbeddingBag(ROWS, 8))

    def inputs(size: int, seed: int) -> tuple[Tensor]:
        return (torch.randint(ROWS, (size, 3), generator=torch.Generator().manual_seed(seed)),)

    return ModelCase("bag", EMBEDDINGS, lambda: (bag, inputs), (2, 5))


def test_cases() -> None:
    cases = all_cases()
    names = [case.name for case in cases]
    assert len(set(names)) == len(names)
    quick = [case for case in cases if case.quick]
    assert {case.kind for case in quick} == {EMBEDDINGS, GRAPH_LAYER, OTHER}
    assert all(command.sizes_of(case, quick=True) for case in quick)


def test_inputs_fit_their_models() -> None:
    for case in all_cases():
        if case.quick and not case.why_missing():
            model, inputs = case.make()
            with torch.no_grad():
                model(*inputs(case.sizes[0], 0))


def test_run_of_a_case() -> None:
    results = list(run_case(small_case(), (2, 5), (1,), 0.01, peers=(EAGER, EMBER)))
    assert [(one.size, one.threads) for one in results] == [(2, 1), (5, 1)]
    for one in results:
        assert set(one.times) == {EAGER, EMBER}
        assert one.kernels == ["bag"]
        rate, ratio = one.rate(EMBER), one.ratio(EAGER)
        assert rate == one.size / one.times[EMBER].median
        assert ratio == one.times[EAGER].median / one.times[EMBER].median


def test_every_batch_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """A contender whose result of one batch alone, the last, is another is not timed."""
    real = running.contenders_of
    seen: list[Tensor] = []

    def contenders(*arguments: Any) -> dict[str, Any]:
        calls = real(*arguments)

        def once_wrong(batch: Tensor) -> Tensor:
            seen.append(batch)
            found: Tensor = calls[EAGER](batch)
            return found + 1 if len(seen) == running.BATCHES else found

        return calls | {EMBER: once_wrong}

    monkeypatch.setattr(running, "contenders_of", contenders)
    (result,) = run_case(small_case(), (5,), (1,), 0.01, peers=(EAGER, EMBER))
    assert set(result.times) == {EAGER}
    assert f"batch {running.BATCHES - 1}: " in result.wrong[EMBER]
    assert len({batch.data_ptr() for batch in seen}) == len(seen) == running.BATCHES


def test_only_known_warnings_are_silent() -> None:
    case = replace(small_case(), warns="known")
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        with case.without_its_warnings():
            warnings.warn("known, and long", UserWarning, stacklevel=1)
            warnings.warn("known, and another kind", RuntimeWarning, stacklevel=1)
            warnings.warn("unknown", UserWarning, stacklevel=1)
    assert [str(one.message) for one in heard] == ["known, and another kind", "unknown"]


def test_wrong_results_are_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    real = running.contenders_of
    monkeypatch.setattr(
        running,
        "contenders_of",
        lambda *arguments: {
            **real(*arguments),
            EMBER: lambda batch: torch.zeros(len(batch), 8),
        },
    )
    (result,) = run_case(small_case(), (5,), (1,), 0.01, peers=(EAGER, EMBER))
    assert set(result.times) == {EAGER}
    assert "not close" in result.wrong[EMBER]


def test_targets() -> None:
    results = [
        measured("a", EMBEDDINGS, 16, eager=4, compiled=2, ember=1),
        measured("a", EMBEDDINGS, 4096, eager=0.5, compiled=1, ember=1),
        measured("b", GRAPH_LAYER, 0, eager=3, compiled=1, ember=1),
        measured("c", OTHER, 4, eager=1, compiled=1, ember=1.02),
        measured("d", EDGE_LAYER, 0, eager=4, compiled=1.2, ember=1),
    ]
    first_calls = [FirstCall("a", 1, 2.9), FirstCall("b", 1, 12)]
    overheads = [Overhead("bag", 2, 6.5, 9, 20, 15, 6), Overhead("bags", 7, 13, 20, 40, 38, 90)]
    small_eager, small_compiled, any_model, layers, edges, edges_compiled, first, calls = evaluate(
        results, first_calls, overheads
    )
    assert (small_eager.values, small_eager.met) == ({"a, batch 16, threads 1": 4.0}, 1)
    assert small_compiled.met == 1
    assert (any_model.met, any_model.worst) == (4, (0.5, "a, batch 4096, threads 1"))
    assert layers.met == 1
    assert (edges.met, edges_compiled.met) == (1, 0)
    assert (first.met, first.worst[1]) == (1, "a")
    assert (calls.met, calls.worst) == (1, (6, "bags"))
    assert Outcome("", 2, {"x": 1.0, "y": 4.0}).summary.mean == pytest.approx(2)
    # A kernel may take longer than the call around it, by the clock.
    assert Outcome("", 5, {"x": -1.0, "y": 4.0}, low=True).summary.mean == pytest.approx(1.5)
    text = "\n".join(tables.target_table([small_eager, any_model, calls]))
    assert text.count("MISSED") == 2
    assert "a, batch 16" in "\n".join(tables.result_table(results))


def test_unstable_and_extreme_cases() -> None:
    """Accidents of PyTorch's are left out or told, and carry no mean."""
    results = [
        measured("a", EMBEDDINGS, size, eager=2, compiled=2, ember=1) for size in (1, 2, 4, 8)
    ]
    results[1].times[EAGER] = Timing(100.0, 1.0, 200.0, 5, 1)
    results[2].times[COMPILED] = Timing(220.0, 219.0, 221.0, 5, 1)
    eager, compiled, *_ = evaluate(results, [], [])
    assert len(eager.values) == 3
    assert eager.unstable == (f"a, batch 2, threads 1 ({EAGER})",)
    assert compiled.summary.trimmed == pytest.approx(2)
    assert compiled.summary.mean > 6
    assert compiled.summary.carried_by == "a, batch 4, threads 1"
    text = "\n".join(tables.target_table([eager, compiled]))
    assert f"unstable and left out: a, batch 2, threads 1 ({EAGER})" in text
    assert "the mean of all is carried by a, batch 4, threads 1" in text
    assert "100.00x ±100%?" in "\n".join(tables.result_table(results))


def test_plot(tmp_path: Path) -> None:
    results = [
        measured("bags", EMBEDDINGS, 16, eager=4, compiled=2, ember=1),
        measured("bags", EMBEDDINGS, 64, eager=4, ember=1),
        measured("layer", GRAPH_LAYER, 0, eager=3, compiled=1, ember=1),
        measured("other", GRAPH_LAYER, 0, eager=3),
    ]
    drawn = []
    for name in ("one.svg", "again.svg"):
        plots.draw(results, tmp_path / name)
        drawn.append((tmp_path / name).read_text())
    assert drawn[0] == drawn[1]
    assert all(f"<!-- {name} -->" in drawn[0] for name in ("bags", "layer", "whole graphs"))
    plots.draw(results[2:3], tmp_path / "graphs.png")
    assert (tmp_path / "graphs.png").stat().st_size > 1000


def test_overheads_are_of_kernels() -> None:
    for function, arguments in functions().values():
        with torch.no_grad():
            expected = function(*arguments)
            found = {name: call() for name, call in contenders_of(function, arguments).items()}
        assert found.keys() == {one.name for one in fields(Overhead)} - {"name"}
        # The kernel alone writes into what it is given.
        for name in found.keys() - {"kernel"}:
            torch.testing.assert_close(found[name], expected)


def test_overheads_are_measured() -> None:
    found = measure_overheads(calls=2)
    for one in found:
        assert min(one.kernel, one.region, one.direct, one.compiled, one.nothing, one.eager) > 0
    assert len(list(tables.overhead_table(found))) == 1 + len(found)


@pytest.mark.slow
def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "new" / "models.json"
    words = ["--quick", "--only", "text", "--seconds", "0.05", "--json", str(file)]
    try:
        assert command.main(words) == 0
    finally:
        torch.set_num_threads(1)
    document = json.loads(file.read_text())
    assert {one["model"] for one in document["results"]} == {"text classifier"}
    assert set(document["results"][0]["times"]) == {EAGER, COMPILED, EMBER}
    (first,) = document["first_calls"]
    assert first["ember"] > 0
    assert first["default"] > 0
    assert plots.plot_file(file).read_text().count("text classifier") == 1
    assert "first call: times as fast" in capsys.readouterr().out


def test_command_without_models(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--only", "nothing like it"]) == 2
    assert "no model's name contains" in capsys.readouterr().err


def test_table_of_a_document(tmp_path: Path) -> None:
    before = [measured("bag", EMBEDDINGS, 2, eager=3.0, ember=2.0)]
    now = [
        measured("bag", EMBEDDINGS, 2, eager=4.0, compiled=2.0, ember=2.0),
        measured("edges", EDGE_LAYER, 0, eager=1.0, ember=1.0),
        replace(measured("edges", EDGE_LAYER, 0, eager=1.0, ember=0.5), threads=2),
    ]
    earlier, page = tmp_path / "before.json", tmp_path / "page.md"
    earlier.write_text(command._to_json({}, [], before, [], []))
    page.write_text(f"above\n{document.TABLE.begin}\nold\n{document.TABLE.end}\nbelow\n")
    document.TABLE.write(page, document.document_of(now, document.earlier_ratios(earlier)))
    text = page.read_text()
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| ")][2:]
    assert [row[0].removeprefix("| ") for row in rows] == [
        "bag, batch 2",
        "edges",
        "geometric mean",
    ]
    assert [cell[:4] for cell in rows[0][2:4]] == ["2.00", "1.00"]
    # Twice as fast as eager, one and a half times as fast before.
    assert [row[4] for row in rows] == ["1.33", "-", "1.33"]
    assert rows[2][2:4] == ["1.41", "1.00"]
    assert [text[:6], text[-7:]] == ["above\n", "\nbelow\n"]
    assert "old" not in text


def test_other_files_are_no_earlier_runs(tmp_path: Path) -> None:
    for text in ("no JSON", "{}", '{"results": [1]}'):
        file = tmp_path / "other.json"
        file.write_text(text)
        with pytest.raises(ValueError, match="is no result of"):
            document.earlier_ratios(file)
    assert command.main(["--before", str(tmp_path / "none.json"), "--only", "DLRM"]) == 2
