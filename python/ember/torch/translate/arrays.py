"""What statements read, and what is known of it: types and sizes, as emberc has them.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor
from torch.fx import Node

from ember.embed_programs import RowFormat
from ember.torch.element_types import INDEX_TYPES, VALUE_TYPES
from ember.torch.graph.operations import fixed_size, same_number, value_of
from ember.torch.quantize.row_encoding import is_of_bytes
from ember.torch.translate.values import (
    FIRST,
    NotTranslatedError,
    Pair,
    Value,
    is_one,
    known_number,
    literal,
)

TYPES = {**VALUE_TYPES, **INDEX_TYPES, torch.bool: "i1"}


@dataclass
class Arrays:
    """The arrays of statements, by their names.

    number: the type of numbers that are given. given: nodes of the captured graph by those of the
    traced one. inputs: the names of what they read, by the nodes of the captured graph. types: of
    arrays, as emberc has them. expected: what numbers have to be, by their nodes, as statements are
    written for that. rows: how long those of inputs are; shapes: of inputs with rows. lengths:
    sizes that only the run knows, and that no array has, by the names of parameters. fixed: sizes
    that stay from here on, whatever dimension has them, besides lengths of rows. constants: tensors
    that are computed of nothing. is_trial: it is only asked whether an operator has statements,
    whatever its operands are. strided: inputs whose rows lie apart, as those of heads that are
    columns of a matrix. sizes_of: of arrays that are given. encodings: of tables that stand for
    f32. selecting: the operator of the traced graph that selects columns, of which the result is.
    """

    number: torch.dtype
    given: Mapping[Node, Node]
    inputs: dict[Node, str] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    expected: dict[Node, float] = field(default_factory=dict)
    rows: dict[str, Any] = field(default_factory=dict)
    lengths: dict[str, Any] = field(default_factory=dict)
    constants: dict[str, Tensor] = field(default_factory=dict)
    is_trial: bool = False
    shapes: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    fixed: list[Any] = field(default_factory=list)
    strided: set[str] = field(default_factory=set)
    encodings: dict[str, RowFormat] = field(default_factory=dict)
    selecting: Node | None = None
    sizes_of: dict[str, tuple[Any, ...]] = field(default_factory=dict)

    def input(self, node: Node, example: Any) -> Any:
        """A tensor or a number that the statements are given; to ask about operators, a complex
        one, too."""
        name = self.inputs.setdefault(node, f"x{len(self.inputs)}")
        if isinstance(example, Tensor):
            if example.layout is not torch.strided or example.is_nested:
                raise NotTranslatedError
            if example.is_complex() and self.is_trial:
                return Pair(*(self.input(node, part) for part in (example.real, example.imag)))
            return replace(self._array(name, example), is_looked_up=self.is_trial)
        if isinstance(example, float | torch.SymFloat):
            self.types[name] = type_of(self.number)
            return Value((), self.number, lambda _: name)
        raise NotTranslatedError

    def encoded(self, node: Node, rows: Any, length: int, form: RowFormat) -> Value:
        """A table (rows, length), f32, that an input has as rows of bytes."""
        name, spelled = self.inputs[node], f"?x{length}xf32"
        if self.types.setdefault(name, spelled) != spelled:
            raise NotTranslatedError
        if self.encodings.setdefault(name, form) != form:
            raise NotTranslatedError
        return Value(
            (rows, length),
            torch.float32,
            lambda indices: f"{name}[{','.join(indices)}]",
            name=name,
            is_looked_up=self.is_trial,
        )

    def constant(self, tensor: Tensor) -> Value:
        """A tensor that the statements bring along, or a number that they have."""
        if not tensor.dim() and tensor.is_floating_point():
            text = literal(tensor.item())
            return Value((), tensor.dtype, lambda _: text)
        name = f"c{len(self.constants)}"
        self.constants[name] = tensor
        return self._array(name, tensor)

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
        element = type_of(example.dtype)
        if not sizes:
            self.types[name] = f"1x{element}"
            return Value((), example.dtype, lambda _: f"{name}[{FIRST}]", name=name)
        self.sizes_of[name] = sizes
        known = ["1" if is_one(size) else "?" for size in sizes]
        if self.selecting is not None:
            # Rows are stored side by side, and there may be any number of columns.
            known[:-1] = [str(fixed_size(size)) for size in sizes[:-1]]
        elif len(sizes) > 1 and example.is_floating_point():
            if known_number(sizes[-1]) is None and sizes[-1].node.hint is None:
                raise NotTranslatedError
            self.rows[name], self.shapes[name] = sizes[-1], sizes
            if not example.is_contiguous() and same_number(example.stride(-1), 1):
                self.strided.add(name)
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

    def fixed_length(self, size: Any) -> str:
        """The same of a size that stays, as that of a block does."""
        if known_number(size) is None:
            self.fixed.append(size)
        return self.length(size)

    def length(self, size: Any) -> str:
        """A size as the end of a range."""
        known = [*self.rows.values(), *self.fixed]
        if known_number(size) is not None or any(same_number(size, one) for one in known):
            return str(fixed_size(size))
        return self.given_length(size)

    def given_length(self, size: Any) -> str:
        """A size that the kernel is given in each call, so that it is one for all sizes."""
        for name, known in self.lengths.items():
            if same_number(known, size):
                return name
        name = f"n{len(self.lengths)}"
        self.lengths[name] = size
        self.types[name] = "i64"
        return name

    def size_of_inputs(self, size: Any, used: Collection[str]) -> str:
        """That dimension of an array in use which has the size; "" if there is none."""
        for name, sizes in self.sizes_of.items():
            for dimension, known in enumerate(sizes):
                if name in used and same_number(known, size):
                    return f"size({name},{dimension})"
        return ""

    @property
    def of_bytes(self) -> frozenset[str]:
        """Names of inputs that are rows of bytes."""
        return frozenset(name for name, form in self.encodings.items() if is_of_bytes(form))

    def words_of(self, name: str, of_result: Callable[[str], str] | None = None) -> Iterator[str]:
        """What emberc has to know of an array. Rows are of one length only, which are kept in
        registers, from here on."""
        if (spelled := self.types.get(name)) is None:
            return
        if name in self.rows:
            *outer, element = spelled.split("x")
            for place, size in enumerate(self.shapes[name][:-1]):
                if any(same_number(size, fixed) for fixed in self.fixed):
                    outer[place] = str(fixed_size(size))
            spelled = "x".join([*outer, str(fixed_size(self.rows[name])), element])
        if of_result is not None:
            spelled = of_result(spelled)
        layout = ":strided" if name in self.strided else ""
        yield f"--type={name}:{spelled}{layout}"
        if name in self.of_bytes:
            yield f"--format={name}:{self.encodings[name].name}"


def type_of(dtype: torch.dtype) -> str:
    if dtype not in TYPES:
        raise NotTranslatedError
    return TYPES[dtype]
