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


def _checked(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The function where no kernel computes it: with the errors of PyTorch's one-hot rows."""

    def checked(places: Tensor, classes: int, matrix: Tensor) -> Tensor:
        # There may be no places at all, which have no least one.
        known = torch.cat([places.flatten(), places.new_zeros(1)]).long()
        functional.one_hot(torch.stack(torch.aminmax(known)), classes)
        return function(places, classes, matrix)

    return checked


# An operator stays in the process, whoever imports this again.
if not hasattr(torch.ops.ember, "one_hot_rows"):
    for _name, _matrix, _function in (("rows", "table", _looked_up), ("sums", "rows", _scattered)):
        _schema = f"(Tensor places, SymInt classes, Tensor {_matrix}) -> Tensor"
        torch.library.define(f"ember::one_hot_{_name}", _schema)
        torch.library.impl(
            f"ember::one_hot_{_name}", "CompositeImplicitAutograd", _checked(_function)
        )

# What they are where regions are looked for.
IRREGULAR: dict[Any, Callable[..., Tensor]] = {
    torch.ops.ember.one_hot_rows.default: _looked_up,
    torch.ops.ember.one_hot_sums.default: _scattered,
}
