"""Runs random columns, and compares them with NumPy bit for bit.

    columns.py COUNT SEED FOLDER [OPTION...]    options are those of ember-run

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

TYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64}


WORD = 2**64
PRIMES = (0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F)


def fingerprint(text: bytes) -> int:
    """FarmHash's Fingerprint64 of 1 to 32 bytes."""

    def at(place: int, size: int = 8) -> int:
        return int.from_bytes(text[place : place + size], "little")

    def turn(word: int, bits: int) -> int:
        return (word % WORD >> bits | word << 64 - bits) % WORD

    def fold(word: int) -> int:
        return word % WORD ^ word % WORD >> 47

    def mix(first: int, second: int, factor: int) -> int:
        low = fold((first ^ second) % WORD * factor)
        return fold((second % WORD ^ low) * factor) * factor % WORD

    length = len(text)
    factor = PRIMES[2] + 2 * length
    if length >= 17:
        first, second, last = at(0) * PRIMES[1] % WORD, at(8), at(length - 8) * factor % WORD
        total = turn(first + second, 43) + turn(last, 30) + at(length - 16) * PRIMES[2]
        turned = first + turn(second + PRIMES[2], 18) + last
        return mix(total % WORD, turned % WORD, factor)
    if length >= 8:
        first, last = (at(0) + PRIMES[2]) % WORD, at(length - 8)
        return mix(
            (turn(last, 37) * factor + first) % WORD,
            (turn(first, 25) + last) * factor % WORD,
            factor,
        )
    if length >= 4:
        return mix(length + (at(0, 4) << 3), at(length - 4, 4), factor)
    ends = text[0] + (text[length // 2] << 8)
    rest = length + (text[-1] << 2)
    return fold(ends * PRIMES[2] ^ rest * PRIMES[0]) * PRIMES[2] % WORD


@dataclass
class Column:
    """A column as operations of the dialect, and what is expected of it.

    arrays: its arguments and their types. lines: the operations. rows: for each sample the values so
    far, as the dialect means them. element: their type.
    """

    name: str
    batch: int
    rng: np.random.Generator
    arrays: list[tuple[str, str, np.ndarray]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    rows: list[np.ndarray] = field(default_factory=list)
    element: str = ""
    last: str = ""

    def __post_init__(self) -> None:
        self.begin()
        for _ in range(self.rng.integers(3)):
            self.change()
        if self.element[0] == "f" or self.rng.integers(2):
            self.bucketize()
        elif self.rng.integers(2):
            self.hash()
        for _ in range(self.rng.integers(3)):
            self.change()
        self.look_up()

    def argument(self, name: str, kind: str, array: np.ndarray) -> str:
        """A new argument of the function."""
        self.arrays.append((f"{self.name}_{name}", kind, array))
        return f"%{self.name}_{name}"

    def add(self, text: str, element: str) -> None:
        """An operation whose batch is the next one's input."""
        batch = f"%{self.name}{len(self.lines)}"
        self.lines.append(f"{batch} = {text}")
        self.last, self.element = batch, element

    @property
    def type(self) -> str:
        return f"!col.jagged<{self.element}>"

    def values(self, *shape: int) -> np.ndarray:
        """What a feature may hold, edges of buckets among it."""
        if self.element[0] == "i":
            return self.rng.integers(-3, 12, shape).astype(TYPES[self.element])
        values = self.rng.choice([-1, 0, 0.5, 1, 7.25, 1e9, np.nan, np.inf, -np.inf], shape)
        return values.astype(TYPES[self.element])

    def begin(self) -> None:
        """Rows of a matrix, one value a row, or segments."""
        self.element = self.rng.choice(list(TYPES))
        form = self.rng.integers(3)
        if form == 2:
            lengths = self.rng.integers(0, 4, self.batch)
            offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
            values = self.values(offsets[-1])
            tensors = f"tensor<?x{self.element}>, tensor<?xi64>"
            flat = self.argument("values", f"tensor<?x{self.element}>", values)
            places = self.argument("offsets", "tensor<?xi64>", offsets)
            self.rows = [values[a:b] for a, b in zip(offsets, offsets[1:], strict=False)]
            self.add(
                f"col.from_offsets {flat} at {places} : {tensors} -> {self.type}", self.element
            )
            return
        shape = (self.batch,) if form == 0 else (self.batch, int(self.rng.integers(4)))
        values = self.values(*shape)
        tensor = f"tensor<{'?x' * values.ndim}{self.element}>"
        dense = self.argument("values", tensor, values)
        self.rows = [np.atleast_1d(row) for row in values]
        self.add(f"col.from_dense {dense} : {tensor} -> {self.type}", self.element)

    def number(self, value: float) -> str:
        return f"{int(value) if self.element[0] == 'i' else float(value)} : {self.element}"

    def change(self) -> None:
        """One of the operations on values or rows."""
        compare = {"lt": np.less, "ge": np.greater_equal, "ne": np.not_equal, "eq": np.equal}
        word = self.rng.choice(list(compare))
        bound, other = (int(number) for number in self.rng.integers(-1, 5, 2))
        kept = [compare[word](row, bound) for row in self.rows]
        call = f"{word}({self.last}, {self.number(bound)})"
        match self.rng.integers(4):
            case 0:
                self.rows = [row[mask] for row, mask in zip(self.rows, kept, strict=True)]
                self.add(f"col.keep_if {call} : {self.type}", self.element)
            case 1:
                kind = TYPES[self.element]
                self.rows = [
                    np.where(mask, kind(other), row)
                    for row, mask in zip(self.rows, kept, strict=True)
                ]
                line = f"col.replace_if {call} by {self.number(other)} : {self.type}"
                self.add(line, self.element)
            case 2:
                full = np.full(1, other, TYPES[self.element])
                self.rows = [row if row.size else full for row in self.rows]
                line = f"col.fill_empty {self.last} by {self.number(other)} : {self.type}"
                self.add(line, self.element)
            case 3:
                kind = TYPES[self.element]
                self.rows = [row + kind(other) for row in self.rows]
                line = (
                    f"col.map add({self.last}, {self.number(other)}) : {self.type} -> {self.type}"
                )
                self.add(line, self.element)

    def hash(self) -> None:
        """The buckets of decimal texts, of integers of any length."""
        if self.element == "i64" and self.rng.integers(2):
            # -3 to 11 become numbers of 1 to 20 characters.
            factor = int(self.rng.choice([9, 12345, 987654321012, 768614336404564650]))
            self.rows = [row * np.int64(factor) for row in self.rows]
            line = f"col.map mul({self.last}, {factor} : i64) : {self.type} -> {self.type}"
            self.add(line, self.element)
        buckets = int(self.rng.choice([1, 7, 1000, 2**31]))
        before, to = self.type, self.rng.choice(["i32", "i64"])
        self.rows = [
            np.array([fingerprint(str(x).encode()) % buckets for x in row.tolist()], TYPES[to])
            for row in self.rows
        ]
        self.add(f"col.hash {self.last} into {buckets} : {before} -> !col.jagged<{to}>", to)

    def bucketize(self) -> None:
        """How many boundaries are reached."""
        count = self.rng.integers(5)
        boundaries = np.sort(self.rng.choice([0, 0.5, 1, 1, 7.25, np.inf], count)).astype(
            np.float32
        )
        compared = np.float64 if self.element == "f64" else np.float32
        # The right place of NaN is the last one, as its order is of no boundary.
        self.rows = [
            np.searchsorted(boundaries.astype(compared), row.astype(compared), side="right")
            for row in self.rows
        ]
        tensor = f"tensor<{count}xf32>"
        name = f"%{self.name}_boundaries"
        if self.rng.integers(2):
            name = self.argument("boundaries", tensor, boundaries)
        else:
            words = ", ".join("0x7F800000" if np.isinf(b) else f"{b:e}" for b in boundaries)
            literal = f"dense<[{words}]>" if count else "dense<>"
            self.lines.append(f"{name} = arith.constant {literal} : {tensor}")
        before = self.type
        self.element = str(self.rng.choice(["i32", "i64"]))
        self.rows = [row.astype(TYPES[self.element]) for row in self.rows]
        types = f"{before}, {tensor} -> {self.type}"
        self.add(f"col.bucketize {self.last} by {name} : {types}", self.element)

    def look_up(self) -> None:
        """Ids that are rows, and what is made of them."""
        rows, width = int(self.rng.integers(1, 9)), int(self.rng.integers(1, 20))
        for word, bound in (("max", 0), ("min", rows - 1)):
            function = np.maximum if word == "max" else np.minimum
            self.rows = [function(row, bound) for row in self.rows]
            line = f"col.map {word}({self.last}, {self.number(bound)}) : {self.type} -> {self.type}"
            self.add(line, self.element)
        table = self.rng.standard_normal((rows, width)).astype(np.float32)
        name = self.argument("table", f"tensor<?x{width}xf32>", table)
        combiner = self.rng.choice(["sum", "mean", "sqrtn"])
        result = f"tensor<?x{width}xf32>"
        types = f"{self.type}, tensor<?x{width}xf32> -> {result}"
        self.lines.append(f"%{self.name} = col.lookup {combiner} {self.last} in {name} : {types}")
        self.result = result
        self.expected = np.zeros((self.batch, width), np.float32)
        for sample, ids in enumerate(self.rows):
            for row in ids:
                self.expected[sample] += table[int(row)]
            count = np.float32(max(1, len(ids)))
            if combiner != "sum":
                self.expected[sample] /= np.sqrt(count) if combiner == "sqrtn" else count


def run(columns: list[Column], folder: Path, options: list[str]) -> np.ndarray:
    """What ember-run makes of the columns beside each other."""
    arrays = [array for column in columns for array in column.arrays]
    arguments = ", ".join(f'%{name}: {kind} {{ember.name = "{name}"}}' for name, kind, _ in arrays)
    width = sum(column.expected.shape[1] for column in columns)
    names = ", ".join(f"%{column.name}" for column in columns)
    types = ", ".join(column.result for column in columns)
    body = "\n  ".join(line for column in columns for line in column.lines)
    program = folder / "columns.mlir"
    program.write_text(
        f"func.func @columns({arguments}) -> tensor<?x{width}xf32> {{\n  {body}\n"
        f"  %all = tensor.concat dim(1) {names} : ({types}) -> tensor<?x{width}xf32>\n"
        f"  return %all : tensor<?x{width}xf32>\n}}\n"
    )
    command = ["ember-run", str(program), *options, "--save-result", f"0:{folder}/result.npy"]
    for name, _, array in arrays:
        np.save(folder / f"{name}.npy", array)
        command.append(f"@{folder}/{name}.npy")
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return np.load(folder / "result.npy")


def main() -> int:
    count, seed, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    for number in range(count):
        batch = int(rng.integers(6))
        columns = [Column(f"c{place}", batch, rng) for place in range(rng.integers(1, 6))]
        if not rng.integers(3):
            # As many of the same structure as share a function.
            alike = int(rng.integers(2**32))
            columns += [
                Column(f"d{place}", batch, np.random.default_rng(alike)) for place in range(9)
            ]
        found = run(columns, folder, sys.argv[4:])
        expected = np.hstack([column.expected for column in columns])
        if found.shape != expected.shape or found.tobytes() != expected.tobytes():
            print(f"model {number} of seed {seed} in {folder}:\n{found}\nexpected\n{expected}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
