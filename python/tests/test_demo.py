"""The demonstration and what it measures with, on small input.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import time
from pathlib import Path

import pytest
from ember import demo, measurement

ARGUMENTS = ["--quick", "--scale=1", "--batch=8", "--seconds=0.01", "--memory=0.002"]


def test_the_demonstration_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBER_CACHE_DIR", str(tmp_path / "cache"))
    assert demo.main([*ARGUMENTS, f"--output={tmp_path}"]) == 0
    output = capsys.readouterr().out
    for name in ("RM1", "RM2", "RM3", "MLPerf 20", "all 7 tables agree"):
        assert name in output
    assert (tmp_path / "embedding-bags.png").read_bytes().startswith(b"\x89PNG")


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
    times = measurement.median_seconds(contenders, list(range(6)), most_rounds=6, seconds=10)
    assert set(times) == {"a", "b", "c"}
    rounds = [calls[3 + 3 * turn : 6 + 3 * turn] for turn in range(6)]
    for turn, calls_of_turn in enumerate(rounds):
        assert calls_of_turn == [("a", turn), ("b", (turn + 2) % 6), ("c", (turn + 4) % 6)]


def test_the_slower_contender_takes_longer() -> None:
    times = measurement.median_seconds(
        {"fast": lambda _: None, "slow": lambda _: time.sleep(0.002)}, [0], seconds=0.02
    )
    assert times["slow"] > 0.001 > times["fast"]
