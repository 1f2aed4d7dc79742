"""Finds the largest part of a graph that ends in a node and has statements.

It has what looks elements up, or combines them at places, and what only that needs.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Graph, Node

from ember.torch.element_types import INDEX_TYPES, SUM_TYPES
from ember.torch.graph.costs import is_slow
from ember.torch.graph.effects import changed_by, effect_of
from ember.torch.graph.few_lookups import MATRIX_PRODUCTS, is_for_few, multiplies_others
from ember.torch.graph.irregular import (
    has_own_gradient,
    is_along,
    is_irregular,
    lengths_of_scatters,
    looked_up_in,
    offsets_of_bags,
    scattered_by,
    table_of_bags,
)
from ember.torch.graph.movement import may_change_between
from ember.torch.graph.operations import (
    LIKE_OTHERS,
    called_name,
    likely_sizes,
    read,
    same_number,
    tensor_of,
)
from ember.torch.graph.region import NoMatchError
from ember.torch.graph.remembered import remembered
from ember.torch.graph.single_operations import (
    are_tensors,
    dtype_of,
    is_complex,
    is_constant,
    is_elementwise,
    is_view,
    is_within_transform,
    made_with_others,
    tensors_of,
    text_of_operation,
)
from ember.torch.graph.trace import say_untraced, trace
from ember.torch.translate.statements import Statements
from ember.torch.translate.translation import Untranslated, translation_of

# A longer expression is no embedding operation any more.
MOST_NODES = 200
# Reductions that a loop over elements is as fast for as PyTorch's own.
_REDUCTIONS = frozenset(("linalg_vector_norm", "mean", "norm", "sum"))
_PRODUCTS = frozenset(("bmm", "einsum", "matmul"))
_PAIRS = ("complex", "view_as_complex")
_JOINS = frozenset(("cat", "column_stack", "hstack", "stack"))


@dataclass(frozen=True)
class Found:
    """Nodes, the irregular ones among them, what they read, and what they compute.

    elements: the sizes of what is looked up, combined or, without either, reduced. changed: the
    tensor that the last one changes, and returns, if it is none of them. lookups: of bags, what is
    looked up in, and where.
    """

    nodes: set[Node]
    irregular: list[Node]
    read: list[Node]
    statements: Statements
    elements: list[tuple[Any, ...]]
    changed: Node | None = None
    lookups: tuple[tuple[Node, Node], ...] = ()

    @property
    def shared(self) -> frozenset[Node]:
        """Those that others read, too, with what they are computed of."""
        own: set[Node] = {max(self.nodes)}
        for node in sorted(self.nodes, reverse=True):
            if all(user in own for user in node.users):
                own.add(node)
        return frozenset(self.nodes - own)

    @property
    def tables(self) -> list[Node]:
        """What is looked up in, by each lookup in order."""
        tables = (looked_up_in(one) or table_of_bags(one) for one in self.irregular)
        return [one for one in tables if one is not None]


def find(root: Node, with_places: bool, says_why: bool = False) -> Found | None:
    """The largest part of a graph that ends in `root` and has statements.

    with_places: operations that compute where it looks up are parts of it. says_why: raises
    NoMatchError where there would be one, but that something else needs what is within.
    """
    if root not in behind_lookups(root.graph):
        return None

    def own(reached: Collection[Node]) -> set[Node]:
        if with_places and (nodes := _with_bags(root, reached)):
            return nodes
        if not any(map(is_irregular, reached)):
            return set()
        nodes = _own(root, reached, with_places)
        if any(map(is_irregular, nodes)):
            return nodes
        shared = _shared(root, reached)
        if says_why and shared and isinstance(_translated(root, reached), Statements):
            part = shared[0]
            reader = next(user for user in part.users if user not in reached)
            use = "a result" if reader.op == "output" else f"read by {reader.name}"
            raise NoMatchError(f"{part.name}, a part of it, is {use}, too")
        return set()

    return _largest(root, own)


def _with_bags(root: Node, reached: Collection[Node]) -> set[Node]:
    """What `_own` chooses with bags, where these are computed with others' rows, or several of them
    to fewer elements than they have; none where bags are as well alone."""
    has_gradient = requires_gradient(root)
    bags = {
        one
        for one in reached
        if table_of_bags(one) is not None and not (has_gradient and has_own_gradient(one))
    }
    nodes = _own(root, reached, True, bags) if bags else set()
    bags &= nodes
    if len(bags) > 1 and _has_fewer(root, bags):
        return nodes
    if not any(map(is_irregular, nodes)):
        return set()
    meeting = {one for one in bags if meets_others({one}, nodes)}
    if not meeting:
        return set()
    return nodes if meeting == bags else _own(root, reached, True, meeting)


def _has_fewer(node: Node, bags: Collection[Node]) -> bool:
    """Whether a node has fewer elements than bags, each but for those with rows of one element."""
    whole, *sizes = (
        likely_sizes(tensor.shape) for tensor in map(tensor_of, (node, *bags)) if tensor is not None
    )
    longer = [one for one in sizes if one[-1] > 1]
    return bool(longer) and all(math.prod(whole) < math.prod(one) for one in longer)


def meets_others(part: Collection[Node], nodes: Collection[Node]) -> bool:
    """Whether one of the nodes computes elements of what a part of them yields and of what others
    look up: it has more than both side by side, or a product of that with a matrix."""
    behind, others = set(part), set[Node]()
    for node in sorted(set(nodes).difference(part)):
        sources = node.all_input_nodes
        of_part, of_others = behind.intersection(sources), others.intersection(sources)
        if of_part and of_others and called_name(node) not in _JOINS | MATRIX_PRODUCTS:
            is_one = len(of_part | of_others) == 1
            if not is_one or not (is_view(node) or is_elementwise(node)):
                return True
        if of_part:
            behind.add(node)
        if of_others or is_irregular(node) or table_of_bags(node) is not None:
            others.add(node)
    return False


def find_exactly(
    root: Node,
    nodes: set[Node],
    irregular: Sequence[Node],
    elements: Sequence[tuple[Any, ...]],
    lookups: Sequence[tuple[Node, Node]],
) -> Found | None:
    """These nodes, which end in `root`; None if they have no statements."""
    if _writers_elsewhere(nodes):
        return None
    translation = _translated(root, nodes)
    if not isinstance(translation, Statements):
        return None
    read = _read_by(nodes)
    return Found(
        nodes, sorted(irregular), read, translation, list(elements), lookups=tuple(lookups)
    )


def with_computed_tables(nodes: Collection[Node]) -> set[Node]:
    """Nodes that end in one, with what computes tables of which only they look up, and few rows."""
    return _with_computed_tables(nodes, _reached(max(nodes), ()))


def _with_computed_tables(nodes: Collection[Node], reached: Iterable[Node]) -> set[Node]:
    found, root = set(nodes), max(nodes)
    for node in sorted(reached, reverse=True):
        is_inside = all(user in found for user in node.users) and is_for_few(node)
        if is_inside and not may_change_between(node.all_input_nodes, node, root):
            found.add(node)
    return found


def find_reduced(root: Node, least: int) -> Found | None:
    """A reduction with the elements that it reduces, where these are so many at least, and computed
    in no more time than it takes to store and read them again; None for anything else."""
    operation = read(root)
    source = None if operation is None else operation.get("self")
    whole = tensor_of(source)
    if operation is None or operation.name not in _REDUCTIONS or whole is None:
        return None
    if math.prod(likely_sizes(whole.shape)) < least:
        return None
    sizes = tuple(whole.shape)

    def own(reached: Collection[Node]) -> set[Node]:
        nodes: set[Node] = set()
        for node in sorted(reached, reverse=True):
            is_inside = node is root or (
                all(user in nodes for user in node.users) and _has_elements(node, sizes)
            )
            if (
                is_inside
                and not is_irregular(node)
                and not any(map(is_complex, (node, *node.all_input_nodes)))
                and not is_slow(text_of_operation(node) or "")
            ):
                nodes.add(node)
        is_computed = any(node is not root and not is_for_nothing(node) for node in nodes)
        return _with_computed_tables(nodes, reached) if is_computed else set()

    return _largest(root, own)


def find_selected(root: Node, table: Node, mask: Node) -> Found | None:
    """What selects elements of a table by a mask, with comparisons that nothing else needs; None
    where there is no statement of it."""
    own = {root}
    for node in sorted(_reached(mask, ()), reverse=True):
        is_compared = is_view(node) or dtype_of(node) is torch.bool
        # Numbers that are given have the type of the result, and not of what they meet.
        is_of_tensors = all(dtype_of(one) is not None for one in node.all_input_nodes)
        is_inside = all(user in own for user in node.users) and not changed_by(node)
        if is_compared and is_of_tensors and is_inside:
            own.add(node)
    for nodes in (own, {root}):
        translation = _translated(root, nodes, selects=True)
        whole = tensor_of(table)
        if isinstance(translation, Statements) and whole is not None:
            return Found(nodes, [root], _read_by(nodes), translation, [tuple(whole.shape)])
    return None


def _has_elements(node: Node, sizes: Sequence[Any]) -> bool:
    """Whether a node's value has as many elements as a tensor of these sizes."""
    tensor = tensor_of(node)
    return tensor is not None and same_number(tensor.numel(), math.prod(sizes))


