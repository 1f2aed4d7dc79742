"""Embedding tables of recommendation models, and their lookups: the paper's and MLPerf's DLRM.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class BagWorkload:
    """One embedding table and a batch of its lookups: every segment has the same number."""

    name: str
    rows: int
    length: int
    segments: int
    lookups_per_segment: int

    @property
    def lookups(self) -> int:
        return self.segments * self.lookups_per_segment


# Table 3 of the Ember paper (arXiv:2504.09870): segments are those of one batch on one core.
RM = (
    BagWorkload("RM1", 16 * 1024, 32, 64, 64),
    BagWorkload("RM2", 16 * 1024, 64, 32, 128),
    BagWorkload("RM3", 16 * 1024, 128, 16, 256),
)

# MLPerf's DLRM-DCNv2 on Criteo's multi-hot data (mlcommons/training, recommendation_v2):
# num_embeddings_per_feature, embedding_dim and multi_hot_sizes of its 26 categorical features.
# fmt: off
MLPERF_ROWS = (
    40_000_000, 39_060, 17_295, 7_424, 20_265, 3, 7_122, 1_543, 63, 40_000_000, 3_067_956,
    405_282, 10, 2_209, 11_938, 155, 4, 976, 14, 40_000_000, 40_000_000, 40_000_000, 590_152,
    12_973, 108, 36,
)
MLPERF_MULTI_HOT = (
    3, 2, 1, 2, 6, 1, 1, 1, 1, 7, 3, 8, 1, 6, 9, 5, 1, 1, 1, 12, 100, 27, 10, 3, 1, 1,
)
# fmt: on
MLPERF_LENGTH = 128


def mlperf_dlrm(batch: int, most_rows: int) -> list[BagWorkload]:
    """The 26 tables of MLPerf's DLRM for a batch of samples, rows capped at most_rows."""
    return [
        BagWorkload(f"MLPerf {number}", min(rows, most_rows), MLPERF_LENGTH, batch, lookups)
        for number, (rows, lookups) in enumerate(zip(MLPERF_ROWS, MLPERF_MULTI_HOT, strict=True))
    ]
