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
from ember.torch.operations import fixed_size, value_of
from ember.torch.translate.values import (
    FIRST,
    Indices,
    NotTranslatedError,
    Value,
    broadcast,
    is_one,
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
    reduces: whether one of them is a reduction. paddings: rows whose lookups have no gradient, by
    the names of tables; None: of some lookups alone. undifferentiated: names of what has a gradient
    of another kind than statements make.
    """

    number: torch.dtype
    given: Mapping[Node, Node]
    lines: list[str] = field(default_factory=list)
    inputs: dict[Node, str] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    expected: dict[Node, float] = field(default_factory=dict)
    reduces: bool = False
    paddings: dict[str, int | None] = field(default_factory=dict)
    undifferentiated: set[str] = field(default_factory=set)
    _temporaries: int = 0

    def input(self, node: Node, example: Any) -> Value:
        """A tensor or a number that the statements are given."""
        name = self.inputs.setdefault(node, f"x{len(self.inputs)}")
        if isinstance(example, Tensor):
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
        sizes = tuple(example.shape)
        if example.dim() == 0:
            self.types[name] = f"1x{_type(example.dtype)}"
            return Value((), example.dtype, lambda _: f"{name}[{FIRST}]", name=name)
        # Rows of a known length are kept in registers.
        known = [str(size) if is_one(size) else "?" for size in sizes]
        if example.dim() > 1:
            known[-1] = str(fixed_size(sizes[-1]))
        self.types[name] = "x".join([*known, _type(example.dtype)])
        return Value(sizes, example.dtype, lambda indices: f"{name}[{','.join(indices)}]", name=name)

    def let(
        self, sizes: Sequence[Any], dtype: torch.dtype, element: Callable[[Indices], str]
    ) -> Value:
        """A temporary of these sizes, and its element at some indices, which are variables."""
        name = f"t{self._temporaries}"
        self._temporaries += 1
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
        return f"{left} = {element(indices)}"

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
        """What statements read, in the order of the kernel's parameters: as they name it."""
        nodes = {name: node for node, name in self.inputs.items()}
        return [nodes[name] for name in self._named() if name in nodes]

    def _named(self) -> list[str]:
        return list(dict.fromkeys(re.findall(r"\b[txy]\d*\b", self.text)))

    def notation(self) -> Notation:
        """The statements with what emberc has to know."""
        words = (
            f"--type={name}:{self.types[name]}" for name in self._named() if name in self.types
        )
        return Notation(self.text, ("--approximate", *words))


def _type(dtype: torch.dtype) -> str:
    if dtype not in TYPES:
        raise NotTranslatedError
    return TYPES[dtype]
