"""Figure 4.17 and section 4.8.5: accelerators as graphs that run.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from ember import sam

from benchmarks.figures.sam.comparison import Comparison, Row
from benchmarks.figures.sam.draws import LENGTH, random_vectors, tensor
from benchmarks.figures.sam.stream_graphs import chain, run_graph

DENSITY = 0.05


def _matrices(size: int) -> tuple[np.ndarray, np.ndarray]:
    first, second = (tensor(1, position, (size, size), DENSITY) for position in (0, 1))
    return first, second


def _verdict(result: object, expected: np.ndarray) -> str:
    whole = result.to_numpy() if hasattr(result, "to_numpy") else np.asarray(result)
    return "equals NumPy" if np.allclose(whole, expected) else "DIFFERS from NumPy"


def _outer_space(size: int) -> list[Row]:
    """Outer products into a tensor of three dimensions, then sums of it."""
    first, second = _matrices(size)
    multiply = sam.compile(
        "Y[i,k,j] = B[i,k]*C[k,j]",
        formats={"B": "dcsc", "C": "dcsr", "Y": "compressed,compressed,compressed@1,0,2"},
        order="kij",
    )
    products, counted = multiply.simulate(B=first, C=second)
    expected = np.einsum("ik,kj->ikj", first, second)
    rows = [
        Row(
            "OuterSPACE, multiply: Y(i,k,j) = B(i,k) * C(k,j) in the order k, i, j",
            "a graph",
            f"{counted.cycles} cycles, {_verdict(products, expected)}",
            "Y is written in the order of the loops; linked lists would take i before k",
        )
    ]
    merge = sam.compile("X[i,j] = Y[i,k,j]", formats={"X": "dcsr", "Y": "csf"}, order="ikj")
    sums, counted = merge.simulate(Y=products)
    rows.append(
        Row(
            "OuterSPACE, merge: X(i,j) = sum over k of Y(i,k,j)",
            "in words",
            f"{counted.cycles} cycles, {_verdict(sums, first @ second)}",
            "Y is stored by i, k, j before, as linked lists of k would have it",
        )
    )
    return rows


def _gamma(size: int) -> list[Row]:
    """Rows of the result as sums of rows."""
    first, second = _matrices(size)
    graph = sam.compile("X[i,j] = B[i,k]*C[k,j]", formats=dict.fromkeys("XBC", "dcsr"), order="ikj")
    result, counted = graph.simulate(B=first, C=second)
    return [
        Row(
            "Gamma: X(i,j) = B(i,k) * C(k,j) in the order i, k, j",
            "in words",
            f"{counted.cycles} cycles, {_verdict(result, first @ second)}",
            "one thread: without Gamma's parallelizer behind the intersecter",
        )
    ]


def _ex_tensor(size: int) -> list[Row]:
    """A coordinator: a sequencer, two scanners that skip, an intersecter, two arrays."""
    vectors = random_vectors(0.9)
    nodes = {
        "sequence": {"kind": "scan_dense", "tensor": "S", "index": "i"},
        "signal": {"kind": "repeat_signal"},
        "join": {"kind": "intersect"},
        "mul": {"kind": "mul"},
        "write_i": {"kind": "write_compressed", "tensor": "X", "level": "0"},
        "write_k": {"kind": "write_compressed", "tensor": "X", "level": "1"},
        "write": {"kind": "write_vals", "tensor": "X", "level": "vals"},
    }
    edges = [
        "sequence.crd -> signal.crd",
        "sequence.crd -> write_i.in",
        "join.crd -> write_k.in",
        "mul.val -> write.in",
    ]
    for number, side in enumerate("BC", start=1):
        nodes |= {
            f"repeat_{side}": {"kind": "repeat"},
            f"scan_{side}": {"kind": "scan_compressed", "tensor": side, "index": "k"},
            f"storage_{side}": {"kind": "array", "tensor": side},
        }
        edges += [
            f"signal.repsig -> repeat_{side}.repsig",
            f"repeat_{side}.ref -> scan_{side}.ref",
            f"scan_{side}.crd -> join.crd{number}",
            f"scan_{side}.ref -> join.ref{number}",
            f"join.skip{number} -> scan_{side}.skip",
            f"join.ref{number} -> storage_{side}.ref",
            f"storage_{side}.val -> mul.in{number}",
        ]
    times = max(2, size // 50)
    values = [[[at], at % 7 + 1] for at in vectors[0]], [[[at], at % 5 + 1] for at in vectors[1]]
    tensors = {
        side: {"indices": "k", "format": "s", "elements": elements}
        for side, elements in zip("BC", values, strict=True)
    }
    tensors["S"] = {"indices": "i", "format": "d", "elements": [[[0], 1]]}
    file = {
        "expression": "X(i,k)=S(i)*B(k)*C(k)",
        "tensors": tensors,
        "graph": chain(nodes, edges, ["sequence", "repeat_B", "repeat_C"]),
    }
    run = run_graph(file, {"dims": {"i": times, "k": LENGTH}})
    both = sorted(set(vectors[0]) & set(vectors[1]))
    expected = {(i, k): (k % 7 + 1) * (k % 5 + 1) for i in range(times) for k in both}
    written = {tuple(place): value for place, value in run.results["X"]}
    verdict = "equals NumPy" if written == expected else "DIFFERS from NumPy"
    return [
        Row(
            f"ExTensor's coordinator: {times} times two fibers that skip, intersected and loaded",
            "in words",
            f"{run.statistics.cycles} cycles, {verdict}",
        )
    ]


def _capstan(size: int) -> list[Row]:
    """A loop header: words of bits of two vectors, joined by `and` or `or`."""
    del size
    return [
        Row(
            "Capstan's loop header: words of bits of two vectors, joined by and, or by or",
            "in words",
            "not available",
            "the simulator's blocks of bits have no level of words to scan, and no unioner",
        )
    ]


GRAPHS: tuple[Callable[[int], list[Row]], ...] = (_outer_space, _gamma, _ex_tensor, _capstan)


def make_hardware(kept: Path, quick: bool) -> Comparison:
    """Both phases of OuterSPACE, and what the text says of other accelerators."""
    del kept
    size = 60 if quick else 250
    rows = [row for graph in GRAPHS for row in graph(size)]
    return Comparison(
        "sam-fig4.17",
        "Figure 4.17 and section 4.8.5: accelerators as graphs",
        rows,
        notes=[
            f"Matrices are {size} x {size}, 5 % stored. The text has no cycles of them: "
            "published is that they are such graphs."
        ],
    )
