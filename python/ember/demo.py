"""The demonstration: models that people run, then models' tables, compiled, checked and timed.

    python -m ember.demo [--quick] [--output FOLDER] ...

Runs a recommendation model, a graph network and quantised tables, then tables alone: the paper's
RM1 to RM3 and the 26 tables of MLPerf's DLRM, natively and on a model of decoupled hardware. Then
a product of sparse matrices as a graph of streams, in six orders of loops.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import contextlib
import dataclasses
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as functional
from torch import Tensor

import ember
from ember.bag_programs import ENTRY, BagShape, bag_program
from ember.compiler import find_tool, run_compiler
from ember.datasets.locality import ReuseHistogram, available_histograms, draw_indices
from ember.measurement import Seconds, measure
from ember.model_demo import INFERENCE, TRAINING, Outcome, show_models
from ember.models import tables as models
from ember.models.tables import BagWorkload
from ember.sam.demo import show_orders

NATIVE, DECOUPLED = "cpu", "dae-threads"
TARGETS = (NATIVE, DECOUPLED)
NAMES = {"pytorch": "PyTorch", NATIVE: "Ember"}
BYTES_OF_VALUE = 4
# Batches of one workload that are cycled through, so that a row is seldom still in a near cache.
BATCHES = 12
# Rows of the small table that stands in for the real one where only counts are wanted.
COUNTING_ROWS = 1024

Batch = tuple[Tensor, Tensor]


@dataclass
class QueueCounts:
    """What went through the queues in one batch, and what was loaded for it."""

    operands: int
    operand_bytes: int
    tokens: int
    loads: int


@dataclass
class Result:
    """One workload: compile times (ms) by target, times of a batch by target and "pytorch"."""

    workload: BagWorkload
    compile_ms: dict[str, float]
    seconds: dict[str, Seconds]
    queues: QueueCounts

    @property
    def ratio(self) -> float:
        """How many times PyTorch's rate the native kernel reaches."""
        return self.seconds["pytorch"].median / self.seconds[NATIVE].median

    @property
    def is_stable(self) -> bool:
        """Whether PyTorch's time and Ember's say something of the next call."""
        return all(self.seconds[name].is_stable for name in NAMES)

    def rows_per_second(self, name: str) -> float:
        return self.workload.lookups / self.seconds[name].median

    def bytes_per_second(self, name: str) -> float:
        return self.rows_per_second(name) * self.workload.length * BYTES_OF_VALUE


def available_bytes() -> int:
    """Memory that can be had without swapping."""
    with open("/proc/meminfo") as file:
        fields = dict(line.split(":", 1) for line in file)
    return int(fields["MemAvailable"].split()[0]) * 1024


def make_batches(workload: BagWorkload, histogram: ReuseHistogram, seed: int) -> list[Batch]:
    """Batches of (indices, offsets), int64: consecutive windows of one stream of lookups."""
    stream = draw_indices(histogram, workload.lookups * BATCHES, workload.rows, seed)
    offsets = torch.arange(0, workload.lookups, workload.lookups_per_segment)
    return [
        (torch.from_numpy(window.copy()), offsets)
        for window in stream.reshape(BATCHES, workload.lookups)
    ]


def count_queues(workload: BagWorkload, batch: Batch) -> QueueCounts:
    """Counts operands, tokens and loads of one batch, by an instrumented run of the dlc level.

    The counts do not depend on what is in the rows, so the run uses a small table.
    """
    program = run_compiler(
        bag_program(BagShape(workload.length)), ["--target=dae-threads", "--emit=dlc", "-o", "-"]
    )
    indices, offsets = batch
    rows = min(workload.rows, COUNTING_ROWS)
    arrays = (
        np.zeros((rows, workload.length), np.float32),
        indices.numpy() % rows,
        np.append(offsets.numpy(), workload.lookups),
        np.zeros((workload.segments, workload.length), np.float32),
    )
    with tempfile.TemporaryDirectory(prefix="ember-demo-") as folder:
        arguments = []
        for number, array in enumerate(arrays):
            np.save(f"{folder}/{number}.npy", array)
            arguments.append(f"@{folder}/{number}.npy")
        statistics_file = Path(folder, "statistics.json")
        command = [
            str(find_tool("ember-run")),
            "-",
            f"--entry={ENTRY}",
            f"--stats={statistics_file}",
        ]
        subprocess.run([*command, *arguments], input=program, text=True, check=True)
        counts = json.loads(statistics_file.read_text())
    return QueueCounts(
        operands=counts["data_queue"]["operands"],
        operand_bytes=counts["data_queue"]["bytes"],
        tokens=counts["control_queue"]["tokens"],
        loads=sum(stream["loads"] for stream in counts["streams"]),
    )


def check(name: str, actual: Tensor, expected: Tensor, lookups: int) -> None:
    """Stops the demonstration when a kernel's result is not PyTorch's."""
    try:
        torch.testing.assert_close(actual, expected, rtol=1e-5, atol=1e-6 * lookups)
    except AssertionError as error:
        sys.exit(f"error: {name} differs from PyTorch: {error}")


