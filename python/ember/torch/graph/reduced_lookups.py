"""Regions of bags: rows of tables, or what is reduced of them, alone or side by side.

Their statements are those of what bags are made of.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor
from torch.fx import Node

from ember.torch.element_types import INDEX_TYPES, VALUE_TYPES
from ember.torch.gradients.differentiable import Reference
from ember.torch.graph.discovery import (
    find_exactly,
    requires_gradient,
    why_not_alone,
    with_computed_tables,
)
from ember.torch.graph.jagged_calls import JaggedBag, ReducedRows
from ember.torch.graph.lookup_region import BAG, BAGS, is_of_matrix_rows, region_of
from ember.torch.graph.operations import (
    Operation,
    fixed_number,
    fixed_size,
    name_of,
    read,
    same_number,
    tensor_of,
)
from ember.torch.graph.outside_graphs import BagOptions
from ember.torch.graph.region import NoMatchError, Region
from ember.torch.graph.single_operations import dtype_of
from ember.torch.settings import Settings

# What gives the operation of a node, if it has one.
Reader = Callable[[Any], Operation | None]
# Indices that give a tensor of two dimensions one more.
AT_THE_END = ((..., None), (slice(None), slice(None), None))
REDUCTIONS = {"sum": "sum", "mean": "mean", "amax": "max", "max": "max"}
# A kernel for fewer is not worth more than the kernels of its parts.
LEAST_PARTS = 2
# What puts tensors side by side, and the dimension if nobody says another one.
_JOINS = {"cat": 0, "column_stack": 1, "hstack": 1, "stack": 0}


@dataclass(frozen=True)
class Bag:
    """Nodes that look rows up, or reduce such, of which the last is `root`.

    lookup: the operation, a bag or an embedding, and its node. mode: of the reduction, or "row".
    weights: what rows are multiplied by.
    """

    root: Node
    nodes: frozenset[Node]
    lookup: Operation
    looked_up: Node
    mode: str
    weights: Any = None

    @property
    def table(self) -> Any:
        """What is looked up in."""
        return self.lookup.get("weight")

    @property
    def title(self) -> str:
        """One line for reports."""
        if self.lookup.name == "embedding_bag":
            return f"{self.mode} of bags of rows of {name_of(self.table)}"
        times = f", times {name_of(self.weights)}" if self.weights is not None else ""
        return f"{self.mode} of rows of {name_of(self.table)}{times}"

    @property
    def is_jagged(self) -> bool:
        """Whether its indices are a jagged tensor."""
        indices = tensor_of(self.lookup.get("input"))
        return indices is not None and indices.is_nested

    @property
    def sizes(self) -> tuple[Any, ...]:
        """Those of what is looked up."""
        indices, table = tensor_of(self.lookup.get("input")), tensor_of(self.table)
        assert indices is not None
        assert table is not None
        return (*indices.shape, table.shape[-1])


def bag_at(node: Node, settings: Settings) -> Region | None:
    """The region of a bag whose last operation is `node`; None if it is another operation."""
    bag = _bag(node, _read)
    return None if bag is None else _region(BAG, bag.root, [bag], bag.nodes, bag.title, settings)


def bags_at(node: Node, settings: Settings) -> Region | None:
    """The region of a concatenation of bags, and rows; None if the node is another operation."""
    return _beside(node, settings, are_rows=False)


def rows_beside_at(node: Node, settings: Settings) -> Region | None:
    """The same of rows alone."""
    return _beside(node, settings, are_rows=True)


def _beside(node: Node, settings: Settings, are_rows: bool) -> Region | None:
    columns, whole = _columns(node), tensor_of(node)
    if columns is None or whole is None:
        return None
    tensors = [tensor for tensor, _ in columns]
    parts: list[Bag] = []
    alone: list[str] = []
    for tensor, reader in columns:
        try:
            part = _part(tensor, reader)
        except NoMatchError as error:
            alone.append(f"{name_of(tensor)}: {error}")
            continue
        if part is not None:
            parts.append(part)
    if len(parts) < LEAST_PARTS:
        if len(parts) + len(alone) >= LEAST_PARTS:
            raise NoMatchError("rows are not put side by side by one kernel; " + "; ".join(alone))
        return None
    if are_rows != all(part.mode == "row" for part in parts):
        return None
    _check_columns(tensors, whole)
    title = f"{len(parts)} tables' rows side by side"
    if len(parts) < len(tensors):
        title += f", with {len(tensors) - len(parts)} other tensors"
    if alone:
        title += f", among them {'; '.join(alone)}"
    nodes = frozenset((node, *(reader for _, reader in columns)))
    nodes = nodes.union(*(part.nodes for part in parts))
    return _region(BAGS, node, parts, nodes, title, settings)


def _columns(node: Node) -> list[tuple[Any, Node]] | None:
    """What a node puts side by side in the rows of a matrix, each with its reader: that node, or
    one that does the same for it alone. None for another node."""
    operation, whole = read(node), tensor_of(node)
    if operation is None or operation.name not in _JOINS or whole is None:
        return None
    tensors, stacked = operation.get("tensors"), operation.name == "stack"
    last, dimension = whole.dim() - 1, operation.get("dim", _JOINS[operation.name])
    if dimension not in ((1, -2) if stacked else (1, -1)) or last != 1 + stacked:
        return None
    found: list[tuple[Any, Node]] = []
    for tensor in tensors if isinstance(tensors, list | tuple) else ():
        is_inner = not stacked and isinstance(tensor, Node) and len(tensor.users) == 1
        found += (_columns(tensor) if is_inner else None) or [(tensor, node)]
    return found


def _region(
    kind: str,
    root: Node,
    bags: Sequence[Bag],
    nodes: frozenset[Node],
    title: str,
    settings: Settings,
) -> Region | None:
    if any(bag.is_jagged for bag in bags):
        if len(bags) > 1:
            raise NoMatchError("kernels do not put bags of jagged indices side by side")
        return _of_jagged(bags[0], settings)
    sizes = [bag.sizes for bag in bags]
    lookups = [(bag.table, bag.lookup.get("input")) for bag in bags]
    looked_up = [bag.looked_up for bag in bags]
    computed = with_computed_tables(nodes)
    if computed > nodes:
        found = find_exactly(root, computed, looked_up, sizes, lookups)
        region = None if found is None else region_of(kind, root, found, title, settings)
        if region is not None:
            return region
    found = find_exactly(root, set(nodes), looked_up, sizes, lookups)
    if found is None:
        raise NoMatchError(why_not_alone(root))
    return region_of(kind, root, found, title, settings)


def _of_jagged(bag: Bag, settings: Settings) -> Region:
    """The region of a bag of jagged indices, whose tensors are seen in each call."""
    lookup, is_operation = bag.lookup, bag.lookup.name == "embedding_bag"
    padding = lookup.get("padding_idx")
    table = tensor_of(bag.table)
    assert table is not None
    if padding is not None and padding < 0:
        padding += fixed_size(table.shape[0])
    options = BagOptions(
        bag.mode,
        bool(lookup.get("include_last_offset")),
        padding if is_operation else None,
        bool(lookup.get("sparse")),
        bool(lookup.get("scale_grad_by_freq")),
    )
    weights = lookup.get("per_sample_weights") if is_operation else bag.weights
    inputs = (lookup.get("input"), bag.table, lookup.get("offsets"), weights)

    def make(reference: Reference) -> JaggedBag:
        if is_operation:
            return JaggedBag(reference, options, settings)
        rows = ReducedRows(reference, options, settings)
        rows.skips = padding is not None
        return rows

    names = {"weight": name_of(bag.table), "indices": name_of(lookup.get("input"))}
    return Region(BAG, bag.root, set(bag.nodes), inputs, make, bag.title, names)


def _bag(node: Node, lookup: Reader) -> Bag | None:
    """The bag whose last operation is `node`; None if it is another operation. lookup: reads what
    may look its rows up."""
    operation = read(node)
    if operation is None:
        return None
    if operation.name == "embedding_bag":
        return _of_operation(node, operation)
    if operation.name in REDUCTIONS:
        return _reduced(node, operation, lookup)
    return None


def _of_operation(node: Node, operation: Operation) -> Bag:
    """F.embedding_bag itself; options that are not tensors are fixed."""
    if operation.get("max_norm") is not None:
        raise NoMatchError("max_norm changes the table")
    others = ("input", "weight", "offsets", "per_sample_weights", "max_norm", "norm_type")
    fixed = (fixed_number(one) for name, one in operation.arguments.items() if name not in others)
    if any(isinstance(one, Node) for one in fixed):
        raise NoMatchError("its options are computed")
    _check_types(operation)
    weights, table = operation.get("per_sample_weights"), dtype_of(operation.get("weight"))
    if weights is not None and dtype_of(weights) is not table:
        raise NoMatchError(f"PyTorch refuses weights of {dtype_of(weights)} for rows of {table}")
    mode = operation.get("mode", "mean")
    return Bag(node, frozenset((node,)), operation, node, mode)


def _reduced(node: Node, operation: Operation, lookup: Reader) -> Bag | None:
    """F.embedding of (bags, lookups), perhaps weighted, and a reduction over a bag's lookups."""
    reduced = operation.get("self")
    rows, weights, between = _weighted(reduced, lookup)
    looked_up = lookup(rows)
    if looked_up is None or looked_up.name != "embedding":
        return None
    indices, found = tensor_of(looked_up.get("input")), tensor_of(rows)
    if indices is None or found is None or indices.dim() != 2:
        return None
    if operation.get("dim") not in (1, -2, (1,), [1]) or operation.get("keepdim"):
        return None
    if operation.get("dtype") is not None:
        raise NoMatchError("the result has a type of its own")
    root, nodes = node, {node, reduced, rows, *between}
    if operation.name == "max":
        # The pair of maxima and their places: only the maxima have a kernel.
        users = list(node.users)
        if len(users) != 1 or (read(users[0]) or operation).get("index") != 0:
            return None
        root = users[0]
        nodes.add(root)
    if any(len(one.users) != 1 for one in (reduced, rows)):
        raise NoMatchError("its rows have other uses than the reduction")
    if weights is not None:
        _check_weights(weights, indices, found, operation.name)
    if looked_up.get("max_norm") is not None:
        raise NoMatchError("max_norm changes the table")
    _check_types(looked_up)
    mode = REDUCTIONS[operation.name]
    return Bag(root, frozenset(nodes), looked_up, rows, mode, weights)


