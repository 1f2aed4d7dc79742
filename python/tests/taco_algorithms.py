"""Algorithms that users compiled on TACO's website, as graphs of blocks, against NumPy.

    taco_algorithms.py [--page FILE] [--jobs N] [ALGORITHMS]

Compiles each algorithm of a file (default: data/taco-website/algorithms.txt in the folder shared
beside the repository), evaluates its graph on random tensors, and compares with NumPy. With --page
writes which kinds of algorithms are refused, with reasons and counts: docs/taco-website.md is that
of all of them. Exit status 1 when a graph gives wrong values.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import ast
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from ember.compiler import find_tool
from numpy.typing import NDArray

Array = NDArray[np.float64]
ROOT = Path(__file__).resolve().parents[2]
ALGORITHMS = ROOT.parent / "shared" / "data" / "taco-website" / "algorithms.txt"
ACCESS = re.compile(r"([A-Za-z]\w*)\s*\(([^()]*)\)")
#: Parts of elements that are stored: some, and none at all.
DENSITIES = (0.6, 0.0)
#: Of how many index variables there are at most, and how long dimensions then are at most.
LONGEST = ((9, 3), (16, 2), (40, 1))


@dataclass(frozen=True)
class Verdict:
    """What became of an algorithm, and why."""

    outcome: Literal["right", "refused", "wrong"]
    reason: str = ""


class Expression:
    """An assignment in TACO's syntax, evaluated by NumPy."""

    def __init__(self, text: str) -> None:
        left, right = text.split("=", 1)
        match = re.fullmatch(r"\s*([A-Za-z]\w*)\s*(?:\(([^()]*)\))?\s*", left)
        if not match:
            raise ValueError(f"no tensor is assigned to: {text}")
        self.result = match.group(1)
        self.indices = self._split(match.group(2) or "")
        self.tree = ast.parse(right.strip(), mode="eval").body
        self.uses: dict[str, list[list[str]]] = defaultdict(list)
        for node in self._leaves(self.tree):
            self.uses[self._name(node)].append(self._variables(node))
        self.variables = sorted(
            {*self.indices, *(v for use in self.uses.values() for vs in use for v in vs)}
        )

    @staticmethod
    def _split(text: str) -> list[str]:
        return [name.strip() for name in text.split(",") if name.strip()]

    @staticmethod
    def _leaves(node: ast.AST) -> Iterator[ast.Call | ast.Name]:
        if isinstance(node, ast.Call | ast.Name):
            yield node
        else:
            for child in ast.iter_child_nodes(node):
                yield from Expression._leaves(child)

    @staticmethod
    def _name(node: ast.Call | ast.Name) -> str:
        name = node.func if isinstance(node, ast.Call) else node
        assert isinstance(name, ast.Name)
        return name.id

    @staticmethod
    def _variables(node: ast.Call | ast.Name) -> list[str]:
        arguments = node.args if isinstance(node, ast.Call) else []
        return [argument.id for argument in arguments if isinstance(argument, ast.Name)]

    def draw(self, rng: np.random.Generator, density: float) -> tuple[dict[str, int], dict]:
        """Sizes of variables, one for all that index the same dimension, and tensors."""
        longest = next(size for most, size in LONGEST if len(self.variables) <= most)
        sizes = {variable: int(rng.integers(0, longest + 1)) for variable in self.variables}
        dimensions = defaultdict(set)
        for name, uses in [*self.uses.items(), (self.result, [self.indices])]:
            for use in uses:
                for number, variable in enumerate(use):
                    dimensions[name, number].add(variable)
        for _ in self.variables:
            for alike in dimensions.values():
                sizes.update(dict.fromkeys(alike, min(sizes[variable] for variable in alike)))
        arrays: dict[str, Array] = {}
        for name, uses in self.uses.items():
            shape = [sizes[variable] for variable in uses[0]]
            values = rng.integers(1, 9, shape) * rng.choice([-1.0, 1.0], shape)
            arrays[name] = np.asarray(values * (rng.random(shape) < density) if shape else 2.0)
        return sizes, arrays

    def evaluate(self, sizes: dict[str, int], arrays: dict[str, Array]) -> Array:
        """The result: each term is summed over the variables that the result does not have."""
        shape = [sizes[variable] for variable in self.indices]
        total = np.zeros(shape)
        for sign, term in self._terms(self.tree, 1):
            used = {v for node in self._leaves(term) for v in self._variables(node)}
            axes = [*dict.fromkeys(self.indices), *sorted(used - set(self.indices))]
            value = np.broadcast_to(
                self._value(term, axes, arrays), [sizes[variable] for variable in axes]
            )
            total += sign * value.sum(axis=tuple(range(len(self.indices), len(axes))))
        return total

    def _terms(self, node: ast.expr, sign: int) -> Iterator[tuple[int, ast.expr]]:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            yield from self._terms(node.left, sign)
            yield from self._terms(node.right, -sign if isinstance(node.op, ast.Sub) else sign)
        elif isinstance(node, ast.UnaryOp):
            yield from self._terms(node.operand, -sign if isinstance(node.op, ast.USub) else sign)
        else:
            yield sign, node

    def _value(self, node: ast.expr, axes: list[str], arrays: dict[str, Array]) -> Array:
        if isinstance(node, ast.Constant):
            return np.asarray(float(node.value))
        if isinstance(node, ast.Call | ast.Name):
            variables = self._variables(node)
            kept = [axes.index(variable) for variable in dict.fromkeys(variables)]
            value = np.einsum(
                arrays[self._name(node)], [axes.index(v) for v in variables], sorted(kept)
            )
            lengths = iter(value.shape)
            return value.reshape([next(lengths) if n in kept else 1 for n in range(len(axes))])
        if isinstance(node, ast.UnaryOp):
            value = self._value(node.operand, axes, arrays)
            return -value if isinstance(node.op, ast.USub) else value
        assert isinstance(node, ast.BinOp)
        left, right = (self._value(side, axes, arrays) for side in (node.left, node.right))
        operations = {ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply}
        with np.errstate(all="ignore"):
            return operations.get(type(node.op), np.divide)(left, right)


