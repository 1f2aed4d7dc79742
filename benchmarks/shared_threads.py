"""Kernels between PyTorch's operations, on threads of their own and on PyTorch's while awake.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import statistics
import time
from collections.abc import Callable, Mapping

import ember
import torch
from ember import threads
from ember.embed_programs import ENTRY, Bag, SpMM, array, program
from ember.team import Sharing

from benchmarks.cpu.setting import all_threads, use_threads
from benchmarks.report import report

LENGTH = 64
NODES_AND_DEGREES = ((500, 8), (3000, 10), (20000, 10))
BAGS_AND_LOOKUPS = ((256, 20), (2048, 20))
ENTITIES = 100_000
# Turns, in each of which every way runs some times, and what of it is not counted.
TURNS, CALLS, WARM_UP = 60, 8, 2
PAUSED_TURNS, PAUSE = 25, 0.02
ROWS, IDS = array("f32", None, LENGTH), array("i64", None)

Call = Callable[[], object]


def _kernel(operation: Bag | SpMM, *arguments: torch.Tensor) -> Call:
    entry = ember.load_program(program(operation), ember.Options()).entry(ENTRY).bind(*arguments)
    return lambda: entry()


def cases() -> list[tuple[str, Call]]:
    """Kernels by name."""
    found: list[tuple[str, Call]] = []
    spmm = SpMM(rows=IDS, columns=IDS, values=array("f32", None), dense=ROWS, out=ROWS)
    for nodes, degree in NODES_AND_DEGREES:
        edges = nodes * degree
        call = _kernel(
            spmm,
            torch.arange(0, edges + 1, degree),
            torch.randint(nodes, (edges,)),
            torch.randn(edges),
            torch.randn(nodes, LENGTH),
            torch.empty(nodes, LENGTH),
        )
        found.append((f"SpMM, {nodes} rows of {degree}", call))
    bag = Bag(tables=(ROWS,), indices=IDS, segments=IDS, out=ROWS)
    table = torch.randn(ENTITIES, LENGTH)
    for bags, lookups in BAGS_AND_LOOKUPS:
        call = _kernel(
            bag,
            table,
            torch.randint(ENTITIES, (bags * lookups,)),
            torch.arange(0, bags * lookups + 1, lookups),
            torch.empty(bags, LENGTH),
        )
        found.append((f"{bags} bags of {lookups}", call))
    return found


def ways_to_share(team: Sharing, most: int) -> dict[str, Callable[[], None]]:
    """How kernels get threads, by name; each sets it up."""
    own = Sharing(None, "measured without")

    def set_up(sharing: Sharing, number: int) -> None:
        threads.share(sharing)
        ember.set_num_threads(number)

    return {
        "one thread": lambda: set_up(own, 1),
        "own threads": lambda: set_up(own, most),
        "shared threads": lambda: set_up(team, most),
    }


def measure(
    ways: Mapping[str, Callable[[], None]], call: Call, between: Call, turns: int, calls: int
) -> dict[str, float]:
    """The median seconds of a call for each way, measured in turns."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    order = list(ways.items())
    for turn in range(turns):
        for name, set_up in order[turn % len(order) :] + order[: turn % len(order)]:
            set_up()
            for number in range(calls):
                between()
                started = time.perf_counter()
                call()
                if number >= WARM_UP:
                    times[name].append(time.perf_counter() - started)
    return {name: statistics.median(one) for name, one in times.items()}


def main() -> None:
    most = all_threads()
    if threads.sharing().team is None:
        print(f"PyTorch's threads are not shared: {threads.sharing().why_not}")
        return
    use_threads(most)
    ways = ways_to_share(threads.sharing(), most)
    spread = torch.randn(most * 256, 256)
    betweens: dict[str, tuple[Call, int, int]] = {
        "after torch.relu": (lambda: torch.relu(spread), TURNS, CALLS),
        "one after the other": (lambda: None, TURNS, CALLS),
        "after a pause": (lambda: time.sleep(PAUSE), PAUSED_TURNS, WARM_UP + 1),
    }
    for name, call in cases():
        for when, (between, turns, calls) in betweens.items():
            for way, seconds in measure(ways, call, between, turns, calls).items():
                report(f"{name}, {when}, {most} threads: {way}", 1e6 * seconds, "us")
