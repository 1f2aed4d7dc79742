"""What a call costs where there is next to nothing to compute: one lookup, a few edges.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

import ember
import torch
from ember.kernel import Entry
from torch import Tensor, nn

from benchmarks.calls import microseconds
from benchmarks.cpu.setting import use_threads

LENGTH = 16
TABLES = 26


@dataclass(frozen=True)
class Overhead:
    """Microseconds of calls of a function that is a region and nothing else.

    kernel: the region's kernel, given its arguments. region: what stands for the region in the
    graph, its kernel included. direct: what ember.compile returns. compiled: what torch.compile
    returns with backend "ember"; nothing: with backend "eager", which compiles nothing. eager: the
    function itself.
    """

    name: str
    kernel: float
    region: float
    direct: float
    compiled: float
    nothing: float
    eager: float

    @property
    def above_kernel(self) -> float:
        """What the region's call adds to its kernel."""
        return self.region - self.kernel


def functions() -> dict[str, tuple[Callable[..., Any], tuple[Any, ...]]]:
    """One function for each kind of region, with arguments of the least size."""
    single = nn.EmbeddingBag(100, LENGTH, mode="sum")
    bags = nn.ModuleList(nn.EmbeddingBag(100, LENGTH, mode="sum") for _ in range(TABLES))
    nodes = nn.Embedding(100, LENGTH)
    two = torch.tensor([3, 5])

    def bag(indices: Tensor, offsets: Tensor) -> Tensor:
        found: Tensor = single(indices, offsets)
        return found

    def side_by_side(indices: list[Tensor], offsets: Tensor) -> Tensor:
        found = [table(one, offsets) for table, one in zip(bags, indices, strict=True)]
        return torch.cat(found, 1)

    def aggregation(x: Tensor, source: Tensor, target: Tensor) -> Tensor:
        return x.new_zeros(x.shape[0], x.shape[1]).index_add(0, target, x[source])

    def score(heads: Tensor, tails: Tensor) -> Tensor:
        found: Tensor = (nodes(heads) * nodes(tails)).sum(-1)
        return found

    offsets = torch.tensor([0, 1])
    return {
        "a bag": (bag, (two, offsets)),
        f"{TABLES} bags side by side": (side_by_side, ([two] * TABLES, offsets)),
        "an aggregation over edges": (aggregation, (torch.rand(4, LENGTH), two - 3, two - 3)),
        "a score": (score, (two, two)),
    }


def contenders_of(
    function: Callable[..., Any], arguments: tuple[Any, ...]
) -> dict[str, Callable[[], Any]]:
    """A call for each measure of Overhead, by its name."""
    torch._dynamo.reset()
    with _recorded_kernels() as kernels:
        ember.compile(function, arguments)
    kernel, kernel_arguments = kernels[-1]
    torch._dynamo.reset()
    direct = ember.compile(function, arguments)
    (part,) = (part for report in direct.reports() for part in report.compiled)
    given = _arguments_of(part.call, direct, arguments)
    compiled = torch.compile(function, backend="ember")
    nothing = torch.compile(function, backend="eager")
    return {
        "kernel": lambda: kernel(*kernel_arguments),
        "region": lambda: part.call(*given),
        "direct": lambda: direct(*arguments),
        "compiled": lambda: compiled(*arguments),
        "nothing": lambda: nothing(*arguments),
        "eager": lambda: function(*arguments),
    }


def measure_overheads(calls: int = 400) -> list[Overhead]:
    """The overhead of each function, on one thread; calls: in a sample."""
    use_threads(1)
    with torch.no_grad():
        return [
            Overhead(name, **microseconds(contenders_of(*case), calls))
            for name, case in functions().items()
        ]


@contextmanager
def _recorded_kernels() -> Iterator[list[tuple[Callable[..., Any], tuple[Any, ...]]]]:
    """While entered, new regions' calls of kernels are noted."""
    seen: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []
    original = Entry._compiled_call

    def recording(self: Entry, *how: Any) -> Callable[..., Any]:
        call = original(self, *how)

        def noted(*given: Any) -> Any:
            seen.append((call, given))
            return call(*given)

        return noted

    with mock.patch.object(Entry, "_compiled_call", recording):
        yield seen


def _arguments_of(
    call: Callable[..., Any], run: Callable[..., Any], arguments: tuple[Any, ...]
) -> tuple[Any, ...]:
    """What the region is called with when the function is called."""
    seen: list[tuple[Any, ...]] = []
    original = type(call).__call__

    def record(self: Any, *given: Any) -> Any:
        seen.append(given)
        return original(self, *given)

    with mock.patch.object(type(call), "__call__", record):
        run(*arguments)
    return seen[0]
