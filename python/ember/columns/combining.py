"""How rows that are looked up become one: by factors, which are known ahead of the lookup.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ember.columns.jagged import Jagged


def combining(ids: Jagged, combiner: str) -> Jagged:
    """The ids that are looked up, with what each row is multiplied by before all are added up.

    Without weights, where the lookup itself has a combiner's mean or sum.
    """
    if combiner == "sum" or (ids.weights is None and combiner == "mean"):
        return ids
    weights = np.ones(len(ids.values), np.float32) if ids.weights is None else ids.weights
    # As TensorFlow does: neither is of what is below 0, or of none.
    kept = weights > 0
    wide = weights[kept].astype(np.float64)
    ids = ids.where(kept)
    total = (
        _sums(wide, ids.offsets)
        if combiner == "mean"
        else np.sqrt(_sums(np.square(wide), ids.offsets))
    )
    factors = wide / np.repeat(total, np.diff(ids.offsets))
    return Jagged(ids.values, ids.offsets, factors.astype(np.float32))


def _sums(numbers: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """The sum of each row's numbers."""
    rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    sums: NDArray[np.float64] = np.bincount(rows, numbers, len(offsets) - 1).astype(np.float64)
    return sums


def counts(ids: Tensor, offsets: Tensor, weights: Tensor | None, rows: int) -> Tensor:
    """How often each row of the batch has each id, or the sum of its weights: (batch, rows).

    Raises IndexError for ids that are none of 0 to rows - 1.
    """
    batch = len(offsets) - 1
    row_of_id = torch.repeat_interleave(
        torch.arange(batch), offsets.diff(), output_size=ids.shape[0]
    )
    # An index below 0 would count from the end.
    places = (row_of_id, ids.masked_fill(ids < 0, rows))
    values = torch.ones_like(ids, dtype=torch.float32) if weights is None else weights
    return torch.zeros(batch, rows).index_put(places, values, accumulate=True)