def _check_types(lookup: Operation) -> None:
    """Raises NoMatchError for tables and indices that kernels do not read."""
    table, indices = tensor_of(lookup.get("weight")), tensor_of(lookup.get("input"))
    if table is None or indices is None or table.dim() != 2:
        raise NoMatchError("its table or its indices are no matrix and no tensor")
    if table.dtype not in VALUE_TYPES or indices.dtype not in INDEX_TYPES:
        raise NoMatchError(f"rows of {table.dtype} by {indices.dtype} have no kernel")


def _weighted(reduced: Any, lookup: Reader) -> tuple[Any, Node | None, set[Node]]:
    """Rows (bags, lookups, length), their weights (bags, lookups), or (bags, lookups, 1), if they
    are a product with such, and what makes these a factor."""
    product = _read(reduced)
    if product is None or product.name != "mul" or product.in_place:
        return reduced, None, set()
    one, other = product.get("self"), product.get("other")
    for rows, factor in ((one, other), (other, one)):
        looked_up = lookup(rows)
        column = tensor_of(factor)
        if looked_up is None or looked_up.name != "embedding" or column is None:
            continue
        made = read(factor)
        if made is not None and not made.in_place and _adds_one(made):
            return rows, made.get("self"), {factor}
        # A mask (bags, lookups, 1) that is used again, as for the number of lookups.
        if column.dim() == 3 and not column.is_nested and same_number(column.shape[2], 1):
            return rows, factor, set()
    return reduced, None, set()


