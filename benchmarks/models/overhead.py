"""What a call costs where there is next to nothing to compute: one lookup, a few edges.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from unittest import mock

import torch
from ember.torch.backend import listening
from torch import Tensor, nn

from benchmarks.calls import microseconds
from benchmarks.cpu.setting import use_threads

LENGTH = 16
TABLES = 26


@dataclass(frozen=True)
class Overhead:
    """Microseconds of calls: of what stands for the region in the graph, its kernel included; of
    the function that torch.compile returned; and of the function itself."""

    name: str
    region: float
    compiled: float
    eager: float


def functions() -> dict[str, tuple[Callable[..., Any], tuple[Any, ...]]]:
    """One function for each kind of region, with arguments of the least size."""
    bag = nn.EmbeddingBag(100, LENGTH, mode="sum")
    bags = nn.ModuleList(nn.EmbeddingBag(100, LENGTH, mode="sum") for _ in range(TABLES))
    nodes = nn.Embedding(100, LENGTH)
    two = torch.tensor([3, 5])

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


def measure_overheads(calls: int = 400) -> list[Overhead]:
    """The overhead of each function, on one thread; calls: in a sample."""
    use_threads(1)
    found = []
    with torch.no_grad():
        for name, (function, arguments) in functions().items():
            torch._dynamo.reset()
            run = torch.compile(function, backend="ember", dynamic=True)
            with listening() as heard:
                run(*arguments)
            (part,) = (part for report in heard.reports for part in report.compiled)
            call, given = part.call, _arguments_of(part.call, run, arguments)
            times = microseconds(
                {
                    "region": lambda call=call, given=given: call(*given),  # type: ignore[misc]
                    "compiled": lambda run=run, given=arguments: run(*given),  # type: ignore[misc]
                    "eager": lambda run=function, given=arguments: run(*given),  # type: ignore[misc]
                },
                calls,
            )
            found.append(Overhead(name, **times))
    return found


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
