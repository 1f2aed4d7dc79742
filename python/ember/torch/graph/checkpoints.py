"""Parts of models that are computed again for the gradient: torch.utils.checkpoint.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import copy
import operator
from collections.abc import Callable, Sequence
from typing import Any

from torch.fx import Graph, GraphModule, Node

from ember.torch.calls.region_call import RegionCall
from ember.torch.graph.operations import is_tensor
from ember.torch.graph.single_operations import is_view


def inline_checkpoints(graph: Graph, put_kernels: Callable[[GraphModule], Any]) -> None:
    """Puts what is checkpointed into the graph where kernels compute all of it: these keep what
    they are given, and nothing that a checkpoint would spare.

    put_kernels: changes a module's graph, so that kernels compute what they can.
    """
    owner = graph.owning_module
    for node in list(graph.nodes):
        if getattr(node.target, "__name__", "") != "tag_activation_checkpoint":
            continue
        body = getattr(owner, str(node.args[0].target), None)
        if not isinstance(body, GraphModule) or "_checkpoint_context_fn" in body.meta:
            continue
        trial = copy.deepcopy(body)
        put_kernels(trial)
        if not any(map(_is_kept, trial.graph.nodes)):
            _inline(graph, node, body.graph)


def _is_kept(node: Node) -> bool:
    """Whether a node is an operation of PyTorch that makes a tensor, which a gradient may need."""
    is_call = node.op.startswith("call") and not isinstance(node.target, RegionCall)
    return is_call and is_tensor(node) and not is_view(node)


def _inline(graph: Graph, node: Node, body: Graph) -> None:
    given = dict(zip(body.find_nodes(op="placeholder"), node.args[1:], strict=True))
    with graph.inserting_before(node):
        made = graph.graph_copy(body, given)
    several: Sequence[Any] = made if isinstance(made, tuple | list) else (made,)
    for taken in list(node.users):
        assert taken.target is operator.getitem
        number: Any = taken.args[1]
        taken.replace_all_uses_with(several[number])
        graph.erase_node(taken)
    graph.erase_node(node)
