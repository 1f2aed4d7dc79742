"""Spells losses of several scores as a number for each sample, and the mean or sum of these.

F.margin_ranking_loss(one, other, target) yields one number, of which no kernel is, and a kernel of
its own computes each score. Before its mean, one kernel computes it with both of them.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import inspect
from collections.abc import Callable

import torch
import torch.nn.functional as functional
from torch import Tensor
from torch.fx import Graph, Node

from ember.torch.graph.discovery import behind_lookups
from ember.torch.graph.operations import tensor_of, value_of
from ember.torch.graph.remembered import forget
from ember.torch.graph.single_operations import text_of_operation

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
            _spell(graph, node, loss)


def _spell(graph: Graph, node: Node, loss: Callable[..., Tensor]) -> None:
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