def run_workload(
    workload: BagWorkload,
    table: Tensor,
    histogram: ReuseHistogram,
    seconds: float,
    seed: int,
    say: Callable[[str], None],
) -> Result:
    """Compiles, checks and times one table; table is (rows, length), f32."""
    batches = make_batches(workload, histogram, seed)
    module = torch.nn.EmbeddingBag.from_pretrained(table, mode="sum")
    kernels, compile_ms = {}, {}
    for target in TARGETS:
        say(f"{workload.name}: compiling for {target}")
        started = time.perf_counter()
        kernels[target] = ember.compile(module, batches[0], target=target)
        compile_ms[target] = 1e3 * (time.perf_counter() - started)
    for target, kernel in kernels.items():
        say(f"{workload.name}: checking {target}")
        for indices, offsets in batches:
            expected = functional.embedding_bag(indices, table, offsets, mode="sum")
            name = f"{workload.name} on {target}"
            check(name, kernel(indices, offsets), expected, workload.lookups_per_segment)
    say(f"{workload.name}: measuring")
    native, decoupled = kernels[NATIVE], kernels[DECOUPLED]
    times = measure(
        {"pytorch": lambda batch: module(*batch), NATIVE: lambda batch: native(*batch)},
        batches,
        seconds=seconds,
    )
    # By itself: its threads wait for each other in loops, which others would be measured beside.
    model = {DECOUPLED: lambda batch: decoupled(*batch)}
    times |= measure(model, batches, seconds=seconds / 4, least_rounds=2)
    say(f"{workload.name}: counting what goes through the queues")
    return Result(workload, compile_ms, times, count_queues(workload, batches[0]))


def quantity(value: float) -> str:
    """A count in at most five characters."""
    for unit in ("", "k", "M", "G"):
        if abs(value) < 1000:
            return f"{value:.3g}{unit}"
        value /= 1000
    return f"{value:.3g}T"


HEADER = (
    f"{'':10}  {'':21} |{'compile':^9}|{'million rows/s':^20}|{'GB/s of rows':^16}|{'times':^15}\n"
    f"{'table':10} {'rows x length':>14} {'lookups':>7} "
    f"|{'ms':^9}|{'PyTorch':>9}{'Ember':>8}   |{'PyTorch':>8}{'Ember':>7} |{'as fast':^15}"
)
ABOUT_THE_MODEL = """\
The same kernels for decoupled hardware. Two threads and queues in memory stand in for an
access and a compute unit: what counts is what goes through the queues in one batch. Their
time is that of this model of hardware, in software, and no speed of Ember's."""
MODEL_HEADER = (
    f"{'table':10}|{'operands':>10}{'bytes':>8}{'tokens':>8}{'loads':>8}|{'ms of the model':>17}"
)


def table_line(result: Result) -> str:
    """The result as a line under HEADER."""
    workload = result.workload
    rates = [result.rows_per_second(name) / 1e6 for name in NAMES]
    volumes = [result.bytes_per_second(name) / 1e9 for name in NAMES]
    spread = f"±{result.seconds[NATIVE].spread:.0%}"
    return (
        f"{workload.name:10} {f'{workload.rows}x{workload.length}':>14} "
        f"{quantity(workload.lookups):>7} |{result.compile_ms[NATIVE]:8.1f} "
        f"|{rates[0]:9.1f}{rates[1]:8.1f}   |{volumes[0]:8.2f}{volumes[1]:7.2f} "
        f"|{result.ratio:8.2f} {spread:>5}"
    )


def model_line(result: Result) -> str:
    """The result as a line under MODEL_HEADER."""
    queues = result.queues
    counts = (queues.operands, queues.operand_bytes, queues.tokens, queues.loads)
    return (
        f"{result.workload.name:10}|{quantity(counts[0]):>10}"
        + "".join(f"{quantity(count):>8}" for count in counts[1:])
        + f"|{1e3 * result.seconds[DECOUPLED].median:17.1f}"
    )


def gained(outcomes: Sequence[Outcome], results: Sequence[Result]) -> list[str]:
    """What came of it: lines with geometric means of ratios of medians, and their ranges.

    Where the quartiles of a time are far apart, other programs took part: it is in none of them.
    """
    rows: dict[str, Sequence[Outcome | Result]] = {
        f"models, {what}": [one for one in outcomes if one.what == what]
        for what in (INFERENCE, TRAINING)
    }
    rows["tables alone"] = results
    lines = ["times as fast as eager PyTorch: geometric mean, range"]
    for what, measured in rows.items():
        ratios = [one.ratio for one in measured if one.is_stable]
        if ratios:
            found = (
                f"{statistics.geometric_mean(ratios):6.2f}   {min(ratios):.2f} to {max(ratios):.2f}"
            )
        else:
            found = f"{'-':>6}"
        left_out = len(measured) - len(ratios)
        note = f"; {left_out} left out, as other programs were running" if left_out else ""
        lines.append(f"  {what:26}{found} in {len(ratios)}{note}")
    return lines


