"""Writes programs of the embed dialect: one operation a function, from what is fixed in it.

An operation is given by the types of its operands and by its attributes. Its function takes the
operands in the order in which the operation is written, the output last:

    program(SpMM(rows=array("i32", None), columns=array("i32", None),
                 dense=array("f32", None, 64), out=array("f32", None, 64), reduction="mean"))

docs/embed.md says what the operations compute.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from ember.errors import ArgumentError
from ember.row_types import ENCODINGS, PARAMETERS

if TYPE_CHECKING:
    from ember.sparse.function import Function
    from ember.sparse.function_definitions import Definitions

ENTRY = "kernel"


@dataclass(frozen=True)
class Array:
    """The type of an array: its elements' type in MLIR, its sizes (None: those of the call).

    layout: how a memref that is not contiguous lies, such as "strided<[?, 1], offset: ?>".
    """

    element: str
    shape: tuple[int | None, ...]
    layout: str = ""

    def spelled(self, kind: str) -> str:
        """The MLIR type of that kind, tensor or memref."""
        sizes = "".join(f"{'?' if size is None else size}x" for size in self.shape)
        layout = f", {self.layout}" if self.layout else ""
        return f"{kind}<{sizes}{self.element}{layout}>"


def array(element: str, *shape: int | None) -> Array:
    """The type of a contiguous array."""
    return Array(element, shape)


# The type of an operand: an array's, or a scalar's in MLIR.
Type = Array | str


@dataclass(frozen=True)
class Clause:
    """A keyword of an operation with its operands by name."""

    keyword: str
    operands: Mapping[str, Type]

    def spelled(self, types: Mapping[str, str]) -> str:
        """The clause with values named as the operands, of these MLIR types."""
        values = ", ".join(f"%{name}" for name in self.operands)
        if self.keyword == "padding":
            return f"padding({values})"
        return f"{self.keyword}({values} : {', '.join(types[name] for name in self.operands)})"


@dataclass(frozen=True)
class Step:
    """A function that an operation calls, behind a word of its own if that is not empty.

    function: of statements, by its name, or made by ember.sparse.function. element: MLIR's name of
    the type that it computes in.
    """

    word: str
    function: "str | Function"
    element: str

    def spelled(self, functions: "Functions") -> str:
        """The step, where functions of the user are among `functions`."""
        name = self.function if isinstance(self.function, str) else functions.add(self)
        return f"{self.word}({name})" if self.word else name


class Functions:
    """The functions of the user that operations of a program call, each once."""

    def __init__(self) -> None:
        """None yet."""
        self._definitions: Definitions | None = None

    def add(self, step: Step) -> str:
        """What MLIR calls the function of a step; raises ArgumentError for what is none."""
        from ember.sparse.function import Function
        from ember.sparse.function_definitions import Definitions

        if not isinstance(step.function, Function):
            raise ArgumentError(
                f"{step.word or 'reduction'}: expected the name of a function of statements or one "
                f"that ember.sparse.function made, not {step.function!r}"
            )
        if self._definitions is None:
            self._definitions = Definitions()
        symbol, _ = self._definitions.add(step.function, step.function.__name__, step.element)
        return f"@{symbol}"

    def text(self) -> str:
        """All of them as MLIR."""
        return self._definitions.text() if self._definitions else ""


# What an operation is written with, in order: its attributes as text and functions, and its
# operands.
Words = Iterator[str | Step | Clause]


def _one(name: str, kind: Type | None) -> Words:
    """The operand of a clause of its own, if it is there."""
    if kind is not None:
        yield Clause(name, {name: kind})


@dataclass(frozen=True)
class RowFormat:
    """How rows of bytes encode rows of values: #cin.row_format.

    encoding: one of ember.row_types.ENCODINGS: int8, int4, e4m3 or e5m2. parameters: one of
    ember.row_types.PARAMETERS: the type of the scale and bias of integer rows, f32 or f16, or of
    the scales of blocks of 8-bit floats, f8E8M0FNU. leading: they are in front of the elements.
    """

    encoding: str
    parameters: str | None = None
    leading: bool = False

    def __str__(self) -> str:
        words = (self.encoding, self.parameters, "leading" if self.leading else None)
        return f"<{', '.join(word for word in words if word)}>"

    @property
    def name(self) -> str:
        """What the notation calls it, as int4:f16."""
        return str(self).strip("<>").replace(", ", ":")

    def row_bytes(self, length: int) -> int:
        """The bytes of a row of that many elements."""
        return self.element_bytes(length) + self.parameter_bytes(length)

    def element_bytes(self, length: int) -> int:
        """Those of them that are elements; of rows of numbers, the elements."""
        row = ENCODINGS.get(self.encoding)
        return length if row is None else -(-length * row.bits // 8)

    def parameter_bytes(self, length: int) -> int:
        """Those of them that are scales and biases."""
        if self.parameters is None:
            return 0
        row = PARAMETERS[self.parameters]
        count = -(-length // row.block_length) if row.block_length else 2
        return count * row.bits // 8

    @property
    def scales_blocks(self) -> bool:
        """Whether each block of elements has a scale."""
        return self.parameters is not None and PARAMETERS[self.parameters].block_length > 0


@dataclass(frozen=True, kw_only=True)
class Operation:
    """What all operations have: the type of the output."""

    out: Array

    mnemonic: ClassVar[str]

    def words(self) -> Words:
        """What the operation is written with, up to its output."""
        raise NotImplementedError

    def format(self) -> str:
        """How rows of bytes are encoded, as the operation says it behind its output."""
        return ""

    def operands(self) -> dict[str, Type]:
        """The operands by name, in the order of the parameters of the operation's function."""
        clauses = [word for word in self.words() if isinstance(word, Clause)]
        return {
            name: kind
            for clause in [*clauses, Clause("outs", {"out": self.out})]
            for name, kind in clause.operands.items()
        }


