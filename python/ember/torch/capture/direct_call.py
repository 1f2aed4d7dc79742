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
import logging
import threading
import types
import weakref
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from ember import native
from ember.torch.capture import private, private_names

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


@dataclass(frozen=True)
class _Captured:
    """A function with what it was when it was captured.

    first: its first arguments, which calls are not given. bind: has its parameters, and returns its
    variables by their names. same: an object, an attribute's name and its value, each: where the
    function was found.
    """

    function: types.FunctionType
    code: types.CodeType
    first: tuple[Any, ...]
    bind: types.FunctionType
    same: tuple[tuple[Any, str, Any], ...]

    def is_current(self) -> bool:
        """Whether all of it is still so."""
        function = self.function
        return (
            function.__code__ is self.code
            and function.__defaults__ is self.bind.__defaults__
            and function.__kwdefaults__ is self.bind.__kwdefaults__
            and all(getattr(owner, name, None) is value for owner, name, value in self.same)
        )


def nothing_known(*arguments: Any, **named: Any) -> Any:
    """The call of a function without graphs: MISS."""
    return MISS


class DirectCall:
    """The compiled forms of a function, found by their guards.

    run: what torch.compile returned for a function, or for a module's call. module: the one whose
    hooks would run, too. Callable from several threads.

    call: takes the function's arguments; returns its result, or MISS if torch.compile has to be
    asked. is_forward: whether hooks are around what is captured, not in it.
    """

    def __init__(self, run: Callable[..., Any], module: nn.Module | None = None) -> None:
        self._target = private.undisabled(run)
        self._module = module
        self.is_forward = getattr(self._target, "__func__", None) is nn.Module.__call__
        self._captured: _Captured | None = None
        self._graphs: tuple[_Graph, ...] = ()
        self.call: Callable[..., Any] = nothing_known

    def learn(self, code: types.CodeType, guards: Any, result: types.CodeType) -> None:
        """Takes up a graph, if it is one of this function: of all of it, without a break.

        code: what was captured. guards: what says when it stands for that. result: what it became.
        """
        captured = self._captured
        if captured is None or not captured.is_current():
            captured = self._captured = _captured(self._target)
            self._graphs = ()
        if captured is None or captured.code is not code:
            return
        graph = _Graph(guards, guards.check, _with_code(captured.function, result))
        # Guards that Dynamo has given up are in no cache any more.
        kept = [one for one in self._graphs if one.guards.cache_entry is not None]
        self._graphs = (graph, *kept)
        self.call = self._compiled_call(captured) or self._found_call

    def _compiled_call(self, captured: _Captured) -> Callable[..., Any] | None:
        """The graphs for python/native/GuardedCall.cpp; None without that."""
        if native.GuardedCall is None:
            return None
        plain: tuple[Any, ...] = ()
        if self._module is not None:
            plain = (
                (self._module, private.HOOKS, private.OWN_CALLS),
                (private.hooks_module, private.GLOBAL_HOOKS, ()),
            )
        calm = (
            (private.stance, "default"),
            (private.eval_frame_callback, None),
            (private.is_tracing, False),
        )
        found: Callable[..., Any] = native.GuardedCall(
            captured.function,
            captured.bind,
            captured.first,
            calm,
            plain,
            captured.same,
            tuple((graph.guards, graph.check, graph.function) for graph in self._graphs),
            MISS,
        )
        return found

    def _found_call(self, *arguments: Any, **named: Any) -> Any:
        """What compiled code does, in Python."""
        captured = self._captured
        if (
            captured is None
            or private.stance() != "default"
            or private.eval_frame_callback() is not None
            or private.is_tracing()
            or (self._module is not None and private.is_more_than_forward(self._module))
            or not captured.is_current()
        ):
            return MISS
        arguments = captured.first + arguments
        try:
            scope = captured.bind(*arguments, **named)
        except (TypeError, NameError):
            return MISS
        for graph in self._graphs:
            # Guards that have been given up hold for everything.
            if graph.guards.cache_entry is not None and graph.check(scope):
                return graph.function(*arguments, **named)
        return MISS


def _captured(target: Any) -> _Captured | None:
    """The function whose code is captured where the target is called.

    None where a call is something else.
    """
    first: tuple[Any, ...] = ()
    same: tuple[tuple[Any, str, Any], ...] = ()
    function = target
    if isinstance(target, types.MethodType):
        function, first = target.__func__, (target.__self__,)
    if function is nn.Module.__call__:
        # torch.compile leaves nn.Module's own code to Python, and captures what that calls.
        owner = type(target.__self__)
        function = owner.forward
        same = ((owner, "forward", function),)
    if not isinstance(function, types.FunctionType):
        return None
    bind = _binder(function)
    if bind is None:
        return None
    return _Captured(function, function.__code__, first, bind, same)


