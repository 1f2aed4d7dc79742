"""Bags as what they are made of: rows that are looked up, and a reduction of each bag's.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import torch
import torch.nn.functional as functional
from torch import Tensor

from ember.torch.element_types import SUM_TYPES
from ember.torch.graph.operations import fixed_size

# The rows (lookups, length) of each bag from one offset on up to the next one, reduced; without
# offsets, those of (bags, lookups a bag, length). Only counted ones are a part of it. No tensor is
# ever computed by it: graphs are traced with it.
_SCHEMA = "(Tensor rows, Tensor? offsets, bool has_last, str mode, Tensor? counted) -> Tensor"


def _bags_shape(
    rows: Tensor, offsets: Tensor | None, has_last: bool, mode: str, counted: Tensor | None
) -> Tensor:
    bags = rows.shape[0] if offsets is None else offsets.shape[0] - has_last
    return rows.new_empty((bags, rows.shape[-1]))


# An operator stays in the process, whoever imports this again.
if not hasattr(torch.ops.ember, "bags"):
    torch.library.define("ember::bags", _SCHEMA)
    torch.library.impl("ember::bags", "Meta", _bags_shape)


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """F.embedding_bag of the same arguments as lookups and reductions, to be traced.

    Its own gradient by scale_grad_by_freq is not that of lookups: there is none through it.
    """
    if max_norm is not None:
        raise NotImplementedError("the table changes")
    counted = None
    if padding_idx is not None:
        if padding_idx < 0:
            padding_idx += fixed_size(weight.shape[0])
        counted = input != padding_idx
    # Gradients of padding are none where it is not counted; those of rows that are looked up say so
    # themselves.
    padding = padding_idx if sparse else None
    rows = functional.embedding(input, weight, padding, sparse=sparse)
    if per_sample_weights is not None:
        if per_sample_weights.dtype is not weight.dtype:
            raise NotImplementedError("PyTorch refuses weights of another type")
        rows = rows * per_sample_weights.unsqueeze(-1)
    if scale_grad_by_freq or weight.dtype not in SUM_TYPES:
        mode = f"{mode} without gradient"
    found: Tensor = torch.ops.ember.bags(rows, offsets, include_last_offset, mode, counted)
    return found
