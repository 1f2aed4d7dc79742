"""Parts of captured graphs as ATen's operators, so that all spellings of an operation are one.

PyTorch's own decompositions make the graph: F.normalize is a norm, a clamp and a division there,
einsum a product of matrices between views.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import torch
from torch.fx import Graph, GraphModule, Interpreter, Node

from ember.torch import private
from ember.torch.effects import example_of

# Operators that have statements as they are, or none: their gradient is another one than that of
# their decomposition, which is infinite times 0 where it computes what it does not choose, or
# another one where they have a kink.
_WHOLE = frozenset(
    f"aten::{name}"
    for name in (
        "celu",
        "hardsigmoid",
        "hardswish",
        "logit",
        "mish",
        "sinc",
        "softplus",
        "special_entr",
        "special_xlog1py",
        "std",
        "xlogy",
    )
)


@dataclass(frozen=True)
class Traced:
    """What a part of a graph computes.

    graph: of ATen's operators, each with the example of its value. inputs: which node of the
    captured graph each placeholder stands for. sources: the nodes that operators come from.
    """

    graph: Graph
    inputs: dict[Node, Node]
    sources: dict[Node, Node]

    @property
    def result(self) -> Node:
        """The operator whose value the part's root has."""
        (found,) = self.graph.output_node().all_input_nodes
        return found


def trace(root: Node, nodes: Collection[Node], inputs: Sequence[Node]) -> Traced:
    """The operators of `nodes`, the last of which is `root`, on values of `inputs`.

    Raises what the operators raise on examples of these values.
    """
    part, copied = Graph(), {}
    for value in inputs:
        copied[value] = part.placeholder(value.name)
    numbered = sorted(nodes)
    for number, node in enumerate(numbered):
        copied[node] = part.node_copy(node, copied.__getitem__)
        private.mark(copied[node], number)
    part.output(copied[root])
    run = Interpreter(GraphModule(torch.nn.Module(), part)).run
    graph = private.operators_of(run, [example_of(value) for value in inputs], _WHOLE)
    placeholders = graph.find_nodes(op="placeholder")
    sources = {}
    for node in graph.nodes:
        place = private.mark_of(node)
        if node.op == "call_function" and place is not None:
            sources[node] = numbered[place]
    return Traced(graph, dict(zip(placeholders, inputs, strict=True)), sources)