def _adds_one(operation: Operation) -> bool:
    """Whether an operation gives a tensor of two dimensions one more, at the end."""
    tensor = tensor_of(operation.get("self"))
    if tensor is None or tensor.dim() != 2:
        return False
    if operation.name == "getitem":
        return operation.get("index") in AT_THE_END
    return operation.name == "unsqueeze" and operation.get("dim") in (-1, 2)


def _check_weights(weights: Node, indices: Tensor, rows: Tensor, reduction: str) -> None:
    """Raises NoMatchError for weights that a bag of these indices, rows and reduction has not."""
    tensor = tensor_of(weights)
    assert tensor is not None
    if reduction != "sum":
        raise NoMatchError("rows times weights have a kernel for their sum alone")
    if tensor.dtype != rows.dtype and (tensor.is_floating_point() or tensor.is_complex()):
        raise NoMatchError(f"its weights are {tensor.dtype}, its rows {rows.dtype}")
    if not all(map(same_number, tensor.shape[:2], indices.shape)):
        raise NoMatchError("there are not known to be as many weights as lookups")


def _part(node: Any, user: Node) -> Bag | None:
    """What computes an operand of a concatenation; None for a tensor to copy.

    Raises NoMatchError with the reason where a lookup is no part of a group.
    """
    operation = _lookup(node)
    if operation is None:
        return None
    if operation.name == "embedding":
        _check_types(operation)
        indices = tensor_of(operation.get("input"))
        if indices is None or indices.dim() != 1:
            raise NoMatchError("its rows are not one for each sample")
        if operation.get("max_norm") is not None:
            raise NoMatchError("max_norm changes the table before the lookup")
        part: Bag | None = Bag(node, frozenset({node}), operation, node, "row")
    else:
        part = _bag(node, _read) or _bag_of_any_lookups(node, user)
    if part is not None and list(node.users) != [user]:
        raise NoMatchError("something else needs its rows, too")
    return part


