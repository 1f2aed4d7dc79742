"""The demonstration and what it measures with, on small input.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import time
from pathlib import Path

import pytest
from ember import demo, measurement, model_demo
from ember.models.tables import BagWorkload

ARGUMENTS = ["--quick", "--scale=1", "--batch=8", "--seconds=0.01", "--memory=0.002"]


def test_the_demonstration_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBER_CACHE_DIR", str(tmp_path / "cache"))
    small = {"BATCHES": (1, 4, 5, 6), "MOST_ROWS": 50, "TRAINED_SAMPLES": 4, "BOTTOM": (8,)}
    small |= {
        "TOP": (8,),
        "MLPERF_ROWS": (9, 50, 7),
        "NODES": 90,
        "EDGES": 300,
        "ROWS": 100,
        "BAGS": 8,
    }
    for name, value in small.items():
        monkeypatch.setattr(model_demo, name, value)
    assert demo.main([*ARGUMENTS, f"--output={tmp_path}"]) == 0
    output = capsys.readouterr().out
    for name in ("RM1", "RM2", "RM3", "MLPerf 20", "all 7 tables and 9 models agree", "6 graphs"):
        assert name in output
    for picture in ("models.png", "embedding-bags.png", "stream-graphs.png"):
        assert (tmp_path / picture).read_bytes().startswith(b"\x89PNG")
    # Models come first, what was gained last; what simulates hardware has no ratio.
    lines = output.splitlines()
    begin = next(number for number, line in enumerate(lines) if line.startswith("times as fast as"))
    assert [line.split("  ")[1] for line in lines[begin + 1 : -1]] == [
        "models, inference",
        "models, training step",
        "tables alone",
    ]
    order = [
        "DLRM, batch of 1",
        "training step",
        "GraphSAGE",
        "int4 table",
        "RM1",
        "model of hardware",
        "six orders of loops",
    ]
    assert sorted(order, key=output.index) == order


def test_what_was_gained() -> None:
    def seconds(median: float) -> measurement.Seconds:
        return measurement.Seconds(median, 0.9 * median, 1.1 * median)

    outcomes = [
        model_demo.Outcome("", what, seconds(ratio), seconds(1.0))
        for what, ratio in (
            (model_demo.INFERENCE, 2.0),
            (model_demo.INFERENCE, 8.0),
            (model_demo.TRAINING, 0.5),
        )
    ]
    workload = BagWorkload("RM1", 10, 4, 2, 3)
    times = {"pytorch": seconds(3.0), "cpu": seconds(1.5), "dae-threads": seconds(60.0)}
    result = demo.Result(workload, {"cpu": 1.0}, times, demo.QueueCounts(1, 2, 3, 4))
    assert demo.gained(outcomes, [result])[1:] == [
        "  models, inference           4.00   2.00 to 8.00 in 2",
        "  models, training step       0.50   0.50 to 0.50 in 1",
        "  tables alone                2.00   2.00 to 2.00 in 1",
    ]
    busy = measurement.Seconds(9.0, 1.0, 30.0)
    unstable = model_demo.Outcome("", model_demo.TRAINING, busy, seconds(1.0))
    assert demo.gained([unstable, *outcomes], [])[2:] == [
        "  models, training step       0.50   0.50 to 0.50 in 1"
        "; 1 left out, as other programs were running",
        "  tables alone                   - in 0",
    ]
    assert demo.table_line(result).endswith("2.00  ±10%")
    assert demo.model_line(result).endswith("60000.0")


@pytest.mark.parametrize("option", ["--scale=0", "--batch=-1", "--memory=0", "--frobnicate"])
def test_options_are_checked(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_info:
        demo.main([option])
    assert exit_info.value.code == 2
    assert option.split("=")[0] in capsys.readouterr().err


def test_contenders_take_turns_on_different_batches() -> None:
    calls: list[tuple[str, int]] = []
    contenders = {
        name: (lambda batch, name=name: calls.append((name, batch))) for name in ("a", "b", "c")
    }
    times = measurement.measure(contenders, list(range(6)), most_rounds=6, seconds=10)
    assert set(times) == {"a", "b", "c"}
    rounds = [calls[3 + 3 * turn : 6 + 3 * turn] for turn in range(6)]
    for turn, calls_of_turn in enumerate(rounds):
        assert calls_of_turn == [("a", turn), ("b", (turn + 2) % 6), ("c", (turn + 4) % 6)]


def test_what_waits_takes_as_long() -> None:
    times = measurement.measure(
        {"fast": lambda _: None, "slow": lambda _: time.sleep(0.002)}, [0], seconds=0.02
    )
    # How long anything takes at most is the machine's business.
    assert times["slow"].median > 0.001
    assert times["slow"].low <= times["slow"].median <= times["slow"].high
