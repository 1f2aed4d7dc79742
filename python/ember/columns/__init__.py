"""Columns of features: raw numbers, ids and texts become rows of tables.

    columns = Columns(
        age=BucketizedColumn([18, 25, 35, 50], dimension=8),
        user=HashedColumn(10_000, dimension=8),
        tags=HashedColumn(1_000, dimension=4, combiner="sum"),
    )
    ids = columns.ids({"age": ages, "user": users, "tags": split(tags, ",")})
    features = columns(ids)      # (batch, 20); torch.compile makes one kernel of it

Ids are those of TensorFlow's feature columns, so that tables that were trained there stay what they
are: hashes, buckets, crosses, and what counts as missing.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from ember.columns.hashing import cross_buckets, fingerprints, hash_buckets
from ember.columns.jagged import Jagged
from ember.columns.modules import (
    BucketizedColumn,
    Column,
    Columns,
    CrossedColumn,
    HashedColumn,
    IdentityColumn,
    NumericColumn,
    VocabularyColumn,
)
from ember.columns.sharding import join_shards
from ember.columns.splitting import split
from ember.columns.texts import Texts

__all__ = [
    "BucketizedColumn",
    "Column",
    "Columns",
    "CrossedColumn",
    "HashedColumn",
    "IdentityColumn",
    "Jagged",
    "NumericColumn",
    "Texts",
    "VocabularyColumn",
    "cross_buckets",
    "fingerprints",
    "hash_buckets",
    "join_shards",
    "split",
]
