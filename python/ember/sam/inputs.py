"""Arrays on their way into the tools that run graphs, and back.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ember.dtypes import as_array
from ember.errors import ArgumentError
from ember.sam.signature import Signature, Value
from ember.sparse.array import Array
from ember.sparse.kinds import taken

#: Files of arrays that the tools read.
FILES = (".npy", ".mtx", ".tns")
# How MLIR's runtime begins files of elements with their sizes.
_HEADER = "# extended FROSTT format"


def write_arguments(signature: Signature, arrays: Mapping[str, Any], folder: Path) -> list[str]:
    """The arguments of a graph as a command line has them; arrays are written into the folder.

    Raises ArgumentError for what is missing, unknown, or does not fit.
    """
    names = [parameter.name for parameter in signature.parameters]
    known = ", ".join(names)
    for name in arrays:
        if name not in names:
            raise ArgumentError(f"{name!r} is given, and the graph reads {known or 'nothing'}")
    words = []
    for parameter in signature.parameters:
        if parameter.name not in arrays:
            raise ArgumentError(f"{parameter.name!r} is read, and it is not given")
        if isinstance(arrays[parameter.name], str | Path):
            words.append(_file(parameter, Path(arrays[parameter.name])))
            continue
        try:
            argument = taken(parameter.name, arrays[parameter.name])
            words.append(_argument(parameter, argument, folder))
        except ArgumentError as error:
            text = str(error).removeprefix(f"{parameter.name}: ")
            raise ArgumentError(f"{parameter.name}: {text}") from None
    return words


def _file(parameter: Value, path: Path) -> str:
    """A file that the tools read themselves; raises ArgumentError for one that they do not."""
    if not parameter.is_tensor or path.suffix.lower() not in FILES:
        known = ", ".join(FILES)
        what = f"files of arrays are {known}" if parameter.is_tensor else "a number has no file"
        raise ArgumentError(f"{parameter.name}: {path} is given, and {what}")
    return f"@{path}"


def _argument(parameter: Value, given: Any, folder: Path) -> str:
    """One argument; raises ArgumentError."""
    if isinstance(given, Array):
        _check_rank(parameter, given.ndim)
        return _write_sparse(parameter, given, folder)
    if not hasattr(given, "__array__") and not isinstance(given, int | float | np.generic):
        raise ArgumentError(f"it is {type(given).__name__}, which is neither an array nor a number")
    detached = given.detach().resolve_neg() if hasattr(given, "resolve_neg") else given
    elements = _converted(as_array(detached), parameter.dtype)
    _check_rank(parameter, elements.ndim)
    if not parameter.is_tensor:
        number = elements.item()
        return repr(number).lower() if isinstance(number, bool) else repr(number)
    # Names of arrays are no names of files for all systems; those of parameters are words.
    file = folder / f"{parameter.name}.npy"
    np.save(file, elements)
    return f"@{file}"


def _check_rank(parameter: Value, rank: int) -> None:
    if rank != parameter.rank:
        what = f"an array of {parameter.rank} dimensions" if parameter.rank else "a number"
        raise ArgumentError(f"the graph reads {what}, and one of {rank} dimensions is given")


def _converted(elements: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Elements as another type, if it has all of their values; raises ArgumentError."""
    if elements.dtype == dtype:
        return np.asarray(elements, order="C")
    if elements.dtype.kind in "OSUcmMV":
        raise ArgumentError(f"elements of type {elements.dtype} are not taken")
    with np.errstate(over="ignore", invalid="ignore"):
        converted = elements.astype(dtype)
        is_same = np.array_equal(converted.astype(elements.dtype), elements, equal_nan=True)
    if not is_same:
        raise ArgumentError(
            f"its elements are {elements.dtype}, and {dtype}, which the graph computes with, does "
            "not have all of them: compile it with another dtype"
        )
    # Not ascontiguousarray, which gives a number a dimension.
    return np.asarray(converted, order="C")


def _write_sparse(parameter: Value, array: Array, folder: Path) -> str:
    """A sparse array as a file that lists its elements."""
    fill = 0.0 if parameter.format is None else parameter.format.fill_of(parameter.dtype)
    is_same = array.fill == fill or (array.fill != array.fill and fill != fill)
    if array.fill is None or not is_same:
        raise ArgumentError(f"what it does not store is {array.format.fill}, and not {fill}")
    if not all(level.unique for level in array.levels):
        # Elements at the same coordinates are one.
        array = Array.from_coordinates(*_places(array), array.shape, "csf")
    coordinates, values = _places(array)
    file = folder / f"{parameter.name}.tns"
    write_elements(file, array.shape, coordinates, _converted(values, parameter.dtype))
    return f"@{file}"


def _places(array: Array) -> tuple[list[np.ndarray], np.ndarray]:
    """Coordinates by dimension, and values."""
    coordinates, positions = array.coordinates()
    return coordinates, array.values[positions]


def write_elements(
    file: Path, shape: tuple[int, ...], coordinates: list[np.ndarray], values: np.ndarray
) -> None:
    """Writes elements as FROSTT's files have them, with the header of MLIR's runtime."""
    columns = [column.tolist() for column in coordinates]
    lines = [_HEADER, f"{len(shape)} {len(values)}", " ".join(map(str, shape))]
    numbers = values.astype(np.float64 if values.dtype.kind == "f" else np.int64).tolist()
    for place in zip(*columns, numbers, strict=True):
        *where, value = place
        lines.append(" ".join(str(one + 1) for one in where) + f" {value!r}")
    file.write_text("\n".join(lines) + "\n")


def read_elements(file: Path) -> tuple[tuple[int, ...], list[np.ndarray], np.ndarray]:
    """The shape, coordinates by dimension, and values that such a file has."""
    lines = file.read_text().splitlines()
    count = int(lines[1].split()[1])
    shape = tuple(map(int, lines[2].split()))
    words = [line.split() for line in lines[3 : 3 + count]]
    coordinates = [
        np.array([int(word[dimension]) - 1 for word in words], np.int64)
        for dimension in range(len(shape))
    ]
    return shape, coordinates, np.array([word[-1] for word in words], dtype=object)


def read_result(result: Value, file: Path, on_torch: bool) -> Any:
    """A result from the file of a tool: es.Array in a format, a tensor, or NumPy's array."""
    if result.format is None:
        elements = np.load(file)
        if not on_torch:
            return elements
        import torch

        return torch.from_numpy(elements)
    shape, coordinates, words = read_elements(file)
    if result.element == "i1":
        values = np.array([word in ("1", "true") for word in words], np.bool_)
    else:
        values = np.array(words.tolist(), np.float64 if result.dtype.kind == "f" else np.int64)
    return Array.from_coordinates(coordinates, values.astype(result.dtype), shape, result.format)


def result_file(result: Value, number: int, folder: Path) -> Path:
    """Where a tool is to save a result."""
    return folder / f"result{number}.{'npy' if result.format is None else 'tns'}"


def is_on_torch(arrays: Mapping[str, Any]) -> bool:
    """Whether any argument is a tensor."""
    torch = sys.modules.get("torch")
    return torch is not None and any(isinstance(one, torch.Tensor) for one in arrays.values())
