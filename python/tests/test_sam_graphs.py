"""Statements as graphs of blocks, evaluated and compared with NumPy.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import re
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from ember.compiler import find_tool
from numpy.typing import NDArray

Arrays = dict[str, NDArray[np.float64]]
SEED = int(os.environ.get("EMBER_TEST_SEED", "0"))


@dataclass(frozen=True)
class Case:
    """A statement, its formats by array, orders of loops, and what NumPy makes of it."""

    name: str
    text: str
    formats: dict[str, str]
    oracle: Callable[[Arrays], NDArray[np.float64]]
    orders: tuple[str, ...] = ("",)
    options: tuple[str, ...] = field(default=())


def product(subscripts: str, *names: str) -> Callable[[Arrays], NDArray[np.float64]]:
    """A product of arrays, summed over what the result has no subscript for."""
    return lambda a: np.einsum(subscripts, *(a[name] for name in names))


MATRIX_PRODUCT = product("ik,kj->ij", "B", "C")
CASES = (
    Case("identity", "X[i,j] = B[i,j]", {"X": "dcsr", "B": "dcsr"}, lambda a: a["B"]),
    Case("identity-csr", "X[i,j] = B[i,j]", {"X": "csr", "B": "dcsr"}, lambda a: a["B"]),
    Case("identity-dense", "X[i,j] = B[i,j]", {"B": "dcsr"}, lambda a: a["B"]),
    Case("identity-bitmap", "X[i,j] = B[i,j]", {"X": "csr", "B": "bitmap"}, lambda a: a["B"]),
    Case(
        "columns-last", "X[i,j] = B[i,j]", {"X": "compressed,dense", "B": "dcsr"}, lambda a: a["B"]
    ),
    Case(
        "vector-add", "x[i] = b[i] + c[i]", dict.fromkeys("xbc", "csf"), lambda a: a["b"] + a["c"]
    ),
    Case("vector-sub", "x[i] = b[i] - c[i]", dict.fromkeys("xb", "csf"), lambda a: a["b"] - a["c"]),
    Case(
        "elementwise-add",
        "X[i,j] = B[i,j] + C[i,j]",
        dict.fromkeys("XBC", "dcsr"),
        lambda a: a["B"] + a["C"],
    ),
    Case(
        "Plus3",
        "X[i,j] = B[i,j] + C[i,j] + D[i,j]",
        {**dict.fromkeys("XBC", "dcsr"), "D": "csr"},
        lambda a: a["B"] + a["C"] + a["D"],
    ),
    Case(
        "elementwise-mul",
        "X[i,j] = B[i,j] * C[i,j]",
        dict.fromkeys("XBC", "dcsr"),
        lambda a: a["B"] * a["C"],
    ),
    Case(
        "mul3",
        "X[i,j] = B[i,j] * C[i,j] * D[i,j]",
        {**dict.fromkeys("XBC", "dcsr"), "D": "csr"},
        lambda a: a["B"] * a["C"] * a["D"],
    ),
    Case(
        "union-in-intersection",
        "X[i,j] = (B[i,j] + C[i,j]) * D[i,j]",
        dict.fromkeys("XBCD", "dcsr"),
        lambda a: (a["B"] + a["C"]) * a["D"],
    ),
    Case(
        "left-join",
        "x[i] = b[i] * (c[i] + 1)",
        dict.fromkeys("xbc", "csf"),
        lambda a: a["b"] * (a["c"] + 1),
    ),
    Case("everywhere", "x[i] = b[i] + 1", dict.fromkeys("xb", "csf"), lambda a: a["b"] + 1),
    Case(
        "SpMV",
        "x[i] = B[i,j] * c[j]",
        {"x": "csf", "B": "dcsr", "c": "csf"},
        product("ij,j->i", "B", "c"),
        ("i,j",),
    ),
    Case(
        "SpMV-columns",
        "x[i] = B[i,j] * c[j]",
        {"x": "csf", "B": "dcsc", "c": "csf"},
        product("ij,j->i", "B", "c"),
        ("j,i",),
    ),
    Case(
        "SpMV-dense", "x[i] = B[i,j] * c[j]", {"B": "csr"}, product("ij,j->i", "B", "c"), ("i,j",)
    ),
    Case(
        "SpMV-scatter", "x[i] = B[i,j] * c[j]", {"B": "csc"}, product("ij,j->i", "B", "c"), ("j,i",)
    ),
    Case(
        "SpM*SpM-rows",
        "X[i,j] = B[i,k] * C[k,j]",
        dict.fromkeys("XBC", "dcsr"),
        MATRIX_PRODUCT,
        ("i,k,j",),
    ),
    Case(
        "SpM*SpM-inner",
        "X[i,j] = B[i,k] * C[k,j]",
        {"X": "dcsr", "B": "dcsr", "C": "dcsc"},
        MATRIX_PRODUCT,
        ("i,j,k",),
    ),
    Case(
        "SpM*SpM-inner-columns",
        "X[i,j] = B[i,k] * C[k,j]",
        {"X": "dcsc", "B": "dcsr", "C": "dcsc"},
        MATRIX_PRODUCT,
        ("j,i,k",),
    ),
    Case(
        "SpM*SpM-columns",
        "X[i,j] = B[i,k] * C[k,j]",
        dict.fromkeys("XBC", "dcsc"),
        MATRIX_PRODUCT,
        ("j,k,i",),
    ),
    Case(
        "SpM*SpM-outer",
        "X[i,j] = B[i,k] * C[k,j]",
        {"X": "dcsr", "B": "dcsc", "C": "dcsr"},
        MATRIX_PRODUCT,
        ("k,i,j",),
    ),
    Case(
        "SpM*SpM-outer-columns",
        "X[i,j] = B[i,k] * C[k,j]",
        {"X": "dcsc", "B": "dcsc", "C": "dcsr"},
        MATRIX_PRODUCT,
        ("k,j,i",),
    ),
    Case(
        "matrix-product-dense",
        "X[i,j] = B[i,k] * C[k,j]",
        {"B": "csr"},
        MATRIX_PRODUCT,
        ("i,k,j", "j,i,k", "i,j,k"),
    ),
    Case(
        "SDDMM",
        "X[i,j] = B[i,j] * C[i,k] * D[j,k]",
        {"X": "dcsr", "B": "dcsr"},
        product("ij,ik,jk->ij", "B", "C", "D"),
    ),
    Case(
        "SDDMM-sparse",
        "X[i,j] = B[i,j] * C[i,k] * D[j,k]",
        dict.fromkeys("XBCD", "dcsr"),
        product("ij,ik,jk->ij", "B", "C", "D"),
    ),
    Case(
        "InnerProd",
        "x = B[i,j,k] * C[i,j,k]",
        {"B": "csf", "C": "csf"},
        product("ijk,ijk->", "B", "C"),
    ),
    Case(
        "TTV",
        "X[i,j] = B[i,j,k] * c[k]",
        {"X": "dcsr", "B": "csf", "c": "csf"},
        product("ijk,k->ij", "B", "c"),
    ),
    Case(
        "TTM",
        "X[i,j,k] = B[i,j,l] * C[k,l]",
        {"X": "csf", "B": "csf", "C": "dcsr"},
        product("ijl,kl->ijk", "B", "C"),
    ),
    Case(
        "MTTKRP",
        "X[i,j] = B[i,k,l] * C[j,k] * D[j,l]",
        {"X": "dcsr", "B": "csf", "C": "dcsr", "D": "dcsr"},
        product("ikl,jk,jl->ij", "B", "C", "D"),
    ),
    Case(
        "Residual",
        "x[i] = b[i] - C[i,j] * d[j]",
        {"x": "csf", "b": "csf", "C": "dcsr", "d": "csf"},
        lambda a: a["b"] - a["C"] @ a["d"],
    ),
    Case(
        "MatTransMul",
        "x[i] = 2 * C[j,i] * d[j] + 3 * f[i]",
        {"x": "csf", "C": "dcsc", "d": "csf", "f": "csf"},
        lambda a: 2 * a["C"].T @ a["d"] + 3 * a["f"],
    ),
    Case(
        "two-reductions",
        "x[i] = B[i,j] * c[j] + D[i,k] * e[k]",
        {"x": "csf", "B": "dcsr", "c": "csf", "D": "dcsr", "e": "csf"},
        lambda a: a["B"] @ a["c"] + a["D"] @ a["e"],
    ),
    Case(
        "function-of-a-sum",
        "x[i] = abs(sum[j](B[i,j] * c[j])) * d[i]",
        {"x": "csf", "B": "dcsr", "c": "csf", "d": "csf"},
        lambda a: np.abs(a["B"] @ a["c"]) * a["d"],
    ),
    Case(
        "nested-reductions",
        "x[i] = sum[j](B[i,j] * abs(sum[k](C[j,k])))",
        {"x": "csf", "B": "dcsr"},
        lambda a: a["B"] @ np.abs(a["C"].sum(axis=1)),
    ),
    Case("row-sums", "x[j] = B[i,j]", {"x": "csf", "B": "dcsr"}, lambda a: a["B"].sum(axis=0)),
    Case("total", "x = B[i,j]", {"B": "dcsr"}, lambda a: a["B"].sum()),
    Case("transpose-to-dense", "X[j,i] = B[i,j]", {"B": "dcsr"}, lambda a: a["B"].T),
    Case("square", "X[i,j] = B[i,j] * B[i,j]", {"X": "dcsr", "B": "dcsr"}, lambda a: a["B"] ** 2),
    Case(
        "shared-operand",
        "x[i] = b[i] * c[i] + b[i] * d[i]",
        dict.fromkeys("xbcd", "csf"),
        lambda a: a["b"] * (a["c"] + a["d"]),
    ),
    Case(
        "majority",
        "x[i] = b[i] * c[i] + c[i] * d[i] + b[i] * d[i]",
        dict.fromkeys("xbcd", "csf"),
        lambda a: a["b"] * a["c"] + a["c"] * a["d"] + a["b"] * a["d"],
    ),
    Case(
        "result-that-is-read",
        "x[i] = x[i] + B[i,j] * c[j]",
        {"B": "csr", "c": "csf"},
        lambda a: a["x"] + a["B"] @ a["c"],
    ),
    Case(
        "nine-variables",
        "x = B[a,b,c] * C[c,d,e] * D[e,f,g] * E[g,h,i]",
        dict.fromkeys("BCDE", "csf"),
        product("abc,cde,efg,ghi->", "B", "C", "D", "E"),
    ),
    Case(
        "outer-product",
        "X[i,j] = b[i] * c[j]",
        {"X": "dcsr", "b": "csf", "c": "csf"},
        lambda a: np.outer(a["b"], a["c"]),
    ),
    Case("coordinates", "X[i,j] = B[i,j]", {"X": "coo", "B": "coo"}, lambda a: a["B"]),
    Case(
        "coordinates-add",
        "X[i,j,k] = B[i,j,k] + C[i,j,k]",
        {"X": "coo", "B": "coo", "C": "csf"},
        lambda a: a["B"] + a["C"],
    ),
    Case(
        "coordinates-in-rows",
        "X[i,j] = B[i,j,k] * c[k]",
        {"X": "coo", "B": "dense,compressed(nonunique),singleton", "c": "csf"},
        product("ijk,k->ij", "B", "c"),
    ),
    Case(
        "SpM*SpM-coordinates",
        "X[i,j] = B[i,k] * C[k,j]",
        dict.fromkeys("XBC", "coo"),
        MATRIX_PRODUCT,
        ("i,k,j",),
    ),
    Case(
        "MTTKRP-coordinates",
        "X[i,j] = B[i,k,l] * C[j,k] * D[j,l]",
        {"X": "coo", "B": "coo", "C": "dcsr", "D": "coo"},
        product("ikl,jk,jl->ij", "B", "C", "D"),
    ),
    Case(
        "sum-into-dense-level",
        "X[i,j] = B[i,k] * C[k,j]",
        {"X": "csr", "B": "csr", "C": "csr"},
        MATRIX_PRODUCT,
        ("i,k,j",),
    ),
)


def find_dimensions(text: str) -> dict[str, str]:
    """The index variables of each array, in their order."""
    return {
        name: variables.replace(",", "")
        for name, variables in re.findall(r"(\w+)\[([\w,]+)\]\s*(?!\()", text)
        if not name.startswith(("sum", "max"))
    }


def emit(case: Case, order: str, empty: str, path: Path) -> None:
    """Compiles a case to a graph."""
    names = find_dimensions(case.text)
    command = [find_tool("emberc"), "--notation", case.text, "--emit=sam", f"--empty={empty}"]
    for name in {*names, "x"} if re.match(r"x\s*=", case.text) else names:
        command += ["--type", f"{name}:f64"]
    for name, levels in case.formats.items():
        command += ["--format", f"{name}:{levels}"]
    if order:
        command += ["--order", order]
    path.write_bytes(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def evaluate(path: Path, arrays: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """The result of a graph of arrays."""
    files = []
    for number, array in enumerate(arrays):
        files.append(f"@{path.parent / f'{number}.npy'}")
        np.save(files[-1][1:], array)
    result = path.parent / "result.npy"
    command = [find_tool("ember-run"), str(path), *files, "--save-result", f"0:{result}"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return np.load(result)


def draw(rng: np.random.Generator, names: dict[str, str], density: float) -> Arrays:
    """Small whole numbers, with empty rows, and nothing stored at all for density 0."""
    sizes = {variable: int(rng.integers(0, 4)) for variable in "abcdefghijkl"}
    arrays = {}
    for name, variables in names.items():
        shape = [sizes[variable] for variable in variables]
        values = rng.integers(1, 9, shape) * rng.choice([-1.0, 1.0], shape)
        arrays[name] = values * (rng.random(shape) < density)
    return arrays


@pytest.mark.parametrize("empty", ["keep", "drop"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_graph_equals_numpy(case: Case, empty: str, tmp_path: Path) -> None:
    """Random inputs of 0 to 3 elements a dimension, among them some that store nothing."""
    rng = np.random.default_rng([SEED, len(case.name), len(case.text)])
    names = find_dimensions(case.text)
    if case.text.count(result := re.match(r"\w+", case.text).group()) == 1:
        names.pop(result, None)
    path = tmp_path / "graph.mlir"
    for order in case.orders:
        emit(case, order, empty, path)
        parameters = re.findall(r'ember.name = "(\w+)"', path.read_text())
        for density in (0.4, 0.7, 0.0):
            arrays = draw(rng, names, density)
            result = evaluate(path, [arrays[name] for name in parameters])
            np.testing.assert_array_equal(result, case.oracle(arrays), strict=False)
