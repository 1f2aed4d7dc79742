"""Calls what torch.compile made of a function without going through torch.compile's wrapper.

torch.compile turns a function into other bytecode with guards, which say when it stands for the
function, and finds it again by a hook in the interpreter. The wrapper around that hook takes longer
than a small embedding operation. Here the same guards are asked and the same bytecode is called. In
every case that is not the plain one (no guards hold, graph breaks, hooks of modules, tracing,
another stance of torch.compile) there is nothing to call, and torch.compile has to be asked.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import inspect
import types
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from torch import nn

from ember import native
from ember.torch import private
from ember.torch.direct_check import direct_calls

# What Dynamo calls the functions of graphs, and its own, in the code that it makes.
COMPILED, UTILITIES = "__compiled_fn", "__import_torch_dot__dynamo_dot_utils"

# What a compiled call returns where there is nothing to call.
MISS = object()


@dataclass(frozen=True)
class _Graph:
    """A captured graph: the function that runs it, and the guards that say when it may.

    check: the guards', given the function's variables.
    """

    guards: Any
    check: Callable[[dict[str, Any]], bool]
    function: Callable[..., Any]


class DirectCall:
    """The compiled forms of a function or module, found by their guards.

    backend: what torch.compile was given, which tells this callable's graphs from others of the
    same code. Callable from several threads.

    compiled: the same in compiled code, for arguments by their places: it has the result, or MISS
    where find may still know a function. None without compiled calls, or without graphs.
    """

    def __init__(self, original: Callable[..., Any], backend: Callable[..., Any]) -> None:
        self._backend = backend
        self._module = original if isinstance(original, nn.Module) else None
        self._function: types.FunctionType | None = None
        self._first: tuple[Any, ...] = ()
        if private.has_direct_calls:
            self._function, self._first = _plain_function(original)
        self._names: tuple[str, ...] = ()
        # The variables of enclosing functions.
        self._cells: tuple[tuple[str, types.CellType], ...] = ()
        self._graphs: tuple[_Graph, ...] = ()
        self.compiled: Callable[..., Any] | None = None
        # Guards of graphs that end in a break.
        self._broken: list[Any] = []
        if self._function is not None:
            code = self._function.__code__
            self._names = code.co_varnames[: code.co_argcount]
            self._cells = tuple(
                zip(code.co_freevars, self._function.__closure__ or (), strict=True)
            )

    def find(
        self, arguments: tuple[Any, ...], named: Mapping[str, Any]
    ) -> tuple[Callable[..., Any], tuple[Any, ...]] | None:
        """What computes the original's result, a function and its arguments; None if unknown."""
        if not self._graphs or not _is_calm():
            return None
        module = self._module
        if module is not None and private.is_more_than_forward(module):
            return None
        if self._first:
            arguments = self._first + arguments
        if named or len(arguments) != len(self._names):
            completed = self._completed(arguments, named)
            if completed is None:
                return None
            arguments = completed
        scope = dict(zip(self._names, arguments, strict=False))
        for name, cell in self._cells:
            try:
                scope[name] = cell.cell_contents
            except ValueError:
                # The variable has no value: guards that ask for it do not hold.
                continue
        for graph in self._graphs:
            # Guards that Dynamo has given up are in no cache any more, and hold for everything.
            if graph.guards.cache_entry is not None and graph.check(scope):
                return graph.function, arguments
        return None

    def learn(self, is_whole: bool) -> None:
        """Takes up what torch.compile has captured since; whether without a break in the graph.

        Behind a break, the rest of the function needs the interpreter's hook.
        """
        if self._function is None or direct_calls.why_not():
            return
        known = [graph.guards for graph in self._graphs] + self._broken
        added = [
            entry
            for entry in private.cache_entries(self._function.__code__)
            if getattr(entry.backend, "compiler_fn", None) is self._backend
            and not any(entry.guard_manager is one for one in known)
        ]
        if not is_whole:
            self._broken += [entry.guard_manager for entry in added]
            return
        found = [
            _Graph(
                entry.guard_manager,
                entry.guard_manager.check,
                _with_code(self._function, entry.code),
            )
            for entry in added
        ]
        kept = [graph for graph in self._graphs if graph.guards.cache_entry is not None]
        self._graphs = (*found, *kept)
        self.compiled = self._in_compiled_code()

    def _in_compiled_code(self) -> Callable[..., Any] | None:
        """The graphs for python/native/Direct.cpp, with what find asks for."""
        if native.Direct is None or not self._graphs:
            return None
        plain: tuple[Any, ...] = ()
        if self._module is not None:
            hooks = (private.hooks_module, private.GLOBAL_HOOKS, ())
            plain = ((self._module, private.HOOKS, ("forward",)), hooks)
        found: Callable[..., Any] = native.Direct(
            self._names,
            self._first,
            self._cells,
            (
                (private.stance, "default"),
                (private.eval_frame_callback, None),
                (private.is_tracing, False),
            ),
            plain,
            tuple((graph.guards, graph.check, graph.function) for graph in self._graphs),
            MISS,
        )
        return found

    def _completed(
        self, arguments: tuple[Any, ...], named: Mapping[str, Any]
    ) -> tuple[Any, ...] | None:
        """All arguments by their place, with those by name and the defaults; None if they do not
        fit."""
        assert self._function is not None
        defaults = self._function.__defaults__ or ()
        with_default = self._names[len(self._names) - len(defaults) :]
        values = {**dict(zip(with_default, defaults, strict=True)), **named}
        missing = self._names[len(arguments) :]
        fits = len(arguments) <= len(self._names) and named.keys() <= set(missing)
        if not fits or any(name not in values for name in missing):
            return None
        return arguments + tuple(values[name] for name in missing)


