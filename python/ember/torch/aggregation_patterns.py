"""Finds aggregations over edges in FX graphs: what message passing writes with scatter operations.

    messages = weights.view(-1, 1) * x.index_select(0, source)
    index = target.view(-1, 1).expand_as(messages)
    out = x.new_zeros(nodes, length).scatter_add_(0, index, messages)

and the same with index_add, scatter_reduce, x[source] or F.embedding, without weights, and, for the
mean, divided by the number of edges.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from dataclasses import dataclass, field
from typing import Any

import torch
from torch.fx import Node

from ember.torch.aggregation import AggregationCall
from ember.torch.element_types import INDEX_TYPES
from ember.torch.lookups import Lookup, lookup_at
from ember.torch.movement import is_changed_before
from ember.torch.no_match import NoMatchError
from ember.torch.operations import (
    Operation,
    fixed_number,
    name_of,
    read,
    same_number,
    tensor_of,
    value_of,
)
from ember.torch.region import Region
from ember.torch.settings import Settings

# What makes an index of as many dimensions as rows, and spreads numbers of nodes along them.
RESHAPES = ("expand", "expand_as", "reshape", "unsqueeze", "view")
SCATTERS = ("scatter_add", "scatter_reduce", "index_add")
PART = "what was in the result before takes part (include_self)"
REDUCTIONS = {"sum": "sum", "mean": "mean", "amax": "max"}


@dataclass
class Scatter:
    """A scatter operation: data (edges, ...) goes to the rows that target (edges,) says.

    base: what the rows are added to, None for new zeros; why says what keeps it from being these.
    size: of new zeros. alpha: what data is multiplied by.
    """

    target: Node
    data: Node
    size: Any
    reduction: str
    nodes: set[Node] = field(default_factory=set)
    base: Node | None = None
    why: str = ""
    alpha: float = 1.0


def aggregation_at(node: Node, settings: Settings) -> Region | None:
    """The region of an aggregation whose last operation is `node`; None if it is another one.

    Raises NoMatchError for a scatter operation that has no kernel.
    """
    scatter = scatter_at(node)
    if scatter is None or scatter.base is not None:
        return None
    return _region(node, scatter, settings)


def scatter_at(node: Node) -> Scatter | None:
    """A scatter operation, or a mean of one and a count; None for others. Raises NoMatchError."""
    operation = read(node)
    if operation is not None and operation.name == "div":
        return _mean(node, operation)
    if operation is None or operation.name not in SCATTERS:
        return None
    return scatter_onto(node, operation)


def _region(root: Node, scatter: Scatter, settings: Settings) -> Region:
    x, source, weights, nodes, title = message_of(scatter)
    inputs = (x, source, scatter.target, scatter.size, weights)
    return Region(
        "aggregation",
        root,
        {root, *scatter.nodes, *nodes},
        inputs,
        lambda reference: AggregationCall(
            reference, scatter.reduction, settings.kernel_options, settings.raises
        ),
        title,
        {"x": name_of(x), "source": name_of(source), "target": name_of(scatter.target)},
    )


def message_of(
    scatter: Scatter,
) -> tuple[Node, Node | None, Node | None, set[Node], str]:
    """What an aggregation reads: x, source or None, weights or None; its nodes, and its title."""
    lookup, weights, nodes = _message(scatter.data)
    if weights is not None and scatter.reduction == "max":
        lookup, weights, nodes = None, None, set()
    if lookup is None:
        x, source = scatter.data, None
        nodes = set()
    else:
        x, source = lookup.x, lookup.index
    title = f"{scatter.reduction} over edges"
    if source is not None:
        title += f" of rows of {name_of(x)}"
    if weights is not None:
        title += f", times {name_of(weights)}"
    return x, source, weights, nodes, title


def scatter_of(node: Node, operation: Operation) -> Scatter:
    """A scatter operation into new zeros; raises NoMatchError."""
    scatter = scatter_onto(node, operation)
    if scatter.base is not None:
        raise NoMatchError(scatter.why)
    return scatter


def scatter_onto(node: Node, operation: Operation) -> Scatter:
    """A scatter operation of whole rows, into new zeros or onto a base; raises NoMatchError."""
    out, index = operation.get("self"), operation.get("index")
    data = operation.get("source" if operation.name == "index_add" else "src")
    shape = _shape(out)
    values = tensor_of(data)
    if not isinstance(data, Node) or values is None or shape is None:
        raise NoMatchError("its operands are not tensors")
    if not shape:
        raise NoMatchError("it has one number, and no rows")
    dim = fixed_number(operation.get("dim"))
    if dim not in (0, -len(shape)):
        raise NoMatchError(f"it goes along dimension {dim}; kernels know the first")
    if not all(map(same_number, values.shape[1:], shape[1:])) or values.dim() != len(shape):
        raise NoMatchError("its rows are not known to be as long as those of the result")
    target, nodes = _expanded(index, values.dim(), operation.name == "index_add")
    if not same_number(_shape(target)[0], values.shape[0]):  # type: ignore[index]
        raise NoMatchError("there are not as many indices as rows")
    indexed = _shape(index)
    if not all(map(same_number, indexed[1:], values.shape[1:])):  # type: ignore[index]
        raise NoMatchError("its index is not as wide as its rows, which are added in part then")
    reduction, takes_part = _reduction(operation)
    why = "" if reduction == "sum" or not takes_part else PART
    alpha = operation.get("alpha", 1)
    if not isinstance(alpha, int | float):
        raise NoMatchError("its factor alpha is not a fixed number")
    if alpha != 1:
        why = "it has a factor alpha"
    try:
        zeros = read(out) if isinstance(out, Node) else None
        size = _size_of_zeros(zeros, operation.in_place, out)
        if is_changed_before(out, node):
            raise NoMatchError("the zeros that it adds to are changed before")
    except NoMatchError as error:
        if not takes_part:
            raise
        size, why = None, str(error)
    scatter = Scatter(target, data, size, reduction, {node, *nodes}, None, why, float(alpha))
    if why:
        scatter.base = out
    else:
        scatter.nodes.add(out)
    return scatter


def _reduction(operation: Operation) -> tuple[str, bool]:
    """The kernels' reduction, and whether what was there takes part in it; raises NoMatchError."""
    if operation.name != "scatter_reduce":
        return "sum", True
    spelled = str(operation.get("reduce"))
    takes_part = bool(operation.get("include_self", True))
    if spelled not in REDUCTIONS:
        raise NoMatchError(f"the reduction {spelled} has no kernel")
    if spelled == "mean" and takes_part:
        raise NoMatchError(PART)
    return REDUCTIONS[spelled], takes_part


