"""Finds ember_calls, the compiled code that calls kernels in a fraction of a microsecond.

Without it (another version of Python than the one it was built for, a package without it) calls
are made in Python, with the same results and errors.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ctypes
import importlib.util
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

from ember.places import module_folders

try:
    import torch
except ImportError:
    _torch: Any = None
else:
    _torch = torch

MODULE = "ember_calls"
# Kinds of tensors that the exchange table of torch.Tensor tells of.
TENSOR_TYPES = (_torch.Tensor, _torch.nn.Parameter) if _torch else ()


def _load() -> ModuleType | None:
    """The module; None if there is none for this interpreter, or it cannot be loaded."""
    for place in module_folders():
        # The last suffix names no interpreter: what it was built for is not known.
        for suffix in EXTENSION_SUFFIXES[:-1]:
            path = place / (MODULE + suffix)
            if not path.exists():
                continue
            loader = ExtensionFileLoader(MODULE, str(path))
            spec = importlib.util.spec_from_loader(MODULE, loader)
            if spec is None:
                continue
            try:
                module = importlib.util.module_from_spec(spec)
                loader.exec_module(module)
            except ImportError:
                continue
            return module
    return None


_module = _load()
# Where it is; None: there is none.
PATH = Path(str(_module.__file__)) if _module else None
# Makes calls: see python/native/Call.cpp. None: calls are made in Python.
Call: Any = _module.Call if _module else None
# Makes calls with results like those before: see python/native/Repeat.cpp; or None.
Repeat: Any = getattr(_module, "Repeat", None)
# Calls what torch.compile captured: see python/native/GuardedCall.cpp; or None.
GuardedCall: Any = getattr(_module, "GuardedCall", None)
# How PyTorch tells compiled code where a tensor lies; None before version 2.10, or without it.
EXCHANGE_TABLE: Any = getattr(getattr(_torch, "Tensor", None), "__dlpack_c_exchange_api__", None)

# Called with the addresses of a kernel's function and of its arguments' pointers.
Observer = Callable[[int, int], None]
_observer: Observer | None = None


@contextmanager
def observed(observer: Observer) -> Iterator[None]:
    """Tells the observer of each kernel that this process calls, before it runs."""
    global _observer
    before, _observer = _observer, observer
    if _module:
        _module.observe(observer)
    try:
        yield
    finally:
        _observer = before
        if _module:
            _module.observe(before)


def tell(function: Any, pointers: int) -> None:
    """Tells the observer, if there is one, of a call that Python makes."""
    if _observer is not None:
        _observer(ctypes.cast(function, ctypes.c_void_p).value or 0, pointers)
