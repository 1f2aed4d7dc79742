"""Runs of workloads on machines, several at a time; what has run is kept.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import hashlib
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ember
from ember.compiler import find_tool
from ember.simulation.machine import machine_file

from benchmarks.figures.workloads import Workload


@dataclass(frozen=True)
class Run:
    """One workload with options of ember.simulate."""

    workload: Workload
    machine: str | Mapping[str, Any] = "paper"
    options: Mapping[str, Any] = field(default_factory=dict)

    def key(self) -> str:
        """What the result depends on: the program that simulates, the machine, and what is run."""
        simulator = find_tool("ember-sim").stat()
        name = self.machine if isinstance(self.machine, str) else "paper"
        text = json.dumps(
            [
                [simulator.st_mtime_ns, simulator.st_size],
                [self.machine, machine_file(name, Path()).read_text()],
                [self.workload.program, self.workload.recipe],
                sorted(self.options.items()),
            ]
        )
        return hashlib.sha256(text.encode()).hexdigest()[:24]


Result = ember.Simulation


def run_all(runs: Sequence[Run], kept: Path) -> list[Result]:
    """The results of all runs, in their order. Those in the folder `kept` are not run again."""
    kept.mkdir(parents=True, exist_ok=True)
    results: dict[int, Result] = {}
    missing = []
    for number, run in enumerate(runs):
        file = kept / f"{run.key()}.json"
        if file.exists():
            results[number] = Result(json.loads(file.read_text()), "")
        else:
            missing.append((number, run, file))
    begin = time.monotonic()
    with ThreadPoolExecutor(max(1, (os.cpu_count() or 2))) as pool:
        futures = {pool.submit(_run, run, file): number for number, run, file in missing}
        for done, future in enumerate(as_completed(futures), start=1):
            results[futures[future]] = future.result()
            _say(done, len(missing), time.monotonic() - begin)
    return [results[number] for number in range(len(runs))]


def _run(run: Run, file: Path) -> Result:
    result = ember.simulate(
        run.workload.program, run.workload.make(), machine=run.machine, **run.options
    )
    # As a whole or not at all, so that nothing is lost when the process dies.
    part = file.with_suffix(".part")
    part.write_text(json.dumps(result.statistics))
    part.replace(file)
    return result


def _say(done: int, count: int, seconds: float) -> None:
    left = seconds / done * (count - done)
    end = "\n" if done == count else ""
    if sys.stderr.isatty() or done == count:
        print(
            f"\r{done} of {count} simulations, about {left / 60:.0f} minutes left ",
            end=end,
            file=sys.stderr,
            flush=True,
        )
