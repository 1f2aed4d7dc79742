"""Reduces consecutive rows, or looked-up ones, by segments: torch.segment_reduce as bags.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from collections.abc import Collection, Sequence
from typing import Any

import torch
from torch import Tensor

from ember.compiler import Options
from ember.kernel import Library
from ember.torch.bag_call import BagCall
from ember.torch.bag_gradient import bag_gradients
from ember.torch.element_types import INDEX_TYPES, VALUE_TYPES
from ember.torch.region_call import NotTakenError, Reference, RegionCall


class SegmentsCall(RegionCall):
    """out[s] = reduction (sum, mean, max) of the rows x[index[p]] for p in segment s.

    Inputs: x (rows, ...), index (lookups,) or None for all rows in turn, lengths (segments,) or
    None, offsets (segments + 1,) or None, the initial value of each reduction or None.
    """

    def __init__(
        self,
        reference: Reference,
        reduction: str,
        unsafe: bool,
        options: Options,
        raises: bool = False,
    ) -> None:
        """unsafe: lengths need not add up to the number of lookups."""
        super().__init__(reference, 5, raises)
        self.reduction = reduction
        self.unsafe = unsafe
        self.bags = BagCall(options)

    def kernels(self) -> list[Library]:
        return [kernel.library for kernel in self.bags.kernels()]

    def forward(
        self,
        x: Tensor,
        index: Tensor | None,
        lengths: Tensor | None,
        offsets: Tensor | None,
        initial: float | None,
    ) -> Tensor:
        if x.dtype not in VALUE_TYPES or 0 in x.shape:
            raise NotTakenError
        # The kernels' maximum and PyTorch's differ in NaN.
        if self.reduction == "max" and not math.isfinite(float(x.sum())):
            raise NotTakenError
        indices = _indices(x, index)
        offsets = self._offsets(lengths, offsets, len(indices))
        rows = x.detach().reshape(len(x), -1)
        out = self.bags.forward(rows, indices, offsets, self.reduction, None, True, -1)
        self._begin(out, offsets.diff().view(-1, 1), initial)
        return out.view(-1, *x.shape[1:])

    def _offsets(self, lengths: Tensor | None, offsets: Tensor | None, lookups: int) -> Tensor:
        """Where segments begin and end; NotTakenError for what PyTorch refuses, or may."""
        if offsets is None:
            assert lengths is not None
            offsets = torch.nn.functional.pad(lengths.cumsum(0), (1, 0))
            end = int(offsets[-1])
            if end > lookups or (end < lookups and not self.unsafe) or bool((lengths < 0).any()):
                raise NotTakenError
        if offsets.dtype not in INDEX_TYPES or len(offsets) < 2:
            raise NotTakenError
        return offsets

    def _begin(self, out: Tensor, lengths: Tensor, initial: float | None) -> None:
        """Makes bags, which are zeros without lookups, begin with the initial value."""
        empty = lengths == 0
        if initial is None:
            if self.reduction != "sum":
                out.masked_fill_(empty, math.nan if self.reduction == "mean" else -math.inf)
        elif self.reduction == "max":
            out.masked_fill_(empty, initial).clamp_(min=initial)
        elif self.reduction == "mean":
            out.add_(initial / lengths.clamp(min=1).to(out.dtype))
        else:
            out.add_(initial)

    def differentiates(self, needed: Sequence[bool]) -> bool:
        return self.reduction != "max"

    def gradient_reads(self, needed: Sequence[bool]) -> Collection[int]:
        return (1, 2, 3)

    def backward(
        self, inputs: Sequence[Any], needed: Sequence[bool], gradient: Tensor
    ) -> Sequence[Tensor | None]:
        x, index, lengths, offsets, _ = inputs
        indices = _indices(x, index)
        for_rows, _ = bag_gradients(
            gradient.reshape(len(gradient), -1).contiguous(),
            indices,
            self._offsets(lengths, offsets, len(indices)),
            len(x),
            (self.reduction, True, -1, False, False),
            None,
            None,
            needs_table=True,
            needs_sample_weights=False,
            kernels=self.bags.options,
        )
        assert for_rows is not None
        return for_rows.view_as(x), None, None, None, None


def _indices(x: Tensor, index: Tensor | None) -> Tensor:
    return torch.arange(len(x)) if index is None else index
