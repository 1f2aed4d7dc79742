"""Figure 4.14: two vectors multiplied element by element, in formats and with accelerations.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ember.errors import KernelError

from benchmarks.figures.figure import Bar, Figure
from benchmarks.figures.sam.draws import (
    LENGTH,
    random_vectors,
    vectors_of_blocks,
    vectors_of_runs,
)
from benchmarks.figures.sam.reference import vector_cycles
from benchmarks.figures.sam.stream_graphs import chain, run_graph

Vectors = tuple[list[int], list[int]]
#: Coordinates of a part of a split vector, and bits of a word.
PART = 64
SPARSITIES = (0.2, 0.6, 0.8, 0.9, 0.95, 0.975, 0.9875, 0.99375)
SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 400)

#: A graph that is published writes the coordinates that both have: a cycle behind the intersecter,
#: which a file of a graph cannot have without values.
WRITER = 1


def _dense(vectors: Vectors) -> tuple[dict[str, Any], dict[str, Any]]:
    """Both vectors with all elements: nothing to intersect."""
    nodes: dict[str, Any] = {
        "mul": {"kind": "mul"},
        "write_i": {"kind": "write_compressed", "tensor": "x", "level": "0"},
        "write": {"kind": "write_vals", "tensor": "x", "level": "vals"},
    }
    edges = ["scan_b.crd -> write_i.in", "mul.val -> write.in"]
    for number, side in enumerate("bc", start=1):
        nodes[f"scan_{side}"] = {"kind": "scan_dense", "tensor": side, "index": "i"}
        nodes[f"array_{side}"] = {"kind": "array", "tensor": side}
        edges += [f"scan_{side}.ref -> array_{side}.ref", f"array_{side}.val -> mul.in{number}"]
    return chain(nodes, edges, ["scan_b", "scan_c"]), _tensors(vectors, "d")


def _tensors(vectors: Vectors, levels: str) -> dict[str, Any]:
    """Vectors of ones: in one level, or in parts if there are two."""
    is_split = len(levels) == 2
    found = {}
    for side, coordinates in zip("bc", vectors, strict=True):
        places = [[at // PART, at % PART] if is_split else [at] for at in coordinates]
        found[side] = {
            "indices": "oi" if is_split else "i",
            "format": levels,
            "elements": [[place, 1] for place in places],
        }
    return found


def _compressed(vectors: Vectors, gallops: bool = False) -> tuple[dict[str, Any], dict[str, Any]]:
    """Both vectors compressed; with `gallops`, the intersecter tells scanners what to leave out."""
    nodes: dict[str, Any] = {"join": {"kind": "intersect"}}
    edges: list[str] = []
    for number, side in enumerate("bc", start=1):
        nodes[f"scan_{side}"] = {"kind": "scan_compressed", "tensor": side, "index": "i"}
        edges += [f"scan_{side}.{port} -> join.{port}{number}" for port in ("crd", "ref")]
        edges += [f"join.skip{number} -> scan_{side}.skip"] * gallops
    return chain(nodes, edges, ["scan_b", "scan_c"]), _tensors(vectors, "s")


def _galloping(vectors: Vectors) -> tuple[dict[str, Any], dict[str, Any]]:
    return _compressed(vectors, gallops=True)


def _split(vectors: Vectors) -> tuple[dict[str, Any], dict[str, Any]]:
    """Both vectors in parts, of which those that both have are intersected."""
    nodes: dict[str, Any] = {
        "outer": {"kind": "intersect"},
        "inner": {"kind": "intersect"},
        "mul": {"kind": "mul"},
    }
    edges: list[str] = []
    for number, side in enumerate("bc", start=1):
        for level, index in (("outer", "o"), ("inner", "i")):
            scan = f"scan_{side}{index}"
            nodes[scan] = {"kind": "scan_compressed", "tensor": side, "index": index}
            edges += [f"{scan}.{port} -> {level}.{port}{number}" for port in ("crd", "ref")]
        nodes[f"array_{side}"] = {"kind": "array", "tensor": side}
        edges += [
            f"outer.ref{number} -> scan_{side}i.ref",
            f"inner.ref{number} -> array_{side}.ref",
            f"array_{side}.val -> mul.in{number}",
        ]
    return chain(nodes, edges, ["scan_bo", "scan_co"]), _tensors(vectors, "ss")


Way = Callable[[Vectors], tuple[dict[str, Any], dict[str, Any]]]
#: Ways by what figures call them: the graph, what the file of measurements calls it, and why they
#: differ.
WAYS: Mapping[str, tuple[Way, str, str]] = {
    "dense": (_dense, "uncompressed", ""),
    "compressed": (_compressed, "compressed", ""),
    "with skip": (_galloping, "compress_skip", ""),
    "split": (_split, "compress_split", ""),
}


def cycles_of(vectors: Vectors, way: str) -> int:
    """Cycles of a way; raises KernelError where what is written is not what both have."""
    graph, tensors = WAYS[way][0](vectors)
    two = way == "split"
    file = {
        "expression": "x(o,i)=b(o,i)*c(o,i)" if two else "x(i)=b(i)*c(i)",
        "tensors": tensors,
        "graph": graph,
    }
    dims = {"o": -(-LENGTH // PART), "i": PART} if two else {"i": LENGTH}
    run = run_graph(file, {"dims": dims})
    stored = (
        run.statistics.blocks["inner" if two else "join"].outputs["crd"]["data"]
        if (way in ("compressed", "with skip", "split"))
        else None
    )
    if stored is not None and stored != len(set(vectors[0]) & set(vectors[1])):
        raise KernelError(f"{way}: {stored} coordinates are left of the intersection")
    return run.statistics.cycles + (WRITER if stored is not None else 0)


def _figure(
    letter: str, what: str, axis: str, points: Sequence[tuple[str, str, Vectors]]
) -> Figure:
    """points: what the axis has, what measurements are named, and the vectors."""
    bars = []
    for way, (_, name, why) in WAYS.items():
        for place, measured, vectors in points:
            bars.append(
                Bar(place, way, cycles_of(vectors, way), vector_cycles(measured, name), why=why)
            )
    return Figure(
        f"sam-fig4.14{letter}",
        f"Two vectors of {LENGTH} elements multiplied: {what}",
        "cycles",
        bars,
        notes=[
            f"Parts are of {PART}. Vectors are stored in parts before. Bit vectors and trees are "
            "not here: the simulator's blocks of bits have no level of words to scan."
        ],
        is_log=True,
        axis=axis,
    )


def make_random(kept: Path, quick: bool) -> Figure:
    """By how much is stored."""
    del kept
    chosen = SPARSITIES[::3] if quick else SPARSITIES
    points = [(f"{1 - one:g}", f"random {one:g}", random_vectors(one)) for one in chosen]
    return _figure("a", "drawn at random", "part that is stored", points)


def make_runs(kept: Path, quick: bool) -> Figure:
    """By the length of runs."""
    del kept
    chosen = SIZES[::3] if quick else SIZES
    points = [(str(one), f"runs {one}", vectors_of_runs(one)) for one in chosen]
    return _figure("b", "runs in turn", "length of runs", points)


def make_blocks(kept: Path, quick: bool) -> Figure:
    """By the size of blocks."""
    del kept
    chosen = SIZES[::3] if quick else SIZES
    points = [(str(one), f"blocks {one}", vectors_of_blocks(one)) for one in chosen]
    return _figure("c", "blocks", "size of blocks", points)