def find_reason(errors: str) -> str:
    """The first error, without where it is and whose names are in it."""
    lines = [line for line in errors.splitlines() if "error: " in line]
    text = lines[0].split("error: ", 1)[1] if lines else errors.strip().splitlines()[-1]
    text = re.sub(
        r"^(--taco: )(column \d+ of the expression: )?(-f|-s|-t)=[^:=]+(:[^:]*)*?: ",
        r"\1\3: ",
        text,
    )
    text = re.sub(r"('cin\.\w+' op )|--taco: ", "", text)
    text = re.sub(
        r"^(has no order of loops (as asked for )?that all levels allow): .*", r"\1", text
    )
    text = re.sub(r"(has loops in the order) [^:]*:", r"\1 …:", text)
    text = re.sub(r"(: a loop of more terms), .*, (would)", r"\1 \2", text)
    text = re.sub(r"^(reads) \w+,", r"\1 a tensor", text)
    text = re.sub(
        r"^(reads another element of) \w+ (.*), and to \w+", r"\1 the tensor \2, and to it", text
    )
    text = re.sub(r"'(?!\w+\()[\w.]+'", "'…'", text)
    return re.sub(r"\blevel \d+", "level …", text)


def judge(line: str, rng: np.random.Generator, folder: Path) -> Verdict:
    """Compiles an algorithm, and compares what its graph computes with NumPy."""
    command = [find_tool("emberc"), f"--taco={line}", "--emit=sam", "--empty=drop", "--transpose"]
    compiled = subprocess.run(command, capture_output=True, text=True)
    if compiled.returncode:
        return Verdict("refused", find_reason(compiled.stderr))
    match = re.match(r'"([^"]*)"', line)
    assert match
    expression = Expression(match.group(1))
    path = folder / "graph.mlir"
    path.write_text(compiled.stdout)
    # A tensor whose name is also a variable's, or a word of the notation, may have got another.
    parameters = re.findall(r'ember.name = "(\w+?)_*"', compiled.stdout)
    for density in DENSITIES:
        sizes, arrays = expression.draw(rng, density)
        files = []
        for name in parameters:
            if name not in arrays:
                # A dimension that the result alone has.
                files.append(str(sizes[name]))
                continue
            np.save(folder / f"{name}.npy", arrays[name])
            files.append(f"@{folder / name}.npy" if arrays[name].ndim else str(arrays[name]))
        result = folder / "result.npy"
        run = subprocess.run(
            [find_tool("ember-run"), str(path), *files, "--save-result", f"0:{result}"],
            capture_output=True,
            text=True,
        )
        if run.returncode:
            return Verdict("wrong", f"{sizes}: {run.stderr.strip()}")
        expected, actual = expression.evaluate(sizes, arrays), np.load(result)
        # Quotients by an element that is not there are no numbers.
        finite = np.isfinite(expected)
        if actual.shape != expected.shape or not np.allclose(
            actual[finite], expected[finite], rtol=1e-9, atol=0
        ):
            return Verdict("wrong", f"{sizes}: {actual.tolist()} for {expected.tolist()}")
    return Verdict("right")


