"""Arrays in formats: every function on every fill and pattern, statements in all formats.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import itertools
import re
import subprocess
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from ember.compiler import find_tool
from ember.errors import EmberError
from notation_kernels import SEED, compile_all
from numpy.typing import NDArray
from program_runs import WAYS, Way
from sparse_arrays import room, store
from sparse_uses import Use, compile_many
from statement_cases import entries_in

INF = np.inf


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


VECTORS = ("csf", "bitmap", "dense", "csf:i32")
FORMATS_OF_RANK = {
    1: ("", *VECTORS),
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


@pytest.mark.parametrize("seed", [int(SEED)] if SEED.isdecimal() else range(4))
def test_statements_in_drawn_formats(seed: int) -> None:
    uses = list(draw_uses(seed, 5))
    for use, entry in zip(uses, compile_many(uses), strict=True):
        use.check(entry)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_statements_at_every_level(way: Way) -> None:
    uses = {use.text: use for use in draw_uses(9, 1)}
    for text, entry in entries_in(
        {text: use.statement() for text, use in uses.items()}, way, levels=2
    ):
        uses[text].check(entry, way=way.name)


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
        "C[j,i] = sum[k](A[i,k] * M[k,j])": ((a.astype(int) @ m) > 0).T,
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
        ("A_coordinates1", lambda c: np.where(c == 3, 9, c), "index 9 at position 3 of"),
        ("B_coordinates1", lambda c: c - 1, "coordinates of A or B do not increase"),
        ("A_positions1", lambda p: p + p // 12, "dimension 0 of coordinates of level 1 of 'A'"),
        ("A_positions1", lambda p: p - 1, "dimension 0 of coordinates of level 1 of 'A'"),
        ("A_positions1", lambda p: p[:-1], "length of positions of level 1 of 'A' is not 1 + dim"),
        ("A_positions1", lambda p: np.append(p, p[-1:]), "positions of level 1 of 'A' is not 1 +"),
        ("A_values", lambda v: v[:-1], "out of range for dimension 0 of values of 'A'"),
        ("C_values", lambda v: v[:5], "out of range for dimension 0 of values of 'C' of size 5"),
        ("C_coordinates1", lambda c: c[:5], "dimension 0 of coordinates of level 1 of 'C' of size"),
        ("C_positions1", lambda p: p[:2], "dimension 0 of positions of level 1 of 'C' of size 2"),
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
