"""A part of the demonstration: SpM*SpM as a graph of streams, in six orders of loops.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from ember.errors import KernelError
from ember.sam.exploration import Exploration, Point
from ember.sam.explore import explore

STATEMENT = "X[i,j] = B[i,k]*C[k,j]"
# Rows, columns and what is summed over, and the part that is stored.
SIZES = {"i": 100, "j": 100, "k": 40}
DENSITY = 0.05
ABOUT = f"""\
{STATEMENT} as a graph of the Sparse Abstract Machine, in six orders of loops: blocks exchange
streams, a token a cycle. B is {SIZES["i"]} x {SIZES["k"]}, C {SIZES["k"]} x {SIZES["j"]}, \
{DENSITY:.0%} of them stored; all levels are compressed."""
HEADER = f"{'order':8}|{'cycles':>9}{'tokens':>10}{'sums held':>11}"


def show_orders(file: Path, seed: int, say: Callable[[str], None]) -> int:
    """Simulates all orders, prints what each takes, and draws it; returns how many there are.

    Raises KernelError where a graph computes something else than NumPy.
    """
    rng = np.random.default_rng(seed)
    first, second = (
        rng.integers(1, 9, shape) * (rng.random(shape) < DENSITY).astype(np.float64)
        for shape in ((SIZES["i"], SIZES["k"]), (SIZES["k"], SIZES["j"]))
    )
    say("simulating graphs of streams")
    found = explore(
        STATEMENT, {"B": first, "C": second}, formats={name: ["compressed"] for name in "XBC"}
    )
    say("")
    if not np.array_equal(found.result.to_numpy(), first @ second):
        raise KernelError(f"the graphs of {STATEMENT} compute something else than NumPy")
    print(ABOUT)
    print(f"\n{HEADER}")
    for point in found.points:
        print(order_line(point))
    for refusal in found.refused:
        print(f"{''.join(refusal.order):8}| not simulated: {refusal.reason.splitlines()[0]}")
    draw(found, file)
    return len(found.points)


def order_line(point: Point) -> str:
    """A way as a line under HEADER."""
    return f"{''.join(point.order):8}|{point.cycles:9}{point.tokens:10}{point.storage:11}"


def draw(found: Exploration, file: Path) -> None:
    """Draws cycles and tokens of all orders."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    names = ["".join(point.order) for point in found.points]
    figure, (cycles, storage) = pyplot.subplots(1, 2, figsize=(11, 4))
    places = np.arange(len(names))
    for number, cost in enumerate(("cycles", "tokens")):
        values = [getattr(point, cost) for point in found.points]
        cycles.bar(places + 0.4 * (number - 0.5), values, 0.38, label=cost)
    cycles.set_yscale("log")
    cycles.set_title(f"{STATEMENT}: lower is better", fontsize=10)
    cycles.legend()
    storage.bar(places, [point.storage for point in found.points], 0.6, color="C2")
    storage.set_title("sums that the reducer holds", fontsize=10)
    storage.set_yscale("log")
    for axes in (cycles, storage):
        axes.set_xticks(places, names)
        axes.set_xlabel("order of loops")
    figure.tight_layout()
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, dpi=120)
    pyplot.close(figure)
