"""Operations of recorded programs: what they compute of what, by NumPy and in index notation.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

# Operations on arrays of no more elements are NumPy's: a kernel takes longer to call.
SMALL = 4096
_LETTERS = "ijlpqr"


@dataclass(frozen=True)
class Operand:
    """A node, or its transpose."""

    node: "Node"
    is_transposed: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        return self.node.shape[::-1] if self.is_transposed else self.node.shape


@dataclass(eq=False)
class Node:
    """One array of a program.

    kind: `input`, `constant` (a number), `product` (of matrices and vectors), `map` (of elements),
    `sum` (along axes) or `whole`, which nothing is known of but that it needs all of its operands.
    call: what NumPy makes of its operands. template: of maps, the text with {0} and so on.
    axes: of sums. value: the array, as long as somebody needs it. is_done: it has been computed.
    is_owned: the array is nobody else's. nonzeros: of a sparse matrix.
    """

    kind: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    operands: tuple[Operand, ...] = ()
    call: Callable[..., Any] | None = None
    template: str = ""
    axes: tuple[int, ...] = ()
    value: Any = None
    is_done: bool = False
    is_owned: bool = False
    nonzeros: int | None = None
    hint: str = ""

    def __post_init__(self) -> None:
        self.is_done = self.value is not None

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def is_small(self) -> bool:
        """Whether all that it is about is small."""
        return self.size <= SMALL and all(operand.node.size <= SMALL for operand in self.operands)

    @property
    def is_statement(self) -> bool:
        """Whether it has a text in index notation that is worth a kernel."""
        return (
            self.kind in ("product", "map", "sum")
            and not self.is_small
            and self.dtype in (np.dtype(np.float32), np.dtype(np.float64))
            and all(
                operand.node.dtype == self.dtype or operand.node.kind == "constant"
                for operand in self.operands
            )
            and self.size > 0
            and all(operand.node.size > 0 for operand in self.operands)
        )

    def compute(self) -> np.ndarray:
        """What NumPy makes of it."""
        assert self.call is not None
        values = [
            as_numpy(operand.node).T if operand.is_transposed else as_numpy(operand.node)
            for operand in self.operands
        ]
        return np.asarray(self.call(*values), self.dtype).reshape(self.shape)


def as_numpy(node: Node) -> Any:
    """The value of a node as NumPy's operations take it; sparse matrices are SciPy's."""
    value = node.value
    if node.nonzeros is not None:
        return value
    return value.reshape(node.shape) if isinstance(value, np.ndarray) else value


class Spelling:
    """The text of a node's elements, with the nodes in it that are computed where they are read.

    names: what arrays are called, by node. inlined: nodes without arrays of their own.
    accesses: each node that is read, with its indices, in order.
    """

    def __init__(self, names: Callable[[Node], str], inlined: set[Node]) -> None:
        self._name, self._inlined = names, inlined
        self._fresh = (f"k{number}" for number in count())
        self.accesses: list[tuple[Node, tuple[str, ...]]] = []
        self.contracted: list[str] = []

    @staticmethod
    def indices(node: Node) -> tuple[str, ...]:
        """The indices of a result."""
        return tuple(_LETTERS[: len(node.shape)])

    def term(self, operand: Operand, node: Node, indices: Sequence[str]) -> str:
        """An element of an operand of a function of elements."""
        return self._broadcast(operand, node, indices)

    def element(self, operand: Operand, indices: Sequence[str]) -> str:
        """An element of an operand."""
        ordered = tuple(indices[::-1] if operand.is_transposed else indices)
        node = operand.node
        if node in self._inlined:
            return self.expression(node, ordered)
        self.accesses.append((node, ordered))
        if node.kind == "constant":
            return self._name(node)
        return f"{self._name(node)}[{','.join(ordered or ('0',))}]"

    def expression(self, node: Node, indices: Sequence[str]) -> str:
        """What an element of a node is computed from."""
        if node.kind == "product":
            return self._product(node, indices)
        if node.kind == "sum":
            (operand,) = node.operands
            bound = [next(self._fresh) for _ in node.axes]
            self.contracted += bound
            left, summed = iter(indices), iter(bound)
            inner = [
                next(summed) if axis in node.axes else next(left)
                for axis in range(len(operand.shape))
            ]
            return f"sum[{','.join(bound)}]({self.element(operand, inner)})"
        terms = [self._broadcast(operand, node, indices) for operand in node.operands]
        return node.template.format(*terms)

    def _product(self, node: Node, indices: Sequence[str]) -> str:
        left, right = node.operands
        bound = next(self._fresh)
        self.contracted.append(bound)
        rows = indices[: len(left.shape) - 1]
        columns = indices[len(left.shape) - 1 :]
        first = self.element(left, (*rows, bound))
        second = self.element(right, (bound, *columns))
        return f"sum[{bound}]({first} * {second})"

    def _broadcast(self, operand: Operand, node: Node, indices: Sequence[str]) -> str:
        shape = operand.shape
        own = indices[len(indices) - len(shape) :]
        spelled = [
            "0" if extent == 1 and wanted != 1 else index
            for extent, wanted, index in zip(
                shape, node.shape[len(indices) - len(shape) :], own, strict=True
            )
        ]
        text = self.element(operand, spelled)
        is_compound = operand.node in self._inlined and operand.node.kind == "map"
        return f"({text})" if is_compound else text


def ancestors(nodes: Sequence[Node]) -> Iterator[Node]:
    """Nodes that are not computed, and that these need, with them."""
    open_, seen = list(nodes), set()
    while open_:
        node = open_.pop()
        if node in seen or node.is_done:
            continue
        seen.add(node)
        yield node
        open_ += [operand.node for operand in node.operands]