def _with_code(function: types.FunctionType, code: types.CodeType) -> types.FunctionType:
    """The function with Dynamo's code, which asks to be left alone by Dynamo at each of its calls.

    Where Dynamo does not listen, that is for nothing: these calls go to what is asked for.
    """
    scope = function.__globals__
    names = {}
    for name in code.co_names:
        if name == UTILITIES:
            names[name] = f"__ember{name}"
            scope[names[name]] = _utilities
        elif name.startswith(COMPILED) and name in scope:
            names[name] = f"__ember{name}"
            scope[names[name]] = _undisabled(scope[name])
    renamed = code.replace(co_names=tuple(names.get(name, name) for name in code.co_names))
    found = types.FunctionType(renamed, scope, function.__name__, None, function.__closure__)
    for name in names.values():
        if name != f"__ember{UTILITIES}":
            weakref.finalize(found, scope.pop, name, None).atexit = False
    return found


def _undisabled(function: Any) -> Any:
    """What torch._dynamo.disable was given."""
    return private.undisabled(function) or getattr(function, "__wrapped__", function)


class _Utilities:
    """torch._dynamo.utils, as far as it is asked for, without what keeps Dynamo away from it."""

    def __getattr__(self, name: str) -> Any:
        found = _undisabled(getattr(private.dynamo_utilities, name))
        setattr(self, name, found)
        return found


_utilities = _Utilities()


def _is_calm() -> bool:
    """Whether neither torch.compile nor torch.jit.trace does or is told anything unusual."""
    return (
        private.stance() == "default"
        and private.eval_frame_callback() is None
        and not private.is_tracing()
    )


def _plain_function(
    original: Callable[..., Any],
) -> tuple[types.FunctionType | None, tuple[Any, ...]]:
    """The function that a call runs, with the arguments that come first.

    None where a call is something else, or where arguments may go by other ways than their place.
    """
    first: tuple[Any, ...] = ()
    function: Any = original
    if isinstance(original, nn.Module):
        if type(original).__call__ is not nn.Module.__call__ or "forward" in original.__dict__:
            return None, ()
        function, first = type(original).forward, (original,)
    elif isinstance(original, types.MethodType):
        function, first = original.__func__, (original.__self__,)
    if not isinstance(function, types.FunctionType) or hasattr(function, "__wrapped__"):
        return None, ()
    code = function.__code__
    if (
        code.co_kwonlyargcount
        or code.co_posonlyargcount
        or code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    ):
        return None, ()
    return function, first