def _largest(root: Node, own: Callable[[Collection[Node]], set[Node]]) -> Found | None:
    """The largest part that has statements, of what `own` chooses of reached nodes."""
    blocked: set[Node] = set()
    while nodes := own(_reached(root, blocked)):
        writers = _writers_elsewhere(nodes)
        changed = _changed_by_scatter(root) if root in writers else None
        if root in writers and changed is None:
            return None
        if writers - {root}:
            blocked |= writers - {root}
            continue
        translation = _translated(root, nodes, changed)
        if isinstance(translation, Statements):
            bags = {one for one in nodes if table_of_bags(one) is not None}
            irregular = sorted(bags.union(filter(is_irregular, nodes)))
            read = [scattered_by(one) or one for one in irregular] or root.all_input_nodes[:1]
            if any(looked_up_in(one) in nodes for one in irregular):
                # What is looked up in is computed here, of more than what is looked up.
                read += [one for one in _read_by(nodes) if dtype_of(one) in SUM_TYPES]
            elements = [sizes for one in read if (sizes := _sizes_of_elements(one)) is not None]
            return Found(nodes, irregular, _read_by(nodes), translation, elements, changed)
        if not translation.nodes or root in translation.nodes:
            return None
        blocked |= translation.nodes
    return None


def _sizes_of_elements(node: Node) -> tuple[Any, ...] | None:
    """Those of what a node looks up, of bags all rows, or else has."""
    whole, operation = tensor_of(node), read(node)
    if whole is None or operation is None or table_of_bags(node) is None:
        return None if whole is None else tuple(whole.shape)
    places = tensor_of(operation.get("input"))
    return None if places is None else (*places.shape, whole.shape[-1])


