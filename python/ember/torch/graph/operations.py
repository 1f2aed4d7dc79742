"""Reads nodes of FX graphs: what operation of PyTorch a node is, whichever way it is spelled.

A graph from torch.compile calls functions (torch.index_select, F.embedding) and methods
(x.scatter_add_), one from torch.export calls operators of ATen. All of them are read as one name
with named arguments, those of ATen's schema.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import operator
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from inspect import signature
from typing import Any

import torch
import torch.nn.functional as functional
from torch.fx import Node

from ember.torch.capture import private
from ember.torch.graph.remembered import remembered

# The functions of torch.nn.functional that have parameters of their own.
_OF_FUNCTIONAL = {
    function.__name__: tuple(signature(function).parameters)
    for function in (functional.embedding, functional.embedding_bag, functional.normalize)
} | {"linear": ("input", "weight", "bias")}
# Functions that have no operator of their name, or several names.
_FUNCTIONS: dict[Any, str] = {
    operator.add: "add",
    operator.getitem: "getitem",
    operator.matmul: "matmul",
    operator.mul: "mul",
    operator.neg: "neg",
    operator.pow: "pow",
    operator.sub: "sub",
    operator.truediv: "div",
    torch.linalg.vector_norm: "linalg_vector_norm",
}
# Operators that are not ATen's: of one-hot rows, however these are made, and on tables whose rows
# are encoded.
OF_OTHERS = frozenset(
    (
        "ember::class_rows",
        "ember::class_rows_along",
        "ember::class_sums",
        "ember::quantized_rows",
        "ember::quantized_bag",
        "quantized::embedding_bag_4bit_rowwise_offsets",
        "quantized::embedding_bag_byte_rowwise_offsets",
    )
)
# Operators whose first result is the bags: see spell_bags.
BAG_OPERATORS = ("embedding_bag", "_embedding_bag", "_embedding_bag_forward_only")

# Parameters that may be written as several arguments: x.view(2, 3).
VARIADIC = {"size", "shape"}
# Keywords that leave an operation what it is, or that patterns ask for.
KEYWORDS = frozenset(
    (
        "alpha",
        "axis",
        "device",
        "dim",
        "dtype",
        "implicit",
        "include_self",
        "indices",
        "initial",
        "layout",
        "lengths",
        "memory_format",
        "offsets",
        "pin_memory",
        "reduce",
        "requires_grad",
        "unsafe",
    )
)
# Other spellings of operations.
ALIASES = {
    "__getitem__": "getitem",
    "concat": "cat",
    "concatenate": "cat",
    "divide": "div",
    "multiply": "mul",
    "negative": "neg",
    "sym_size": "size",
    "subtract": "sub",
    "true_divide": "div",
    "vector_norm": "linalg_vector_norm",
    "truediv": "div",
}


@dataclass(frozen=True)
class Operation:
    """What a node computes: an operation's name, its arguments by name, whether it is in place."""

    name: str
    arguments: Mapping[str, Any]
    in_place: bool = False

    def get(self, parameter: str, default: Any = None) -> Any:
        """The argument of that parameter."""
        return self.arguments.get(parameter, default)


@cache
def _parameters(name: str) -> tuple[str, ...] | None:
    """Those that may be given by place, of the overload that has most; None where ATen has no
    operation of that name."""
    if name == "getitem":
        return "self", "index"
    packet = getattr(torch.ops.aten, name, None)
    schemas = [getattr(packet, one)._schema for one in packet.overloads()] if packet else []
    found = [
        tuple(argument.name for argument in schema.arguments if not argument.kwarg_only)
        for schema in schemas
        if not any(map(_is_of_another_kind, schema.arguments))
    ]
    return max(found, key=len, default=None)


@cache
def is_name_of_view(name: str) -> bool:
    """Whether results of operations of that name lie in the memory of their first argument, or may,
    as ATen's schemas state."""
    packet = getattr(torch.ops.aten, name, None)
    schemas = [getattr(packet, one)._schema for one in packet.overloads()] if packet else []
    return name in ("T", "_unsafe_view", "getitem") or any(
        (alias := schema.arguments[0].alias_info) is not None and not alias.is_write
        for schema in schemas
        if schema.arguments and any(result.alias_info for result in schema.returns)
    )


def _is_of_another_kind(argument: torch.Argument) -> bool:
    """Whether only overloads that no graph calls have an argument: results that are given, names of
    dimensions, texts."""
    of_others = argument.is_out or argument.name in ("out_dtype", "substr")
    return of_others or "Dimname" in str(argument.type)


