"""Measures compiled columns beside those of TensorFlow, in one process, calls by turns.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import ember.tensorflow as et
import numpy as np
from ember.compiler import Options
from ember.tensorflow import models

from benchmarks.columns.session import Call, Session

QUICK_SECONDS, SECONDS = 1.0, 5.0


@dataclass(frozen=True)
class Measurement:
    """Milliseconds of a call, medians, with quartiles of the ratios of calls beside each other."""

    model: str
    spread: str
    batch: int
    threads: int
    tensorflow: float
    ember: float
    ratio: float
    least: float
    most: float


@dataclass(frozen=True)
class Preparation:
    """What it takes to have a model: seconds, and nodes without constants."""

    model: str
    compile: float
    first_tensorflow: float
    first_ember: float
    nodes: int
    left: int


def _milliseconds(call: Call) -> float:
    began = time.perf_counter()
    call.run()
    return (time.perf_counter() - began) * 1e3


def _interleaved(theirs: Call, ours: Call, seconds: float) -> tuple[list[float], list[float]]:
    """Times of both, by turns: what the machine does besides is in both."""
    for call in (theirs, ours, theirs, ours):
        call.run()
    times: tuple[list[float], list[float]] = [], []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times[0]) < 7:
        times[0].append(_milliseconds(theirs))
        # One call of theirs is many of ours.
        some = [_milliseconds(ours) for _ in range(5)]
        times[1].append(statistics.median(some))
    return times


def _check(theirs: Call, ours: Call) -> None:
    np.testing.assert_allclose(ours.result(), theirs.result(), rtol=1e-5, atol=1e-5)


def _models(quick: bool) -> list[models.Model]:
    supported = models.model_e().of("number", "id")
    some = [models.numbers(10), models.numbers(100)]
    columns_of_e = models.Model("E, numbers and ids", supported.kinds)
    return some if quick else [*some, models.numbers(1000), columns_of_e]


def measure(
    model: models.Model, batches: Sequence[int], threads: Sequence[int], seconds: float
) -> Iterator[Measurement | Preparation]:
    """The columns of a model in both: how long it takes to have them, then calls."""
    graph = models.frozen(model, "columns")
    began = time.perf_counter()
    compiled = et.compile_graph(graph, ["columns"], options=Options(most_threads=max(threads)))
    compile_seconds = time.perf_counter() - began
    et.register()
    for count in threads:
        sessions = [Session(graph, count), Session(compiled.graph, count)]
        firsts = []
        for session in sessions:
            call = session.prepare(model.draw(batches[0]), "columns")
            firsts.append(_milliseconds(call) / 1e3)
        if count == threads[0]:
            report = compiled.report
            yield Preparation(
                model.name, compile_seconds, firsts[0], firsts[1], report.nodes, report.left
            )
        for spread in models.RANGES:
            for batch in batches:
                feeds = model.draw(batch, batch, spread)
                theirs, ours = (session.prepare(feeds, "columns") for session in sessions)
                _check(theirs, ours)
                times = _interleaved(theirs, ours, seconds)
                ratios = [a / b for a, b in zip(*times, strict=True)]
                low, middle, high = statistics.quantiles(ratios, n=4)
                theirs_ms, ours_ms = map(statistics.median, times)
                yield Measurement(
                    model.name, spread, batch, count, theirs_ms, ours_ms, middle, low, high
                )


def _line(one: Measurement | Preparation) -> str:
    if isinstance(one, Preparation):
        return (
            f"{one.model}: compiled in {one.compile:.2f} s; first call {one.first_ember:.2f} s, of "
            f"TensorFlow {one.first_tensorflow:.2f} s; nodes {one.nodes} -> {one.left}"
        )
    return (
        f"{one.model:20} {one.spread:9} batch {one.batch:4} threads {one.threads:2}: TensorFlow "
        f"{one.tensorflow:9.3f} ms, Ember {one.ember:8.3f} ms, ratio {one.ratio:6.1f} "
        f"({one.least:.1f} to {one.most:.1f})"
    )


def _summary(results: Sequence[Measurement]) -> Iterator[str]:
    for model in dict.fromkeys(one.model for one in results):
        for threads in dict.fromkeys(one.threads for one in results):
            ratios = [one.ratio for one in results if one.model == model and one.threads == threads]
            yield (
                f"{model}, threads {threads}: {statistics.geometric_mean(ratios):.1f} times as "
                f"fast (geometric mean), {min(ratios):.1f} at least"
            )


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="./run bench columns", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few columns and batches")
    parser.add_argument("--json", metavar="FILE", type=Path, help="where results go")
    parser.add_argument("--seconds", type=float, help="for each case")
    parser.add_argument("--threads", metavar="N", type=int, nargs="+", help="(default: 1, and all)")
    parser.add_argument("--batch", metavar="N", type=int, nargs="+")
    parser.add_argument("--columns", metavar="N", type=int, nargs="+", help="of the microbenchmark")
    options = parser.parse_args(words)
    seconds = options.seconds or (QUICK_SECONDS if options.quick else SECONDS)
    batches = options.batch or ([1, 64, 256] if options.quick else [1, 16, 64, 256, 1024, 2048])
    threads = options.threads or sorted({1, *([] if options.quick else [os.cpu_count() or 1])})
    chosen = list(map(models.numbers, options.columns or ())) or _models(options.quick)
    results: list[Measurement | Preparation] = []
    for model in chosen:
        for one in measure(model, batches, threads, seconds):
            results.append(one)
            print(_line(one), flush=True)
    print(*_summary([one for one in results if isinstance(one, Measurement)]), sep="\n")
    if options.json:
        options.json.write_text(json.dumps([asdict(one) for one in results], indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
