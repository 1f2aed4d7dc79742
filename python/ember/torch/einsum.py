"""Reads torch.einsum in FX graphs: the letters of its operands and of its result.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Node

_TARGETS = (torch.einsum, torch.functional.einsum, torch.ops.aten.einsum.default)


@dataclass(frozen=True)
class Einsum:
    """A product of two nodes by letters, as "bnd,bmd->bnm": those of both, and of the result."""

    operands: tuple[Node, Node]
    letters: tuple[str, str]
    result: str


def einsum_at(node: Node) -> Einsum | None:
    """The product of two tensors that a node is, with letters for all dimensions and the result."""
    if node.target not in _TARGETS or node.kwargs:
        return None
    arguments: list[Any] = list(node.args)
    equation, operands = arguments[0], arguments[1:]
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        operands = list(operands[0])
    if not isinstance(equation, str) or len(operands) != 2 or "." in equation:
        return None
    terms, arrow, result = equation.replace(" ", "").partition("->")
    letters = terms.split(",")
    if not arrow or len(letters) != 2:
        return None
    one, other = operands
    if not isinstance(one, Node) or not isinstance(other, Node):
        return None
    return Einsum((one, other), (letters[0], letters[1]), result)