def _size_of_zeros(zeros: Operation | None, in_place: bool, out: Any) -> Any:
    """The number of rows of new zeros, all sizes, or a tensor of as many; raises NoMatchError."""
    if zeros is None or zeros.in_place:
        raise NoMatchError("it adds to a tensor that is not known to be zeros")
    if zeros.name in ("full", "new_full") and zeros.get("fill_value") != 0:
        raise NoMatchError("it adds to a tensor that is not zeros")
    if zeros.name not in ("zeros", "new_zeros", "zeros_like", "full", "new_full"):
        raise NoMatchError("it adds to a tensor that is not known to be new zeros")
    if in_place and len(out.users) != 1:
        raise NoMatchError("the tensor that it adds to has other uses")
    if zeros.name == "zeros_like":
        return zeros.get("self")
    size = zeros.get("size")
    if isinstance(size, Node) and size.target is torch.Size:
        size = size.args[0]
    if isinstance(size, list | tuple) and len(size) == 1 and isinstance(size[0], list | tuple):
        size = size[0]
    if isinstance(size, list | tuple) and size:
        return size[0]
    if isinstance(size, Node) and isinstance(value_of(size), tuple) and value_of(size):
        return size
    raise NoMatchError("the size of its result is not written out")


def rows_of(size: Any) -> Any:
    """The number of rows that a size says: alone, as the first of all, or a tensor's."""
    value = value_of(size)
    if isinstance(value, torch.Tensor):
        value = value.shape
    return value[0] if isinstance(value, tuple) else value


def _expanded(index: Any, rank: int, plain: bool) -> tuple[Node, set[Node]]:
    """The one-dimensional index that a scatter's index repeats along its rows.

    plain: the index is one-dimensional itself. Raises NoMatchError.
    """
    nodes: set[Node] = set()
    node = index
    while True:
        tensor = tensor_of(node)
        if not isinstance(node, Node) or tensor is None:
            raise NoMatchError("its index is not a tensor")
        if tensor.dtype not in INDEX_TYPES:
            raise NoMatchError(f"its index is {tensor.dtype}")
        if tensor.dim() == 1:
            break
        if plain or tensor.dim() > rank:
            raise NoMatchError("its index has more than one dimension")
        operation = read(node)
        if operation is None or operation.name not in RESHAPES:
            raise NoMatchError("its index does not repeat one index for whole rows")
        if operation.name in ("expand", "expand_as"):
            base = tensor_of(operation.get("self"))
            if base is None or base.dim() != tensor.dim():
                raise NoMatchError("its index does not repeat one index for whole rows")
        elif not all(value_of(size) == 1 for size in tensor.shape[1:]):
            raise NoMatchError("its index does not repeat one index for whole rows")
        nodes.add(node)
        node = operation.get("self")
    if nodes and not _repeats_along_rows(index):
        raise NoMatchError("its index does not repeat one index for whole rows")
    while (same := _seen_as_it_is(node)) is not None:
        nodes.add(node)
        node = same
    return node, nodes


