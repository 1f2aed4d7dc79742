"""What a part of a graph computes, as statements.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

import torch
from torch import Tensor
from torch.fx import Graph, Node
from torch.fx.node import map_arg

from ember.torch.calls.kept_tensors import for_later_calls
from ember.torch.capture import private
from ember.torch.element_types import INDEX_TYPES
from ember.torch.graph.operations import is_tensor, read, value_of
from ember.torch.graph.remembered import recalled
from ember.torch.graph.trace import Traced
from ember.torch.translate import (
    complex_numbers,
    elementwise,
    lookups,
    products,
    reductions,
    scatters,
    segments,
    views,
)
from ember.torch.translate.statements import Statements
from ember.torch.translate.table import translate
from ember.torch.translate.values import NotTranslatedError, detached

# What is larger stays an input.
MOST_ELEMENTS = 1 << 16


def constants_of(graph: Graph) -> dict[Node, Tensor]:
    """The values of operators that read nothing but numbers and other such operators."""
    found: dict[Node, Tensor] = {}
    for node in graph.nodes:
        if not set(node.all_input_nodes) <= found.keys():
            continue
        value = None
        if node.op == "get_attr":
            value = getattr(graph.owning_module, str(node.target), None)
        elif node.op == "call_function" and _is_fixed(node):
            arguments, keywords = map_arg((node.args, node.kwargs), found.__getitem__)
            with for_later_calls():
                value = node.target(*arguments, **keywords)
        if _is_number_or_places(value):
            found[node] = value
    return found


def _is_number_or_places(value: Any) -> TypeGuard[Tensor]:
    """Whether a tensor is one number, or has integers or booleans."""
    if not isinstance(value, Tensor):
        return False
    is_number = value.is_floating_point() and not value.dim()
    return is_number or value.dtype in (*INDEX_TYPES, torch.bool)


def _is_fixed(node: Node) -> bool:
    """Whether an operator computes few integers, the same ones in each call."""
    target, example = node.target, node.meta.get("val")
    return (
        isinstance(target, private.OpOverload)
        and not target._schema.is_mutable
        and torch.Tag.nondeterministic_seeded not in target.tags
        and _is_number_or_places(example)
        and all(isinstance(size, int) and size <= MOST_ELEMENTS for size in example.shape)
        and not any(isinstance(one, torch.SymInt) for one in _numbers(node.args))
    )


def _numbers(arguments: Iterable[Any]) -> Iterator[Any]:
    """Arguments, and those in lists."""
    for argument in arguments:
        yield from argument if isinstance(argument, list | tuple) else (argument,)


# Families of the table, which enter what they translate.
FAMILIES = (
    complex_numbers,
    elementwise,
    lookups,
    products,
    reductions,
    scatters,
    segments,
    views,
)


@dataclass(frozen=True)
class Untranslated:
    """Nodes of the captured graph of which an operator has no statement; why, if that is known."""

    nodes: frozenset[Node]
    reason: str = ""


def text_of(traced: Traced) -> str | None:
    """The statements that compute what was traced; None if an operator has none."""
    found = _values_of(traced, is_trial=True)
    if isinstance(found, Untranslated):
        return None
    statements, value = found
    # What is put side by side, and what is complex, is read by others alone.
    with suppress(NotTranslatedError):
        statements.finish(value)
    return statements.text


def translation_of(
    traced: Traced, changed: Node | None = None, selects: bool = False
) -> Statements | Untranslated:
    """The statements of what was traced, or what keeps it from being some.

    changed: the input that they add to, if the result is to be in its memory. selects: whether the
    result is what a mask selects, of a size that only the run knows.
    """
    onto = [node for node, source in traced.inputs.items() if source is changed]
    # Parts that are alike have their operators in common.
    first, found = recalled(
        ("translation", traced.graph, selects, *onto),
        lambda: (traced, _translated(traced, changed, selects)),
    )
    if isinstance(found, Untranslated):
        sources = dict(zip(first.sources.values(), traced.sources.values(), strict=True))
        return replace(found, nodes=frozenset(map(sources.__getitem__, found.nodes)))
    return _with_nodes_of(traced, first, found)


def _with_nodes_of(traced: Traced, first: Traced, statements: Statements) -> Statements:
    """The statements of a part that is like another one, which have that one's nodes."""
    nodes = dict(zip(first.inputs.values(), traced.inputs.values(), strict=True))
    nodes.update(zip(first.sources.values(), traced.sources.values(), strict=True))

    def own(node: Node) -> Node:
        return nodes.get(node, node)

    of_rows = statements.of_rows
    return replace(
        statements,
        lines=list(statements.lines),
        given=traced.inputs,
        inputs={own(node): name for node, name in statements.inputs.items()},
        expected={own(node): number for node, number in statements.expected.items()},
        combined={name: own(node) for name, node in statements.combined.items()},
        changed=statements.changed and own(statements.changed),
        of_rows=of_rows and _with_nodes_of(traced, first, of_rows),
    )


