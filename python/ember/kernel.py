"""Loads a kernel library with its manifest and calls its entries through the C ABI.

An entry takes an array of pointers, one a parameter and then one a result: to a memref descriptor
(allocated pointer, aligned pointer, offset, sizes, strides) or to a scalar. It returns 0 or the
code of an error whose text it leaves in an ember_error. ctypes releases the GIL during the call.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ctypes
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ember.dtypes import DTYPES, as_array
from ember.errors import (
    ArgumentError,
    CompileError,
    IndexOutOfRangeError,
    KernelError,
    OffsetsError,
)


class ErrorRecord(ctypes.Structure):
    """The runtime's ember_error."""

    _fields_ = (("code", ctypes.c_int32), ("message", ctypes.c_char * 1020))


class Configuration(ctypes.Structure):
    """The runtime's ember_config."""

    _fields_ = (("queue_capacity", ctypes.c_int64), ("schedule", ctypes.c_int32))


ERROR_TYPES: dict[int, type[KernelError]] = {
    1: IndexOutOfRangeError,
    2: OffsetsError,
    3: ArgumentError,
    4: ArgumentError,
}
SCHEDULES = {"threads": 0, "deterministic": 1}


def kernel_error(record: ErrorRecord) -> KernelError:
    """The exception for what a kernel reported."""
    message = record.message.decode(errors="replace")
    return ERROR_TYPES.get(record.code, KernelError)(message)


@dataclass(frozen=True)
class Parameter:
    """A parameter or result of an entry: a scalar, or a memref (None: a size of the call).

    strided: the elements of the memref need not be next to each other.
    """

    name: str
    kind: str
    dtype: str
    shape: tuple[int | None, ...] = ()
    writable: bool = False
    strided: bool = False

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
        )

    def descriptor_words(self) -> int:
        """The 64-bit words that a descriptor or a scalar takes."""
        return 3 + 2 * len(self.shape) if self.kind == "memref" else 1


class Library:
    """A kernel library in this process: its entries by name, and its manifest."""

    def __init__(self, path: str | Path) -> None:
        """Loads NAME.so and NAME.json beside it; raises CompileError when either is unusable."""
        self.path = Path(path)
        try:
            manifest = json.loads(self.path.with_suffix(".json").read_text())
            self._functions = ctypes.CDLL(str(self.path.resolve()))
            self.entries = {
                entry["name"]: Entry(self._functions, entry) for entry in manifest["entries"]
            }
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise CompileError(f"cannot load the kernel library {self.path}: {error}") from error
        self.manifest: dict[str, Any] = manifest

    def entry(self, name: str) -> "Entry":
        """The entry of that name; raises ArgumentError with the names there are."""
        try:
            return self.entries[name]
        except KeyError:
            known = ", ".join(self.entries) or "none"
            message = f"no entry {name!r} in {self.path}; there are: {known}"
            raise ArgumentError(message) from None

    def configure(self, queue_capacity: int, schedule: str = "threads") -> None:
        """Sets queue capacity and schedule ("threads", "deterministic") of this library's queues.

        The capacity counts operands of the largest size, and tokens. Only dae-threads kernels
        have queues.
        """
        if schedule not in SCHEDULES:
            raise ArgumentError(f"schedule must be one of {', '.join(SCHEDULES)}")
        if queue_capacity < 1:
            raise ArgumentError(f"queue_capacity must be positive, not {queue_capacity}")
        self._functions.ember_configure(
            ctypes.byref(Configuration(queue_capacity, SCHEDULES[schedule]))
        )


