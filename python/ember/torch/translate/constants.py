"""Tensors of integers, and numbers, that a graph makes of nothing, as torch.tril_indices does: made
once.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Iterable, Iterator
from typing import Any, TypeGuard

import torch
from torch import Tensor
from torch.fx import Graph, Node
from torch.fx.node import map_arg

from ember.torch.calls.kept_tensors import for_later_calls
from ember.torch.capture import private
from ember.torch.element_types import INDEX_TYPES

# What is larger stays an input.
MOST_ELEMENTS = 1 << 16


def constants_of(graph: Graph) -> dict[Node, Tensor]:
    """The values of operators that read nothing but numbers and other such operators."""
    found: dict[Node, Tensor] = {}
    for node in graph.nodes:
        if not set(node.all_input_nodes) <= found.keys():
            continue
        value = None
        if node.op == "get_attr":
            value = getattr(graph.owning_module, str(node.target), None)
        elif node.op == "call_function" and _is_fixed(node):
            arguments, keywords = map_arg((node.args, node.kwargs), found.__getitem__)
            with for_later_calls():
                value = node.target(*arguments, **keywords)
        if _is_number_or_places(value):
            found[node] = value
    return found


def _is_number_or_places(value: Any) -> TypeGuard[Tensor]:
    """Whether a tensor is one number, or has integers or booleans."""
    if not isinstance(value, Tensor):
        return False
    is_number = value.is_floating_point() and not value.dim()
    return is_number or value.dtype in (*INDEX_TYPES, torch.bool)


def _is_fixed(node: Node) -> bool:
    """Whether an operator computes few integers, the same ones in each call."""
    target, example = node.target, node.meta.get("val")
    return (
        isinstance(target, private.OpOverload)
        and not target._schema.is_mutable
        and torch.Tag.nondeterministic_seeded not in target.tags
        and _is_number_or_places(example)
        and all(isinstance(size, int) and size <= MOST_ELEMENTS for size in example.shape)
        and not any(isinstance(one, torch.SymInt) for one in _numbers(node.args))
    )


def _numbers(arguments: Iterable[Any]) -> Iterator[Any]:
    """Arguments, and those in lists."""
    for argument in arguments:
        yield from argument if isinstance(argument, list | tuple) else (argument,)
