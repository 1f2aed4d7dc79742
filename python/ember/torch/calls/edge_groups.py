"""Edges grouped by the places that they scatter to, kept for graphs that come again.

A kernel that gets edges in any order adds every message to a row in memory, on one thread. Of
edges that are grouped by their targets it keeps the sum of a target in registers, and targets are
shared out among threads. Grouping costs several such calls, so it is done for edges that were seen
before, and only for these: a model that is trained on samples of a graph never pays for it.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from ember.kernel import Entry
from ember.torch.calls.kept_tensors import for_later_calls


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


# Graphs that one kernel keeps: as many edges as the layers that share its code may have.
KEPT = 4
# Edges of all of them together: with i64 ends, what is kept takes 24 bytes an edge and 4 a target.
MOST_EDGES = 2**25
# After so many calls in a row with new edges, as many as SKIPPED are not looked at.
MISSES = 8
SKIPPED = 64
# What i32 positions reach.
MOST = 2**31 - 1

_memcmp = ctypes.CDLL(None).memcmp
_memcmp.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
_memcmp.restype = ctypes.c_int


@dataclass(frozen=True)
class GroupedEdges:
    """Edges in the order of the places that one of their ends is, those of one place as they came.

    offsets (places + 1,): where the edges of a place begin and end. order (edges,): which edge is
    at a position. Both are i32. ends: of the edges as they came.
    """

    offsets: Tensor
    order: Tensor
    ends: tuple[Tensor, ...]
    _in_order: dict[int, tuple[Tensor, int] | None] = field(default_factory=dict)

    def in_order(self, number: int) -> tuple[Tensor, int] | None:
        """Another end of the edges (edges,), i32, in their order, with the largest; None if one
        counts from the end, or is too large."""
        if number not in self._in_order:
            with for_later_calls():
                self._in_order[number] = self._ordered(self.ends[number])
        return self._in_order[number]

    def _ordered(self, end: Tensor) -> tuple[Tensor, int] | None:
        least, most = (int(bound) for bound in end.aminmax())
        if least < 0 or most > MOST:
            return None
        return end.index_select(0, self.order).int(), most


class Edges:
    """Copies of the ends of edges: what those of another call are compared with."""

    def __init__(self, ends: Sequence[Tensor]) -> None:
        with for_later_calls():
            self.ends = tuple(end.detach().clone() for end in ends)
        self._grouped: dict[tuple[int, int], GroupedEdges | None] = {}

    def are(self, ends: Sequence[Tensor]) -> bool:
        """Whether these are the edges: contiguous tensors.

        Contents are compared. A tensor's identity and version do not say that it is as it was:
        its memory can be written by others, such as a NumPy array that shares it.
        """
        return all(map(_are_equal, self.ends, ends))

    def by(self, number: int, places: int) -> GroupedEdges | None:
        """The edges by one of their ends, which is one of so many places; None if an end is out of
        range, or counts from the end."""
        key = number, places
        if key not in self._grouped:
            with for_later_calls():
                self._grouped[key] = self._group(self.ends[number], places)
        return self._grouped[key]

    def _group(self, target: Tensor, places: int) -> GroupedEdges | None:
        edges = len(target)
        if not edges or max(edges, places) > MOST:
            return None
        least, most = (int(bound) for bound in target.aminmax())
        if least < 0 or most >= places:
            return None
        if bool((target[1:] >= target[:-1]).all()):
            order = torch.arange(edges, dtype=torch.int32)
        else:
            order = torch.sort(target.int(), stable=True).indices.int()
        offsets = torch.zeros(places + 1, dtype=torch.int32)
        offsets[1:] = torch.bincount(target, minlength=places).cumsum(0)
        return GroupedEdges(offsets, order, self.ends)


class EdgeMemory:
    """The edges that one kernel saw last, and their groups once they came again.

    Callable from several threads: what is kept is replaced as a whole, and threads that meet may
    group the same edges twice.
    """

    def __init__(self) -> None:
        self._kept: tuple[Edges, ...] = ()
        self._misses = 0
        self._skipped = 0

    def find(self, ends: Sequence[Tensor]) -> Edges | None:
        """The edges if they were seen before; None for new ones, which are kept.

        ends (edges,) each: contiguous, as many in each call. None as well for more edges than are
        kept.
        """
        if self._skipped or len(ends[0]) > MOST_EDGES:
            self._skipped = max(self._skipped - 1, 0)
            return None
        for edges in self._kept:
            if edges.are(ends):
                self._misses = 0
                return edges
        self._misses += 1
        if self._misses > MISSES:
            self._kept, self._misses, self._skipped = (), 0, SKIPPED
        else:
            self._kept = _newest((Edges(ends), *self._kept[: KEPT - 1]))
        return None


def _newest(kept: tuple[Edges, ...]) -> tuple[Edges, ...]:
    """The first ones that have no more than MOST_EDGES edges together."""
    total = 0
    for place, edges in enumerate(kept):
        total += len(edges.ends[0])
        if total > MOST_EDGES:
            return kept[:place]
    return kept


def _are_equal(one: Tensor, other: Tensor) -> bool:
    """Whether contiguous tensors have the same type, size and bytes."""
    if one.dtype is not other.dtype or len(one) != len(other):
        return False
    return bool(_memcmp(one.data_ptr(), other.data_ptr(), one.nbytes) == 0)


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
