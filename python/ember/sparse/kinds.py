"""What arguments of statements are, as far as kernels differ by it.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from ember.dtypes import DTYPES
from ember.errors import ArgumentError
from ember.sparse.array import Array, as_sparse
from ember.sparse.encoded import Encoded
from ember.sparse.format import Format

_MLIR_NAMES = {row.name: row.mlir for row in DTYPES.values() if row.mlir != "index"}
# Numbers of Python by their type; a float takes the type of the arrays that it meets.
_NUMBERS: dict[type, str | None] = {bool: "i1", int: "i64", float: None}
# Rows up to this length have kernels of their own, which keep them in registers.
LONGEST_ROW = 512


@dataclass(frozen=True)
class Kind:
    """What an argument is.

    library: the type of the object: np.ndarray, torch.Tensor, Array, Encoded, Format or a number's.
    dtype: of elements, or of encoded ones' bytes, as the library has it. rank: how many dimensions
    there are. format: of an es.Array or es.Encoded, or the es.Format itself. stores_fill: whether a
    stored element may be the fill; None: it is not asked. sizes: of a dense array's dimensions,
    those that a kernel is made for, and None; empty if it is for any. magnitudes: how many bits
    the sizes of an es.Array have, and last the number of elements that it stores, that loops are
    ordered for; empty if they are for any.
    """

    library: type
    dtype: Any = None
    rank: int = 0
    format: Format | None = None
    stores_fill: bool | None = None
    sizes: tuple[int | None, ...] = ()
    magnitudes: tuple[int, ...] = ()

    @property
    def element(self) -> str | None:
        """The type of elements as MLIR spells it; None: what it meets. Raises ArgumentError."""
        if self.library in _NUMBERS:
            return _NUMBERS[self.library]
        if self.library is Encoded:
            return "f32"
        return None if self.dtype is None else element_of(self.dtype)

    @property
    def spelled(self) -> str | None:
        """The type as emberc's options have it: sizes, and the element."""
        element = self.element
        if element is None or not self.sizes:
            return element
        return "".join(f"{'?' if size is None else size}x" for size in self.sizes) + element

    def of_any_size(self) -> "Kind":
        """The same without sizes."""
        if not self.sizes and not self.magnitudes:
            return self
        return replace(self, sizes=(), magnitudes=())

    def with_magnitudes(self, array: Array) -> "Kind":
        """The same with those of an array."""
        numbers = (*array.shape, len(array.values))
        return replace(self, magnitudes=tuple(map(int.bit_length, numbers)))

    @property
    def hints(self) -> tuple[str, str] | None:
        """What to expect of the array, its sizes and its density, as emberc's options have it."""
        if not self.magnitudes:
            return None
        *sizes, stored = map(number_of, self.magnitudes)
        return "x".join(map(str, sizes)), repr(min(1.0, stored / math.prod(sizes)))

    @property
    def is_room(self) -> bool:
        """Whether only a format is given, for a result."""
        return self.library is Format

    @property
    def is_number(self) -> bool:
        """Whether it has one element."""
        return self.rank == 0 and not self.is_room

    @property
    def is_stored(self) -> bool:
        """Whether the array has levels."""
        return self.format is not None and not (self.is_room and self.format.is_dense)


def kind_of(argument: Any) -> Kind:
    """What an argument is; raises ArgumentError for what is none."""
    library = type(argument)
    if library is np.ndarray:
        sizes = row_sizes(argument.shape)
        return Kind(np.ndarray, argument.dtype, argument.ndim, sizes=sizes)
    if library is torch.Tensor or library is torch.nn.Parameter:
        if not argument.is_cpu:
            raise ArgumentError(f"it is on {argument.device}, and statements take what is on cpu")
        if argument.layout is torch.strided:
            sizes = row_sizes(argument.shape)
            return Kind(torch.Tensor, argument.dtype, argument.ndim, sizes=sizes)
    elif library is Array:
        return Kind(Array, argument.dtype, argument.ndim, argument.format)
    elif library is Encoded:
        return Kind(Encoded, argument.values.dtype, argument.ndim, argument.format)
    elif library is Format:
        return Kind(Format, argument.dtype, format=argument)
    elif library in _NUMBERS:
        if library is int and not -(1 << 63) <= argument < 1 << 63:
            raise ArgumentError(f"{argument} does not fit in i64, which integers of Python are")
        return Kind(library)
    elif isinstance(argument, np.generic):
        return Kind(np.ndarray, argument.dtype)
    raise ArgumentError(f"it is {library.__name__}, which is neither an array nor a number")


def taken(name: str, given: Any) -> Any:
    """A sparse array of another library as es.Array, and a list as NumPy's array."""
    try:
        array = as_sparse(given)
        if array is not None:
            return array
        return np.asarray(given) if isinstance(given, list | tuple) else given
    except (ArgumentError, ValueError) as error:
        raise ArgumentError(f"{name}: {error}") from None


def number_of(magnitude: int) -> int:
    """A number with so many bits, between the others."""
    return max(1, 3 << magnitude >> 2)


def row_sizes(shape: Sequence[int]) -> tuple[int | None, ...]:
    """The sizes that a kernel is made for: those of short rows, and none of the first dimension."""
    if not any(0 < size <= LONGEST_ROW for size in shape[1:]):
        return ()
    return (None, *(size if 0 < size <= LONGEST_ROW else None for size in shape[1:]))


def element_of(dtype: Any) -> str:
    """The type of elements as MLIR spells it; raises ArgumentError if there is none."""
    name = str(dtype).removeprefix("torch.")
    if isinstance(dtype, np.dtype):
        name = dtype.name if dtype.isnative else str(dtype)
    element = _MLIR_NAMES.get(name)
    if element is None:
        known = ", ".join(_MLIR_NAMES)
        raise ArgumentError(f"it is of {name}, and statements know {known}")
    return element


def widest_float(kinds: Iterable[Kind]) -> str:
    """The type of numbers of Python that are floats, beside arrays of these kinds."""
    elements = [kind.element for kind in kinds]
    floats = [element for element in elements if element and not element.startswith("i")]
    if not floats:
        return "f64"
    widths = {name: np.dtype(DTYPES[name].name).itemsize for name in floats}
    return max(floats, key=widths.__getitem__)
