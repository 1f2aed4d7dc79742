"""Kernels that upstream's sparsifier makes: every level and target computes what NumPy computes.

Each kernel meets each format that fits it. Element type, width of positions and coordinates,
shapes and the ways to run it are drawn with a seed that follows from kernel and format.
EMBER_SPARSE_TESTS=types takes every type and width (20 minutes), =ways every shape and every way
(5 minutes), =types,ways all (hours).

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import itertools
import os
import random
import re
import subprocess
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse
import sparse_table
from ember.compiler import find_tool
from ember.datasets.locality import data_folder
from numpy.typing import NDArray
from program_runs import WAYS, Argument, Way, run_program
from sparse_formats import FORMATS, Format, Stored, pack, pack_places, unpack, unpack_places
from sparse_kernels import KERNELS, UPSTREAM_FAILS, Kernel, program, sparsify

EXHAUSTIVE = os.environ.get("EMBER_SPARSE_TESTS", "").split(",")
ALL_TYPES = "types" in EXHAUSTIVE
ALL_WAYS = "ways" in EXHAUSTIVE
ELEMENTS = {
    "f64": np.float64,
    "f32": np.float32,
    "f16": np.float16,
    "bf16": np.uint16,
    "i32": np.int32,
    "i64": np.int64,
}
WIDTHS = ("index", "i64", "i32")
TOLERANCES = {"f64": 1e-12, "f32": 1e-4}


SHAPES = ("random", "odd", "empty rows", "dense row", "one", "nothing stored", "no rows", "full")


@dataclass
class Problem:
    """Arguments of a kernel, and its result."""

    arguments: list[Argument]
    expected: NDArray


def encode(element: str, array: NDArray) -> NDArray:
    """The array as ember-run takes it: bf16 as two bytes."""
    if element == "bf16":
        return (np.asarray(array, np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return array.astype(ELEMENTS[element])


def decode(element: str, array: NDArray) -> NDArray:
    """The inverse of `encode`, in a type that NumPy computes with."""
    if element == "bf16":
        return (array.astype(np.uint32) << 16).view(np.float32)
    return array


def extents(kernel: Kernel, form: Format, shape: str, draw: np.random.Generator) -> dict[str, int]:
    """A size for each index, whole blocks where the format has blocks."""
    largest = 9 if kernel.rank == 2 else 6
    sizes = {}
    for index in kernel.indices:
        size = {"one": 1, "odd": 2 * int(draw.integers(1, 5)) + 1}.get(
            shape, int(draw.integers(2, largest + 1))
        )
        blocks = [
            form.block(text.index(index))
            for text in [kernel.inputs[k] for k in kernel.sparse]
            + [kernel.output] * kernel.sparse_output
            if index in text
        ]
        block = int(np.lcm.reduce([1, *blocks]))
        sizes[index] = -(-size // block) * block
    if shape == "no rows":
        sizes[kernel.indices[0]] = 0
    if shape in ("random", "dense row"):
        # Rows that fill vectors, and end between them.
        sizes[kernel.indices[-1]] *= 3
    return sizes


def values(element: str, shape: tuple[int, ...], draw: np.random.Generator) -> NDArray:
    """Numbers that sum exactly in the narrow types, and round in the wide ones."""
    if element in TOLERANCES:
        return draw.standard_normal(shape)
    return draw.choice(np.array([-2.0, -1.0, 1.0]), shape)


def stored_places(shape: tuple[int, ...], pattern: str, draw: np.random.Generator) -> NDArray:
    """Which elements a sparse tensor stores."""
    if pattern in ("full", "one"):
        return np.ones(shape, np.bool_)
    places = draw.random(shape) < (0.0 if pattern == "nothing stored" else 0.3)
    if pattern == "empty rows":
        places[draw.random(shape[0]) < 0.6] = False
    if pattern == "dense row":
        places[draw.integers(shape[0])] = True
    return places


def make_problem(
    kernel: Kernel, form: Format, element: str, width: str, shape: str, seed: int
) -> Problem:
    """Random arguments, and the result by NumPy in the widest type."""
    draw = np.random.default_rng(seed)
    sizes = extents(kernel, form, shape, draw)
    wide = np.int64 if element in ("i32", "i64") else np.float64
    arguments: list[Argument] = []

    def add(subscripts: str, sparse: bool, zero: bool = False) -> tuple[NDArray, NDArray[np.bool_]]:
        """Appends a tensor's arguments; returns its elements and which of them are stored."""
        dimensions = tuple(sizes[index] for index in subscripts)
        array = encode(element, values(element, dimensions, draw) * (not zero))
        stored = np.ones(dimensions, np.bool_)
        if sparse:
            stored = stored_places(dimensions, shape, draw)
            array[~stored] = 0
            packed = pack(form, array, stored, width)
            arguments.extend([*packed.arrays, packed.sizes])
            stored = unpack(form, dimensions, packed.filled_with(1)) != 0
        else:
            arguments.append(array)
        return decode(element, array).astype(wide), stored

    inputs = [add(text, k in kernel.sparse)[0] for k, text in enumerate(kernel.inputs)]
    if kernel.makes_output:
        dimensions = tuple(sizes[index] for index in kernel.output)
        output, stored = np.zeros(dimensions, wide), np.ones(dimensions, np.bool_)
    else:
        # Whether the sparsifier adds to what a sparse output holds depends on its order of loops.
        output, stored = add(kernel.output, kernel.sparse_output, zero=kernel.sparse_output)
    return Problem(arguments, kernel.reference(inputs, output, stored))


