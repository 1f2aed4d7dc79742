"""What a part of a graph computes, as statements.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torch import Tensor
from torch.fx import Node

from ember.torch.graph.trace import Traced
from ember.torch.operations import value_of
from ember.torch.translate import elementwise, lookups, products, reductions, views
from ember.torch.translate.statements import Statements
from ember.torch.translate.table import translate
from ember.torch.translate.values import NotTranslatedError, Value

# Families of the table, which enter what they translate.
FAMILIES = (elementwise, lookups, products, reductions, views)


@dataclass(frozen=True)
class Untranslated:
    """Nodes of the captured graph of which an operator has no statement."""

    nodes: frozenset[Node]


def is_translated(traced: Traced) -> bool:
    """Whether all operators of what was traced have statements."""
    return not isinstance(_values_of(traced), Untranslated)


def translation_of(traced: Traced) -> Statements | Untranslated:
    """The statements of what was traced, or what keeps it from being some."""
    found = _values_of(traced)
    if isinstance(found, Untranslated):
        return found
    statements, value = found
    try:
        statements.finish(value)
    except NotTranslatedError:
        return Untranslated(frozenset(filter(None, [traced.sources.get(traced.result)])))
    differentiable = _read_by(traced.result, is_float)
    for node, source in traced.inputs.items():
        if node not in differentiable and source in statements.inputs:
            statements.without_gradient.add(statements.inputs[source])
    return statements


def _values_of(traced: Traced) -> tuple[Statements, Value] | Untranslated:
    """The statements that a result needs, and what it is then."""
    result = traced.result.meta["val"]
    # What changes nothing, as conversions to the type that there is, is its input.
    known = traced.sources.keys() | traced.inputs.keys()
    if not isinstance(result, Tensor) or traced.result not in known:
        return Untranslated(frozenset())
    statements = Statements(result.dtype, traced.inputs)
    values: dict[Node, Value] = {}
    # Those without a value, and those of them that are not computed of others.
    missing: set[Node] = set()
    first: set[Node] = set()
    read = _read_by(traced.result)
    for node in traced.graph.nodes:
        # Sizes and other numbers that are computed have no statements.
        if node not in read or not (node in traced.inputs or is_tensor(node)):
            continue
        try:
            if node in traced.inputs:
                values[node] = statements.input(traced.inputs[node], value_of(node))
            else:
                values[node] = translate(node, statements, values)
        except NotTranslatedError as error:
            if node not in traced.sources:
                continue
            if missing.isdisjoint(node.all_input_nodes):
                first.add(error.operator or node)
            missing.add(node)
    if first:
        return Untranslated(frozenset(traced.sources[node] for node in first))
    return statements, values[traced.result]


def is_float(node: Node) -> bool:
    """Whether a node's value is a tensor of floats, as all are that have gradients, or has one."""
    value = value_of(node)
    values = value if isinstance(value, tuple | list) else [value]
    return any(isinstance(one, Tensor) and one.is_floating_point() for one in values)


def is_tensor(node: Node) -> bool:
    """Whether a node's value is a tensor."""
    return isinstance(value_of(node), Tensor)


def _read_by(result: Node, of_kind: Callable[[Node], bool] = lambda node: True) -> set[Node]:
    """The nodes that a result depends on by others of that kind, itself among them."""
    found: set[Any] = {result}
    pending = [result]
    while pending:
        for source in pending.pop().all_input_nodes:
            if source not in found and of_kind(source):
                found.add(source)
                pending.append(source)
    return found