class Entry:
    """One function of a library: call it with arrays and numbers, in its parameters' order."""

    def __init__(self, functions: ctypes.CDLL, fields: dict[str, Any]) -> None:
        self.name: str = fields["name"]
        self.parameters = tuple(
            Parameter.from_manifest(argument, k) for k, argument in enumerate(fields["arguments"])
        )
        self.results = tuple(
            Parameter.from_manifest(result, k) for k, result in enumerate(fields["results"])
        )
        self.function = getattr(functions, fields["symbol"])
        self.function.restype = ctypes.c_int32
        self.function.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
        self._free = functions.ember_free
        self._free.restype = None
        self._free.argtypes = (ctypes.c_void_p,)

    def __call__(self, *arguments: Any) -> Any:
        """Runs the function on arrays (NumPy's, PyTorch's, what np.asarray takes) and numbers.

        Arrays that the function stores to are updated in place. Returns None, the result, or the
        tuple of results. Raises ArgumentError before the run, or the kernel's own error.
        """
        if len(arguments) != len(self.parameters):
            raise ArgumentError(
                f"{self.name} takes {len(self.parameters)} arguments, not {len(arguments)}"
            )
        keep_alive = [
            _array_words(parameter, argument)
            if parameter.kind == "memref"
            else _scalar_words(parameter, argument)
            for parameter, argument in zip(self.parameters, arguments, strict=True)
        ]
        storage = [(ctypes.c_int64 * result.descriptor_words())() for result in self.results]
        pointers = [ctypes.addressof(words) for words, _ in keep_alive]
        pointers += [ctypes.addressof(words) for words in storage]
        table = (ctypes.c_void_p * max(1, len(pointers)))(*pointers)
        record = ErrorRecord()
        if self.function(ctypes.addressof(table), ctypes.addressof(record)) != 0:
            raise kernel_error(record)
        values = tuple(
            self._take_result(result, words)
            for result, words in zip(self.results, storage, strict=True)
        )
        return values if len(values) > 1 else (values[0] if values else None)

    def _take_result(self, result: Parameter, words: Any) -> Any:
        """Copies a returned memref out of the kernel's memory and frees it, or reads a scalar."""
        dtype = DTYPES[result.dtype]
        if result.kind != "memref":
            return dtype.from_c(ctypes.cast(words, ctypes.POINTER(dtype.ctype))[0])
        rank = len(result.shape)
        allocated, aligned, offset = words[0], words[1], words[2]
        sizes = tuple(words[3 : 3 + rank])
        element = np.dtype(dtype.name)
        strides = tuple(stride * element.itemsize for stride in words[3 + rank : 3 + 2 * rank])
        if 0 in sizes:
            array = np.empty(sizes, element)
        else:
            extent = sum((n - 1) * s for n, s in zip(sizes, strides, strict=True))
            start = aligned + offset * element.itemsize
            memory = (ctypes.c_char * (extent + element.itemsize)).from_address(start)
            array = np.ndarray(sizes, element, memory, strides=strides).copy()
        self._free(allocated)
        return array


def _array_words(parameter: Parameter, argument: Any) -> tuple[Any, np.ndarray]:
    """The descriptor of an array, and the array: it must live as long as the descriptor."""
    if parameter.writable and isinstance(argument, list | tuple | int | float):
        raise ArgumentError(f"{parameter.name} is written to: it must be an array")
    array = as_array(argument)
    expected = DTYPES[parameter.dtype]
    if array.dtype.name not in (expected.name, *expected.also):
        raise ArgumentError(f"{parameter.name} must be {expected.name}, not {array.dtype}")
    if array.ndim != len(parameter.shape):
        raise ArgumentError(
            f"{parameter.name} must have {len(parameter.shape)} dimensions, not {array.ndim}"
        )
    if not (parameter.strided or array.flags.c_contiguous):
        raise ArgumentError(f"{parameter.name} must be contiguous")
    if parameter.writable and not array.flags.writeable:
        raise ArgumentError(f"{parameter.name} is written to but is read-only")
    strides = (stride // array.itemsize for stride in array.strides)
    words = (array.ctypes.data, array.ctypes.data, 0, *array.shape, *strides)
    return (ctypes.c_int64 * len(words))(*words), array


def _scalar_words(parameter: Parameter, argument: Any) -> tuple[Any, None]:
    """A number in the parameter's C type."""
    try:
        return DTYPES[parameter.dtype].to_c(argument), None
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{parameter.name} must be a number: {error}") from error
