"""Runs what is left of a graph by PyTorch's Inductor: calls of kernels become operators it knows.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import itertools
import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import torch
from torch import Tensor
from torch.fx import GraphModule, Node

from ember.torch.operations import value_of
from ember.torch.region_call import RegionCall

# The calls by the number that their operator is given.
_calls: dict[int, RegionCall] = {}
_numbers = itertools.count()


def compile_rest(module: GraphModule, example_inputs: Sequence[Any]) -> Callable[..., Any]:
    """Compiles a graph, in which there are calls of kernels, by Inductor."""
    from torch._inductor.compile_fx import compile_fx

    for node in module.graph.nodes:
        if node.op == "call_function" and isinstance(node.target, RegionCall):
            number = next(_numbers)
            _calls[number] = node.target
            kinds = [_kind(argument) for argument in node.args]
            with module.graph.inserting_before(node):
                numbers = _numbers_of(node, kinds)
            node.args = (
                [one for one, kind in zip(node.args, kinds, strict=True) if kind == "t"],
                numbers,
                "".join(kinds),
                number,
            )
            node.target = torch.ops.ember.region.default
    module.graph.lint()
    module.recompile()
    compiled = compile_fx(module, list(example_inputs))
    return cast(Callable[..., Any], compiled)


def _kind(argument: Any) -> str:
    """t for a tensor, n for a number, a digit for a size of so many numbers, and - for None."""
    value = value_of(argument)
    if isinstance(value, tuple):
        return str(len(value))
    return "t" if isinstance(value, Tensor) else "-" if value is None else "n"


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
    sources = {"t": iter(tensors), "n": iter(numbers), "-": itertools.repeat(None)}
    return [
        tuple(itertools.islice(sources["n"], int(kind))) if kind.isdigit() else next(sources[kind])
        for kind in kinds
    ]


@torch.library.custom_op("ember::region", mutates_args=())
def _region(tensors: Sequence[Tensor], numbers: Sequence[int], kinds: str, call: int) -> Tensor:
    """What the call of that number computes."""
    with torch.no_grad():
        result: Tensor = _calls[call](*_arguments(tensors, numbers, kinds))
    return _apart(result, tensors)


@_region.register_fake
def _(tensors: Sequence[Tensor], numbers: Sequence[int], kinds: str, call: int) -> Tensor:
    like: Tensor = _calls[call].reference(*_arguments(tensors, numbers, kinds))
    return torch.empty_like(like, memory_format=torch.contiguous_format)


def _apart(tensor: Tensor, others: Sequence[Tensor]) -> Tensor:
    """The tensor, contiguous, in memory that none of the others has: operators return no views.

    A gradient may be a column of another one.
    """
    tensor = tensor.contiguous()
    taken = {other.untyped_storage()._cdata for other in others}
    return tensor.clone() if tensor.untyped_storage()._cdata in taken else tensor


@contextmanager
def _autograd_again() -> Iterator[None]:
    """Lets autograd see operations inside of an operator, where it is past."""
    key = torch._C.DispatchKey.AutogradFunctionality
    with torch._C._SetExcludeDispatchKeyGuard(key, False):
        yield


@torch.library.custom_op("ember::region_backward", mutates_args=())
def _backward(
    gradient: Tensor,
    tensors: Sequence[Tensor],
    numbers: Sequence[int],
    kinds: str,
    call: int,
    needed: Sequence[bool],
) -> list[Tensor]:
    """The gradients of those tensors that need them."""
    wanted = iter(needed)
    arguments = _arguments(tensors, numbers, kinds)
    needs = [kind == "t" and next(wanted) for kind in kinds]
    with torch.no_grad(), _autograd_again():
        found = _calls[call].gradients(arguments, needs, gradient)
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
    call: int,
    needed: Sequence[bool],
) -> list[Tensor]:
    return [
        torch.empty_like(tensor, memory_format=torch.contiguous_format)
        for tensor, need in zip(tensors, needed, strict=True)
        if need
    ]


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    tensors, numbers, ctx.kinds, ctx.call = inputs
    ctx.numbers = list(numbers)
    ctx.save_for_backward(*tensors)


def _differentiate(ctx: Any, gradient: Tensor) -> Any:
    tensors = list(ctx.saved_tensors)
    needed = [tensor.requires_grad for tensor in tensors]
    found = iter(_backward(gradient, tensors, ctx.numbers, ctx.kinds, ctx.call, needed))
    gradients = [next(found) if need else None for need in needed]
    # An empty list counts as one of tensors.
    return gradients, None if ctx.numbers else [], None, None


_region.register_autograd(_differentiate, setup_context=_keep)