@remembered
def read(node: Node) -> Operation | None:
    """The operation of a node; None for one that no pattern is about."""
    if node.op == "call_method":
        assert isinstance(node.target, str)
        return _bound(node.target, node)
    if node.op != "call_function":
        return None
    target = node.target
    if (other := _of_others(target)) is not None:
        names = tuple(argument.name for argument in other._schema.arguments)
        return Operation(other._schema.name.partition("::")[2], _named(names, node))
    if isinstance(target, private.OpOverload):
        return _read_operator(target, node)
    name = str(getattr(target, "__name__", ""))
    if name in _OF_FUNCTIONAL and getattr(functional, name) is target:
        return _of_functional(name, node)
    spelled = _FUNCTIONS.get(target) if isinstance(target, Hashable) else None
    # The lookups of torch itself are others than those of torch.nn.functional.
    if spelled is None and name not in _OF_FUNCTIONAL and getattr(torch, name, None) is target:
        spelled = name
    return None if spelled is None else _bound(spelled, node)


def _of_functional(name: str, node: Node) -> Operation:
    """A function of torch.nn.functional; what is left out of bags is a mean."""
    named = _named(_OF_FUNCTIONAL[name], node)
    if name == "normalize":
        named = {_keyword(one): value for one, value in named.items()}
    return Operation(name, {"mode": "mean", **named} if name == "embedding_bag" else named)


def called_name(node: Node) -> str:
    """What is called, without an overload, or which attribute is read."""
    name = node.args[1] if node.target is getattr else node.target
    return str(getattr(name, "__name__", name)).partition(".")[0]


def name_in_schema(node: Node) -> str:
    """What ATen's schema calls the operator that a node is; empty for anything else."""
    target = node.target
    return (
        target._schema.name.removeprefix("aten::") if isinstance(target, private.OpOverload) else ""
    )


def linear_layer(node: Node) -> tuple[Node, Node, Node | None] | None:
    """Rows, weight and bias of torch.nn.functional.linear; None for anything else."""
    operation = read(node)
    if operation is None or operation.name != "linear":
        return None
    return operation.arguments["input"], operation.arguments["weight"], operation.get("bias")


def _of_others(target: Any) -> private.OpOverload | None:
    """The operator that is none of ATen's, and is called; None for anything else."""
    if not isinstance(target, private.OpOverload) or target._schema.name not in OF_OTHERS:
        return None
    return target


def _read_operator(target: private.OpOverload, node: Node) -> Operation | None:
    """The operation of an operator of ATen."""
    if target.namespace != "aten":
        return None
    name = target._schema.name.removeprefix("aten::")
    named = given_by_name(node)
    if name == "embedding":
        padding = named.get("padding_idx", -1)
        named["input"] = named.pop("indices")
        return Operation("embedding", {**named, "padding_idx": None if padding < 0 else padding})
    if name in BAG_OPERATORS:
        return None
    if name == "select" and node.args[1:2] == (0,):
        return Operation("getitem", {"self": node.args[0], "index": node.args[2]})
    if name == "index":
        indices = node.args[1]
        if isinstance(indices, list | tuple) and len(indices) == 1:
            return Operation("getitem", {"self": node.args[0], "index": indices[0]})
    in_place = name.endswith("_")
    plain = ALIASES.get(name.removesuffix("_"), name.removesuffix("_"))
    return _known(plain, named, in_place)


def given_by_name(node: Node) -> dict[str, Any]:
    """What an operator is given, by the names that its schema has."""
    assert isinstance(node.target, private.OpOverload)
    return _named(tuple(argument.name for argument in node.target._schema.arguments), node)


def _bound(spelled: str, node: Node) -> Operation | None:
    """A method or function of that name; None if no pattern is about it."""
    in_place = spelled.endswith("_") and not spelled.endswith("__")
    name = spelled[:-1] if in_place else spelled
    name = ALIASES.get(name, name)
    parameters = _parameters(name)
    if parameters is None:
        return None
    positional = list(node.args)
    for place, parameter in enumerate(parameters):
        if parameter in VARIADIC and len(positional) > place:
            first = positional[place]
            if not isinstance(first, list | tuple) and not (
                isinstance(first, Node) and _is_size(first)
            ):
                positional[place:] = [tuple(positional[place:])]
    if len(positional) > len(parameters):
        return None
    arguments = dict(zip(parameters, positional, strict=False))
    arguments.update({_keyword(name): value for name, value in node.kwargs.items()})
    return _known(name, arguments, in_place)


