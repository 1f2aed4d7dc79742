"""Types of the functions that statements call: how Python's and NumPy's are spelled in MLIR.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from typing import Any

import numpy as np

INTEGERS = ("i8", "i16", "i32", "i64")
FLOATS = ("f32", "f64")
#: Types of values, from narrow to wide. Halves are computed in f32.
TYPES = ("i1", *INTEGERS, *FLOATS)
#: Numbers that take the type of what they meet.
INTEGER, FLOAT = "an integer", "a float"

_NUMPY = {
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "f32": np.float32,
    "f64": np.float64,
}
_ANNOTATIONS: dict[Any, str] = {bool: "i1", int: "i64", float: "f64"}
_ANNOTATIONS |= {scalar: name for name, scalar in _NUMPY.items()}
_ANNOTATIONS |= {name: name for name in TYPES}
_ANNOTATIONS |= {"bool": "i1", "int": "i64", "float": "f64"}


def type_of_annotation(annotation: Any) -> str | None:
    """The type that a parameter's annotation says; None if it says none that functions know."""
    try:
        return _ANNOTATIONS.get(annotation)
    except TypeError:
        return None


def numpy_type(element: str) -> Any:
    """NumPy's type of values."""
    return _NUMPY[element]


def computed_type(element: str | None) -> str | None:
    """The type in which elements of an array are given to functions; None if there is none."""
    if element in ("f16", "bf16") or (element and element.startswith("f8")):
        return "f32"
    if element == "index":
        return "i64"
    return element if element in TYPES else None


def is_float(element: str) -> bool:
    """Whether values are floats."""
    return element in FLOATS or element == FLOAT


def promoted(left: str, right: str) -> str:
    """The type in which two values meet: a number takes the other's, as in NumPy."""
    for weak, other in ((left, right), (right, left)):
        if weak == INTEGER:
            return other
        if weak == FLOAT and (other in FLOATS or other == FLOAT):
            return other
        if weak == FLOAT:
            return "f64"
    return max(left, right, key=TYPES.index)


def spelled(value: float | int | bool, element: str) -> str:
    """A number as MLIR spells it, with its type."""
    if element == "i1":
        return "true" if value else "false"
    if element in INTEGERS:
        return f"{int(value)} : {element}"
    number = float(value)
    if math.isfinite(number):
        text = repr(float(_NUMPY[element](number)))
        mantissa, exponent, power = text.partition("e")
        mantissa += "" if "." in mantissa else ".0"
        return f"{mantissa}{exponent}{power} : {element}"
    bits = _NUMPY[element](number).view(np.uint32 if element == "f32" else np.uint64)
    return f"0x{int(bits):0{8 if element == 'f32' else 16}X} : {element}"
