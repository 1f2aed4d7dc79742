"""Statements on encoded arrays: every encoding in every class of statement.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import random
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ember.sparse as es
import numpy as np
import pytest
from embed_values import ROW_FORMATS, decode_rows, encode_rows
from ember.compiler import Options, load_program
from ember.embed_programs import Bag, RowFormat, array
from ember.embed_programs import program as embed_program
from ember.errors import IndexOutOfRangeError, KernelError
from notation_kernels import compile_all, program
from numpy.typing import NDArray
from program_runs import WAYS, Way, run_program

RNG = np.random.default_rng(31)
SEGMENTS = np.array([0, 3, 3, 10, 12, 24])
ROWS = np.repeat(np.arange(5), np.diff(SEGMENTS))
# Of an odd number of elements, of less than a block, and of whole blocks; each with an
# optimisation level.
LENGTHS = {37: 3, 9: 0, 64: 4}

Values = dict[str, NDArray]


def spelled(form: RowFormat) -> str:
    words = (form.encoding, form.parameters, "leading" if form.leading else None)
    return ":".join(word for word in words if word)


def floats(*shape: int) -> NDArray:
    return RNG.standard_normal(shape).astype(np.float32)


def indices(bound: int, *shape: int) -> NDArray:
    return RNG.integers(0, bound, shape)


def segments(combine: Callable[[NDArray], NDArray], terms: NDArray) -> NDArray:
    return np.stack([combine(part) for part in np.split(terms, SEGMENTS[1:-1])])


@dataclass
class Case:
    """A statement: its encoded tables by rows, further arguments, and what it computes.

    In shapes, 0 is the length of rows. A table of several sizes has rows of the last one.
    """

    text: str
    tables: dict[str, tuple[int, ...]]
    inputs: Callable[[int], Values]
    outputs: Callable[[int], Values]
    expected: Callable[[Values], NDArray]
    types: dict[str, str] = field(default_factory=dict)


def graph(n: int) -> Values:
    return {"pos": SEGMENTS, "crd": indices(9, 24), "w": floats(24), "X": floats(5, n)}


def sigmoid(x: NDArray) -> NDArray:
    return 1 / (1 + np.exp(-x))


CASES = {
    "bag": Case(
        "out[b,e] = sum[p in pos[b]:pos[b+1]](T[crd[p],e])",
        {"T": (9, 0)},
        graph,
        lambda n: {"out": floats(5, n)},
        lambda a: segments(lambda t: t.sum(0), a["T"][a["crd"]]),
    ),
    "weighted_bag_that_adds": Case(
        "out[b,e] += sum[p in pos[b]:pos[b+1]](w[p] * T[crd[p],e] * w[p])",
        {"T": (9, 0)},
        graph,
        lambda n: {"out": floats(5, n)},
        lambda a: (
            a["out"] + segments(lambda t: t.sum(0), (a["w"] ** 2)[:, None] * a["T"][a["crd"]])
        ),
    ),
    "mean_in_halves": Case(
        "out[b,e] = sum[p in pos[b]:pos[b+1]](T[crd[p],e]) / max(pos[b+1] - pos[b], 1)",
        {"T": (9, 0)},
        graph,
        lambda n: {"out": floats(5, n).astype(np.float16)},
        lambda a: (
            segments(lambda t: t.sum(0), a["T"][a["crd"]])
            / np.maximum(np.diff(SEGMENTS), 1)[:, None]
        ),
        {"out": "f16"},
    ),
    "bag_with_padding": Case(
        "out[b,e] = sum[p in pos[b]:pos[b+1] if I[p] != -1](T[I[p],e])",
        {"T": (9, 0)},
        lambda n: {"pos": SEGMENTS, "I": indices(9, 24) * (ROWS != 2) - (ROWS == 2)},
        lambda n: {"out": floats(5, n)},
        lambda a: segments(lambda t: t.sum(0), np.where(a["I"][:, None] < 0, 0, a["T"][a["I"]])),
    ),
    "largest_of_a_bag": Case(
        "out[b,e] = max[p in pos[b]:pos[b+1]](T[crd[p],e])",
        {"T": (9, 0)},
        graph,
        lambda n: {"out": floats(5, n)},
        lambda a: segments(lambda t: t.max(0, initial=-np.inf), a["T"][a["crd"]]),
    ),
    "product_with_coordinates": Case(
        "C[row[p],n] += val[p] * T[col[p],n]",
        {"T": (9, 0)},
        lambda n: {"row": ROWS, "col": indices(9, 24), "val": floats(24)},
        lambda n: {"C": floats(5, n)},
        lambda a: a["C"] + segments(lambda t: t.sum(0), a["val"][:, None] * a["T"][a["col"]]),
    ),
    "gather": Case(
        "out[i,e] = T[I[i],e]",
        {"T": (9, 0)},
        lambda n: {"I": indices(9, 7)},
        lambda n: {"out": floats(7, n)},
        lambda a: a["T"][a["I"]],
    ),
    "score": Case(
        "s[q] = sum[d](E[h[q],d] * R[r[q],d] * E[t[q],d])",
        {"E": (9, 0), "R": (4, 0)},
        lambda n: {"h": indices(9, 7), "r": indices(4, 7), "t": indices(9, 7)},
        lambda n: {"s": floats(7)},
        lambda a: (a["E"][a["h"]] * a["R"][a["r"]] * a["E"][a["t"]]).sum(1),
    ),
    "sampled_product": Case(
        "out[p] = val[p] * sum[d](X[row[p],d] * Y[col[p],d])",
        {"Y": (9, 0)},
        lambda n: {"row": ROWS, "col": indices(9, 24), "val": floats(24), "X": floats(5, n)},
        lambda n: {"out": floats(24)},
        lambda a: a["val"] * (a["X"][ROWS] * a["Y"][a["col"]]).sum(1),
    ),
    "messages": Case(
        "out[i,e] = sum[p in pos[i]:pos[i+1]](sigmoid(sum[d](X[i,d] * Y[crd[p],d])) * Y[crd[p],e])",
        {"Y": (9, 0)},
        graph,
        lambda n: {"out": floats(5, n)},
        lambda a: segments(
            lambda t: t.sum(0),
            sigmoid((a["X"][ROWS] * a["Y"][a["crd"]]).sum(1))[:, None] * a["Y"][a["crd"]],
        ),
    ),
    "attention_over_blocks": Case(
        "out[i,e] = sum[t in 0:4](exp(sum[d](q[i,d] * K[B[i],t,d])) * V[B[i],t,e])",
        {"K": (6, 4, 0), "V": (6, 4, 0)},
        lambda n: {"q": floats(5, n) / n, "B": indices(6, 5)},
        lambda n: {"out": floats(5, n)},
        lambda a: np.einsum(
            "it,ite->ie", np.exp(np.einsum("id,itd->it", a["q"], a["K"][a["B"]])), a["V"][a["B"]]
        ),
    ),
    "product_with_a_vector": Case(
        "y[i] = sum[d](T[i,d] * v[d])",
        {"T": (9, 0), "v": (0,)},
        lambda n: {},
        lambda n: {"y": floats(9)},
        lambda a: a["T"] @ a["v"],
    ),
    "elements_here_and_there": Case(
        "y[q] = T[r[q],c[q]] + sum[d in 2:7](T[r[q],d+1])",
        {"T": (9, 0)},
        lambda n: {"r": indices(9, 11), "c": indices(n, 11)},
        lambda n: {"y": floats(11)},
        lambda a: a["T"][a["r"], a["c"]] + a["T"][a["r"], 3:8].sum(1),
    ),
}

PAIRS = [(name, form) for name in CASES for form in ROW_FORMATS]


@dataclass
class Problem:
    """A statement's arguments by name, and what they stand for."""

    case: Case
    forms: dict[str, RowFormat]
    arguments: dict[str, Any]
    values: Values

    @property
    def options(self) -> list[str]:
        types = [f"--type={name}:{element}" for name, element in self.case.types.items()]
        return [*types, *(f"--format={name}:{spelled(form)}" for name, form in self.forms.items())]

    def expected(self) -> NDArray:
        return self.case.expected(self.values)

    def check(self, result: NDArray) -> None:
        rounding = 2.0**-10 if result.dtype == np.float16 else 3e-5
        np.testing.assert_allclose(result, self.expected(), rounding, rounding * 10)


