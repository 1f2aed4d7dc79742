"""Spells all bags of a graph alike: as F.embedding_bag of a table that is not renormalised.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import contextlib
import threading
from collections.abc import Iterator

import torch
import torch.nn.functional as functional
from torch import Tensor
from torch.fx import Graph, Node

from ember.torch.graph.operations import Operation, nodes_of, read, tensor_of
from ember.torch.graph.region import erase_unused
from ember.torch.graph.remembered import forget

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
        operation = read(node)
        if operation is None or operation.name != "embedding_bag":
            continue
        renormalises = operation.get("max_norm") is not None
        indices = tensor_of(operation.get("input"))
        if renormalises and (not splits_renorm or indices is None or indices.is_nested):
            continue
        if renormalises or node.target is not functional.embedding_bag:
            _spell(graph, node, operation)


def _spell(graph: Graph, node: Node, operation: Operation) -> None:
    arguments = dict(operation.arguments)
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
    replaced = nodes_of(node)
    node.replace_all_uses_with(made)
    erase_unused(replaced)
    forget()