@dataclass(frozen=True, kw_only=True)
class Encoded(Operation):
    """An operation whose table may hold rows of bytes."""

    row_format: RowFormat | None = None

    def format(self) -> str:
        return f"format {self.row_format}" if self.row_format else ""


@dataclass(frozen=True, kw_only=True)
class Bag(Encoded):
    """embed.bag: reduces (sum, mean, max) bags of rows of one or more tables.

    segment_kind: offsets, open_offsets or lengths. weights: of lookups. padded: an operand for
    each table says which row is skipped.
    """

    tables: tuple[Array, ...]
    indices: Array
    segments: Array
    reduction: str = "sum"
    segment_kind: str = "offsets"
    weights: Array | None = None
    padded: bool = False

    mnemonic = "bag"

    def words(self) -> Words:
        yield self.reduction
        yield Clause("tables", {f"table{k}": table for k, table in enumerate(self.tables)})
        yield from _one("indices", self.indices)
        yield from _one(self.segment_kind, self.segments)
        yield from _one("weights", self.weights)
        if self.padded:
            yield Clause("padding", {f"padding{k}": "index" for k in range(len(self.tables))})


@dataclass(frozen=True, kw_only=True)
class Graph(Operation):
    """An operation on the edges of a graph.

    graph: csr (rows are the positions of each row's edges) or coo (rows are those of the edges).
    values: of the edges.
    """

    rows: Array
    columns: Array
    graph: str = "csr"
    values: Array | None = None

    def edges(self) -> Words:
        """The graph's clauses."""
        yield Clause(self.graph, {"rows": self.rows, "columns": self.columns})
        yield from _one("values", self.values)


@dataclass(frozen=True, kw_only=True)
class SpMM(Graph, Encoded):
    """embed.spmm: reduces (sum, mean, max) the rows of neighbours in a graph."""

    dense: Array
    reduction: str = "sum"

    mnemonic = "spmm"

    def words(self) -> Words:
        yield self.reduction
        yield from self.edges()
        yield from _one("dense", self.dense)


@dataclass(frozen=True, kw_only=True)
class SDDMM(Graph):
    """embed.sddmm: combines the rows at both ends of every edge to a value.

    Steps are functions of statements by their names, such as "mul", or made by
    ember.sparse.function. edge: of an element of each row. total: what makes one value of these,
    usually their sum. activation: of that value. scale: the type of a factor.
    """

    left: Array
    right: Array
    edge: "str | Function" = "mul"
    total: "str | Function | None" = None
    activation: "str | Function | None" = None
    scale: str | None = None

    mnemonic = "sddmm"

    def steps(self) -> "dict[str, str | Function | None]":
        """The steps by the words of the operation."""
        return {"edge": self.edge, "total": self.total, "activation": self.activation}

    def spelled_steps(self) -> dict[str, Step]:
        """Those that there are."""
        elements = [
            operand.element if isinstance(operand, Array) else operand
            for clause in self.clauses()
            if isinstance(clause, Clause)
            for operand in clause.operands.values()
        ]
        element = "f64" if "f64" in [*elements, self.out.element] else "f32"
        return {
            word: Step(word, function, element)
            for word, function in self.steps().items()
            if function is not None
        }

    def clauses(self) -> Words:
        """What stands behind the steps."""
        yield from self.edges()
        yield Clause("rows", {"left": self.left, "right": self.right})
        yield from _one("scale", self.scale)

    def words(self) -> Words:
        yield from self.spelled_steps().values()
        yield from self.clauses()


