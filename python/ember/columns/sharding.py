"""Tables that are stored in parts.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from ember.errors import ArgumentError

STRATEGIES = ("mod", "div")


def join_shards(shards: Sequence[Tensor], strategy: str = "mod") -> Tensor:
    """The table whose rows are in several: those of partition_strategy in tf.nn.embedding_lookup.

    mod: row i is row i // n of shard i % n. div: shards follow one another. Of rows that are no
    multiple of n, the first shards have one more each, either way. Raises ArgumentError for shards
    of other sizes.
    """
    if strategy not in STRATEGIES:
        raise ArgumentError(f"strategy is {strategy!r}: give one of {', '.join(STRATEGIES)}")
    if not shards or any(one.shape[1:] != shards[0].shape[1:] or not one.dim() for one in shards):
        shapes = [list(one.shape) for one in shards]
        raise ArgumentError(f"shards have rows of one length; these are of shapes {shapes}")
    sizes = [len(one) for one in shards]
    total = sum(sizes)
    expected = [(total + len(shards) - 1 - number) // len(shards) for number in range(len(shards))]
    if sizes != expected:
        raise ArgumentError(f"{total} rows are in shards of {expected}; these are of {sizes}")
    if strategy == "div":
        return torch.cat(list(shards))
    table = shards[0].new_empty(total, *shards[0].shape[1:])
    for number, shard in enumerate(shards):
        table[number :: len(shards)] = shard
    return table