def why_untranslated(node: Node) -> str:
    """Why an operation that looks up, or combines at places, has no statements; empty if it has
    some, or is another operation."""
    if not is_irregular(node) or text_of_operation(node) is not None:
        return ""
    return why_not_alone(node)


def why_not_alone(node: Node) -> str:
    """Why there are no statements of an operation by itself."""
    if is_within_transform(node):
        return "torch.vmap, or another transform, is around it"
    translation = _translated(node, [node])
    reason = translation.reason if isinstance(translation, Untranslated) else ""
    return reason or "it has no statement in index notation"


def _writers_elsewhere(nodes: Collection[Node]) -> set[Node]:
    """Those that change other tensors than new ones that the nodes make."""
    return {
        node for node in nodes if any(one not in nodes or is_view(one) for one in changed_by(node))
    }


def _changed_by_scatter(node: Node) -> Node | None:
    """The tensor that a node adds to in place, and returns."""
    changed = changed_by(node)
    return changed[0] if scattered_by(node) is not None and len(changed) == 1 else None


def _reached(root: Node, blocked: Collection[Node]) -> set[Node]:
    """The operations behind `root` that may be computed with it; none if they are too many."""
    reached: set[Node] = set()
    pending = [] if are_tensors(root) else [root]
    has_gradient = requires_gradient(root)
    while pending:
        node = pending.pop()
        if node in reached or node in blocked or not _has_statements(node):
            continue
        # One of several results is read with these.
        if made_with_others(node) in blocked:
            continue
        if has_gradient and (_cuts_gradients(node) or _is_extreme_of_all(node)):
            continue
        reached.add(node)
        pending += node.all_input_nodes
        if len(reached) > MOST_NODES:
            return set()
    return reached


