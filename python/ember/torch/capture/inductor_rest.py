"""Runs what is left of a graph by PyTorch's Inductor: calls of kernels become operators it knows.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import hashlib
import itertools
import logging
import operator
import threading
import weakref
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, cast

import torch
from torch import Tensor
from torch.fx import GraphModule, Node

import ember
from ember.errors import KernelError
from ember.torch.calls.region_call import ReferenceGraph, RegionCall
from ember.torch.capture import private, private_names
from ember.torch.gradients.differentiable import gradients_of_reference
from ember.torch.graph.operations import value_of
from ember.torch.report.report import Report
from ember.torch.settings import Settings

# The calls by their keys, as long as graphs have them.
_calls: weakref.WeakValueDictionary[str, RegionCall] = weakref.WeakValueDictionary()
_lock = threading.Lock()


def key_of(call: RegionCall, arguments: Sequence[Any], settings: Settings) -> str:
    """A name for all that a call of these nodes and numbers does: values, errors and messages.

    The name of the call is a part of it, so that the calls of one graph are apart: each of them
    remembers its last arguments.
    """
    assert isinstance(call.reference, ReferenceGraph)
    parts = [
        ember.__version__,
        type(call).__qualname__,
        call.__name__,
        repr(sorted(call.names.items())),
        repr(settings),
        call.reference.module.code,
        *(_described(argument) for argument in arguments),
    ]
    digest = hashlib.sha256()
    for part in parts:
        # With its length in front, no two lists of parts read the same.
        digest.update(f"{len(part)}:{part}".encode())
    return digest.hexdigest()


def _described(argument: Any) -> str:
    """An argument as graphs of any process have it: a tensor's properties, or the number."""
    value = value_of(argument)
    if isinstance(value, Tensor):
        return f"{value.dtype} {value.layout} {value.device} {tuple(value.shape)}"
    return f"{isinstance(argument, Node)} {value!r}"


def shared(key: str, call: RegionCall) -> RegionCall:
    """The call of that key that some graph has, or else this one, which is it from now on.

    Whoever compiles again wants a kernel to be tried again.
    """
    with _lock:
        found = _calls.setdefault(key, call)
    found.failed = ""
    return found


def registered(key: str) -> RegionCall:
    """The call of that key; raises KernelError if no graph has it."""
    try:
        return _calls[key]
    except KeyError:
        raise KernelError(
            "a part of a graph that Inductor compiled for backend='ember' was called after its "
            "graph was dropped: keep what torch.compile returned, or compile again"
        ) from None


_log = logging.getLogger(__name__)


def compile_rest(
    module: GraphModule, example_inputs: Sequence[Any], settings: Settings, report: Report
) -> Callable[..., Any]:
    """Compiles a graph, in which there are calls of kernels, by Inductor.

    The report's calls become those that are made: another graph may have had equal ones.
    """
    compile_fx = private.inductor()
    if compile_fx is None:
        lacking = ", ".join(private_names.missing(private_names.INDUCTOR))
        _log.warning("PyTorch runs the rest as it is: this release of it has no %s", lacking)
        return module.forward
    calls: dict[RegionCall, RegionCall] = {}
    for node in module.graph.nodes:
        if node.op == "call_function" and isinstance(node.target, RegionCall):
            key = key_of(node.target, node.args, settings)
            calls[node.target] = shared(key, node.target)
            kinds = [_kind(argument) for argument in node.args]
            if any(isinstance(one, Tensor) and one.requires_grad for one in example_inputs):
                _mark_detached(kinds, node)
            with module.graph.inserting_before(node):
                numbers = _numbers_of(node, kinds)
            node.args = (
                [one for one, kind in zip(node.args, kinds, strict=True) if kind in _TENSORS],
                numbers,
                "".join(kinds),
                key,
            )
            node.target = torch.ops.ember.region.default
    report.compiled = [
        replace(part, call=calls.get(part.call, part.call)) for part in report.compiled
    ]
    module.graph.lint()
    module.recompile()
    compiled = compile_fx(module, list(example_inputs))
    return _with_calls(cast(Callable[..., Any], compiled), tuple(calls.values()))


def _with_calls(compiled: Callable[..., Any], calls: tuple[RegionCall, ...]) -> Callable[..., Any]:
    """The compiled graph, which keeps its calls; its results do, too, until their gradients."""

    def run(*arguments: Any) -> Any:
        results = compiled(*arguments)
        for result in results:
            if isinstance(result, Tensor) and (function := result.grad_fn) is not None:
                cast(dict[str, Any], function.metadata)["ember"] = calls
        return results

    return run if calls else compiled


# The kinds of tensors: the result has no gradient of what is detached, not one of zeros.
_DIFFERENTIABLE, _DETACHED = _TENSORS = "td"


def _kind(argument: Any) -> str:
    """t for a tensor, n for a number, a digit for a size of so many numbers, and - for None.

    Tensors that the result has no gradient of, as what is only compared, become d.
    """
    value = value_of(argument)
    if isinstance(value, tuple):
        return str(len(value))
    return _DIFFERENTIABLE if isinstance(value, Tensor) else "-" if value is None else "n"


def _mark_detached(kinds: list[str], node: Node) -> None:
    """Says of the tensors of a call that its result has no gradient of that they are detached."""
    given = [value_of(argument) for argument in node.args]
    may_need = [isinstance(value, Tensor) and value.is_floating_point() for value in given]
    # A gradient that a result has is that of its only tensor, if there is one.
    if sum(may_need) < 2 or not private.has_operators:
        return
    call = cast(RegionCall, node.target)
    with private.running_operators([value_of(node), *given], are_changed=False) as known:
        result, *values = known
        with private.trial(known):
            gradient = torch.empty_like(result)
            found = gradients_of_reference(call.reference, values, may_need, gradient)
    for place, (may, one) in enumerate(zip(may_need, found, strict=True)):
        if may and one is None:
            kinds[place] = _DETACHED


