"""A text classifier in the manner of fastText: the mean of words' and word pairs' vectors.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import itertools
import zlib
from collections.abc import Iterable, Sequence

import torch
from torch import Tensor, nn


class TextClassifier(nn.Module):
    """Bags of hashed n-grams and one linear layer (arXiv:1607.01759).

    buckets: rows of the table. forward takes ngrams (lookups,) and offsets (texts,), as `hashed`
    makes them, and returns (texts, classes) scores.
    """

    def __init__(self, buckets: int, length: int, classes: int) -> None:
        super().__init__()
        self.ngrams = nn.EmbeddingBag(buckets, length, mode="mean")
        self.classes = nn.Linear(length, classes)

    def forward(self, ngrams: Tensor, offsets: Tensor) -> Tensor:
        scores: Tensor = self.classes(self.ngrams(ngrams, offsets))
        return scores


def hashed(texts: Sequence[str], buckets: int) -> tuple[Tensor, Tensor]:
    """The buckets of the words and pairs of words of all texts (lookups,), and offsets (texts,)."""
    found: list[int] = []
    offsets = []
    for text in texts:
        offsets.append(len(found))
        found += (zlib.crc32(ngram.encode()) % buckets for ngram in _ngrams(text))
    return torch.tensor(found, dtype=torch.int64), torch.tensor(offsets, dtype=torch.int64)


def _ngrams(text: str) -> Iterable[str]:
    words = text.lower().split()
    yield from words
    yield from map(" ".join, itertools.pairwise(words))