def _bag_of_any_lookups(node: Node, user: Node) -> Bag | None:
    """The bag whose last operation is `node`, by lookups however they are spelled: a kernel of
    their own computes those that are no part of a group, and that has no maxima's gradient."""
    try:
        bag = _bag(node, _lookup) if list(node.users) == [user] else None
    except NoMatchError:
        return None
    return None if bag is None or (bag.mode == "max" and requires_gradient(node)) else bag


def _read(node: Any) -> Operation | None:
    """A node's operation; None of anything else."""
    return read(node) if isinstance(node, Node) else None


def _lookup(node: Any) -> Operation | None:
    """A node's operation; of a lookup of a matrix's rows, however it is spelled, F.embedding."""
    operation = _read(node)
    if operation is None or not is_of_matrix_rows(node):
        return operation
    index = operation.get("index", operation.get("indices"))
    places = index[0] if isinstance(index, tuple | list) else index
    tensor = tensor_of(places)
    if "self" not in operation.arguments or tensor is None or tensor.dtype not in INDEX_TYPES:
        return operation
    return Operation("embedding", {"weight": operation.get("self"), "input": places})


def _check_columns(tensors: Sequence[Any], whole: Tensor) -> None:
    """Raises NoMatchError where what is put side by side does not fit together."""
    for node in tensors:
        tensor = tensor_of(node)
        if tensor is None or tensor.dim() != 2 or tensor.dtype != whole.dtype:
            raise NoMatchError("it joins tensors of other types or ranks with rows of tables")
        if not same_number(tensor.shape[0], whole.shape[0]):
            raise NoMatchError("there are not known to be as many bags in all of its parts")