def _known(name: str, arguments: dict[str, Any], in_place: bool) -> Operation | None:
    """The operation, unless it is given what no pattern knows, as a division's rounding."""
    others = arguments.keys() - set(_parameters(name) or ()) - KEYWORDS
    if any(arguments[other] is not None for other in others):
        return None
    return Operation(name, arguments, in_place)


def _keyword(name: str) -> str:
    """Functions of torch call `self` input."""
    return {"input": "self", "x": "self", "axis": "dim"}.get(name, name)


def _is_size(node: Node) -> bool:
    """Whether a node's value is a list of numbers."""
    return isinstance(value_of(node), tuple | list)


def _named(parameters: tuple[str, ...], node: Node) -> dict[str, Any]:
    return {**dict(zip(parameters, node.args, strict=False)), **node.kwargs}


def value_of(argument: Any) -> Any:
    """The example of a node's value that its graph was traced with; other arguments themselves."""
    if not isinstance(argument, Node):
        return argument
    meta = argument.meta
    return meta["example_value"] if "example_value" in meta else meta.get("val")


def tensor_of(argument: Any) -> torch.Tensor | None:
    """The example of a node's tensor; None where it has none."""
    value = value_of(argument)
    return value if isinstance(value, torch.Tensor) else None


def sizes_of(argument: Any) -> torch.Size:
    """The sizes of a node's tensor; none where it has none."""
    tensor = tensor_of(argument)
    return torch.Size() if tensor is None else tensor.shape


# Operations that make tensors of one number, or of any.
CONSTANTS = frozenset(
    f"{prefix}{name}{suffix}"
    for name in ("empty", "zeros", "ones", "full")
    for prefix, suffix in (("", ""), ("new_", ""), ("", "_like"))
)
# Those that give a tensor the sizes of another one.
LIKE_OTHERS = ("expand_as", "reshape_as", "view_as")


def asks_for_sizes(node: Node, read_by: Iterable[Node]) -> bool:
    """Whether what reads a node's value asks for its sizes and its type alone."""

    def is_outline(user: Node) -> bool:
        operation = read(user)
        if operation is None:
            return False
        is_like = operation.name in LIKE_OTHERS and operation.get("self") is not node
        return is_like or operation.name in CONSTANTS

    return all(map(is_outline, read_by))


def is_tensor(node: Node) -> bool:
    """Whether a node's value is a tensor."""
    return tensor_of(node) is not None


def name_of(node: Any) -> str:
    """What a user calls a node's value, such as self.bags.0.weight, where that is known."""
    source = getattr(node, "_dynamo_source", None)
    if source is None:
        # An exported program's parameters and buffers.
        is_stored = isinstance(node, Node) and node.op == "get_attr"
        return str(node.target if is_stored else node)
    words = re.findall(r"\w+", source.name)
    inner = {"L", "G", "_modules", "_parameters", "_buffers"}
    return ".".join(word for word in words if word not in inner)


def fixed_size(size: Any) -> int:
    """A size that a kernel is built for: from here on, the graph is for this size alone.

    torch.compile captures another graph when the size is another one.
    """
    return int(size)


def fixed_number(value: Any) -> Any:
    """A number that a kernel is built for, as fixed_size has it; other values themselves."""
    found = value_of(value)
    if isinstance(found, torch.SymInt | int) and not isinstance(found, bool):
        return int(found)
    return value


def same_number(one: Any, other: Any) -> bool:
    """Whether two sizes are known to be equal: numbers, symbols, or nodes of them."""
    one, other = value_of(one), value_of(other)
    if one is None or other is None:
        return False
    pair = [size.node.expr if isinstance(size, torch.SymInt) else size for size in (one, other)]
    # To ask the solver takes a millisecond; symbols that were found to be equal are one, and those
    # that were found to be a number are that.
    if all(isinstance(size, int) or getattr(size, "is_symbol", False) for size in pair):
        return bool(pair[0] == pair[1])
    return private.is_surely_true(one == other)


def likely_sizes(sizes: Sequence[Any]) -> list[int]:
    """The sizes in the call that the graph is captured for; 0 where elements decide."""
    hints = (one.node.hint if isinstance(one, torch.SymInt) else one for one in sizes)
    return [hint or 0 for hint in hints]


def likely_same(one: Any, other: Any) -> bool:
    """Whether two sizes are equal in the call that a graph is captured for; calls have to check."""
    hints = [size.node.hint if isinstance(size, torch.SymInt) else size for size in (one, other)]
    return same_number(one, other) or (None not in hints and hints[0] == hints[1])
