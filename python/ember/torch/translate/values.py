"""Tensors as functions of their indices, which is what statements read.

Views need no statement: they are the function of a tensor at other indices.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import torch
from torch.fx import Node

from ember.torch.graph.operations import likely_same

# What an index is in statements: a variable, a number, or an element of another array.
Indices = Sequence[str]
FIRST = "0"


class NotTranslatedError(Exception):
    """No statement says what an operator computes of these arguments.

    reason: why, for reports. operator: the one whose value cannot be read so, if it is another one
    than that which reads it.
    """

    def __init__(self, reason: str = "", operator: Node | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.operator = operator


class PartedError(NotTranslatedError):
    """Elements are those of tensors one behind another: which ones an index says that is known to
    be of one part.

    index: of the dimension of which the tensors are parts; sizes: theirs there.
    """

    def __init__(self, index: str, sizes: Sequence[Any], operator: Node | None) -> None:
        super().__init__(operator=operator)
        self.index = index
        self.sizes = tuple(sizes)


class SplitError(NotTranslatedError):
    """Places lie along a part of what a variable counts: better there is a variable for each part.

    index: the variable; sizes: of the parts.
    """

    def __init__(self, index: str, sizes: Sequence[Any]) -> None:
        super().__init__()
        self.index = index
        self.sizes = tuple(sizes)


class Variable(str):
    """A variable that may become several."""


class _Known(str):
    """An index, or a sum, that knows what it is made of."""

    @classmethod
    def of(cls, text: str, **known: Any) -> Self:
        """The one with that text, and attributes."""
        found = cls(text)
        vars(found).update(known)
        return found


class Joined(_Known):
    """An index that counts several dimensions together; it knows their indices and sizes, so that
    a view of a view, as products of matrices are, is of these again."""

    parts: Sequence[tuple[str, Any]]


class Split(_Known):
    """One of several indices, of such sizes, that one was taken apart into; together they are that
    one."""

    whole: str
    number: int
    sizes: Sequence[Any]


class Terms(_Known):
    """A sum, whose terms are faster added one by one where it is written."""

    terms: Sequence[str]


class Part(str):
    """An index in several tensors one behind another; `own` is that in the one which it is of.

    sizes: of the tensors; number: which of them it is of.
    """

    own: str
    sizes: tuple[Any, ...]
    number: int

    @staticmethod
    def of(own: str, begin: str, sizes: Sequence[Any], number: int) -> "Part":
        """The index of a tensor that begins there."""
        part = Part(own if begin == FIRST else begin if own == FIRST else f"({own} + {begin})")
        part.own, part.sizes, part.number = own, tuple(sizes), number
        return part

    def within(self, sizes: Sequence[Any]) -> tuple[int, str] | None:
        """Which one of such tensors it is of, and the index there; None where it is of others."""
        return (self.number, self.own) if same_sizes(self.sizes, sizes) else None


class Span(str):
    """An index of so many elements from one on, which `inner` counts."""

    inner: str
    begin: Any
    size: Any

    @staticmethod
    def of(inner: str, begin: Any, size: Any, text: str = "") -> "Span":
        """The index of what is counted so; text: of the first one, if that is no number."""
        text = text or str(begin)
        span = Span(text if inner == FIRST else f"({inner} + {text})")
        span.inner, span.begin, span.size = inner, begin, size
        return span

    def within(self, sizes: Sequence[Any]) -> tuple[int, str] | None:
        """Which one of several tensors one behind another it is of, and the index there; None where
        it is of several, or that is not known."""
        begin, size = known_number(self.begin), known_number(self.size)
        if begin is None:
            return None
        for number, own in enumerate(map(known_number, sizes)):
            if size is None or own is None or begin < own < begin + size:
                return None
            if begin < own:
                is_whole = size == own
                return number, self.inner if is_whole else Span.of(self.inner, begin, size)
            begin -= own
        return None


@dataclass(frozen=True)
class Value:
    """A tensor, or a number, which has no sizes.

    at: the text of the element at some indices, one for each dimension. name: of an input as it is,
    what statements call it. is_reduced: elements are reduced where they are read: what reads them
    more than once is given an array. is_looked_up: whether they are elements of a tensor at places.
    kept: the same of arrays, of tensors one behind another of which some are reduced.
    """

    sizes: tuple[Any, ...]
    dtype: torch.dtype
    at: Callable[[Indices], str]
    name: str = ""
    is_reduced: bool = False
    is_looked_up: bool = False
    kept: "Callable[[], Value] | None" = None

    @property
    def rank(self) -> int:
        """How many dimensions there are."""
        return len(self.sizes)

    def place(self, dimension: int) -> int:
        """The dimension, which may be counted from the end."""
        return dimension + self.rank if dimension < 0 else dimension


@dataclass(frozen=True)
class Pair:
    """Complex numbers, as their real and their imaginary parts."""

    real: Value
    imag: Value


def known_number(size: Any) -> int | None:
    """The number that a size is known to be: a symbol may have become one."""
    return size if isinstance(size, int) else size.node.maybe_as_int()


def is_one(size: Any) -> bool:
    """Whether a size is known to be 1: there is one index then."""
    return known_number(size) == 1


def literal(number: Any) -> str:
    """A number of Python as statements have it."""
    if isinstance(number, bool):
        return str(number)
    if not isinstance(number, int | float):
        raise NotTranslatedError
    if math.isnan(number):
        return "nan"
    text = repr(number)
    return f"({text})" if text.startswith("-") else text


def same_sizes(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether sizes are equal in the call that a graph is captured for: kernels ask for it in
    others, where they are those of one variable."""
    return len(one) == len(other) and all(map(likely_same, one, other))


def broadcast(value: Value, sizes: Sequence[Any]) -> Callable[[Indices], str]:
    """The value's elements at indices of a tensor of these sizes, which it is broadcast to."""
    skipped = len(sizes) - value.rank
    alone = [is_one(size) for size in value.sizes]
    for size, own in zip(sizes[skipped:], value.sizes, strict=True):
        if not is_one(own) and not likely_same(size, own):
            raise NotTranslatedError
    return lambda indices: value.at(
        [FIRST if one else index for one, index in zip(alone, indices[skipped:], strict=True)]
    )


def detached(value: Any) -> Any:
    """The same elements, without gradient."""
    if isinstance(value, Pair):
        return Pair(detached(value.real), detached(value.imag))
    if not value.dtype.is_floating_point:
        return value
    return replace(value, name="", at=lambda indices: f"detach({value.at(indices)})")
