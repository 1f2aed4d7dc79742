"""Statements on arrays: compiled when they are first evaluated, and found again by their kinds.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from ember.errors import ArgumentError, CompileError, KernelError
from ember.sparse.array import Array
from ember.sparse.call_code import MISS
from ember.sparse.encoded import Encoded
from ember.sparse.function import Function
from ember.sparse.gradient import evaluate_with_gradients, needs_gradient
from ember.sparse.kinds import LONGEST_ROW, Kind, kind_of, number_of, taken
from ember.sparse.messages import explained, find_missing
from ember.sparse.statement import Statement
from ember.sparse.transforms import refuse_transformed
from ember.threads import compiled_for, when_changed
from ember.torch.capture.private import is_transformed

_statements: dict[Any, Statement] = {}
# Functions that may be the fill where an operand is stored, if that is not its fill.
_COMPLEMENTS = re.compile(r"[~^]|[!=]=|\b(?:not|xor|select|where|if)\b")
# How many kernels there are for rows of some length, by kinds without sizes.
_lengths: dict[Any, int] = {}
# From so many on, others are of rows of any length.
MOST_LENGTHS = 16
# Of so many arrays in formats, sizes decide what is walked first, and what is searched.
LEAST_ORDERED = 2
# The calls of statements by their text, and by their schedule if they have one, the latest first.
_calls: dict[str | tuple[str, str], tuple[Callable[[Mapping[str, Any]], Any], ...]] = {}
# Kernels for one thread have no loops for more.
when_changed(_calls.clear)


def evaluate(statement: str, /, *, schedule: Any = None, **arrays: Any) -> Any:
    """Evaluates statements in index notation on arrays, which are given by name.

        y = es.evaluate("y[i] = min[j](A[i,j] + x[j])", A=A, x=x, y=es.Format(fill=np.inf))

    Arrays are NumPy's and PyTorch's, sparse ones of these, SciPy and PyData too, es.Array and, for
    rows of bytes, es.Encoded; numbers are Python's and NumPy's. What statements assign to need not
    be given: it is made as large as the other arrays say. An es.Format for it says how it is
    stored, its shape or its type; an array is assigned to in place. What @es.function makes is a
    function that the statements may call by the name that it is given as.

    Returns what is assigned to: es.Array for what is in a format, a tensor if any argument is one,
    else NumPy's; several results as a tuple, in the order in which the statements name them first.

    Loops are ordered for about as large arrays as are given, where two or more are in formats. A
    schedule says what to do instead, as a text of relations:

        C = es.evaluate("C[i,j] = A[i,k] * B[k,j]", A=A, B=B, schedule="reorder(k, i, j)")

    Results are differentiable by tensors that require a gradient, any number of times, in backward
    mode. That by a sparse tensor is one of the same layout, which stores the same elements.

    Raises CompileError, with the column, for what is wrong in the text; ArgumentError for arguments
    that do not fit; IndexOutOfRangeError for an index that is no position of its array.
    """
    if not isinstance(statement, str):
        raise ArgumentError(f"statements are a text, not {type(statement).__name__}")
    if schedule is not None and not isinstance(schedule, str):
        # An array of that name.
        arrays["schedule"], schedule = schedule, None
    has_functions = Function in map(type, arrays.values())
    try:
        if not has_functions:
            results = _called(statement if schedule is None else (statement, schedule), arrays)
            if results is not MISS:
                return results
        if is_transformed():
            refuse_transformed(arrays)
        evaluate_anew = _evaluate_with_functions if has_functions else _evaluate_prepared
        return evaluate_anew(statement, arrays, schedule)
    except KernelError as error:
        message = explained(str(error), arrays)
        if message == str(error):
            raise
        raise type(error)(message) from None
    except CompileError as error:
        if missing := find_missing(str(error), arrays):
            raise ArgumentError(f"{statement}: '{missing}' is read, and it is not given") from None
        hint = _hint_of_empty_list(str(error), arrays)
        if hint is None:
            raise
        raise CompileError(f"{error}\n{hint}") from None


def _hint_of_empty_list(message: str, arrays: Mapping[str, Any]) -> str | None:
    """What to do about an empty list that an error names; None if it names none.

    NumPy takes such a list for one of floats, as it says nothing of its elements.
    """
    for name, given in arrays.items():
        is_list = isinstance(given, list | tuple) and f"'{name}'" in message
        if is_list and (array := np.asarray(given)).size == 0 and array.dtype == np.float64:
            return (
                f"'{name}' is an empty list, which has no type of elements, and is taken for one "
                "of f64: give an array of the type that is meant, such as np.array([], np.int64)"
            )
    return None


def _evaluate_prepared(text: str, arrays: Mapping[str, Any], schedule: str | None) -> Any:
    """What statements make of arrays that no call before has fitted as they are."""
    if needs_gradient(arrays):
        return _evaluate_with_gradients(text, arrays, schedule)
    key = text if schedule is None else (text, schedule)
    arguments = {name: taken(name, given) for name, given in arrays.items()}
    on_torch = _is_on_torch(arrays)
    if not on_torch:
        results = _called(key, arguments)
        if results is not MISS:
            return results
    kernel = prepare(text, arguments, on_torch, schedule=schedule)
    # Tensors that became es.Array are no more seen to be tensors.
    is_known_by_kinds = not on_torch or any(
        kind.library is torch.Tensor for kind in kernel.kinds.values()
    )
    if kernel.call_if_fits is not None and is_known_by_kinds:
        call = kernel.call_if_fits
        older = (known for known in _calls.get(key, ()) if known is not call)
        _calls[key] = (call, *older)
    return kernel(arguments)


def _evaluate_with_gradients(
    text: str,
    arrays: Mapping[str, Any],
    schedule: str | None,
    functions: Mapping[str, Function] | None = None,
) -> Any:
    """What statements make of tensors that require a gradient."""
    if schedule is not None:
        raise ArgumentError(
            "statements with a schedule have no gradient: detach() what requires one, or leave the "
            "schedule out"
        )
    return evaluate_with_gradients(text, arrays, functions)


def _evaluate_with_functions(text: str, arguments: Mapping[str, Any], schedule: str | None) -> Any:
    """What statements make of arrays with functions of users."""
    functions = {name: one for name, one in arguments.items() if isinstance(one, Function)}
    given = {name: one for name, one in arguments.items() if name not in functions}
    if needs_gradient(given):
        return _evaluate_with_gradients(text, given, schedule, functions)
    arrays = {name: taken(name, one) for name, one in given.items()}
    return prepare(text, arrays, _is_on_torch(given), functions, schedule)(arrays)


def _is_on_torch(arguments: Mapping[str, Any]) -> bool:
    """Whether any argument is a tensor, or made of one."""
    return any(
        isinstance(given, torch.Tensor) or (isinstance(given, Encoded) and given.is_tensor)
        for given in arguments.values()
    )


def _called(key: str | tuple[str, str], arrays: Mapping[str, Any]) -> Any:
    """What a call of compiled code that fits the arguments returns; MISS if none does."""
    for call in _calls.get(key, ()):
        results = call(arrays)
        if results is not MISS:
            return results
    return MISS


def prepare(
    text: str,
    arguments: Mapping[str, Any],
    on_torch: bool,
    functions: Mapping[str, Function] | None = None,
    schedule: str | None = None,
) -> Statement:
    """The kernel for arguments of these kinds, and functions by name. on_torch: dense results are
    tensors. schedule: relations, if anything is said."""
    kinds = kinds_of(text, arguments)
    if schedule is None:
        kinds = with_magnitudes(kinds, arguments)
    called = tuple((name, one.version) for name, one in (functions or {}).items())
    threads = compiled_for()
    key = (text, schedule, on_torch, threads, called, *kinds.items())
    kernel = _statements.get(key)
    if kernel is not None:
        return kernel
    of_any_size = {name: kind.of_any_size() for name, kind in kinds.items()}
    if of_any_size != kinds:
        any_key = (text, schedule, on_torch, threads, called, *of_any_size.items())
        _lengths[any_key] = count = _lengths.get(any_key, 0) + 1
        if count > MOST_LENGTHS:
            kinds, key = of_any_size, any_key
    kernel = _statements.get(key)
    if kernel is None:
        kernel = _statements[key] = Statement(
            text, kinds, on_torch, functions=functions, schedule=schedule
        )
    return kernel


def evaluate_for(text: str, arrays: Mapping[str, Any], words: tuple[str, ...]) -> None:
    """Evaluates statements on NumPy's arrays, es.Array's and numbers, in kernels for about as large
    ones.

    words: what emberc is told beside the arrays' types and sizes, such as `--dataflow=auto`. All
    arrays that are assigned to are given.
    """
    key = (text, " ".join(words))
    if _called(key, arrays) is not MISS:
        return
    kinds = kinds_of(text, arrays)
    hints = [
        f"--size={name}:{'x'.join(map(str, map(_magnitude, one.shape)))}"
        for name, one in arrays.items()
        if isinstance(one, np.ndarray | Array) and 0 not in one.shape
    ]
    hints += [
        f"--density={name}:{max(1, len(one.values)) / math.prod(one.shape)!r}"
        for name, one in arrays.items()
        if isinstance(one, Array) and 0 not in one.shape
    ]
    kernel = Statement(text, kinds, False, words=(*words, *hints))
    if kernel.call_if_fits is not None:
        _calls[key] = (kernel.call_if_fits, *_calls.get(key, ()))
    kernel(arrays)


def _magnitude(size: int) -> int:
    """About as large a size; those that types say are what they are."""
    return size if size <= LONGEST_ROW else number_of(size.bit_length())


def with_magnitudes(kinds: dict[str, Kind], arguments: Mapping[str, Any]) -> dict[str, Kind]:
    """The kinds with the magnitudes of arrays in formats, if these are so many that the order of
    loops may depend on them."""
    stored = {name: one for name, one in arguments.items() if isinstance(one, Array)}
    if len(stored) < LEAST_ORDERED:
        return kinds
    return {
        name: kind.with_magnitudes(stored[name]) if name in stored else kind
        for name, kind in kinds.items()
    }


def kinds_of(text: str, arguments: Mapping[str, Any]) -> dict[str, Kind]:
    """What each argument of statements is; raises ArgumentError."""
    asks_fill = _COMPLEMENTS.search(text) is not None
    kinds: dict[str, Kind] = {}
    for name, argument in arguments.items():
        try:
            kind = kind_of(argument)
            if asks_fill and isinstance(argument, Array):
                kind = replace(kind, stores_fill=argument.stores_fill)
            kinds[name] = kind
        except ArgumentError as error:
            raise ArgumentError(f"{name}: {error}") from None
    return kinds
