"""PyTorch's own computation of a part of a graph, made when it is first needed.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node


class ReferenceGraph:
    """Nodes of a graph as a function of its inputs, which returns what the last one yields.

    A graph of them, and its code, take milliseconds to be made, and most kernels never ask.
    Callable from several threads.
    """

    def __init__(self, inputs: Sequence[Any], nodes: Iterable[Node]) -> None:
        self._inputs = inputs
        # Nodes that are erased from their graph have no arguments any more.
        self._calls = [(node, node.op, node.target, node.args, node.kwargs) for node in nodes]

    @cached_property
    def module(self) -> GraphModule:
        """The graph with its code."""
        graph = Graph()
        made: dict[Node, Node] = {}
        for place, value in enumerate(self._inputs):
            placeholder = graph.placeholder(f"input_{place}")
            if isinstance(value, Node):
                made[value] = placeholder
        for node, op, target, args, kwargs in self._calls:
            own_args = torch.fx.node.map_arg(args, made.__getitem__)
            own_kwargs = torch.fx.node.map_arg(kwargs, made.__getitem__)
            made[node] = graph.create_node(op, target, own_args, own_kwargs, node.name)
        graph.output(made[self._calls[-1][0]])
        return GraphModule(torch.nn.Module(), graph)

    def __call__(self, *arguments: Any) -> Any:
        return self.module.forward(*arguments)
