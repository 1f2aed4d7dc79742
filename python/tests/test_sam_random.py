"""Random statements as graphs of blocks: refused with an error, or equal to NumPy in every way.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from ember.compiler import find_tool
from numpy.typing import NDArray
from test_sam_graphs import SEED

Array = NDArray[np.float64]
Sizes = Mapping[str, int]
#: Makes a value of arrays, with an axis for each of the variables around.
Meaning = Callable[[Mapping[str, Array], Sizes, Sequence[str]], Array]

BATCHES = 6
COMPUTED = 6
MOST_TRIED = 100
# X is the result; of four operations inside of each other there are 16 operands at most.
NAMES = "ABCDEFGHKLMNPQRSTUVW"
VARIABLES = "ijkl"
FORMATS = {
    0: [""],
    1: ["", "csf", "csf", "bitmap"],
    2: ["", "dcsr", "dcsr", "csr", "csc", "dcsc", "coo", "bitmap", "compressed,dense"],
    3: ["", "csf", "csf", "coo", "dense,compressed,dense"],
}
FILLS = [0.0] * 8 + [1.0, -np.inf, np.inf]
REDUCTIONS = {"sum": (np.add, 0.0), "max": (np.maximum, -np.inf), "min": (np.minimum, np.inf)}
OPERATORS = {"+": np.add, "-": np.subtract, "*": np.multiply}
FUNCTIONS = {"max": np.maximum, "min": np.minimum}
#: The evaluator, of reducers of points, too, and both engines, one with queues that hold back.
WAYS = (
    ("ember-run", ""),
    ("ember-run", "points"),
    ("ember-sam", "--engine=times"),
    ("ember-sam", "--depth=2"),
)


@dataclass
class Statement:
    """A random statement: its text, and what it means."""

    text: str
    result: str
    meaning: Meaning
    arrays: dict[str, str]
    options: list[str]
    fills: dict[str, float]


@dataclass
class Drawer:
    """Draws expressions over the variables around them."""

    rng: np.random.Generator
    arrays: dict[str, str] = field(default_factory=dict)
    free: list[str] = field(default_factory=list)

    def draw_access(self, around: Sequence[str]) -> tuple[str, Meaning]:
        """An element of a new array, or of one that is there."""
        count = int(self.rng.integers(1, min(3, len(around)) + 1)) if around else 0
        chosen = [str(v) for v in self.rng.permutation(list(around))[:count]]
        if around and around[-1] not in chosen and self.rng.random() < 0.7:
            chosen[-1] = around[-1]
        indices = "".join(chosen)
        known = [name for name, variables in self.arrays.items() if variables == indices]
        if known and self.rng.random() < 0.3:
            name = known[0]
        else:
            name = NAMES[len(self.arrays)]
            self.arrays[name] = indices

        def meaning(arrays: Mapping[str, Array], sizes: Sizes, axes: Sequence[str]) -> Array:
            kept = [axis for axis in axes if axis in indices]
            value = np.transpose(arrays[name], [indices.index(axis) for axis in kept])
            return value.reshape([sizes[axis] if axis in kept else 1 for axis in axes])

        return (f"{name}[{','.join(indices)}]" if indices else name), meaning

    def draw(self, around: Sequence[str], depth: int) -> tuple[str, Meaning]:
        """An expression of operations that are nested so deep."""
        choice = self.rng.random()
        if not around and self.free and depth > 0:
            return self.draw_reduction(around, depth)
        if depth == 0 or choice < 0.15 or len(self.arrays) > 6:
            if self.rng.random() < 0.15:
                number = float(self.rng.integers(1, 4))
                return str(int(number)), lambda *of: np.full([1] * len(of[2]), number)
            return self.draw_access(around)
        if choice < 0.55 and self.free:
            return self.draw_reduction(around, depth)
        if choice < 0.62:
            text, inner = self.draw(around, depth - 1)
            return f"abs({text})", lambda *of: np.abs(inner(*of))
        left, left_meaning = self.draw(around, depth - 1)
        right, right_meaning = self.draw(around, depth - 1)
        named = self.rng.random() < 0.2
        symbol = str(self.rng.choice(list(FUNCTIONS if named else OPERATORS)))
        text = f"{symbol}({left}, {right})" if named else f"({left} {symbol} {right})"
        function = FUNCTIONS[symbol] if named else OPERATORS[symbol]
        return text, lambda *of: function(left_meaning(*of), right_meaning(*of))

    def draw_reduction(self, around: Sequence[str], depth: int) -> tuple[str, Meaning]:
        """A reduction over a variable, or two, that is nowhere else."""
        count = 2 if len(self.free) > 1 and self.rng.random() < 0.2 else 1
        bound = [self.free.pop() for _ in range(count)]
        kind = str(self.rng.choice(list(REDUCTIONS), p=[0.7, 0.15, 0.15]))
        text, inner = self.draw([*around, *bound], depth - 1)
        function, identity = REDUCTIONS[kind]

        def meaning(arrays: Mapping[str, Array], sizes: Sizes, axes: Sequence[str]) -> Array:
            value = inner(arrays, sizes, [*axes, *bound])
            shape = list(value.shape)
            shape[len(axes) :] = [sizes[variable] for variable in bound]
            last = tuple(range(len(axes), len(shape)))
            return function.reduce(np.broadcast_to(value, shape), axis=last, initial=identity)

        return f"{kind}[{','.join(bound)}]({text})", meaning


def draw_statement(rng: np.random.Generator) -> Statement:
    """A statement with formats, fills, and an order of loops or none."""
    variables = [str(v) for v in rng.permutation(list(VARIABLES))]
    rank = int(rng.choice([0, 1, 1, 2, 2]))
    around = variables[:rank]
    drawer = Drawer(rng, free=variables[rank:])
    text, meaning = drawer.draw(around, int(rng.integers(1, 5)))
    used = re.findall(r"[ijkl]", text)
    result = "".join(around)
    options: list[str] = []
    fills: dict[str, float] = {}
    for name, indices in {**drawer.arrays, "X": result}.items():
        levels = str(rng.choice(FORMATS[len(indices)]))
        options += ["--type", f"{name}:f64"]
        if levels:
            options += ["--format", f"{name}:{levels}"]
            fills[name] = float(rng.choice(FILLS))
            if fills[name]:
                options += ["--fill", f"{name}:{fills[name]}"]
    if rng.random() < 0.5:
        order = [v for v in rng.permutation(list(VARIABLES)) if v in used]
        if order:
            options += ["--order", ",".join(order)]
    if used and rng.random() < 0.3:
        options += ["--gallop", str(rng.choice(used))]
    if used and rng.random() < 0.3:
        options += ["--bitvector", f"{rng.choice(used)}:{rng.integers(1, 65)}"]
    if rng.random() < 0.5:
        options.append("--transpose")
    options.append(f"--empty={rng.choice(['keep', 'drop'])}")
    target = f"X[{','.join(around)}]" if around else "X"
    return Statement(f"{target} = {text}", result, meaning, drawer.arrays, options, fills)


def run(command: list[str]) -> tuple[bool, str, str]:
    """Whether a tool succeeds, and what it prints; a failure is one error, never a crash."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode in (0, 1), (command, done.returncode, done.stderr)
    assert done.returncode == 0 or "error: " in done.stderr, (command, done.stderr)
    return done.returncode == 0, done.stdout, done.stderr


