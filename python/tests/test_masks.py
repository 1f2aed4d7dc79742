"""What is asked of a product of matrices moves into it: nothing else is computed.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ember.errors import EmberError
from notation_kernels import compile_all, program, ways_of
from numpy.typing import NDArray
from program_runs import Way, run_program
from sparse_arrays import load, room, store

AnyArray = NDArray[Any]

PRODUCT = "sum[k](A[i,k] * B[k,j])"


@dataclass
class Use:
    """A statement that assigns a matrix C, and masks that it has."""

    text: str
    masks: dict[str, AnyArray]
    expected: Callable[..., AnyArray]
    result: str = "csr"
    operand: str = "csr"
    options: list[str] = field(default_factory=list)

    def inputs(self) -> dict[str, AnyArray]:
        """Two matrices, and the masks."""
        rng = np.random.default_rng(11)
        inputs: dict[str, AnyArray] = {}
        for name, shape in (("A", (6, 5)), ("B", (5, 7))):
            values = rng.integers(1, 5, shape)
            inputs[name] = (values * (rng.random(shape) < 0.5)).astype(np.float32)
        return inputs | self.masks

    def words(self) -> list[str]:
        """What emberc is told."""
        formats = {"A": self.operand, "B": self.operand, "C": self.result}
        formats |= dict.fromkeys(self.masks, self.operand)
        types = [f"--type={name}:i1" for name, mask in self.masks.items() if mask.dtype == bool]
        return [f"--format={name}:{kind}" for name, kind in formats.items()] + types + self.options

    def parts(self) -> dict[str, AnyArray | int]:
        """What the kernel takes."""
        parts: dict[str, AnyArray | int] = {}
        for name, array in self.inputs().items():
            # False is stored here and there, unless somebody says that it is not.
            also = None
            if name in self.masks and not any("unstored" in word for word in self.options):
                also = np.random.default_rng(12).random(array.shape) < 0.3
            parts |= store(name, array, 0, self.operand, also)
        return parts | room("C", (6, 7), np.dtype(np.float32), self.result, 64)

    def wanted(self) -> AnyArray:
        """C as NumPy has it."""
        inputs = self.inputs()
        product = inputs["A"] @ inputs["B"]
        return np.asarray(self.expected(product, *self.masks.values())).astype(np.float32)


def drawn(kind: type, seed: int, density: float = 0.4) -> AnyArray:
    """A mask."""
    rng = np.random.default_rng(seed)
    mask = rng.random((6, 7)) < density
    return mask if kind is bool else (mask * rng.integers(1, 4, mask.shape)).astype(kind)


YES, OTHER = drawn(bool, 1), drawn(bool, 2)
WEIGHT = drawn(np.float32, 3)

USES = [
    Use(f"C[i,j] = M[i,j] * {PRODUCT}", {"M": WEIGHT}, lambda p, m: p * m),
    Use(f"C[i,j] = {PRODUCT} if M[i,j]", {"M": YES}, lambda p, m: p * m),
    Use(f"C[i,j] = {PRODUCT} if not M[i,j]", {"M": YES}, lambda p, m: p * ~m),
    Use(f"C[i,j] = {PRODUCT} if M[i,j] > 1", {"M": WEIGHT}, lambda p, m: p * (m > 1)),
    Use(f"C[i,j] = {PRODUCT} if M[i,j] < 2", {"M": WEIGHT}, lambda p, m: p * (m < 2)),
    Use(
        f"C[i,j] = {PRODUCT} if M[i,j] and not N[i,j]",
        {"M": YES, "N": OTHER},
        lambda p, m, n: p * (m & ~n),
    ),
    Use(
        f"C[i,j] = {PRODUCT} if M[i,j] or N[i,j]",
        {"M": YES, "N": OTHER},
        lambda p, m, n: p * (m | n),
    ),
    Use(
        f"C[i,j] = (M[i,j] + N[i,j]) * {PRODUCT}",
        {"M": WEIGHT, "N": drawn(np.float32, 4)},
        lambda p, m, n: p * (m + n),
    ),
    # All of the product is needed.
    Use(f"C[i,j] = M[i,j] + {PRODUCT}", {"M": WEIGHT}, lambda p, m: p + m),
    # Two products, both masked.
    Use(
        f"C[i,j] = M[i,j] * ({PRODUCT} + sum[l](A[i,l] * B[l,j]))",
        {"M": WEIGHT},
        lambda p, m: 2 * p * m,
    ),
    # Rows in no order.
    Use(f"C[i,j] = {PRODUCT}", {}, lambda p: p, "dense,compressed(unordered)"),
    Use(
        f"C[i,j] = {PRODUCT} if not M[i,j]",
        {"M": YES},
        lambda p, m: p * ~m,
        "dense,compressed(unordered)",
    ),
    Use(f"C[i,j] = M[i,j] * {PRODUCT}", {"M": WEIGHT}, lambda p, m: p * m, "dcsr", "dcsr"),
    Use(f"C[i,j] = {PRODUCT} if not M[i,j]", {"M": YES}, lambda p, m: p * ~m, "dcsr", "dcsr"),
    Use(
        f"C[i,j] = {PRODUCT} if not M[i,j]",
        {"M": YES},
        lambda p, m: p * ~m,
        options=["--fill=M:0:unstored"],
    ),
]


def loaded(use: Use, parts: dict[str, AnyArray | int]) -> AnyArray:
    """C as a dense array; of rows in no order, the coordinates are different."""
    if "unordered" not in use.result:
        return load("C", parts, (6, 7), 0, use.result)
    found = np.zeros((6, 7), np.float32)
    positions, columns, values = (
        parts[f"C_{what}"] for what in ("positions1", "coordinates1", "values")
    )
    assert isinstance(positions, np.ndarray)
    assert isinstance(columns, np.ndarray)
    assert isinstance(values, np.ndarray)
    for row in range(6):
        segment = slice(positions[row], positions[row + 1])
        assert len(set(columns[segment].tolist())) == len(columns[segment])
        found[row, columns[segment]] = values[segment]
    return found


def test_masked_products() -> None:
    """Masks of values and patterns, complemented, combined; results in and out of order."""
    entries = compile_all([(use.text, use.words()) for use in USES])
    for use, entry in zip(USES, entries, strict=True):
        parts = use.parts()
        entry(*[parts[parameter.name] for parameter in entry.parameters])
        np.testing.assert_allclose(loaded(use, parts), use.wanted(), 1e-5, err_msg=use.text)


@pytest.mark.parametrize("way", ways_of("masked product"), ids=lambda way: way.name)
def test_runs_at_every_level(way: Way, tmp_path: Path) -> None:
    """A masked product at every level, optimisation level and target."""
    use = USES[0]
    text = program(use.text, use.words())
    source = tmp_path / "program.mlir"
    source.write_text(text)
    names = [part.split('"')[1] for part in text.split("ember.name = ")[1:]]
    kept = [name for name in names if name.startswith("C_") and "size" not in name]
    parts = use.parts()
    saved = [f"save={names.index(name)}" for name in kept]
    arguments = [parts[name] for name in names]
    results = run_program(source, way, arguments, tmp_path / "run", saved)
    found = loaded(use, parts | dict(zip(kept, results, strict=True)))
    np.testing.assert_array_equal(found, use.wanted())


@pytest.mark.parametrize("kinds", [("csr", "csr"), ("csr", "csc"), ("dcsr", "dcsr")])
@pytest.mark.parametrize("mask", ["M[i,j] * {}", "{} if M[i,j] > 0", "{} if not M[i,j] > 0"])
def test_nothing_else_is_computed(kinds: tuple[str, str], mask: str) -> None:
    """Each term outside of the mask divides by 0, which is an error of the run."""
    kind, by_columns = kinds
    text = f"C[i,j] = {mask.format('sum[k](A[i,k] % B[k,j])')}"
    isolated = "not" in mask
    needed = np.array([[1, 0, 0], [0, 0, 1], [1, 0, 0]], np.int32)
    # Column 1 is never asked for, or asked for alone; columns 0 and 2 of B divide.
    divisors = np.array([[3, 0, 4], [2, 0, 2]], np.int32)
    if isolated:
        needed = np.array([[0, 1, 0]] * 3, np.int32)
    dividends = np.array([[5, 3], [7, 4], [1, 9]], np.int32)
    formats = {"A": kind, "B": by_columns, "M": kind, "C": kind}
    words = [f"--format={name}:{spelled}" for name, spelled in formats.items()]
    words += [f"--type={name}:i32" for name in "ABM"]
    # All of A and B is stored, zeros too.
    words += ["--fill=A:missing", "--fill=B:missing"]
    (entry,) = compile_all([(text, words)])
    everything = np.ones_like(divisors, bool)

    def run(divisors: NDArray[np.int32]) -> AnyArray:
        parts: dict[str, AnyArray | int] = {}
        parts |= store("A", dividends, 0, kind, np.ones_like(dividends, bool))
        parts |= store("B", divisors, 0, by_columns, everything)
        parts |= store("M", needed, 0, kind)
        parts |= room("C", (3, 3), np.dtype(np.int32), kind, 16)
        entry(*[parts[parameter.name] for parameter in entry.parameters])
        return load("C", parts, (3, 3), 0, kind)

    safe = np.maximum(divisors, 1)
    remainders = (dividends[:, :, None] % safe[None]).sum(1)
    wanted = remainders * (needed == 0 if isolated else needed > 0)
    np.testing.assert_array_equal(run(divisors), wanted)
    with pytest.raises(EmberError):
        run(np.zeros_like(divisors))
