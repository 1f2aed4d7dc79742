"""Linear layers ahead of sums over edges, where that makes the rows shorter that edges bring.

    linear(sum of w[e] * x[source[e]], weight, bias)
    = sum of w[e] * linear(x, weight)[source[e]], + bias

and the same with means, and with the nodes' own rows added to the sums. A layer from 1433 features
to 16 leaves a ninetieth of the bytes to move. What is summed is rounded elsewhere, so results
differ in their last bits.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as functional
from torch import Tensor
from torch.fx import Graph, Node

from ember.torch.capture import private
from ember.torch.graph.discovery import find
from ember.torch.graph.irregular import SCATTERS, scattered_by
from ember.torch.graph.linear_layers import Layer, layer_at
from ember.torch.graph.movement import why_not_movable
from ember.torch.graph.operations import (
    name_in_schema,
    name_of,
    read,
    same_number,
    sizes_of,
    tensor_of,
    value_of,
)
from ember.torch.graph.region import closure, erase_unused
from ember.torch.graph.remembered import forget
from ember.torch.graph.trace import Traced, arguments_of, trace
from ember.torch.settings import Settings


@dataclass
class Reordered:
    """Operations that changed places.

    title: one line for reports. nodes: what was put into the graph for them.
    """

    title: str
    nodes: list[Node]


@dataclass
class _Sums:
    """Sums over edges of rows of x, and of rows themselves: a linear function of x, whose elements
    are each one of the elements of x at the same place of rows.

    nodes: what computes it. read: what that reads. traced: the same as operators, of which
    `linear` are such functions, too, x (`rows` there) among them.
    """

    x: Node
    nodes: set[Node]
    read: list[Node]
    traced: Traced
    rows: Node
    linear: set[Node]


def put_linear_before_sums(graph: Graph, settings: Settings) -> list[Reordered]:
    """Changes the order in a graph wherever it pays; what was changed."""
    if not settings.reorders or "statements" in settings.excluded or not private.has_operators:
        return []
    found: list[Reordered] = []
    of_scatters = _of_scatters(graph)
    if not of_scatters:
        return []
    for node in list(graph.nodes)[::-1]:
        product = layer_at(node)
        sums = product and product.rows in of_scatters and _sums_at(product)
        if not product or not sums:
            continue
        inputs = [one for one in (*sums.read, product.weight, product.bias) if one is not None]
        nodes = closure(node, {node, *sums.nodes}, inputs)
        if why_not_movable(nodes, node, inputs):
            continue
        before, after = product.lengths
        title = (
            f"the linear layer by {name_of(product.weight)} goes ahead of the sums over edges of "
            f"rows of {name_of(sums.x)}: {before} elements become {after}"
        )
        added = _reorder(product, sums)
        erase_unused(nodes)
        forget()
        found.append(Reordered(title, added))
    return found


def _of_scatters(graph: Graph) -> set[Node]:
    """What depends on elements that are combined at places: finding all sums takes its time."""
    found: set[Node] = set()
    for node in graph.nodes:
        if scattered_by(node) is not None or not found.isdisjoint(node.all_input_nodes):
            found.add(node)
    return found


def _sums_at(product: Layer) -> _Sums | None:
    """The sums that a product is of, if they are worth to be computed behind it."""
    root = product.rows
    if not isinstance(root, Node) or any(user is not product.node for user in root.users):
        return None
    before, after = product.lengths
    found = find(root, with_places=True) if 0 < after < before else None
    if found is None or not found.statements.scatters:
        return None
    nodes = _with_own_rows(root, found.nodes)
    read = sorted({source for one in nodes for source in one.all_input_nodes} - nodes)
    traced = trace(root, nodes, read)
    result = sizes_of(root)
    for rows, x in traced.inputs.items():
        sizes = sizes_of(x)
        # No more rows are multiplied than before.
        if len(sizes) != 2 or not all(map(same_number, sizes, (result[0], before))):
            continue
        linear = _linear_in(rows, traced)
        if linear is not None:
            return _Sums(x, nodes, read, traced, rows, linear)
    return None


def _with_own_rows(root: Node, nodes: Collection[Node]) -> set[Node]:
    """Nodes, and multiples of rows that only they read: a node's own rows are added to sums."""
    sizes, found = sizes_of(root), set(nodes)
    pending = [source for node in nodes for source in node.all_input_nodes]
    while pending:
        node = pending.pop()
        operation = read(node)
        is_multiple = operation is not None and operation.name in ("div", "mul", "neg")
        if not is_multiple or node in found or any(user not in found for user in node.users):
            continue
        if len(sizes_of(node)) == len(sizes) and all(map(same_number, sizes_of(node), sizes)):
            found.add(node)
            pending += node.all_input_nodes
    return found