def _seen_as_it_is(node: Node) -> Node | None:
    """The one-dimensional tensor that a view is all of; None for anything else."""
    operation = read(node)
    if operation is None or operation.name not in RESHAPES:
        return None
    base, size = operation.get("self"), _shape(node)
    whole = _shape(base)
    if size is None or whole is None or len(whole) != 1 or not same_number(whole[0], size[0]):
        return None
    return base if isinstance(base, Node) else None


def _repeats_along_rows(index: Node) -> bool:
    """Whether all elements of a row of the index lie in one place."""
    tensor = tensor_of(index)
    assert tensor is not None
    return all(
        stride == 0 or same_number(size, 1)
        for size, stride in zip(tensor.shape[1:], tensor.stride()[1:], strict=True)
    )


def _is_one_for_each_row(numbers: Node, rows: Node) -> bool:
    """Whether an operation of both goes through them row by row: with (n,) it would by column."""
    tensor, others = tensor_of(numbers), tensor_of(rows)
    return (
        tensor is not None
        and others is not None
        and tensor.dim() == others.dim()
        and same_number(tensor.shape[0], others.shape[0])
        and _repeats_along_rows(numbers)
    )


def _mean(node: Node, operation: Operation) -> Scatter | None:
    """A sum divided by the number of edges, at least 1; None for any other division."""
    total, count = operation.get("self"), operation.get("other")
    if not isinstance(total, Node) or not isinstance(count, Node):
        return None
    summed = read(total)
    if summed is None or summed.name not in SCATTERS:
        return None
    if not _is_one_for_each_row(count, total):
        return None
    # Half types divided by numbers in f32 are f32.
    if value_of(node).dtype != value_of(total).dtype:
        return None
    nodes = {node}
    while (found := read(count)) is not None and found.name in RESHAPES:
        nodes.add(count)
        count = found.get("self")
    if (
        found is None
        or found.name != "clamp"
        or found.get("min") != 1
        or found.get("max") is not None
    ):
        return None
    counted = read(found.get("self"))
    if counted is None or counted.name not in ("scatter_add", "index_add"):
        return None
    try:
        scatter = scatter_of(total, summed)
        counts = scatter_of(found.get("self"), counted)
    except NoMatchError:
        return None
    ones = read(counts.data)
    if (
        scatter.reduction != "sum"
        or ones is None
        or ones.name not in ("new_ones", "ones", "ones_like")
        or counts.target is not scatter.target
        or not same_number(rows_of(counts.size), rows_of(scatter.size))
        or any(user not in nodes for user in total.users)
        or tensor_of(counts.data).dim() != 1  # type: ignore[union-attr]
    ):
        return None
    scatter.nodes |= nodes | counts.nodes | {count}
    scatter.reduction = "mean"
    return scatter


def _message(data: Node) -> tuple[Lookup | None, Node | None, set[Node]]:
    """The lookup and the weights of messages, with the nodes that are only for them."""
    lookup = lookup_at(data)
    if lookup is not None:
        return _kept(lookup, None, {lookup.node})
    operation = read(data)
    if operation is None or operation.name != "mul" or operation.in_place or not _only_sizes(data):
        return None, None, set()
    one, other = operation.get("self"), operation.get("other")
    for rows, weights in ((one, other), (other, one)):
        lookup = lookup_at(rows) if isinstance(rows, Node) else None
        if lookup is not None and isinstance(weights, Node) and _are_weights(weights, rows):
            return _kept(lookup, weights, {data, lookup.node})
    return None, None, set()


def _kept(
    lookup: Lookup, weights: Node | None, nodes: set[Node]
) -> tuple[Lookup | None, Node | None, set[Node]]:
    """The lookup, if nothing else needs its rows: then they need not be made."""
    if all(_only_sizes(node, nodes) for node in nodes):
        return lookup, weights, nodes
    return None, None, set()


def _only_sizes(node: Node, also: set[Node] = frozenset()) -> bool:  # type: ignore[assignment]
    """Whether a tensor's values have one use at most: the others ask for its size or type."""
    uses = 0
    for user in node.users:
        operation = read(user)
        name = operation.name if operation is not None else ""
        asks = name in ("size", "new_zeros", "new_ones", "new_full") or (
            name == "expand_as" and operation is not None and operation.get("self") is not node
        )
        uses += not asks
    return uses <= 1


def _are_weights(weights: Node, rows: Node) -> bool:
    """Whether a tensor has one value an edge, or one an edge and head."""
    tensor, looked_up = tensor_of(weights), tensor_of(rows)
    if tensor is None or looked_up is None or tensor.dtype != looked_up.dtype:
        return False
    if tensor.dim() != looked_up.dim() or not same_number(tensor.shape[0], looked_up.shape[0]):
        return False
    if all(same_number(size, 1) for size in tensor.shape[1:]):
        return True
    return (
        tensor.dim() == 3
        and same_number(tensor.shape[1], looked_up.shape[1])
        and same_number(tensor.shape[2], 1)
    )


def _shape(node: Any) -> torch.Size | None:
    tensor = tensor_of(node)
    return None if tensor is None else tensor.shape
