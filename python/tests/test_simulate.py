"""ember.simulate: what it returns, and how it says what is wrong.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from pathlib import Path
from typing import Any

import ember
import numpy as np
import pytest
import torch
from ember.compiler import find_tool
from ember.simulation.machine import presets

PROGRAM = Path(__file__).resolve().parents[2] / "examples" / "embedding_bag.mlir"


def inputs() -> list[Any]:
    rng = np.random.default_rng(1)
    table = rng.standard_normal((500, 32), dtype=np.float32)
    return [table, rng.integers(0, 500, 160), np.arange(0, 161, 10), np.zeros((16, 32), np.float32)]


def test_a_run_is_counted_and_leaves_its_inputs_alone() -> None:
    arguments = inputs()
    run = ember.simulate(PROGRAM, arguments, cores=2)
    cycles = sum(run.statistics[core]["cycles"] for core in ("core0", "core1"))
    assert sum(run.stack().values()) == cycles
    assert run.counts()["core0.l1d.hits"] == run.statistics["core0"]["l1d"]["hits"]
    memory = run.statistics["memory"]
    moved = memory["bytesRead"] + memory["bytesWritten"]
    assert run.bandwidth == pytest.approx(moved / run.nanoseconds)
    assert "what limits it" in run.summary
    assert not arguments[-1].any()


def test_machines_are_presets_files_or_changes(tmp_path: Path) -> None:
    assert "paper" in presets()
    assert "machine.schema" not in presets()
    slow = {"l1d": {"mshrs": 2, "prefetchReserve": 0}}
    (tmp_path / "slow.json").write_text('{"l1d": {"mshrs": 2, "prefetchReserve": 0}}')
    times = [
        ember.simulate(PROGRAM, inputs(), machine=machine, cores=1).nanoseconds
        for machine in ("paper", slow, {"extends": "paper"} | slow, tmp_path / "slow.json")
    ]
    assert times[0] < times[1] == times[2] == times[3]


def test_an_access_unit_runs_the_program() -> None:
    run = ember.simulate(PROGRAM, inputs(), unit="tmu", cores=1)
    assert run.statistics["core0"]["tmu"]


def test_options_are_those_of_the_command_line() -> None:
    def run(**options: Any) -> float:
        return ember.simulate(PROGRAM, inputs(), cores=1, compare=False, **options).nanoseconds

    levels = [run(unit="tmu", program_level=level) for level in (0, 3)]
    assert levels[0] > 2 * levels[1]
    assert run(unit="tmu", program_level=1, vector_length=4) > run(unit="tmu", program_level=1)
    assert run(plain_loops=True) > run(unit="indirection", plain_loops=True)


def test_a_sampled_run_has_the_time_of_all_of_it() -> None:
    rng = np.random.default_rng(2)
    table = rng.standard_normal((2000, 32), dtype=np.float32)
    arguments = [table, rng.integers(0, 2000, 40_000), np.arange(0, 40_001, 10)]
    arguments.append(np.zeros((4000, 32), np.float32))
    whole = ember.simulate(PROGRAM, arguments, cores=1, compare=False)
    part = ember.simulate(PROGRAM, arguments, cores=1, compare=False, sample=100_000)
    assert part.statistics["machine"]["nanoseconds"] < part.nanoseconds
    assert part.nanoseconds == pytest.approx(whole.nanoseconds, rel=0.1)


class Model(torch.nn.Module):
    """Two bags of different lengths and modes, and what PyTorch does with them."""

    def __init__(self) -> None:
        super().__init__()
        self.users = torch.nn.EmbeddingBag(300, 19, mode="sum")
        self.items = torch.nn.EmbeddingBag(500, 8, mode="max")
        self.head = torch.nn.Linear(27, 2)

    def forward(self, indices: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
        return self.head(torch.cat([self.users(indices, offsets), self.items(indices, offsets)], 1))


def call() -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randint(0, 300, (40,)), torch.arange(0, 40, 4)


def test_models_run_and_each_of_their_kernels_is_counted() -> None:
    model = Model()
    run = ember.simulate(model, call(), cores=1)
    assert run.kernels
    assert run.nanoseconds == sum(one.simulation.nanoseconds for one in run.kernels) > 0
    label = f"0 {run.kernels[0].name}"
    assert run.statistics[label] == run.kernels[0].simulation.statistics
    assert run.counts()[f"{label}.core0.l1d.hits"] > 0
    assert sum(run.stack().values()) == sum(
        one.simulation.statistics["core0"]["cycles"] for one in run.kernels
    )
    assert "PyTorch's own operations are not simulated" in run.summary
    assert ember.simulate(model, call(), cores=1, unit="tmu").nanoseconds > 0


@pytest.mark.parametrize("repeats", [0, 3])
def test_a_compiled_model_is_simulated_however_it_makes_its_calls(repeats: int) -> None:
    kernel = ember.compile(torch.nn.EmbeddingBag(300, 19, mode="sum"), call())
    for _ in range(repeats):
        kernel(*call())
    runs = [ember.simulate(kernel, call(), cores=1) for _ in range(2)]
    assert [len(run.kernels) for run in runs] == [1, 1]
    assert kernel(*call()).shape == (10, 19)


def test_what_no_simulation_takes_is_said_of_models() -> None:
    with pytest.raises(ember.UnsupportedError, match="nothing to compile"):
        ember.simulate(torch.nn.Linear(3, 3), (torch.ones(2, 3),))
    with pytest.raises(ember.ArgumentError, match="a tuple or a list of the call's arguments"):
        ember.simulate(Model(), call()[0])  # type: ignore[arg-type]
    with pytest.raises(ember.ArgumentError, match="entry is of programs"):
        ember.simulate(Model(), call(), entry="run")
    with pytest.raises(ember.CompileError, match="robb"):
        ember.simulate(Model(), call(), machine={"core": {"robb": 3}})


def test_calls_are_seen_without_compiled_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ember.native.Call", None)
    monkeypatch.setattr("ember.native.Repeat", None)
    rows = torch.nn.EmbeddingBag(300, 21, mode="sum")
    assert len(ember.simulate(rows, call(), cores=1).kernels) == 1


def test_runs_are_drawn_and_written_as_tables(tmp_path: Path) -> None:
    program = ember.simulate(PROGRAM, inputs(), cores=1)
    model = ember.simulate(Model(), call(), cores=1)
    for name, run in (("program.svg", program), ("model.png", model)):
        pytest.importorskip("matplotlib")
        assert run.plot(tmp_path / name).stat().st_size > 1000
    pytest.importorskip("pandas")
    assert list(program.to_frame().columns) == ["name", "value"]
    assert set(model.to_frame()["kernel"]) == set(model.statistics)


def test_libraries_run() -> None:
    run = ember.simulate(Model(), call(), cores=1)
    library = run.kernels[0].library
    assert library in ember.libraries()
    with pytest.raises(ember.CompileError, match="takes"):
        ember.simulate(library, [])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"machine": "nowhere"}, "no machine 'nowhere'.*presets are.*paper"),
        ({"machine": 3}, "machine must be a name, a path or a dict, not int"),
        ({"machine": {"core": {"robb": 3}}}, "robb"),
        ({"unit": "gpu"}, "unit must be None or one of tmu, indirection"),
        ({"opt_level": 7}, "opt_level must be 0, 1, 2, 3 or 4"),
        ({"entry": "none"}, "none"),
        ({"inputs": np.zeros(3)}, "inputs must be a list of arrays and numbers, not a ndarray"),
        ({"inputs": []}, "takes 4 arguments, got 0"),
        ({"inputs": [np.zeros(3, np.float32), *inputs()[1:]]}, "weight"),
        ({"program": "nowhere.mlir"}, "cannot read the program"),
        ({"program": 3}, "program must be MLIR text"),
    ],
)
def test_what_is_wrong_is_said(changes: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"program": PROGRAM, "inputs": inputs(), "cores": 1} | changes
    with pytest.raises(ember.EmberError, match=message):
        ember.simulate(**arguments)


def test_a_simulator_that_is_not_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert find_tool("ember-sim").exists()
    monkeypatch.setattr("ember.compiler.program_folders", lambda: [tmp_path])
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ember.CompilerNotFoundError, match="ember-sim is neither in"):
        ember.simulate(PROGRAM, inputs())
