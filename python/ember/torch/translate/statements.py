"""Statements as they are written: one for each operator, on arrays and temporaries.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.fx import Node

from ember.compiler import Notation
from ember.torch.element_types import INDEX_TYPES, SUM_TYPES
from ember.torch.operations import fixed_size, same_number, value_of
from ember.torch.translate.values import (
    FIRST,
    Indices,
    NotTranslatedError,
    Value,
    broadcast,
    is_one,
    known_number,
)

RESULT = "y"
# Half types are no types of statements here: PyTorch rounds after each operation.
TYPES = {**SUM_TYPES, **INDEX_TYPES, torch.bool: "i1"}


@dataclass
class Statements:
    """Statements on some inputs.

    number: the type of numbers that are given. given: nodes of the captured graph by those of the
    traced one. lines: the statements. inputs: the names of what
    they read, by the nodes of the captured graph. types: of arrays by their names, as emberc has
    them. expected: what numbers have to be, by their nodes, as statements are written for that.
    reduces: whether one of them is a reduction. paddings: rows that have no gradient, by the names
    of their tables. undifferentiated: names of what has a gradient
    of another kind than statements make. rows: how long those of inputs are, by names.
    without_gradient: names of what the result depends on by comparisons and places alone.
    are_ranged: whether variables have ranges where sizes are known, since indices do not say them.
    has_own_gradients: whether gradients are PyTorch's. So are those of what is the largest or least
    of others, which they look for: two computations of a sum may be rounded otherwise. And those of
    steps, which are 0, and which PyTorch multiplies by what kernels do not read.
    """

    number: torch.dtype
    given: Mapping[Node, Node]
    lines: list[str] = field(default_factory=list)
    inputs: dict[Node, str] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    expected: dict[Node, float] = field(default_factory=dict)
    reduces: bool = False
    paddings: dict[str, int] = field(default_factory=dict)
    undifferentiated: set[str] = field(default_factory=set)
    rows: dict[str, Any] = field(default_factory=dict)
    without_gradient: set[str] = field(default_factory=set)
    are_ranged: bool = False
    has_own_gradients: bool = False
    _temporaries: int = 0

    def input(self, node: Node, example: Any) -> Value:
        """A tensor or a number that the statements are given."""
        name = self.inputs.setdefault(node, f"x{len(self.inputs)}")
        if isinstance(example, Tensor):
            if example.layout is not torch.strided or example.is_nested:
                raise NotTranslatedError
            return self._array(name, example)
        if isinstance(example, float | torch.SymFloat):
            self.types[name] = _type(self.number)
            return Value((), self.number, lambda _: name)
        raise NotTranslatedError

    def expect(self, number: Node) -> Any:
        """What a number among the inputs is for now: the statements are of that one alone."""
        node, value = self.given.get(number), value_of(number)
        if node is None or not isinstance(value, torch.SymFloat | torch.SymInt):
            raise NotTranslatedError
        if value.node.hint is None:
            raise NotTranslatedError
        self.expected[node] = found = value.node.hint
        return found

    def _array(self, name: str, example: Tensor) -> Value:
        sizes: tuple[Any, ...] = tuple(example.shape)
        element = _type(example.dtype)
        if not sizes:
            self.types[name] = f"1x{element}"
            return Value((), example.dtype, lambda _: f"{name}[{FIRST}]", name=name)
        known = ["1" if is_one(size) else "?" for size in sizes]
        if len(sizes) > 1 and example.is_floating_point():
            if known_number(sizes[-1]) is None and sizes[-1].node.hint is None:
                raise NotTranslatedError
            self.rows[name] = sizes[-1]
            known.pop()
        self.types[name] = "x".join([*known, element])
        return Value(
            sizes, example.dtype, lambda indices: f"{name}[{','.join(indices)}]", name=name
        )

    def number_of(self, size: Any) -> int:
        """A size as a number: of those that change, the length of rows can be fixed."""
        number = known_number(size)
        if number is None and any(same_number(size, one) for one in self.rows.values()):
            number = fixed_size(size)
        if number is None:
            raise NotTranslatedError
        return number

    def let(
        self, sizes: Sequence[Any], dtype: torch.dtype, element: Callable[[Indices], str]
    ) -> Value:
        """A temporary of these sizes, and its element at some indices, which are variables."""
        name = f"t{self._temporaries}"
        self._temporaries += 1
        if dtype in INDEX_TYPES and all(map(is_one, sizes)):
            # As an index, a name without one of its own would be a variable.
            self.types[name] = _type(dtype)
            self.lines.append(f"let {name}[i] = {element([FIRST] * len(sizes))} for i in 0:1")
            return Value(tuple(sizes), dtype, lambda _: f"{name}[{FIRST}]")
        self.lines.append(f"let {self._assign(name, sizes, dtype, element)}")
        places = [place for place, size in enumerate(sizes) if not is_one(size)]

        def at(indices: Indices) -> str:
            return f"{name}[{','.join(indices[place] for place in places)}]" if places else name

        return Value(tuple(sizes), dtype, at)

    def _assign(
        self, name: str, sizes: Sequence[Any], dtype: torch.dtype, element: Callable[[Indices], str]
    ) -> str:
        indices = [FIRST if is_one(size) else f"i{place}" for place, size in enumerate(sizes)]
        variables = [index for index in indices if index != FIRST]
        self.types[name] = _type(dtype)
        left = f"{name}[{','.join(variables)}]" if variables else name
        right = element(indices)
        pairs = zip(indices, sizes, strict=True)
        # Of a result, the tensor that is given says how many elements there are.
        read = f"{left} {right}" if name == RESULT else right
        ranged = [self.ranged(index, size, read) for index, size in pairs if index != FIRST]
        ranges = ", ".join(one for one in ranged if " in " in one)
        return f"{left} = {right} for {ranges}" if ranges else f"{left} = {right}"

    def ranged(self, variable: str, size: Any, read: str) -> str:
        """A variable as reductions and statements bind it that read that.

        An index of nothing, as where elements are repeated, needs a range.
        """
        if re.search(rf"[\[,]{variable}[,\]]", read) is None:
            return f"{variable} in 0:{self.number_of(size)}"
        number = known_number(size) if self.are_ranged else None
        return variable if number is None else f"{variable} in 0:{number}"

    def finish(self, value: Value) -> None:
        """Makes a value the result: its dimensions of size 1 are left out."""
        self.lines.append(self._assign(RESULT, value.sizes, value.dtype, value.at))

    def reduced(
        self, sizes: Sequence[Any], dtype: torch.dtype, element: Callable[[Indices], str]
    ) -> Value:
        """A temporary whose element is a reduction, over variables r0, r1 and so on."""
        self.reduces = True
        return self.let(sizes, dtype, element)

    def converted(self, value: Value, dtype: torch.dtype) -> Value:
        """A value with elements of another type; numbers take the type of what they meet."""
        if value.dtype == dtype or not value.rank:
            return value
        return self.let(value.sizes, dtype, value.at)

    def elementwise(
        self,
        sizes: Sequence[Any],
        dtype: torch.dtype,
        operands: Sequence[Value],
        function: Callable[..., str],
    ) -> Value:
        """A function of the operands' elements, which are broadcast."""
        elements = [broadcast(operand, sizes) for operand in operands]
        return self.let(
            sizes, dtype, lambda indices: function(*(element(indices) for element in elements))
        )

    @property
    def text(self) -> str:
        """All statements."""
        return "; ".join(self.lines)

    def read(self) -> list[Node]:
        """What statements read, as they name it."""
        nodes = {name: node for node, name in self.inputs.items()}
        return [nodes[name] for name in self._named() if name in nodes]

    def _named(self) -> list[str]:
        return list(dict.fromkeys(re.findall(r"\b[txy]\d*\b", self.text)))

    def notation(self) -> Notation:
        """The statements with what emberc has to know. They are of rows of one length only, which
        are kept in registers, from here on."""
        words = ["--approximate"]
        for name in self._named():
            if (spelled := self.types.get(name)) is None:
                continue
            if name in self.rows:
                outer, _, element = spelled.rpartition("x")
                length = str(fixed_size(self.rows[name]))
                spelled = "x".join([*([outer] if outer else []), length, element])
            words.append(f"--type={name}:{spelled}")
        return Notation(self.text, tuple(words))


def _type(dtype: torch.dtype) -> str:
    if dtype not in TYPES:
        raise NotTranslatedError
    return TYPES[dtype]
