"""Spells functions of torch.ops, which stand for several operators, as the operator they call.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import torch
from torch.fx import Graph

from ember.torch.capture import private
from ember.torch.graph.effects import example_of


def spell_overloads(graph: Graph) -> None:
    """Calls of torch.ops.aten.embedding and the like become those of one overload, as torch.export
    writes them, whose schema says what it is given and what it changes."""
    for node in graph.nodes:
        if isinstance(node.target, private.OpOverloadPacket):
            arguments, words = torch.fx.node.map_arg((node.args, node.kwargs), example_of)
            node.target = private.overload_of(node.target, arguments, words) or node.target
