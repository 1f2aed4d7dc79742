"""The element types of kernels: one row a type, for MLIR, NumPy, PyTorch and the C ABI.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ctypes
import sys
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from ember.row_types import BYTE_TYPES


@dataclass(frozen=True)
class DType:
    """An element type: its MLIR spelling, its name in NumPy and PyTorch, its C type.

    also: names of types whose arrays are taken as they are, because their bits are meant. A C
    type of half precision is that of the bits.
    """

    mlir: str
    name: str
    ctype: type
    also: tuple[str, ...] = ()

    @property
    def is_half(self) -> bool:
        """True if C has no such type."""
        return self.mlir in ("f16", "bf16")

    def to_c(self, number: Any) -> Any:
        """A number as the C ABI has it; raises TypeError if it is none."""
        if self.is_half:
            wide = np.float64(ctypes.c_double(number).value)
            number = int(wide.astype(self.name).view(np.uint16))
        return self.ctype(number)

    def from_c(self, value: Any) -> Any:
        """What the C ABI has as a number."""
        if self.is_half:
            return float(np.uint16(value).view(self.name))
        return bool(value) if self.mlir == "i1" else value


DTYPES = {
    row.mlir: row
    for row in (
        DType("f64", "float64", ctypes.c_double),
        DType("f32", "float32", ctypes.c_float),
        DType("f16", "float16", ctypes.c_uint16),
        DType("bf16", np.dtype(ml_dtypes.bfloat16).name, ctypes.c_uint16),
        DType("i64", "int64", ctypes.c_int64, ("uint64",)),
        DType("i32", "int32", ctypes.c_int32, ("uint32",)),
        DType("i16", "int16", ctypes.c_int16, ("uint16",)),
        DType("i8", "int8", ctypes.c_int8, ("uint8", *BYTE_TYPES)),
        DType("i1", "bool", ctypes.c_int8),
        DType("index", "int64", ctypes.c_int64),
    )
}


# DLPack's numbers of kinds of types.
_DLPACK_KINDS = {"int": 0, "uint": 1, "float": 2, "bfloat": 4, "bool": 6}
# Those of 8-bit floats, by NumPy's and PyTorch's names (dlpack.h, version 1.1).
_DLPACK_FLOAT8 = {
    "float8_e3m4": 7,
    "float8_e4m3": 8,
    "float8_e4m3b11fnuz": 9,
    "float8_e4m3fn": 10,
    "float8_e4m3fnuz": 11,
    "float8_e5m2": 12,
    "float8_e5m2fnuz": 13,
    "float8_e8m0fnu": 14,
}


def dlpack_type(name: str) -> tuple[int, int]:
    """DLPack's number and the bits of a type, by its name in NumPy and PyTorch."""
    kind = _DLPACK_FLOAT8.get(name)
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
        if bits is not None and name in ("bfloat16", *BYTE_TYPES):
            return np.asarray(argument.view(bits)).view(name)
    return np.asarray(argument)