def _linear_in(rows: Node, traced: Traced) -> set[Node] | None:
    """The operators that are linear functions of rows, element by element; None unless the result
    is one, and nothing else reads any of them."""
    linear = {rows}
    for node in traced.graph.nodes:
        # Sizes in a list have no node of their own.
        is_size = node.op == "placeholder" and node not in traced.inputs and node.users
        if is_size and not isinstance(value_of(node), int) and not _size_in(traced, value_of(node)):
            return None
        if node.op != "call_function" or not isinstance(value_of(node), Tensor):
            continue
        if _is_linear(node, linear):
            linear.add(node)
        elif any(one in linear and one is not rows for one in node.all_input_nodes):
            return None
    return linear if traced.result in linear else None


def _is_linear(node: Node, linear: Collection[Node]) -> bool:
    name = name_in_schema(node)
    given = arguments_of(node)
    tensor = tensor_of(node)
    if tensor is None or tensor.dim() != 2:
        return False
    if name in ("alias", "clone", "neg"):
        return given["self"] in linear
    if name in ("add", "sub"):
        return given["self"] in linear and given["other"] in linear
    if name in ("mul", "div"):
        pairs = [(given["self"], given["other"]), (given["other"], given["self"])]
        return any(
            one in linear and other not in linear and _is_same_along_rows(other)
            for one, other in pairs[: 2 if name == "mul" else 1]
        )
    if name in ("embedding", "index", "index_select"):
        is_row = name != "index" or len(given["indices"]) == 1
        return (
            is_row and given.get("self", given.get("weight")) in linear and not given.get("dim", 0)
        )
    if name not in SCATTERS:
        return False
    values = given[SCATTERS[name][0]]
    if values not in linear or given.get("dim", 0) not in (0, -2):
        return False
    if name == "index_put" and not (given["accumulate"] and len(given["indices"]) == 1):
        return False
    if name.startswith("scatter") and not _is_same_along_rows(given["index"]):
        return False
    reduction = given.get("reduce", "sum"), given.get("include_self", True)
    if reduction not in (("sum", True), ("sum", False), ("mean", False)):
        return False
    return given["self"] in linear or _is_zero(given["self"])


def _is_same_along_rows(value: Any) -> bool:
    """Whether a value has the same elements in all of a row, so that rows may get shorter."""
    tensor = tensor_of(value)
    if tensor is None:
        return not isinstance(value, Tensor)
    return not tensor.dim() or same_number(tensor.shape[-1], 1) or tensor.stride()[-1] == 0


def _is_zero(value: Any) -> bool:
    """Whether a tensor is made of zeros."""
    if not isinstance(value, Node) or value.op != "call_function":
        return False
    operation = read(value)
    if operation is None:
        return False
    if operation.name in ("full", "full_like", "new_full"):
        return bool(operation.get("fill_value") == 0)
    return operation.name in ("new_zeros", "zeros", "zeros_like")


def _size_in(traced: Traced, size: Any) -> tuple[Node, int] | None:
    """An input's dimension of a size that only the run knows; None for other values."""
    if not isinstance(size, torch.SymInt):
        return None
    return next(
        (
            (one, dimension)
            for one, source in traced.inputs.items()
            for dimension, own in enumerate(sizes_of(source))
            if same_number(own, size)
        ),
        None,
    )


