"""Figures of the paper again: their workloads, what is kept of runs, and what is written.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import csv
import subprocess
import sys
from pathlib import Path
from typing import Any

import ember
import numpy as np
import pytest
from ember.compiler import find_tool

from benchmarks.figures import fig16, fig19, gogeta, handwritten, runs, workloads
from benchmarks.figures.fig03 import share_above
from benchmarks.figures.figure import Bar, Figure
from benchmarks.figures.runs import Run, run_all

ROOT = Path(__file__).resolve().parents[2]

SMALL = [
    workloads.aggregation("proteins", 1 / 20000),
    workloads.messages("proteins", 1 / 20000),
    workloads.attention(2, 3),
]


@pytest.mark.parametrize("workload", SMALL, ids=lambda workload: workload.kind)
@pytest.mark.parametrize("unit", [None, "tmu"])
def test_workloads_run_on_cores_and_units(workload: workloads.Workload, unit: str | None) -> None:
    run = ember.simulate(workload.program, workload.make(), cores=2, unit=unit)
    assert run.nanoseconds > 0


TINY = {"8": workloads.Graph(60, 400, 8), "100": workloads.Graph(40, 300, 100)}
WRITTEN = {
    "SLS": lambda: (workloads.bags("RM1", "L2", 1), handwritten.bags(32)),
    "SpMM of 8": lambda: (workloads.aggregation("8", 1), handwritten.aggregation(8)),
    "SpMM of 100": lambda: (workloads.aggregation("100", 1), handwritten.aggregation(100)),
    "MP": lambda: (workloads.messages("8", 1), handwritten.messages(8)),
    "KG": lambda: (workloads.triples("tiny", 5), handwritten.scores(64)),
    "SpAttn": lambda: (workloads.attention(2, 3), handwritten.gather(2, 512)),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_programs_written_by_hand_compute_the_same(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for graph, size in TINY.items():
        monkeypatch.setitem(workloads.GRAPHS, graph, size)
    tiny = workloads.KnowledgeGraph(50, 3, 64)
    monkeypatch.setitem(workloads.KNOWLEDGE_GRAPHS, "tiny", tiny)
    workload, hand = WRITTEN[name]()
    inputs = []
    for number, array in enumerate(workload.make()):
        np.save(tmp_path / f"{number}.npy", array)
        inputs.append(f"@{tmp_path / f'{number}.npy'}")
    results = []
    for program in (workload.program, hand):
        (tmp_path / "program.mlir").write_text(program)
        saved = tmp_path / "saved.npy"
        subprocess.run(
            [
                str(find_tool("ember-sim")),
                str(tmp_path / "program.mlir"),
                *inputs,
                "--unit=tmu",
                "--cores=1",
                "-O4",
                f"--save={len(inputs) - 1}:{saved}",
            ],
            check=True,
        )
        results.append(np.load(saved))
    assert np.any(results[0])
    np.testing.assert_allclose(*results, rtol=1e-4, atol=1e-4)


def test_each_class_is_written_by_hand() -> None:
    kinds = [{workload.kind for workload, _ in fig19.pairs(quick)} for quick in (True, False)]
    assert kinds == [{"SLS", "SpMM", "MP", "KG", "SpAttn"}] * 2


def test_models_are_those_of_the_table() -> None:
    table, indices, offsets, out = workloads.bags("RM1", "L0", 1).make()
    assert table.shape == (2 * 16384, 32)
    assert len(indices) == 2 * 64 * 64 == offsets[-1]
    assert out.shape == (2 * 64, 32)
    # Each table has its own rows.
    assert indices[: 64 * 64].max() < 16384 <= indices[64 * 64 :].min()


def test_localities_differ_in_reuse() -> None:
    used = [len(np.unique(workloads.bags("RM2", place, 1).make()[1])) for place in ("L0", "L2")]
    assert used[0] > used[1]


def test_equal_recipes_make_equal_inputs() -> None:
    first, second = (workloads.aggregation("proteins", 1 / 20000).make() for _ in range(2))
    for a, b in zip(first, second, strict=True):
        assert np.array_equal(a, b)


def test_what_has_run_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(SMALL[2], options={"cores": 1})
    other = Run(SMALL[2], machine={"core": {"reorderBuffer": 448}}, options={"cores": 1})
    first = run_all([run, other], tmp_path)
    assert len(list(tmp_path.glob("*.json"))) == 2

    def refuse(*_: Any, **options: Any) -> Any:
        raise AssertionError("it runs again")

    monkeypatch.setattr(runs.ember, "simulate", refuse)
    again = run_all([other, run], tmp_path)
    assert [one.statistics for one in again] == [one.statistics for one in reversed(first)]
    with pytest.raises(AssertionError, match="it runs again"):
        run_all([Run(SMALL[2], options={"cores": 2})], tmp_path)


def test_a_figure_is_written_beside_what_is_published(tmp_path: Path) -> None:
    figure = Figure("one", "One", "ratio", [Bar("a", "x", 3.0, 2.0), Bar("b", "x", 1.0)], ["Note."])
    names = {file.name for file in figure.write(tmp_path)}
    assert names >= {"one.csv", "one.md"}
    with (tmp_path / "one.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["published"] for row in rows] == ["2", ""]
    assert "| a | x | 2.00 | 3.00 | 1.50 |" in (tmp_path / "one.md").read_text()


def test_a_figure_that_there_is_not() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.figures.command", "fig99"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "no figure 'fig99'; there are: fig3, fig4, fig6" in done.stderr


def test_the_model_of_gogeta_is_near_what_is_published(tmp_path: Path) -> None:
    for name, bound in {"table1": 0.002, "fig11": 1e-9, "fig12": 1e-9}.items():
        figure = gogeta.FIGURES[f"gogeta-{name}"](tmp_path, True)
        compared = [bar for bar in figure.bars if bar.published is not None]
        assert compared
        for bar in compared:
            assert bar.ours == pytest.approx(bar.published, rel=bound)


def test_shares_of_latencies_are_of_their_histogram() -> None:
    latency = {"count": 8, "from": [[16, 4], [128, 2], [1024, 2]]}
    assert share_above(latency, 16) == 1
    assert share_above(latency, 24) == (2 + 2 + 2) / 8
    assert share_above(latency, 256) == 2 / 8
    assert share_above({"count": 0, "from": []}, 1) == 0


def test_levels_of_a_model_are_few_runs_of_two_figures() -> None:
    runs = fig16.level_runs(quick=True)
    assert len(runs) == 4 * len(fig16.cases(quick=True)) == 24
    assert len({run.key() for run in runs}) == len(runs)
    assert fig16.payload("RM1") == 2 * 64 * 64 * 32 * 4


def test_block_sparse_attention_selects_blocks_as_bigbird_does() -> None:
    keys, blocks, out = workloads.attention(4, 5).make()
    last = len(keys) // 4 - 1
    assert blocks[:, 0].tolist() == [0] * 5
    assert blocks[:, 1].tolist() == [last] * 5
    assert blocks[2, 2:5].tolist() == [1, 2, 3]
    assert blocks.min() >= 0
    assert blocks.max() <= last
    assert out.shape == (5, 32, 512)
