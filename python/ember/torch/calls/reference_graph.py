"""PyTorch's own computation of a part of a graph, made when it is first needed.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from functools import cached_property
from typing import Any

import torch
from torch.fx import Graph, GraphModule


class ReferenceGraph:
    """A graph as a function: its code takes milliseconds to be made, and most kernels never ask.

    Callable from several threads.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    @cached_property
    def module(self) -> GraphModule:
        """The graph with its code."""
        return GraphModule(torch.nn.Module(), self._graph)

    def __call__(self, *arguments: Any) -> Any:
        return self.module.forward(*arguments)
