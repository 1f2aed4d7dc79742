"""The element types of kernels, for MLIR, NumPy, PyTorch and the C ABI, from the compiler's table.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ctypes
import sys
from dataclasses import dataclass
from typing import Any

import ml_dtypes  # noqa: F401  (tells NumPy the names of its types)
import numpy as np

from ember.scalar_types import SCALARS, Scalar


@dataclass(frozen=True)
class DType:
    """An element type: its MLIR spelling, its name in NumPy and PyTorch, its C type.

    also: names of types whose arrays are taken as they are, because their bits are meant. A C
    type of a float that C lacks is that of the bits.
    """

    mlir: str
    name: str
    ctype: type
    also: tuple[str, ...] = ()

    @property
    def is_pattern(self) -> bool:
        """True if C has no such type."""
        return SCALARS[self.mlir].is_float and self.ctype not in (ctypes.c_float, ctypes.c_double)

    def to_c(self, number: Any) -> Any:
        """A number as the C ABI has it; raises TypeError if it is none."""
        if self.is_pattern:
            wide = np.float64(ctypes.c_double(number).value)
            number = int(wide.astype(self.name).view(f"uint{8 * ctypes.sizeof(self.ctype)}"))
        return self.ctype(number)

    def from_c(self, value: Any) -> Any:
        """What the C ABI has as a number."""
        if self.is_pattern:
            bits = np.array(value, f"uint{8 * ctypes.sizeof(self.ctype)}")
            return float(bits.view(self.name))
        return bool(value) if self.mlir == "i1" else value


#: Floats that NumPy knows by ml_dtypes only, and bytes whose bits may be meant.
_PATTERNS = tuple(
    row.array_type for row in SCALARS.values() if row.is_float and not row.is_interchange_float
)
_BYTE_FLOATS = tuple(row.array_type for row in SCALARS.values() if row.is_float and row.bits == 8)


def _dtype_of(row: Scalar) -> DType:
    """The element type of a row of the compiler's table."""
    bits = max(row.bits, 8)
    if row.is_float:
        c_name = {32: "c_float", 64: "c_double"}.get(bits, f"c_uint{bits}")
        return DType(row.name, row.array_type, getattr(ctypes, c_name))
    also: tuple[str, ...] = ()
    if row.name not in ("i1", "index"):
        also = (f"u{row.array_type}", *(_BYTE_FLOATS if bits == 8 else ()))
    return DType(row.name, row.array_type, getattr(ctypes, f"c_int{bits}"), also)


DTYPES = {row.name: _dtype_of(row) for row in SCALARS.values()}

# DLPack's numbers of kinds of integers; of floats the table has them.
_DLPACK_KINDS = {"int": 0, "uint": 1, "bool": 6}
_DLPACK_FLOATS = {row.array_type: row.dlpack_code for row in SCALARS.values() if row.is_float}


def dlpack_type(name: str) -> tuple[int, int]:
    """DLPack's number and the bits of a type, by its name in NumPy and PyTorch."""
    kind = _DLPACK_FLOATS.get(name)
    if kind is None:
        kind = _DLPACK_KINDS[name.rstrip("0123456789")]
    return kind, 8 * np.dtype(name).itemsize


def as_array(argument: Any) -> np.ndarray:
    """A NumPy array that shares memory with the argument where np.asarray's would.

    PyTorch gives NumPy no tensors of bf16 and 8-bit floats: these are handed over as their bits.
    """
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(argument, torch.Tensor):
        name = str(argument.dtype).removeprefix("torch.")
        bits = {2: torch.int16, 1: torch.int8}.get(argument.element_size())
        if bits is not None and name in _PATTERNS:
            return np.asarray(argument.view(bits)).view(name)
    return np.asarray(argument)
