"""Turns what a kernel is called with into the words of the C ABI: all kinds of arguments.

Compiled code reads the common ones itself, and leaves the others, and all errors, to this.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ctypes
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ember.dtypes import DTYPES, as_array, dlpack_type
from ember.errors import ArgumentError

# Numbers that compiled code reads, by their types: as struct's formats call them.
SCALARS = {"i64": "q", "index": "q", "i32": "i", "f64": "d", "f32": "f"}


def parts_of_size(size: Sequence[Any]) -> tuple[int, list[Any], int]:
    """The constant, the terms and the divisor of an element of `Parameter.sizes`."""
    constant, *terms = size
    divisor = terms.pop() if terms and isinstance(terms[-1], int) else 1
    return constant, terms, divisor


@dataclass(frozen=True)
class Parameter:
    """A parameter or result of an entry: a scalar, or a memref (None: a size of the call).

    strided: the elements of the memref need not be next to each other.

    Of what statements assign to there is more. sizes: of each dimension the least size, as 1 + c +
    f * (n - 1) + ... for [c, [name, dimension of that array with n, f], ...], or with d behind it
    as 1 + (c + f * (n - 1) + ...) // d; None where only the caller knows. initial: the number that
    it holds before, if the caller wants nothing else. given: it is read before it is assigned to.
    """

    name: str
    kind: str
    dtype: str
    shape: tuple[int | None, ...] = ()
    writable: bool = False
    strided: bool = False
    sizes: tuple[Any, ...] | None = None
    initial: str | None = None
    given: bool = False

    @staticmethod
    def from_manifest(fields: dict[str, Any], position: int) -> "Parameter":
        """Reads one element of "arguments" or "results"."""
        return Parameter(
            name=fields.get("name") or f"argument {position}",
            kind=fields["kind"],
            dtype=fields["dtype"],
            shape=tuple(fields.get("shape", ())),
            writable=fields.get("writable", False),
            strided="strides" in fields,
            sizes=tuple(fields["sizes"]) if "sizes" in fields else None,
            initial=fields.get("initial"),
            given=fields.get("given", False),
        )

    def descriptor_words(self) -> int:
        """The 64-bit words that a descriptor or a scalar takes."""
        return 3 + 2 * len(self.shape) if self.kind == "memref" else 1


class Reader:
    """Reads the arguments for one parameter.

    gradients: tensors that need a gradient are taken, because the caller has seen to it.
    """

    def __init__(self, parameter: Parameter, gradients: bool = False) -> None:
        self.parameter = parameter
        self.gradients = gradients
        self.rank = len(parameter.shape)
        self.whole = not parameter.strided
        expected = DTYPES[parameter.dtype]
        self.names = (expected.name, *expected.also)
        # By type, whether NumPy lends others the memory of its arrays.
        self.types = {dtype: dtype.isbuiltin == 1 for dtype in map(np.dtype, self.names)}
        self._torch_types: dict[Any, int] | None = None

    def fields(self) -> tuple[Any, ...]:
        """What compiled code has to know to read common arguments: see python/native."""
        parameter = self.parameter
        return (
            "m" if parameter.kind == "memref" else SCALARS.get(parameter.dtype, "?"),
            self.rank,
            self.whole,
            parameter.writable,
            self.gradients,
            tuple(self.types),
            tuple(map(dlpack_type, self.names)),
        )

    def words(self, argument: Any) -> tuple[tuple[int, ...], Any]:
        """The words of the descriptor or scalar, and what has to live as long as they do.

        Raises ArgumentError for an argument that does not fit.
        """
        if self.parameter.kind != "memref":
            return self._scalar(argument), None
        # The common kinds of arrays are read by their own attributes; anything unusual in them,
        # errors included, is left to the way through NumPy.
        if type(argument) is np.ndarray:
            lends = self.types.get(argument.dtype)
            flags = argument.flags
            is_whole, writeable = flags.c_contiguous, flags.writeable
            if (
                lends is not None
                and argument.ndim == self.rank
                and (is_whole or not self.whole)
                and not any(stride % argument.itemsize for stride in argument.strides)
                and (writeable or not self.parameter.writable)
            ):
                if not (lends and is_whole and writeable and argument.size):
                    return _described(argument), argument
                # Where lent memory is takes a quarter of the time of what _described asks for.
                buffer: Any = argument
                address = ctypes.addressof(ctypes.c_char.from_buffer(buffer))
                return (address, address, 0, *argument.shape, *_whole_strides(argument)), argument
        else:
            torch = sys.modules.get("torch")
            if torch is not None and type(argument) in (torch.Tensor, torch.nn.Parameter):
                size = self._sizes(torch).get(argument.dtype)
                if (
                    size is not None
                    and argument.ndim == self.rank
                    and argument.is_cpu
                    and argument.layout is torch.strided
                    and (self.gradients or not argument.requires_grad)
                    and not argument.is_neg()
                    and (not self.whole or argument.is_contiguous())
                ):
                    address = argument.data_ptr()
                    return (address, address, 0, *argument.shape, *argument.stride()), argument
        return self._any_array(argument)

    def _sizes(self, torch: Any) -> dict[Any, int]:
        """The types of tensors that fit, with their sizes."""
        if self._torch_types is None:
            found = (getattr(torch, name, None) for name in self.names)
            self._torch_types = {dtype: dtype.itemsize for dtype in found if dtype is not None}
        return self._torch_types

    def _any_array(self, argument: Any) -> tuple[tuple[int, ...], np.ndarray]:
        """What np.asarray makes an array of; the errors of all arrays."""
        parameter = self.parameter
        if parameter.writable and isinstance(argument, list | tuple | int | float):
            raise ArgumentError(f"{parameter.name} is written to: it must be an array")
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(argument, torch.Tensor) and argument.is_neg():
            raise ArgumentError(
                f"{parameter.name} is a view that negates what its memory holds: give its "
                "resolve_neg()"
            )
        if torch is not None and self.gradients and isinstance(argument, torch.Tensor):
            argument = argument.detach()
        array = as_array(argument)
        if array.dtype.name not in self.names or not array.dtype.isnative:
            raise ArgumentError(f"{parameter.name} must be {self.names[0]}, not {array.dtype}")
        if array.ndim != self.rank:
            raise ArgumentError(
                f"{parameter.name} must have {self.rank} dimensions, not {array.ndim}"
            )
        if self.whole and not array.flags.c_contiguous:
            raise ArgumentError(f"{parameter.name} must be contiguous")
        if any(stride % array.itemsize for stride in array.strides):
            raise ArgumentError(
                f"{parameter.name} has strides of {array.strides} bytes, which are no multiples of "
                f"its {array.itemsize}-byte elements: copy it"
            )
        if parameter.writable and not array.flags.writeable:
            raise ArgumentError(f"{parameter.name} is written to but is read-only")
        return _described(array), array

    def _scalar(self, argument: Any) -> tuple[int, ...]:
        """A number in the parameter's C type, as the bits of a word."""
        try:
            value = DTYPES[self.parameter.dtype].to_c(argument)
        except (TypeError, ValueError) as error:
            name, shape = self.parameter.name, getattr(argument, "shape", ())
            # What NumPy says of it helps nobody who has left an index out.
            reason = f"an array of shape {tuple(shape)} is given" if shape else error
            raise ArgumentError(f"{name} must be a number: {reason}") from error
        return (int.from_bytes(bytes(value), sys.byteorder, signed=True),)


