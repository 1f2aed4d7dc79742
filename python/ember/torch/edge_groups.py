"""Edges grouped by their targets, kept for graphs that come again.

A kernel that gets edges in any order adds every message to a row in memory, on one thread. Of
edges that are grouped by their targets it keeps the sum of a target in registers, and targets are
shared out among threads. Grouping costs several such calls, so it is done for edges that were seen
before, and only for these: a model that is trained on samples of a graph never pays for it.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ctypes
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from ember.torch.kept_tensors import for_later_calls

# Graphs that one aggregation keeps: as many edges as the layers that share its code may have.
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
    """Edges in the order of their targets, those of one target as they came.

    offsets (targets + 1,): where the edges of a target begin and end. sources (edges,). order
    (edges,): which edge is at a place. All are i32. largest: of the sources.
    """

    offsets: Tensor
    sources: Tensor
    order: Tensor
    largest: int


class Edges:
    """A copy of the ends of edges: what those of another call are compared with.

    source: None for edges whose source is their own number.
    """

    def __init__(self, target: Tensor, source: Tensor | None, targets: int) -> None:
        with for_later_calls():
            self.target = target.detach().clone()
            self.source = None if source is None else source.detach().clone()
        self.targets = targets

    def are(self, target: Tensor, source: Tensor | None, targets: int) -> bool:
        """Whether these are the edges: contiguous ends, and the number of targets there are.

        Contents are compared. A tensor's identity and version do not say that it is as it was:
        its memory can be written by others, such as a NumPy array that shares it.
        """
        if targets != self.targets or (source is None) is not (self.source is None):
            return False
        if not _are_equal(target, self.target):
            return False
        return source is None or self.source is None or _are_equal(source, self.source)

    @cached_property
    def grouped(self) -> GroupedEdges | None:
        """The edges by their targets; None if an end is out of range, or counts from the end."""
        with for_later_calls():
            return self._group()

    def _group(self) -> GroupedEdges | None:
        target, source = self.target, self.source
        edges = len(target)
        if not edges or max(edges, self.targets) > MOST:
            return None
        least, most = (int(bound) for bound in target.aminmax())
        if least < 0 or most >= self.targets:
            return None
        if bool((target[1:] >= target[:-1]).all()):
            order = torch.arange(edges, dtype=torch.int32)
        else:
            order = torch.sort(target.int(), stable=True).indices.int()
        offsets = torch.zeros(self.targets + 1, dtype=torch.int32)
        offsets[1:] = torch.bincount(target, minlength=self.targets).cumsum(0)
        if source is None:
            return GroupedEdges(offsets, order, order, edges - 1)
        least, most = (int(bound) for bound in source.aminmax())
        if least < 0 or most > MOST:
            return None
        return GroupedEdges(offsets, source.index_select(0, order).int(), order, most)


class EdgeMemory:
    """The edges that one aggregation saw last, and their groups once they came again.

    Callable from several threads: what is kept is replaced as a whole, and threads that meet may
    group the same edges twice.
    """

    def __init__(self) -> None:
        self._kept: tuple[Edges, ...] = ()
        self._misses = 0
        self._skipped = 0

    def find(self, target: Tensor, source: Tensor | None, targets: int) -> GroupedEdges | None:
        """The groups of edges that were seen before; None for new ones, which are kept.

        target, source (edges,): contiguous. None as well for edges that cannot be grouped: a
        kernel that gets them as they are says what is wrong.
        """
        if self._skipped or len(target) > MOST_EDGES:
            self._skipped = max(self._skipped - 1, 0)
            return None
        for edges in self._kept:
            if edges.are(target, source, targets):
                self._misses = 0
                return edges.grouped
        self._misses += 1
        if self._misses > MISSES:
            self._kept, self._misses, self._skipped = (), 0, SKIPPED
        else:
            self._kept = _newest((Edges(target, source, targets), *self._kept[: KEPT - 1]))
        return None


def _newest(kept: tuple[Edges, ...]) -> tuple[Edges, ...]:
    """The first ones that have no more than MOST_EDGES edges together."""
    total = 0
    for place, edges in enumerate(kept):
        total += len(edges.target)
        if total > MOST_EDGES:
            return kept[:place]
    return kept


def _are_equal(one: Tensor, other: Tensor) -> bool:
    """Whether contiguous tensors have the same type, size and bytes."""
    if one.dtype is not other.dtype or len(one) != len(other):
        return False
    return bool(_memcmp(one.data_ptr(), other.data_ptr(), one.nbytes) == 0)
