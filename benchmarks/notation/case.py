"""What a case of the benchmark of statements is: contenders that compute the same.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from benchmarks.notation.limits import Phase

EMBER, EAGER, COMPILED = "ember", "pytorch", "torch.compile"
TORCH_SPARSE, PYDATA, GRAPHBLAS = "torch.sparse", "pydata/sparse", "graphblas"
# What code can reach, and what no code can be below.
BY_HAND, LIMIT = "by hand", "limit"

# Groups of cases, to which targets refer.
INDIRECT, MODELS, LOGIC, FUSED, TROPICAL = (
    "indirect statements",
    "models by statements",
    "xor",
    "xor fused with more",
    "tropical products",
)


@dataclass(frozen=True)
class Prepared:
    """A case with its data in place.

    calls: the contenders by name, each of no arguments. as_dense: their results as arrays of NumPy.
    phases: what each of them has to do at the least, one after the other.
    """

    calls: Mapping[str, Callable[[], Any]]
    phases: Sequence[Phase]
    as_dense: Callable[[Any], np.ndarray] = np.asarray


@dataclass(frozen=True)
class Case:
    """Something that contenders compute. needs: the package of the peer, if it is optional."""

    group: str
    name: str
    prepare: Callable[[], Prepared]
    needs: str | None = None
    quick: bool = True

    def why_missing(self) -> str | None:
        """Why the peer cannot be measured; None if it can."""
        if self.needs is None:
            return None
        try:
            importlib.import_module(self.needs)
        except (ImportError, OSError) as error:
            return f"cannot be imported: {error}".splitlines()[0]
        return None


def bytes_of(*arrays: Any) -> int:
    """How much memory arrays take, of NumPy, PyTorch or es.Array."""
    total = 0
    for array in arrays:
        if isinstance(array, torch.Tensor):
            total += array.numel() * array.element_size()
        elif isinstance(array, np.ndarray):
            total += array.nbytes
        else:
            levels = [part for level in array.stored for part in level.values()]
            total += array.values.nbytes + sum(part.nbytes for part in levels)
    return total