@remembered
def behind_lookups(graph: Graph) -> set[Node]:
    """The operations that have statements, and look up or combine at places, or are computed of
    such."""
    found: set[Node] = set()
    for node in graph.nodes:
        is_irregular_or_bags = is_irregular(node) or table_of_bags(node) is not None
        is_behind = is_irregular_or_bags or any(one in found for one in node.all_input_nodes)
        if is_behind and _has_statements(node):
            found.add(node)
    return found


@remembered
def _has_statements(node: Node) -> bool:
    """Whether an operation has statements, by itself, and may be computed with others."""
    return _may_move(node) and text_of_operation(node) is not None and not multiplies_others(node)


def _may_move(node: Node) -> bool:
    """Whether an operation may be computed elsewhere, and has tensors as kernels have them."""
    if are_tensors(node):
        return effect_of(node).is_pure
    tensor = tensor_of(node)
    if node.op not in ("call_function", "call_method") or tensor is None:
        return False
    # Jagged tensors have sizes that are none.
    if tensor.layout is not torch.strided or tensor.is_nested:
        return False
    effect = effect_of(node)
    return effect.is_known and not effect.is_random


@remembered
def requires_gradient(node: Node) -> bool:
    """Whether a gradient may come to a node's value."""
    return any(tensor.requires_grad for tensor in tensors_of(node))


def _is_extreme_of_all(node: Node) -> bool:
    """Whether a node is the largest or least element of a tensor, with a gradient: PyTorch would
    differentiate a part with it, and what is ahead of it and behind it have kernels' gradients."""
    whole = tensor_of(node)
    is_number = whole is not None and not whole.dim() and whole.requires_grad
    return is_number and called_name(node) in ("amax", "amin", "max", "min")


@remembered
def _cuts_gradients(node: Node) -> bool:
    """Whether a node's value has no gradient, though what it is computed of has: it is detached,
    and no translation says so.

    Where gradients are off, no value has one.
    """
    is_float = any(tensor.is_floating_point() or tensor.is_complex() for tensor in tensors_of(node))
    operation = read(node)
    if is_constant(node) or (operation is not None and operation.name == "detach"):
        return False
    # Of others it asks for sizes alone.
    like = operation.get("other") if operation and operation.name in LIKE_OTHERS else None
    sources = (one for one in node.all_input_nodes if one is not like)
    return is_float and not requires_gradient(node) and any(map(requires_gradient, sources))


