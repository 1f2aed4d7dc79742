"""The listings and figures of chapter 3 of Hsu's dissertation, as statements at every level.

Those that define functions are in test_user_functions.py, and section 3.6.2, rule by rule, in
test_iteration_rules.py.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from ember.compiler import find_tool
from numpy.typing import NDArray
from program_runs import WAYS, Way
from sparse_uses import Use
from statement_cases import entries_in

Array = NDArray[Any]
RNG = np.random.default_rng(3)
INF = np.inf


@dataclass
class Listing(Use):
    """A statement with a schedule. unstored: arrays that store no 0."""

    schedule: str = ""
    unstored: str = ""

    def options(self) -> list[str]:
        """What emberc is told of the arrays, and of loops."""
        more = [f"--fill={name}:0:unstored" for name in self.unstored]
        return [*super().options(), *more, *([f"--schedule={self.schedule}"] * bool(self.schedule))]


def drawn(fill: float, *shape: int, dtype: type = np.float32, density: float = 0.4) -> Array:
    """Small numbers where something is stored, and else the fill."""
    return np.where(RNG.random(shape) < density, RNG.integers(-4, 9, shape), fill).astype(dtype)


def listing(
    text: str,
    arrays: dict[str, Array],
    formats: dict[str, str],
    compute: Callable[..., Array],
    **options: Any,
) -> Listing:
    """A statement, whose result is a function of its arrays in their order."""
    with np.errstate(all="ignore"):
        expected = np.asarray(compute(*arrays.values()))
    kind = next(iter(arrays.values())).dtype
    result = text.partition("=")[0].partition("[")[0].strip()
    return Listing(text, arrays, formats, expected.astype(kind), result, **options)


def kinds(type: str, names: str) -> dict[str, str]:
    return dict.fromkeys(names, type)


B, C = drawn(0, 6, 9, dtype=np.int32), drawn(0, 9, 7, dtype=np.int32, density=0.9)
SPMM = {"B": B, "C": C}
STORED = {"A": "csr", "B": "csr", "C": "dense,dense@1,0"}
BASE, POWER, MASK = drawn(0, 6, 8), drawn(0, 6, 8) % 4, RNG.random((6, 8)) < 0.4
ONES = drawn(1, 5, 7)
CUBES = [RNG.random((3, 4, 5)) < 0.5 for _ in range(3)]
WINDOWS = [drawn(0, 10, 10) for _ in range(2)]
VECTORS = [drawn(0, 8) for _ in range(2)]
BITS = [RNG.random((5, 8)) < 0.4 for _ in range(3)]
GRAPH, FRONTIER, SEEN = BITS[0], BITS[1][0], BITS[2].any(0)[:5] ^ (np.arange(5) % 2 == 0)
ROADS, PATHS, DISTANCES = drawn(INF, 5, 8), drawn(INF, 8, 6), drawn(INF, 8)
INTEGERS = [drawn(0, 6, 8, dtype=np.int32), abs(drawn(0, 6, 8, dtype=np.int32)) % 8]
GAME = drawn(np.nan, 3, 4, 5)


LISTINGS = {
    # The inner product's order of loops, and that of rows.
    "figure 3.1": listing(
        "A[i,j] = B[i,k] * C[k,j]",
        SPMM,
        STORED,
        np.matmul,
        types=kinds("i32", "ABC"),
        schedule="reorder(i, j, k)",
    ),
    "figure 3.2": listing(
        "A[i,j] = B[i,k] * C[k,j]",
        SPMM,
        STORED,
        np.matmul,
        types=kinds("i32", "ABC"),
        schedule="reorder(i, k, j)",
    ),
    "figure 3.2, split": listing(
        "A[i,j] = B[i,k] * C[k,j]",
        SPMM,
        {"B": "csr", "C": "dense,dense@1,0"},
        np.matmul,
        types=kinds("i32", "ABC"),
        schedule="reorder(i, k, j) split(j, jo, ji, 8)",
    ),
    "table 3.1": listing(
        "A[i,j] = sum[k](B[i,k] * C[k,j])",
        SPMM,
        {"A": "csr", "B": "csr", "C": "csr"},
        np.matmul,
        types=kinds("i32", "ABC"),
        schedule="precompute(B[i,k] * C[k,j] over j)",
    ),
    "figure 3.3": listing(
        "y[i] = x[i] * 2; y[i] += z[i] + 1",
        {"x": VECTORS[0], "z": VECTORS[1]},
        {"x": "csf", "z": "csf"},
        lambda x, z: 2 * x + z + 1,
    ),
    "section 3.1": listing("y[i] = sum[j](A[i,j])", {"A": BASE}, {"A": "csr"}, lambda a: a.sum(1)),
    "figure 3.5, sum": listing(
        "A[i,j] = B[i,j] + C[i,j]",
        {"B": BASE, "C": POWER},
        {"A": "csr", "B": "csr", "C": "csr"},
        np.add,
    ),
    "figure 3.5, product": listing(
        "A[i,j] = B[i,j] * C[i,j]",
        {"B": BASE, "C": POWER},
        {"A": "csr", "B": "csr", "C": "csr"},
        np.multiply,
    ),
    "figure 3.5, power": listing(
        "A[i,j] = (B[i,j] ** C[i,j]) * (not D[i,j])",
        {"B": BASE, "C": POWER, "D": MASK},
        {"A": "csr", "B": "csr", "C": "csr", "D": "csr"},
        lambda b, c, d: b**c * ~d,
        types={"D": "i1"},
    ),
    "figure 3.5, power, ones left out": listing(
        "A[i,j] = (B[i,j] ** C[i,j]) * (not D[i,j])",
        {"B": BASE, "C": POWER, "D": MASK},
        {"A": "csr", "B": "csr", "C": "csr", "D": "csr"},
        lambda b, c, d: b**c * ~d,
        types={"D": "i1"},
        fills={"A": 1},
    ),
    "figure 3.10, zeros": listing(
        "C[i,j] = A[i,j]", {"A": BASE}, {"A": "csr", "C": "csr"}, np.copy
    ),
    "figure 3.10, ones": listing(
        "C[i,j] = A[i,j]", {"A": ONES}, {"A": "csr", "C": "coo"}, np.copy, fills={"A": 1, "C": 1}
    ),
    "figure 3.10, coordinates": listing(
        "C[i,j] = A[i,j] * A[i,j]",
        {"A": ONES},
        {"A": "coo", "C": "csr"},
        np.square,
        fills={"A": 1, "C": 1},
    ),
    "figure 3.11, windows": listing(
        "A[i,j] = B[i(0:2),j(0:2)] + C[i(1:3),j(2:4)]",
        {"B": WINDOWS[0], "C": WINDOWS[1]},
        {"B": "csr", "C": "csr"},
        lambda b, c: b[0:2, 0:2] + c[1:3, 2:4],
    ),
    "figure 3.11, strides": listing(
        "a[i] = b[i(0:8:2)] + c[i(0:8:2)]",
        {"b": VECTORS[0], "c": VECTORS[1]},
        {"b": "csf", "c": "csf"},
        lambda b, c: b[0:8:2] + c[0:8:2],
    ),
    "section 3.5.2, xor": listing(
        "A[i,j,k] = xor(B[i,j,k], C[i,j,k], D[i,j,k])",
        dict(zip("BCD", CUBES, strict=True)),
        {"A": "csf", "B": "csf", "C": "csf", "D": "csf"},
        lambda b, c, d: b ^ c ^ d,
        types=kinds("i1", "ABCD"),
    ),
    "section 3.5.2, min": listing(
        "y[i] = min[j](A[i,j])", {"A": ROADS}, {"A": "csr"}, lambda a: a.min(1), fills={"A": INF}
    ),
    "figure 3.12": listing(
        "a[i,j] = x[i,j] & y[i,j]",
        {"x": INTEGERS[0], "y": INTEGERS[1]},
        {"a": "csr", "x": "csr", "y": "csr"},
        np.bitwise_and,
        types=kinds("i32", "axy"),
    ),
    "section 3.6.1, product": listing(
        "c[i] = sum[j](A[i,j] * b[j])",
        {"A": BASE, "b": drawn(0, 8)},
        {"A": "csr", "b": "csf"},
        np.matmul,
    ),
    "section 3.6.1, complement": listing(
        "C[i,j] = A[i,j] and not B[i,j]",
        {"A": BITS[0], "B": BITS[1]},
        {"A": "csr", "B": "csr", "C": "csr"},
        lambda a, b: a & ~b,
        types=kinds("i1", "ABC"),
    ),
    "figure 3.13": listing(
        "y[i] = max(max(A[i], B[i]), C[i])",
        {"A": drawn(INF, 30), "B": drawn(INF, 30), "C": drawn(0, 30)},
        {"A": "csf", "B": "csf", "C": "csf", "y": "csf"},
        lambda a, b, c: np.maximum(np.maximum(a, b), c),
        fills={"A": INF, "B": INF, "y": INF},
    ),
    "figure 3.14": listing(
        "y[i] = min(A[i], B[i])",
        {"A": drawn(7, 30), "B": drawn(7, 30)},
        {"A": "csf", "B": "csf", "y": "csf"},
        np.minimum,
        fills={"A": 7, "B": 7, "y": 7},
    ),
    "figure 3.15": listing(
        "y[i] = max(A[i], B[i])",
        {"A": drawn(42, 30), "B": drawn(-INF, 30)},
        {"A": "csf", "B": "csf", "y": "csf"},
        np.maximum,
        fills={"A": 42, "B": -INF, "y": 42},
    ),
    "section 3.6.2, quotient": listing(
        "y[i] = a[i] / b[i]",
        {"a": drawn(0, 30), "b": np.where(drawn(1, 30) == 0, 1, drawn(1, 30) + 9)},
        {"a": "csf", "b": "csf", "y": "csf"},
        np.divide,
        fills={"b": 1},
    ),
    "figure 3.16, logical_xor": listing(
        "C[i,j] = A[i,j] ^ B[i,j]",
        {"A": BITS[0], "B": BITS[1]},
        {"A": "csr", "B": "csr", "C": "csr"},
        np.logical_xor,
        types=kinds("i1", "ABC"),
        unstored="AB",
    ),
    "figure 3.16, ldexp": listing(
        "C[i,j] = A[i,j] * 2 ** B[i,j]",
        {"A": BASE, "B": POWER},
        {"A": "csr", "B": "csr", "C": "csr"},
        lambda a, b: np.ldexp(a, b.astype(int)),
    ),
    "figure 3.16, right_shift": listing(
        "C[i,j] = A[i,j] >> B[i,j]",
        {"A": INTEGERS[0], "B": INTEGERS[1]},
        {"A": "csr", "B": "csr", "C": "csr"},
        np.right_shift,
        types=kinds("i32", "ABC"),
    ),
    "figure 3.16, power": listing(
        "C[i,j] = A[i,j] ** B[i,j]",
        {"A": BASE, "B": POWER},
        {"A": "csr", "B": "csr", "C": "csr"},
        np.power,
        fills={"C": 1},
    ),
    **{
        f"figure 3.20, {name}": listing(
            f"D[i,j] = {text}",
            dict(zip("ABC", BITS, strict=True)),
            {"A": "csr", "B": "dcsr", "C": "csr", "D": "csr"},
            compute,
            types=kinds("i1", "ABCD"),
        )
        for name, text, compute in (
            ("and of xor", "(A[i,j] ^ B[i,j]) and C[i,j]", lambda a, b, c: (a ^ b) & c),
            ("calls", "and(xor(A[i,j], B[i,j]), C[i,j])", lambda a, b, c: (a ^ b) & c),
            ("or of calls", "or(xor(A[i,j], B[i,j]), C[i,j])", lambda a, b, c: (a ^ b) | c),
            ("or of xor", "(A[i,j] ^ B[i,j]) or C[i,j]", lambda a, b, c: (a ^ b) | c),
            ("xor of xor", "(A[i,j] ^ B[i,j]) ^ C[i,j]", lambda a, b, c: a ^ b ^ c),
            ("xor of and", "(A[i,j] and B[i,j]) ^ C[i,j]", lambda a, b, c: (a & b) ^ c),
        )
    },
    **{
        f"figure 3.23, {name}": listing(
            f"C[i,j] = A[{slices}] + B[{slices}]",
            {"A": WINDOWS[0], "B": WINDOWS[1]},
            {"A": "csr", "B": "csr"},
            compute,
        )
        for name, slices, compute in (
            ("all but the ends", "i(1:9),j(1:9)", lambda a, b: (a + b)[1:9, 1:9]),
            ("a part of the rows", "i(2:5),j(0:10)", lambda a, b: (a + b)[2:5]),
        )
    },
    **{
        f"figure 3.24, steps of {step}": listing(
            f"C[i,j] = A[i(0:10:{step}),j(0:10:{step})] + B[i(0:10:{step}),j(0:10:{step})]",
            {"A": WINDOWS[0], "B": WINDOWS[1]},
            {"A": "csr", "B": "csr"},
            lambda a, b, step=step: (a + b)[::step, ::step],
        )
        for step in (2, 4, 8)
    },
    "table 3.4, boolean": listing(
        "y[i] = any[j](A[i,j] and x[j]) and not m[i]",
        {"A": GRAPH, "x": FRONTIER, "m": SEEN},
        {"A": "csr", "x": "bitmap"},
        lambda a, x, m: (a & x).any(1) & ~m,
        types=kinds("i1", "yAxm"),
    ),
    "table 3.4, tropical": listing(
        "y[i] = min[j](A[i,j] + x[j]) if not m[i] else inf",
        {"A": ROADS, "x": DISTANCES, "m": SEEN},
        {"A": "csr", "x": "bitmap"},
        lambda a, x, m: np.where(m, INF, (a + x).min(1)),
        types={"m": "i1"},
        fills={"A": INF, "x": INF},
    ),
    "table 3.5, boolean": listing(
        "A[i,j] = any[k](B[i,k] and C[k,j])",
        {"B": BITS[0], "C": BITS[1].T.copy()},
        {"A": "csr", "B": "csr", "C": "csr"},
        lambda b, c: (b.astype(int) @ c.astype(int)) > 0,
        types=kinds("i1", "ABC"),
    ),
    "table 3.5, tropical": listing(
        "A[i,j] = min[k](B[i,k] + C[k,j])",
        {"B": ROADS, "C": PATHS},
        {"A": "csr", "B": "csr", "C": "csr"},
        lambda b, c: (b[:, :, None] + c[None]).min(1),
        fills={"A": INF, "B": INF, "C": INF},
    ),
    "figure 3.25": listing(
        "E[i,j] = (T[i,j] and R[i,j]) ^ (S[i,j] and R[i,j])",
        dict(zip("TSR", BITS, strict=True)),
        {"T": "csr", "S": "csr", "R": "csr", "E": "csr"},
        lambda t, s, r: (t & r) ^ (s & r),
        types=kinds("i1", "ETSR"),
    ),
    "figure 3.27": listing(
        "opt = max[i](min[j](max[k](A[i,j,k])))",
        {"A": np.nan_to_num(GAME)},
        {},
        lambda a: a.max(2).min(1).max(),
    ),
    "figure 3.27, pruned": listing(
        "opt[i] = min[j](max[k](A[i,j,k]))",
        {"A": np.where(np.isnan(GAME), -INF, GAME)},
        {"A": "csf"},
        lambda a: a.max(2).min(1),
        fills={"A": -INF},
    ),
}


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_at_every_level(way: Way) -> None:
    for name, entry in entries_in(
        {name: use.statement() for name, use in LISTINGS.items()}, way, levels=2
    ):
        LISTINGS[name].check(entry, way=f"{name}, {way.name}")


def test_what_a_schedule_cannot_do_is_said() -> None:
    """Figure 3.2 splits an index of a result that is appended to in order."""
    use = LISTINGS["figure 3.2, split"]
    options = [*use.options(), "--format=A:csr", "--emit=loops"]
    command = [str(find_tool("emberc")), f"--notation={use.text}", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.count("error:") == 1
    assert "split" in done.stderr
