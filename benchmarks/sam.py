"""Tokens a second of the simulator of graphs of streams, in both engines.

Graphs are those that the repository tests, with larger tensors. Each run is a process; the time is
the processor's in the engine alone, the median of several runs that take turns.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import math
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.report import report

ROOT = Path(__file__).resolve().parents[1]
KERNELS = ROOT / "test" / "Sim" / "SAM" / "conformance.json"
TARGET_MILLIONS = {"cycles": 40.0, "times": 80.0}
REPEATS = 5
# So large that a run takes hundredths of a second and more.
DIMENSIONS = {"i": 500, "j": 400, "k": 200}


def _graph_file(kernel: dict[str, Any], folder: Path) -> Path:
    """The kernel with larger tensors, a tenth or less of whose elements are stored."""
    case = kernel["cases"][0]
    path = folder / "graph.json"
    path.write_text(json.dumps({**kernel, **case, "dims": DIMENSIONS, "cases": []}))
    return path


def _millions(graph: Path, engine: str, folder: Path) -> float:
    """Millions of tokens a second of one run."""
    counts = folder / "statistics.json"
    subprocess.run(
        [
            ROOT / "build" / "bin" / "ember-sam",
            graph,
            f"--engine={engine}",
            f"--statistics={counts}",
        ],
        stdout=subprocess.DEVNULL,
        check=True,
    )
    measured = json.loads(counts.read_text())
    return float(measured["tokens"] / measured["seconds"] / 1e6)


def main() -> None:
    kernels = json.loads(KERNELS.read_text())["kernels"]
    medians: dict[str, list[float]] = {engine: [] for engine in TARGET_MILLIONS}
    with tempfile.TemporaryDirectory(prefix="ember-bench-") as name:
        folder = Path(name)
        for kernel_name, kernel in sorted(kernels.items()):
            graph = _graph_file(kernel, folder)
            rates: dict[str, list[float]] = {engine: [] for engine in TARGET_MILLIONS}
            for _ in range(REPEATS):
                for engine, measured in rates.items():
                    measured.append(_millions(graph, engine, folder))
            for engine, measured in rates.items():
                medians[engine].append(statistics.median(measured))
                report(f"{kernel_name}: {engine}", medians[engine][-1], "million tokens/s")
    for engine, values in medians.items():
        mean = math.exp(statistics.fmean(map(math.log, values)))
        target = TARGET_MILLIONS[engine]
        report(f"geometric mean: {engine}", mean, "million tokens/s", f"{target:g}", mean >= target)
