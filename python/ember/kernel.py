"""Loads a kernel library with its manifest and calls its entries through the C ABI.

An entry takes an array of pointers, one a parameter and then one a result: to a memref descriptor
(allocated pointer, aligned pointer, offset, sizes, strides) or to a scalar. It returns 0 or the
code of an error whose text it leaves in an ember_error. Calls are made by compiled code where it is
there and the kernel returns nothing; BoundEntry makes the others. Both release the GIL.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ctypes
import json
import struct
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ember import native, threads
from ember.arguments import Frame, Parameter, Reader, array_at, number_of
from ember.errors import (
    ArgumentError,
    CompileError,
    IndexOutOfRangeError,
    KernelError,
    OffsetsError,
)
from ember.ownership import why_not_for_root
from ember.team import Team

if TYPE_CHECKING:
    from ember.compiler import Notation, Options


class Configuration(ctypes.Structure):
    """The runtime's ember_config."""

    _fields_ = (
        ("queue_capacity", ctypes.c_int64),
        ("schedule", ctypes.c_int32),
        ("threads", ctypes.c_int32),
        ("work_of_thread", ctypes.c_int64),
    )


ERROR_TYPES: dict[int, type[KernelError]] = {
    1: IndexOutOfRangeError,
    2: OffsetsError,
    3: ArgumentError,
    4: ArgumentError,
}
SCHEDULES = {"threads": 0, "deterministic": 1}


def kernel_error(code: int, message: bytes) -> KernelError:
    """The exception for what a kernel reported."""
    return ERROR_TYPES.get(code, KernelError)(message.decode(errors="replace"))


class Library:
    """A kernel library in this process: its entries by name, and its manifest.

    source, options: what it was compiled from, MLIR text or statements, and with; None for one that
    was loaded from its file.
    """

    source: "str | Notation | None" = None
    options: "Options | None" = None

    def __init__(self, path: str | Path, *, trusted: bool = False) -> None:
        """Loads NAME.so and NAME.json beside it; raises CompileError when either is unusable.

        trusted: root loads them though others may change them, as it does when
        EMBER_LOAD_ANY_OWNER says so.
        """
        self.path = Path(path)
        for file in (self.path, self.path.with_suffix(".json")):
            if not trusted and (reason := why_not_for_root(file)):
                raise CompileError(f"the kernel library {self.path} is not loaded: {reason}")
        try:
            manifest = json.loads(self.path.with_suffix(".json").read_text())
            self._functions = ctypes.CDLL(str(self.path.resolve()))
            self.entries = {
                entry["name"]: Entry(self._functions, entry) for entry in manifest["entries"]
            }
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise CompileError(f"cannot load the kernel library {self.path}: {error}") from error
        self.manifest: dict[str, Any] = manifest
        self._configuration = Configuration()
        threads.follow(self)

    @cached_property
    def program(self) -> str | None:
        """The MLIR text that it was compiled from, or None; of statements, emberc makes it."""
        source = self.source
        return source if source is None or isinstance(source, str) else source.program()

    @property
    def decisions(self) -> list[str]:
        """What rules have done to make it of statements, each as "PASS: text"."""
        # A library of an older version says nothing of it.
        found: list[str] = self.manifest.get("decisions", [])
        return found

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
        self._configuration.queue_capacity = queue_capacity
        self._configuration.schedule = SCHEDULES[schedule]
        self._functions.ember_configure(ctypes.byref(self._configuration))

    def use_threads(self, number: int, work_of_thread: int = 0) -> None:
        """Sets how many threads the library's loops run on; 0 leaves it to the runtime.

        work_of_thread: operations that another thread is worth having for; 0 is the runtime's own
        number. ember.set_num_threads sets the threads of all libraries.
        """
        self._configuration.threads = number
        self._configuration.work_of_thread = work_of_thread
        self._functions.ember_configure(ctypes.byref(self._configuration))

    def use_team(self, team: Team | None) -> None:
        """Lets the library's loops run on threads of the program, too; None: on its own only.

        ember.threads gives all libraries PyTorch's. Libraries exported by an older version keep
        to their own.
        """
        use_team = getattr(self._functions, "ember_use_team", None)
        if use_team is not None:
            use_team(None if team is None else ctypes.byref(team))


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
        self.free = functions.ember_free
        self.free.restype = None
        self.free.argtypes = (ctypes.c_void_p,)
        self._call = self.bind()

    def __call__(self, *arguments: Any) -> Any:
        """Runs the function on arrays (NumPy's, PyTorch's, what np.asarray takes) and numbers.

        Arrays that the function stores to are updated in place. Returns None, the result, or the
        tuple of results. Raises ArgumentError before the run, or the kernel's own error.
        """
        return self._call(*arguments)

    def bind(self, *arguments: Any, gradients: bool = False) -> Callable[..., Any]:
        """The entry with its first arguments fixed, such as tables that stay from call to call.

        They are described once: their memory has to stay where it is. A call then takes the
        other arguments, in under a microsecond; it may be made from several threads. gradients:
        tensors that need a gradient are taken. Raises ArgumentError.
        """
        if len(arguments) > len(self.parameters):
            raise self.wrong_count(len(arguments))
        readers = [Reader(parameter, gradients) for parameter in self.parameters]
        if native.Call is None or self.results:
            return BoundEntry(self, readers, arguments)
        others = readers[len(arguments) :]
        return self._compiled_call(arguments, readers, tuple(reader.words for reader in others))

    def common(self, gradients: bool = False) -> Callable[..., Any] | None:
        """The entry for common arguments: returns NotImplemented, at once, for any other.

        Common are contiguous or strided arrays of the right type and rank, and int or float. None
        if there are no compiled calls. Raises the kernel's own error.
        """
        if native.Call is None or self.results:
            return None
        readers = [Reader(parameter, gradients) for parameter in self.parameters]
        return self._compiled_call((), readers, (None,) * len(readers))

    def _compiled_call(
        self, arguments: Sequence[Any], readers: Sequence[Reader], fallbacks: tuple[Any, ...]
    ) -> Callable[..., Any]:
        """A call with its first arguments; fallbacks read what is not common in the others."""
        bound = len(arguments)
        described = [
            reader.words(argument) for reader, argument in zip(readers, arguments, strict=False)
        ]
        call: Callable[..., Any] = native.Call(
            ctypes.cast(self.function, ctypes.c_void_p).value,
            tuple(words for words, _ in described),
            tuple(reader.fields() for reader in readers[bound:]),
            fallbacks,
            [kept for _, kept in described],
            lambda count: self.wrong_count(bound + count),
            kernel_error,
            native.TENSOR_TYPES,
            native.EXCHANGE_TABLE,
        )
        return call

    def wrong_count(self, count: int) -> ArgumentError:
        """The error for a call with so many arguments."""
        return ArgumentError(f"{self.name} takes {len(self.parameters)} arguments, not {count}")


