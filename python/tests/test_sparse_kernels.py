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
import shutil
import subprocess
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from ember.compiler import find_tool
from numpy.typing import NDArray
from sparse_formats import FORMATS, Format, Stored, pack, unpack
from sparse_kernels import KERNELS, Kernel, program

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

# What upstream's sparsifier cannot do.
UPSTREAM_FAILS = {
    ("spmspm", "BSR"): "leaves the linalg.generic as it is",
    ("spmspm-sparse", "BSR"): "crashes",
}


@dataclass(frozen=True)
class Way:
    """A way to run a program: passes that come first, then ember-run's options."""

    name: str
    passes: tuple[str, ...] = ()
    options: tuple[str, ...] = ()


def ways() -> Iterator[Way]:
    """All levels, optimisation levels and targets; the first is the plain program."""
    yield Way("scf-O0", (), ("-O0",))
    yield Way("scf-O3", (), ("-O3",))
    yield Way("slc", ("--scf-to-slc",))
    yield Way("slc-recoupled", ("--scf-to-slc", "--convert-slc-to-scf"))
    for level in range(4):
        optimized = ("--scf-to-slc", f"--optimize=opt-level={level}")
        yield Way(f"slcv-O{level}", optimized)
        yield Way(f"slcv-O{level}-recoupled", (*optimized, "--convert-slc-to-scf"))
        yield Way(f"dlc-O{level}", (*optimized, "--slc-to-dlc"))
        yield Way(f"cpu-O{level}", (), ("--target=cpu", f"-O{level}"))
        yield Way(
            f"dae-threads-O{level}",
            (),
            ("--target=dae-threads", f"-O{level}", "--schedule=threads"),
        )


WAYS = tuple(ways())
SHAPES = ("random", "odd", "empty rows", "dense row", "one", "nothing stored", "no rows", "full")


@dataclass
class Problem:
    """Arguments of a kernel, and its result."""

    arguments: list[NDArray | list[int]]
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
    arguments: list[NDArray | list[int]] = []

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


def mlir_opt() -> str:
    """Upstream's mlir-opt."""
    found = shutil.which("mlir-opt-22") or shutil.which("mlir-opt")
    assert found, "mlir-opt-22 is not on the PATH"
    return found


def sparsify(text: str, path: Path, *options: str) -> None:
    """Runs upstream's sparsifier on a module."""
    flag = "--sparsification-and-bufferization"
    if options:
        flag += "=" + " ".join(options)
    done = subprocess.run(
        [mlir_opt(), flag, "-", "-o", str(path)], input=text, text=True, capture_output=True
    )
    assert done.returncode == 0, done.stderr


def run(
    kernel: Kernel, form: Format, source: Path, way: Way, problem: Problem, folder: Path
) -> NDArray:
    """Runs a program on a problem and returns the result, a sparse one made dense."""
    folder.mkdir()
    words = []
    for k, argument in enumerate(problem.arguments):
        if isinstance(argument, list):
            words.append(str(argument))
            continue
        np.save(folder / f"{k}.npy", argument)
        words.append(f"@{folder / f'{k}.npy'}")
    results = 1
    if kernel.sparse_output:
        stored = pack(
            form, np.zeros((1,) * form.rank), np.zeros((1,) * form.rank, np.bool_), "index"
        )
        results = len(stored.arrays) + 1
    program_file = source
    if way.passes:
        program_file = folder / "program.mlir"
        call("ember-opt", *way.passes, source, "-o", program_file)
    saves = [f"--save-result={k}:{folder / f'result{k}.npy'}" for k in range(results)]
    call("ember-run", program_file, "--entry=kernel", *words, *saves, *way.options)
    loaded = [np.load(folder / f"result{k}.npy") for k in range(results)]
    # ember-run writes bf16 as raw bytes.
    loaded = [array.view(np.uint16) if array.dtype.kind == "V" else array for array in loaded]
    shutil.rmtree(folder)
    if not kernel.sparse_output:
        return loaded[0]
    return unpack(form, problem.expected.shape, Stored(loaded[:-1], loaded[-1].tolist()))


def call(tool: str, *arguments: object) -> None:
    """Runs one of Ember's programs; its errors are the test's."""
    command = [str(find_tool(tool)), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"


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
            run(kernel, form, source, way, problem, tmp_path / f"{number}-{k}")
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
