"""Names calls of kernels by their content: Inductor keeps code with their names on disk.

A process that finds such code may have other calls, in another order, than the one that wrote it. A
name that says all that a call computes is right in both.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import hashlib
import threading
import weakref
from collections.abc import Sequence
from typing import Any

from torch import Tensor
from torch.fx import Node

import ember
from ember.errors import KernelError
from ember.torch.calls.reference_graph import ReferenceGraph
from ember.torch.calls.region_call import RegionCall
from ember.torch.graph.operations import value_of
from ember.torch.settings import Settings

# The calls by their keys, as long as graphs have them.
_calls: weakref.WeakValueDictionary[str, RegionCall] = weakref.WeakValueDictionary()
_lock = threading.Lock()


def key_of(call: RegionCall, arguments: Sequence[Any], settings: Settings) -> str:
    """A name for all that a call of these nodes and numbers does: values, errors and messages.

    The name of the call is a part of it, so that the calls of one graph are apart: each of them
    remembers its last arguments.
    """
    assert isinstance(call.reference, ReferenceGraph)
    parts = [
        ember.__version__,
        type(call).__qualname__,
        call.__name__,
        repr(sorted(call.names.items())),
        repr(settings),
        call.reference.module.code,
        *(_described(argument) for argument in arguments),
    ]
    digest = hashlib.sha256()
    for part in parts:
        # With its length in front, no two lists of parts read the same.
        digest.update(f"{len(part)}:{part}".encode())
    return digest.hexdigest()


def _described(argument: Any) -> str:
    """An argument as graphs of any process have it: a tensor's properties, or the number."""
    value = value_of(argument)
    if isinstance(value, Tensor):
        return f"{value.dtype} {value.layout} {value.device} {tuple(value.shape)}"
    return f"{isinstance(argument, Node)} {value!r}"


def shared(key: str, call: RegionCall) -> RegionCall:
    """The call of that key that some graph has, or else this one, which is it from now on.

    Whoever compiles again wants a kernel to be tried again.
    """
    with _lock:
        found = _calls.setdefault(key, call)
    found.failed = ""
    return found


def registered(key: str) -> RegionCall:
    """The call of that key; raises KernelError if no graph has it."""
    try:
        return _calls[key]
    except KeyError:
        raise KernelError(
            "a part of a graph that Inductor compiled for backend='ember' was called after its "
            "graph was dropped: keep what torch.compile returned, or compile again"
        ) from None