class BoundEntry:
    """An entry of which the first arguments are fixed; may be called from several threads."""

    def __init__(self, entry: Entry, readers: Sequence[Reader], arguments: Sequence[Any]) -> None:
        self.entry = entry
        self._readers = readers[len(arguments) :]
        described = [
            reader.words(argument) for reader, argument in zip(readers, arguments, strict=False)
        ]
        self._fixed = [word for words, _ in described for word in words]
        self._kept = [kept for _, kept in described]
        inputs = [parameter.descriptor_words() for parameter in entry.parameters]
        results = [result.descriptor_words() for result in entry.results]
        self._widths = inputs + results
        self._first_result = sum(inputs)
        self._start = 8 * len(self._fixed)
        self._pack = struct.Struct(f"{sum(inputs) - len(self._fixed)}q").pack_into
        # Calls in flight take their memory from here.
        self._frames: list[Frame] = []

    def __call__(self, *arguments: Any) -> Any:
        """Runs the function with its other arguments; see Entry."""
        if len(arguments) != len(self._readers):
            bound = len(self.entry.parameters) - len(self._readers)
            raise self.entry.wrong_count(bound + len(arguments))
        numbers: list[int] = []
        kept = []
        for reader, argument in zip(self._readers, arguments, strict=True):
            words, keep = reader.words(argument)
            numbers += words
            kept.append(keep)
        try:
            frame = self._frames.pop()
        except IndexError:
            frame = Frame(self._widths)
            frame.fix(self._fixed)
        self._pack(frame.words, self._start, *numbers)
        native.tell(self.entry.function, frame.pointers_address)
        if self.entry.function(frame.pointers_address, frame.error_address) != 0:
            raise kernel_error(frame.error.code, frame.error.message)
        values = self._take_results(frame) if self.entry.results else ()
        self._frames.append(frame)
        return values if len(values) > 1 else (values[0] if values else None)

    def _take_results(self, frame: Frame) -> tuple[Any, ...]:
        """What the function returned."""
        values, start = [], self._first_result
        for result in self.entry.results:
            end = start + result.descriptor_words()
            values.append(_take_result(result, frame.words[start:end], self.entry.free))
            start = end
        return tuple(values)


def _take_result(result: Parameter, words: Any, free: Callable[[int], None]) -> Any:
    """Copies a returned memref out of the kernel's memory and frees it, or reads a scalar."""
    if result.kind != "memref":
        return number_of(result, words[0])
    array = array_at(result, words).copy()
    free(words[0])
    return array