def judge_all(lines: Sequence[str], seed: int, jobs: int) -> list[Verdict]:
    """Judges algorithms, some at a time; what is drawn for each depends on its text alone."""

    def judge_one(line: str) -> Verdict:
        rng = np.random.default_rng([seed, *line.encode()])
        with tempfile.TemporaryDirectory() as folder:
            return judge(line, rng, Path(folder))

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(judge_one, lines))


def write_page(lines: Sequence[str], verdicts: Sequence[Verdict]) -> str:
    """The page of refused algorithms: reasons, the most frequent first, each with an example."""
    count = {
        outcome: sum(verdict.outcome == outcome for verdict in verdicts)
        for outcome in ("right", "refused", "wrong")
    }
    kinds: dict[str, list[str]] = defaultdict(list)
    for line, verdict in zip(lines, verdicts, strict=True):
        if verdict.outcome == "refused":
            kinds[verdict.reason].append(line)
    page = f"""<!-- Written by python/tests/taco_algorithms.py --page. -->
# The algorithms of TACO's website

{len(lines):,} different algorithms were compiled by users of the website of TACO, the tensor
algebra compiler. `emberc --taco COMMAND --emit=sam --empty=drop --transpose` makes
[graphs of blocks](sam.md#in-tacos-syntax) of them, which are evaluated on random tensors of 0 to 3
elements a dimension, with empty rows, and with nothing stored at all, and compared with NumPy,
except for elements that are no numbers.

| | algorithms | |
|---|---:|---:|
"""
    for outcome, what in (
        ("right", "equal NumPy"),
        ("refused", "are refused"),
        ("wrong", "differ from NumPy"),
    ):
        page += f"| {what} | {count[outcome]:,} | {count[outcome] / len(lines):.1%} |\n"
    page += "\n## What is refused\n\nErrors are without names, each with its shortest example.\n"
    for reason, examples in sorted(kinds.items(), key=lambda kind: (-len(kind[1]), kind[0])):
        page += f"\n**{len(examples)}**: {reason}\n```text\n{min(examples, key=len)}\n```\n"
    return page


def main() -> int:
    """Judges a file of algorithms."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("algorithms", nargs="?", type=Path, default=ALGORITHMS)
    parser.add_argument("--page", type=Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    lines = [line for line in arguments.algorithms.read_text().splitlines() if line.strip()]
    verdicts = judge_all(lines, seed=0, jobs=arguments.jobs)
    wrong = [(line, v) for line, v in zip(lines, verdicts, strict=True) if v.outcome == "wrong"]
    for line, verdict in wrong:
        print(f"{line}\n  {verdict.reason}")
    if arguments.page:
        arguments.page.write_text(write_page(lines, verdicts))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
