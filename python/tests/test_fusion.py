"""Fusion: statements with temporaries compute what they compute when all of it is in memory.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import random
import re
import subprocess
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from ember.compiler import find_tool
from numpy.typing import NDArray
from program_runs import WAYS, Way, run_program

Arrays = dict[str, NDArray]
RNG = np.random.default_rng(7)
POSITIONS = np.array([0, 3, 3, 10, 12, 24])


def given() -> Arrays:
    """A graph of 5 vertices and 24 edges to 9 others, with arrays of each."""
    normal = RNG.standard_normal
    return {
        "pos": POSITIONS,
        "row": np.repeat(np.arange(5), np.diff(POSITIONS)),
        "col": RNG.integers(0, 9, 24),
        "u": normal(5).astype(np.float32),
        "s": normal(24).astype(np.float32),
        "x": normal(9).astype(np.float32),
        "X": normal((5, 6)).astype(np.float32),
        "Y": normal((9, 6)).astype(np.float32),
    }


SHAPES = {"i": (5,), "p": (24,), "id": (5, 6), "pd": (24, 6)}


class Chains:
    """Draws statements, of which each may read what those before it assign to."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.known = {"i": ["u"], "p": ["s"], "id": ["X"], "pd": list[str]()}
        self.statements: list[str] = []
        self.count = 0

    def element(self, place: str) -> str:
        """An element that is there for each value of the variables in `place`."""
        choices = []
        if place in ("p", "pd"):
            choices += [f"{name}[row[p]]" for name in self.known["i"]] + ["x[col[p]]"]
            choices += [f"{name}[p]" for name in self.known["p"]]
        if place == "pd":
            choices += [f"{name}[row[p],d]" for name in self.known["id"]] + ["Y[col[p],d]"] * 2
            choices += [f"{name}[p,d]" for name in self.known["pd"]]
        if place in ("i", "id"):
            choices += [f"{name}[i]" for name in self.known["i"]]
        if place == "id":
            choices += [f"{name}[i,d]" for name in self.known["id"]]
        return self.rng.choice(choices)

    def expression(self, place: str) -> str:
        """A function of a few elements."""
        forms = [
            "{} + {}",
            "{} - {}",
            "{} * {}",
            "tanh({}) + {}",
            "min({}, {})",
            "sin({})",
            "({} if {} > 0 else 0.5)",
        ]
        drawn = re.sub("{}", lambda _: self.element(place), self.rng.choice(forms))
        # Something says how many values d has.
        row = {"id": " + X[i,d]", "pd": " + Y[col[p],d]"}
        return drawn + row.get(place, "")

    def reduction(self, place: str) -> str:
        """A reduction to `place` of what is there for more variables."""
        function = self.rng.choice(["sum", "max", "sum"])
        if place == "p":
            return f"{function}[d]({self.expression('pd')})"
        inner = "p" if place == "i" else "pd"
        condition = self.rng.choice(["", "", " if col[p] != 3"])
        term = f"{function}[p in pos[i]:pos[i+1]{condition}]({self.expression(inner)})"
        return f"max({term}, -2)"

    def add(self, is_temporary: bool) -> str:
        """Draws one more statement; the array that it assigns to."""
        place = self.rng.choice(list(SHAPES))
        makes_sum = place != "pd" and self.rng.random() < 0.4
        value = self.reduction(place) if makes_sum else self.expression(place)
        name = f"t{self.count}"
        self.count += 1
        target = f"{name}[{','.join(place)}]"
        self.statements.append(f"{'let ' * is_temporary}{target} = {value}")
        if self.rng.random() < 0.2:
            self.statements.append(
                f"{target} {self.rng.choice(['+=', 'max='])} {self.expression(place)}"
            )
        if self.rng.random() < 0.1 and place in ("i", "id"):
            source = self.expression("p" if place == "i" else "pd")
            indices = "row[p]" if place == "i" else "row[p],d"
            self.statements.append(f"{name}[{indices}] += {source}")
        self.known[place].append(name)
        return name


def draw(seed: int) -> tuple[list[str], dict[str, tuple[int, ...]]]:
    """Statements, and the shapes of what they assign to that is no temporary."""
    chains = Chains(random.Random(seed))
    results = {}
    for number in range(14):
        is_temporary = number % 7 != 6
        name = chains.add(is_temporary)
        if not is_temporary:
            (place,) = [place for place, names in chains.known.items() if name in names]
            results[name] = SHAPES[place]
    return chains.statements, results


