"""Expressions over looked-up rows, and the loops that compute them: a number for each lookup.

    -norm(normalize(entities[head]) + relations[type] - normalize(entities[tail]))

An expression is of rows, elementwise, or a number; reductions turn rows into numbers. Numbers that
reductions of rows need, as a norm that the rows are divided by, are computed in a loop before.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

ENTRY = "scores"

# Operations of MLIR on numbers, by PyTorch's names.
UNARY = {
    "abs": "math.absf",
    "cos": "math.cos",
    "exp": "math.exp",
    "neg": "arith.negf",
    "sin": "math.sin",
    "sqrt": "math.sqrt",
    "tanh": "math.tanh",
}
BINARY = {
    "add": "arith.addf",
    "div": "arith.divf",
    "maximum": "arith.maximumf",
    "mul": "arith.mulf",
    "sub": "arith.subf",
}
# As in embed.score: a product may be fused with a sum, sines and cosines may be approximated.
FLAGS = {
    "arith.addf": "contract",
    "arith.mulf": "contract",
    "arith.subf": "contract",
    "math.cos": "afn",
    "math.sin": "afn",
}


@dataclass(frozen=True)
class Expression:
    """A value for each lookup, or for each element of its rows.

    operation: "row" (an element of a table's row; operands are the numbers of table and index),
    "cell" (the same of a table that has one element a row), "only" (the element of a table that
    has one; operand: the number of the table), "number" (operand: a number), "argument" (operand:
    which), "sum" (of the rows that are its operands), or one of UNARY and BINARY. is_row: there is
    a value for each element.
    """

    operation: str
    operands: tuple["Expression | int | float", ...]
    is_row: bool = False

    def parts(self) -> Iterator["Expression"]:
        """The operands that are expressions."""
        return (one for one in self.operands if isinstance(one, Expression))

    @cached_property
    def depth(self) -> int:
        """How many loops behind one another it takes."""
        inner = max((part.depth for part in self.parts()), default=0)
        return inner + (self.operation == "sum")

    def all(self) -> Iterator["Expression"]:
        """The expression and all in it, those that others need first."""
        for part in self.parts():
            yield from part.all()
        yield self


def applied(operation: str, *operands: Expression) -> Expression:
    """An operation on rows and numbers, which count for all elements of a row."""
    return Expression(operation, operands, any(operand.is_row for operand in operands))


def number(value: float) -> Expression:
    """A number that is written in the program."""
    return Expression("number", (value,))


def squared(operand: Expression) -> Expression:
    """The square of a row or number."""
    return applied("mul", operand, operand)


def summed(*rows: Expression) -> Expression:
    """The sum of all elements of the rows."""
    return Expression("sum", rows)


@dataclass(frozen=True)
class RowProgram:
    """What is fixed in a kernel: the expression, the length of rows, and the types.

    widths: of each table, the elements of a row; 0: there is one a row, and no dimension for it.
    indices: how many there are. index: their type. arguments: numbers that a call is given.
    """

    expression: Expression
    length: int
    value: str
    index: str
    widths: tuple[int, ...]
    indices: int
    arguments: int

    @property
    def tables(self) -> int:
        """How many tables there are."""
        return len(self.widths)

    def table(self, number: int) -> str:
        """The type of a table."""
        width = self.widths[number]
        return f"memref<?x{f'{width}x' if width else ''}{self.value}>"

    def text(self) -> str:
        """The MLIR module: parameters are tables, indices, arguments, and the result (lookups)."""
        return _Writer(self).text()


class _Writer:
    """Writes the loops of one program."""

    def __init__(self, program: RowProgram) -> None:
        self.program = program
        self.lines: list[str] = []
        self.names: dict[Expression, str] = {}
        self.count = 0

    def text(self) -> str:
        program = self.program
        ids, out = f"memref<?x{program.index}>", f"memref<?x{program.value}>"
        parameters = [
            *(
                f'%table{k}: {program.table(k)} {{ember.name = "table[{k}]"}}'
                for k in range(program.tables)
            ),
            *(
                f'%indices{k}: {ids} {{ember.name = "indices[{k}]"}}'
                for k in range(program.indices)
            ),
            *(f"%argument{k}: {program.value}" for k in range(program.arguments)),
            f'%out: {out} {{ember.name = "out"}}',
        ]
        self._line("  %c0 = arith.constant 0 : index")
        self._line("  %c1 = arith.constant 1 : index")
        self._line(f"  %length = arith.constant {program.length} : index")
        self._line(f"  %zero = arith.constant 0.0 : {program.value}")
        self._line(f"  %lookups = memref.dim %out, %c0 : {out}")
        for k in range(program.indices):
            self._line(f"  %size{k} = memref.dim %indices{k}, %c0 : {ids}")
            self._line(f"  %fits{k} = arith.cmpi eq, %size{k}, %lookups : index")
            self._line(f'  cf.assert %fits{k}, "there are not as many indices for all tables"')
        self._constants()
        self._line("  scf.for %l = %c0 to %lookups step %c1 {")
        for k in range(program.indices):
            self._line(f"    %stored{k} = memref.load %indices{k}[%l] : {ids}")
            self._line(f"    %row{k} = arith.index_cast %stored{k} : {program.index} to index")
        for depth in range(1, program.expression.depth + 1):
            self._loop(depth)
        result = self._value(program.expression, "    ")
        self._line(f"    memref.store {result}, %out[%l] : {out}")
        self._line("  }")
        body = "\n".join(self.lines)
        return (
            f"func.func @{ENTRY}(\n    "
            + ",\n    ".join(parameters)
            + f") {{\n{body}\n  return\n}}\n"
        )

    def _line(self, text: str) -> None:
        self.lines.append(text)

    def _new(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def _constants(self) -> None:
        for one in self.program.expression.all():
            if one.operation == "number" and one not in self.names:
                name = self.names[one] = self._new()
                # As many digits as tell a number of f64 from all others.
                text = f"{float(one.operands[0]):.17e}"  # type: ignore[arg-type]
                self._line(f"  {name} = arith.constant {text} : {self.program.value}")
            elif one.operation == "argument":
                self.names[one] = f"%argument{one.operands[0]}"

    def _loop(self, depth: int) -> None:
        """One loop over the elements of rows for all sums of that depth."""
        sums = list(
            dict.fromkeys(
                one
                for one in self.program.expression.all()
                if one.operation == "sum" and one.depth == depth
            )
        )
        value = self.program.value
        # What elements need and does not depend on them comes first.
        for one in sums:
            for row in one.parts():
                for inner in row.all():
                    if not inner.is_row and inner.depth < depth:
                        self._value(inner, "    ")
        results = [self._new() for _ in sums]
        before = [self._new() for _ in sums]
        pairs = ", ".join(f"{name} = %zero" for name in before)
        types = ", ".join([value] * len(sums))
        self._line(
            f"    {', '.join(results)} = scf.for %e = %c0 to %length step %c1"
            f" iter_args({pairs}) -> ({types}) {{"
        )
        outside = dict(self.names)
        after = []
        for one, name in zip(sums, before, strict=True):
            # One addition to what is carried: then the loop reduces in lanes.
            element = ""
            for row in one.parts():
                value_of_row = self._value(row, "      ")
                element = self._sum(element, value_of_row, "contract") if element else value_of_row
            after.append(self._sum(name, element, "reassoc,contract"))
        self._line(f"      scf.yield {', '.join(after)} : {types}")
        self._line("    }")
        self.names = outside
        for one, name in zip(sums, results, strict=True):
            self.names[one] = name

    def _sum(self, one: str, other: str, flags: str) -> str:
        name = self._new()
        value = self.program.value
        self._line(f"      {name} = arith.addf {one}, {other} fastmath<{flags}> : {value}")
        return name

    def _load(self, indent: str, table: "Expression | int | float", row: str, element: str) -> str:
        """Loads an element of a table's row, which may be all of it."""
        assert isinstance(table, int)
        name = self._new()
        place = f"{row}, {element}" if self.program.widths[table] else row
        kind = self.program.table(table)
        self._line(f"{indent}{name} = memref.load %table{table}[{place}] : {kind}")
        return name

    def _value(self, one: Expression, indent: str) -> str:
        """The name of the expression's value, computed now if it has none."""
        found = self.names.get(one)
        if found is not None:
            return found
        value = self.program.value
        if one.operation == "row":
            table, index = one.operands
            name = self._load(indent, table, f"%row{index}", "%e")
        elif one.operation in ("cell", "only"):
            table, *rows = one.operands
            name = self._load(indent, table, f"%row{rows[0]}" if rows else "%c0", "%c0")
        else:
            names = ", ".join(self._value(part, indent) for part in one.parts())
            operation = UNARY.get(one.operation) or BINARY[one.operation]
            flags = f" fastmath<{FLAGS[operation]}>" if operation in FLAGS else ""
            name = self._new()
            self._line(f"{indent}{name} = {operation} {names}{flags} : {value}")
        self.names[one] = name
        return name