def problem(name: str, form: RowFormat, length: int) -> Problem:
    """A problem in which the last table is in the format, and others may be in others."""
    case = CASES[name]
    draw = np.random.default_rng(zlib.crc32(f"{name}{form}{length}".encode()))
    arguments: dict[str, Any] = {}
    values: Values = {}
    forms: dict[str, RowFormat] = {}
    for number, (table, shape) in enumerate(reversed(case.tables.items())):
        mine = form if number == 0 else ROW_FORMATS[draw.integers(len(ROW_FORMATS))]
        sizes = tuple(size or length for size in shape)
        rows = int(np.prod(sizes[:-1], dtype=int))
        stored = encode_rows(mine, rows, length, draw)
        forms[table] = mine
        arguments |= {f"{table}_size{k}": size for k, size in enumerate(sizes)}
        arguments[f"{table}_values"] = stored.view(np.int8)
        values[table] = decode_rows(mine, stored, length).reshape(sizes)
    others = case.inputs(length) | case.outputs(length)
    arguments |= others
    values |= {key: array.copy() for key, array in others.items()}
    return Problem(case, forms, arguments, values)


@pytest.mark.parametrize("length", LENGTHS)
def test_encoding_in_every_statement(length: int) -> None:
    number = list(LENGTHS).index(length)
    # Each class with each encoding at one length.
    every = [problem(*pair, length) for pair in PAIRS[number :: len(LENGTHS)]]
    entries = compile_all([(one.case.text, one.options) for one in every], LENGTHS[length])
    for one, entry in zip(every, entries, strict=True):
        arguments = dict(one.arguments)
        (out,) = one.case.outputs(length)
        arguments[out] = one.values[out].copy()
        entry(*[arguments[parameter.name] for parameter in entry.parameters])
        one.check(arguments[out])


