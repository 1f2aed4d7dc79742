"""Complex numbers within a part of a graph, as pairs of real ones, which statements compute with.

Scores of knowledge graphs are of complex rows that are made of real ones, and end in real numbers:
torch.complex(...), torch.polar(...), .conj(), .real. Between them, each tensor is two.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.fx import Node

from ember.torch.graph.effects import example_of
from ember.torch.graph.operations import called_name

Function = Callable[..., Any]


@dataclass(frozen=True)
class Pair:
    """The real and the imaginary part of a tensor, or of a number."""

    real: Any
    imag: Any

    def conj(self) -> "Pair":
        """The pair whose product with this one is real."""
        return Pair(self.real, -self.imag)

    def length(self) -> Tensor:
        """The absolute value, of which the gradient is 0 at 0, as PyTorch has it."""
        is_zero = (self.real == 0) & (self.imag == 0)
        length = torch.hypot(torch.where(is_zero, 1.0, self.real), self.imag)
        return torch.where(is_zero, 0.0, length)


def _parts(function: Function, *arguments: Any, **words: Any) -> Any:
    """A function of both parts, as all are that move elements, or add them up."""

    def of(choose: Callable[[Pair], Any], argument: Any) -> Any:
        if isinstance(argument, list | tuple):
            return type(argument)(of(choose, one) for one in argument)
        return choose(argument) if isinstance(argument, Pair) else argument

    chosen: list[Callable[[Pair], Any]] = [lambda one: one.real, lambda one: one.imag]
    real, imag = (function(*(of(each, one) for one in arguments), **words) for each in chosen)
    if isinstance(real, list | tuple):
        return tuple(map(Pair, real, imag))
    return Pair(real, imag)


def _pair(value: Any) -> Pair:
    """A number or tensor as a pair."""
    if isinstance(value, Pair):
        return value
    if isinstance(value, complex):
        return Pair(value.real, value.imag)
    return Pair(value, torch.zeros_like(value) if isinstance(value, Tensor) else 0.0)


def _sums(function: Function, one: Any, other: Any, **words: Any) -> Any:
    return _parts(function, _pair(one), _pair(other), **words)


def _joined(function: Function, tensors: Sequence[Any], *others: Any, **words: Any) -> Any:
    """Tensors put together, some of which may be real."""
    return _parts(function, [_pair(one) for one in tensors], *others, **words)


def _products(function: Function, *operands: Any) -> Pair:
    """A function that is linear in each operand."""
    # What is chosen of each, with the power of the imaginary unit before it.
    terms: list[tuple[tuple[Any, ...], int]] = [((), 0)]
    for operand in operands:
        is_pair = isinstance(operand, Pair | complex)
        parts = [(operand.real, 0), (operand.imag, 1)] if is_pair else [(operand, 0)]
        # A number that is 0, as that of 1j, is no factor.
        parts = [(part, power) for part, power in parts if isinstance(part, Tensor) or part]
        terms = [((*one, part), n + power) for one, n in terms for part, power in parts]
    real, imag = (
        _added((function(*chosen), power - begin) for chosen, power in terms if power % 2 == begin)
        for begin in (0, 1)
    )
    like = imag if real is None else real
    zeros = torch.zeros_like(like)
    return Pair(zeros if real is None else real, zeros if imag is None else imag)


def _added(terms: Iterable[tuple[Any, int]]) -> Any:
    """The sum of terms, each times a power of the imaginary unit that is real; None without one."""
    total = None
    for term, power in terms:
        signed = term if power % 4 == 0 else -term
        total = signed if total is None else total + signed
    return total


def _einsum(function: Function, equation: str, *operands: Any) -> Pair:
    given = operands[0] if isinstance(operands[0], list | tuple) else operands
    return _products(lambda *chosen: function(equation, *chosen), *given)


def _vecdot(function: Function, one: Any, other: Any, **words: Any) -> Pair:
    left = one.conj() if isinstance(one, Pair) else one
    return _products(lambda *chosen: function(*chosen, **words), left, other)


def _quotient(function: Function, one: Pair, other: Any) -> Any:
    if isinstance(other, Pair | complex):
        raise RuntimeError("it divides by complex numbers")
    return _parts(lambda part: function(part, other), one)


def _square(function: Function, one: Pair, exponent: Any = 2) -> Pair:
    if exponent != 2:
        raise RuntimeError("it has powers of complex numbers")
    return _products(torch.mul, one, one)


def _norm(function: Function, one: Pair, *order: Any, **words: Any) -> Any:
    """That of absolute values, of rows and not of matrices."""
    if not isinstance(words.get("dim"), int):
        raise RuntimeError("it has a norm of complex matrices")
    return function(one.length(), *order, **words)


def _polar(function: Function, length: Any, angle: Any) -> Pair:
    return Pair(length * torch.cos(angle), length * torch.sin(angle))


# What makes complex numbers of real ones.
_MAKES = ("complex", "polar", "view_as_complex")
# What moves elements, or adds them up.
_OF_BOTH_PARTS = [
    "chunk",
    "clone",
    "contiguous",
    "detach",
    "embedding",
    "expand",
    "flatten",
    "getitem",
    "index_select",
    "mean",
    "movedim",
    "mT",
    "narrow",
    "neg",
    "negative",
    "permute",
    "pos",
    "positive",
    "repeat",
    "reshape",
    "resolve_conj",
    "select",
    "split",
    "squeeze",
    "sum",
    "T",
    "t",
    "transpose",
    "unbind",
    "unflatten",
    "unsqueeze",
    "view",
]
# By what is called: what it is of pairs.
_OF_PAIRS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("abs", "absolute"), lambda function, one: one.length()),
    **dict.fromkeys(("add", "rsub", "sub", "subtract"), _sums),
    **dict.fromkeys(("bmm", "inner", "matmul", "mm", "mul", "multiply", "mv"), _products),
    **dict.fromkeys(("conj", "conj_physical"), lambda function, one: one.conj()),
    **dict.fromkeys(("div", "divide", "true_divide", "truediv"), _quotient),
    **dict.fromkeys(("linalg_norm", "linalg_vector_norm", "norm"), _norm),
    **dict.fromkeys(("linalg_vecdot", "vecdot"), _vecdot),
    **dict.fromkeys(("pow", "square"), _square),
    "complex": lambda function, real, imag: Pair(real, imag),
    **dict.fromkeys(("_stacked", "cat", "stack"), _joined),
    "einsum": _einsum,
    "exp": lambda function, one: _polar(function, torch.exp(one.real), one.imag),
    "imag": lambda function, one: one.imag,
    "polar": _polar,
    "real": lambda function, one: one.real,
    "view_as_complex": lambda function, one: Pair(one[..., 0], one[..., 1]),
    "view_as_real": lambda function, one: torch.cat(
        [one.real.unsqueeze(-1), one.imag.unsqueeze(-1)], -1
    ),
    **dict.fromkeys(_OF_BOTH_PARTS, _parts),
}


def has_complex(node: Node) -> bool:
    """Whether a node computes complex numbers, or is given some."""
    return any(is_complex(one) for one in (node, *node.all_input_nodes))


def is_complex(node: Node) -> bool:
    """Whether a node's value is a complex tensor, or has some."""
    example = example_of(node)
    values = example if isinstance(example, tuple | list) else [example]
    return any(isinstance(one, Tensor) and one.is_complex() for one in values)


def makes_pair(node: Node) -> bool:
    """Whether a node shows real numbers as complex ones."""
    return called_name(node) in ("complex", "view_as_complex")


def is_of_pairs(node: Node) -> bool:
    """Whether what a node computes is known of pairs."""
    return called_name(node) in _OF_PAIRS


def computed(node: Node, function: Function, arguments: Sequence[Any], words: Any) -> Any:
    """What a node computes, of pairs in the place of complex tensors."""
    if not has_pair((*arguments, *words.values())) and called_name(node) not in _MAKES:
        return function(*arguments, **words)
    if called_name(node) == "getitem" and not isinstance(arguments[0], Pair):
        return function(*arguments)
    if node.target is getattr:
        owner, attribute = arguments
        return _OF_PAIRS[attribute](lambda one: getattr(one, attribute), owner)
    return _OF_PAIRS[called_name(node)](function, *arguments, **words)


def has_pair(value: Any) -> bool:
    """Whether a value is a pair, or a complex number, or a list with some."""
    if isinstance(value, list | tuple):
        return any(map(has_pair, value))
    return isinstance(value, Pair | complex)
