"""The element types of kernels: one row a type, for MLIR, NumPy, PyTorch and the C ABI.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ctypes
from dataclasses import dataclass


@dataclass(frozen=True)
class DType:
    """An element type: its MLIR spelling, its name in NumPy and PyTorch, its C type."""

    mlir: str
    name: str
    ctype: type


DTYPES = {
    row.mlir: row
    for row in (
        DType("f64", "float64", ctypes.c_double),
        DType("f32", "float32", ctypes.c_float),
        DType("i64", "int64", ctypes.c_int64),
        DType("i32", "int32", ctypes.c_int32),
        DType("i16", "int16", ctypes.c_int16),
        DType("i8", "int8", ctypes.c_int8),
        DType("i1", "bool", ctypes.c_int8),
        DType("index", "int64", ctypes.c_int64),
    )
}