def _translated(traced: Traced, changed: Node | None, selects: bool) -> Statements | Untranslated:
    found = _values_of(traced, changed=changed, selects=selects)
    if isinstance(found, Untranslated):
        return found
    statements, value = found
    try:
        statements.finish(value)
    except NotTranslatedError as error:
        operator = error.operator or traced.result
        return Untranslated(frozenset(filter(None, [traced.sources.get(operator)])))
    statements.operators = traced.graph
    statements.combined = {
        name: traced.sources.get(one, one) for name, one in statements.combined.items()
    }
    if statements.lookups:
        statements.of_rows = _of_rows(traced, statements)
    differentiable = _differentiated(traced, traced.result)
    statements.has_own_gradients = any(
        one in differentiable and not _differentiated(traced, one).isdisjoint(traced.inputs)
        for one in statements.own_gradients
    )
    for node, source in traced.inputs.items():
        if node not in differentiable and source in statements.inputs:
            statements.without_gradient.add(statements.inputs[source])
    return statements


def _of_rows(traced: Traced, statements: Statements) -> Statements | None:
    """The statements of the same that are given what lookups yield; arrays keep their names."""
    rows = {lookup.node: lookup.node for lookup in statements.lookups}
    given = replace(traced, inputs={**traced.inputs, **rows})
    found = _values_of(given, statements.inputs)
    if isinstance(found, Untranslated):
        return None
    of_rows, value = found
    of_rows.finish(value)
    return of_rows


def _values_of(
    traced: Traced,
    names: Mapping[Node, str] | None = None,
    is_trial: bool = False,
    changed: Node | None = None,
    selects: bool = False,
) -> tuple[Statements, Any] | Untranslated:
    """The statements that a result needs, and what it is then.

    names: what inputs are called that have names already.
    """
    result = traced.result.meta["val"]
    # What changes nothing, as conversions to the type that there is, is its input.
    known = traced.sources.keys() | traced.inputs.keys()
    if not isinstance(result, Tensor) or traced.result not in known:
        return Untranslated(frozenset())
    statements = Statements(
        result.dtype,
        traced.inputs,
        inputs=dict(names or {}),
        is_trial=is_trial,
        changed=changed,
        selecting=traced.result if selects else None,
    )
    values: dict[Node, Any] = {}
    constants = constants_of(traced.graph)
    # Those without a value, and those of them that are not computed of others.
    missing: set[Node] = set()
    first: dict[Node, str] = {}
    needed = _read_by(traced.result, traced.inputs)
    for node in traced.graph.nodes:
        # Sizes and other numbers that are computed have no statements.
        if node in needed and node in constants:
            values[node] = statements.constant(constants[node])
            continue
        if node not in needed or not (node in traced.inputs or is_tensor(node)):
            continue
        try:
            if node in traced.inputs:
                values[node] = statements.input(traced.inputs[node], value_of(node))
            else:
                value = translate(node, statements, values)
                values[node] = detached(value) if _is_detached(traced, node) else value
        except NotTranslatedError as error:
            if node not in traced.sources:
                continue
            if missing.isdisjoint(node.all_input_nodes):
                first[error.operator or node] = error.reason
            missing.add(node)
    if first:
        reason = next(filter(None, first.values()), "")
        return Untranslated(frozenset(traced.sources[node] for node in first), reason)
    return statements, values[traced.result]


def _differentiated(traced: Traced, node: Node) -> set[Node]:
    """What has a gradient where a node has one."""
    return _read_by(node, of_kind=lambda one: is_float(one) and not _is_detached(traced, one))


def _is_detached(traced: Traced, node: Node) -> bool:
    """Whether no gradient comes through an operator."""
    source = traced.sources.get(node)
    operation = None if source is None else read(source)
    return operation is not None and operation.name == "detach"


def is_float(node: Node) -> bool:
    """Whether a node's value is a tensor of floats, as all are that have gradients, or has one."""
    value = value_of(node)
    values = value if isinstance(value, tuple | list) else [value]
    tensors = (one for one in values if isinstance(one, Tensor))
    return any(one.is_floating_point() or one.is_complex() for one in tensors)


def _read_by(
    result: Node,
    inputs: Collection[Node] = (),
    of_kind: Callable[[Node], bool] = lambda node: True,
) -> set[Node]:
    """The nodes that a result depends on by others of that kind, itself and inputs among them."""
    found: set[Any] = {result}
    pending = [result]
    while pending:
        node = pending.pop()
        for source in () if node in inputs else node.all_input_nodes:
            if source not in found and of_kind(source):
                found.add(source)
                pending.append(source)
    return found
