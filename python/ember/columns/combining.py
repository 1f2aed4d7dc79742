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
    if ids.weights is None and combiner != "sqrtn":
        return ids
    if combiner == "sum":
        return ids
    if ids.weights is None:
        ids = Jagged(ids.values, ids.offsets, np.ones(len(ids.values), np.float32))
    assert ids.weights is not None
    # As TensorFlow does: neither is of what is below 0, or of none.
    ids = ids.where(ids.weights > 0)
    assert ids.weights is not None
    wide = ids.weights.astype(np.float64)
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
    """How often each row of the batch has each id, or the sum of its weights: (batch, rows)."""
    batch = len(offsets) - 1
    places = torch.repeat_interleave(torch.arange(batch), offsets.diff(), output_size=ids.shape[0])
    values = torch.ones_like(ids, dtype=torch.float32) if weights is None else weights
    return torch.zeros(batch * rows).index_add(0, places * rows + ids, values).view(batch, rows)
