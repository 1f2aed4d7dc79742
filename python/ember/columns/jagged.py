"""A list of values for each row of a batch, which may have weights.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ember.columns.texts import Texts
from ember.errors import ArgumentError, OffsetsError

# What stands for a missing value in a dense feature, as in TensorFlow's.
MISSING_NUMBER = -1


@dataclass(frozen=True, eq=False)
class Jagged:
    """Row i has the values offsets[i] to offsets[i + 1].

    values: Texts or int64, of anything that is a feature in one dimension. offsets: int64, one more
    than there are rows. weights: float32, one for each value, or none. Raises ArgumentError for
    other values and weights, OffsetsError for offsets that do not begin at 0, that decrease, or
    that do not end with the values.
    """

    values: Texts | NDArray[np.int64]
    offsets: NDArray[np.int64]
    weights: NDArray[np.float32] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", values_of(self.values))
        offsets = np.asarray(self.offsets)
        if offsets.ndim != 1 or not len(offsets) or offsets.dtype.kind not in "iu":
            raise OffsetsError("offsets are integers in one dimension, one more than rows")
        object.__setattr__(self, "offsets", np.ascontiguousarray(offsets, np.int64))
        decreasing = np.flatnonzero(np.diff(self.offsets) < 0)
        if len(decreasing):
            at = int(decreasing[0])
            raise OffsetsError(
                f"offsets decrease at row {at}: {self.offsets[at]}, then {self.offsets[at + 1]}"
            )
        if self.offsets[0] != 0 or self.offsets[-1] != len(self.values):
            raise OffsetsError(
                f"offsets go from {self.offsets[0]} to {self.offsets[-1]}, and there are "
                f"{len(self.values)} values: they begin at 0 and end with the values"
            )
        if self.weights is not None:
            weights = _numbers_of(self.weights)
            if weights.shape != (len(self.values),):
                raise ArgumentError(
                    f"{len(self.values)} values have weights of shape {list(weights.shape)}"
                )
            object.__setattr__(self, "weights", weights)

    @staticmethod
    def of(rows: Iterable[Iterable[Any]]) -> "Jagged":
        """That of a list of lists of integers, or of texts."""
        lists = [list(row) for row in rows]
        offsets = np.zeros(len(lists) + 1, np.int64)
        np.cumsum([len(row) for row in lists], out=offsets[1:])
        return Jagged(values_of([value for row in lists for value in row]), offsets)

    @staticmethod
    def dense(feature: Any) -> "Jagged":
        """The values of a feature of (batch,) or (batch, ...), without those that are missing.

        Missing are the empty text and -1. Other negative numbers are values. A Jagged is returned
        as it is: all of its values count.
        """
        if isinstance(feature, Jagged):
            return feature
        return Jagged._whole(feature)._present()

    @staticmethod
    def _whole(feature: Any, weights: Any = None) -> "Jagged":
        """All values of a dense feature."""
        shape = _shape(feature)
        values = values_of(feature)
        rows = shape[0] if shape else 1
        width = len(values) // rows if rows else 0
        return Jagged(values, np.arange(rows + 1) * width, weights)

    def _present(self) -> "Jagged":
        if isinstance(self.values, Texts):
            return self.where(self.values.lengths() > 0)
        return self.where(self.values != MISSING_NUMBER)

    @staticmethod
    def weighted(feature: Any, weights: Any) -> "Jagged":
        """The same with a weight for each value: weights are floats of the feature's shape, and of
        a Jagged as many as it has values, in one dimension or in lists as long as its rows.

        Raises ArgumentError for weights of another shape.
        """
        if isinstance(feature, Jagged):
            return Jagged(feature.values, feature.offsets, _in_rows(weights, feature.offsets))
        numbers, shape = _numbers_of(weights), _shape(feature)
        if numbers.shape != shape:
            raise ArgumentError(
                f"values of shape {list(shape)} have weights of shape {list(numbers.shape)}"
            )
        return Jagged._whole(feature, numbers.reshape(-1))._present()

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def row_of(self, position: int) -> int:
        """The row that a value is in."""
        return int(np.searchsorted(self.offsets, position, side="right")) - 1

    def where(self, kept: NDArray[np.bool_]) -> "Jagged":
        """The values that are True, in their rows."""
        before = np.concatenate([[0], np.cumsum(kept)])
        values = self.values
        chosen = values.where(kept) if isinstance(values, Texts) else values[kept]
        weights = None if self.weights is None else self.weights[kept]
        return Jagged(chosen, before[self.offsets], weights)

    def with_values(self, values: NDArray[np.int64]) -> "Jagged":
        """Others in the same rows, of the same weights."""
        return Jagged(values, self.offsets, self.weights)

    def to_list(self) -> list[list[Any]]:
        """The rows, as lists of bytes or numbers."""
        values = list(self.values) if isinstance(self.values, Texts) else self.values.tolist()
        return [values[start:end] for start, end in pairwise(self.offsets.tolist())]


def values_of(feature: Any) -> Texts | NDArray[np.int64]:
    """The values of a feature, one after the other: texts, or integers.

    Raises ArgumentError for other values.
    """
    if isinstance(feature, Texts):
        return feature
    array = feature.detach().cpu().numpy() if isinstance(feature, torch.Tensor) else feature
    if not isinstance(array, np.ndarray):
        if isinstance(array, str | bytes) or not isinstance(array, Iterable):
            raise ArgumentError(f"a feature is an array or a list; this is {array!r} alone")
        array = list(array)
        if not all(isinstance(one, int | np.integer) for one in array):
            return Texts.of(array)
        array = np.asarray(array, None if array else np.int64)
    if array.dtype.kind in "OSU":
        return Texts.of(array)
    if array.dtype.kind not in "iu":
        raise ArgumentError(
            f"ids are integers or texts; these are {array.dtype}: numbers are put into buckets "
            "(BucketizedColumn) or rounded first"
        )
    if array.dtype == np.uint64 and array.size and array.max() > np.iinfo(np.int64).max:
        raise ArgumentError("an id is past int64: make it a text, or a smaller one")
    return np.ascontiguousarray(array.reshape(-1), np.int64)


def _numbers_of(numbers: Any) -> NDArray[np.float32]:
    """The numbers of an array, a tensor or a list, in its shape.

    Raises ArgumentError for what is none.
    """
    if isinstance(numbers, torch.Tensor):
        numbers = numbers.detach().to("cpu", torch.float32).numpy()
    try:
        array = np.asarray(numbers)
    except ValueError:
        raise ArgumentError("weights are in lists of different lengths") from None
    if array.dtype.kind not in "iuf":
        raise ArgumentError(f"weights are numbers; these are {array.dtype}")
    return np.ascontiguousarray(array, np.float32)


def _in_rows(weights: Any, offsets: NDArray[np.int64]) -> NDArray[np.float32]:
    """The weights of each row, one after the other; as they are if they are in no rows."""
    if all(np.ndim(one) == 0 for one in weights):
        return _numbers_of(weights)
    rows = [_numbers_of(row).reshape(-1) for row in weights]
    expected = np.diff(offsets).tolist()
    if len(rows) != len(expected):
        raise ArgumentError(f"{len(expected)} rows have weights in {len(rows)} lists")
    for at, (row, length) in enumerate(zip(rows, expected, strict=True)):
        if len(row) != length:
            raise ArgumentError(f"row {at} has {length} values and {len(row)} weights")
    return np.concatenate(rows)


def _shape(feature: Any) -> tuple[int, ...]:
    if isinstance(feature, np.ndarray | torch.Tensor):
        return tuple(feature.shape)
    return (len(feature),)