def plot(results: Sequence[Result], path: Path) -> None:
    """Draws the rates of all tables, PyTorch's and Ember's, and their ratio."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    labels = [result.workload.name for result in results]
    places = np.arange(len(results))
    figure, (rates, ratios) = pyplot.subplots(2, 1, figsize=(14, 8), sharex=True)
    for number, (target, name) in enumerate(NAMES.items()):
        values = [result.bytes_per_second(target) / 1e9 for result in results]
        rates.bar(places + 0.4 * (number - 0.5), values, 0.38, label=name, color=f"C{number}")
    rates.set_ylabel("GB/s of table rows")
    rates.set_title("EmbeddingBag, f32, sum, one thread: higher is better")
    rates.legend()
    ratios.bar(places, [result.ratio for result in results], 0.6, color="C1")
    ratios.axhline(1, color="black", linewidth=0.8)
    ratios.set_ylabel("times as fast as PyTorch")
    ratios.set_xticks(places, labels, rotation=60, ha="right")
    ratios.set_xlim(-0.6, len(results) - 0.4)
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


@contextlib.contextmanager
def kernels_cached_aside() -> Iterator[None]:
    """While entered, no kernel is in the cache: compile times are of a first use."""
    with tempfile.TemporaryDirectory(prefix="ember-demo-cache-") as cache:
        os.environ["EMBER_CACHE_DIR"] = cache
        yield


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./run demo", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="RM1 to RM3 and four MLPerf tables")
    parser.add_argument("--output", type=Path, default=Path("demo-output"), help="folder of plot")
    parser.add_argument(
        "--scale",
        type=int,
        default=16,
        help="segments of RM1 to RM3, in multiples of the paper's batch of one core (default 16)",
    )
    parser.add_argument("--batch", type=int, default=2048, help="samples of a MLPerf batch")
    parser.add_argument("--seconds", type=float, default=0.3, help="time for each measurement")
    parser.add_argument("--memory", type=float, default=1.0, help="GB that a table may take")
    parser.add_argument("--seed", type=int, default=0)
    parsed = parser.parse_args(arguments)
    for name in ("scale", "batch", "seconds", "memory"):
        if getattr(parsed, name) <= 0:
            parser.error(f"--{name} must be positive")
    return parsed


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the demonstration; returns the exit status."""
    options = parse_arguments(arguments)
    torch.set_num_threads(1)
    ember.set_num_threads(1)
    budget = min(options.memory * 1e9, available_bytes() / 4)
    most_rows = max(1, int(budget / (models.MLPERF_LENGTH * BYTES_OF_VALUE)))
    workloads = [
        *(dataclasses.replace(rm, segments=rm.segments * options.scale) for rm in models.RM),
        *models.mlperf_dlrm(options.batch, most_rows),
    ]
    if options.quick:
        workloads = [*workloads[:3], *(workloads[3 + number] for number in (1, 5, 20, 22))]
    tick = sys.stderr.isatty()

    def say(text: str) -> None:
        if tick:
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)

    model_picture = options.output / "models.png"
    with kernels_cached_aside():
        outcomes = show_models(options.seconds, model_picture, say)
    histograms = available_histograms()
    capped = sum(rows > most_rows for rows in models.MLPERF_ROWS)
    print(f"\nTables alone: EmbeddingBag, f32, mode sum; PyTorch {torch.__version__}; one thread.")
    print(f"RM1-RM3: paper's table 3, {options.scale} times its segments. MLPerf: {options.batch}")
    print(f"samples; {capped} of 26 tables capped at {most_rows} rows to fit into memory.")
    print(f"Indices: drawn from {len(histograms)} reuse histograms ({histograms[0].name}, ...).")
    print("Compile times: empty kernel cache; tables of one length share their kernel.\n")
    print(HEADER, flush=True)

    size = max(workload.rows * workload.length for workload in workloads)
    say(f"filling a table of {size * BYTES_OF_VALUE / 1e9:.2f} GB")
    memory = torch.rand(size, generator=torch.Generator().manual_seed(options.seed)).sub_(0.5)
    results = []
    with kernels_cached_aside():
        for number, workload in enumerate(workloads):
            elements = workload.rows * workload.length
            table = memory[:elements].view(workload.rows, workload.length)
            histogram = histograms[number % len(histograms)]
            seed = options.seed + number
            result = run_workload(workload, table, histogram, options.seconds, seed, say)
            results.append(result)
            say("")
            print(table_line(result), flush=True)
    print(f"\n{ABOUT_THE_MODEL}\n")
    print(MODEL_HEADER)
    for result in results:
        print(model_line(result))
    picture = options.output / "embedding-bags.png"
    plot(results, picture)
    graph_picture = options.output / "stream-graphs.png"
    print()
    graphs = show_orders(graph_picture, options.seed, say)
    print(
        f"\nall {len(results)} tables and {len(outcomes)} models agree with PyTorch, "
        f"{graphs} graphs of streams with NumPy"
    )
    print("\n".join(gained(outcomes, results)))
    print(f"plots: {model_picture}, {picture}, {graph_picture}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
