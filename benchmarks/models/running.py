"""Runs a model eager, compiled by torch.compile's default and compiled by Ember, in turns.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import ember
import torch
from ember.torch.capture.backend import listening

from benchmarks.cpu.measuring import Batches, Contender, Timing, measure
from benchmarks.cpu.setting import use_threads
from benchmarks.models.cases import ModelCase

EAGER, COMPILED, EMBER = "pytorch", "torch.compile", "ember"
# Batches that are taken in turn, so that rows are seldom in the nearest caches.
BATCHES = 16
TOLERANCE = {"rtol": 1e-3, "atol": 1e-4}


@dataclass
class Measured:
    """A model with batches of one size, on a number of threads.

    size: samples, 0 for a whole graph. times: seconds of a call. kernels: kinds of what Ember
    compiled. wrong: what is wrong with a contender's result; it is not timed.
    """

    model: str
    kind: str
    size: int
    threads: int
    times: dict[str, Timing] = field(default_factory=dict)
    kernels: list[str] = field(default_factory=list)
    wrong: dict[str, str] = field(default_factory=dict)

    def ratio(self, peer: str) -> float | None:
        """How many times as long as Ember's the peer's call takes."""
        slower, faster = self.times.get(peer), self.times.get(EMBER)
        return slower.median / faster.median if slower and faster else None

    def rate(self, contender: str) -> float | None:
        """Samples in a second; calls where a sample is a whole graph."""
        timing = self.times.get(contender)
        return max(1, self.size) / timing.median if timing else None

    @property
    def title(self) -> str:
        """The model and the size."""
        return f"{self.model}, batch {self.size}" if self.size else self.model


@dataclass(frozen=True)
class Ways:
    """How models are compiled.

    rest: what runs the operations that Ember leaves. automatic: nothing is known of the sizes that
    change, instead of that all of torch.compile's do, and those of an example of Ember's. wrapped:
    Ember's kernels come from torch.compile(model, backend="ember"), not from ember.compile.
    """

    rest: str = "eager"
    automatic: bool = False
    wrapped: bool = False


def contenders_of(
    case: ModelCase,
    model: Callable[..., Any],
    peers: Sequence[str],
    ways: Ways,
    example: tuple[Any, ...],
) -> dict[str, Callable[..., Any]]:
    """The ways to call a model; example: arguments of a call."""
    options: dict[str, Any] = {"rest": ways.rest}
    dynamic = None if ways.automatic else case.dynamic

    def by_ember() -> Callable[..., Any]:
        if ways.wrapped:
            return torch.compile(model, backend="ember", dynamic=dynamic, options=options)
        return ember.compile(model, example if dynamic else None, **options)

    makers: dict[str, Callable[[], Callable[..., Any]]] = {
        EAGER: lambda: model,
        COMPILED: lambda: torch.compile(model, dynamic=dynamic),
        EMBER: by_ember,
    }
    return {name: make() for name, make in makers.items() if name in peers}


def run_case(
    case: ModelCase,
    sizes: Sequence[int],
    thread_counts: Sequence[int],
    seconds: float,
    peers: Sequence[str] = (EAGER, COMPILED, EMBER),
    ways: Ways = Ways(),
) -> Iterator[Measured]:
    """A result for every size and number of threads, measured for about `seconds` each."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    model, inputs = case.make()
    kinds: set[str] = set()
    # Graphs of earlier numbers of threads are kept, and count.
    several = torch._dynamo.config.patch(recompile_limit=64)
    with case.without_its_warnings(), torch.no_grad(), several, listening() as heard:
        calls = contenders_of(case, model, peers, ways, inputs(sizes[0], 0))
        for threads in thread_counts:
            use_threads(threads)
            for size in sizes:
                pool = [inputs(size, seed) for seed in range(BATCHES if size else 1)]
                result = Measured(case.name, case.kind, size, threads)
                right = _check(calls, pool, result)
                # Graphs of one size serve others.
                kinds |= {part.kind for report in heard.reports for part in report.compiled}
                result.kernels = sorted(kinds)
                contenders = [
                    Contender(name, call, lambda batch: batch) for name, call in right.items()
                ]
                batches = Batches(lambda number, pool=pool: pool[number % len(pool)])  # type: ignore[misc]
                result.times = measure(contenders, batches, seconds)
                yield result


def _check(
    calls: dict[str, Callable[..., Any]], pool: Sequence[tuple[Any, ...]], result: Measured
) -> dict[str, Callable[..., Any]]:
    """The contenders whose results are as those of eager PyTorch, which is the first of them.

    All run every batch, in the order in which they are timed: a batch of another form may be the
    first that a graph is compiled for.
    """
    right = dict(calls)
    for number, batch in enumerate(pool):
        expected: Any = None
        for name, call in list(right.items()):
            found = call(*batch)
            if expected is None:
                expected = found
            try:
                torch.testing.assert_close(found, expected, **TOLERANCE)  # type: ignore[arg-type]
            except AssertionError as error:
                result.wrong[name] = f"batch {number}: " + " ".join(str(error).split())
                del right[name]
    return right
