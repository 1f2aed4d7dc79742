"""ember.sam: graphs from Python, of arrays of all libraries, against NumPy.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
from pathlib import Path
from typing import Any

import ember.sam
import numpy as np
import pytest
import scipy.io
import scipy.sparse
import torch
from ember.errors import ArgumentError, CompileError
from ember.sparse import Array, Format, asarray

SEED = int(os.environ.get("EMBER_TEST_SEED", "0"))
PRODUCT = "X[i,j] = B[i,k]*C[k,j]"
COMPRESSED = dict.fromkeys("XBC", "dcsr")


def matrices(*shapes: tuple[int, ...], density: float = 0.4) -> list[np.ndarray]:
    """Small whole numbers, of which few are not 0."""
    rng = np.random.default_rng([SEED, len(shapes)])
    return [
        rng.integers(1, 9, shape).astype(float) * (rng.random(shape) < density) for shape in shapes
    ]


B, C = matrices((5, 4), (4, 6))


def whole(result: Any) -> np.ndarray:
    return result.to_numpy() if isinstance(result, Array) else np.asarray(result)


LIBRARIES = {
    "numpy": lambda one: one,
    "list": lambda one: one.tolist(),
    "float32": lambda one: one.astype(np.float32),
    "integers": lambda one: one.astype(np.int64),
    "fortran": np.asfortranarray,
    "csr": scipy.sparse.csr_array,
    "csc": scipy.sparse.csc_matrix,
    "coo": scipy.sparse.coo_array,
    "torch": torch.tensor,
    "torch needs gradient": lambda one: torch.tensor(one, requires_grad=True),
    "torch csr": lambda one: torch.tensor(one).to_sparse_csr(),
    "torch coo": lambda one: torch.tensor(one).to_sparse(),
    "ember": lambda one: asarray(one, "dcsr"),
}


# PyTorch says once that compressed tensors are new.
@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support")
@pytest.mark.parametrize("library", LIBRARIES)
def test_arrays_of_all_libraries(library: str) -> None:
    graph = ember.sam.compile(PRODUCT, formats=COMPRESSED, order="ikj")
    given = {"B": LIBRARIES[library](B), "C": LIBRARIES[library](C)}
    evaluated = graph.run(**given)
    simulated, statistics = graph.simulate(**given)
    for result in (evaluated, simulated):
        assert isinstance(result, Array)
        np.testing.assert_array_equal(whole(result), B @ C)
    assert statistics.cycles > np.count_nonzero(B)


def test_arrays_of_pydata() -> None:
    sparse = pytest.importorskip("sparse")
    graph = ember.sam.compile(PRODUCT, formats=COMPRESSED, order="ikj")
    result = graph.run(B=sparse.COO.from_numpy(B), C=sparse.GCXS.from_numpy(C))
    np.testing.assert_array_equal(whole(result), B @ C)


def test_files(tmp_path: Path) -> None:
    scipy.io.mmwrite(tmp_path / "B.mtx", scipy.sparse.coo_array(B))
    np.save(tmp_path / "C.npy", C)
    graph = ember.sam.compile(PRODUCT, formats=COMPRESSED, order="ikj")
    result, _ = graph.simulate(B=tmp_path / "B.mtx", C=str(tmp_path / "C.npy"))
    np.testing.assert_array_equal(whole(result), B @ C)


STATEMENTS = {
    "summed": ("x[i] = B[i,k]", {"B": B}, B.sum(axis=1)),
    "said to be summed": ("x[i] = sum[k](B[i,k])", {"B": B}, B.sum(axis=1)),
    "number": ("x = B[i,k]", {"B": B}, B.sum()),
    "scaled": ("X[i,k] = alpha*B[i,k]", {"alpha": 2.5, "B": B}, 2.5 * B),
    "NumPy's number": ("X[i,k] = alpha*B[i,k]", {"alpha": np.float32(2), "B": B}, 2 * B),
    "transposed to dense": ("X[k,i] = B[i,k]", {"B": B}, B.T),
    "one term summed": ("y[i] = d[i] + B[i,k]*c[k]", {"B": B}, None),
    "three dimensions": ("X[i] = T[i,j,k]*c[k]", {}, None),
}


@pytest.mark.parametrize("name", STATEMENTS)
@pytest.mark.parametrize("empty", ["keep", "drop"])
def test_statements(name: str, empty: str) -> None:
    text, given, expected = STATEMENTS[name]
    if name == "one term summed":
        c, d = matrices((4,), (5,))
        given = {"B": B, "c": c, "d": d}
        expected = d + B @ c
    if name == "three dimensions":
        tensor, c = matrices((3, 2, 4), (4,))
        given, expected = {"T": tensor, "c": c}, (tensor @ c).sum(axis=1)
    formats = {"B": "dcsr", "T": "csf"}
    kept = {key: form for key, form in formats.items() if key in given}
    graph = ember.sam.compile(text, formats=kept, empty=empty)
    assert set(graph.inputs) == set(given)
    result, statistics = graph.simulate(**given)
    np.testing.assert_array_equal(whole(result), expected)
    np.testing.assert_array_equal(whole(graph.run(**given)), expected)
    assert statistics.tokens == sum(statistics.tokens_by_kind().values())


def test_empty_arrays() -> None:
    for sizes in ((0, 4, 6), (5, 0, 6), (5, 4, 0), (5, 4, 6)):
        first, second = np.zeros(sizes[:2]), np.zeros(sizes[1:])
        graph = ember.sam.compile(PRODUCT, formats=COMPRESSED, order="ikj")
        for left, right in ((first, second), map(scipy.sparse.csr_array, (first, second))):
            result, _ = graph.simulate(B=left, C=right)
            assert result.shape == (sizes[0], sizes[2])
            assert not whole(result).any()


def test_dense_results_are_of_the_library() -> None:
    graph = ember.sam.compile(PRODUCT, formats={"B": "csr"}, order="ikj")
    assert isinstance(graph.run(B=B, C=C), np.ndarray)
    result = graph.run(B=torch.tensor(B).to_sparse(), C=torch.tensor(C))
    assert isinstance(result, torch.Tensor)
    np.testing.assert_array_equal(result.numpy(), B @ C)


def test_orders_and_how_they_are_given() -> None:
    texts = [
        ember.sam.compile(PRODUCT, formats=COMPRESSED, order=order).text
        for order in ("ikj", "i,k,j", "i, k, j", ["i", "k", "j"])
    ]
    assert len(set(texts)) == 1
    long = ember.sam.compile("y[row] = A[row,column]", order="row,column")
    np.testing.assert_array_equal(long.run(A=B), B.sum(axis=1))


def test_element_types() -> None:
    graph = ember.sam.compile(PRODUCT, formats=COMPRESSED, order="ikj", dtype="f32")
    result = graph.run(B=B, C=C)
    assert result.dtype == np.float32
    np.testing.assert_array_equal(whole(result), B @ C)
    with pytest.raises(ArgumentError, match="B: its elements are float64, and float32"):
        graph.run(B=B + 1e-9, C=C)


def test_depth_changes_cycles_alone() -> None:
    graph = ember.sam.compile(PRODUCT, formats=COMPRESSED, order="ikj")
    cycles = []
    for options in ({}, {"depth": 8}, {"depth": 2}, {"machine": {"queueDepth": 2}}):
        result, statistics = graph.simulate(B=B, C=C, **options)
        np.testing.assert_array_equal(whole(result), B @ C)
        cycles.append(statistics.cycles)
    assert cycles[0] <= cycles[1] <= cycles[2] == cycles[3]
    by_cycles = graph.simulate(B=B, C=C, engine="cycles")[1]
    by_times = graph.simulate(B=B, C=C, engine="times")[1]
    assert by_cycles.cycles == by_times.cycles == cycles[0]
    assert by_cycles.storage == by_times.storage


def test_statistics() -> None:
    graph = ember.sam.compile(PRODUCT, formats=COMPRESSED, order="ikj")
    _, statistics = graph.simulate(B=B, C=C, depth=4, critical_chain=True)
    blocks = statistics.blocks
    scan = blocks["scan_B0"]
    rows = np.count_nonzero(B.any(axis=1))
    assert scan.outputs["crd"] == {"data": rows, "stops": 1, "empty": 0, "done": 1}
    assert scan.inputs == {"ref": ""}
    assert blocks["scan_B1"].inputs == {"ref": "scan_B0.ref"}
    for block in blocks.values():
        assert all(
            source == "" or source.rpartition(".")[0] in blocks for source in block.inputs.values()
        )
        assert block.busy + block.starved + block.held <= statistics.cycles
    # The reducer holds a row at once.
    assert statistics.storage == np.count_nonzero(B @ C, axis=1).max()
    chain = statistics.critical_chain()
    assert chain == sorted(chain, key=lambda link: -link[1])
    assert sum(cycles for _, cycles in chain) <= statistics.cycles
    with pytest.raises(ArgumentError, match="critical_chain=True"):
        graph.simulate(B=B, C=C)[1].critical_chain()


def test_streams_and_dot() -> None:
    graph = ember.sam.compile("x[i] = b[i]*c[i]", formats=dict.fromkeys("xbc", "csf"))
    streams = graph.streams(b=np.array([1.0, 0, 2]), c=np.array([0.0, 0, 3]))
    assert "0 2 S0 D" in streams.values()
    assert "2 S0 D" in streams.values()
    assert 'comment="type=intersect' in graph.dot()
    assert graph.blocks()["scan"] == 2


def test_graphs_are_read_from_files(tmp_path: Path) -> None:
    text = ember.sam.compile(PRODUCT, formats=COMPRESSED, order="ikj").text
    (tmp_path / "g.mlir").write_text(text)
    graph = ember.sam.Graph.read(tmp_path / "g.mlir")
    np.testing.assert_array_equal(whole(graph.run(B=B, C=C)), B @ C)
    with pytest.raises(ArgumentError, match="cannot read the graph"):
        ember.sam.Graph.read(tmp_path / "nothing.mlir")
    with pytest.raises(CompileError, match=r"no function with a sam\.graph"):
        ember.sam.Graph("func.func @f() { return }")


MISTAKES = {
    "order that is not legal": (
        lambda: ember.sam.compile(PRODUCT, formats=COMPRESSED, order="ijk"),
        CompileError,
        "store 'C' with its levels in the order j, k",
    ),
    "variable that is none": (
        lambda: ember.sam.compile(PRODUCT, formats=COMPRESSED, order="ikz"),
        CompileError,
        "z",
    ),
    "order of other words": (
        lambda: ember.sam.compile(PRODUCT, order="i-k-j"),
        ArgumentError,
        "order is the variables",
    ),
    "format of an unknown array": (
        lambda: ember.sam.compile(PRODUCT, formats={"Z": "csr"}),
        ArgumentError,
        "formats has 'Z'",
    ),
    "format that is none": (
        lambda: ember.sam.compile(PRODUCT, formats={"B": 3}),
        ArgumentError,
        "B: a format is a name",
    ),
    "unknown format": (
        lambda: ember.sam.compile(PRODUCT, formats={"B": "zip"}),
        CompileError,
        "zip",
    ),
    "empty that is none": (
        lambda: ember.sam.compile(PRODUCT, empty="lose"),
        ArgumentError,
        "empty is 'keep' or 'drop'",
    ),
    "statement that is none": (lambda: ember.sam.compile("X[i,j] = "), CompileError, "notation:"),
    "number as a statement": (lambda: ember.sam.compile(3), ArgumentError, "a statement is a text"),
    "schedule that is none": (
        lambda: ember.sam.compile(PRODUCT, schedule="frobnicate(i)"),
        CompileError,
        "frobnicate",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_of_compile(name: str) -> None:
    call, error, text = MISTAKES[name]
    with pytest.raises(error, match=text):
        call()


ARGUMENTS = {
    "missing": ({"B": B}, "'C' is read, and it is not given"),
    "unknown": ({"B": B, "C": C, "D": C}, "'D' is given, and the graph reads B, C"),
    "rank": ({"B": B, "C": C[0]}, "C: the graph reads an array of 2 dimensions"),
    "sparse rank": ({"B": asarray(B[0]), "C": C}, "B: the graph reads an array of 2 dimensions"),
    "sizes": (
        {"B": B, "C": C.T},
        "dimension 1 of 'B' and dimension 0 of 'C' are not of one size: 4 and 6",
    ),
    "text": ({"B": B.astype(str), "C": C}, "B: elements of type <U"),
    "object": ({"B": B, "C": object()}, "C: it is object"),
    "ragged": ({"B": B, "C": [[1], [1, 2]]}, "C: "),
    "complex": ({"B": B.astype(complex), "C": C}, "B: elements of type complex128"),
    "fill": ({"B": asarray(B, Format("dcsr", fill=1.0)), "C": C}, "B: what it does not store is 1"),
    "file": ({"B": "b.csv", "C": C}, "B: b.csv is given, and files of arrays are .npy"),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_mistakes_of_arrays(name: str) -> None:
    given, text = ARGUMENTS[name]
    graph = ember.sam.compile(PRODUCT, formats=COMPRESSED, order="ikj")
    for call in (graph.run, graph.simulate):
        with pytest.raises(ArgumentError) as raised:
            call(**given)
        assert text in str(raised.value)


def test_mistakes_of_simulate(tmp_path: Path) -> None:
    graph = ember.sam.compile(PRODUCT, formats=COMPRESSED, order="ikj")
    for options, text in (
        ({"depth": 0}, "depth is a number of tokens"),
        ({"depth": "4"}, "depth is a number of tokens"),
        ({"engine": "steam"}, "engine is 'cycles' or 'times'"),
        ({"machine": 3}, "machine is a file or a dict"),
    ):
        with pytest.raises(ArgumentError, match=text):
            graph.simulate(B=B, C=C, **options)
    with pytest.raises(CompileError, match="'speed' is unknown"):
        graph.simulate(B=B, C=C, machine={"speed": 3})
    with pytest.raises(CompileError, match="nothing"):
        graph.simulate(B=B, C=C, machine=tmp_path / "nothing.json")


def test_unequal_elements_at_one_place_are_summed() -> None:
    twice = scipy.sparse.coo_array(([1.0, 2.0, 4.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    graph = ember.sam.compile("X[i,j] = B[i,j]", formats={"X": "dcsr", "B": "dcsr"})
    np.testing.assert_array_equal(whole(graph.run(B=twice)), twice.toarray())


def test_large_sparse_arrays_are_not_made_whole() -> None:
    size = 1 << 20
    places = np.array([0, 5, size - 1])
    diagonal = Array.from_coordinates([places, places], [1.0, 2.0, 3.0], (size, size), "dcsr")
    graph = ember.sam.compile("X[i,j] = B[i,j]*C[i,j]", formats=COMPRESSED)
    result, statistics = graph.simulate(B=diagonal, C=diagonal)
    np.testing.assert_array_equal(result.values, [1, 4, 9])
    assert statistics.cycles < 30
