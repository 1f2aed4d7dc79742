"""The targets: geometric means of ratios over the cases of a group, carried by none of them.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

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
from benchmarks.cpu.measuring import unstable
from benchmarks.cpu.results import Result
from benchmarks.cpu.rows import ROW_TYPES
from benchmarks.summary import Summary, summarise

# Bandwidth bounds a case whose table is larger than a core's own caches and whose batch is large
# enough that calling a kernel does not matter.
BOUND_TABLE_BYTES = 20_000_000
BOUND_READ_BYTES = 1_000_000
SMALL_BATCH = 64
# Their rows are decoded by several instructions an element.
DECODED = tuple(name for name, row in ROW_TYPES.items() if row.format)


@dataclass(frozen=True)
class Target:
    """In cases of some groups (none: all), `peer` takes at least `least` times as long as Ember.

    least: in the geometric mean without the least and the greatest. floor: for every single case.
    scaling: the peer is Ember on one thread. chooses: which of the groups' cases count.
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
    """A target for a number of threads, and what its cases come to.

    summary: of the cases, None without any; that without the least and the greatest is what the
    goal is for. unstable: cases that are left out of it, since their own times say little.
    at_limit: the same mean if Ember took as long as the limit, over the cases that have one.
    """

    name: str
    peer: str
    threads: int
    least: float
    floor: float | None
    summary: Summary | None
    unstable: tuple[str, ...] = ()
    at_limit: float | None = None

    @property
    def met(self) -> bool | None:
        """Whether the mean reaches the goal and every case the floor; None without cases."""
        if self.summary is None:
            return None
        reaches = self.summary.trimmed >= self.least
        return reaches and (self.floor is None or self.summary.least >= self.floor)


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
    ratios: dict[str, float] = {}
    limits: dict[str, float] = {}
    left_out: list[str] = []
    for result in results:
        if result.threads != threads or not target.takes(result):
            continue
        ratio = _scaling(result, results) if target.scaling else result.ratio(target.peer, EMBER)
        if ratio is None:
            continue
        name = f"{result.group}: {result.title}"
        if of := unstable(result.times, (target.peer, EMBER)):
            left_out.append(f"{name} ({', '.join(of)})")
            continue
        ratios[name] = ratio
        limit = None if target.scaling else result.ratio(target.peer, LIMIT)
        if limit is not None:
            limits[name] = limit
    return Outcome(
        target.name,
        target.peer,
        threads,
        target.least,
        target.floor,
        summarise(ratios) if ratios else None,
        tuple(left_out),
        summarise(limits).trimmed if limits else None,
    )


def _scaling(result: Result, results: Sequence[Result]) -> float | None:
    """How many times as fast Ember is in a result as in the same case on fewest threads."""
    same = [one for one in results if one.group == result.group and one.factors == result.factors]
    alone = min(same, key=lambda one: one.threads).seconds(EMBER)
    together = result.seconds(EMBER)
    return alone / together if alone and together else None
