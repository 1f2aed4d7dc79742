"""Random operands of embed programs, with the values they stand for in f64.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from dataclasses import dataclass, field

import ml_dtypes
import numpy as np
import torch
from ember.embed_programs import Array, RowFormat, array
from ember.row_types import ENCODINGS, PARAMETERS
from numpy.typing import NDArray
from torch import Tensor

VALUES = {
    "f64": np.dtype(np.float64),
    "f32": np.dtype(np.float32),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
}
INDICES = {"i32": np.dtype(np.int32), "i64": np.dtype(np.int64), "index": np.dtype(np.int64)}
FLOAT8 = {
    name: getattr(ml_dtypes, encoding.array_type)
    for name, encoding in ENCODINGS.items()
    if not encoding.is_integer
}
(SCALING,) = (parameters for parameters in PARAMETERS.values() if parameters.block_length)
SCALES = getattr(ml_dtypes, SCALING.array_type)
BLOCK = SCALING.block_length
ROW_FORMATS = (
    *(
        RowFormat(encoding, parameters, leading)
        for encoding in ENCODINGS
        if encoding not in FLOAT8
        for parameters in PARAMETERS
        if parameters != SCALING.name
        for leading in (False, True)
    ),
    *(RowFormat(encoding) for encoding in FLOAT8),
    *(
        RowFormat(encoding, SCALING.name, leading)
        for encoding in FLOAT8
        for leading in (False, True)
    ),
)
# What rounding to a type once may change, relative to the value.
HALF_ULPS = {"f64": 2.0**-53, "f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}
# The same of numbers near zero, which f16 rounds to a multiple of its smallest one.
HALF_STEPS = {"f64": 0.0, "f32": 0.0, "f16": 2.0**-25, "bf16": 0.0}
# What computing in a type may change, relative and absolute: sums are short, their terms about 1.
ERRORS = {"f64": 1e-12, "f32": 3e-5}


def encode_rows(form: RowFormat, rows: int, length: int, draw: np.random.Generator) -> NDArray:
    """Random rows of bytes in a format, as (rows, bytes)."""
    if form.encoding in FLOAT8:
        numbers = draw.standard_normal((rows, length)).astype(FLOAT8[form.encoding])
        if form.parameters is None:
            return numbers.view(np.uint8)
        scales = draw.integers(124, 129, (rows, -(-length // BLOCK)), np.uint8)
        both = [numbers.view(np.uint8), scales]
        return np.concatenate(both[::-1] if form.leading else both, 1)
    assert form.parameters
    stored = VALUES[form.parameters]
    scales_and_biases = np.stack([draw.random(rows) * 0.02, draw.standard_normal(rows) / 2], 1)
    parameters = scales_and_biases.astype(stored).view(np.uint8).reshape(rows, -1)
    count = form.row_bytes(length) - parameters.shape[1]
    elements = draw.integers(0, 256, (rows, count), np.uint8)
    parts = [parameters, elements] if form.leading else [elements, parameters]
    return np.concatenate(parts, 1)


def decode_rows(form: RowFormat, table: NDArray, length: int) -> NDArray[np.float64]:
    """The values (rows, length) that rows of bytes stand for."""
    if form.encoding in FLOAT8:
        count = table.shape[1] - length
        elements = table[:, count:] if form.leading else table[:, :length]
        numbers = np.ascontiguousarray(elements).view(FLOAT8[form.encoding]).astype(np.float64)
        if form.parameters is None:
            return numbers
        scales = np.ascontiguousarray(table[:, :count] if form.leading else table[:, length:])
        return numbers * np.repeat(scales.view(SCALES).astype(np.float64), BLOCK, 1)[:, :length]
    assert form.parameters
    stored = VALUES[form.parameters]
    width = 2 * stored.itemsize
    parameters = table[:, :width] if form.leading else table[:, table.shape[1] - width :]
    elements = table[:, width:] if form.leading else table[:, : table.shape[1] - width]
    scale_bias = np.ascontiguousarray(parameters).view(stored).astype(np.float64).reshape(-1, 2)
    if form.encoding == "int4":
        halves = np.stack([elements & 15, elements >> 4], -1)
        elements = halves.reshape(len(table), 2 * elements.shape[1])[:, :length]
    return elements * scale_bias[:, :1] + scale_bias[:, 1:]


@dataclass
class Operands:
    """The arguments of one call, in order, and which types values have among them."""

    draw: np.random.Generator
    arguments: list[NDArray | int | float] = field(default_factory=list)
    types: set[str] = field(default_factory=set)

    def values(self, element: str, *shape: int, scale: float = 1.0) -> Tensor:
        """Appends an array of normal values; returns them in f64."""
        stored = (self.draw.standard_normal(shape) * scale).astype(VALUES[element])
        self.arguments.append(stored)
        self.types.add(element)
        return torch.from_numpy(stored.astype(np.float64))

    def table(self, element: str, form: RowFormat | None, rows: int, length: int) -> Tensor:
        """Appends a table, of rows of bytes if there is a format; returns its values in f64."""
        if form is None:
            return self.values(element, rows, length)
        stored = encode_rows(form, rows, length, self.draw)
        self.arguments.append(stored)
        return torch.from_numpy(decode_rows(form, stored, length))

    def scalar(self, element: str) -> float:
        """Appends a number that every type holds exactly."""
        self.types.add(element)
        self.arguments.append(0.375)
        return 0.375

    def indices(self, element: str, values: NDArray | list[int]) -> Tensor:
        """Appends an array of indices or offsets; returns it in i64."""
        stored = np.asarray(values, np.int64).astype(INDICES[element])
        self.arguments.append(stored)
        return torch.from_numpy(stored.astype(np.int64))

    def output(self, element: str, *shape: int) -> None:
        """Appends an output, full of what must not come through."""
        self.types.add(element)
        self.arguments.append(np.full(shape, np.nan).astype(VALUES[element]))

    def tolerance(self, out: str) -> tuple[float, float]:
        """Relative and absolute: computed in f64 or f32, then rounded once."""
        computed = ERRORS["f64" if "f64" in self.types else "f32"]
        return HALF_ULPS[out] + computed, HALF_STEPS[out] + computed


def table_type(element: str, form: RowFormat | None, length: int, fixed: bool) -> Array:
    """The type of a table, whose row length is fixed in the program or not."""
    if form is None:
        return array(element, None, length if fixed else None)
    return array("i8", None, form.row_bytes(length) if fixed else None)
