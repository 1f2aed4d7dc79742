"""What cases share: the arena, the limit, the optional peers, and how many threads are in use.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
from dataclasses import dataclass

import ember
import torch

from benchmarks.cpu.arena import Arena
from benchmarks.cpu.limit import Limit


def all_threads() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0))


def use_threads(count: int) -> None:
    """Lets PyTorch and Ember's kernels use so many threads."""
    torch.set_num_threads(count)
    ember.set_num_threads(count)


@dataclass
class Setting:
    """Shared by the cases of a run.

    limit: None if it cannot be compiled. compiles: whether cases take part in torch.compile.
    """

    arena: Arena
    limit: Limit | None
    compiles: bool = True
