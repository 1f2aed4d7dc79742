"""Gradients of statements: PyTorch calls the kernels of their derivatives.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import torch

from ember.errors import ArgumentError, KernelError
from ember.sparse.array import Array
from ember.sparse.function import Function
from ember.sparse.kinds import Kind, kind_of, taken
from ember.sparse.messages import explained
from ember.sparse.statement import Statement, gradient_suffix
from ember.sparse.stored_values import (
    StoredValues,
    needs_stored_values,
    stored_values_of,
    with_values,
)

# Gradients of these are added up in f32.
_HALVES = (torch.float16, torch.bfloat16)


def needs_gradient(arrays: Mapping[str, Any]) -> bool:
    """Whether PyTorch is going to ask for the gradient by one of the arguments."""
    return torch.is_grad_enabled() and any(
        isinstance(given, torch.Tensor) and given.requires_grad for given in arrays.values()
    )


@dataclass(frozen=True)
class _Source:
    """Statements, or a gradient of them.

    kinds: of the arguments of the statements themselves. functions: of users, by what statements
    call them, with what tells them apart from what they were before. gradients: each of the one
    before it, as emberc takes them.
    """

    text: str
    kinds: tuple[tuple[str, Kind], ...]
    functions: tuple[tuple[str, tuple[Function, int]], ...] = ()
    gradients: tuple[str, ...] = ()

    @property
    def suffix(self) -> str:
        """What the next gradient's names end with."""
        return gradient_suffix(len(self.gradients) + 1)


@cache
def _compile(source: _Source, kinds: tuple[tuple[str, Kind], ...]) -> Statement:
    """The kernel for arguments of these kinds."""
    given = dict(kinds) if source.gradients else None
    functions = {name: function for name, (function, _) in source.functions}
    return Statement(source.text, dict(source.kinds), True, source.gradients, given, functions)


def evaluate_with_gradients(
    text: str, arrays: Mapping[str, Any], functions: Mapping[str, Function] | None = None
) -> Any:
    """What statements, which may call functions of users, assign to, as results that PyTorch
    differentiates.

    Raises what es.evaluate does, and ArgumentError for arguments that have no gradient.
    """
    arguments = {name: _argument(name, given) for name, given in arrays.items()}
    called = tuple((name, one.version) for name, one in (functions or {}).items())
    results = _differentiable(_Source(text, _kinds_of(arguments), called), arguments)
    return results[0] if len(results) == 1 else results


def _argument(name: str, given: Any) -> Any:
    """An argument as kernels take it, or as what it stores if a gradient is by that."""
    if not needs_stored_values(given):
        return taken(name, given)
    try:
        return stored_values_of(given)
    except ArgumentError as error:
        raise ArgumentError(f"{name}: {error}") from None


def _kinds_of(arguments: Mapping[str, Any]) -> tuple[tuple[str, Kind], ...]:
    """What arguments are; raises ArgumentError."""
    kinds = []
    for name, given in arguments.items():
        try:
            kinds.append((name, kind_of(_of_kernel(given))))
        except ArgumentError as error:
            raise ArgumentError(f"{name}: {error}") from None
    return tuple(kinds)


def _of_kernel(argument: Any) -> Any:
    """What a kernel takes for an argument."""
    return argument.as_array() if isinstance(argument, StoredValues) else argument


def _differentiable(source: _Source, arguments: dict[str, Any]) -> tuple[Any, ...]:
    """The results of a kernel, with their gradients if anybody is going to ask for them."""
    kernel = _compile(source, _kinds_of(arguments))
    for name in kernel.results:
        kind = kernel.kinds.get(name)
        if kind is not None and kind.is_stored:
            raise ArgumentError(
                f"{source.text}: '{name}' is in a format, and only dense results have gradients"
            )
        if kind is not None and not kind.is_room:
            _check_in_place(source, kernel, name, arguments[name])
    names = tuple(arguments)
    apply: Any = _Evaluation.apply
    stored = {name: one for name, one in arguments.items() if isinstance(one, StoredValues)}
    patterns = {name: one.pattern for name, one in stored.items()}
    values = {**arguments, **{name: one.values for name, one in stored.items()}}
    results = apply(source, kernel, names, patterns, *values.values())
    return results if isinstance(results, tuple) else (results,)


