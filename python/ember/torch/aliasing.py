"""What may change a tensor between two places of an FX graph.

A pattern reads its inputs later than the nodes it replaces did. That is the same only if nothing
between them changes these inputs, or how PyTorch computes: in-place operations, switches of
gradients and of autocast.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import operator
from collections.abc import Collection, Iterable

from torch.fx import Graph, Node

from ember.torch import private
from ember.torch.operations import VIEWS, read, tensor_of

_IN_PLACE_FUNCTIONS = {
    operator.iadd,
    operator.isub,
    operator.imul,
    operator.itruediv,
    operator.ifloordiv,
    operator.imod,
    operator.ipow,
    operator.iand,
    operator.ior,
    operator.ixor,
    operator.setitem,
}
# What makes new memory: its result is nobody else's.
_FRESH = frozenset(
    (
        "add",
        "bmm",
        "cat",
        "clone",
        "div",
        "exp",
        "full",
        "gather",
        "index_select",
        "lift_fresh_copy",
        "matmul",
        "mul",
        "neg",
        "new_full",
        "new_ones",
        "new_zeros",
        "ones",
        "ones_like",
        "stack",
        "sub",
        "zeros",
        "zeros_like",
    )
)


def written(node: Node) -> Node | None:
    """The node whose tensor this node changes; None if it changes none."""
    target = node.target
    operation = read(node)
    if operation is not None and operation.get("max_norm") is not None:
        weight: Node = operation.get("weight")
        return weight
    changes = False
    if node.op == "call_method":
        name = str(target)
        changes = name.endswith("_") and not name.endswith("__")
    elif node.op == "call_function":
        out = node.kwargs.get("out")
        if isinstance(out, Node):
            return out
        if isinstance(target, private.OpOverload):
            changes = target._schema.is_mutable
        else:
            name = getattr(target, "__name__", "")
            changes = (
                target in _IN_PLACE_FUNCTIONS
                or (name.endswith("_") and not name.endswith("__"))
                or _is_told_to(node)
            )
    if changes and node.args and isinstance(node.args[0], Node):
        return node.args[0]
    return None


def _is_told_to(node: Node) -> bool:
    """Whether a function is given inplace=True, by name or by place."""
    if "inplace" in node.kwargs:
        return bool(node.kwargs["inplace"])
    code = getattr(node.target, "__code__", None)
    if code is None or "inplace" not in code.co_varnames[: code.co_argcount]:
        return False
    place = code.co_varnames.index("inplace")
    return len(node.args) > place and bool(node.args[place])


def use_results(graph: Graph) -> None:
    """Makes later uses of a tensor that a method changes in place uses of the method's result.

    The two are one tensor. Afterwards an operand is what its node computes, unless another view of
    its memory is changed.
    """
    for node in graph.nodes:
        if node.op != "call_method" or written(node) is None:
            continue
        changed, result = node.args[0], tensor_of(node)
        before = tensor_of(changed)
        if result is None or before is None or result.shape != before.shape:
            continue
        changed.replace_all_uses_with(node, delete_user_cb=lambda user, node=node: user > node)


def memory_of(node: Node) -> Node:
    """The node that made the memory in which this node's tensor lies."""
    while True:
        source = written(node)
        if source is None:
            operation = read(node)
            is_view = (operation is not None and operation.name in VIEWS) or (
                node.op == "call_method" and str(node.target) in VIEWS
            )
            if not is_view or not node.args or not isinstance(node.args[0], Node):
                return node
            source = node.args[0]
        node = source


def _is_fresh(node: Node) -> bool:
    operation = read(node)
    return operation is not None and operation.name in _FRESH


def _is_barrier(node: Node) -> bool:
    """Whether PyTorch computes otherwise behind this node."""
    if node.op != "call_function":
        return False
    name = getattr(node.target, "__name__", "")
    return name in (
        "_set_grad_enabled",
        "_enter_autocast",
        "_exit_autocast",
        "_enter_inference_mode",
        "_exit_inference_mode",
    )


def _needed_by(nodes: Iterable[Node]) -> set[Node]:
    """The nodes and all that they are computed from, which may share memory with them."""
    found: set[Node] = set()
    pending = list(nodes)
    while pending:
        node = pending.pop()
        if node not in found:
            found.add(node)
            pending += node.all_input_nodes
    return found


def why_not_movable(first: Node, last: Node, own: Collection[Node], inputs: Iterable[Node]) -> str:
    """Why inputs may be other ones at `last` than at `first`; empty if they are the same.

    own: nodes of the pattern, which change memory of their own only.
    """
    inputs = set(inputs)
    # What is changed before an input is computed is no concern of that input's.
    needed = _needed_by(one for one in inputs if one <= first)
    node = first
    while node is not last:
        node = node.next
        if node in own:
            continue
        if _is_barrier(node):
            return f"{node.name} switches gradients or autocast between its operations"
        changed = written(node)
        if changed is not None:
            memory = memory_of(changed)
            if memory in needed or not _is_fresh(memory):
                return f"{node.name} changes a tensor in place between its operations"
        if node in inputs:
            needed |= _needed_by((node,))
    return ""