BLOCKS = RowFormat("e5m2", "f8E8M0FNU", leading=True)
# The plain program, and of the others some for each.
LEVELS = [
    (name, form, way)
    for name, form in [
        ("bag", RowFormat("int8", "f32")),
        ("mean_in_halves", RowFormat("int4", "f16")),
        ("score", BLOCKS),
        ("attention_over_blocks", RowFormat("int4", "f32", leading=True)),
    ]
    for way in [WAYS[0], *random.Random(zlib.crc32(name.encode())).sample(WAYS[1:], 5)]
]


@pytest.mark.parametrize(
    ("name", "form", "way"), LEVELS, ids=[f"{name}-{way.name}" for name, _, way in LEVELS]
)
def test_every_level_and_target(name: str, form: RowFormat, way: Way, tmp_path: Path) -> None:
    one = problem(name, form, 37)
    text = program(one.case.text, one.options)
    source = tmp_path / "program.mlir"
    source.write_text(text)
    parameters = re.findall(r'ember.name = "(\w+)"', text)
    arguments = [one.arguments[parameter] for parameter in parameters]
    (result,) = run_program(
        source, way, arguments, tmp_path / "run", [f"save={len(parameters) - 1}"]
    )
    one.check(result)


@pytest.mark.parametrize("form", ROW_FORMATS, ids=str)
def test_sums_are_those_of_embed_bag(form: RowFormat) -> None:
    """To the bit: elements and biases are added up in the same order."""
    one = problem("bag", form, 37)
    (entry,) = compile_all([(one.case.text, one.options)])
    entry(*[one.arguments[parameter.name] for parameter in entry.parameters])
    bag = Bag(
        tables=(array("i8", None, None),),
        indices=array("i64", None),
        segments=array("i64", None),
        out=array("f32", None, None),
        row_format=form,
    )
    expected = floats(5, 37)
    library = load_program(embed_program(bag), Options())
    table, out = one.arguments["T_values"], one.arguments["out"]
    library.entry("kernel")(table, one.arguments["crd"], SEGMENTS, expected)
    np.testing.assert_array_equal(out, expected)


def run(one: Problem) -> None:
    (entry,) = compile_all([(one.case.text, one.options)], opt_level=1)
    entry(*[one.arguments[parameter.name] for parameter in entry.parameters])


@pytest.mark.parametrize("form", [RowFormat("int4", "f16"), BLOCKS], ids=str)
def test_rows_and_columns_that_are_none_are_errors(form: RowFormat) -> None:
    """A column behind the last is not read from what is stored beside the elements."""
    for name, index, wrong in (("r", 9, -1), ("c", 37, -1)):
        for value in (index, wrong):
            one = problem("elements_here_and_there", form, 37)
            one.arguments[name][3] = value
            with pytest.raises((IndexOutOfRangeError, KernelError), match="T"):
                run(one)


@pytest.mark.parametrize("form", ROW_FORMATS, ids=str)
def test_rows_of_another_length_are_errors(form: RowFormat) -> None:
    one = problem("gather", form, 37)
    one.arguments["T_values"] = one.arguments["T_values"][:, :-1].copy()
    with pytest.raises(KernelError, match="the rows of T have not as many bytes as their elements"):
        run(one)


def test_an_array_of_another_number_of_rows_is_an_error() -> None:
    one = problem("attention_over_blocks", RowFormat("int8", "f32"), 37)
    one.arguments["V_values"] = one.arguments["V_values"][:-1].copy()
    with pytest.raises(KernelError, match="the rows of V are not as many as it has"):
        run(one)


def test_sizes_that_disagree_are_errors() -> None:
    one = problem("product_with_a_vector", RowFormat("int8", "f32"), 37)
    (y,) = one.case.outputs(37).values()
    one.arguments["y"] = y[:-1].copy()
    with pytest.raises(KernelError, match="dimension 0 of T and dimension 0 of y"):
        run(one)


