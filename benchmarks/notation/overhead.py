"""What surrounds a kernel: first calls, cached ones, and compiling statements.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ember.sparse as es
import numpy as np
from ember.compiler import Notation, find_tool
from ember.sparse.evaluate import prepare

ROOT = Path(__file__).resolve().parents[2]
_CALLS, _TURNS = 2_000, 15
_PASSES = (
    "cin-fuse",
    "cin-schedule",
    "cin-insert-workspaces",
    "cin-concretize",
    "cin-derive-iteration",
    "cin-simplify-iteration",
    "cin-expand-formats",
    "convert-cin-to-scf",
    "canonicalize",
    "cse",
)
_STATEMENT = "y[i] = relu(sum[j](A[i,j] * x[j]) + b[i])"


@dataclass(frozen=True)
class Overhead:
    """Something in seconds, and what it may take at most."""

    name: str
    seconds: float
    most: float


def _small() -> dict[str, dict[str, Any]]:
    """Statements of which kernels take next to no time."""
    eye = es.asarray(np.eye(4, dtype=np.float32))
    x = np.ones(4, np.float32)
    return {
        "y[i] = x[i] + z[i]": {"x": x, "z": x},
        "y[i] = A[i,j] * x[j]": {"A": eye, "x": x},
        "C[i,j] = A[i,j] * B[i,j]": {"A": eye, "B": eye, "C": es.Format("csr")},
    }


def _seconds_of(call: Callable[[], Any]) -> float:
    started = time.perf_counter()
    for _ in range(_CALLS):
        call()
    return (time.perf_counter() - started) / _CALLS


def _kernel_of(text: str, arrays: dict[str, Any]) -> Callable[[], Any]:
    """The calls of compiled code that an evaluation comes down to, with their arguments."""
    calls: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []
    statement = prepare(text, arrays, on_torch=False)
    assert statement.call_if_fits is not None
    scope = statement.call_if_fits.__globals__
    # Notes what each is called with.
    kept = {name: scope[name] for name in ("call", "count")}
    for name, function in kept.items():

        def noted(*arguments: Any, function: Callable[..., Any] = function) -> Any:
            calls.append((function, arguments))
            return function(*arguments)

        scope[name] = noted
    statement(arrays)
    scope.update(kept)

    def run() -> None:
        for function, arguments in calls:
            function(*arguments)

    return run


def call_overheads() -> list[Overhead]:
    """What es.evaluate takes above its kernels, in turns: medians of differences."""
    found = []
    for text, arrays in _small().items():
        es.evaluate(text, **arrays)
        kernel = _kernel_of(text, arrays)
        above = []
        for _ in range(_TURNS):
            whole = _seconds_of(lambda text=text, arrays=arrays: es.evaluate(text, **arrays))  # type: ignore[misc]
            above.append(whole - _seconds_of(kernel))
        found.append(Overhead(f"overhead: {text}", statistics.median(above), 10e-6))
    return found


def _first_call(folder: str) -> float:
    """The seconds of a statement's first call in a new process, with kernels in a folder."""
    environment = dict(os.environ, EMBER_CACHE_DIR=folder)
    done = subprocess.run(
        [sys.executable, "-m", __name__],
        env=environment,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return float(json.loads(done.stdout)["seconds"])


def first_calls() -> list[Overhead]:
    """With an empty cache of kernels, and with one that has the kernel: medians of three."""
    cold, warm = [], []
    for _ in range(3):
        with tempfile.TemporaryDirectory(prefix="ember-bench-") as folder:
            cold.append(_first_call(folder))
            warm.append(_first_call(folder))
    return [
        Overhead("first call, empty cache", statistics.median(cold), 0.6),
        Overhead("first call, kernel in the cache", statistics.median(warm), 5e-3),
    ]


def compile_times() -> list[Overhead]:
    """One statement, and a thousand, from notation to loops; without what starting emberc takes."""
    arrays = ("--format=A:csr",)
    module = Notation(_STATEMENT, arrays).program()
    kernel = re.search(r"  func\.func.*\n  }\n", module, re.DOTALL)
    assert kernel is not None

    pipeline = f"--pass-pipeline=builtin.module(func.func({','.join(_PASSES)}))"
    words = [str(find_tool("ember-opt")), "-", "-o", os.devnull, "--mlir-disable-threading"]

    def seconds(copies: int) -> float:
        functions = [kernel[0].replace("@kernel", f"@kernel{k}", 1) for k in range(copies)]
        text = module.replace(kernel[0], "".join(functions))
        started = time.perf_counter()
        subprocess.run([*words, pipeline], input=text, text=True, check=True)
        return time.perf_counter() - started

    def above_nothing(copies: int, turns: int) -> float:
        return statistics.median(seconds(copies) - seconds(0) for _ in range(turns))

    return [
        Overhead("a statement to loops", max(0.0, above_nothing(1, _TURNS)), 5e-3),
        Overhead("1,000 statements to loops", above_nothing(1_000, 3), 2.0),
    ]


def main() -> None:
    """Prints the seconds of a first call, without those of importing."""
    matrix = es.asarray(np.eye(4, dtype=np.float32))
    x = np.ones(4, np.float32)
    started = time.perf_counter()
    es.evaluate(_STATEMENT, A=matrix, x=x, b=x)
    print(json.dumps({"seconds": time.perf_counter() - started}))


if __name__ == "__main__":
    main()