def run(
    kernel: Kernel, form: Format, source: Path, way: Way, problem: Problem, folder: Path
) -> Stored:
    """Runs a program on a problem; returns its results, one array where the output is dense."""
    results = 1
    if kernel.sparse_output:
        one = (1,) * form.rank
        results = len(pack(form, np.zeros(one), np.zeros(one, np.bool_), "index").arrays) + 1
    saved = [f"save-result={k}" for k in range(results)]
    loaded = run_program(source, way, problem.arguments, folder, saved)
    # ember-run writes bf16 as raw bytes.
    loaded = [array.view(np.uint16) if array.dtype.kind == "V" else array for array in loaded]
    if kernel.sparse_output:
        return Stored(loaded[:-1], loaded[-1].tolist())
    return Stored(loaded, [])


def run_dense(
    kernel: Kernel, form: Format, source: Path, way: Way, problem: Problem, folder: Path
) -> NDArray:
    """Runs a program on a problem; a sparse output is made dense."""
    result = run(kernel, form, source, way, problem, folder)
    if kernel.sparse_output:
        return unpack(form, problem.expected.shape, result)
    return result.arrays[0]


def check(element: str, actual: NDArray, problem: Problem, first: NDArray | None) -> None:
    """Compares with NumPy, and bit for bit with another run if there was one."""
    if first is not None:
        assert actual.tobytes() == first.tobytes(), "other bits than the plain program's"
    decoded = decode(element, actual)
    assert decoded.shape == problem.expected.shape
    tolerance = TOLERANCES.get(element, 0.0)
    np.testing.assert_allclose(
        decoded.astype(problem.expected.dtype), problem.expected, rtol=tolerance, atol=tolerance
    )


def combinations() -> Iterator[object]:
    """Kernel and format, each with the element types and widths to test."""
    for kernel, form in itertools.product(KERNELS.values(), FORMATS.values()):
        if kernel.rank != form.rank or (kernel.name, form.name) in UPSTREAM_FAILS:
            continue
        name = f"{kernel.name}-{form.name}"
        choice = random.Random(zlib.crc32(name.encode()))
        pairs = list(itertools.product(ELEMENTS, WIDTHS))
        for element, width in pairs if ALL_TYPES else choice.sample(pairs, 1):
            yield pytest.param(kernel, form, element, width, id=f"{name}-{element}-{width}")


@pytest.mark.parametrize(("kernel", "form", "element", "width"), list(combinations()))
def test_every_level_computes_the_kernel(
    kernel: Kernel, form: Format, element: str, width: str, tmp_path: Path
) -> None:
    seed = zlib.crc32(f"{kernel.name} {form.name} {element} {width}".encode())
    choice = random.Random(seed)
    source = tmp_path / "kernel.mlir"
    sparsify(program(kernel, form, element, width), source)
    shapes = choice.sample(SHAPES, len(SHAPES) if ALL_WAYS else 2)
    chosen = [WAYS[0], *(WAYS[1:] if ALL_WAYS else choice.sample(WAYS[1:], 3))]

    def run_all(numbered: tuple[int, Way]) -> list[NDArray]:
        number, way = numbered
        return [
            run_dense(kernel, form, source, way, problem, tmp_path / f"{number}-{k}")
            for k, problem in enumerate(problems)
            if way is WAYS[0] or k % len(shapes) == number % len(shapes)
        ]

    problems = [make_problem(kernel, form, element, width, shape, seed) for shape in shapes]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        plain, *others = pool.map(run_all, enumerate(chosen))
    for result, problem in zip(plain, problems, strict=True):
        check(element, result, problem, None)
    for number, results in enumerate(others, 1):
        k = number % len(shapes)
        check(element, results[0], problems[k], plain[k])


@pytest.mark.parametrize(
    ("options", "name", "form"),
    [
        ("vl=4", "spmv", "CSR"),
        ("vl=8 enable-simd-index32", "sddmm", "DCSR"),
        ("vl=4", "add", "CSR"),
        ("parallelization-strategy=any-storage-any-loop", "residual", "DCSR"),
        ("parallelization-strategy=any-storage-any-loop", "mttkrp", "CSF"),
        ("parallelization-strategy=dense-outer-loop vl=4", "spmm", "CSR"),
    ],
)
def test_options_of_the_sparsifier(options: str, name: str, form: str, tmp_path: Path) -> None:
    kernel = KERNELS[name]
    source = tmp_path / "kernel.mlir"
    sparsify(program(kernel, FORMATS[form], "f64", "i32"), source, options)
    problem = make_problem(kernel, FORMATS[form], "f64", "i32", "random", 1)
    results = [
        run_dense(kernel, FORMATS[form], source, way, problem, tmp_path / way.name)
        for way in WAYS
        if way.name in ("scf-O0", "dlc-O3", "dlc-O4", "cpu-O3", "dae-threads-O3")
    ]
    for result in results:
        check("f64", result, problem, results[0])