def compile_notation(text: str, file: Path) -> str:
    """Writes the program of the statements; what there is to say about it."""
    command = [str(find_tool("emberc")), "--notation", text, "--emit=cin", "-o", str(file)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return file.read_text()


def evaluate(
    statements: list[str], inputs: Arrays, outputs: Arrays, way: Way, folder: Path
) -> dict[str, NDArray]:
    """What the statements assign to `outputs`."""
    file = folder / "program.mlir"
    names = re.findall(r'ember.name = "(\w+)"', compile_notation("; ".join(statements), file))
    arguments = [{**inputs, **outputs}[name].copy() for name in names]
    saved = [f"save={names.index(name)}" for name in outputs]
    found = run_program(file, way, arguments, folder / "run", saved)
    return dict(zip(outputs, found, strict=True))


FUSED_WAYS = [way for way in WAYS if way.name in ("scf-O3", "slcv-O3", "dlc-O2", "cpu-O3")]


@pytest.mark.parametrize("seed", range(10))
def test_chains_compute_the_same_when_fused(seed: int, tmp_path: Path) -> None:
    statements, results = draw(seed)
    inputs = given()
    text = "; ".join(statements)
    whole = [statement.removeprefix("let ") for statement in statements]
    kept = {name: np.zeros(shape, np.float32) for name, shape in results.items()}
    everything = {
        name: np.zeros(SHAPES[re.sub(r"[^a-z]", "", place)], np.float32)
        for name, place in re.findall(r"(t\d+)\[([ipd,]+)\] =", text)
    }
    way = FUSED_WAYS[seed % len(FUSED_WAYS)]
    expected = evaluate(whole, inputs, everything, WAYS[0], tmp_path)
    found = evaluate(statements, inputs, kept, way, tmp_path)
    for name in results:
        np.testing.assert_allclose(found[name], expected[name], rtol=2e-4, atol=2e-5, err_msg=text)


def test_chains_are_fused(tmp_path: Path) -> None:
    """The random chains are not all refused."""
    left = total = 0
    for seed in range(10):
        text = "; ".join(draw(seed)[0])
        compile_notation(text, tmp_path / "program.mlir")
        command = [str(find_tool("ember-opt")), "--cin-fuse", str(tmp_path / "program.mlir")]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        left += done.stdout.count("cin.temporary")
        total += text.count("let ")
    assert left < total / 2, f"{left} of {total} temporaries are left"


LAYERS = {
    "fused_mm": (
        "let S[p] = sum[d](X[row[p],d] * Y[col[p],d]); "
        "out[i,e] = sum[p in pos[i]:pos[i+1]](S[p] * Y[col[p],e])"
    ),
    "attention": (
        "let s[p] = sum[d](X[row[p],d] * Y[col[p],d]) if col[p] != 3; "
        "let m[i] = max[p in pos[i]:pos[i+1] if col[p] != 3](s[p]); "
        "let z[i] = sum[p in pos[i]:pos[i+1] if col[p] != 3](exp(s[p] - m[i])); "
        "out[i,e] = sum[p in pos[i]:pos[i+1] if col[p] != 3](exp(s[p] - m[i]) / z[i] * Y[col[p],e])"
    ),
}


def layer(name: str, a: Arrays) -> NDArray:
    """What LAYERS compute."""
    scores = (a["X"][a["row"]] * a["Y"][a["col"]]).sum(1)
    kept = a["col"] != 3 if name == "attention" else np.ones(24, bool)
    rows = []
    for begin, end in pairwise(POSITIONS):
        mine = np.arange(begin, end)[kept[begin:end]]
        weights = scores[mine]
        if name == "attention" and len(mine):
            weights = np.exp(weights - weights.max())
            weights /= weights.sum()
        rows.append(weights @ a["Y"][a["col"][mine]])
    return np.stack(rows)


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("way", FUSED_WAYS, ids=lambda way: way.name)
def test_layers_at_several_levels(name: str, way: Way, tmp_path: Path) -> None:
    inputs = given()
    found = evaluate([LAYERS[name]], inputs, {"out": np.zeros((5, 6), np.float32)}, way, tmp_path)
    np.testing.assert_allclose(found["out"], layer(name, inputs), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("let t[i] = t[i] * 2; y[i] = t[i]", [], "1:5: error: 't' is a temporary, and is read"),
        ("y[i] = x[i]; let y[i] = x[i]", [], "1:18: error: 'y' is named before"),
        ("let t[i] = x[i]; t[i] += x[i]", [], "1:5: error: all that is assigned to is declared by"),
        ("let t[I[p]] += x[p]; y = t[0]", [], "1:5: error: nothing says how large dimension 0"),
        (
            "let t[i] = x[i]; y[i] = t[i]",
            ["--format=t:csf:i32"],
            "1:5: error: 't' is a temporary, of",
        ),
    ],
)
def test_wrong_temporaries(text: str, options: list[str], message: str) -> None:
    command = [str(find_tool("emberc")), "--notation", text, "--emit=cin", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != 0
    assert f"notation:{message}" in done.stderr
