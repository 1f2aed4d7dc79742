"""The targets: geometric means of ratios over the cases of a group.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.cpu.case import (
    COMPILED,
    EAGER,
    EMBER,
    FBGEMM,
    LIMIT,
    QUANTIZED,
    SCIPY,
    TORCH_SPARSE,
)
from benchmarks.cpu.results import Result

# Bandwidth bounds a case whose table is larger than a core's own caches and whose batch is large
# enough that calling a kernel does not matter.
BOUND_TABLE_BYTES = 20_000_000
BOUND_READ_BYTES = 1_000_000
SMALL_BATCH = 64
# Their rows are decoded by several instructions an element.
DECODED = ("int8", "int4", "int8 leading", "e4m3", "e5m2")


@dataclass(frozen=True)
class Target:
    """In cases of some groups (none: all), `peer` takes at least `least` times as long as Ember.

    least: in the geometric mean. floor: for every single case. scaling: the peer is Ember on one
    thread. chooses: which of the groups' cases count.
    """

    name: str
    groups: tuple[str, ...]
    peer: str
    least: float
    floor: float | None = None
    scaling: bool = False
    chooses: Callable[[Result], bool] = lambda result: True

    def takes(self, result: Result) -> bool:
        """Whether a result counts."""
        return (not self.groups or result.group in self.groups) and self.chooses(result)


def is_bandwidth_bound(result: Result) -> bool:
    """Whether the memory decides how long a case takes."""
    factors = result.factors
    return (
        factors.get("table_bytes", 0) >= BOUND_TABLE_BYTES
        and result.row_bytes >= BOUND_READ_BYTES
        and factors.get("value") not in DECODED
    )


def is_small_batch(result: Result) -> bool:
    """Whether latency matters."""
    return bool(result.factors["batch"] <= SMALL_BATCH)


TARGETS = (
    Target("bags: sum, mean, weighted", ("bag",), EAGER, 1.1, floor=0.9),
    Target("bags: max", ("bag max",), EAGER, 12),
    Target("bags: padding_idx", ("bag padding",), EAGER, 6),
    Target("bags: f64", ("bag f64",), EAGER, 6),
    Target("bags: strided tables", ("bag strided table",), EAGER, 6),
    Target("bags: strided weights", ("bag strided weights",), EAGER, 6),
    Target("bags: weighted mean", ("bag weighted mean",), EAGER, 1),
    Target("one long bag: against one thread", ("one bag",), EMBER, 1.7, scaling=True),
    Target("bags: int8, int4", ("bag int",), QUANTIZED, 1.1),
    Target("bags: fp8", ("bag fp8",), FBGEMM, 5),
    Target("26 tables, batch 1 to 64", ("tables",), EAGER, 6, chooses=is_small_batch),
    Target("26 tables, batch 1 to 64", ("tables",), COMPILED, 4, chooses=is_small_batch),
    Target("products with graphs", ("spmm",), TORCH_SPARSE, 3),
    Target("products with graphs", ("spmm",), SCIPY, 3),
    Target("fused message passing", ("message",), TORCH_SPARSE, 4),
    Target("scores of triples", ("score",), EAGER, 5),
    Target("blocks: gather and product", ("blocks",), EAGER, 4),
    Target(
        "all bandwidth-bound cases",
        (),
        LIMIT,
        0.92,
        chooses=is_bandwidth_bound,
    ),
)


@dataclass(frozen=True)
class Outcome:
    """A target for a number of threads: the geometric mean and the worst of its cases.

    at_limit: the mean if Ember took as long as the limit, over the cases that have one. What has
    no cases is None.
    """

    name: str
    peer: str
    threads: int
    least: float
    floor: float | None
    cases: int
    mean: float | None
    worst: float | None
    worst_case: str | None
    at_limit: float | None
    met: bool | None


def geometric_mean(ratios: Sequence[float]) -> float:
    """The geometric mean of positive numbers; raises ValueError without any."""
    if not ratios:
        raise ValueError("the geometric mean of nothing")
    return math.exp(math.fsum(map(math.log, ratios)) / len(ratios))


def evaluate(results: Sequence[Result]) -> list[Outcome]:
    """Every target for every number of threads there are results of."""
    counts = sorted({result.threads for result in results})
    return [
        _outcome(target, threads, results)
        for target in TARGETS
        for threads in counts
        if not (target.scaling and threads == counts[0])
    ]


def _outcome(target: Target, threads: int, results: Sequence[Result]) -> Outcome:
    ratios = []
    for result in results:
        if result.threads != threads or not target.takes(result):
            continue
        ratio = _scaling(result, results) if target.scaling else result.ratio(target.peer, EMBER)
        if ratio is not None:
            ratios.append((ratio, result))
    shared = (target.name, target.peer, threads, target.least, target.floor, len(ratios))
    if not ratios:
        return Outcome(*shared, None, None, None, None, None)
    mean = geometric_mean([ratio for ratio, _ in ratios])
    worst, where = min(ratios, key=lambda pair: pair[0])
    met = mean >= target.least and (target.floor is None or worst >= target.floor)
    limits = [] if target.scaling else [one.ratio(target.peer, LIMIT) for _, one in ratios]
    known = [ratio for ratio in limits if ratio is not None]
    at_limit = geometric_mean(known) if known else None
    return Outcome(*shared, mean, worst, f"{where.group}: {where.title}", at_limit, met)


def _scaling(result: Result, results: Sequence[Result]) -> float | None:
    """How many times as fast Ember is in a result as in the same case on fewest threads."""
    same = [one for one in results if one.group == result.group and one.factors == result.factors]
    alone = min(same, key=lambda one: one.threads).seconds(EMBER)
    together = result.seconds(EMBER)
    return alone / together if alone and together else None
