"""Finds ember_calls, the compiled code that calls kernels in a fraction of a microsecond.

Without it (another version of Python than the one it was built for, a package without it) calls
are made in Python, with the same results and errors.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import importlib.util
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from ember.places import module_folders

MODULE = "ember_calls"
# Kinds of tensors that the exchange table of torch.Tensor tells of.
TENSOR_TYPES = (torch.Tensor, torch.nn.Parameter)


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
# How PyTorch tells compiled code where a tensor lies; None before version 2.10.
EXCHANGE_TABLE: Any = getattr(torch.Tensor, "__dlpack_c_exchange_api__", None)
