"""Statements as graphs of blocks, simulated: equal to what the evaluator and NumPy make of them.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from ember.compiler import find_tool
from test_sam_graphs import CASES, SEED, Case, draw, emit, evaluate, find_dimensions

#: Options of ember-sam: both engines, and queues that hold back.
RUNS = (["--engine=times"], ["--engine=cycles"], ["--depth=4"], ["--depth=1"])


@pytest.mark.parametrize("empty", ["keep", "drop"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_simulation_equals_numpy(case: Case, empty: str, tmp_path: Path) -> None:
    """Random inputs of 0 to 3 elements a dimension."""
    rng = np.random.default_rng([SEED, len(case.text), len(case.name)])
    names = find_dimensions(case.text)
    if case.text.count(result := re.match(r"\w+", case.text).group()) == 1:
        names.pop(result, None)
    path = tmp_path / "graph.mlir"
    for order in case.orders:
        emit(case, order, empty, path)
        graph = path.read_text()
        parameters = re.findall(r'ember.name = "(\w+)"', graph)
        for density in (0.6, 0.0):
            arrays = draw(rng, names, density)
            expected = evaluate(path, [arrays[name] for name in parameters])
            np.testing.assert_array_equal(expected, case.oracle(arrays), strict=False)
            files = [f"@{tmp_path / f'{number}.npy'}" for number in range(len(parameters))]
            cycles = set()
            for options in RUNS:
                saved = tmp_path / "simulated.npy"
                command = [find_tool("ember-sam"), str(path), *files, *options]
                run = subprocess.run(
                    [*command, f"--save-result=0:{saved}"], capture_output=True, text=True
                )
                # Streams that fork and meet again may need more room than queues have.
                if "depth" in options[0] and "nothing moves any more" in run.stderr:
                    continue
                assert not run.returncode, (order, density, options, run.stderr, arrays)
                np.testing.assert_array_equal(np.load(saved), expected)
                if options[0].startswith("--engine"):
                    cycles.add(run.stdout.split("\n\n")[0])
            assert len(cycles) == 1, (order, density, cycles)
