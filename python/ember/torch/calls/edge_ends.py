"""Where statements find the ends of edges: in tensors that have one of each edge, or in rows of one
that has several, as torch_geometric's edge_index.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor


@dataclass(frozen=True)
class End:
    """place: of the input. name: what statements call it. row: which of its rows has the ends, if
    it has several."""

    place: int
    name: str
    row: int | None = None

    @property
    def spelled(self) -> str:
        """What --group is given."""
        return self.name if self.row is None else f"{self.name}[{self.row}]"

    @property
    def called(self) -> str:
        """What parameters of kernels are called by."""
        return self.name if self.row is None else f"{self.name}_{self.row}"

    @property
    def dimension(self) -> int:
        """The one along which edges lie."""
        return 0 if self.row is None else 1

    def edges(self, inputs: Sequence[Any]) -> int:
        """How many there are."""
        count: int = inputs[self.place].shape[self.dimension]
        return count

    def of(self, named: Mapping[str, Any]) -> Tensor:
        """The ends (edges,), contiguous, of a kernel's arguments by their names."""
        tensor: Tensor = named[self.name]
        return tensor if self.row is None else tensor[self.row]
