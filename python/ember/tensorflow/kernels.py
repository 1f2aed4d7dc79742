"""Kernel libraries as functions of tensors.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tensorflow as tf

from ember.errors import ArgumentError
from ember.tensorflow.op_library import operators

# What manifests call the types that kernels and TensorFlow both have.
_TYPES = {
    "f32": tf.float32,
    "f64": tf.float64,
    "f16": tf.float16,
    "bf16": tf.bfloat16,
    "i1": tf.bool,
    "i8": tf.int8,
    "i16": tf.int16,
    "i32": tf.int32,
    "i64": tf.int64,
}


def _find_entry(library: Path, name: str | None) -> dict[str, Any]:
    """The fields of an entry in a library's manifest."""
    manifest = library.with_suffix(".json")
    try:
        entries = {one["name"]: one for one in json.loads(manifest.read_text())["entries"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ArgumentError(f"{manifest} is no manifest of a kernel library: {error}") from error
    if name is None and len(entries) == 1:
        return dict(next(iter(entries.values())))
    if name not in entries:
        names = ", ".join(map(repr, entries))
        raise ArgumentError(f"{library} has no one entry {name!r}; there are: {names}")
    return dict(entries[name])


def load_kernel(library: str | Path, entry: str | None = None) -> Callable[..., Any]:
    """A function of tensors and variables that calls an entry of a library that emberc wrote.

    entry: its name, which a library of one entry needs not say. Arguments are those of the entry,
    in their order, and all arrays; results are arrays that it returns: one tensor, or a list. It
    runs eagerly, in a tf.function and in a graph, on the CPU. A variable (tf.Variable) is read in
    place, whenever the kernel runs. There are no gradients.

    Raises ArgumentError for a library or an entry that is none, or has other parameters; the
    function raises TypeError for another number of arguments, and what the kernel reports, such as
    an index out of range, as tf.errors.InvalidArgumentError.
    """
    path = Path(library).resolve()
    found = _find_entry(path, entry)
    parameters = [
        one.get("name", f"argument {place}") for place, one in enumerate(found["arguments"])
    ]
    for one in (*found["arguments"], *found["results"]):
        if one["kind"] != "memref" or one["dtype"] not in _TYPES:
            raise ArgumentError(
                f"'{found['name']}' has a {one['kind']} of {one['dtype']}, which no tensor is"
            )
    if not found["results"]:
        raise ArgumentError(f"'{found['name']}' returns nothing that could be a tensor")
    if written := [one["name"] for one in found["arguments"] if one["writable"]]:
        raise ArgumentError(f"'{found['name']}' stores to {written}, and tensors do not change")
    types = [_TYPES[one["dtype"]] for one in found["results"]]
    shapes = [one["shape"] for one in found["results"]]
    kernel = operators().ember_kernel

    def call(*arguments: Any) -> Any:
        # Variables of the first release are tensors, which are read where they are.
        given = [
            getattr(one, "handle", one)
            if isinstance(one, tf.Variable)
            else tf.convert_to_tensor(one)
            for one in arguments
        ]
        arrays = sum(2 if one.dtype == tf.string else 1 for one in given)
        if arrays != len(parameters):
            raise TypeError(
                f"'{found['name']}' takes {len(parameters)} arguments ({', '.join(parameters)}), "
                f"not {arrays}"
            )
        results = kernel(
            arguments=given,
            result_types=types,
            result_shapes=shapes,
            library=str(path),
            entry=found["name"],
        )
        return results[0] if len(results) == 1 else results

    call.__name__ = found["name"]
    return call
