"""Arrays in formats: every function on every fill and pattern, statements in all formats.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import itertools
import random
import re
import subprocess
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from ember.compiler import find_tool
from ember.errors import EmberError
from ember.kernel import Entry
from notation_kernels import compile_all
from numpy.typing import NDArray
from program_runs import WAYS, call, run_program
from sparse_arrays import load, room, store

INF = np.inf


@dataclass
class Use:
    """A statement on arrays, some of them in formats; `expected` is what `result` is then."""

    text: str
    arrays: dict[str, NDArray]
    formats: dict[str, str]
    expected: NDArray
    result: str
    fills: dict[str, float] = field(default_factory=dict)
    #: Elements that are stored though they are the fill.
    also: dict[str, NDArray] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)

    def options(self) -> list[str]:
        """What emberc is told of the arrays."""
        return [
            f"--{option}={name}:{value}"
            for option, given in (
                ("format", self.formats),
                ("fill", self.fills),
                ("type", self.types),
            )
            for name, value in given.items()
        ]

    def parts(self, capacity: int = 64) -> dict[str, NDArray | int]:
        """What a kernel of the statement takes, by name."""
        parts: dict[str, NDArray | int] = {}
        for name, array in self.arrays.items():
            if name in self.formats:
                fill = self.fills.get(name, 0)
                parts |= store(name, array, fill, self.formats[name], self.also.get(name))
            else:
                parts[name] = array if array.ndim else array.item()
        shape, dtype = self.expected.shape, self.expected.dtype
        if self.result in self.formats:
            parts |= room(self.result, shape, dtype, self.formats[self.result], capacity)
        else:
            parts[self.result] = np.full(shape, 7, dtype)
        return parts

    def loaded(self, parts: dict[str, NDArray | int]) -> NDArray:
        """The result as a dense array."""
        if self.result not in self.formats:
            result = parts[self.result]
            assert isinstance(result, np.ndarray)
            return result
        fill = self.fills.get(self.result, 0)
        shape = self.expected.shape
        return load(self.result, parts, shape, fill, self.formats[self.result])

    def check(self, entry: Entry, but_nan: bool = False) -> None:
        """Runs a kernel of the statement.

        but_nan: what is NaN to NumPy, such as 0 times infinity, may be an annihilator's result.
        """
        parts = self.parts()
        entry(*[parts[parameter.name] for parameter in entry.parameters])
        found = self.loaded(parts)
        if but_nan:
            found = np.where(np.isnan(self.expected), self.expected, found)
        np.testing.assert_allclose(found, self.expected, 1e-4, 1e-5, err_msg=str(self))


def compile_many(uses: list[Use]) -> list[Entry]:
    """The kernels of statements, in libraries of some each, vectorised and not in turn."""
    entries = []
    for begin in range(0, len(uses), 40):
        some = uses[begin : begin + 40]
        level = 1 if begin // 40 % 2 else 3
        entries += compile_all([(use.text, use.options()) for use in some], level)
    return entries


# Functions.

FLOATS: dict[str, Callable[..., NDArray]] = {
    "a + b": np.add,
    "a - b": np.subtract,
    "a * b": np.multiply,
    "a / b": np.divide,
    "a % b": np.mod,
    "a // b": np.floor_divide,
    "fmod(a, b)": np.fmod,
    "a ** b": np.power,
    "min(a, b)": np.minimum,
    "max(a, b)": np.maximum,
    "abs(a) + b": lambda a, b: abs(a) + b,
    "a * relu(b)": lambda a, b: a * np.maximum(b, 0),
    "sqrt(abs(a)) * b": lambda a, b: np.sqrt(abs(a)) * b,
    "exp(a) - b": lambda a, b: np.exp(a) - b,
    "-a * b": lambda a, b: -a * b,
    "cos(a) * b": lambda a, b: np.cos(a) * b,
    "tanh(a) + sin(b)": lambda a, b: np.tanh(a) + np.sin(b),
    "sigmoid(a) * b": lambda a, b: b / (1 + np.exp(-a)),
    "floor(a) + ceil(b)": lambda a, b: np.floor(a) + np.ceil(b),
    "log(abs(a) + 1) * b": lambda a, b: np.log(abs(a) + 1) * b,
    "a * (a < b)": lambda a, b: a * (a < b),
    "(a != b) + 0.0": lambda a, b: (a != b) + 0.0,
    "a if b > 0 else 2 * a": lambda a, b: np.where(b > 0, a, 2 * a),
    "a * b + a": lambda a, b: a * b + a,
    "max(a, 0) * min(b, 0)": lambda a, b: np.maximum(a, 0) * np.minimum(b, 0),
}
BITS: dict[str, Callable[..., NDArray]] = {
    "a & b": np.bitwise_and,
    "a | b": np.bitwise_or,
    "a ^ b": np.bitwise_xor,
    "~a & b": lambda a, b: ~a & b,
    "~(a | b)": lambda a, b: ~(a | b),
    "~(a ^ b)": lambda a, b: ~(a ^ b),
    "a & (a | b)": lambda a, b: a & (a | b),
}
INTEGERS: dict[str, Callable[..., NDArray]] = {
    **BITS,
    "a + b": np.add,
    "a - b": np.subtract,
    "a * b": np.multiply,
    "min(a, b)": np.minimum,
    "max(a, b)": np.maximum,
    "(a << 2) + b": lambda a, b: (a << 2) + b,
    "abs(a) * b": lambda a, b: abs(a) * b,
}
KINDS = {
    "f32": (FLOATS, np.float32, (0, 1, INF, -INF, 2), (3.0, -2.0, 0.5)),
    "i32": (INTEGERS, np.int32, (0, 1, -1, 5), (3, -2, 7)),
    "i1": (BITS, np.bool_, (0, 1), (True, False)),
}
ONE_DIMENSION = ("csf", "bitmap", "dense", "csf:i32")


def patterns(kind: str, fill: float, length: int) -> Iterator[tuple[NDArray, NDArray]]:
    """All ways to store some of a few elements: what the array is, and what is stored as fill."""
    _, dtype, _, values = KINDS[kind]
    for states in itertools.product(range(3), repeat=length):
        array = np.array([values[k % len(values)] for k in range(length)], dtype)
        array = np.where(np.array(states) == 2, array, np.array(fill, dtype)).astype(dtype)
        yield array, np.array(states, int) == 1


def elementwise(
    text: str, function: Callable[..., NDArray], kind: str, fills: tuple[float, float]
) -> Use:
    """A statement of two arrays of three elements, in formats that follow from its text."""
    dtype = KINDS[kind][1]
    draw = random.Random(zlib.crc32(f"{text}{fills}".encode()))
    given = dict(zip("ab", fills, strict=True))
    formats = {name: draw.choice(ONE_DIMENSION) for name in given}
    if draw.random() < 0.5:
        with np.errstate(all="ignore"):
            result = function(*(np.array([fill], dtype) for fill in fills))
        formats["y"], given["y"] = "csf", float(result[0])
    written = re.sub(r"\b([ab])\b", r"\1[i]", text)
    types = dict.fromkeys("aby", kind)
    return Use(f"y[i] = {written}", {}, formats, np.zeros(3, dtype), "y", given, types=types)


@pytest.mark.parametrize("kind", KINDS)
def test_functions_of_all_fills_and_patterns(kind: str) -> None:
    """Into dense results and compressed ones; nothing is skipped that NumPy computes."""
    functions, dtype, fills, _ = KINDS[kind]
    cases = [
        (function, elementwise(text, function, kind, pair))
        for text, function in functions.items()
        for pair in itertools.product(fills, fills)
    ]
    entries = compile_many([use for _, use in cases])
    for (function, use), entry in zip(cases, entries, strict=True):
        pairs = itertools.product(*(list(patterns(kind, use.fills[name], 3)) for name in "ab"))
        for (a, a_also), (b, b_also) in itertools.islice(pairs, 0, None, 5):
            use.arrays, use.also = {"a": a, "b": b}, {"a": a_also, "b": b_also}
            with np.errstate(all="ignore"):
                use.expected = function(a, b).astype(dtype)
            use.check(entry, but_nan=True)


REDUCTIONS: dict[str, tuple[str, Callable[[NDArray], NDArray]]] = {
    "sum": ("f32", np.sum),
    "prod": ("f32", np.prod),
    "min": ("f32", lambda a: a.min(initial=INF)),
    "max": ("f32", lambda a: a.max(initial=-INF)),
    "all": ("i1", np.all),
    "any": ("i1", np.any),
    "xor": ("i32", np.bitwise_xor.reduce),
    "min ": ("i32", lambda a: a.min(initial=2**31 - 1)),
    "max ": ("i32", lambda a: a.max(initial=-(2**31))),
}


@pytest.mark.parametrize("size", [0, 4])
def test_reductions_see_the_fills(size: int) -> None:
    """Whatever the fill is, and however many elements are stored: none, some, all."""
    cases = []
    for name, (kind, function) in REDUCTIONS.items():
        _, dtype, fills, _ = KINDS[kind]
        for fill, text in itertools.product(fills, ONE_DIMENSION):
            use = Use(f"y = {name.strip()}[i](a[i])", {}, {"a": text}, np.zeros((), dtype), "y")
            use.fills, use.types = {"a": fill}, dict.fromkeys("ay", kind)
            cases.append((function, kind, use))
    entries = compile_many([use for _, _, use in cases])
    for (function, kind, use), entry in zip(cases, entries, strict=True):
        for array, also in patterns(kind, use.fills["a"], size):
            use.arrays, use.also = {"a": array}, {"a": also}
            with np.errstate(all="ignore"):
                use.expected = np.asarray(function(array), use.expected.dtype)
            use.check(entry)


# Statements.

MATRICES = ("csr", "dcsr", "coo", "csc", "bitmap", "dense", "compressed,bitmap",
            "compressed,dense", "dcsr:i32", "compressed,compressed@1,0")  # fmt: skip
RESULTS = ("", "csr", "dcsr", "coo", "bitmap", "compressed,dense", "csc", "csr:i32",
           "bitmap,compressed", "bitmap,dense", "bitmap,bitmap")  # fmt: skip


def sparse(draw: np.random.Generator, *shape: int) -> NDArray:
    array = draw.integers(1, 5, shape).astype(np.float32)
    return np.where(draw.random(shape) < 0.4, array, np.float32(0))


def statements(draw: np.random.Generator) -> Iterator[tuple[str, dict[str, NDArray], NDArray]]:
    """Statements, their arrays, and what their results `C` are."""
    a, b, d, e = (sparse(draw, 4, 5) for _ in range(4))
    m, n, x, y = sparse(draw, 5, 3), sparse(draw, 4, 3), sparse(draw, 5), sparse(draw, 4)
    u, v = draw.random((4, 7)).astype(np.float32), draw.random((7, 5)).astype(np.float32)
    t, k, w = sparse(draw, 4, 3, 5), sparse(draw, 3, 6), sparse(draw, 5, 6)
    two, three = {"A": a, "B": b}, {"A": a, "B": b, "D": d}
    yield "C[i,j] = A[i,j] + B[i,j]", two, a + b
    yield "C[i,j] = A[i,j] * B[i,j]", two, a * b
    yield "C[i,j] = A[i,j] - B[i,j]", two, a - b
    yield "C[i,j] = (A[i,j] + B[i,j]) * D[i,j]", three, (a + b) * d
    yield "C[i,j] = A[i,j] * B[i,j] + D[i,j]", three, a * b + d
    yield "C[i,j] = A[i,j] * B[i,j] + D[i,j] * E[i,j]", {**three, "E": e}, a * b + d * e
    yield "C[i,j] = A[i,j] * (1 + B[i,j])", two, a * (1 + b)
    yield "C[i,j] = A[i,j] if B[i,j] > 2 else D[i,j]", three, np.where(b > 2, a, d)
    yield "C[i,j] = A[i,j] + 1", {"A": a}, a + 1
    yield "C[i,j] = X[i] * A[i,j]", {"A": a, "X": y}, y[:, None] * a
    yield "C[i,j] = A[j,i] + B[j,i]", {"A": a.T.copy(), "B": b.T.copy()}, a + b
    yield "C[i] = sum[j](A[i,j] * X[j])", {"A": a, "X": x}, a @ x
    yield "C[j] = sum[i](A[i,j] * X[i])", {"A": a, "X": y}, a.T @ y
    yield "C[i] = sum[j](A[i,j] + 1)", {"A": a}, (a + 1).sum(1)
    yield "C[i] = max[j](A[i,j] * B[i,j] - 1)", two, (a * b - 1).max(1)
    yield "C[i] = sum[j](A[i,j]) * max[j](B[i,j])", two, a.sum(1) * b.max(1)
    yield "C[i,j] = sum[k](A[i,k] * B[k,j])", {"A": a, "B": m}, a @ m
    yield "C[i,j] = sum[k](A[i,k] * B[k,j]) + D[i,j]", {"A": a, "B": m, "D": n}, a @ m + n
    yield "C[i,j] = A[i,j] * sum[k](U[i,k] * V[k,j])", {"A": a, "U": u, "V": v}, a * (u @ v)
    yield (
        "C[i,j] = sum[k,l](T[i,k,l] * K[k,j] * W[l,j])",
        {"T": t, "K": k, "W": w},
        np.einsum("ikl,kj,lj->ij", t, k, w),
    )
    yield "C[i,k] = sum[j](T[i,k,j] * X[j])", {"T": t, "X": x}, t @ x
    yield "C[i] = sum[j if A[i,j] > 1](A[i,j] * X[j])", {"A": a, "X": x}, np.where(a > 1, a, 0) @ x
    yield "C[i,j] += A[i,j]", {"A": a}, a + 7


FORMATS_OF_RANK = {
    1: ("", *ONE_DIMENSION),
    2: ("", *MATRICES),
    3: ("csf", "coo", "dense", "dense,dense,compressed", "compressed,compressed,compressed@2,0,1",
        "dense,compressed,bitmap"),
}  # fmt: skip
RESULTS_OF_RANK = {1: ("", "csf", "bitmap"), 2: RESULTS}


def draw_uses(seed: int, rounds: int) -> Iterator[Use]:
    for number in range(rounds):
        draw = np.random.default_rng([seed, number])
        for text, arrays, expected in statements(draw):
            choices = {name: FORMATS_OF_RANK[array.ndim] for name, array in arrays.items()}
            if "+=" not in text:
                choices["C"] = RESULTS_OF_RANK[expected.ndim]
            formats = {name: str(draw.choice(some)) for name, some in choices.items()}
            formats = {name: chosen for name, chosen in formats.items() if chosen}
            fills = {}
            if "C" in formats and "A[i,j] + 1" in text:
                fills = {"C": 1.0}
            also = {name: draw.random(array.shape) < 0.1 for name, array in arrays.items()}
            result = expected.astype(np.float32)
            yield Use(text, arrays, formats, result, "C", fills, also)


@pytest.mark.parametrize("seed", range(4))
def test_statements_in_drawn_formats(seed: int) -> None:
    uses = list(draw_uses(seed, 5))
    for use, entry in zip(uses, compile_many(uses), strict=True):
        use.check(entry)


@pytest.mark.parametrize("number", range(0, 23, 2))
def test_statements_at_every_level(number: int, tmp_path: Path) -> None:
    """The program of loops at levels and targets that follow from the statement."""
    use = list(draw_uses(9, 1))[number]
    file = tmp_path / "loops.mlir"
    call("emberc", f"--notation={use.text}", *use.options(), "--emit=loops", "-o", file)
    line = next(line for line in file.read_text().splitlines() if "func.func" in line)
    names = [part.split('"')[0] for part in line.split('ember.name = "')[1:]]
    parts = use.parts()
    saved = [name for name in names if name.split("_")[0] == use.result]
    saved = [name for name in saved if isinstance(parts[name], np.ndarray)]
    draw = random.Random(zlib.crc32(use.text.encode()))
    for way in [WAYS[0], *draw.sample(WAYS[1:], 6)]:
        saves = [f"save={names.index(name)}" for name in saved]
        arrays = run_program(file, way, [parts[name] for name in names], tmp_path / "run", saves)
        found = use.loaded(parts | dict(zip(saved, arrays, strict=True)))
        np.testing.assert_allclose(found, use.expected, 1e-4, 1e-5, err_msg=f"{way.name} {use}")


def test_results_store_what_operands_store_alone() -> None:
    """Positions of results, whatever values are: as many as there are coordinates to visit."""
    draw = np.random.default_rng(3)
    a, b, m = (draw.random(shape) < 0.1 for shape in ((40, 70), (40, 70), (70, 200)))
    arrays = {name: mask.astype(np.float32) for name, mask in {"A": a, "B": b, "M": m}.items()}
    patterns = {
        "C[i,j] = A[i,j] + B[i,j]": a | b,
        "C[i,j] = A[i,j] * B[i,j]": a & b,
        "C[i,j] = A[i,j] - A[i,j]": a,
        "C[i,j] = sum[k](A[i,k] * M[k,j])": (a.astype(int) @ m) > 0,
        "C[i,j] = A[i,j] * sum[k](B[i,k] * B[j,k])": a[:, :40],
        "C[j,i] = sum[k](A[i,k] * M[k,j])": np.ones((200, 40), bool),
    }
    for text, stored in patterns.items():
        formats = {name: "csr" for name in "ABMC" if f"{name}[" in text}
        given = {name: array for name, array in arrays.items() if name in formats}
        if "B[j,k]" in text:
            given["A"] = given["A"][:, :40]
        (entry,) = compile_all([(text, [f"--format={name}:csr" for name in formats])])
        use = Use(text, given, formats, np.zeros(stored.shape, np.float32), "C")
        parts = use.parts(capacity=10000)
        entry(*[parts[parameter.name] for parameter in entry.parameters])
        positions = parts["C_positions1"]
        assert isinstance(positions, np.ndarray)
        np.testing.assert_array_equal(np.diff(positions), stored.sum(1), err_msg=text)


@pytest.mark.parametrize(
    "text", ["y[i] = a[i] * b[i]", "y[i] = a[i] * b[i] * c[i]", "y = sum[i](a[i] * b[i])",
             "y[i] = a[i] * (b[i] + c[i])"],
)  # fmt: skip
def test_short_operands_lead(text: str) -> None:
    """Operands of very different lengths, each of them the shortest once."""
    draw = np.random.default_rng(8)
    names = [name for name in "abc" if f"{name}[" in text]
    (entry,) = compile_all([(text, [f"--format={name}:csf" for name in names])])
    for densities in itertools.permutations((0.005, 0.9, 0.5)):
        arrays = {
            name: np.where(draw.random(500) < density, draw.random(500), 0).astype(np.float32)
            for name, density in zip(names, densities, strict=False)
        }
        a, b, c = (arrays.get(name, np.ones(500, np.float32)) for name in "abc")
        expected = a * (b + c) if "+" in text else a * b * c
        if "sum" in text:
            expected = expected.sum()
        formats = dict.fromkeys(names, "csf")
        Use(text, arrays, formats, np.asarray(expected, np.float32), "y").check(entry)


# What is wrong with arrays.


def damaged(name: str) -> dict[str, NDArray | int]:
    """Parts of a statement on matrices, one of which is damaged."""
    array = np.ones((3, 4), np.float32)
    parts = store("A", array, 0, "csr") | store("B", array, 0, "csr")
    parts |= room("C", (3, 4), np.dtype(np.float32), "csr", 12)
    part = parts[name]
    assert isinstance(part, np.ndarray)
    return parts


@pytest.mark.parametrize(
    ("part", "change", "message"),
    [
        ("A_coordinates1", lambda c: c[::-1], "coordinates of A"),
        (
            "A_coordinates1",
            lambda c: np.where(c == 2, 1, c),
            "coordinates of A or B do not increase",
        ),
        ("A_coordinates1", lambda c: np.where(c == 3, 9, c), "out of bounds"),
        ("B_coordinates1", lambda c: c - 1, "coordinates of A or B do not increase"),
        ("A_positions1", lambda p: p * 2, "out of range for dimension 0 of 'A_coordinates1'"),
        ("A_positions1", lambda p: p - 1, "out of range for dimension 0 of 'A_coordinates1'"),
        ("A_positions1", lambda p: p[:-1], "length of A_positions1 is not 1 + dimension 0 of A"),
        ("A_positions1", lambda p: np.append(p, p[-1:]), "length of A_positions1 is not 1 + "),
        ("A_values", lambda v: v[:-1], "out of range for dimension 0 of 'A_values'"),
        ("C_values", lambda v: v[:5], "out of range for dimension 0 of 'C_values' of size 5"),
        ("C_coordinates1", lambda c: c[:5], "dimension 0 of 'C_coordinates1' of size 5"),
        ("C_positions1", lambda p: p[:2], "dimension 0 of 'C_positions1' of size 2"),
    ],
)
@pytest.mark.parametrize("opt_level", [0, 3])
def test_damaged_arrays_are_one_error(
    part: str, change: Callable[[NDArray], NDArray], message: str, opt_level: int
) -> None:
    formats = [f"--format={name}:csr" for name in "ABC"]
    (entry,) = compile_all([("C[i,j] = A[i,j] + B[i,j]", formats)], opt_level)
    parts = damaged(part)
    parts[part] = np.ascontiguousarray(change(np.asarray(parts[part])))
    with pytest.raises(EmberError, match=re.escape(message)):
        entry(*[parts[parameter.name] for parameter in entry.parameters])


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("y[i] = A[i,j]", ["--format=A:cxr"], "'cxr' is no format of that many"),
        ("y[i] = A[i,j]", ["--format=A:dense"], ""),
        ("y[i] = A[i,j]", ["--format=A:dense,compressed@0,0"], "names each dimension"),
        ("y[i] = A[i,j]", ["--format=A:singleton,dense"], "no coordinates above it"),
        ("y[i] = A[i,j]", ["--format=A:dense,compressed(nonunique)"], "not unique"),
        ("y[i] = A[i,j]", ["--format=B:csr"], "a format of 'B' is given"),
        ("y[i] = A[i,j]", ["--fill=A:1"], "has a fill and no format"),
        ("y[i] = a", ["--format=a:csr"], "'a' has 0 dimensions"),
        ("y[i] = A[i]", ["--format=A:csf", "--type=A:i1", "--fill=A:2"], "no number of type 'i1'"),
        ("y[i] += A[i]", ["--format=y:csf"], "in a format and is appended to"),
        ("y[i] = A[i] * y[i]", ["--format=y:csf"], "reads y, which is in a format"),
        ("y[i+1] = A[i]", ["--format=y:csf"], "at an index that is no variable"),
        ("y[i] = A[i]; y[j] = B[j]", ["--format=y:csf"], "only one can append"),
        ("y[p] = A[b] for b, p in q[b]:q[b+1]", ["--format=y:csf"], "in another order"),
        ("y[i] = A[i] + A_values[i]", ["--format=A:csf"], "are called"),
    ],
)
def test_errors_of_formats(text: str, options: list[str], message: str) -> None:
    command = [str(find_tool("emberc")), f"--notation={text}", *options, "--emit=loops"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == (1 if message else 0), done.stderr
    assert message in done.stderr
    assert done.stderr.count("error:") == (1 if message else 0)
