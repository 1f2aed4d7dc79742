"""Linear layers ahead of sums over edges, where that makes the rows shorter that edges bring.

    linear(sum of w[e] * x[source[e]], weight, bias)
    = sum of w[e] * linear(x, weight)[source[e]], + bias

and the same with means, and with the nodes' own rows added to the sums. A layer from 1433 features
to 16 leaves a ninetieth of the bytes to move. What is summed is rounded elsewhere, so results
differ in their last bits.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import functools
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as functional
from torch import Tensor
from torch.fx import Graph, Node

from ember.torch import private
from ember.torch.aggregation_patterns import Scatter, message_of, rows_of, scatter_at
from ember.torch.element_types import SUM_TYPES
from ember.torch.movement import why_not_movable
from ember.torch.no_match import NoMatchError
from ember.torch.operations import name_of, read, same_number, tensor_of, value_of
from ember.torch.region import closure, erase_unused
from ember.torch.settings import Settings

# Of half types, sums are kept in f32 and rounded once: rows that are rounded before are not as
# good.
_LINEAR = (functional.linear, torch.ops.aten.linear.default)


@dataclass
class Reordered:
    """Operations that changed places.

    title: one line for reports. nodes: what was put into the graph for them.
    """

    title: str
    nodes: list[Node]


@dataclass
class _Product:
    """A linear layer, or a product with a matrix: rows times weight, and bias added.

    weight is (results, features) of a layer, (features, results) of a product.
    """

    node: Node
    rows: Node
    weight: Node
    bias: Node | None
    is_layer: bool

    def lengths(self) -> tuple[Any, Any]:
        """Elements of rows before and after."""
        sizes = _shape(self.weight)
        return (sizes[1], sizes[0]) if self.is_layer else (sizes[0], sizes[1])


@dataclass
class _Sums:
    """A sum or mean over edges of rows of x, to which x times a factor may be added.

    node: its result. plain: what it is before x is added. nodes: what computes it. own: the factor
    of x; None if x is not added.
    """

    node: Node
    plain: Node
    scatter: Scatter
    x: Node
    source: Node
    weights: Node | None
    nodes: set[Node]
    own: Any = None

    def inputs(self) -> list[Any]:
        """What its nodes read."""
        scatter = self.scatter
        return [self.x, self.source, scatter.target, scatter.size, self.weights, self.own]


def put_linear_before_sums(graph: Graph, settings: Settings) -> list[Reordered]:
    """Changes the order in a graph wherever it pays; what was changed."""
    if not settings.reorders or "aggregation" in settings.excluded or not private.has_new_nodes:
        return []
    found: list[Reordered] = []
    pending = list(graph.nodes)[::-1]
    while pending:
        product = _product_at(pending.pop())
        sums = product and _sums_at(product.rows)
        if not product or not sums or not _pays(product, sums):
            continue
        nodes = closure(product.node, {product.node, *sums.nodes}, _nodes_of(product, sums))
        if _is_needed_elsewhere(sums, nodes) or _why_not(product, sums, nodes):
            continue
        before, after = product.lengths()
        title = (
            f"the linear layer by {name_of(product.weight)} goes ahead of the "
            f"{sums.scatter.reduction} over edges of rows of {name_of(sums.x)}: "
            f"{before} elements become {after}"
        )
        added = _reorder(product, sums)
        erase_unused(nodes)
        found.append(Reordered(title, added))
        # The layer may be behind another sum now.
        pending.append(added[0])
    return found


def _product_at(node: Node) -> _Product | None:
    """A product of two matrices in a type of SUM_TYPES, whose weight's sizes are known."""
    product = None
    if node.target in _LINEAR:
        arguments = dict(zip(("input", "weight", "bias"), node.args, strict=False)) | node.kwargs
        rows, weight, bias = (arguments.get(name) for name in ("input", "weight", "bias"))
        product = _Product(node, rows, weight, bias, True)  # type: ignore[arg-type]
    else:
        operation = read(node)
        if operation is not None and operation.name in ("matmul", "mm"):
            weight = operation.get("other", operation.get("mat2"))
            product = _Product(node, operation.get("self"), weight, None, False)
    if product is None:
        return None
    result, rows, weight = (tensor_of(one) for one in (node, product.rows, product.weight))
    if result is None or rows is None or weight is None or product.rows is product.weight:
        return None
    bias = tensor_of(product.bias)
    if result.dtype not in SUM_TYPES or rows.dim() != 2 or weight.dim() != 2:
        return None
    if any(one.dtype is not result.dtype for one in (rows, weight, bias) if one is not None):
        return None
    if not all(isinstance(size, int) for size in weight.shape):
        return None
    if product.bias is not None and (bias is None or bias.dim() != 1):
        return None
    return product


def _sums_at(node: Node) -> _Sums | None:
    """A sum or mean over edges of looked-up rows, alone or with the rows themselves added."""
    sums = _plain_sums_at(node)
    if sums is not None:
        return sums
    operation = read(node)
    if node.target is operator.iadd:
        one, other, in_place = *node.args, True
    elif operation is not None and operation.name == "add" and "alpha" not in operation.arguments:
        one, other = operation.get("self"), operation.get("other")
        in_place = operation.in_place
    else:
        return None
    if not isinstance(one, Node) or not isinstance(other, Node):
        return None
    sums, added = _plain_sums_at(one), other
    if sums is None:
        sums, added = _plain_sums_at(other), one
    if sums is None or (own := _factor_of(sums.x, added)) is None:
        return None
    # What is changed in place must be of this sum alone.
    if in_place and (one is sums.x or any(user is not node for user in one.users)):
        return None
    sums.node = node
    sums.own, factors = own
    sums.nodes |= {node, *factors}
    return sums


