"""Records which of ATen's operators run on values without data, decomposed, as a graph.

The graph is the one that torch.fx.experimental.proxy_tensor.make_fx would make, but that a size is
a node only where an operator is given it: symbolic sizes and strides of everything that is made
take most of the time there.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.fx import Graph, Node
from torch.fx.node import map_aggregate

from ember.torch.capture import private

_NUMBERS = (torch.SymInt, torch.SymFloat, torch.SymBool)
# Questions about a tensor's shape, which what is made of operators may ask as operators.
_QUESTIONS = frozenset(
    f"aten::{prefix}{name}"
    for name in ("numel", "size", "storage_offset", "stride")
    for prefix in ("", "sym_")
)


class Recorder(private.DispatchMode):  # type: ignore[misc]
    """Notes the operators that run while it is entered.

    graph: the operators, each with the example of its value. place: of what calls them, which they
    are marked with; places: these marks.
    """

    def __init__(self, decompositions: Mapping[private.OpOverload, Callable[..., Any]]) -> None:
        super().__init__()
        self._owner = nn.Module()
        self.graph = Graph(self._owner)  # type: ignore[arg-type]
        self.place = 0
        self.places: dict[Node, int] = {}
        self._decompositions = decompositions
        # By the identities of what is kept: nodes, or what has a value as one of several.
        self._nodes: dict[int, Node | tuple[Node, int]] = {}
        self._kept: list[Any] = []
        self._tensors: list[Node] = []
        self._expressions: dict[Any, Node] = {}

    def input(self, name: str, example: Any) -> None:
        """Makes a placeholder; of a list, one for each of its elements."""
        for one in example if isinstance(example, tuple | list) else (example,):
            self._know(one, self.graph.placeholder(name))

    def output(self, value: Any) -> None:
        """Says what the graph computes."""
        self.graph.output(map_aggregate(value, self._node_of))

    def __torch_dispatch__(
        self,
        func: private.OpOverload,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        if func.namespace == "prim" or func._schema.name in _QUESTIONS:
            return func(*args, **kwargs)
        # As any new tensor is that Python is given.
        if func is torch.ops.aten.detach.default and self._is_made_here(args[0]):
            return args[0]
        # Autograd sees into operators that are made of others, but not below it, and decompositions
        # call some.
        with self:
            found = self._decompositions.get(func, func.decompose)(*args, **kwargs)
        if found is not NotImplemented:
            return found
        if torch.Tag.inplace_view in func.tags:
            self._keep_shape(args[0])
        # The constant that is lifted stays what it is.
        is_lifted = func is torch.ops.aten.lift_fresh.default
        target = torch.ops.aten.lift_fresh_copy.default if is_lifted else func
        given, named = map_aggregate((args, kwargs), self._node_of)
        name = target.overloadpacket.__name__
        node = self.graph.create_node("call_function", target, given, named, name)
        self.places[node] = self.place
        result = func(*args, **kwargs)
        self._know(result, node)
        return result

    def _is_made_here(self, tensor: Tensor) -> bool:
        """Whether a tensor is of the call that is recorded now."""
        node = self._nodes.get(id(tensor))
        return isinstance(node, Node) and self.places.get(node) == self.place

    def _keep_shape(self, tensor: Tensor) -> None:
        """Lets a tensor's node have the shape that the tensor has before it is changed."""
        node = self._node_of(tensor)
        node.meta["val"] = tensor.detach()

    def _know(self, value: Any, node: Node) -> None:
        """Remembers which node a value is that of."""
        node.meta["val"] = value
        self._kept.append(value)
        if isinstance(value, Tensor):
            self._nodes[id(value)] = node
            self._tensors.append(node)
        elif isinstance(value, _NUMBERS):
            self._nodes[id(value.node)] = node
            self._expressions.setdefault(value.node.expr, node)
        elif isinstance(value, tuple | list):
            for number, one in enumerate(value):
                self._nodes[id(one.node if isinstance(one, _NUMBERS) else one)] = node, number

    def _node_of(self, argument: Any) -> Any:
        """The node whose value an argument is; itself, if it is a constant of Python."""
        if isinstance(argument, _NUMBERS):
            number = private.number_of(argument)
            if number is not None:
                return number
            return self._known(argument.node, argument) or self._size(argument.node.expr, argument)
        if not isinstance(argument, Tensor):
            return argument
        return self._known(argument, argument) or self._constant(argument)

    def _known(self, identity: Any, value: Any) -> Node | None:
        found = self._nodes.get(id(identity))
        if not isinstance(found, tuple):
            return found
        several, _ = found
        node = self.graph.call_function(operator.getitem, found)
        self.places[node] = self.places[several]
        self._know(value, node)
        return node

    def _constant(self, tensor: Tensor) -> Node:
        """The node of a tensor that nothing here has made."""
        if private.is_fake(tensor):
            raise RuntimeError("it computes with a tensor that is none of its inputs")
        name = f"constant{len(self._kept)}"
        self._owner.register_buffer(name, tensor)
        node = self.graph.get_attr(name)
        self._know(tensor, node)
        return node

    def _size(self, expression: Any, value: Any) -> Any:
        """The node of a size, by the first tensor that has it, or else by those of its parts."""
        if (known := self._expressions.get(expression)) is not None:
            return known
        for node, dimension, size in self._sizes():
            if size.node.expr == expression:
                target = torch.ops.aten.sym_size.int
                return self._number(self.graph.call_function(target, (node, dimension)), size)
        if expression.is_number:
            return int(expression)
        if expression.is_symbol:
            return self._quotient(expression)
        parts = [self._size(part, None) for part in expression.args]
        return self._number(private.node_of_expression(expression, parts), value)

    def _sizes(self) -> Iterator[tuple[Node, int, torch.SymInt]]:
        """The symbolic sizes of tensors, with their dimensions."""
        for node in self._tensors:
            for dimension, size in enumerate(node.meta["val"].shape):
                if isinstance(size, torch.SymInt):
                    yield node, dimension, size

    def _quotient(self, symbol: Any) -> Node:
        """The node of a size of which tensors have multiples alone."""
        for _, _, size in self._sizes():
            times = size.node.expr / symbol
            if times.is_Integer:
                made = self._size(size.node.expr, size), int(times)
                return self._number(
                    self.graph.call_function(operator.floordiv, made), size // int(times)
                )
        raise RuntimeError(f"it needs {symbol}, a size that none of its inputs has")

    def _number(self, node: Node, value: Any) -> Node:
        self.places[node] = self.place
        self._know(value, node)
        return node
