"""The table: which function writes the statement of an operator of ATen.

An entry is written beside others of its family:

    @translates("aten::neg")
    def _neg(call: Call) -> Value:
        return call.elementwise([call.value("self")], lambda x: f"-{x}")

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import torch
from torch import Tensor
from torch.fx import Node

from ember.torch.capture import private
from ember.torch.graph.operations import fixed_number, tensor_of
from ember.torch.graph.trace import arguments_of
from ember.torch.translate.statements import Statements
from ember.torch.translate.values import Indices, NotTranslatedError, Pair, Value, literal


@dataclass(frozen=True)
class Call:
    """A call of an operator: its arguments by the names that the schema gives them.

    name: the entry's, as aten::add. number: which of its results is asked for, where it has
    several; taken: what takes that.
    """

    node: Node
    statements: Statements
    values: Mapping[Node, Any]
    name: str = ""
    number: int = 0
    taken: Node | None = None

    @cached_property
    def arguments(self) -> dict[str, Any]:
        """What is given, and what is left out by its default."""
        return arguments_of(self.node)

    def value(self, name: str) -> Value:
        """A tensor or number as a value that may be read at several places."""
        return self.value_of(self.arguments[name])

    def value_of(self, argument: Any) -> Value:
        """The same of an argument, or of an element of one that is a list."""
        return self.statements.stored(self.seen(argument))

    def seen(self, argument: Any) -> Value:
        """The same to be read at one place, for each of the result's elements once."""
        if isinstance(argument, Node):
            if argument not in self.values:
                raise NotTranslatedError
            found: Value = self.values[argument]
            return found
        text = literal(argument)
        kind = torch.float64 if isinstance(argument, float) else torch.int64
        return Value((), kind, lambda _: text)

    def given(self, name: str) -> Any:
        """An argument that statements are written for: no tensor, and a symbol as it is now."""
        argument = self.arguments[name]
        if isinstance(argument, Node):
            return self.statements.expect(argument)
        if _has_node(argument):
            raise NotTranslatedError
        return argument

    def fixed(self, name: str) -> int:
        """A number that statements are written for from here on, as of sizes that stay."""
        found: int = fixed_number(self.arguments[name])
        return found

    @property
    def result(self) -> Tensor:
        """The example of what is computed."""
        found = tensor_of(self.taken or self.node)
        if found is None:
            raise NotTranslatedError
        return found

    @property
    def dtype(self) -> torch.dtype:
        """The type of what is computed; of complex numbers, that of their parts."""
        return self.result.dtype.to_real()

    @property
    def sizes(self) -> tuple[Any, ...]:
        """Those of what is computed."""
        return tuple(self.result.shape)

    def shown(self, value: Value, at: Callable[[Indices], str], **changes: Any) -> Value:
        """The result as elements of a value at other indices."""
        return replace(value, sizes=self.sizes, at=at, name="", kept=None, **changes)

    def elementwise(self, operands: Sequence[Value], function: Callable[..., str]) -> Value:
        """A function of elements, computed in the result's type."""
        dtype = self.dtype
        converted = [self.statements.converted(operand, dtype) for operand in operands]
        return self.statements.elementwise(self.sizes, dtype, converted, function)


# What yields a value, or a pair of them.
Translation = Callable[[Call], Any]
Entry = TypeVar("Entry", bound=Translation)
TABLE: dict[str, Translation] = {}
# The same of complex operands, or results, which are pairs of values.
OF_PAIRS: dict[str, Translation] = {}


def translates(*names: str, table: dict[str, Translation] = TABLE) -> Callable[[Entry], Entry]:
    """Enters a function for all overloads of operators of these names, as aten::add."""

    def enter(function: Entry) -> Entry:
        for name in names:
            assert name not in table, f"{name} has an entry"
            table[name] = function
        return function

    return enter


def translated_names() -> frozenset[str]:
    """The operators that have an entry."""
    return frozenset(TABLE)


def translate(node: Node, statements: Statements, values: Mapping[Node, Any]) -> Any:
    """The value of a node, with statements added for it.

    values: of what it reads. Raises NotTranslatedError.
    """
    number, taken = 0, None
    if node.target is operator.getitem:
        taken, (node, number) = node, node.args  # type: ignore[assignment]
    target = node.target
    if not isinstance(target, private.OpOverload) or tensor_of(taken or node) is None:
        raise NotTranslatedError
    name = target._schema.name
    if _changes_what_is_new(node, target):
        name = name.removesuffix("_")
    call = Call(node, statements, values, name, number, taken)
    is_complex = call.result.is_complex() or any(
        isinstance(values.get(source), Pair) for source in node.all_input_nodes
    )
    entry = (OF_PAIRS if is_complex else TABLE).get(name)
    if entry is None:
        raise NotTranslatedError
    return entry(call)


def _changes_what_is_new(node: Node, target: private.OpOverload) -> bool:
    """Whether an operator changes in place what nothing else reads afterwards, as those do that
    PyTorch's functions are made of."""
    changed = node.args[0] if node.args else None
    if not target._schema.is_mutable or not isinstance(changed, Node):
        return False
    made_by = changed.target
    return (
        isinstance(made_by, private.OpOverload)
        and (not _shows_another(changed) or _changes_what_is_new(changed, made_by))
        and all(one is node or (one < node and not _shows_another(one)) for one in changed.users)
    )


def _shows_another(node: Node) -> bool:
    """Whether an operator's result lies in the memory of what it is given, or that is not known."""
    target = node.target
    return not isinstance(target, private.OpOverload) or any(
        result.alias_info for result in target._schema.returns
    )


def _has_node(argument: Any) -> bool:
    if isinstance(argument, list | tuple):
        return any(map(_has_node, argument))
    return isinstance(argument, Node)
