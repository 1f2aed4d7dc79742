"""Kernels whose scatters are reductions over groups: each place that is scattered to at once.

They take edges by their targets besides what others take: see emberc's --group.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor

from ember.kernel import Entry
from ember.torch.calls.edge_groups import Edges

_OFFSETS, _ORDER, _BY = "_offsets", "_order", "_by_"


class GroupedKernel:
    """A kernel of edges that are grouped.

    ends: what parameters call those of edges. parameters: the names of what the
    kernel takes. initial: those that have to hold zeros before.
    """

    def __init__(self, entry: Entry, ends: Sequence[str]) -> None:
        self.parameters = [parameter.name for parameter in entry.parameters]
        self.initial = {one.name for one in entry.parameters if one.initial is not None}
        self.kernel = entry.bind(gradients=True)
        self._ends = ends
        # By targets, how many offsets there are.
        self._offsets = {
            parameter.name.removesuffix(_OFFSETS): parameter.sizes[0]
            for parameter in entry.parameters
            if parameter.name.removesuffix(_OFFSETS) in ends and parameter.sizes
        }

    @property
    def has_groups(self) -> bool:
        """Whether statements scatter to something: if not, it is like the kernel of edges in any
        order."""
        return bool(self._offsets)

    def arguments(self, edges: Edges, named: Mapping[str, Any]) -> dict[str, Any] | None:
        """What the kernel takes, by names; None for edges that cannot be grouped: a kernel that
        gets them as they are says what is wrong.

        named: what the kernel of edges in any order takes, and results.
        """
        found = dict(named)
        for target, size in self._offsets.items():
            places = size and _size(size, named) - 1
            grouped = edges.by(self._ends.index(target), places) if places else None
            if grouped is None:
                return None
            found[target + _OFFSETS], found[target + _ORDER] = grouped.offsets, grouped.order
            for number, end in enumerate(self._ends):
                if (name := f"{end}{_BY}{target}") in self.parameters:
                    in_order = grouped.in_order(number)
                    if in_order is None:
                        return None
                    found[name], _ = in_order
        return found


def _size(size: Sequence[Any], named: Mapping[str, Any]) -> int:
    """A size as manifests say it: see Parameter."""
    constant, *terms = size
    total = 1 + int(constant)
    for name, dimension, factor in terms:
        value = named[name]
        total += factor * ((value.shape[dimension] if isinstance(value, Tensor) else value) - 1)
    return total
