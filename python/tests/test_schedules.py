"""Schedules: statements compute what they did, whichever legal schedule they have.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import itertools
import random
import re
import subprocess
from collections.abc import Callable

import ember.sparse as es
import numpy as np
import pytest
import torch
from ember.compiler import Options, find_tool, load_program
from ember.errors import ArgumentError, CompileError, EmberError
from notation_kernels import compile_all
from numpy.typing import NDArray
from sparse_arrays import load, room, store

RNG = np.random.default_rng(3)
CSR = es.Format("csr")


def sparse(*shape: int) -> NDArray:
    return (RNG.standard_normal(shape) * (RNG.random(shape) < 0.4)).astype(np.float32)


A, B, D = sparse(5, 6), sparse(6, 7), sparse(5, 7)
X, Y = sparse(5, 9), sparse(9, 7)

#: A statement, its arrays, what its result is, and the variables that loops are over.
STATEMENTS = {
    "product": ("C[i,j] = A[i,k] * B[k,j]", {"A": A, "B": B}, A @ B, "ikj"),
    "halved": (
        "C[i,j] = A[i,k] * B[k,j] / 2 + D[i,j]",
        {"A": A, "B": B, "D": D},
        A @ B / 2 + D,
        "ikj",
    ),
    "sampled": (
        "C[i,j] = D[i,j] * sum[k](X[i,k] * Y[k,j])",
        {"D": D, "X": X, "Y": Y},
        D * (X @ Y),
        "ijk",
    ),
    "sum": ("C[i,j] = A[i,j] + B[i,j]", {"A": D, "B": D[::-1]}, D + D[::-1], "ij"),
}
FORMATS = ["csr", "csc", "dcsr", "coo", ""]


def schedules(variables: str, chance: random.Random) -> str:
    """A random legal order, and maybe more."""
    order = list(variables)
    chance.shuffle(order)
    return f"reorder({', '.join(order)})"


def draw(seed: int) -> tuple[str, dict[str, NDArray], NDArray, list[str]]:
    chance = random.Random(seed)
    text, arrays, expected, variables = STATEMENTS[chance.choice(sorted(STATEMENTS))]
    options = [f"--schedule={schedules(variables, chance)}"]
    for name in arrays:
        if format := chance.choice(FORMATS):
            options.append(f"--format={name}:{format}")
    return text, arrays, expected, options


def formats_of(options: list[str]) -> dict[str, str]:
    given = [option.removeprefix("--format=") for option in options if "--format" in option]
    return {name: format for name, _, format in (option.partition(":") for option in given)}


def check(cases: list[tuple[str, dict[str, NDArray], NDArray, list[str]]]) -> None:
    entries = compile_all([(text, options) for text, _, _, options in cases])
    for entry, (text, arrays, expected, options) in zip(entries, cases, strict=True):
        formats = formats_of(options)
        parts: dict[str, NDArray | int] = {}
        for name, array in arrays.items():
            parts |= (
                store(name, array, 0, formats[name])
                if name in formats
                else {name: np.ascontiguousarray(array)}
            )
        if "C" in formats:
            parts |= room("C", expected.shape, expected.dtype, formats["C"], 64)
        else:
            parts["C"] = np.full(expected.shape, 7, expected.dtype)
        entry(*[parts[parameter.name] for parameter in entry.parameters])
        found = load("C", parts, expected.shape, 0, formats["C"]) if "C" in formats else parts["C"]
        np.testing.assert_allclose(found, expected, 1e-4, 1e-5, err_msg=f"{text} {options}")


def test_orders() -> None:
    """Whichever order loops stand in, and whatever is searched then."""
    check([draw(seed) for seed in range(24)])


def test_tiles_and_workspaces() -> None:
    product = ("C[i,j] = A[i,k] * B[k,j]", {"A": A, "B": B}, A @ B)
    written = [
        "split(j, j0, j1, 4)",
        "split(i, i0, i1, 2) split(j, j0, j1, 3) reorder(i0, j0, i1, k, j1)",
        "split(k, k0, k1, 4) reorder(k0, i, j, k1)",
        "split(i, i0, i1, 100) parallelize(i0)",
        "reorder(k, i, j)",
        "precompute(A[i,k] * B[k,j] over j)",
        "precompute(sum[k](A[i,k] * B[k,j]) over j)",
        "parallelize(i)",
        # What is reduced over is outside of tiles of the result.
        "split(i, i0, i1, 2) reorder(k, i0)",
        "split(k, k0, k1, 4) split(j, j0, j1, 2) reorder(k0, j0, k1, j1, i)",
        "split(i, i0, i1, 2) split(j, j0, j1, 3) split(k, k0, k1, 2) "
        "reorder(i0, k0, j0, i1, j1, k1)",
    ]
    cases = [(*product, [f"--schedule={schedule}"]) for schedule in written]
    cases += [
        (*product, ["--schedule=fuse(i, k, p) reorder(p, j)", "--format=A:coo"]),
        (*product, ["--schedule=split(j, j0, j1, 2)", "--format=A:csr"]),
        (
            *product,
            ["--schedule=precompute(A[i,k] * B[k,j] over j)", "--format=A:csr", "--format=B:csr"],
        ),
    ]
    scaled = ("C[i,j] = A[i,j] * exp(x[j])", {"A": D, "x": D[0]}, D * np.exp(D[0]))
    cases.append((*scaled, ["--schedule=precompute(exp(x[j]) over j)"]))
    largest = ("C[i] = max[k](A[i,k])", {"A": A}, A.max(1))
    tiles = "split(i, i0, i1, 2) split(k, k0, k1, 3) reorder(k0, k1, i0, i1)"
    cases.append((*largest, [f"--schedule={tiles}"]))
    check(cases)


def test_chosen_orders() -> None:
    """Products in all formats, with results that are appended to."""
    product = ("C[i,j] = A[i,k] * B[k,j]", {"A": A, "B": B}, A @ B)
    check(
        [
            (*product, [f"--format=A:{a}", f"--format=B:{b}", "--format=C:csr"])
            for a, b in itertools.product(["csr", "csc", "coo"], ["csr", "csc"])
        ]
    )


#: Statements of two matrices that want both in one order of levels, and of what they are made.
CONTRADICTED: dict[str, Callable[[NDArray, NDArray], NDArray]] = {
    "C[i,j] = A[i,k] * B[k,j]": lambda a, b: a @ b,
    "C[i,j] = A[i,k] * B[j,k] + A[i,j]": lambda a, b: a @ b.T + a,
    "C[i,j] = A[i,j] + B[i,j]": lambda a, b: a + b,
    "C[i,j] = A[i,j] * B[j,i]": lambda a, b: a * b.T,
    "C[i,j] = max(A[i,j], B[i,j]) - A[j,i]": lambda a, b: np.maximum(a, b) - a.T,
    "let T[i,j] = A[i,j] + B[i,j]; C[i,j] = T[i,j] * A[j,i]": lambda a, b: (a + b) * a.T,
}


@pytest.mark.parametrize("text", CONTRADICTED)
def test_copies_of_what_levels_contradict(text: str) -> None:
    """In some pairs of formats, of no elements, one, and many."""
    rng = np.random.default_rng(len(text))
    names = ["csr", "csc", "csc:i32", "dcsc", "coo", "coo:i16"]
    for dtype in (np.float32, np.int64):
        mine, other = rng.choice(names, 2)
        result = es.Format(rng.choice(["csr", "csc", "dense"]))
        for size in (0, 1, 17):
            stored = rng.integers(0, 2, (2, size, size))
            a, b = (rng.integers(-4, 5, (2, size, size)) * stored).astype(dtype)
            arrays = {"A": es.asarray(a, mine), "B": es.asarray(b, other)}
            found = es.evaluate(text, **arrays, C=result)
            found = found.to_numpy() if isinstance(found, es.Array) else found
            expected = CONTRADICTED[text](a, b)
            np.testing.assert_array_equal(found, expected, err_msg=f"{mine} {other} {result}")


def test_copies_of_what_is_not_sorted_or_has_another_fill() -> None:
    """Coordinates below the outer level are in any order; what is not stored is what it was."""
    a = np.array([[np.inf, 2, 7], [1, np.inf, np.inf], [4, np.inf, 3]], np.float32)
    levels = [(np.array([0, 2, 3, 5]), np.array([2, 1, 0, 2, 0]))]
    values = np.array([7, 2, 1, 3, 4], np.float32)
    rows = es.Format("dense,compressed(unordered)", fill=np.inf)
    unordered = es.Array(rows, a.shape, values, levels)
    columns = es.asarray(a, es.Format("csc", fill=np.inf))
    for arrays in ({"A": unordered, "B": columns}, {"A": columns, "B": unordered}):
        text = "C[i,j] = min[k](A[i,k] + B[k,j])"
        found = es.evaluate(text, **arrays, C=es.Format("csc", fill=np.inf))
        expected = np.min(a[:, :, None] + a[None], axis=1)
        np.testing.assert_array_equal(found.to_numpy(), expected)
    text = "C[i,j] = min(A[i,j], B[i,j])"
    found = es.evaluate(text, A=unordered, B=columns, C=es.Format("csc", fill=np.inf))
    np.testing.assert_array_equal(found.to_numpy(), a)


#: Levels whose coordinates are in no order, by rank.
SCATTERED = {
    2: "compressed(unordered nonunique),singleton(unordered)",
    3: "compressed(unordered nonunique),singleton(unordered nonunique),singleton(unordered)",
}


def scattered(a: NDArray, rng: np.random.Generator) -> es.Array:
    """What is not 0, element by element in any order."""
    places = rng.permutation(np.argwhere(a))
    first, *rest = (np.ascontiguousarray(column) for column in places.T)
    levels = [(np.array([0, len(places)]), first), *rest]
    return es.Array(SCATTERED[a.ndim], a.shape, a[tuple(places.T)], levels)


def by_rows_in_any_order(a: NDArray, rng: np.random.Generator) -> es.Array:
    """Sorted rows, which are in no order."""
    rows = rng.permutation(np.flatnonzero(a.any(1)))
    columns = [np.flatnonzero(a[row]) for row in rows]
    begins = np.cumsum([0, *map(len, columns)])
    values = np.array([x for row in rows for x in a[row] if x], a.dtype)
    found = np.concatenate([np.zeros(0, np.int64), *columns])
    levels = [(np.array([0, len(rows)]), rows), (begins, found)]
    return es.Array("compressed(unordered),compressed", a.shape, values, levels)


UNORDERED: dict[str, Callable[[NDArray, NDArray], NDArray]] = {
    "C[i,j] = 2 * A[i,j]": lambda a, b: 2 * a,
    "C[i,j] = A[i,k] * B[k,j]": lambda a, b: a @ b,
    "C[i,j] = A[i,j] + B[i,j]": lambda a, b: a + b,
    "C[i,j] = B[i,j] - A[j,i]": lambda a, b: b - a.T,
    "C[i,j] = A[i,j] * A[j,i] + B[i,j]": lambda a, b: a * a.T + b,
}


@pytest.mark.parametrize("make", [scattered, by_rows_in_any_order])
@pytest.mark.parametrize("text", UNORDERED)
def test_copies_of_what_is_in_no_order(
    text: str, make: Callable[[NDArray, np.random.Generator], es.Array]
) -> None:
    """By rows, by columns, and beside another one that is unordered, too."""
    rng = np.random.default_rng(len(text))
    for result in ("csr", "csc"):
        for size in (0, 1, 11):
            stored = rng.integers(0, 2, (2, size, size))
            a, b = (rng.integers(-4, 5, (2, size, size)) * stored).astype(np.float32)
            for other in (es.asarray(b, rng.choice(["csr", "csc", "coo"])), scattered(b, rng)):
                arrays = {"A": make(a, rng), "B": other}
                given = {name: x for name, x in arrays.items() if f"{name}[" in text}
                found = es.evaluate(text, **given, C=es.Format(result)).to_numpy()
                np.testing.assert_array_equal(found, UNORDERED[text](a, b))


OF_THREE: dict[str, Callable[[NDArray, NDArray], NDArray]] = {
    "D[i,j,k] = A[i,j,k] + B[i,j,k]": lambda a, b: a + b,
    "D[i,j,k] = A[k,j,i] * B[i,j,k]": lambda a, b: a.transpose(2, 1, 0) * b,
    "C[i,l] = A[i,j,k] * B[k,j,l]": lambda a, b: np.einsum("ijk,kjl->il", a, b),
}
FORMATS_OF_THREE = ["csf", "coo", "compressed,compressed,compressed@2,1,0"]
FORMATS_OF_THREE += ["compressed,compressed,compressed@1,2,0", "dense,dense,compressed", "any"]


@pytest.mark.parametrize("text", OF_THREE)
def test_copies_of_three_dimensions(text: str) -> None:
    rng = np.random.default_rng(len(text))
    result = {"C": es.Format("csr")} if text.startswith("C") else {"D": es.Format("csf")}
    for mine in FORMATS_OF_THREE:
        other = rng.choice(FORMATS_OF_THREE)
        for size in (0, 1, 6):
            stored = rng.integers(0, 2, (2, size, size, size))
            a, b = (rng.integers(-4, 5, stored.shape) * stored).astype(np.float32)
            A, B = (
                scattered(x, rng) if format == "any" else es.asarray(x, format)
                for x, format in ((a, mine), (b, other))
            )
            found = es.evaluate(text, A=A, B=B, **result).to_numpy()
            np.testing.assert_array_equal(found, OF_THREE[text](a, b), f"{mine} {other}")


def test_copies_of_what_is_out_of_bounds() -> None:
    """Coordinates and positions that are none are errors, and nothing else is written."""
    # Smaller or fuller ones are searched.
    a = (np.arange(200 * 300).reshape(200, 300) % 11 == 1).astype(np.float32)
    for part, wrong in (("coordinates", 200), ("coordinates", -1), ("positions", 1 << 30)):
        columns = es.asarray(a, "csc")
        columns.stored[1][part][2] = wrong
        with pytest.raises(EmberError, match="B"):
            es.evaluate("C[i,j] = A[i,j] + B[i,j]", A=es.asarray(a, "csr"), B=columns, C=CSR)
    for level, part, wrong in (
        (0, "coordinates", 200),
        (1, "coordinates", -1),
        (0, "positions", 1 << 30),
    ):
        unordered = scattered(a, np.random.default_rng(2))
        unordered.stored[level][part][1] = wrong
        with pytest.raises(EmberError, match="B"):
            es.evaluate("C[i,j] = A[i,j] + B[i,j]", A=es.asarray(a, "csr"), B=unordered, C=CSR)


#: Chains that are slower as one statement, or not, and what they are.
CHAINS: dict[str, Callable[..., NDArray]] = {
    "let T[i,k] = A[i,j] * B[j,k]; C[i,l] = T[i,k] * D[k,l]": lambda a, b, d: a @ b @ d,
    "let T[i,k] = A[i,j] * B[j,k]; C[i,k] = T[i,k] * D[i,k]": lambda a, b, d: (a @ b) * d,
    "let T[i,k] = max[j](A[i,j] * B[j,k]); C[k,i] = T[i,k] + D[i,k]": lambda a, b, d: (
        (np.max(a[:, :, None] * b[None], axis=1) + d).T
    ),
}


@pytest.mark.parametrize("text", CHAINS)
def test_chains(text: str) -> None:
    """However much of a chain is one statement."""
    rng = np.random.default_rng(len(text))
    a, b, d = (rng.integers(-4, 5, (3, 9, 9)) * rng.integers(0, 2, (3, 9, 9))).astype(np.float32)
    for formats in (["csr", "csr", "csr"], ["csc", "coo", "csr"], ["dense", "csr", "dense"]):
        arrays = {
            name: x if format == "dense" else es.asarray(x, format)
            for name, x, format in zip("ABD", (a, b, d), formats, strict=True)
        }
        found = es.evaluate(text, **arrays, C=CSR).to_numpy()
        np.testing.assert_array_equal(found, CHAINS[text](a, b, d))


MASKED = "C[i,j] = M[i,j] * sum[k](A[i,k] * B[k,j])"


def test_schedules_of_evaluations() -> None:
    """What is written goes before what is chosen; an array may have the name, too."""
    a, b = es.asarray(A, "csr"), es.asarray(B, "csr")
    for schedule in ("reorder(i, k, j)", "reorder(k, i, j)", "precompute(A[i,k] * B[k,j] over j)"):
        found = es.evaluate("C[i,j] = A[i,k] * B[k,j]", A=a, B=b, schedule=schedule)
        np.testing.assert_allclose(found, A @ B, 1e-5, 1e-5)
    explanation = es.explain("C[i,j] = A[i,k] * B[k,j]", A=a, B=b, schedule="reorder(k, i, j)")
    # Columns of a copy of A, and rows of B.
    assert [loop.variable for loop in explanation.loops] == ["i", "j"]
    with pytest.raises(CompileError, match="no variable 'q'"):
        es.evaluate("C[i,j] = A[i,k] * B[k,j]", A=a, B=b, schedule="reorder(q, i)")
    x = torch.ones(3, requires_grad=True)
    with pytest.raises(ArgumentError, match="no gradient"):
        es.evaluate("y[i] = 2 * x[i]", x=x, schedule="reorder(i)")
    found = es.evaluate("y[i] = 2 * schedule[i]", schedule=np.array([1.0, 2]))
    np.testing.assert_array_equal(found, [2, 4])


def test_rows_of_a_known_length_in_a_workspace() -> None:
    """Which is as long as the type of the dense rows says."""
    a, b = A.copy(), RNG.standard_normal(A.shape).astype(np.float32)
    for text, expected in (
        ("y[i,j] = A[i,j] * b[i,j]", a * b),
        (
            "y[i,j] = max(A[i,j], 0) * b[i,j] if d[i,j] > 0",
            np.where(b > 0, np.maximum(a, 0) * b, 0),
        ),
    ):
        dense = {"b": b, "d": b} if "d[" in text else {"b": b}
        found = es.evaluate(
            text, A=es.asarray(a, CSR), **dense, schedule="precompute(A[i,j] over j)"
        )
        np.testing.assert_allclose(found, expected)


def test_orders_for_what_arrays_store() -> None:
    """A mask of few elements asks for a search for each; results are the same in any order."""
    rng = np.random.default_rng(7)
    orders = set()
    for turn in range(2):
        for size in (0, 1, 3, 16, 70, 300):
            a, b = ((rng.random((2, size, size)) < 0.3) * 2).astype(np.float32)
            for stored in (0.0001, 0.3):
                mask = (rng.random((size, size)) < stored).astype(np.float32)
                arrays = {name: es.asarray(x) for name, x in {"M": mask, "A": a, "B": b}.items()}
                found = es.evaluate(MASKED, **arrays, C=CSR)
                np.testing.assert_array_equal(found.to_numpy(), mask * (a @ b))
                if size == 300 and not turn:
                    explanation = es.explain(MASKED, **arrays, C=CSR)
                    orders.add(tuple(loop.variable for loop in explanation.loops))
    assert len(orders) == 2


def test_orders_for_what_two_arrays_store() -> None:
    """Of an array by rows and one by columns, that is copied which stores less."""
    rng = np.random.default_rng(8)
    orders = set()
    for stored in (0.01, 0.4), (0.4, 0.01):
        a, b = ((rng.random((400, 400)) < part).astype(np.float32) for part in stored)
        arrays = {"A": es.asarray(a, "csr"), "B": es.asarray(b, "csc")}
        text = "y[j] = A[i,j] * B[i,j]"
        np.testing.assert_array_equal(es.evaluate(text, **arrays), (a * b).sum(0))
        orders.add(tuple(loop.variable for loop in es.explain(text, **arrays).loops))
    assert len(orders) == 2


def chosen(text: str, *options: str) -> str:
    command = [str(find_tool("emberc")), f"--notation={text}", *options, "--emit=cin"]
    program = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    scheduled = subprocess.run(
        [str(find_tool("ember-opt")), "--cin-schedule"],
        input=program,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found = re.findall(r"reorder\(([^)]*)\)>", scheduled)
    assert found, scheduled
    return found[-1].replace(", ", "")


PAIRS = [("csr", "csr"), ("csc", "csc"), ("csc", "csr")]


@pytest.mark.parametrize("formats", PAIRS)
def test_order_has_the_least_visits(formats: tuple[str, str]) -> None:
    """By a count of what each order visits: stored pairs alone, or all coordinates, of arrays as
    they are or copied to another order.
    """
    order = chosen(
        "C[i,j] = A[i,k] * B[k,j]",
        *(f"--format={n}:{f}" for n, f in zip("AB", formats, strict=True)),
    )
    size = 200
    left, right = np.random.default_rng(1).random((2, size, size)) < 0.02
    counts = {
        "".join(o): min(
            visits("".join(o), others, left, right)
            + sum(
                int(array.sum())
                for before, after, array in zip(formats, others, (left, right), strict=True)
                if before != after
            )
            for others in itertools.product(("csr", "csc"), repeat=2)
        )
        for o in itertools.permutations("ijk")
    }
    assert counts[order] <= 2 * min(counts.values()), counts


def visits(order: str, formats: tuple[str, str], left: NDArray, right: NDArray) -> int:
    """How many times the body of a loop is entered, all loops together."""
    levels = {
        "csr": lambda row, column: (row, column),
        "csc": lambda row, column: (column, row),
    }
    arrays = [(levels[formats[0]]("i", "k"), left), (levels[formats[1]]("k", "j"), right)]
    size, total = len(left), 0
    open_: list[dict[str, int]] = [{}]
    for variable in order:
        following: list[dict[str, int]] = []
        for bound in open_:
            coordinates = set(range(size))
            for (outer, inner), array in arrays:
                if inner == variable and outer in bound:
                    table = array if (outer, inner) in (("i", "k"), ("k", "j")) else array.T
                    coordinates &= set(np.flatnonzero(table[bound[outer]]))
            following += [{**bound, variable: value} for value in coordinates]
            if len(following) > 100_000:
                return 10**9
        total += len(following)
        open_ = following
    return total


def test_reads_come_before_assignments() -> None:
    """Of several assignments in a loop, one reads what was there before another one."""
    program = """
func.func @kernel(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>) {
  cin.evaluate ins(%X = %x : memref<?xf32>) outs(%Y = %y, %Z = %z : memref<?xf32>, memref<?xf32>)
      attributes {names = ["x", "y", "z"]} {
    cin.forall (%i) {
      %old = cin.access %Y[%i] : memref<?xf32>
      %a = cin.access %X[%i] : memref<?xf32>
      cin.assign %a to %Y[%i] : memref<?xf32>
      %new = cin.access %Y[%i] : memref<?xf32>
      %change = cin.call sub(%new, %old) : (f32, f32) -> f32
      cin.assign %change to %Z[%i] : memref<?xf32>
    }
  }
  return
}
"""
    x, y, z = np.float32([5, 7, 9]), np.float32([1, 2, 3]), np.zeros(3, np.float32)
    load_program(program, Options()).entry("kernel")(x, y, z)
    np.testing.assert_array_equal(y, [5, 7, 9])
    np.testing.assert_array_equal(z, [4, 5, 6])
