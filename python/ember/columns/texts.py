"""Lists of texts as bytes beside each other.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ember.columns.library import TextsStruct
from ember.errors import ArgumentError


class Texts:
    """Texts of any bytes: text i is data[starts[i]:ends[i]]. They are not changed.

    data: uint8. starts, ends: int64, one for each text.
    """

    def __init__(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> None:
        self._data, self._starts, self._ends = data, starts, ends

    @staticmethod
    def of(texts: Iterable[Any] | NDArray[Any]) -> "Texts":
        """Those of a sequence or an array of bytes and str, which are encoded as UTF-8; of a numpy
        array of several dimensions, row by row.

        Raises ArgumentError for what is neither, and for str that has no UTF-8.
        """
        if isinstance(texts, Texts):
            return texts
        if isinstance(texts, str | bytes):
            raise ArgumentError("texts are a list or an array of str or bytes; here is one alone")
        given = texts.reshape(-1).tolist() if isinstance(texts, np.ndarray) else texts
        encoded = [_encoded(text, place) for place, text in enumerate(given)]
        offsets = np.zeros(len(encoded) + 1, np.int64)
        np.cumsum([len(text) for text in encoded], out=offsets[1:])
        # One byte more: an address is there without texts, too.
        data = np.frombuffer(b"".join(encoded) + b"\0", np.uint8)
        return Texts(data, offsets[:-1], offsets[1:])

    def __len__(self) -> int:
        return len(self._starts)

    def __getitem__(self, place: int) -> bytes:
        return self._data[self._starts[place] : self._ends[place]].tobytes()

    def __iter__(self) -> Iterator[bytes]:
        return map(self.__getitem__, range(len(self)))

    def __repr__(self) -> str:
        shown = [self[place] for place in range(min(len(self), 6))]
        return f"Texts({shown}{', ...' if len(self) > len(shown) else ''})"

    def lengths(self) -> NDArray[np.int64]:
        """The bytes of each text."""
        return self._ends - self._starts

    def where(self, kept: NDArray[np.bool_]) -> "Texts":
        """Those texts whose places are True."""
        return Texts(self._data, self._starts[kept], self._ends[kept])

    def parts(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> "Texts":
        """Texts in the same bytes."""
        return Texts(self._data, starts, ends)

    def struct(self) -> TextsStruct:
        """What compiled code reads, for as long as the texts live."""
        starts, ends = (np.ascontiguousarray(one) for one in (self._starts, self._ends))
        self._starts, self._ends = starts, ends
        return TextsStruct(self._data.ctypes.data, starts.ctypes.data, ends.ctypes.data, len(self))


def _encoded(text: Any, place: int) -> bytes:
    if isinstance(text, bytes):
        return text
    if not isinstance(text, str):
        raise ArgumentError(f"text {place} is {text!r}, of type {type(text).__name__}: give a str")
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ArgumentError(f"text {place}, {text!r}, cannot be encoded as UTF-8") from error
