"""Finds softmax over the edges of every node in FX graphs, as torch_geometric writes it.

    most = zeros.scatter_reduce_(0, index, scores.detach(), "amax", include_self=False)
    powers = (scores - most.index_select(0, target)).exp()
    sums = zeros.scatter_add_(0, index, powers) + 1e-16
    shares = powers / sums.index_select(0, target)

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from typing import Any

from torch.fx import Node

from ember.torch.aggregation_patterns import SCATTERS, Scatter, rows_of, scatter_of
from ember.torch.edge_softmax import EdgeSoftmaxCall
from ember.torch.lookups import lookup_at
from ember.torch.no_match import NoMatchError
from ember.torch.operations import name_of, read, same_number, tensor_of
from ember.torch.region import Region
from ember.torch.settings import Settings

# Up to this number, what is added to sums of powers, one of which is 1, is lost in rounding or
# nearly so: the gradient through the largest score is none then.
SMALL = 1e-7


def edge_softmax_at(node: Node, settings: Settings) -> Region | None:
    """The region of a softmax over edges whose division is `node`; None if it is none."""
    operation = read(node)
    if operation is None or operation.name != "div" or operation.in_place:
        return None
    powers, sums_of_edges = operation.get("self"), operation.get("other")
    if not isinstance(powers, Node) or not isinstance(sums_of_edges, Node):
        return None
    below = lookup_at(sums_of_edges)
    if below is None:
        return None
    nodes = {node, powers, below.node}
    sums, epsilon = _sums(below.x, nodes)
    found = _differences(powers, nodes)
    if sums is None or found is None or sums.reduction != "sum" or sums.data is not powers:
        return None
    scores, most = found
    if most.reduction != "max" or most.target is not sums.target or sums.target is not below.index:
        return None
    if not same_number(rows_of(sums.size), rows_of(most.size)):
        return None
    if most.data is not scores:
        detached = read(most.data)
        if detached is None or detached.name != "detach" or detached.get("self") is not scores:
            return None
        nodes.add(most.data)
    elif epsilon > SMALL:
        return None
    nodes |= sums.nodes | most.nodes
    target = sums.target
    region = Region(
        "edge_softmax",
        node,
        nodes,
        (scores, target, sums.size),
        lambda reference: EdgeSoftmaxCall(
            reference, epsilon, settings.kernel_options, settings.raises
        ),
        f"softmax over edges of {name_of(scores)}",
        {"scores": name_of(scores), "target": name_of(target)},
    )
    # What is needed besides is computed by aggregations.
    return None if region.internal() else region


def _sums(node: Node, nodes: set[Node]) -> tuple[Scatter | None, float]:
    """The scatter operation that sums powers, and the number that is added to the sums."""
    epsilon = 0.0
    operation = read(node)
    if operation is not None and operation.name == "add" and not operation.in_place:
        added = operation.get("other")
        if "alpha" in operation.arguments or isinstance(added, bool):
            return None, 0.0
        if not isinstance(added, int | float):
            return None, 0.0
        nodes.add(node)
        node, epsilon = operation.get("self"), float(added)
    return _scatter(node), epsilon


def _differences(powers: Node, nodes: set[Node]) -> tuple[Node, Scatter] | None:
    """The scores and the scatter operation of the largest ones, which powers are made of."""
    operation = read(powers)
    if operation is None or operation.name != "exp" or operation.in_place:
        return None
    difference = operation.get("self")
    less = read(difference) if isinstance(difference, Node) else None
    if less is None or less.name != "sub" or less.in_place or "alpha" in less.arguments:
        return None
    scores, spread = less.get("self"), less.get("other")
    lookup = lookup_at(spread) if isinstance(spread, Node) else None
    if lookup is None or not isinstance(scores, Node):
        return None
    most = _scatter(lookup.x)
    if most is None or lookup.index is not most.target:
        return None
    nodes |= {difference, spread}
    return scores, most


def _scatter(node: Any) -> Scatter | None:
    """A scatter operation of whole rows into zeros, whose type is that of its rows."""
    operation = read(node) if isinstance(node, Node) else None
    if operation is None or operation.name not in SCATTERS:
        return None
    try:
        scatter = scatter_of(node, operation)
    except NoMatchError:
        return None
    result, data = tensor_of(node), tensor_of(scatter.data)
    if result is None or data is None or result.dtype != data.dtype:
        return None
    return scatter
