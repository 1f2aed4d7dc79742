"""Buckets of texts and integers: those of TensorFlow.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ctypes
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ember.columns.jagged import Jagged, values_of
from ember.columns.library import addresses, library
from ember.columns.texts import Texts
from ember.errors import ArgumentError

# What crosses begin with where nothing else is said, as in TensorFlow.
CROSS_KEY = 0xDECAFCAFFE
Key = tuple[int, int]


def fingerprints(values: Any, key: Key | None = None) -> NDArray[np.uint64]:
    """The 64-bit fingerprints of texts, or of the decimal texts of integers, in one dimension.

    FarmHash's Fingerprint64, or, with a key of two unsigned 64-bit words, SipHash-2-4. Raises
    ArgumentError for values that are neither.
    """
    found = values_of(values)
    result = np.empty(len(found), np.uint64)
    if isinstance(found, Texts) or key is not None:
        texts = found if isinstance(found, Texts) else Texts.of(map(str, found.tolist()))
        struct = ctypes.byref(texts.struct())
        if key is None:
            library().ember_col_fingerprint_texts(struct, result.ctypes.data)
        else:
            words = np.array([_word(word) for word in key], np.uint64)
            library().ember_col_sip_hash_texts(words.ctypes.data, struct, result.ctypes.data)
    else:
        library().ember_col_fingerprint_integers(found.ctypes.data, len(found), result.ctypes.data)
    return result


def hash_buckets(values: Any, buckets: int, key: Key | None = None) -> Any:
    """The bucket of each value, from 0 to buckets - 1, as tf.strings.to_hash_bucket_fast has it,
    and with a key tf.strings.to_hash_bucket_strong.

    values: texts, integers, which count as their decimal text, or a Jagged of such. Returns int64
    of the same shape: a tensor for a tensor, which torch.compile captures, a Jagged for a Jagged,
    otherwise an array.
    """
    _check_buckets(buckets, least=1)
    if isinstance(values, torch.Tensor):
        hashed: torch.Tensor = _hash_tensor(values, buckets, " ".join(map(str, key or ())))
        return hashed
    if isinstance(values, Jagged):
        return values.with_values(hash_buckets(values.values, buckets, key))
    result = _buckets_of(values, buckets, key)
    return result.reshape(values.shape) if isinstance(values, np.ndarray) else result


def _buckets_of(values: Any, buckets: int, key: Key | None) -> NDArray[np.int64]:
    return (fingerprints(values, key) % np.uint64(buckets)).astype(np.int64)


# A key is a text of its words: operators have no unsigned numbers.
@torch.library.custom_op("ember::hash_buckets", mutates_args=(), device_types="cpu")
def _hash_tensor(values: torch.Tensor, buckets: int, key: str) -> torch.Tensor:
    words = tuple(map(int, key.split())) or None
    found = _buckets_of(values, buckets, words)  # type: ignore[arg-type]
    return torch.from_numpy(found).reshape(values.shape)


@_hash_tensor.register_fake
def _(values: torch.Tensor, buckets: int, key: str) -> torch.Tensor:
    return torch.empty(values.shape, dtype=torch.int64)


def cross_buckets(features: Sequence[Jagged], buckets: int, key: int = CROSS_KEY) -> Jagged:
    """The buckets of all combinations of a row's values, one of each feature, as
    tf.ragged.cross_hashed has them: the last feature's values first.

    buckets: 0 for as many as there are, 2**63 - 1. Raises ArgumentError for no features, for ones
    of different numbers of rows, and for weights, which are those of the combinations.
    """
    _check_buckets(buckets, least=0)
    if not features:
        raise ArgumentError("a cross is of one feature at the least; here is none")
    rows = {len(feature) for feature in features}
    if len(rows) > 1:
        raise ArgumentError(f"the features of a cross have {sorted(rows)} rows: give as many each")
    if any(one.weights is not None for one in features):
        raise ArgumentError("weights are those of combinations: give them to what a cross returns")
    # Texts by their fingerprints, integers by themselves.
    values: list[NDArray[Any]] = [
        fingerprints(one.values) if isinstance(one.values, Texts) else one.values.view(np.uint64)
        for one in features
    ]
    counts = math.prod(np.diff(one.offsets) for one in features)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    result = np.empty(offsets[-1], np.int64)
    bounds: list[NDArray[Any]] = [one.offsets for one in features]
    library().ember_col_cross(
        addresses(values),
        addresses(bounds),
        len(features),
        rows.pop(),
        _word(key),
        buckets or np.iinfo(np.int64).max,
        result.ctypes.data,
    )
    return Jagged(result, offsets)


def _check_buckets(buckets: int, least: int) -> None:
    if not least <= buckets <= np.iinfo(np.int64).max:
        raise ArgumentError(f"there are {buckets} buckets: give {least} to 2**63 - 1")


def _word(word: int) -> int:
    if not 0 <= word < 2**64:
        raise ArgumentError(f"{word} is no unsigned word of 64 bits: keys consist of such")
    return word