def _binder(function: types.FunctionType) -> types.FunctionType | None:
    """A function with the parameters of another that returns its variables by their names.

    These are parameters and variables of enclosing functions. It raises a TypeError for arguments
    that do not fit, and a NameError where a variable has no value. None where a name cannot be
    written.
    """
    code = function.__code__
    names = list(code.co_varnames)
    by_place = names[: code.co_argcount]
    rest = names[code.co_argcount :]
    by_name, rest = rest[: code.co_kwonlyargcount], rest[code.co_kwonlyargcount :]
    parameters = list(by_place)
    if code.co_posonlyargcount:
        parameters.insert(code.co_posonlyargcount, "/")
    several: list[str] = []
    if code.co_flags & inspect.CO_VARARGS:
        several.append(rest.pop(0))
        parameters.append("*" + several[0])
    elif by_name:
        parameters.append("*")
    parameters += by_name
    if code.co_flags & inspect.CO_VARKEYWORDS:
        several.append(rest.pop(0))
        parameters.append("**" + several[-1])
    variables = [*by_place, *by_name, *several, *code.co_freevars]
    if not all(name.isidentifier() for name in variables):
        return None
    returned = ", ".join(f"{name!r}: {name}" for name in variables)
    text = (
        f"def enclosing({', '.join(code.co_freevars)}):\n"
        f"  def bind({', '.join(parameters)}): return {{{returned}}}\n"
        "  return bind"
    )
    scope: dict[str, Any] = {}
    exec(text, scope)
    bare = scope["enclosing"](*code.co_freevars).__code__
    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
    closure = tuple(cells[name] for name in bare.co_freevars)
    bind = types.FunctionType(bare, {}, "bind", function.__defaults__, closure)
    bind.__kwdefaults__ = function.__kwdefaults__
    return bind


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
    found = types.FunctionType(
        renamed, scope, function.__name__, function.__defaults__, function.__closure__
    )
    found.__kwdefaults__ = function.__kwdefaults__
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


_log = logging.getLogger(__name__)
FACTOR = 3.0


class DirectCheck:
    """The answer for this process, found when it is first asked for.

    try_out: returns what is wrong, or nothing; what it captures may ask for the answer meanwhile.
    """

    def __init__(self, try_out: Callable[[], str]) -> None:
        self._try_out = try_out
        self._lock = threading.RLock()
        self._is_trying = False
        self._answer: str | None = None

    def why_not(self) -> str:
        """Why calls go through torch.compile; empty if they need not.

        Not to be asked for the first time while torch.compile captures something.
        """
        if self._answer is not None:
            return self._answer
        with self._lock:
            if self._answer is None and not self._is_trying:
                self._is_trying = True
                self._answer = self._found()
                self._is_trying = False
                if self._answer:
                    _log.info("calls go through torch.compile: %s", self._answer)
        return self._answer or ""

    def _found(self) -> str:
        if names := private_names.missing(private_names.DIRECT_CALLS):
            return f"PyTorch {torch.__version__} has no {', '.join(names)}"
        # An outer torch.compile does not capture this, nor does a stance forbid it.
        is_usual = private.stance() == "default"
        stance = nullcontext() if is_usual else torch.compiler.set_stance("default")
        try:
            with stance:
                problem: str = torch.compiler.disable(self._try_out)()  # type: ignore[no-untyped-call]
        # Whatever it is, torch.compile's wrapper has no part in it.
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        return problem and f"PyTorch {torch.__version__} captures otherwise: {problem}"


def _try_out() -> str:
    from ember.torch.capture.backend import unheard
    from ember.torch.capture.captured_calls import CapturedCalls
    from ember.torch.settings import Settings

    def function(x: Tensor, y: Tensor) -> Tensor:
        return (x + y) * factor

    factor = FACTOR
    calls = CapturedCalls(function, function, Settings())
    x, y = (torch.full((3,), value, dtype=torch.float32, device="cpu") for value in (1.0, 2.0))
    with torch.no_grad(), unheard():
        for _ in range(2):
            expected = calls(x, y)
        if _direct(calls, x, y) is None:
            return "guards of a graph that was just called do not hold"
        for result in (expected, _direct(calls, x, y), calls(x, y)):
            if not torch.equal(result, (x + y) * FACTOR):
                return f"a graph computes {result.tolist()}"
        if _direct(calls, x.double(), y) is not None:
            return "guards hold for tensors of another type"
        factor = FACTOR + 1
        if _direct(calls, x, y) is not None:
            return "guards hold where a variable has changed"
        factor = FACTOR
    with torch.enable_grad():
        if _direct(calls, x, y) is not None:
            return "guards hold in another mode of gradients"
    private.forget(function.__code__)
    with torch.no_grad():
        if _direct(calls, x, y) is not None:
            return "guards are not given up"
    return ""


def _direct(calls: Any, *arguments: Tensor) -> Any:
    """What the short path returns; None where it has nothing to call."""
    found = calls.direct.call(*arguments)
    return None if found is MISS else found


direct_calls = DirectCheck(_try_out)