def _own(
    root: Node, reached: Collection[Node], with_places: bool, bags: Collection[Node] = ()
) -> set[Node]:
    """Those that only others of them need: what is looked up, what is computed of that, and what
    there is for each element that is combined at a place.

    What is the same for all lookups is better computed once, unless it takes nothing; that is a
    part, too, with places. What there is for each element of the result is computed once anyway.
    """
    depending = _beside_result(root, reached) if with_places else set()
    lengths = lengths_of_scatters(reached)
    for node in sorted(reached):
        is_own = is_irregular(node) or node in bags or is_along(node, lengths)
        if is_own or any(source in depending for source in node.all_input_nodes):
            depending.add(node)
            # What is changed in place is a part of what changes it.
            depending |= {one for one in changed_by(node) if one in reached and not is_view(one)}
    own: set[Node] = set()
    # Kernels check offsets that they are given.
    given = set(map(offsets_of_bags, bags))
    for node in sorted(set(reached) - given, reverse=True):
        is_inside = node is root or all(user in own for user in node.users)
        if not is_inside and _is_for_products(node):
            is_inside = any(user in own for user in node.users)
        is_for_lookups = is_constant(node) or (
            with_places and (is_for_nothing(node) or is_for_few(node) or _is_of_nothing(node))
        )
        if is_inside and (node in depending or is_for_lookups):
            own.add(node)
    # One of several results that others read, too, is an input: a kernel takes no tuple.
    return {node for node in own if (made_with_others(node) or root) in own}


def _is_for_products(node: Node) -> bool:
    """Whether products of matrices alone read what a node looks up, or shows of that: each of them
    reads it where it lies, and none makes it."""
    operation = read(node)
    is_shown = looked_up_in(node) is not None or is_view(node)
    if not is_shown and (operation is None or operation.name != "cat"):
        return False
    return all(_is_product(user) or _is_for_products(user) for user in node.users)


def _is_product(node: Node) -> bool:
    """Whether a node is a product of matrices."""
    return called_name(node) in _PRODUCTS


def _beside_result(root: Node, reached: Collection[Node]) -> set[Node]:
    """Those that compute an element for each one of the root, as multiples that are added to sums
    over edges, in no more time than it takes to store and read it."""
    sizes = getattr(tensor_of(root), "shape", ())
    beside = {root} if is_elementwise(root) else set()
    for node in sorted(reached, reverse=True):
        is_beside = node is not root and all(user in beside for user in node.users)
        if is_beside and is_elementwise(node) and _has_elements(node, sizes):
            beside.add(node)
    return beside - {root}


def is_of_elements(node: Node) -> bool:
    """Whether a node looks rows up, or computes elements in no more time than it takes to read
    them: of operands that are broadcast to as many."""
    if looked_up_in(node) is not None or is_view(node) or not is_elementwise(node):
        return looked_up_in(node) is not None
    tensors = [one for one in map(tensor_of, (node, *node.all_input_nodes)) if one is not None]
    whole, *operands = (likely_sizes(one.shape) for one in tensors)
    aligned = ([1] * (len(whole) - len(sizes)) + sizes for sizes in operands)
    return list(map(max, zip(*aligned, strict=False))) == whole


def _is_of_nothing(node: Node) -> bool:
    """Whether a mask is the same in each call."""
    is_kind = dtype_of(node) is torch.bool or not node.all_input_nodes
    return is_kind and node.op.startswith("call") and all(map(_is_of_nothing, node.all_input_nodes))


def is_for_nothing(node: Node) -> bool:
    """Whether a node computes places, the same elements at other indices, one number, or shows
    real numbers as complex ones."""
    is_shown = is_constant(node) or is_view(node) or called_name(node) in _PAIRS
    return is_shown or dtype_of(node) in INDEX_TYPES


def _shared(root: Node, nodes: Collection[Node]) -> list[Node]:
    """Those that something else needs, too."""
    return [
        node
        for node in sorted(nodes)
        if node is not root and any(user not in nodes for user in node.users)
    ]


def _read_by(nodes: Collection[Node]) -> list[Node]:
    """What nodes read that is none of them."""
    read = {source for node in nodes for source in node.all_input_nodes if source not in nodes}
    return sorted(read)


def _translated(
    root: Node,
    nodes: Collection[Node],
    changed: Node | None = None,
    selects: bool = False,
) -> Statements | Untranslated:
    """The statements of nodes; changed: what they are to change in place; selects: whether the
    result has as many columns as a mask has ones."""
    inputs = _read_by(nodes)
    try:
        traced = trace(root, nodes, inputs)
    except Exception as error:
        say_untraced(root, error)
        return Untranslated(frozenset())
    return translation_of(traced, changed, selects)
