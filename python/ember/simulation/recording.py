"""Simulates the kernels that a function of PyTorch calls, one after the other.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ctypes
import threading
from collections.abc import Callable, Sequence
from typing import Any

from ember import native
from ember.arguments import Parameter, array_at, number_of
from ember.compiler import libraries
from ember.errors import ArgumentError, UnsupportedError
from ember.kernel import Entry, Library
from ember.simulation.program import Settings, simulate_program
from ember.simulation.result import KernelSimulation, ModelSimulation
from ember.torch.capture.compile import compile
from ember.torch.capture.compiled import Kernel


def simulate_model(
    function: Callable[..., Any], inputs: Sequence[Any], settings: Settings
) -> ModelSimulation:
    """Calls a module or function of PyTorch, and simulates each kernel that the call makes.

    Each kernel is simulated when it is about to run, with the arguments that it is given; then the
    call goes on. Raises what the call raises, what simulate does, and UnsupportedError where no
    kernel is called.
    """
    settings.check()
    if isinstance(inputs, str) or not isinstance(inputs, tuple | list):
        raise ArgumentError(
            "inputs must be a tuple or a list of the call's arguments, not a "
            f"{type(inputs).__name__}"
        )
    kernel = function if isinstance(function, Kernel) else compile(function)
    recorder = Recorder(settings)
    with native.observed(recorder.called):
        kernel(*inputs)
    if recorder.error is not None:
        raise recorder.error
    if not recorder.kernels:
        name = getattr(kernel.original, "__qualname__", type(kernel.original).__name__)
        raise UnsupportedError(kernel.reports().nothing(name))
    return ModelSimulation(tuple(recorder.kernels))


class Recorder:
    """Simulates the kernels that one thread calls.

    kernels: what was simulated, in the calls' order. error: the first that was raised; nothing is
    simulated after it.
    """

    def __init__(self, settings: Settings) -> None:
        self.kernels: list[KernelSimulation] = []
        self.error: Exception | None = None
        self._settings = settings
        self._thread = threading.get_ident()

    def called(self, function: int, pointers: int) -> None:
        """A kernel is about to run: see native.observed."""
        if threading.get_ident() != self._thread or self.error is not None:
            return
        try:
            self._simulate(function, pointers)
        except Exception as error:
            # Who calls the kernel would take it for the kernel's own, and call PyTorch instead.
            self.error = error

    def _simulate(self, function: int, pointers: int) -> None:
        library, entry = _entry_at(function)
        addresses = (ctypes.c_void_p * len(entry.parameters)).from_address(pointers)
        arguments = [
            _argument(parameter, address or 0)
            for parameter, address in zip(entry.parameters, addresses, strict=True)
        ]
        result = simulate_program(library, arguments, entry.name, self._settings)
        self.kernels.append(KernelSimulation(entry.name, library, result))


def _entry_at(function: int) -> tuple[Library, Entry]:
    """The kernel whose function has this address."""
    for library in libraries():
        for entry in library.entries.values():
            if ctypes.cast(entry.function, ctypes.c_void_p).value == function:
                return library, entry
    raise UnsupportedError(
        "a kernel was called that was loaded from its file: its program is not known"
    )


def _argument(parameter: Parameter, address: int) -> Any:
    """An argument of a kernel: the array in its place, or a number."""
    words = (ctypes.c_int64 * parameter.descriptor_words()).from_address(address)
    if parameter.kind != "memref":
        return number_of(parameter, words[0])
    return array_at(parameter, words)
