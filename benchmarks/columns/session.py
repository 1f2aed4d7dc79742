"""Sessions of TensorFlow through its C interface, with tensors that are made beforehand.

To feed a thousand arrays from Python takes as long as the graph itself.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ctypes
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

_POINTER, _SIZE = ctypes.c_void_p, ctypes.c_size_t
# What functions return, those that return something else than an int.
_RETURNS = {
    "TF_Message": ctypes.c_char_p,
    "TF_TensorByteSize": _SIZE,
    **dict.fromkeys(
        (
            *("TF_NewStatus", "TF_NewGraph", "TF_NewBufferFromString", "TF_NewSession"),
            *("TF_NewImportGraphDefOptions", "TF_NewSessionOptions", "TF_AllocateTensor"),
            *("TF_TensorData", "TF_GraphOperationByName"),
        ),
        _POINTER,
    ),
}


class _Output(ctypes.Structure):
    """TF_Output."""

    _fields_ = (("operation", _POINTER), ("place", ctypes.c_int))


@cache
def _library() -> Any:
    folder = Path(tf.sysconfig.get_lib())
    library = ctypes.CDLL(str(next(folder.glob("libtensorflow_cc.so.2*"))))
    for name, returned in _RETURNS.items():
        getattr(library, name).restype = returned
    return library


class Session:
    """A GraphDef in a session of its own."""

    def __init__(self, graph: Any, threads: int) -> None:
        self._c = _library()
        self._status = _POINTER(self._c.TF_NewStatus())
        self._graph = _POINTER(self._c.TF_NewGraph())
        text = graph.SerializeToString()
        buffer = _POINTER(self._c.TF_NewBufferFromString(text, _SIZE(len(text))))
        options = _POINTER(self._c.TF_NewImportGraphDefOptions())
        self._c.TF_GraphImportGraphDef(self._graph, buffer, options, self._status)
        self._check()
        configuration = tf.compat.v1.ConfigProto(
            intra_op_parallelism_threads=threads,
            inter_op_parallelism_threads=threads,
            use_per_session_threads=True,
        ).SerializeToString()
        chosen = _POINTER(self._c.TF_NewSessionOptions())
        self._c.TF_SetConfig(chosen, configuration, _SIZE(len(configuration)), self._status)
        self._check()
        self._session = _POINTER(self._c.TF_NewSession(self._graph, chosen, self._status))
        self._check()

    def _check(self) -> None:
        if self._c.TF_GetCode(self._status):
            raise RuntimeError(self._c.TF_Message(self._status).decode())

    def _find(self, name: str) -> _Output:
        found = self._c.TF_GraphOperationByName(self._graph, name.encode())
        if not found:
            raise KeyError(f"the graph has no node {name!r}")
        return _Output(found, 0)

    def prepare(self, feeds: Mapping[str, np.ndarray], fetch: str) -> "Call":
        """A call with these arrays, which may be run any number of times."""
        return Call(self, feeds, fetch)

    def make_tensor(self, value: np.ndarray) -> int:
        """A TF_Tensor of numbers."""
        dtype = tf.as_dtype(value.dtype).as_datatype_enum
        sizes = (ctypes.c_int64 * value.ndim)(*value.shape)
        made = self._c.TF_AllocateTensor(dtype, sizes, value.ndim, _SIZE(value.nbytes))
        data = np.ascontiguousarray(value)
        ctypes.memmove(self._c.TF_TensorData(_POINTER(made)), data.ctypes.data, value.nbytes)
        return int(made)


class Call:
    """A run of a session: tensors to feed, and one to fetch."""

    def __init__(self, session: Session, feeds: Mapping[str, np.ndarray], fetch: str) -> None:
        self._session, self._count = session, len(feeds)
        self._inputs = (_Output * len(feeds))(*(session._find(name) for name in feeds))
        self._values = (_POINTER * len(feeds))(*map(session.make_tensor, feeds.values()))
        self._output, self._result = session._find(fetch), _POINTER()

    def run(self) -> None:
        """Runs it, and drops what it makes."""
        self._run()
        self._session._c.TF_DeleteTensor(self._result)

    def result(self) -> np.ndarray:
        """Runs it, and returns a matrix of f32."""
        c = self._session._c
        self._run()
        sizes = [c.TF_Dim(self._result, place) for place in range(c.TF_NumDims(self._result))]
        data = (ctypes.c_float * int(np.prod(sizes))).from_address(c.TF_TensorData(self._result))
        copied = np.array(data, np.float32).reshape(sizes)
        c.TF_DeleteTensor(self._result)
        return copied

    def _run(self) -> None:
        session = self._session
        session._c.TF_SessionRun(
            *(session._session, None, self._inputs, self._values, self._count),
            *(ctypes.byref(self._output), ctypes.byref(self._result), 1, None, 0, None),
            session._status,
        )
        session._check()
