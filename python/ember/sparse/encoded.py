"""Arrays whose elements are encoded in rows of bytes.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ember.embed_programs import RowFormat
from ember.errors import ArgumentError
from ember.sparse.format import Format
from ember.torch.quantize.row_encoding import decode, encode


class Encoded:
    """A dense array of floats, each row of which is stored as bytes.

    values: the rows, (product of all sizes but the last, bytes), of NumPy or PyTorch, int8 or
    uint8. format: how they are encoded. shape: sizes of the array that they stand for.
    """

    def __init__(
        self, values: Any, encoding: str = "int8", shape: Sequence[int] | None = None
    ) -> None:
        """An array of rows of bytes, which are taken as they are if they are contiguous.

        encoding: int8, int4, e4m3 or e5m2; the type of what is stored beside the elements may
        follow, and that it is in front of them: "int4:f32:leading", "e4m3:f8E8M0FNU". Without it,
        int8 rows have a scale and bias of f32, those of int4 of f16, and floats have nothing.
        shape: as many rows as there are, each as long as its bytes can be, if it is not given.
        Raises ArgumentError for bytes that are no such rows.
        """
        self.format = Format(encoding)
        form = self.format.encoding
        if form is None:
            raise ArgumentError(f"{encoding!r} is no encoding of rows: expected one such as 'int8'")
        rows = values.detach() if isinstance(values, torch.Tensor) else np.asarray(values)
        kind = str(rows.dtype).removeprefix("torch.")
        if rows.ndim != 2 or kind not in ("int8", "uint8"):
            raise ArgumentError(
                f"rows of bytes are an array of two dimensions of uint8 or int8, not of "
                f"{rows.ndim} of {kind}"
            )
        self.values: Any = (
            rows.contiguous() if isinstance(rows, torch.Tensor) else np.ascontiguousarray(rows)
        )
        count, width = (int(size) for size in self.values.shape)
        if shape is None:
            shape = (count, _longest(form, width))
        self.shape = tuple(int(size) for size in shape)
        if not self.shape or min(self.shape) < 0:
            raise ArgumentError(f"the shape {self.shape} is of no array of rows")
        needed = (math.prod(self.shape[:-1]), form.row_bytes(self.shape[-1]))
        if needed != (count, width):
            raise ArgumentError(
                f"an array of shape {self.shape} has {needed[0]} rows of {needed[1]} bytes, and "
                f"there are {count} of {width}"
            )

    @classmethod
    def of(cls, array: Any, encoding: str = "int8") -> "Encoded":
        """Encodes an array of floats of NumPy or PyTorch, row by row: to the nearest numbers.

        The least and the largest number of a row of integers are exact but for the rounding of its
        scale and bias. Raises ArgumentError for infinities, NaN, and rows of too large numbers.
        """
        form = Format(encoding).encoding
        if form is None:
            raise ArgumentError(f"{encoding!r} is no encoding of rows: expected one such as 'int8'")
        is_tensor = isinstance(array, torch.Tensor)
        table = array if is_tensor else torch.from_numpy(np.ascontiguousarray(array))
        if table.ndim == 0:
            raise ArgumentError("a number is no row")
        rows = table.reshape(math.prod(table.shape[:-1]), table.shape[-1])
        stored = encode(rows, form)
        return cls(stored if is_tensor else stored.numpy(), encoding, table.shape)

    @property
    def ndim(self) -> int:
        """How many dimensions there are."""
        return len(self.shape)

    @property
    def is_tensor(self) -> bool:
        """Whether its bytes are a tensor."""
        return isinstance(self.values, torch.Tensor)

    def to_numpy(self) -> NDArray[np.float32]:
        """The array that it stands for."""
        form = self.format.encoding
        assert form is not None
        rows = torch.as_tensor(self.values).view(torch.uint8)
        return decode(rows, form, self.shape[-1]).reshape(self.shape).numpy()

    def __repr__(self) -> str:
        """What a session prints."""
        size = "x".join(map(str, self.shape))
        return f"<{size} array in rows of {self.format.name}, {self.values.shape[1]} bytes each>"


def _longest(form: RowFormat, width: int) -> int:
    """How many elements rows of so many bytes have at the most."""
    if form.row_bytes(0) > width:
        raise ArgumentError(f"rows of {width} bytes are too short for {form}")
    fitting, past = 0, 2 * width + 1
    while past - fitting > 1:
        length = (fitting + past) // 2
        if form.row_bytes(length) <= width:
            fitting = length
        else:
            past = length
    return fitting