def _plain_sums_at(node: Node) -> _Sums | None:
    try:
        scatter = scatter_at(node)
        if scatter is None or scatter.base is not None or scatter.reduction == "max":
            return None
        x, source, weights, nodes, _ = message_of(scatter)
    except NoMatchError:
        return None
    if source is None:
        return None
    return _Sums(node, node, scatter, x, source, weights, {node, *scatter.nodes, *nodes})


def _factor_of(x: Node, other: Node) -> tuple[Any, set[Node]] | None:
    """The factor of x, and what multiplies it, if `other` is x, or x times one number."""
    if other is x:
        return 1, set()
    operation = read(other)
    if operation is None or operation.name != "mul" or operation.in_place:
        return None
    one, factor = operation.get("self"), operation.get("other")
    if factor is x:
        one, factor = factor, one
    if one is not x:
        return None
    tensor, table = tensor_of(factor), tensor_of(x)
    if tensor is None:
        is_number = isinstance(factor, int | float) and not isinstance(factor, bool)
        return (factor, {other}) if is_number else None
    is_one = tensor.dim() <= 2 and all(same_number(size, 1) for size in tensor.shape)
    if not is_one or table is None or tensor.dtype is not table.dtype:
        return None
    return factor, {other}


def _pays(product: _Product, sums: _Sums) -> bool:
    """Whether rows get shorter, and are no more rows to be multiplied than before."""
    before, after = product.lengths()
    table = _shape(sums.x)
    return (
        0 < after < before
        and len(table) == 2
        and same_number(table[1], before)
        and same_number(table[0], rows_of(sums.scatter.size))
    )


def _nodes_of(product: _Product, sums: _Sums) -> list[Node]:
    inputs = [*sums.inputs(), product.weight, product.bias]
    return [one for one in inputs if isinstance(one, Node)]


def _is_needed_elsewhere(sums: _Sums, nodes: set[Node]) -> bool:
    """Whether anything else needs sums of the rows as they were."""
    return any(user not in nodes for one in (sums.node, sums.plain) for user in one.users)


def _why_not(product: _Product, sums: _Sums, nodes: set[Node]) -> str:
    """Why the inputs may be other ones at the product than at the sum."""
    return why_not_movable(nodes, product.node, _nodes_of(product, sums))


def _reorder(product: _Product, sums: _Sums) -> list[Node]:
    """Puts the product's new computation in its place; its nodes, the shorter product first."""
    scatter, node = sums.scatter, product.node
    added: list[Node] = []

    def call(like: Node, target: Callable[..., Any] | str, *arguments: Any, **words: Any) -> Node:
        added.append(_call(node.graph, like, target, arguments, words))
        return added[-1]

    with node.graph.inserting_before(node):
        multiply = functional.linear if product.is_layer else torch.matmul
        rows = call(node, multiply, sums.x, product.weight)
        add = functools.partial(call, sums.plain)
        messages = add("index_select", rows, 0, sums.source)
        if sums.weights is not None:
            messages = add(torch.mul, sums.weights, messages)
        zeros = add("new_zeros", rows, (_row_count(scatter.size, add), product.lengths()[1]))
        index = add("expand_as", add("view", scatter.target, (-1, 1)), messages)
        if scatter.reduction == "mean":
            mean = {"reduce": "mean", "include_self": False}
            result = add("scatter_reduce_", zeros, 0, index, messages, **mean)
        else:
            result = add("scatter_add_", zeros, 0, index, messages)
        if isinstance(sums.own, Node):
            result = call(sums.node, torch.addcmul, result, rows, sums.own)
        elif sums.own is not None:
            result = call(sums.node, torch.add, result, rows, alpha=sums.own)
        if product.bias is not None:
            result = call(node, torch.add, result, product.bias)
    node.replace_all_uses_with(result)
    return added


def _row_count(size: Any, call: Callable[..., Node]) -> Any:
    """The number of rows, of what a scatter operation has as its size."""
    value = value_of(size)
    if isinstance(value, Tensor):
        return call("size", size, 0)
    return call(operator.getitem, size, 0) if isinstance(value, tuple) else size


def _call(
    graph: Graph,
    like: Node,
    target: Callable[..., Any] | str,
    arguments: tuple[Any, ...],
    words: dict[str, Any],
) -> Node:
    """A node with the example of its value, which stands in the program where `like` does."""
    values = torch.fx.node.map_arg(arguments, value_of)
    with private.finding_values(values):
        if isinstance(target, str):
            value = getattr(values[0], target)(*values[1:], **words)
            node = graph.call_method(target, arguments, words)
        else:
            value = target(*values, **words)
            node = graph.call_function(target, arguments, words)
    node.meta.update(like.meta)
    for key in ("example_value", "val"):
        if key in node.meta:
            node.meta[key] = value
    return node


def _shape(node: Any) -> torch.Size:
    tensor = tensor_of(node)
    return torch.Size() if tensor is None else tensor.shape
