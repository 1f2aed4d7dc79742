"""Functions of NumPy's, SciPy's and PyTorch's arrays whose operations run in sweeps.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import functools
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ember.dataflow.execution import Execution
from ember.dataflow.nodes import Node
from ember.dataflow.recording import Lazy, Recorder, flat, map_structure
from ember.errors import ArgumentError
from ember.sparse.array import as_sparse


def is_array(given: Any) -> bool:
    """Whether an argument is an array of any library."""
    torch = sys.modules.get("torch")
    is_tensor = torch is not None and isinstance(given, torch.Tensor)
    return isinstance(given, np.ndarray) or is_tensor or as_sparse(given) is not None


def words_of(dataflow: Any) -> tuple[str, ...]:
    """What emberc is told for a choice of `compile`; raises ArgumentError."""
    if dataflow is None or dataflow == "off":
        return ()
    if isinstance(dataflow, Mapping):
        raise ArgumentError("dataflow is 'auto', 'off' or a file of a machine")
    if dataflow == "auto" or Path(dataflow).is_file():
        return (f"--dataflow={dataflow}",)
    raise ArgumentError(f"dataflow is 'auto', 'off' or a file of a machine, and not {dataflow!r}")


class Compiled:
    """What `compile` makes of a function. texts: the statements that were run, and how often."""

    def __init__(self, function: Callable[..., Any], words: tuple[str, ...]) -> None:
        functools.update_wrapper(self, function)
        self._function, self._words = function, words
        self.texts: dict[str, int] = {}

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        execution = Execution(self._words)
        recorder = Recorder(execution.run)
        result = run_recorded(recorder, self._function, arguments, named)
        for text, times in execution.texts.items():
            self.texts[text] = self.texts.get(text, 0) + times
        return result


def run_recorded(
    recorder: Recorder, function: Callable[..., Any], arguments: Any, named: Mapping[str, Any]
) -> Any:
    """The result of a function whose arrays record what is done with them."""
    taken: list[tuple[Any, Lazy, Node]] = []

    def take(given: Any) -> Any:
        if not is_array(given):
            return given
        lazy = recorder.take(given)
        taken.append((given, lazy, lazy.node))
        return lazy

    lazies = [take(one) for one in arguments], {key: take(one) for key, one in named.items()}
    result = function(*lazies[0], **lazies[1])
    del lazies
    on_torch = any(type(given).__module__.startswith("torch") for given, _, _ in taken)
    # What is changed in place is the caller's.
    changed = [
        (given if isinstance(given, np.ndarray) else given.detach().numpy(), lazy)
        for given, lazy, before in taken
        if lazy.node is not before
    ]
    taken.clear()

    def finish(value: Any) -> Any:
        if not isinstance(value, Lazy):
            return value
        array = np.asarray(value)
        if any(np.may_share_memory(array, target) for target, _ in changed):
            array = array.copy()
        if on_torch:
            return sys.modules["torch"].from_numpy(np.ascontiguousarray(array))
        return array if array.shape else array[()]

    finished = map_structure(finish, result)
    # One may hold what another one held before.
    values = [np.array(lazy) for _, lazy in changed]
    for (target, _), value in zip(changed, values, strict=True):
        target[...] = value
    return finished


def compile(function: Callable[..., Any], *, dataflow: Any = "auto") -> Compiled:
    """The function with its products, sums and functions of elements in Ember's kernels.

        solve = dataflow.compile(block_cg)
        X = solve(A, B)

    function: NumPy's, SciPy's or PyTorch's code of `A @ P`, `P.T @ S`, `X += P @ L`,
    `np.linalg.solve`, loops and conditions. Its arguments are arrays, dense or sparse, f32 or f64.
    Operations are recorded, and run when something looks at a result. dataflow: "auto" makes sweeps
    of operations that pass tiles on, "off" does not, and a machine's file says how large tiles are.

    Results are those of NumPy but for rounding, and the same for any number of threads. Raises
    ArgumentError for what is not recorded.
    """
    if not callable(function):
        raise ArgumentError(f"compile takes a function, and not {type(function).__name__}")
    return Compiled(function, words_of(dataflow))


def record(function: Callable[..., Any], arguments: Any) -> Recorder:
    """The operations of a call, of which those are computed that its course depends on."""
    recorder = Recorder(Execution().run, keeps=True)
    taken = [recorder.take(one) if is_array(one) else one for one in arguments]
    for number, lazy in enumerate(taken):
        if isinstance(lazy, Lazy):
            lazy.node.hint = _argument_name(function, number)
    result = function(*taken)
    recorder.results = {lazy.node for lazy in flat(result) if isinstance(lazy, Lazy)}
    return recorder


def _argument_name(function: Callable[..., Any], number: int) -> str:
    code = getattr(function, "__code__", None)
    names = code.co_varnames[: code.co_argcount] if code else ()
    return names[number] if number < len(names) else f"arg{number}"