@dataclass(frozen=True, kw_only=True)
class Message(SDDMM):
    """embed.message: the edges' values as SDDMM has them weigh messages, which are reduced.

    weighting: of an element of a message and the edge's value, usually their product. reduction:
    of the messages of a row, "mean" or a function. vector: each element of the combined rows
    weighs the element of the message at its place.
    """

    messages: Array
    reduction: "str | Function" = "add"
    weighting: "str | Function | None" = None
    vector: bool = False

    mnemonic = "message"

    def steps(self) -> "dict[str, str | Function | None]":
        return {**super().steps(), "weighting": self.weighting, "reduction": self.reduction}

    def clauses(self) -> Words:
        yield from self.edges()
        yield Clause("rows", {"left": self.left, "right": self.right})
        yield from _one("messages", self.messages)
        yield from _one("scale", self.scale)

    def words(self) -> Words:
        steps = self.spelled_steps()
        yield replace(steps.pop("reduction"), word="")
        yield steps.pop("edge")
        if self.vector:
            yield "vector"
        yield from steps.values()
        yield from self.clauses()


@dataclass(frozen=True, kw_only=True)
class Score(Operation):
    """embed.score: scores triples of a knowledge graph; without tails, every entity is one.

    model: transe or rotate, with a norm of 1 or 2, or distmult or complex.
    """

    entities: Array
    relations: Array
    heads: Array
    types: Array
    tails: Array | None = None
    model: str = "transe"
    norm: int | None = None

    mnemonic = "score"

    def words(self) -> Words:
        yield self.model if self.norm is None else f"{self.model} norm {self.norm}"
        yield from _one("entities", self.entities)
        yield from _one("relations", self.relations)
        yield from _one("heads", self.heads)
        yield from _one("types", self.types)
        yield from _one("tails", self.tails)


@dataclass(frozen=True, kw_only=True)
class Gather(Encoded):
    """embed.gather: copies blocks of rows; with block_size 1, a lookup of rows."""

    source: Array
    blocks: Array
    block_size: int = 1

    mnemonic = "gather"

    def words(self) -> Words:
        yield f"block_size {self.block_size}"
        yield Clause("rows", {"source": self.source})
        yield from _one("blocks", self.blocks)


@dataclass(frozen=True, kw_only=True)
class BlockScores(Operation):
    """embed.block_scores: products of queries with gathered blocks of keys."""

    queries: Array
    keys: Array
    blocks: Array
    block_size: int = 1
    scale: str | None = None

    mnemonic = "block_scores"

    def words(self) -> Words:
        yield f"block_size {self.block_size}"
        yield from _one("queries", self.queries)
        yield from _one("keys", self.keys)
        yield from _one("blocks", self.blocks)
        yield from _one("scale", self.scale)


@dataclass(frozen=True, kw_only=True)
class BlockValues(Operation):
    """embed.block_values: sums of gathered blocks of values, weighted by scores."""

    scores: Array
    values: Array
    blocks: Array
    block_size: int = 1

    mnemonic = "block_values"

    def words(self) -> Words:
        yield f"block_size {self.block_size}"
        yield from _one("scores", self.scores)
        yield from _one("values", self.values)
        yield from _one("blocks", self.blocks)


def program(
    operation: Operation,
    entry: str = ENTRY,
    kind: str = "tensor",
    names: Mapping[str, str] | None = None,
    before: str = "",
) -> str:
    """The MLIR of a function `entry` of one operation.

    Functions of the user that the operation calls stand behind it.

    kind: tensor, or memref, whose types may have a layout. Either way the compiled kernel returns
    nothing and overwrites its last argument. names: what errors call operands (default: as here).
    before: lines of MLIR ahead of the operation, such as assertions on operands.
    """
    functions = Functions()
    return _function(operation, entry, kind, names or {}, before, functions) + functions.text()


def programs(operations: Mapping[str, Operation], kind: str = "tensor") -> str:
    """The MLIR of functions of one operation each, by their names.

    A function of the user that several operations call is defined once, and different ones of
    one name are told apart, which those of joined programs are not.
    """
    functions = Functions()
    text = [_function(each, entry, kind, {}, "", functions) for entry, each in operations.items()]
    return "".join(text) + functions.text()


def _function(
    operation: Operation,
    entry: str,
    kind: str,
    names: Mapping[str, str],
    before: str,
    functions: Functions,
) -> str:
    types = {
        name: operand.spelled(kind) if isinstance(operand, Array) else operand
        for name, operand in operation.operands().items()
    }
    shown = {name: name for name in types} | dict(names)
    parameters = ",\n    ".join(
        f'%{name}: {spelled} {{ember.name = "{shown[name]}"}}' for name, spelled in types.items()
    )
    attributes: list[str] = []
    clauses: list[str] = []
    for word in operation.words():
        if isinstance(word, Clause):
            clauses.append(word.spelled(types))
        else:
            attributes.append(word if isinstance(word, str) else word.spelled(functions))
    result = types["out"]
    clauses.append(f"outs(%out : {result}) {operation.format()}".rstrip())
    text = "\n      ".join([f"embed.{operation.mnemonic} {' '.join(attributes)}", *clauses])
    head = f"func.func @{entry}(\n    {parameters})"
    if kind == "memref":
        return f"{head} {{\n{before}  {text}\n  return\n}}\n"
    body = f"{before}  %0 = {text}\n      -> {result}\n  return %0 : {result}"
    return f"{head} -> {result} {{\n{body}\n}}\n"
