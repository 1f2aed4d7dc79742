"""Arrays whose fill is missing: functions need all operands, reductions combine what there is.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ember.compiler import find_tool
from notation_kernels import compile_all, program, ways_of
from numpy.typing import NDArray
from program_runs import Way, run_program
from sparse_arrays import load, room, store

NAN = np.nan

Array = NDArray[Any]


@dataclass
class Use:
    """A statement. In arrays whose fill is missing, NaN stands for what is missing."""

    text: str
    arrays: dict[str, Array]
    formats: dict[str, str]
    expected: Array
    result: str = "C"
    #: Of those that have a number for a fill.
    fills: dict[str, float] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)

    def options(self) -> list[str]:
        """What emberc is told of the arrays."""
        options = [f"--type={name}:{kind}" for name, kind in self.types.items()]
        for name, kind in self.formats.items():
            options.append(f"--format={name}:{kind}")
            options.append(f"--fill={name}:{self.fills.get(name, 'missing')}")
        return options

    def parts(self) -> dict[str, NDArray[Any] | int]:
        """What the kernel takes, by name."""
        parts: dict[str, NDArray[Any] | int] = {}
        for name, array in self.arrays.items():
            if name in self.formats:
                parts |= store(name, array, self.fills.get(name, NAN), self.formats[name])
            else:
                parts[name] = array
        shape, dtype = self.expected.shape, self.expected.dtype
        if self.result in self.formats:
            parts |= room(self.result, shape, dtype, self.formats[self.result], 64)
        else:
            parts[self.result] = np.full(shape, 7, dtype)
        return parts

    def loaded(self, parts: dict[str, NDArray[Any] | int]) -> NDArray[Any]:
        """The result as a dense array."""
        if self.result not in self.formats:
            result = parts[self.result]
            assert isinstance(result, np.ndarray)
            return result
        fill = self.fills.get(self.result, NAN)
        return load(self.result, parts, self.expected.shape, fill, self.formats[self.result])


def check(uses: list[Use]) -> None:
    """Runs kernels of statements."""
    entries = compile_all([(use.text, use.options()) for use in uses])
    for use, entry in zip(uses, entries, strict=True):
        parts = use.parts()
        entry(*[parts[parameter.name] for parameter in entry.parameters])
        np.testing.assert_allclose(
            use.loaded(parts), use.expected, 1e-5, 1e-6, equal_nan=True, err_msg=str(use)
        )


def drawn(rng: np.random.Generator, *shape: int, density: float = 0.6) -> Array:
    """Small integers, zeros among them, of which some are missing."""
    values = rng.integers(-2, 3, shape).astype(np.float32)
    return np.where(rng.random(shape) < density, values, NAN).astype(np.float32)


def where_all(value: NDArray[Any], *operands: Array) -> Array:
    """A value, missing where one of the operands is."""
    missing = np.any([np.isnan(operand) for operand in operands], axis=0)
    return np.where(missing, NAN, value).astype(np.float32)


FUNCTIONS: dict[str, Callable[[Array, Array], NDArray[Any]]] = {
    "{a} + {b}": np.add,
    "{a} - {b}": np.subtract,
    "{a} * {b}": np.multiply,
    "min({a}, {b})": np.minimum,
    "max({a}, {b})": np.maximum,
    "{a} if {b} > 0 else 2 * {a}": lambda a, b: np.where(b > 0, a, 2 * a),
    "({a} < {b}) + 0.0": lambda a, b: (a < b) + 0.0,
    "abs({a}) - relu({b})": lambda a, b: abs(a) - np.maximum(b, 0),
    "0 * {a} * {b} + 1": lambda a, b: np.ones_like(a),
}

FORMATS = ("csr", "dcsr", "bitmap")


def test_functions_need_all_operands() -> None:
    """A function has a value where all operands have one, whatever identities it has."""
    rng = np.random.default_rng(1)
    uses = []
    for number, (text, function) in enumerate(FUNCTIONS.items()):
        a, b = drawn(rng, 4, 5), drawn(rng, 4, 5)
        with np.errstate(invalid="ignore"):
            expected = where_all(function(a, b), a, b)
        for turn in range(2):
            kinds = [FORMATS[(number + 2 * turn + k) % 3] for k in range(2)] + ["csr"]
            spelled = text.format(a="A[i,j]", b="B[i,j]")
            uses.append(
                Use(
                    f"C[i,j] = {spelled}",
                    {"A": a, "B": b},
                    dict(zip("ABC", kinds, strict=True)),
                    expected,
                )
            )
    check(uses)


def test_numbers_and_dense_arrays_are_never_missing() -> None:
    """What has a number for a fill, or is dense, takes part everywhere."""
    rng = np.random.default_rng(2)
    a, x = drawn(rng, 4, 5), rng.random((4, 5), np.float32)
    z = np.where(rng.random((4, 5)) < 0.5, rng.random((4, 5)), 0).astype(np.float32)
    check(
        [
            Use("C[i,j] = A[i,j] + x[i,j]", {"A": a, "x": x}, {"A": "csr", "C": "csr"}, a + x),
            Use(
                "C[i,j] = A[i,j] + Z[i,j]",
                {"A": a, "Z": z},
                {"A": "csr", "C": "csr", "Z": "csr"},
                a + z,
                fills={"Z": 0},
            ),
            Use(
                "C[i,j] = A[i,j] * Z[i,j]",
                {"A": a, "Z": z},
                {"A": "dcsr", "C": "dcsr", "Z": "csr"},
                a * z,
                fills={"Z": 0},
            ),
            # What is not assigned to an array with a number for a fill is that number.
            Use(
                "C[i,j] = A[i,j] + 1",
                {"A": a},
                {"A": "csr", "C": "csr"},
                np.where(np.isnan(a), 5, a + 1).astype(np.float32),
                fills={"C": 5},
            ),
            # All elements of a dense array exist, and are stored.
            Use("C[i,j] = 0 * x[i,j]", {"x": x}, {"C": "csr"}, np.zeros_like(x)),
        ]
    )


def test_coalesce_takes_what_there_is() -> None:
    """The first operand that is not missing: unions, and values for what is missing."""
    rng = np.random.default_rng(3)
    a, b = drawn(rng, 4, 5), drawn(rng, 4, 5)
    union = np.where(np.isnan(a), b, np.where(np.isnan(b), a, a + b))
    csr = {"A": "csr", "B": "csr", "C": "csr"}
    check(
        [
            Use(
                "C[i,j] = coalesce(A[i,j] + B[i,j], coalesce(A[i,j], B[i,j]))",
                {"A": a, "B": b},
                csr,
                union,
            ),
            Use(
                "C[i,j] = coalesce(A[i,j], 9)",
                {"A": a},
                {"A": "csr"},
                np.where(np.isnan(a), 9, a).astype(np.float32),
            ),
            Use(
                "C[i,j] = coalesce(A[i,j], 0) - coalesce(B[i,j], 1)",
                {"A": a, "B": b},
                {"A": "csr", "B": "bitmap"},
                np.where(np.isnan(a), 0, a) - np.where(np.isnan(b), 1, b),
            ),
        ]
    )


REDUCTIONS: dict[str, tuple[Callable[..., NDArray[Any]], float]] = {
    "sum": (np.nansum, 0.0),
    "prod": (np.nanprod, 1.0),
    "min": (np.nanmin, np.inf),
    "max": (np.nanmax, -np.inf),
}


@pytest.mark.filterwarnings("ignore:All-NaN")
def test_reductions_combine_what_there_is() -> None:
    """Of nothing they are missing, and in a dense array their identity."""
    rng = np.random.default_rng(4)
    a = drawn(rng, 5, 6)
    a[2] = NAN
    uses = []
    for name, (function, identity) in REDUCTIONS.items():
        combined = function(a, axis=1).astype(np.float32)
        missing = np.isnan(a).all(axis=1)
        for kind in ("csr", "dcsr", "coo"):
            text = f"C[i] = {name}[j](A[i,j])"
            dense = np.where(missing, identity, combined).astype(np.float32)
            uses.append(Use(text, {"A": a}, {"A": kind}, dense))
            if kind != "coo":
                sparse = np.where(missing, NAN, combined).astype(np.float32)
                uses.append(Use(text, {"A": a}, {"A": kind, "C": "csf"}, sparse))
    check(uses)


def combined(terms: Array, function: Callable[..., NDArray[Any]]) -> Array:
    """A reduction over the last axis of what is not missing."""
    missing = np.asarray(np.isnan(terms).all(axis=-1))
    filled = np.where(missing[..., None], 0, terms)
    return np.where(missing, NAN, function(filled, axis=-1)).astype(np.float32)


def semirings() -> Iterator[tuple[str, Callable[..., Array], Callable[..., NDArray[Any]]]]:
    """Of products of matrices: the expression, the term, and how terms are combined."""
    yield "sum[k](A[i,k] * B[k,j])", np.multiply, np.nansum
    yield "min[k](A[i,k] + B[k,j])", np.add, np.nanmin
    # Nothing is neutral to both: with a number for a fill all would have to be looked at.
    yield "min[k](max(A[i,k], B[k,j]))", np.maximum, np.nanmin
    yield "max[k](min(A[i,k], B[k,j]))", np.minimum, np.nanmax


@pytest.mark.parametrize("kinds", [("csr", "csr"), ("csr", "csc"), ("dcsr", "dcsr")])
def test_products_of_matrices(kinds: tuple[str, str]) -> None:
    """An element is stored where there is a path, as in GraphBLAS, even if it is 0."""
    rng = np.random.default_rng(5)
    a, b = drawn(rng, 5, 4, density=0.4), drawn(rng, 4, 6, density=0.4)
    result = "dcsr" if kinds[0] == "dcsr" else "csr"
    uses = []
    for text, multiply, add in semirings():
        terms = multiply(a[:, None, :], b.T[None, :, :])
        uses.append(
            Use(
                f"C[i,j] = {text}",
                {"A": a, "B": b},
                {"A": kinds[0], "B": kinds[1], "C": result},
                combined(terms, add),
            )
        )
    check(uses)


def test_conditions_that_are_missing_do_not_hold() -> None:
    """Neither a condition nor its negation holds where it is missing."""
    rng = np.random.default_rng(6)
    x = rng.random((4, 5), np.float32)
    m = drawn(rng, 4, 5)
    with np.errstate(invalid="ignore"):
        positive = np.where(m > 0, x, NAN).astype(np.float32)
        negated = np.where(m <= 0, x, NAN).astype(np.float32)
    formats = {"M": "csr", "C": "csr"}
    check(
        [
            Use("C[i,j] = x[i,j] if M[i,j] > 0", {"x": x, "M": m}, formats, positive),
            Use("C[i,j] = x[i,j] if not M[i,j] > 0", {"x": x, "M": m}, formats, negated),
        ]
    )


@pytest.mark.parametrize("way", ways_of("minimax"), ids=lambda way: way.name)
def test_runs_at_every_level(way: Way, tmp_path: Path) -> None:
    """Minimax at every level, optimisation level and target."""
    rng = np.random.default_rng(7)
    a, b = drawn(rng, 5, 4), drawn(rng, 4, 6)
    expected = combined(np.maximum(a[:, None, :], b.T[None, :, :]), np.nanmin)
    use = Use(
        "C[i,j] = min[k](max(A[i,k], B[k,j]))",
        {"A": a, "B": b},
        {"A": "csr", "B": "csr", "C": "csr"},
        expected,
    )
    text = program(use.text, use.options())
    source = tmp_path / "program.mlir"
    source.write_text(text)
    parts = use.parts()
    names = [part.split('"')[1] for part in text.split("ember.name = ")[1:]]
    saved = [
        f"save={k}" for k, name in enumerate(names) if name.startswith("C_") and "size" not in name
    ]
    arguments = [parts[name] for name in names]
    results = run_program(source, way, arguments, tmp_path / "run", saved)
    kept = [name for name in names if name.startswith("C_") and "size" not in name]
    np.testing.assert_array_equal(
        use.loaded(parts | dict(zip(kept, results, strict=True))), expected
    )


def refused(*words: str) -> str:
    """The error of a statement."""
    done = subprocess.run(
        [str(find_tool("emberc")), *words, "--emit=loops"], capture_output=True, text=True
    )
    assert done.returncode != 0
    return done.stderr


def test_errors() -> None:
    """A dense array has all of its elements."""
    error = refused("--notation=y[i] = a[i] + 1", "--format=a:csf", "--fill=a:missing")
    assert "assigns what may be missing to y" in error
    assert "coalesce(..., 0)" in error
    error = refused("--notation=y[i] = a[i]", "--format=a:dense", "--fill=a:missing")
    assert "a format whose last level is dense stores all of its elements" in error
    error = refused("--notation=y[i] = a[i]", "--format=a:csf", "--fill=a:missed")
    assert "expected an array and a number" in error
