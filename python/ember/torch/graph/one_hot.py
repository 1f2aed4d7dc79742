"""Operators of products of one-hot rows: rows of a table, and sums of rows at places.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as functional
from torch import Tensor


def _looked_up(places: Tensor, classes: int, table: Tensor) -> Tensor:
    rows = functional.embedding(places, table.flatten(1) if table.dim() > 1 else table[:, None])
    return rows.view(*places.shape, *table.shape[1:])


def _looked_up_along(places: Tensor, classes: int, table: Tensor) -> Tensor:
    """Of a table's dimensions, those behind the classes are those of the places."""
    rest = table.shape[1 + places.dim() :]
    whole = table.expand(classes, *places.shape, *rest)
    index = places.reshape(1, *places.shape, *(1 for _ in rest)).expand(1, *places.shape, *rest)
    return whole.gather(0, index).squeeze(0)


def _scattered(places: Tensor, classes: int, rows: Tensor) -> Tensor:
    rows = rows.flatten(0, -2)
    return rows.new_zeros(classes, rows.shape[1]).index_add(0, places.flatten(), rows)


def _of_classes(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The function where what is no class has zeros."""

    def of_classes(places: Tensor, classes: int, matrix: Tensor) -> Tensor:
        is_class = (places >= 0) & (places < classes)
        known = torch.where(is_class, places, 0)
        if function is _scattered:
            return function(known, classes, torch.where(is_class.unsqueeze(-1), matrix, 0.0))
        rows = function(known, classes, matrix)
        for _ in range(rows.dim() - places.dim()):
            is_class = is_class.unsqueeze(-1)
        return torch.where(is_class, rows, 0.0)

    return of_classes


def _checked(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The function where no kernel computes it: with the errors of PyTorch's one-hot rows."""

    def checked(places: Tensor, classes: int, matrix: Tensor) -> Tensor:
        # There may be no places at all, which have no least one.
        known = torch.cat([places.flatten(), places.new_zeros(1)]).long()
        functional.one_hot(torch.stack(torch.aminmax(known)), classes)
        return function(places, classes, matrix)

    return checked


def _of_any_number(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The function where no kernel computes it: of no classes, too, of which a place is none."""

    def of_any_number(places: Tensor, classes: int, matrix: Tensor) -> Tensor:
        if classes > 0:
            return _of_classes(function)(places, classes, matrix)
        if function is _scattered:
            return matrix.new_zeros(0, places.numel()) @ matrix.flatten(0, -2)
        rest = matrix.shape[1 if function is _looked_up else 1 + places.dim() :]
        return matrix.new_zeros(*places.shape, *rest) + matrix.sum()

    return of_any_number


# By name: what it is where all places are classes, and its matrix.
_FUNCTIONS = {
    "rows": (_looked_up, "table"),
    "rows_along": (_looked_up_along, "table"),
    "sums": (_scattered, "rows"),
}
# By name: what it is where regions are looked for, what it is elsewhere, and its matrix.
_OPERATORS = {
    f"one_hot_{name}": (function, _checked(function), matrix)
    for name, (function, matrix) in _FUNCTIONS.items()
} | {
    f"class_{name}": (_of_classes(function), _of_any_number(function), matrix)
    for name, (function, matrix) in _FUNCTIONS.items()
}

for _name, (_function, _elsewhere, _matrix) in _OPERATORS.items():
    # An operator stays in the process, whoever imports this again.
    if not hasattr(torch.ops.ember, _name):
        _schema = f"(Tensor places, SymInt classes, Tensor {_matrix}) -> Tensor"
        torch.library.define(f"ember::{_name}", _schema)
        torch.library.impl(f"ember::{_name}", "CompositeImplicitAutograd", _elsewhere)

IRREGULAR: dict[Any, Callable[..., Tensor]] = {
    getattr(torch.ops.ember, name).default: function for name, (function, *_) in _OPERATORS.items()
}
