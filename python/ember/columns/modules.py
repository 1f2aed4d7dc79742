"""Columns as modules of PyTorch: ids of a feature, and the rows that they stand for.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from ember.columns.combining import combining, counts
from ember.columns.hashing import CROSS_KEY, Key, cross_buckets, hash_buckets
from ember.columns.jagged import Jagged, values_of
from ember.columns.texts import Texts
from ember.errors import ArgumentError, IndexOutOfRangeError

# How the rows of a batch's row become one.
COMBINERS = ("mean", "sum", "sqrtn")
# The ids of a feature, where the rows of the batch begin and end in them, and weights, if any.
Ids = tuple[Tensor, ...]


class Column(nn.Module, ABC):
    """A table whose rows an id each looks up; those of a row of the batch are combined.

    rows: ids are 0 to rows - 1. dimension: elements of a row; None for no table: the result counts
    each id, or adds its weights up, as indicator_column does. combiner: sum; mean, the sum over the
    number of ids, or over that of their weights; sqrtn, the sum over the root of the number, or of
    the weights' squares. But for sums, ids of weights that are not above 0 are left out. A row of
    the batch without ids is zeros.
    """

    weight: nn.Parameter | None

    def __init__(self, rows: int, dimension: int | None, combiner: str = "mean") -> None:
        super().__init__()
        if rows < 1 or (dimension is not None and dimension < 1):
            raise ArgumentError(f"a table of {rows} by {dimension} has no elements")
        if combiner not in COMBINERS:
            raise ArgumentError(f"combiner is {combiner!r}: give one of {', '.join(COMBINERS)}")
        self.rows, self.combiner = rows, combiner
        # TensorFlow's standard deviation.
        self.register_parameter(
            "weight",
            None
            if dimension is None
            else nn.Parameter(torch.randn(rows, dimension) / dimension**0.5),
        )

    def ids(self, feature: Any) -> Ids:
        """The ids that a raw feature of a batch stands for, and their offsets, both int64; what
        each row is multiplied by, float32, where that is not the same for all.
        """
        found = self.jagged_ids(feature)
        if self.weight is not None:
            found = combining(found, self.combiner)
        parts = (found.values, found.offsets, found.weights)
        return tuple(torch.from_numpy(part) for part in parts if part is not None)

    def rows_of(self, ids: Ids) -> int:
        """The rows of the batch that `ids` found."""
        return len(ids[1]) - 1

    @abstractmethod
    def jagged_ids(self, feature: Any) -> Jagged:
        """The ids in rows; raises ArgumentError for features of another kind."""

    def forward(self, ids: Tensor, offsets: Tensor, weights: Tensor | None = None) -> Tensor:
        """(batch, dimension); without a dimension, (batch, rows)."""
        if self.weight is None:
            return counts(ids, offsets, weights, self.rows)
        weighted = None if weights is None else weights.to(self.weight.dtype)
        return functional.embedding_bag(
            ids,
            self.weight,
            offsets,
            mode=self.combiner if weights is None else "sum",
            per_sample_weights=weighted,
            include_last_offset=True,
        )


def _numbers(feature: Any) -> Tensor:
    numbers = torch.as_tensor(feature)
    if numbers.dtype.is_complex or numbers.dtype is torch.bool or not numbers.dim():
        raise ArgumentError(
            f"a feature of numbers has a dimension for the batch; this is {numbers.dtype} of "
            f"shape {list(numbers.shape)}"
        )
    return numbers


class HashedColumn(Column):
    """Ids by hashes of texts or integers: categorical_column_with_hash_bucket, and Keras' Hashing.

    A feature is an array of (batch,) or (batch, n), in which -1 and '' are missing, or a Jagged,
    all values of which count. key: two words for SipHash in place of FarmHash.
    """

    def __init__(
        self, buckets: int, dimension: int | None, combiner: str = "mean", key: Key | None = None
    ) -> None:
        super().__init__(buckets, dimension, combiner)
        self.buckets, self.key = buckets, key

    def jagged_ids(self, feature: Any) -> Jagged:
        given = Jagged.dense(feature)
        found: Jagged = hash_buckets(given, self.buckets, self.key)
        return found


class CrossedColumn(Column):
    """Ids by combinations of several features' values: crossed_column.

    A feature is a sequence of such as those of HashedColumn.
    """

    def __init__(
        self, buckets: int, dimension: int | None, combiner: str = "mean", key: int = CROSS_KEY
    ) -> None:
        super().__init__(buckets, dimension, combiner)
        self.buckets, self.key = buckets, key

    def jagged_ids(self, feature: Sequence[Any]) -> Jagged:
        return cross_buckets([Jagged.dense(one) for one in feature], self.buckets, self.key)


class BucketizedColumn(Column):
    """Ids by the number of boundaries that a number has reached: bucketized_column.

    boundaries: increasing; there is one row more. NaN is in the last bucket, as in TensorFlow. A
    feature is a tensor or an array of floats or integers, (batch,) or (batch, n).
    """

    boundaries: Tensor

    def __init__(
        self, boundaries: Sequence[float], dimension: int | None, combiner: str = "mean"
    ) -> None:
        values = np.asarray(boundaries, np.float32)
        if not (np.diff(values) >= 0).all() or np.isnan(values).any():
            raise ArgumentError(f"boundaries do not increase: {list(boundaries)}")
        super().__init__(len(values) + 1, dimension, combiner)
        self.register_buffer("boundaries", torch.from_numpy(values))

    def jagged_ids(self, feature: Any) -> Jagged:
        numbers = _numbers(feature)
        if not numbers.dtype.is_floating_point:
            numbers = numbers.to(torch.float32)
        # Boundaries are exact in the number's own type, or compared in a wider one.
        wide = torch.promote_types(numbers.dtype, torch.float32)
        ids = torch.bucketize(numbers.to(wide), self.boundaries.to(wide), right=True)
        rows = len(numbers)
        return Jagged(ids.reshape(-1).numpy(), np.arange(rows + 1) * (ids.numel() // max(rows, 1)))


class IdentityColumn(Column):
    """Ids that are given: categorical_column_with_identity.

    A feature is as HashedColumn's, of integers. default: the id of numbers that are none of the
    table's, -1 in a dense feature aside; without, those below 0 are missing, and others an error.
    """

    def __init__(
        self, rows: int, dimension: int | None, combiner: str = "mean", default: int | None = None
    ) -> None:
        super().__init__(rows, dimension, combiner)
        if default is not None and not 0 <= default < rows:
            raise ArgumentError(f"default is {default}: give an id of 0 to {rows - 1}")
        self.default = default

    def jagged_ids(self, feature: Any) -> Jagged:
        given = Jagged.dense(feature)
        if isinstance(given.values, Texts):
            raise ArgumentError("ids are integers; these are texts: hash them, or list the words")
        if self.default is None:
            too_large = np.flatnonzero(given.values >= self.rows)
            if len(too_large):
                raise IndexOutOfRangeError(
                    f"id {given.values[too_large[0]]} of row {given.row_of(int(too_large[0]))} is "
                    f"out of range for a table of {self.rows} rows"
                )
            return given.where(given.values >= 0)
        is_id = (given.values >= 0) & (given.values < self.rows)
        return given.with_values(np.where(is_id, given.values, self.default))


class VocabularyColumn(Column):
    """Ids by the places of words, or of integers, in a list:
    categorical_column_with_vocabulary_list.

    A feature is as HashedColumn's. What is not listed is missing, or has the id that default
    names, or one of others that follow the words', by its hash.
    """

    def __init__(
        self,
        words: Sequence[Any],
        dimension: int | None,
        combiner: str = "mean",
        default: int | None = None,
        others: int = 0,
    ) -> None:
        super().__init__(len(words) + others, dimension, combiner)
        listed = values_of(words)
        self.places = {word: place for place, word in enumerate(listed)}
        if len(self.places) < len(words):
            raise ArgumentError("a word is listed twice")
        if default is not None and (others or not 0 <= default < len(words)):
            raise ArgumentError(f"default is {default}: give the place of a word, and no others")
        self.default, self.others = default, others
        self.is_of_texts = isinstance(listed, Texts)

    def jagged_ids(self, feature: Any) -> Jagged:
        given = Jagged.dense(feature)
        if len(given.values) and isinstance(given.values, Texts) != self.is_of_texts:
            kind = "texts" if self.is_of_texts else "integers"
            raise ArgumentError(f"words are {kind}, and the feature's values are not")
        unknown = -1 if self.default is None else self.default
        ids = np.fromiter(
            (self.places.get(value, unknown) for value in given.values), np.int64, len(given.values)
        )
        if self.others:
            hashes = hash_buckets(given.values, self.others) + len(self.places)
            ids = np.where(ids < 0, hashes, ids)
        return given.with_values(ids).where(ids >= 0)


class NumericColumn(nn.Module):
    """Numbers as they are, or moved and scaled: numeric_column, and Keras' Normalization.

    A feature is a tensor or an array of floats or integers, (batch,) or (batch, dimension), whose
    elements become (number - mean) / deviation. mean, deviation: a number, or one for each element.
    """

    mean: Tensor
    deviation: Tensor

    def __init__(
        self,
        dimension: int = 1,
        mean: float | Sequence[float] = 0.0,
        deviation: float | Sequence[float] = 1.0,
    ) -> None:
        super().__init__()
        self.dimension = dimension
        for name, given in (("mean", mean), ("deviation", deviation)):
            values = torch.as_tensor(given, dtype=torch.float32)
            if values.shape not in ((), (dimension,)):
                raise ArgumentError(f"{name} is of shape {list(values.shape)}: give {dimension}")
            self.register_buffer(name, values)
        if not (self.deviation != 0).all():
            raise ArgumentError("deviation is 0: numbers are divided by it")

    def ids(self, feature: Any) -> Ids:
        """The numbers, (batch, dimension)."""
        numbers = _numbers(feature).to(torch.float32)
        if numbers.numel() != len(numbers) * self.dimension:
            raise ArgumentError(
                f"a feature of {self.dimension} numbers a row is of shape {list(numbers.shape)}"
            )
        return (numbers.reshape(len(numbers), self.dimension),)

    def rows_of(self, ids: Ids) -> int:
        """The rows of the batch that `ids` found."""
        return len(ids[0])

    def forward(self, numbers: Tensor) -> Tensor:
        """(batch, dimension)."""
        return (numbers - self.mean) / self.deviation


class Columns(nn.Module):
    """Columns beside each other: the features of a model.

    They are side by side in the order given.
    """

    def __init__(self, **columns: Column | NumericColumn) -> None:
        super().__init__()
        self.columns = nn.ModuleDict(columns)

    def ids(self, features: Mapping[str, Any]) -> dict[str, Ids]:
        """The ids of raw features by name. Texts are no tensors: this part runs uncompiled."""
        if missing := [name for name in self.columns if name not in features]:
            raise ArgumentError(f"there is no feature {', '.join(map(repr, missing))}")
        found: dict[str, Ids] = {}
        sizes: dict[str, int] = {}
        for name, module in self.columns.items():
            column = cast(Column | NumericColumn, module)
            try:
                found[name] = column.ids(features[name])
            except (ArgumentError, IndexOutOfRangeError) as error:
                raise type(error)(f"feature {name!r}: {error}") from error
            sizes[name] = column.rows_of(found[name])
        if len(set(sizes.values())) > 1:
            raise ArgumentError(f"features have different numbers of rows: {sizes}")
        return found

    def forward(self, ids: Mapping[str, Ids]) -> Tensor:
        """(batch, sum of dimensions), of what ids returns."""
        return torch.cat([column(*ids[name]) for name, column in self.columns.items()], -1)
