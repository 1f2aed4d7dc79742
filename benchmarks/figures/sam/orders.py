"""Figures 4.12 and 4.13: fusion, and orders of loops.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from pathlib import Path
from typing import Any

import numpy as np
from ember import sam
from ember.errors import CompileError, KernelError
from ember.sparse.array import Array

from benchmarks.figures.figure import Bar, Figure
from benchmarks.figures.sam.draws import tensor
from benchmarks.figures.sam.reference import graph_of, order_cycles
from benchmarks.figures.sam.stream_graphs import run_graph

ROWS, COLUMNS, INNER = 250, 250, 100
DENSITY = 0.05
#: With --quick, a tenth as many rows and columns, and nothing published of these.
QUICK = 25
#: The published simulator's slips, which its cycles are measured with.
MACHINE = {"quirks": "reference"}
COMPILED, PUBLISHED = "compiled here", "published graph"
WHY_COMPILED = (
    "our graph's reducer takes whole lists along their coordinates; the published one takes "
    "points, behind blocks that hold coordinates and drop stops"
)


def _sizes(quick: bool, inner: int) -> dict[str, int]:
    scale = 1 if not quick else ROWS // QUICK
    return {"i": ROWS // scale, "j": COLUMNS // scale, "k": inner if not quick else min(inner, 10)}


def _check(result: Any, expected: np.ndarray, what: str) -> None:
    """That a figure is not drawn of wrong results."""
    whole = result.to_numpy() if isinstance(result, Array) else np.asarray(result)
    if not np.allclose(whole, expected):
        raise KernelError(f"{what} differs from NumPy")


def make_orders(kept: Path, quick: bool) -> Figure:
    """SpM*SpM in six orders of loops."""
    del kept
    dims = _sizes(quick, INNER)
    first = tensor(1, 0, (dims["i"], dims["k"]), DENSITY)
    second = tensor(1, 1, (dims["k"], dims["j"]), DENSITY)
    bars = []
    for order in ("ijk", "ikj", "jik", "jki", "kij", "kji"):
        formats = {
            "X": "dcsr" if order.index("i") < order.index("j") else "dcsc",
            "B": "dcsr" if order.index("i") < order.index("k") else "dcsc",
            "C": "dcsr" if order.index("k") < order.index("j") else "dcsc",
        }
        graph = sam.compile("X[i,j] = B[i,k]*C[k,j]", formats=formats, order=order)
        published = None if quick else order_cycles(f"spmspm_{order}")
        try:
            result, statistics = graph.simulate(B=first, C=second)
        except CompileError as error:
            bars.append(Bar(order, COMPILED, float("nan"), published, why=f"refused: {error}"))
        else:
            _check(result, first @ second, f"the graph of {order}")
            bars.append(Bar(order, COMPILED, statistics.cycles, published, why=_reason(graph)))
        kernel = graph_of(f"spmspm_{order}")
        if kernel is not None:
            filling = {"dims": dims, "density": {"B": DENSITY, "C": DENSITY}, "seed": 1}
            run = run_graph(kernel, filling, machine=MACHINE)
            bars.append(Bar(order, PUBLISHED, run.statistics.cycles, published))
    return Figure(
        "sam-fig4.13",
        f"SpM*SpM of {dims['i']} x {dims['k']} and {dims['k']} x {dims['j']}, 5 % stored",
        "cycles",
        bars,
        notes=[
            "The matrices are those that the published cycles were measured with. Three of six "
            "orders have a published number; the published graphs run here with the published "
            "simulator's slips."
        ],
        is_log=True,
    )


def _reason(graph: sam.Graph) -> str:
    return WHY_COMPILED if " along " in graph.text else ""


def _sddmm(dims: dict[str, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return (
        tensor(1, 0, (dims["i"], dims["j"]), DENSITY),
        tensor(1, 1, (dims["i"], dims["k"]), 1.0),
        tensor(1, 2, (dims["j"], dims["k"]), 1.0),
    )


def make_fusion(kept: Path, quick: bool) -> Figure:
    """SDDMM: fused, with the dense operands located or scanned beside, and unfused."""
    del kept
    bars = []
    for inner in (1, 10) if quick else (1, 10, 100):
        dims = _sizes(quick, inner)
        sampled, left, right = _sddmm(dims)
        expected = sampled * (left @ right.T)
        group = f"K = {inner}"
        statement = "X[i,j] = B[i,j]*C[i,k]*D[j,k]"
        compressed = {"X": "dcsr", "B": "dcsr"}
        ways = {
            "locate": compressed,
            "coiter": {**compressed, "C": "dcsr", "D": "dcsr"},
        }
        for way, formats in ways.items():
            graph = sam.compile(statement, formats=formats, order="ijk")
            result, statistics = graph.simulate(B=sampled, C=left, D=right)
            _check(result, expected, f"SDDMM with {way}")
            published = None if quick else order_cycles(f"sddmm_{way}_{inner}")
            bars.append(Bar(group, f"{way}, {COMPILED}", statistics.cycles, published))
            kernel = graph_of(f"sddmm_{way}")
            if kernel is not None and not quick:
                filling = {"dims": dims, "density": {"B": DENSITY}, "seed": 1}
                run = run_graph(kernel, filling, machine=MACHINE)
                bars.append(Bar(group, f"{way}, {PUBLISHED}", run.statistics.cycles, published))
        product = sam.compile("T[i,j] = C[i,k]*D[j,k]", order="ijk")
        whole, first = product.simulate(C=left, D=right)
        sample = sam.compile("X[i,j] = B[i,j]*T[i,j]", formats=compressed, order="ij")
        result, second = sample.simulate(B=sampled, T=whole)
        _check(result, expected, "SDDMM unfused")
        bars.append(
            Bar(
                group,
                f"unfused, {COMPILED}",
                first.cycles + second.cycles,
                None if quick else order_cycles(f"sddmm_unfused_{inner}"),
                why="two graphs, one after the other, with the whole product in memory between",
            )
        )
    return Figure(
        "sam-fig4.12",
        f"SDDMM of {_sizes(quick, 1)['i']} x {_sizes(quick, 1)['j']}, 5 % stored",
        "cycles",
        bars,
        notes=[
            "Locating looks the dense operands up at what B stores; coiterating scans their levels "
            "beside those of B."
        ],
        is_log=True,
    )