SPARSE = {
    "csr": ("y[i] = A[i,j] * x[j]", lambda a, x, b: a @ x),
    "coo:i32": ("y[i] = A[i,j] * x[j]", lambda a, x, b: a @ x),
    "bitmap": ("y[i] = A[i,j] * x[j]", lambda a, x, b: a @ x),
    "csf": ("y[i] = sum[j](A[i,j] + b[i,j] * x[j])", lambda a, x, b: (a + b * x).sum(1)),
    "dcsr": ("y[i] = max[j](A[i,j] * x[j] + b[i,j])", lambda a, x, b: (a * x + b).max(1)),
    "csc": ("y[i] = A[i,j] * b[i,j]", lambda a, x, b: (a * b).sum(1)),
}
VALUES = (RowFormat("int8", "f32"), RowFormat("int4", "f16", True), BLOCKS, RowFormat("e4m3"))


@pytest.mark.parametrize("form", VALUES, ids=str)
def test_values_of_sparse_arrays_in_one_row(form: RowFormat) -> None:
    """Arrays that are walked alone, merged and searched."""
    draw = np.random.default_rng(3)
    is_stored = draw.integers(0, 3, (9, 41)) > 0
    is_stored[4] = False
    x, b = floats(41), floats(9, 41) * (floats(9, 41) > 0)
    statements, arguments, wanted = [], [], []
    for name, (text, expected) in SPARSE.items():
        empty = es.Array.from_coordinates(
            np.nonzero(is_stored), np.arange(is_stored.sum()) + 1, (9, 41), name
        )
        stored = encode_rows(form, 1, len(empty.values), draw)
        values = decode_rows(form, stored, len(empty.values))[0]
        coordinates, positions = empty.coordinates()
        whole = np.zeros((9, 41))
        whole[tuple(coordinates)] = values[positions]
        other = es.asarray(b, "csr")
        parts = {"A_size0": 9, "A_size1": 41, "A_values": stored, "x": x, "y": floats(9)}
        parts |= {"b_size0": 9, "b_size1": 41, "b_values": other.values}
        for letter, array_ in (("A", empty), ("b", other)):
            for level, arrays in enumerate(array_.stored):
                parts |= {f"{letter}_{what}{level}": one for what, one in arrays.items()}
        options = [f"--format=A:{name}/{spelled(form)}"]
        statements.append((text, [*options, "--format=b:csr"] if "b[" in text else options))
        arguments.append(parts)
        wanted.append(expected(whole, x, b))
    entries = compile_all(statements)
    for entry, parts, expected_values in zip(entries, arguments, wanted, strict=True):
        entry(*[parts[parameter.name] for parameter in entry.parameters])
        np.testing.assert_allclose(parts["y"], expected_values, 3e-5, 3e-4)


@pytest.mark.parametrize("form", VALUES, ids=str)
def test_blocks_of_a_sparse_matrix(form: RowFormat) -> None:
    """Each in a row of its own; what is not stored may be something else than 0."""
    draw = np.random.default_rng(4)
    positions, coordinates = np.array([0, 2, 2, 5]), np.array([1, 3, 0, 2, 3])
    stored = encode_rows(form, 5, 37, draw)
    blocks = np.zeros((3, 4, 37))
    stands = decode_rows(form, stored, 37)
    rows = np.repeat(np.arange(3), np.diff(positions))
    blocks[rows, coordinates] = stands
    filled = np.full((3, 4, 37), 2.0)
    filled[rows, coordinates] = stands
    x, c = floats(4, 37), floats(3, 37)
    options = [f"--format=B:dense,compressed,dense/{spelled(form)}"]
    entries = compile_all(
        [
            ("y[i] = sum[j,e](B[i,j,e] * x[j,e])", options),
            ("C[i,e] = sum[j](B[i,j,e])", options),
            ("y[i] = max[j,e](B[i,j,e] * x[j,e])", [*options, "--fill=B:2"]),
        ]
    )
    parts = {f"B_size{k}": size for k, size in enumerate((3, 4, 37))}
    parts |= {"B_positions1": positions, "B_coordinates1": coordinates, "B_values": stored}
    parts |= {"x": x, "C": c, "y": floats(3)}
    wanted = [
        ("y", (blocks * x).sum((1, 2))),
        ("C", blocks.sum(1)),
        ("y", (filled * x).max((1, 2))),
    ]
    for entry, (result, expected) in zip(entries, wanted, strict=True):
        entry(*[parts[parameter.name] for parameter in entry.parameters])
        np.testing.assert_allclose(parts[result], expected, 3e-5, 3e-4)
