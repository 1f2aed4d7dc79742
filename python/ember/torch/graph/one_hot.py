"""Operators of products of one-hot rows: rows of a table, and sums of rows at places.

is_compared: places are compared with the numbers of all classes, and what is none has zeros.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
import torch.nn.functional as functional
from torch import Tensor

_Function = Callable[[Tensor, int, Tensor], Tensor]


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


def _of_classes(function: _Function, places: Tensor, classes: int, matrix: Tensor) -> Tensor:
    """The function where what is no class has zeros."""
    is_class = (places >= 0) & (places < classes)
    known = torch.where(is_class, places, 0)
    if function is _scattered:
        return function(known, classes, torch.where(is_class.unsqueeze(-1), matrix, 0.0))
    rows = function(known, classes, matrix)
    for _ in range(rows.dim() - places.dim()):
        is_class = is_class.unsqueeze(-1)
    return torch.where(is_class, rows, 0.0)


def _of_nothing(function: _Function, places: Tensor, matrix: Tensor) -> Tensor:
    """The function of no classes, of which a place is none."""
    if function is _scattered:
        return matrix.new_zeros(0, places.numel()) @ matrix.flatten(0, -2)
    rest = matrix.shape[1 if function is _looked_up else 1 + places.dim() :]
    return matrix.new_zeros(*places.shape, *rest) + matrix.sum()


def _within_regions(function: _Function) -> Callable[..., Tensor]:
    """What an operator is where regions are looked for."""

    def computed(places: Tensor, classes: int, matrix: Tensor, is_compared: bool) -> Tensor:
        compute = partial(_of_classes, function) if is_compared else function
        return compute(places, classes, matrix)

    return computed


def _elsewhere(function: _Function) -> Callable[..., Tensor]:
    """The same where no kernel computes it: with the errors of PyTorch's one-hot rows."""

    def computed(places: Tensor, classes: int, matrix: Tensor, is_compared: bool) -> Tensor:
        if is_compared and classes > 0:
            return _of_classes(function, places, classes, matrix)
        if is_compared:
            return _of_nothing(function, places, matrix)
        # There may be no places at all, which have no least one.
        known = torch.cat([places.flatten(), places.new_zeros(1)]).long()
        functional.one_hot(torch.stack(torch.aminmax(known)), classes)
        return function(places, classes, matrix)

    return computed


IRREGULAR: dict[Any, Callable[..., Tensor]] = {}
for _name, _function, _matrix in (
    ("class_rows", _looked_up, "table"),
    ("class_rows_along", _looked_up_along, "table"),
    ("class_sums", _scattered, "rows"),
):
    # An operator stays in the process, whoever imports this again.
    if not hasattr(torch.ops.ember, _name):
        _given = f"Tensor places, SymInt classes, Tensor {_matrix}, bool is_compared"
        torch.library.define(f"ember::{_name}", f"({_given}) -> Tensor")
        _kind = "CompositeImplicitAutograd"
        torch.library.impl(f"ember::{_name}", _kind, _elsewhere(_function))
    IRREGULAR[getattr(torch.ops.ember, _name).default] = _within_regions(_function)
