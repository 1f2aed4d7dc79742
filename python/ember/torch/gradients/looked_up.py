"""Rows whose gradient PyTorch makes that of their table.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from ember.compiler import Notation
from ember.torch.graph.trace import Function


@dataclass(frozen=True)
class LookedUp:
    """Rows whose gradient PyTorch makes that of their table.

    name: what statements call the rows. table: its place. places: where they are. The others are
    arguments of F.embedding, with the row that has no gradient, or -1.
    """

    name: str
    table: int
    places: Function
    padding: int
    scales_by_frequency: bool
    is_sparse: bool

    def rows(self, inputs: Sequence[Any]) -> Tensor:
        """What is looked up, of the inputs of a call."""
        return torch.embedding(inputs[self.table], self.places.of(inputs))

    def room(self, inputs: Sequence[Any]) -> Tensor:
        """For as many numbers as are looked up."""
        table = inputs[self.table]
        sizes = (*self.places.of(inputs).shape, table.shape[1])
        return torch.empty(sizes, dtype=gradient_type(table))

    def gradient(self, inputs: Sequence[Any], of_rows: Tensor) -> Tensor:
        """That of the table."""
        found: Tensor = torch.ops.aten.embedding_backward(
            of_rows.to(inputs[self.table].dtype),
            self.places.of(inputs),
            len(inputs[self.table]),
            self.padding,
            self.scales_by_frequency,
            self.is_sparse,
        )
        return found


@dataclass(frozen=True)
class OfRows:
    """Statements of a program, but that they are given what some lookups yield.

    notation: None where that is the result. inputs: names of what they read.
    """

    notation: Notation | None
    inputs: frozenset[str]
    lookups: tuple[LookedUp, ...]


def gradient_type(tensor: Tensor) -> torch.dtype:
    """Gradients of half types are added up in f32."""
    return torch.promote_types(tensor.dtype, torch.float32)
