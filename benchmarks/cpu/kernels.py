"""Ember's kernels as contenders: a program of the embed dialect, compiled and called.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
import torch
from ember.compiler import Options, load_program
from ember.dtypes import DTYPES
from ember.embed_programs import ENTRY, Array, Operation, program
from ember.kernel import Entry

from benchmarks.cpu.rows import torch_type


@dataclass(frozen=True)
class Variant:
    """How kernels are made; known_lengths: the lengths of rows are written into their programs."""

    options: Options = field(default_factory=Options)
    known_lengths: bool = True


ALL_ON = Variant()
# How kernels are made now.
variant: ContextVar[Variant] = ContextVar("variant", default=ALL_ON)


def compiled(operation: Operation, kind: str = "tensor") -> Entry:
    """The kernel of an operation; raises CompileError."""
    way = variant.get()
    if not way.known_lengths:
        operation = with_open_lengths(operation)
    return load_program(program(operation, kind=kind), way.options).entry(ENTRY)


def with_open_lengths(operation: Operation) -> Operation:
    """The operation with rows of any length; a kernel of several tables needs to know them."""

    def opened(value: Any) -> Any:
        if isinstance(value, Array) and len(value.shape) > 1:
            return replace(value, shape=(None,) * len(value.shape))
        return tuple(map(opened, value)) if isinstance(value, tuple) else value

    changed = {one.name: opened(getattr(operation, one.name)) for one in fields(operation)}
    return replace(operation, **changed)


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
