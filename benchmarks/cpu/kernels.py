"""Ember's kernels as contenders: a program of the embed dialect, compiled and called.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from ember.compiler import Options, load_program
from ember.dtypes import DTYPES
from ember.embed_programs import ENTRY, Operation, program
from ember.kernel import Entry

from benchmarks.cpu.rows import torch_type


def compiled(operation: Operation, kind: str = "tensor") -> Entry:
    """The kernel of an operation; raises CompileError."""
    return load_program(program(operation, kind=kind), Options()).entry(ENTRY)


def with_new_output(
    entry: Entry, tables: Sequence[Any], element: str, shape: tuple[int, ...]
) -> Callable[..., Any]:
    """A function of the entry's inputs behind the tables that returns its output.

    The output has memory of its own each time: that is what PyTorch's operations do, so it is part
    of the time of both.
    """
    bound = entry.bind(*tables)
    new = _empty_array(element)

    def call(*inputs: Any) -> Any:
        out = new(shape)
        bound(*inputs, out)
        return out

    return call


def _empty_array(element: str) -> Callable[[tuple[int, ...]], Any]:
    """Allocates arrays of a type: NumPy's, or PyTorch's of a type that NumPy does not have."""
    dtype = np.dtype(DTYPES[element].name)
    if dtype.isbuiltin == 1:
        return lambda shape: np.empty(shape, dtype)
    return lambda shape: torch.empty(shape, dtype=torch_type(element))