def test_scalable_vectors_are_refused_where_they_stand(tmp_path: Path) -> None:
    source = tmp_path / "kernel.mlir"
    text = program(KERNELS["spmv"], FORMATS["CSR"], "f64", "index")
    sparsify(text, source, "vl=4 enable-vla-vectorization")
    command = [find_tool("emberc"), source, "--no-cache", "-o", tmp_path / "kernel.so"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert re.match(rf"{source}:\d+:\d+: error: [^\n]*scalable", done.stderr)


@pytest.mark.parametrize(("name", "form"), UPSTREAM_FAILS)
def test_what_upstream_cannot_do_is_known(name: str, form: str, tmp_path: Path) -> None:
    source = tmp_path / "kernel.mlir"
    try:
        sparsify(program(KERNELS[name], FORMATS[form], "f64", "index"), source)
    except AssertionError:
        return
    command = [find_tool("emberc"), source, "--no-cache", "-o", tmp_path / "kernel.so"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert re.match(rf"{source}:\d+:\d+: error: 'linalg.generic' is not lowered", done.stderr)


def test_the_table_of_the_page_is_what_the_compiler_does() -> None:
    text = sparse_table.PAGE.read_text()
    begin = text.index(sparse_table.BEGIN) + len(sparse_table.BEGIN)
    assert text[begin : text.index(sparse_table.END)] == sparse_table.table(), (
        "write it anew: PYTHONPATH=python python python/tests/sparse_table.py"
    )


GRAPHS = data_folder() / "graphs"


@pytest.mark.skipif(not GRAPHS.is_dir(), reason=f"no graphs in {GRAPHS}")
@pytest.mark.parametrize(
    ("name", "form", "graph"),
    [
        ("spmv", "CSR", "pubmed"),
        ("spmm", "DCSR", "cora"),
        ("residual", "CSC", "citeseer"),
        ("sddmm-sparse", "CSR", "pubmed"),
        ("add-sparse", "CSR", "citeseer"),
        ("multiply-sparse", "COO", "cora"),
        ("spmspm-sparse", "CSR", "cora"),
    ],
)
def test_graphs_agree_with_scipy(name: str, form: str, graph: str, tmp_path: Path) -> None:
    kernel, layout = KERNELS[name], FORMATS[form]
    draw = np.random.default_rng(0)
    a = scipy.sparse.csr_array(scipy.io.mmread(GRAPHS / f"{graph}.mtx"))
    a.data = draw.standard_normal(a.nnz)
    b = a[draw.permutation(a.shape[0])]
    vector, wide = draw.standard_normal(a.shape[0]), draw.standard_normal((a.shape[0], 16))
    rest = draw.standard_normal(a.shape[0])

    def packed(matrix: scipy.sparse.csr_array) -> list[Argument]:
        coo = matrix.tocoo()
        places = np.stack(coo.coords, axis=-1).astype(np.int64)
        stored = pack_places(layout, matrix.shape, places, coo.data, "i32")
        return [*stored.arrays, stored.sizes]

    sampled = a.copy()
    sampled.data[:] = 0
    arguments, expected = {
        "spmv": lambda: ([*packed(a), vector, rest], rest + a @ vector),
        "residual": lambda: ([*packed(a), vector, rest], rest - a @ vector),
        "spmm": lambda: ([*packed(a), wide, np.zeros_like(wide)], a @ wide),
        "sddmm-sparse": lambda: (
            [wide, wide.T.copy(), *packed(sampled)],
            sampled_product(a, wide),
        ),
        "add-sparse": lambda: ([*packed(a), *packed(b)], a + b),
        "multiply-sparse": lambda: ([*packed(a), *packed(b)], a.multiply(b)),
        "spmspm-sparse": lambda: ([*packed(a), *packed(b)], a @ b),
    }[name]()
    source = tmp_path / "kernel.mlir"
    sparsify(program(kernel, layout, "f64", "i32"), source)
    for way in WAYS:
        if way.name not in ("dlc-O3", "dlc-O4", "cpu-O3", "dae-threads-O3"):
            continue
        problem = Problem(arguments, np.empty(0))
        result = run(kernel, layout, source, way, problem, tmp_path / way.name)
        if kernel.sparse_output:
            places, elements = unpack_places(layout, a.shape, result)
            actual = scipy.sparse.csr_array((elements, tuple(places.T)), a.shape)
            assert abs(actual - expected).max() < 1e-9
        else:
            np.testing.assert_allclose(result.arrays[0], expected, rtol=1e-9, atol=1e-9)


def sampled_product(pattern: scipy.sparse.csr_array, rows: NDArray) -> scipy.sparse.csr_array:
    """The elements of rows @ rows.T where the pattern stores one."""
    coo = pattern.tocoo()
    first, second = coo.coords
    return scipy.sparse.csr_array(
        (np.einsum("ij,ij->i", rows[first], rows[second]), (first, second)), pattern.shape
    )