def _check_in_place(source: _Source, kernel: Statement, name: str, given: Any) -> None:
    """That what is assigned to in place has gradients: by all but what it held before."""
    where = f"{source.text}: '{name}' is assigned to in place"
    if not isinstance(given, torch.Tensor):
        raise ArgumentError(f"{where}, and only what is assigned to a tensor has a gradient")
    if given.requires_grad:
        raise ArgumentError(
            f"{where}, and what it held before would need a gradient: leave it out, or detach() it"
        )
    (parameter,) = [one for one in kernel.parameters if one.name == name]
    if parameter.given or (parameter.initial is not None and float(parameter.initial) != 0):
        raise ArgumentError(
            f"{where}, and what it held before is more than added to, which has no gradient: leave "
            "it out, or detach() all tensors"
        )


class _Evaluation(torch.autograd.Function):
    """A kernel, and the kernel of its gradient."""

    @staticmethod
    def forward(
        ctx: Any,
        source: _Source,
        kernel: Statement,
        names: tuple[str, ...],
        patterns: dict[str, Array],
        *values: Any,
    ) -> Any:
        """Evaluates the statements on `values` of these names, stored ones in their patterns."""
        detached = [one.detach() if isinstance(one, torch.Tensor) else one for one in values]
        given = dict(zip(names, detached, strict=True))
        stored = {name: with_values(pattern, given[name]) for name, pattern in patterns.items()}
        results = kernel({**given, **stored})
        results = results if isinstance(results, tuple) else (results,)
        # What is assigned to in place is the caller's tensor.
        in_place = {
            name: given
            for name, given in zip(names, values, strict=True)
            if name in kernel.results and isinstance(given, torch.Tensor)
        }
        results = tuple(
            in_place.get(name, result) for name, result in zip(kernel.results, results, strict=True)
        )
        ctx.mark_dirty(*in_place.values())
        tensors = [one for one in values if isinstance(one, torch.Tensor)]
        ctx.save_for_backward(*tensors, *results)
        ctx.source, ctx.kernel, ctx.names, ctx.patterns = source, kernel, names, patterns
        ctx.others = [None if isinstance(one, torch.Tensor) else one for one in values]
        ctx.are_tensors = [isinstance(one, torch.Tensor) for one in values]
        ctx.mark_non_differentiable(*[one for one in results if not one.is_floating_point()])
        ctx.set_materialize_grads(False)
        return results

    @staticmethod
    def backward(ctx: Any, *given: Any) -> Any:
        """The gradients by the arguments that need one."""
        saved = iter(ctx.saved_tensors)
        arguments = {
            name: next(saved) if is_tensor else other
            for name, is_tensor, other in zip(ctx.names, ctx.are_tensors, ctx.others, strict=True)
        }
        for name, pattern in ctx.patterns.items():
            arguments[name] = StoredValues(pattern, arguments[name])
        needed = ctx.needs_input_grad[4:]
        parameters = {
            name: f"{name}_values" if name in ctx.patterns else name for name in ctx.names
        }
        # What a gradient does not read has none by itself.
        read = {parameter.name for parameter in ctx.kernel.parameters}
        wanted = [
            name
            for name, needs in zip(ctx.names, needed, strict=True)
            if needs and parameters[name] in read
        ]
        kinds = {name: arguments[name].dtype for name in wanted}
        suffix = ctx.source.suffix
        of = []
        for name in ctx.kernel.results:
            arguments[name] = next(saved)
        for name, gradient in zip(ctx.kernel.results, given, strict=True):
            if gradient is not None:
                of.append(name)
                arguments[name + suffix] = _wide(gradient)
        if not of or not wanted:
            return (None,) * (4 + len(needed))
        asked = f"{','.join(of)}:{','.join(wanted)}"
        source = replace(ctx.source, gradients=(*ctx.source.gradients, asked))
        kernel = _compile(source, _kinds_of(arguments))
        try:
            results = dict(zip(kernel.results, _differentiable(source, arguments), strict=True))
        except KernelError as error:
            # Nothing on the stack of a backward pass says which statements these are.
            message = explained(str(error), arguments)
            where = "" if source.text in message else f", in the gradient of {source.text}"
            raise type(error)(message + where) from None
        gradients = [
            results[parameters[name] + suffix].to(kinds[name]) if name in kinds else None
            for name in ctx.names
        ]
        return (None, None, None, None, *gradients)


def _wide(gradient: torch.Tensor) -> torch.Tensor:
    """A gradient of the type that kernels take, and in memory as they take it."""
    return gradient.to(torch.float32) if gradient.dtype in _HALVES else gradient
