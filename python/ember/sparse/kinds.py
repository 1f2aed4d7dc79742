"""What arguments of statements are: element types, formats, and keys to find kernels by.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ember.dtypes import DTYPES
from ember.errors import ArgumentError
from ember.sparse.array import Array
from ember.sparse.format import Format

_MLIR_NAMES = {row.name: row.mlir for row in DTYPES.values() if row.mlir != "index"}
# Numbers of Python by their type; a float takes the type of the arrays that it meets.
_NUMBERS = {bool: "i1", int: "i64", float: None}


@dataclass(frozen=True)
class Kind:
    """What an argument is.

    element: the type of its elements as MLIR spells it; None: what it meets. format: of an array
    that has levels. is_room: only a format is given, for a result.
    """

    element: str | None
    format: Format | None = None
    is_room: bool = False


def key_of(argument: Any) -> Any:
    """What tells arguments apart for which kernels differ; raises ArgumentError for no argument."""
    kind = type(argument)
    if kind is np.ndarray:
        return argument.dtype, argument.ndim
    if kind is torch.Tensor or kind is torch.nn.Parameter:
        return argument.dtype, argument.ndim
    if kind is Array:
        return argument.dtype, argument.format, argument.ndim
    if kind in _NUMBERS:
        return kind
    if kind is Format:
        return argument
    if isinstance(argument, np.generic):
        return argument.dtype, 0
    raise ArgumentError(f"it is {kind.__name__}, which is neither an array nor a number")


def kind_of(argument: Any) -> Kind:
    """What an argument is; raises ArgumentError for types that statements do not know."""
    kind = type(argument)
    if kind in _NUMBERS:
        return Kind(_NUMBERS[kind])
    if kind is Format:
        element = None if argument.dtype is None else element_of(argument.dtype)
        return Kind(element, None if argument.is_dense else argument, is_room=True)
    if kind is Array:
        return Kind(element_of(argument.dtype), argument.format)
    return Kind(element_of(argument.dtype))


def element_of(dtype: Any) -> str:
    """The type of elements as MLIR spells it; raises ArgumentError if there is none."""
    name = str(dtype).removeprefix("torch.")
    if isinstance(dtype, np.dtype):
        name = dtype.name if dtype.isnative else str(dtype)
    found = _MLIR_NAMES.get(name)
    if found is None:
        known = ", ".join(_MLIR_NAMES)
        raise ArgumentError(f"it is of {name}, and statements know {known}")
    return found


def widest_float(kinds: list[Kind]) -> str:
    """The type of numbers of Python that are floats, beside arrays of these kinds."""
    floats = [kind.element for kind in kinds if kind.element and not kind.element.startswith("i")]
    if not floats:
        return "f64"
    widths = {name: np.dtype(DTYPES[name].name).itemsize for name in floats}
    return max(floats, key=widths.__getitem__)
