"""Statements on arrays: compiled when they are first evaluated, and found again by their kinds.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from typing import Any

import numpy as np
import torch

from ember.errors import ArgumentError
from ember.sparse.array import as_sparse
from ember.sparse.kinds import key_of, kind_of
from ember.sparse.statement import Statement

_statements: dict[Any, Statement] = {}


def evaluate(statement: str, /, **arrays: Any) -> Any:
    """Evaluates statements in index notation on arrays, which are given by name.

        y = es.evaluate("y[i] = min[j](A[i,j] + x[j])", A=A, x=x, y=es.Format(fill=np.inf))

    Arrays are NumPy's and PyTorch's, sparse ones of these, SciPy and PyData too, and es.Array;
    numbers are Python's and NumPy's. What statements assign to need not be given: it is made as
    large as the other arrays say. An es.Format for it says how it is stored, its shape or its type;
    an array is assigned to in place.

    Returns what is assigned to: es.Array for what is in a format, a tensor if any argument is one,
    else NumPy's; several results as a tuple, in the order in which the statements name them first.

    Raises CompileError, with the column, for what is wrong in the text; ArgumentError for arguments
    that do not fit; IndexOutOfRangeError for an index that is no position of its array.
    """
    kernel, arguments = prepare(statement, arrays)
    results = kernel(arguments)
    return results[0] if len(results) == 1 else results


def prepare(text: str, arrays: dict[str, Any]) -> tuple[Statement, dict[str, Any]]:
    """The kernel for arguments of these kinds, and the arguments as it takes them."""
    arguments = arrays
    key: list[Any] = [text]
    on_torch = False
    for name, argument in arrays.items():
        try:
            key.append((name, key_of(argument)))
            on_torch = on_torch or isinstance(argument, torch.Tensor)
        except ArgumentError:
            return prepare(text, converted(arrays))
        if isinstance(argument, torch.Tensor) and argument.layout is not torch.strided:
            return prepare(text, converted(arrays))
    key.append(on_torch)
    known = _statements.get(tuple(key))
    if known is None:
        kinds = {}
        for name, argument in arguments.items():
            try:
                kinds[name] = kind_of(argument)
            except ArgumentError as error:
                raise ArgumentError(f"{name}: {error}") from None
        known = _statements[tuple(key)] = Statement(text, kinds, on_torch)
    return known, arguments


def converted(arrays: dict[str, Any]) -> dict[str, Any]:
    """Arguments with sparse arrays of other libraries as es.Array, and lists as NumPy's arrays."""
    found: dict[str, Any] = {}
    for name, argument in arrays.items():
        try:
            taken: Any = as_sparse(argument)
            if taken is None:
                taken = np.asarray(argument) if isinstance(argument, list | tuple) else argument
            key_of(taken)
        except (ArgumentError, ValueError) as error:
            raise ArgumentError(f"{name}: {error}") from None
        found[name] = taken
    return found
