"""The demonstration's model: a DLRM, compiled by ember.compile.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

import ember
from ember.measurement import median_seconds
from ember.models.recommendation import DLRM, multi_hot_inputs
from ember.models.tables import MLPERF_ROWS

BATCHES = (1, 16, 256, 2048)
MOST_ROWS = 200_000
# Length of rows and layers as DLRM's authors have them for Criteo's Kaggle data (arXiv:1906.00091).
LENGTH = 16
BOTTOM = (512, 256, 64)
TOP = (512, 256)


@dataclass
class Latency:
    """Seconds that a batch takes, in PyTorch and compiled."""

    samples: int
    eager: float
    compiled: float


def show_model(seconds: float, picture: Path, say: Callable[[str], None]) -> list[Latency]:
    """Compiles, explains, checks and times the model; seconds: for each batch."""
    model = DLRM([min(rows, MOST_ROWS) for rows in MLPERF_ROWS], LENGTH, BOTTOM, TOP)
    print(
        f"DLRM with MLPerf's 26 tables, none with more than {MOST_ROWS} rows of {LENGTH} f32, and"
    )
    print("the layers of its authors' for Kaggle. ember.compile(model, batch):\n")
    say("DLRM: compiling")
    latencies = []
    with torch.no_grad():
        started = time.perf_counter()
        fast = ember.compile(model, multi_hot_inputs(model, 4))
        first = time.perf_counter() - started
        say("")
        print(ember.explain(model, *multi_hot_inputs(model, 4)))
        print(f"\ncompiled in {first:.1f} s\n")
        print(f"{'samples':>8} |{'ms: PyTorch':>12}{'compiled':>10} |{'times faster':>13}")
        for samples in BATCHES:
            say(f"DLRM: {samples} samples")
            latency = _measure(model, fast, samples, seconds)
            latencies.append(latency)
            say("")
            print(
                f"{samples:8} |{1e3 * latency.eager:12.3f}{1e3 * latency.compiled:10.3f} "
                f"|{latency.eager / latency.compiled:13.2f}",
                flush=True,
            )
    _plot(latencies, picture)
    print(f"plot: {picture}\n")
    return latencies


def _measure(model: DLRM, fast: Callable[..., Any], samples: int, seconds: float) -> Latency:
    inputs = [multi_hot_inputs(model, samples, seed) for seed in range(4)]
    for one in inputs:
        try:
            torch.testing.assert_close(fast(*one), model(*one))
        except AssertionError as error:
            sys.exit(f"error: the compiled model differs from PyTorch: {error}")
    contenders: dict[str, Callable[[Any], object]] = {
        "eager": lambda one: model(*one),
        "compiled": lambda one: fast(*one),
    }
    times = median_seconds(contenders, inputs, seconds=seconds)
    return Latency(samples, times["eager"], times["compiled"])


def _plot(latencies: Sequence[Latency], picture: Path) -> None:
    """Draws both latencies, and how many times faster the compiled model is."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    samples = [one.samples for one in latencies]
    figure, (times, ratios) = pyplot.subplots(1, 2, figsize=(11, 4))
    times.loglog(samples, [1e3 * one.eager for one in latencies], "o-", label="PyTorch")
    times.loglog(samples, [1e3 * one.compiled for one in latencies], "o-", label="Ember")
    times.set_ylabel("ms for a batch: lower is better")
    times.legend()
    ratios.semilogx(samples, [one.eager / one.compiled for one in latencies], "o-", color="C1")
    ratios.axhline(1, color="black", linewidth=0.8)
    ratios.set_ylim(bottom=0)
    ratios.set_ylabel("times faster than PyTorch")
    for axes in (times, ratios):
        axes.set_xlabel("samples in a batch")
        axes.set_xticks(samples, [str(one) for one in samples])
        axes.minorticks_off()
    figure.suptitle("DLRM, 26 tables, f32, one thread")
    figure.tight_layout()
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=120)
    pyplot.close(figure)
