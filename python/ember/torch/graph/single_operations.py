"""What single operations of a graph are: their statements, their results, and what these are of.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import operator
import re
from weakref import WeakKeyDictionary

import torch
from torch import Tensor
from torch.fx import Graph, Node

from ember.torch.graph.costs import is_slow
from ember.torch.graph.effects import example_of, is_transformed
from ember.torch.graph.irregular import is_irregular, looked_up_in
from ember.torch.graph.operations import CONSTANTS, called_name, is_name_of_view, likely_sizes, read
from ember.torch.graph.remembered import remembered
from ember.torch.graph.trace import say_untraced, trace
from ember.torch.translate.translation import text_of

_REDUCTION = re.compile(r"\bsum\[")
# The statements of operations of a kind, if they have some, and which of a graph's have been asked.
_MOST_REMEMBERED = 1 << 14
_remembered: dict[str, str | None] = {}
_texts: WeakKeyDictionary[Graph, dict[str, str | None]] = WeakKeyDictionary()


def text_of_operation(node: Node) -> str | None:
    """The statements of an operation by itself; None if it has none."""
    known = _texts.setdefault(node.graph, {})
    if is_within_transform(node):
        return None
    if node.name not in known:
        kind = _kind_of(node)
        if kind not in _remembered:
            if len(_remembered) >= _MOST_REMEMBERED:
                _remembered.clear()
            _remembered[kind] = _translated_text(node)
        known[node.name] = _remembered[kind]
    return known[node.name]


def _kind_of(node: Node) -> str:
    """What tells operations apart that are translated or not."""
    if (several := made_with_others(node)) is not None:
        return f"{_kind_of(several)}[{node.args[1]}]"

    operation = read(node)
    is_of_rows = operation is not None and operation.name in ("embedding", "embedding_bag")

    def described(argument: Node) -> str:
        example = example_of(argument)
        if not isinstance(example, Tensor):
            return type(example).__name__
        sizes = example.shape
        if is_of_rows and sizes and isinstance(sizes[0], int) and sizes[0] > 1:
            # A model's tables are alike but for their numbers of rows and of lookups.
            return f"{example.dtype} several {tuple(sizes[1:])}"
        return f"{example.dtype} {tuple(sizes)} {likely_sizes(sizes)}"

    arguments = torch.fx.node.map_arg((node.args, node.kwargs), described)
    return f"{node.op} {node.target} {arguments}"


def _translated_text(node: Node) -> str | None:
    if are_tensors(node):
        return ""
    several = made_with_others(node)
    inputs = (several or node).all_input_nodes
    try:
        return text_of(trace(node, [several, node] if several else [node], inputs))
    except Exception as error:
        say_untraced(node, error)
        return None


def is_within_transform(node: Node) -> bool:
    """Whether values have other sizes than what they are of."""
    return is_transformed(node) or any(map(is_transformed, node.all_input_nodes))


def are_tensors(node: Node) -> bool:
    """Whether an operation has several results, as a split has: what takes them is translated."""
    example = example_of(node)
    return isinstance(example, tuple | list) and 0 < len(tensors_of(node)) == len(example)


def made_with_others(node: Node) -> Node | None:
    """The operation that a node takes one of several results of."""
    source = node.args[0] if node.target is operator.getitem else None
    return source if isinstance(source, Node) and are_tensors(source) else None


def tensors_of(node: Node) -> list[Tensor]:
    """The tensor that a node has as its value, or those."""
    example = example_of(node)
    values = example if isinstance(example, tuple | list) else [example]
    return [one for one in values if isinstance(one, Tensor)]


def is_complex(node: Node) -> bool:
    """Whether a node's value is a complex tensor, or has some."""
    return any(tensor.is_complex() for tensor in tensors_of(node))


@remembered
def is_view(node: Node) -> bool:
    """Whether a node shows a tensor's elements at other indices, in the same memory."""
    if looked_up_in(node) is not None:
        return False
    operation = read(node)
    if operation is not None:
        return is_name_of_view(operation.name) and not operation.in_place
    return is_name_of_view(called_name(node))


def is_elementwise(node: Node) -> bool:
    """Whether each element of a node's value is computed of one of each operand, in little time."""
    text = text_of_operation(node)
    if text is None or is_irregular(node):
        return False
    return not is_slow(text) and not _REDUCTION.search(text)


def is_constant(node: Node) -> bool:
    """Whether a node makes a tensor of one number, as what others are added to begins with."""
    operation = read(node)
    return operation is not None and operation.name in CONSTANTS


def dtype_of(node: Node) -> torch.dtype | None:
    """The type of a node's tensor; None where it has none."""
    example = example_of(node)
    return example.dtype if isinstance(example, Tensor) else None
