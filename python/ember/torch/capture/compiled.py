"""What ember.compile returns: a callable for a function, a module for a module.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import types
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from ember.kernel import Library
from ember.torch.capture import private
from ember.torch.capture.captured_calls import CapturedCalls
from ember.torch.report.report import Reports
from ember.torch.settings import Settings

_is_dynamo_compiling = torch.compiler.is_dynamo_compiling


class Kernel:
    """A module or function whose embedding operations are compiled; call it as the original.

    Weights are read at each call: updates in place and replaced parameters are seen. Callable
    from several threads. Copies and pickles as the original does; kernels are found again in the
    cache. Attributes: original, settings, and the original's own.
    """

    original: Callable[..., Any]
    settings: Settings

    def _captured_calls(self) -> CapturedCalls:
        raise NotImplementedError

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the original returns for these arguments."""
        raise NotImplementedError

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.original, self.settings)

    def reports(self) -> Reports:
        """What became of the graphs that were captured so far: print it, or read its items."""
        return Reports(self._captured_calls().reports)

    def kernels(self) -> list[Library]:
        """The compiled kernels so far: more are built when a call needs another type or length."""
        return self._captured_calls().kernels()

    def __repr__(self) -> str:
        target = self.settings.kernel_options.target
        return f"ember.Kernel({self.original!r}, target={target!r})"


class FunctionKernel(Kernel):
    """A compiled function, or another callable that is no module."""

    def __init__(self, original: Callable[..., Any], settings: Settings) -> None:
        self.original = original
        self.settings = settings
        self._calls = CapturedCalls(original, original, settings)

    def _captured_calls(self) -> CapturedCalls:
        return self._calls

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._calls(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        """The original's attribute. Names with an underscore are protocols, of one's own."""
        if name.startswith("_") or name == "original":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.original, name)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """In a class, a compiled function is a method as the function is."""
        if instance is None or not isinstance(self.original, types.FunctionType):
            return self
        return types.MethodType(self, instance)


class ModuleKernel(Kernel, private.CompiledModule):  # type: ignore[misc, valid-type]
    """A compiled module: torch.compile's own module around the original, with other calls.

    What is set, registered, moved or loaded is that of the original, which is the submodule
    _orig_mod, as names of parameters and of the state show. Hooks may be those of either.
    """

    def __init__(self, original: nn.Module, settings: Settings) -> None:
        # Before PyTorch's own attributes, whose places depend on the class.
        self.__dict__["_ember_settings"] = settings
        super().__init__(original, self._capture)

    def _capture(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """What the module's forward is: calls of the original."""
        calls = CapturedCalls(function, self.original, self.settings)
        self.__dict__["_ember_calls"] = calls
        return calls.__call__

    @property
    def original(self) -> nn.Module:  # type: ignore[override]
        """The module that was compiled."""
        module: nn.Module = self._modules["_orig_mod"]
        return module

    @property
    def settings(self) -> Settings:  # type: ignore[override]
        """How it was compiled."""
        found: Settings = self.__dict__["_ember_settings"]
        return found

    def _captured_calls(self) -> CapturedCalls:
        calls: CapturedCalls = self.__dict__["_ember_calls"]
        return calls

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if _is_dynamo_compiling():
            return self._modules["_orig_mod"](*args, **kwargs)
        if private.has_hooks_around(self):
            return private.CompiledModule.__call__(self, *args, **kwargs)
        return self.forward(*args, **kwargs)


def original_of(model: Callable[..., Any]) -> Callable[..., Any]:
    """The model that ember.compile or torch.compile was given, if it is one that they returned."""
    while (
        inner := model.original if isinstance(model, Kernel) else private.original_of(model)
    ) is not model:
        model = inner
    return model
