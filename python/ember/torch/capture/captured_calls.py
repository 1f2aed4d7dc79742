"""Calls of a function that torch.compile captures, with what Ember's backend makes of its graphs.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import functools
import inspect
import logging
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from types import CodeType, FunctionType
from typing import Any

import torch
from torch import nn

from ember.kernel import Library
from ember.torch.calls.region_call import RegionCall
from ember.torch.calls.sparse_operand import has_sparse, holds_sparse
from ember.torch.capture import private
from ember.torch.capture.backend import ember_backend
from ember.torch.capture.direct_call import MISS, DirectCall, direct_calls
from ember.torch.capture.sparse_mode import SparseProducts, sparse_functions_seen
from ember.torch.report.report import Report
from ember.torch.settings import Settings

_any_sizes = private.capture_options(
    capture_dynamic_output_shape_ops=True, record_runtime_overhead=False
)


def any_sizes(settings: Settings) -> AbstractContextManager[Any]:
    """While entered, a size may depend on a tensor's elements, without a graph break.

    So does the number of the edges without loops. Inductor is spared such sizes.
    """
    return nullcontext() if settings.rest == "inductor" else _any_sizes()


_log = logging.getLogger(__name__)
_is_dynamo_compiling = torch.compiler.is_dynamo_compiling
# Graphs of all models of a class count together to torch.compile's second limit.
_NO_LIMIT = 1 << 30


class CapturedCalls:
    """A function, called through what torch.compile captures of it.

    function: what is captured. original: the user's, of which function is the call. Callable from
    several threads.

    Graphs are counted for each of these apart, and in it for each module whose method has them.
    What the capture depends on is set while torch.compile captures, not at each call.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        original: Callable[..., Any],
        settings: Settings,
    ) -> None:
        self.settings = settings
        self.reports: list[Report] = []
        self._function = function
        self._module = original if isinstance(original, nn.Module) else None
        # Products with sparse matrices are in no graph. Where there are any, each call is in this.
        self._products = SparseProducts(settings)
        self._is_sparse = holds_sparse(original)
        # The last graph of each function's code, and how many there are for each module.
        self._last: dict[CodeType, Any] = {}
        self._counts: Counter[tuple[CodeType, tuple[int, ...]]] = Counter()
        self._is_any_size = settings.rest == "eager" and private.has_any_size
        # Graphs for the short path that are captured, and not yet in it.
        self._learned: list[tuple[CodeType, Any, CodeType]] = []
        self._hooks: tuple[int, ...] = ()
        self._begin()

    def _begin(self) -> None:
        """Takes the function as one of which nothing is captured."""
        backend = functools.partial(
            ember_backend, options=self.settings, listener=self.reports.append
        )
        self._run = private.captured_apart(self._function, backend, self._around)
        self.direct = DirectCall(self._run, self._module)
        # Of PyTorch's own modules torch.compile captures the call, with the hooks that there are.
        self._module_inside = None if self.direct.is_forward else self._module

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the function returns for these arguments."""
        if _is_dynamo_compiling():
            return self._run(*args, **kwargs)
        result = self.direct.call(*args, **kwargs)
        if result is not MISS:
            return result
        if self._module_inside is not None:
            hooks = private.hooks_of(self._module_inside)
            if hooks != self._hooks:
                self._hooks = hooks
                self._begin()
        if self._is_sparse or has_sparse(args) or (kwargs and has_sparse(kwargs)):
            with self._products:
                return self._run(*args, **kwargs)
        result = self._run(*args, **kwargs)
        if self._learned:
            self._learn()
        return result

    def _learn(self) -> None:
        """Takes the short path to what was captured, which is not asked for during the capture."""
        learned, self._learned = self._learned, []
        if not direct_calls.why_not():
            for code, guards, captured in learned:
                self.direct.learn(code, guards, captured)

    def kernels(self) -> list[Library]:
        """The compiled kernels so far: more are built when a call needs another type or length."""
        calls: list[RegionCall] = [part.call for report in self.reports for part in report.compiled]
        calls += self._products.calls.values()
        return list(dict.fromkeys(kernel for call in calls for kernel in call.kernels()))

    def _around(self, frame: private.Frame, capture: Callable[[], private.Capture]) -> None:
        """Captures a function: of the original, of what it calls, or the rest behind a break."""
        breaks, sparse = private.graph_breaks(), sparse_functions_seen()
        owner = (frame.code, _owners_of(frame))
        others = sum(count for (code, _), count in self._counts.items() if code is frame.code)
        others -= self._counts[owner]
        limit = private.capture_limit()
        limits = private.capture_options(
            recompile_limit=limit + others, accumulated_recompile_limit=_NO_LIMIT
        )
        with any_sizes(self.settings), limits():
            result = self._captured(frame.code, capture)
        # What makes sparse tensors itself is known when torch.compile has tried it.
        self._is_sparse = self._is_sparse or sparse_functions_seen() > sparse
        if result.is_limited:
            self._warn_of_limit(frame, limit)
        if result.guards is None or result.code is None:
            return
        self._last[frame.code] = result.guards
        self._counts[owner] += 1
        # Behind a break, the rest of the function needs the interpreter's hook.
        is_whole = private.breaks_are_counted and private.graph_breaks() == breaks
        if is_whole and private.has_direct_calls and not self._is_sparse:
            self._learned.append((frame.code, result.guards, result.code))

    def _captured(self, code: CodeType, capture: Callable[[], private.Capture]) -> private.Capture:
        """A graph of a function: a further one for any size, as kernels take any.

        When a graph is captured again, for other sizes, those of 0 and 1 are no cases of their own
        any more: each input would have its own.
        """
        if not self._is_any_size or code not in self._last:
            return capture()
        try:
            with private.any_size():
                return capture()
        except private.CaptureError:
            # Rows of one that are repeated are such a case.
            result = capture()
            self._is_any_size = False
            return result

    def _warn_of_limit(self, frame: private.Frame, limit: int) -> None:
        """Says what torch.compile captures no more graphs of, and why it would have to."""
        code = frame.code
        last = self._last.get(code)
        reasons = private.failed_guards(last, frame.variables) if last is not None else []
        said = (
            f"{code.co_qualname} ({code.co_filename}:{code.co_firstlineno}) has {limit} graphs, as "
            "many as torch.compile captures of a function for one model: calls that none of them "
            "fits run in PyTorch, without kernels. What the last graph does not fit: "
            f"{'; '.join(reasons) or 'unknown'}. Pass what changes from call to call as a tensor, "
            "or keep it as it is; torch._dynamo.config.recompile_limit is the limit."
        )
        _log.warning(said)
        warnings.warn(said, RuntimeWarning, stacklevel=2)


def _owners_of(frame: private.Frame) -> tuple[int, ...]:
    """What tells a function from others that have the same code: the modules that it is called
    with, as its self or within what a decorator passes on, and the functions that it encloses.

    Functions are told by their code: those that are made in each call are one.
    """
    code = frame.code
    count = code.co_argcount + code.co_kwonlyargcount
    arguments = [frame.variables.get(name) for name in code.co_varnames[:count]]
    if code.co_flags & inspect.CO_VARARGS:
        arguments += frame.variables.get(code.co_varnames[count], ())
    enclosed = [frame.variables.get(name) for name in code.co_freevars]
    modules = (id(one) for one in (*arguments, *enclosed) if isinstance(one, nn.Module))
    functions = (id(one.__code__) for one in enclosed if isinstance(one, FunctionType))
    return (*modules, *functions)
