"""The compiled functions of columns: runtime/include/ember/Runtime/Columns.h.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ctypes
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ember.errors import CompilerNotFoundError
from ember.places import program_folders

FILE = "libember_columns.so"


class TextsStruct(ctypes.Structure):
    """struct ember_texts."""

    _fields_ = (
        ("bytes", ctypes.c_void_p),
        ("starts", ctypes.c_void_p),
        ("ends", ctypes.c_void_p),
        ("count", ctypes.c_int64),
    )


@cache
def library() -> ctypes.CDLL:
    """The library, with the types of its functions.

    Raises CompilerNotFoundError where it is in none of the places for what Ember builds.
    """
    places = [folder.parent / "lib" / FILE for folder in program_folders()]
    found = next((place for place in places if place.exists()), None)
    if found is None:
        raise CompilerNotFoundError(
            f"{FILE} is in none of {', '.join(map(str, places))}: build it with './run build'"
        )
    loaded = ctypes.CDLL(str(found))
    pointer, number, texts = ctypes.c_void_p, ctypes.c_int64, ctypes.POINTER(TextsStruct)
    functions = {
        "fingerprint_texts": (texts, pointer),
        "fingerprint_integers": (pointer, number, pointer),
        "sip_hash_texts": (pointer, texts, pointer),
        "cross": (pointer, pointer, number, number, ctypes.c_uint64, ctypes.c_uint64, pointer),
        "split": (texts, ctypes.c_char_p, number, pointer, pointer, pointer),
    }
    for name, types in functions.items():
        function = getattr(loaded, f"ember_col_{name}")
        function.argtypes = types
        function.restype = number if name == "split" else None
    return loaded


def addresses(arrays: list[NDArray[np.generic]]) -> ctypes.Array[ctypes.c_void_p]:
    """Where arrays are, which have to live until the call."""
    return (ctypes.c_void_p * len(arrays))(*(one.ctypes.data for one in arrays))