def _numbers_of(node: Node, kinds: Sequence[str]) -> list[Any]:
    """The numbers among a call's arguments, those of sizes one by one."""
    found: list[Any] = []
    for argument, kind in zip(node.args, kinds, strict=True):
        if kind == "n":
            found.append(argument)
        elif kind.isdigit():
            for place, value in enumerate(value_of(argument)):
                one = node.graph.call_function(operator.getitem, (argument, place))
                one.meta["example_value"] = value
                found.append(one)
    return found


def _arguments(tensors: Sequence[Tensor], numbers: Sequence[int], kinds: str) -> list[Any]:
    """The call's arguments, put together again."""
    given = iter(tensors)
    sources = {
        **dict.fromkeys(_TENSORS, given),
        "n": iter(numbers),
        "-": itertools.repeat(None),
    }
    return [
        tuple(itertools.islice(sources["n"], int(kind))) if kind.isdigit() else next(sources[kind])
        for kind in kinds
    ]


@torch.library.custom_op("ember::region", mutates_args=())
def _region(tensors: Sequence[Tensor], numbers: Sequence[int], kinds: str, call: str) -> Tensor:
    """What the call of that key computes."""
    with torch.no_grad():
        result: Tensor = registered(call)(*_arguments(tensors, numbers, kinds))
    return _apart(result, tensors)


@_region.register_fake
def _(tensors: Sequence[Tensor], numbers: Sequence[int], kinds: str, call: str) -> Tensor:
    like: Tensor = registered(call).reference(*_arguments(tensors, numbers, kinds))
    return torch.empty_like(like, memory_format=torch.contiguous_format)


def _apart(tensor: Tensor, others: Sequence[Tensor]) -> Tensor:
    """The tensor, contiguous, in memory that none of the others has: operators return no views.

    A gradient may be a column of another one; one of looked-up rows may be those of its values.
    """
    if tensor.layout is torch.strided:
        tensor = tensor.contiguous()
    taken = {memory for other in others for memory in _memory(other)}
    return tensor if taken.isdisjoint(_memory(tensor)) else tensor.clone()


def _memory(tensor: Tensor) -> list[int]:
    """What tells the storages of a tensor from others."""
    parts = [tensor._indices(), tensor._values()] if tensor.layout is torch.sparse_coo else [tensor]
    return [part.untyped_storage().data_ptr() for part in parts]


@torch.library.custom_op("ember::region_backward", mutates_args=())
def _backward(
    gradient: Tensor,
    tensors: Sequence[Tensor],
    numbers: Sequence[int],
    kinds: str,
    call: str,
    needed: Sequence[bool],
) -> list[Tensor]:
    """The gradients of those tensors that need them."""
    wanted = iter(needed)
    arguments = _arguments(tensors, numbers, kinds)
    needs = [kind in _TENSORS and next(wanted) for kind in kinds]
    with torch.no_grad(), private.autograd_again():
        found = registered(call).gradients(arguments, needs, gradient)
    others = [gradient, *tensors]
    for argument, one, need in zip(arguments, found, needs, strict=True):
        if need:
            others.append(torch.zeros_like(argument) if one is None else _apart(one, others))
    return others[1 + len(tensors) :]


@_backward.register_fake
def _(
    gradient: Tensor,
    tensors: Sequence[Tensor],
    numbers: Sequence[int],
    kinds: str,
    call: str,
    needed: Sequence[bool],
) -> list[Tensor]:
    wanted = iter(needed)
    arguments = _arguments(tensors, numbers, kinds)
    needs = [kind in _TENSORS and next(wanted) for kind in kinds]
    # PyTorch's own say which are sparse.
    with torch.no_grad(), private.autograd_again():
        likes = gradients_of_reference(registered(call).reference, arguments, needs, gradient)
    return [
        torch.empty_like(argument, memory_format=torch.contiguous_format)
        if like is None or like.layout is torch.strided
        else torch.empty(argument.shape, dtype=like.dtype, layout=like.layout, device=like.device)
        for argument, like, need in zip(arguments, likes, needs, strict=True)
        if need
    ]


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    tensors, numbers, ctx.kinds, ctx.call = inputs
    ctx.numbers = list(numbers)
    ctx.save_for_backward(*tensors)
    # Of a result that is detached everywhere, there is no gradient, and none of its inputs.
    ctx.set_materialize_grads(False)


def _differentiate(ctx: Any, gradient: Tensor | None) -> Any:
    tensors = list(ctx.saved_tensors)
    of_tensors = [kind for kind in ctx.kinds if kind in _TENSORS]
    needed = [
        tensor.requires_grad and kind == _DIFFERENTIABLE
        for tensor, kind in zip(tensors, of_tensors, strict=True)
    ]
    gradients: list[Tensor | None] = [None] * len(tensors)
    if gradient is not None and any(needed):
        found = iter(_backward(gradient, tensors, ctx.numbers, ctx.kinds, ctx.call, needed))
        gradients = [next(found) if need else None for need in needed]
    # An empty list counts as one of tensors.
    return gradients, None if ctx.numbers else [], None, None


_region.register_autograd(_differentiate, setup_context=_keep)
