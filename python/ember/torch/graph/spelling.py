"""Spells what graphs have in several ways alike: operators, bags, and losses of several scores.

Functions of torch.ops stand for several operators: they become the one that they call. All bags are
F.embedding_bag of a table that is not renormalised. F.margin_ranking_loss(one, other, target) is
one number, of which no kernel is, and a kernel of its own computes each score: as a number for each
sample, and the mean or sum of these, one kernel computes it with both of them.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import contextlib
import inspect
import operator
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
import torch.nn.functional as functional
from torch import Tensor
from torch.fx import Graph, Node

from ember.torch.capture import private
from ember.torch.graph.discovery import behind_lookups
from ember.torch.graph.effects import example_of
from ember.torch.graph.operations import (
    BAG_OPERATORS,
    given_by_name,
    read,
    same_number,
    tensor_of,
    value_of,
)
from ember.torch.graph.region import erase_unused
from ember.torch.graph.remembered import forget
from ember.torch.graph.single_operations import text_of_operation

_this_thread = threading.local()


@contextlib.contextmanager
def without_renorm() -> Iterator[None]:
    """While entered, calls in this thread leave tables as they are: max_norm is not applied."""
    _this_thread.without_renorm = True
    try:
        yield
    finally:
        _this_thread.without_renorm = False


def renormalise(table: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> None:
    """What max_norm does to the rows that are looked up, ahead of that."""
    if not getattr(_this_thread, "without_renorm", False):
        torch.embedding_renorm_(table, indices, max_norm, norm_type)


def spell_bags(graph: Graph, splits_renorm: bool) -> None:
    """What torch.export writes as operators, of which one has the bags as the first of four
    results, becomes F.embedding_bag; with splits_renorm, max_norm an operation in front of it."""
    for node in list(graph.nodes):
        operation, operator_of_bags = read(node), _operator_of_bags(node)
        if operator_of_bags is not None:
            _spell(graph, node, _arguments_of(operator_of_bags), {node, operator_of_bags})
        elif operation is not None and operation.name == "embedding_bag":
            indices = tensor_of(operation.get("input"))
            is_jagged = indices is None or indices.is_nested
            if operation.get("max_norm") is not None and splits_renorm and not is_jagged:
                _spell(graph, node, dict(operation.arguments), {node})


def _operator_of_bags(node: Node) -> Node | None:
    """ATen's operator of bags, if a node takes the bags from its results."""
    if node.op != "call_function" or node.target is not operator.getitem or node.args[1] != 0:
        return None
    source = node.args[0]
    target = source.target if isinstance(source, Node) else None
    if not isinstance(target, private.OpOverload) or target.namespace != "aten":
        return None
    is_of_bags = target._schema.name.removeprefix("aten::") in BAG_OPERATORS
    return source if is_of_bags and isinstance(source, Node) else None


def _arguments_of(bags: Node) -> dict[str, Any]:
    """F.embedding_bag's arguments of those of an operator."""
    named = given_by_name(bags)
    equal = _equal_bags(named)
    named["input"] = named.pop("indices")
    if equal is not None:
        named["input"], named["offsets"] = equal, None
    # Those without a user's arguments have -1 for no padding.
    name = bags.target._schema.name  # type: ignore[union-attr]
    if name != "aten::embedding_bag" and named.get("padding_idx", -1) < 0:
        named["padding_idx"] = None
    return {**named, "mode": ("sum", "mean", "max")[named.get("mode", 0)]}


def _equal_bags(named: Mapping[str, Any]) -> Node | None:
    """The indices (bags, lookups a bag) that an operator of bags was given.

    ATen has them flat, with offsets that are made of their size.
    """
    flat, offsets = named.get("indices"), named.get("offsets")
    if not isinstance(flat, Node) or not isinstance(offsets, Node):
        return None
    if named.get("per_sample_weights") is not None or named.get("include_last_offset"):
        return None
    aten = torch.ops.aten
    if flat.target is not aten.reshape.default or list(flat.args[1]) != [-1]:  # type: ignore[arg-type]
        return None
    if offsets.target is not aten.arange.start_step or offsets.args[0] != 0:
        return None
    (indices,) = flat.all_input_nodes
    tensor = tensor_of(indices)
    end, step = offsets.args[1:3]
    if tensor is None or tensor.dim() != 2 or not same_number(step, tensor.shape[1]):
        return None
    if not same_number(end, tensor.numel()):
        return None
    return indices


def _spell(graph: Graph, node: Node, arguments: dict[str, Any], replaced: set[Node]) -> None:
    max_norm = arguments.pop("max_norm", None)
    norm_type = arguments.pop("norm_type", 2.0)
    with graph.inserting_before(node):
        if max_norm is not None:
            table = arguments["weight"]
            example = tensor_of(table)
            assert example is not None
            detached = graph.call_function(torch.Tensor.detach, (table,))
            detached.meta["example_value"] = example.detach()
            graph.call_function(renormalise, (detached, arguments["input"], max_norm, norm_type))
        made = graph.call_function(functional.embedding_bag, (), arguments)
    made.meta.update(node.meta)
    node.replace_all_uses_with(made)
    erase_unused(replaced)
    forget()


def spell_overloads(graph: Graph) -> None:
    """Calls of torch.ops.aten.embedding and the like become those of one overload, as torch.export
    writes them, whose schema says what it is given and what it changes."""
    for node in graph.nodes:
        if isinstance(node.target, private.OpOverloadPacket):
            arguments, words = torch.fx.node.map_arg((node.args, node.kwargs), example_of)
            node.target = private.overload_of(node.target, arguments, words) or node.target


# Those whose reduction is that of their elements.
_LOSSES = {
    loss: inspect.signature(loss)
    for loss in (
        functional.cosine_embedding_loss,
        functional.huber_loss,
        functional.l1_loss,
        functional.margin_ranking_loss,
        functional.mse_loss,
        functional.smooth_l1_loss,
        functional.triplet_margin_loss,
    )
}
_REDUCTIONS = ("mean", "sum")
# With these, it is another one: a mean by weights is divided by their sum.
_OTHER_REDUCTIONS = ("size_average", "reduce", "weight")


def spell_losses(graph: Graph) -> None:
    """Gives the mean or sum in losses of several operands behind lookups a node of its own."""
    behind = behind_lookups(graph)
    for node in list(graph.nodes):
        loss = node.target
        operands = sum(one in behind for one in node.all_input_nodes)
        if operands > 1 and callable(loss) and loss in _LOSSES:
            _spell_loss(graph, node, loss)


def _spell_loss(graph: Graph, node: Node, loss: Callable[..., Tensor]) -> None:
    bound = _LOSSES[loss].bind(*node.args, **node.kwargs)
    bound.apply_defaults()
    given, whole = bound.arguments, tensor_of(node)
    reduction = given["reduction"]
    is_other = any(given.get(name) is not None for name in _OTHER_REDUCTIONS)
    if is_other or reduction not in _REDUCTIONS or whole is None:
        return
    given["reduction"] = "none"
    example = loss(**torch.fx.node.map_arg(given, value_of))
    if example.dim() != 1:
        return
    with graph.inserting_before(node):
        elements = graph.call_function(loss, (), dict(given))
        elements.meta.update(node.meta)
        elements.meta["example_value"] = example.detach().requires_grad_(whole.requires_grad)
        if text_of_operation(elements) is None:
            graph.erase_node(elements)
            return
        reduced = graph.call_method(reduction, (elements,))
    reduced.meta.update(node.meta)
    node.replace_all_uses_with(reduced)
    graph.erase_node(node)
    forget()
