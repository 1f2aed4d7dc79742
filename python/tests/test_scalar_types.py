"""Every element type of the compiler's table, through files, arguments, text, NumPy and PyTorch.

Values of floats are checked against NumPy and ml_dtypes: every pattern of the narrow ones, at every
level, for every target.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import ember
import ml_dtypes
import numpy as np
import pytest
import torch
from ember.compiler import find_tool
from ember.dtypes import DTYPES
from ember.scalar_types import SCALARS
from numpy.typing import NDArray
from program_runs import WAYS, Way, run_program

FLOATS = [name for name, row in SCALARS.items() if row.is_float]
#: Those that arrays hold as patterns, and code computes with in f32.
NARROW = [name for name in FLOATS if not SCALARS[name].is_interchange_float]

COPY = """
func.func @copy(%from: memref<?xTYPE> {ember.name = "from"},
                %to: memref<?xTYPE> {ember.name = "to"}, %last: TYPE) -> TYPE {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %to, %c0 : memref<?xTYPE>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %from[%i] : memref<?xTYPE>
    memref.store %v, %to[%i] : memref<?xTYPE>
  }
  return %last : TYPE
}
"""

# Looks elements up, computes with them in their own type, and converts from and to it.
COMPUTE = """
func.func @kernel(%table: memref<?xTYPE>, %rows: memref<?xindex>, %other: memref<?xTYPE>,
                  %numbers: memref<?xf32>, %sums: memref<?xTYPE>, %wide: memref<?xf32>,
                  %narrow: memref<?xTYPE>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %rows, %c0 : memref<?xindex>
  scf.for %i = %c0 to %n step %c1 {
    %row = memref.load %rows[%i] : memref<?xindex>
    %x = memref.load %table[%row] : memref<?xTYPE>
    %y = memref.load %other[%i] : memref<?xTYPE>
    %sum = arith.addf %x, %y : TYPE
    %product = arith.mulf %sum, %y : TYPE
    %negative = arith.negf %product : TYPE
    memref.store %negative, %sums[%i] : memref<?xTYPE>
    %w = arith.extf %x : TYPE to f32
    memref.store %w, %wide[%i] : memref<?xf32>
    %number = memref.load %numbers[%i] : memref<?xf32>
    %t = arith.truncf %number : f32 to TYPE
    memref.store %t, %narrow[%i] : memref<?xTYPE>
  }
  return
}
"""


def array_type(name: str) -> np.dtype:
    """NumPy's type of elements."""
    return np.dtype(SCALARS[name].array_type)


def bits_type(name: str) -> np.dtype:
    """The unsigned integers of as many bytes."""
    return np.dtype(f"uint{8 * array_type(name).itemsize}")


def some_values(name: str) -> NDArray:
    """Values of a type that print alike everywhere."""
    return np.array([0, 1] if name == "i1" else [0, 1, 2, 4, 5, 6]).astype(array_type(name))


@cache
def copies() -> str:
    """A function for each type that copies its elements: in one program, which is compiled once."""
    return "".join(COPY.replace("@copy", f"@copy_{name}").replace("TYPE", name) for name in SCALARS)


@cache
def library(target: str) -> ember.Library:
    """The functions that copy, for a target."""
    return ember.load_program(copies(), ember.Options(target=target))


@pytest.mark.parametrize("form", ["values", "bits"])
@pytest.mark.parametrize("name", SCALARS)
def test_every_type_goes_through_files_arguments_and_text(
    name: str, form: str, tmp_path: Path
) -> None:
    values = some_values(name)
    program, source, to, saved, last = (
        tmp_path / file for file in ("copy.mlir", "from.npy", "to.npy", "saved.npy", "last.npy")
    )
    program.write_text(COPY.replace("TYPE", name))
    bits = name in NARROW and form == "bits"
    np.save(source, values.view(bits_type(name)) if bits else values)
    np.save(to, np.zeros_like(values))
    number = "true" if name == "i1" else "4"
    command = [find_tool("ember-run"), program, f"@{source}", f"@{to}", number]
    command += ["--print=1", f"--save=1:{saved}", f"--save-result=0:{last}"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    # What is written, NumPy reads: as raw elements, where it lacks the type.
    assert np.load(saved).tobytes() == values.tobytes()
    assert np.load(last).view(values.dtype).astype(int) == (1 if name == "i1" else 4)
    spelled = "false, true" if name == "i1" else "0, 1, 2, 4, 5, 6"
    assert f"memref<?x{name}> [{len(values)}] = [{spelled}]" in done.stdout
    assert f"result 0: {name} = {number}" in done.stdout


@pytest.mark.parametrize("target", ["cpu", "dae-threads"])
@pytest.mark.parametrize("name", SCALARS)
def test_every_type_comes_as_arrays_tensors_and_numbers(name: str, target: str) -> None:
    copy, values = library(target).entry(f"copy_{name}"), some_values(name)
    to = np.zeros_like(values)
    assert copy(values, to, True if name == "i1" else 3) == (True if name == "i1" else 3)
    assert to.tobytes() == values.tobytes()
    dtype: torch.dtype = getattr(torch, SCALARS[name].array_type)
    tensor = torch.tensor(values.astype(np.float64)).to(dtype)
    copied = torch.zeros_like(tensor)
    copy(tensor, copied, 1)
    assert torch.equal(copied.double(), tensor.double())
    other = np.zeros(2, np.float64 if name != "f64" else np.float32)
    with pytest.raises(ember.ArgumentError, match=f"from must be {DTYPES[name].name}"):
        copy(other, to, 1)


def test_the_page_lists_every_type() -> None:
    page = (Path(__file__).parents[2] / "docs" / "running.md").read_text()
    table = page.split("| element type | NumPy type |")[1].split("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\|([^|]*)\|", table, re.M)))) == set(
        SCALARS
    )