class _Shorter:
    """Puts operators into a graph again, those that are linear for rows of another length."""

    def __init__(self, sums: _Sums, rows: Node, length: Any) -> None:
        self.sums = sums
        self.rows = rows
        self.length = length
        self.added: list[Node] = []
        self._copied: dict[tuple[Node, bool], Node] = {}

    def copy(self, node: Node, is_short: bool) -> Any:
        """The node of the captured graph that has an operator's value, or the number that it is."""
        if node is self.sums.rows and is_short:
            return self.rows
        if node in self.sums.traced.inputs:
            source = self.sums.traced.inputs[node]
            return self._narrow(node, source) if is_short else source
        if node.op == "placeholder" and isinstance(value_of(node), int):
            return value_of(node)
        if (node, is_short) not in self._copied:
            self._copied[node, is_short] = self._computed(node, is_short)
        return self._copied[node, is_short]

    def _computed(self, node: Node, is_short: bool) -> Node:
        def copied(argument: Node) -> Node:
            found: Node = self.copy(argument, is_short and self._is_long(argument))
            return found

        # Of an input that has it, so that no message is made to be asked how many there are.
        size = _size_in(self.sums.traced, value_of(node))
        target = torch.ops.aten.sym_size.int if size else node.target
        arguments, words = torch.fx.node.map_arg((size or node.args, node.kwargs), copied)
        if is_short and node not in self.sums.linear:
            arguments = tuple(self._shortened(one) for one in arguments)
        assert not isinstance(target, str)
        added = self._call(self.sums.traced.sources.get(node), target, arguments, words)
        assert not is_short or sizes_of(added)[-1] == self.length, (
            f"{name_of(added)} is not shorter"
        )
        return added

    def _narrow(self, node: Node, source: Node) -> Node:
        """As many columns of an input as rows have now: zeros are made like it, or all of its
        columns are the same."""
        if (node, True) not in self._copied:
            columns = source, 1, 0, self.length
            self._copied[node, True] = self._call(None, torch.ops.aten.narrow.default, columns, {})
        return self._copied[node, True]

    def _call(
        self,
        like: Node | None,
        target: Callable[..., Any],
        arguments: tuple[Any, ...],
        words: dict[str, Any],
    ) -> Node:
        added = call_like(self.rows.graph, like or self.sums.x, target, arguments, words)
        self.added.append(added)
        return added

    def _is_long(self, node: Node) -> bool:
        """Whether a value has rows that get shorter: sums, zeros, and what is repeated in rows."""
        sizes = sizes_of(node)
        return node in self.sums.linear or (
            len(sizes) == 2 and same_number(sizes[1], sizes_of(self.sums.rows)[1])
        )

    def _shortened(self, argument: Any) -> Any:
        """A list of sizes with the rows' length as it is now."""
        is_size = isinstance(argument, list | tuple) and len(argument) == 2
        return [argument[0], self.length] if is_size else argument


def _reorder(product: Layer, sums: _Sums) -> list[Node]:
    """Puts the product's new computation in its place; its nodes, the shorter product first."""
    node, graph = product.node, product.node.graph
    multiply = torch.matmul if product.is_product else functional.linear
    with graph.inserting_before(node):
        rows = call_like(graph, node, multiply, (sums.x, product.weight), {})
        shorter = _Shorter(sums, rows, product.lengths[1])
        result = shorter.copy(sums.traced.result, is_short=True)
        added = [rows, *shorter.added]
        if product.bias is not None:
            result = call_like(graph, node, torch.add, (result, product.bias), {})
            added.append(result)
    node.replace_all_uses_with(result)
    return added


def call_like(
    graph: Graph,
    like: Node,
    target: Callable[..., Any],
    arguments: tuple[Any, ...],
    words: dict[str, Any],
) -> Node:
    """A node with the example of its value, which stands in the program where `like` does."""
    values = torch.fx.node.map_arg(arguments, value_of)
    with private.finding_values((value_of(like), *values)):
        value = target(*values, **words)
    if isinstance(value, Tensor) and value.is_floating_point():
        value.requires_grad_(any(one.requires_grad for one in values if isinstance(one, Tensor)))
    node = graph.call_function(target, arguments, words)
    node.meta.update(like.meta)
    for key in ("example_value", "val"):
        if key in node.meta:
            node.meta[key] = value
    return node
