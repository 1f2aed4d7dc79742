"""Graphs of statements: compiled, evaluated, simulated, drawn.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ember.compiler import Notation, run_compiler
from ember.errors import ArgumentError, CompileError
from ember.sam.inputs import is_on_torch, read_result, result_file, write_arguments
from ember.sam.signature import Signature, signature_of
from ember.sam.statistics import Statistics
from ember.sam.tools import run_tool
from ember.sparse.format import Format

#: What becomes of fibers without a value.
EMPTY = ("keep", "drop")
#: Words of the notation that are no arrays.
_KEYWORDS = frozenset(
    ("and", "else", "false", "for", "if", "in", "let", "missing", "not", "or", "true", "where")
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_ACCESS = re.compile(r"\b([A-Za-z_]\w*)\s*\[([^\[\]]*)\](?!\s*\()")
_TARGET = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:\[[^\]]*\])?\s*=")
_SIZES = re.compile(
    r"dimension (\d+) of '(\w+)' and dimension (\d+) of '(\w+)' are not of one size"
)
_ENGINES = ("cycles", "times")


def compile(
    statement: str,
    *,
    formats: Mapping[str, str | Format] | None = None,
    order: str | Sequence[str] | None = None,
    empty: str = "keep",
    schedule: str | None = None,
    dtype: str | Mapping[str, str] = "f64",
) -> "Graph":
    """The graph of a statement in index notation.

        g = ember.sam.compile("X[i,j] = B[i,k]*C[k,j]", formats={"B": "dcsr", "C": "dcsr"},
                              order="ikj")

    A variable that the result does not have is summed over, each term by itself; `sum[k](...)` may
    say it, too. formats: of arrays by name, as es.Format has them; those of others are dense.
    order: the variables, outermost loop first, as "ikj", "i,k,j" or a list; None for the first that
    all formats allow. empty: "keep" makes zeros of fibers without a value, "drop" removes them.
    schedule: relations of emberc's --schedule. dtype: of all elements, as MLIR spells it, or by
    name.

    Raises CompileError with what the compiler says, of an order that no format allows, too, and
    ArgumentError for other arguments.
    """
    if not isinstance(statement, str):
        raise ArgumentError(f"a statement is a text, not {type(statement).__name__}")
    if empty not in EMPTY:
        raise ArgumentError(f"empty is 'keep' or 'drop', not {empty!r}")
    names = arrays_of(statement)
    words = _types(statement, names, dtype)
    for name, given in (formats or {}).items():
        if name not in names:
            raise ArgumentError(f"formats has {name!r}, and {statement!r} has {', '.join(names)}")
        words += _format_words(name, given)
    options = ["--emit=sam", f"--empty={empty}"]
    if order is not None:
        options.append(f"--order={','.join(variables_in_order(order))}")
    if schedule is not None:
        options.append(f"--schedule={schedule}")
    text = run_compiler(Notation(statement, tuple(words)), options)
    return Graph(text, statement)


def arrays_of(statement: str) -> list[str]:
    """The arrays and numbers of a statement, the result first."""
    target = _TARGET.match(statement)
    found = [target[1]] if target else []
    # What stands in brackets are variables, and what has arguments are functions.
    outside = re.sub(r"\[[^\[\]]*\]", "[]", statement)
    words = re.findall(r"(?<![\w.])([A-Za-z_]\w*)\b(?!\s*(?:\[\]\s*)?\()", outside)
    return list(dict.fromkeys([*found, *(word for word in words if word not in _KEYWORDS)]))


def variables_of(statement: str) -> dict[str, list[str]]:
    """The index variables of each array that has some."""
    found: dict[str, list[str]] = {}
    for match in _ACCESS.finditer(statement):
        found.setdefault(match[1], _WORD.findall(match[2]))
    return found


def variables_in_order(order: str | Sequence[str]) -> list[str]:
    """An order of loops as its variables; raises ArgumentError."""
    if isinstance(order, str):
        parts = order.split(",") if "," in order else list(order.replace(" ", ""))
        names = [part.strip() for part in parts]
    else:
        names = list(order)
    for name in names:
        if not isinstance(name, str) or not _WORD.fullmatch(name):
            raise ArgumentError(f"order is the variables, as 'ikj' or 'i,k,j', not {order!r}")
    return names


def _types(statement: str, names: Sequence[str], dtype: str | Mapping[str, str]) -> list[str]:
    """The words of emberc that say what elements are."""
    if isinstance(dtype, str):
        return [f"--type={name}:{dtype}" for name in names]
    for name in dtype:
        if name not in names:
            raise ArgumentError(f"dtype has {name!r}, and {statement!r} has {', '.join(names)}")
    return [f"--type={name}:{dtype.get(name, 'f64')}" for name in names]


def _format_words(name: str, given: str | Format) -> list[str]:
    """The words of emberc that say how an array is stored; raises ArgumentError."""
    if not isinstance(given, str | Format):
        raise ArgumentError(f"{name}: a format is a name such as 'dcsr', not {given!r}")
    try:
        form = Format(given) if isinstance(given, str) else given
    except ArgumentError as error:
        raise ArgumentError(f"{name}: {error}") from None
    words = [] if form.is_dense else [f"--format={name}:{form.name}"]
    if form.fill is not None:
        fill = form.fill if form.is_missing else repr(float(form.fill))
        words.append(f"--fill={name}:{fill}")
    return words


@dataclass(frozen=True)
class Graph:
    """A graph of blocks, as MLIR text with one function that has a sam.graph.

    text: the program. statement: what it is of, for people.
    """

    text: str
    statement: str = "graph"
    signature: Signature = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Reads off what the function takes; raises CompileError."""
        object.__setattr__(self, "signature", signature_of(self.text))

    @classmethod
    def read(cls, file: str | os.PathLike[str]) -> "Graph":
        """The graph that a file of MLIR has; raises ArgumentError and CompileError."""
        try:
            return cls(Path(file).read_text(), Path(file).name)
        except (OSError, UnicodeDecodeError) as error:
            raise ArgumentError(f"cannot read the graph: {error}") from error

    @property
    def inputs(self) -> list[str]:
        """The names of what is to be given."""
        return [parameter.name for parameter in self.signature.parameters]

    def blocks(self) -> dict[str, int]:
        """How many blocks there are, by their names in the dialect without `sam.`."""
        counts: dict[str, int] = {}
        for name in re.findall(r"^\s+(?:%[^=]*= )?sam\.(\w+)", self.text, re.MULTILINE):
            if name not in ("graph", "root"):
                counts[name] = counts.get(name, 0) + 1
        return counts

    def run(self, /, **arrays: Any) -> Any:
        """What the graph computes of arrays, by what its blocks mean, without time.

        Arrays are those of es.evaluate, or files of them: .npy, .mtx, .tns. Returns es.Array for
        what is in a format, a tensor if any argument is one, else NumPy's; several results as a
        tuple. Raises ArgumentError for arrays that do not fit, and CompileError for what the
        evaluator refuses.
        """
        with self._prepared(arrays) as (folder, words):
            run_tool("ember-run", [*words, *self._saves(folder)])
            return self._results(folder, arrays)

    def streams(self, /, **arrays: Any) -> dict[str, str]:
        """The tokens of each stream, by the names of values in the text: {"%i": "0 2 S0 D", ...}.

        Raises what run raises.
        """
        with self._prepared(arrays) as (folder, words):
            run_tool("ember-run", [*words, f"--streams={folder / 'streams'}"])
            lines = (folder / "streams").read_text().splitlines()
        found = {}
        for line in lines:
            value, _, tokens = line.partition(" = ")
            found[value.split(" : ")[0]] = tokens
        return found

    def simulate(
        self,
        /,
        *,
        depth: int | None = None,
        machine: Mapping[str, Any] | str | os.PathLike[str] | None = None,
        engine: str | None = None,
        critical_chain: bool = False,
        trace: str | os.PathLike[str] | None = None,
        **arrays: Any,
    ) -> tuple[Any, Statistics]:
        """What the graph computes, and what each block did meanwhile, a token a cycle.

        depth: tokens that a queue holds; None: any number, or what the machine says. machine: a
        file, or its members, as docs/sam-simulator.md has them. engine: "cycles" or "times"; None
        for the faster one that the machine allows. critical_chain: also find whose pace the run's
        length is made of. trace: a file for ui.perfetto.dev. Arrays and results are those of run.

        Raises ArgumentError, and CompileError for blocks that the simulator lacks, and for queues
        that are too short, with who waits for whom.
        """
        options = _engine(self.text, depth, machine, engine, critical_chain)
        with self._prepared(arrays) as (folder, words):
            counts = folder / "statistics.json"
            options += _machine(machine, folder)
            options += ["--critical-chain"] * critical_chain
            options += [f"--trace={trace}"] if trace is not None else []
            said = run_tool(
                "ember-sam", [*words, *options, f"--statistics={counts}", *self._saves(folder)]
            )
            statistics = Statistics(json.loads(counts.read_text()), _summary(said))
            return self._results(folder, arrays), statistics

    def dot(self) -> str:
        """The graph for Graphviz, with the attributes of the published compiler.

        Raises CompileError for blocks that such files do not know.
        """
        with tempfile.TemporaryDirectory(prefix="ember-sam-") as name:
            file = Path(name) / "graph.mlir"
            file.write_text(self.text)
            return run_tool("ember-translate", ["--sam-to-dot", file])

    def show(
        self,
        file: str | os.PathLike[str] = "graph.html",
        /,
        *,
        depth: int | None = None,
        machine: Mapping[str, Any] | str | os.PathLike[str] | None = None,
        **arrays: Any,
    ) -> Path:
        """Writes an HTML page that steps through the cycles of a simulation; returns its path.

        Tokens stand on the wires of the blocks that show them. The page loads nothing. depth,
        machine, arrays, and what is raised: those of simulate; ArgumentError for runs that are too
        long for a page, too.
        """
        from ember.sam.page import write_page

        with tempfile.TemporaryDirectory(prefix="ember-sam-") as name:
            trace = Path(name) / "trace.json"
            _, statistics = self.simulate(
                depth=depth,
                machine=machine,
                engine="cycles",
                trace=trace,
                **arrays,
            )
            return write_page(Path(file), self.statement, statistics, trace)

    @contextmanager
    def _prepared(self, arrays: Mapping[str, Any]) -> Iterator[tuple[Path, list[str]]]:
        """A folder, and the words of a command line: the program and its arguments in it."""
        with tempfile.TemporaryDirectory(prefix="ember-sam-") as name:
            folder = Path(name)
            program = folder / "graph.mlir"
            program.write_text(self.text)
            words = write_arguments(self.signature, arrays, folder)
            try:
                yield folder, [str(program), f"--entry={self.signature.name}", *words]
            except CompileError as error:
                message = _with_sizes(str(error), arrays)
                if message is not None:
                    raise ArgumentError(message) from None
                raise

    def _saves(self, folder: Path) -> list[str]:
        """The options that save results."""
        return [
            f"--save-result={number}:{result_file(result, number, folder)}"
            for number, result in enumerate(self.signature.results)
        ]

    def _results(self, folder: Path, arrays: Mapping[str, Any]) -> Any:
        """What a tool has saved."""
        on_torch = is_on_torch(arrays)
        results = tuple(
            read_result(result, result_file(result, number, folder), on_torch)
            for number, result in enumerate(self.signature.results)
        )
        return results[0] if len(results) == 1 else results