def equals(actual: Array, expected: Array) -> bool:
    """Whether elements are the same, where NumPy has a number: a sum may be grouped otherwise."""
    known = ~np.isnan(expected)
    return actual.shape == expected.shape and bool(
        np.allclose(actual[known], expected[known], rtol=1e-12, atol=1e-9)
    )


def check(statement: Statement, rng: np.random.Generator, folder: Path) -> bool:
    """Compares a statement with NumPy in every way; false if it has no graph."""
    compile_it: list[str] = [str(find_tool("emberc")), "--notation", statement.text, "--emit=sam"]
    ok, graph, _ = run([*compile_it, *statement.options])
    if not ok:
        return False
    path = folder / "graph.mlir"
    path.write_text(graph)
    points = folder / "points.mlir"
    expand: list[str] = [str(find_tool("ember-opt")), "--sam-expand-reducers", str(path)]
    assert run([*expand, "-o", str(points)])[0]
    parameters = re.findall(r'ember.name = "(\w+)"', graph)
    for density in (0.6, 0.0):
        sizes = {variable: int(rng.integers(0, 4)) for variable in VARIABLES}
        arrays: dict[str, Array] = {}
        for name, indices in statement.arrays.items():
            shape = [sizes[variable] for variable in indices]
            values = rng.integers(1, 9, shape) * rng.choice([-1.0, 1.0], shape)
            stored = rng.random(shape) < density
            arrays[name] = np.where(stored, values, statement.fills.get(name, 0.0))
        with np.errstate(all="ignore"):
            expected = statement.meaning(arrays, sizes, list(statement.result))
        expected = np.broadcast_to(expected, [sizes[v] for v in statement.result])
        files: list[str] = []
        for name in parameters:
            if name not in arrays:
                # A dimension that the result alone has.
                files.append(str(sizes[name]))
                continue
            np.save(folder / f"{name}.npy", arrays[name])
            file = f"@{folder / name}.npy"
            files.append(file if arrays[name].ndim else str(float(arrays[name])))
        saved = folder / "result.npy"
        for tool, way in WAYS:
            read = points if way == "points" else path
            command: list[str] = [str(find_tool(tool)), str(read), *files]
            command += [f"--save-result=0:{saved}", *([way] if way.startswith("--") else [])]
            ok, _, errors = run(command)
            told = (statement.text, statement.options, sizes, arrays, tool, way)
            if not ok:
                assert tool == "ember-sam" or "has no elements" in errors, (told, errors)
                continue
            assert equals(np.load(saved), expected), (told, np.load(saved), expected)
    return True


@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_statements_equal_numpy(batch: int, tmp_path: Path) -> None:
    """Draws until some are computed; formats and orders of the others allow no graph."""
    rng = np.random.default_rng([SEED, batch])
    computed = 0
    for _ in range(MOST_TRIED):
        computed += check(draw_statement(rng), rng, tmp_path)
        if computed == COMPUTED:
            return
    raise AssertionError(f"{computed} of {MOST_TRIED} random statements have a graph")
