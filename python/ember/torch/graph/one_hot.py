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
    return functional.embedding(places, table)


def _scattered(places: Tensor, classes: int, rows: Tensor) -> Tensor:
    return rows.new_zeros(classes, rows.shape[1]).index_add(0, places, rows)


def _looked_up_classes(places: Tensor, classes: int, table: Tensor) -> Tensor:
    known, is_class = _known(places, classes)
    return torch.where(is_class, _looked_up(known, classes, table), 0.0)


def _scattered_classes(places: Tensor, classes: int, rows: Tensor) -> Tensor:
    known, is_class = _known(places, classes)
    return _scattered(known, classes, torch.where(is_class, rows, 0.0))


def _known(places: Tensor, classes: int) -> tuple[Tensor, Tensor]:
    """The classes that places name, and, beside rows of these, which of them do."""
    known = places.clamp(0, classes - 1)
    return known, (places == known).unsqueeze(-1)


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
            return function(places, classes, matrix)
        none = matrix.new_zeros(*places.shape, 0)
        return none @ matrix if function is _looked_up_classes else none.t() @ matrix

    return of_any_number


# By name: what it is where regions are looked for, what it is elsewhere, and its matrix.
_OPERATORS = {
    "one_hot_rows": (_looked_up, _checked, "table"),
    "one_hot_sums": (_scattered, _checked, "rows"),
    "class_rows": (_looked_up_classes, _of_any_number, "table"),
    "class_sums": (_scattered_classes, _of_any_number, "rows"),
}

for _name, (_function, _elsewhere, _matrix) in _OPERATORS.items():
    # An operator stays in the process, whoever imports this again.
    if not hasattr(torch.ops.ember, _name):
        _schema = f"(Tensor places, SymInt classes, Tensor {_matrix}) -> Tensor"
        torch.library.define(f"ember::{_name}", _schema)
        torch.library.impl(f"ember::{_name}", "CompositeImplicitAutograd", _elsewhere(_function))

IRREGULAR: dict[Any, Callable[..., Tensor]] = {
    getattr(torch.ops.ember, name).default: function for name, (function, *_) in _OPERATORS.items()
}