@pytest.mark.parametrize("name", FLOATS)
def test_floats_are_what_numpy_says(name: str) -> None:
    row, info = SCALARS[name], ml_dtypes.finfo(array_type(name))
    assert (info.bits, array_type(name).itemsize) == (row.bits, row.bits // 8)
    dtype: torch.dtype = getattr(torch, row.array_type)
    ours, theirs = float(info.max), torch.finfo(dtype).max
    assert ours == theirs
    copy = library("cpu").entry(f"copy_{name}")
    one = np.ones(1, array_type(name))
    assert copy(one, one.copy(), ours) == ours
    assert math.isnan(copy(one, one.copy(), math.nan))


def every_pattern(name: str) -> NDArray:
    """All elements of a narrow type, or some of one that has many."""
    bits = SCALARS[name].bits
    patterns = np.arange(1 << bits) if bits == 8 else np.arange(0, 1 << bits, 61)
    return patterns.astype(bits_type(name)).view(array_type(name))


def telling_numbers(name: str, count: int) -> NDArray:
    """Numbers in f32 of every exponent, those between neighbours of a type, and beside these."""
    draw = np.random.default_rng(7)
    numbers = draw.integers(0, 1 << 32, count, np.uint32).view(np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        values = every_pattern(name).astype(np.float32)
        values = np.unique(values[np.isfinite(values)])
        middle = (values[1:] + values[:-1]) / 2
        sides = [np.nextafter(middle, np.float32(side)) for side in (-np.inf, np.inf)]
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan], np.float32)
    found = np.concatenate([special, middle, *sides])[:count]
    numbers[: len(found)] = found
    return numbers


def differences(actual: NDArray, expected: NDArray) -> NDArray:
    """Where numbers differ; NaNs are alike, and zeros have signs."""
    with np.errstate(invalid="ignore"):
        left, right = actual.astype(np.float64), expected.astype(np.float64)
    same = (left == right) & (np.signbit(left) == np.signbit(right))
    return np.flatnonzero(~(same | (np.isnan(left) & np.isnan(right))))


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
@pytest.mark.parametrize("name", NARROW)
def test_narrow_floats_are_computed_with_right(name: str, way: Way, tmp_path: Path) -> None:
    count, dtype = 5000, array_type(name)
    draw = np.random.default_rng(3)
    table = every_pattern(name)
    rows = np.concatenate([np.arange(len(table)), draw.integers(0, len(table), count)])[:count]
    other = draw.integers(0, 1 << SCALARS[name].bits, count).astype(bits_type(name)).view(dtype)
    numbers = telling_numbers(name, count)
    results: list[Any] = [np.zeros(count, kind) for kind in (dtype, np.float32, dtype)]
    source = tmp_path / "program.mlir"
    source.write_text(COMPUTE.replace("TYPE", name))
    found = run_program(
        source,
        way,
        [table, rows, other, numbers, *results],
        tmp_path / "run",
        ["save=4", "save=5", "save=6"],
    )
    with np.errstate(all="ignore"):
        x = table[rows]
        expected = [-((x + other) * other), x.astype(np.float32), numbers.astype(dtype)]
    for actual, right in zip(found, expected, strict=True):
        wrong = differences(actual.view(right.dtype), right)
        assert not len(wrong), (wrong[:5], actual.view(right.dtype)[wrong[:5]], right[wrong[:5]])


LARGEST = """
func.func @kernel(%numbers: memref<?xTYPE>, %out: memref<?xTYPE>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %low = arith.constant -4.0 : TYPE
  %n = memref.dim %numbers, %c0 : memref<?xTYPE>
  %most = scf.for %i = %c0 to %n step %c1 iter_args(%so_far = %low) -> (TYPE) {
    %x = memref.load %numbers[%i] : memref<?xTYPE>
    %next = arith.maximumf %so_far, %x : TYPE
    scf.yield %next : TYPE
  }
  memref.store %most, %out[%c0] : memref<?xTYPE>
  return
}
"""


@pytest.mark.parametrize("name", NARROW)
def test_lanes_begin_below_every_number_without_infinities(name: str, tmp_path: Path) -> None:
    source, numbers = tmp_path / "largest.mlir", np.arange(-3, -14, -1).astype(array_type(name))
    source.write_text(LARGEST.replace("TYPE", name))
    way = next(way for way in WAYS if way.name == "slcv-O3")
    out = np.zeros(1, numbers.dtype)
    (found,) = run_program(source, way, [numbers, out], tmp_path / "run", ["save=1"])
    assert found.view(numbers.dtype).astype(int) == [-3]


def test_random_programs_draw_every_type() -> None:
    text = subprocess.run(
        [str(find_tool("ember-fuzz")), "--print", "--count=300", "--seed=5", "--kind=nests"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    drawn_types = set(re.findall(r"memref<(?:[\d?]+x)*(\w+)", text))
    assert drawn_types >= SCALARS.keys() - {"i1"}