def _described(array: np.ndarray) -> tuple[int, ...]:
    """The words of an array's descriptor."""
    address = array.__array_interface__["data"][0]
    size = array.itemsize
    return (address, address, 0, *array.shape, *[stride // size for stride in array.strides])


def _whole_strides(array: np.ndarray) -> tuple[int, ...]:
    """The strides, in elements, of an array whose elements lie one after the other."""
    if array.ndim == 1:
        return (1,)
    if array.ndim == 2:
        return (array.shape[1], 1)
    return tuple(stride // array.itemsize for stride in array.strides)


class ErrorRecord(ctypes.Structure):
    """The runtime's ember_error."""

    _fields_ = (("code", ctypes.c_int32), ("message", ctypes.c_char * 1020))


def array_at(parameter: Parameter, words: Any) -> np.ndarray[Any, Any]:
    """The memory that a descriptor's words tell of, as an array; it has to stay while that does."""
    rank = len(parameter.shape)
    aligned, offset = words[1], words[2]
    sizes = tuple(words[3 : 3 + rank])
    element = np.dtype(DTYPES[parameter.dtype].name)
    strides = tuple(stride * element.itemsize for stride in words[3 + rank : 3 + 2 * rank])
    if 0 in sizes:
        return np.empty(sizes, element)
    extent = sum((n - 1) * s for n, s in zip(sizes, strides, strict=True))
    start = aligned + offset * element.itemsize
    memory: Any = (ctypes.c_char * (extent + element.itemsize)).from_address(start)
    return np.ndarray(sizes, element, memory, strides=strides)


def number_of(parameter: Parameter, word: int) -> Any:
    """The number that a scalar's word is."""
    dtype = DTYPES[parameter.dtype]
    scalar: Any = dtype.ctype
    return dtype.from_c(scalar.from_buffer_copy(word.to_bytes(8, sys.byteorder, signed=True)).value)


class Frame:
    """Memory of one call in flight: all words, the pointers to them, and the error."""

    __slots__ = ("error", "error_address", "pointers", "pointers_address", "words")

    def __init__(self, widths: list[int]) -> None:
        """widths: words of each parameter and result."""
        self.words = (ctypes.c_int64 * max(1, sum(widths)))()
        start = ctypes.addressof(self.words)
        addresses = [start + 8 * sum(widths[:k]) for k in range(len(widths))]
        self.pointers = (ctypes.c_void_p * max(1, len(widths)))(*addresses)
        self.pointers_address = ctypes.addressof(self.pointers)
        self.error = ErrorRecord()
        self.error_address = ctypes.addressof(self.error)

    def fix(self, words: Iterable[int]) -> None:
        """Sets the first words."""
        for place, word in enumerate(words):
            self.words[place] = word