def _with_sizes(message: str, arrays: Mapping[str, Any]) -> str | None:
    """What a graph says of sizes that disagree, with these; None for another error."""
    match = _SIZES.search(message)
    if match is None:
        return None
    sizes = []
    for name, dimension in ((match[2], match[1]), (match[4], match[3])):
        given = arrays.get(name)
        if isinstance(given, str | Path) or given is None:
            return match[0]
        sizes.append(str(np.shape(given)[int(dimension)]))
    return f"{match[0]}: {' and '.join(sizes)}"


def _engine(
    text: str, depth: int | None, machine: Any, engine: str | None, critical_chain: bool
) -> list[str]:
    """The options that say how to simulate; raises ArgumentError."""
    if depth is not None and (isinstance(depth, bool) or not isinstance(depth, int) or depth < 1):
        raise ArgumentError(f"depth is a number of tokens from 1, not {depth!r}")
    if engine is not None and engine not in _ENGINES:
        raise ArgumentError(f"engine is 'cycles' or 'times', not {engine!r}")
    if engine is None:
        needs_cycles = depth is not None or machine is not None or critical_chain
        engine = "cycles" if needs_cycles or " gallop" in text else "times"
    words = [f"--engine={engine}"]
    return words if depth is None else [*words, f"--depth={depth}"]


def _machine(machine: Any, folder: Path) -> list[str]:
    """The option that names a machine; raises ArgumentError."""
    if machine is None:
        return []
    if isinstance(machine, Mapping):
        file = folder / "machine.json"
        file.write_text(json.dumps(dict(machine)))
        return [f"--machine={file}"]
    if not isinstance(machine, str | os.PathLike):
        raise ArgumentError(f"machine is a file or a dict, not {type(machine).__name__}")
    return [f"--machine={os.fspath(machine)}"]


def _summary(said: str) -> str:
    """What ember-sam printed, without elements of results."""
    kept = [line for line in said.splitlines() if not line.startswith("result ")]
    return "\n".join(kept).strip()
