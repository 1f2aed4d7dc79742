"""What rows of bytes may hold: the compiler's tables of row encodings, in tables.json.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from dataclasses import dataclass

from ember.tables import TABLES


@dataclass(frozen=True)
class Encoding:
    """How an element is encoded.

    array_type: NumPy's and PyTorch's name of it, "" if none. usual_parameters: those of rows that
    do not say theirs, "" for none.
    """

    name: str
    bits: int
    is_integer: bool
    array_type: str
    usual_parameters: str


@dataclass(frozen=True)
class Parameters:
    """What is beside the elements: block_length 0: a scale and a bias of a row.

    Otherwise a scale for each block of so many elements.
    """

    name: str
    bits: int
    block_length: int
    array_type: str


ENCODINGS = {row["name"]: Encoding(**row) for row in TABLES["row_encodings"]}
PARAMETERS = {row["name"]: Parameters(**row) for row in TABLES["row_parameters"]}
