"""The element types of kernels: the compiler's table of them, in tables.json.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from dataclasses import dataclass

from ember.tables import TABLES


@dataclass(frozen=True)
class Scalar:
    """An element type: name is MLIR's, array_type NumPy's and PyTorch's.

    is_interchange_float: one of IEEE 754's formats, which NumPy knows. dlpack_code: DLPack's number
    of a float's type.
    """

    name: str
    bits: int
    is_float: bool
    is_interchange_float: bool
    array_type: str
    dlpack_code: int


SCALARS = {row["name"]: Scalar(**row) for row in TABLES["scalars"]}
