"""Which elements of matrices a model takes, as FX graphs say: by rows and columns, flat, by masks.

Places that a graph makes of nothing, as torch.tril_indices does, are computed once.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, GraphModule, Node

from ember.torch.effects import Memory, effect_of
from ember.torch.element_types import INDEX_TYPES
from ember.torch.operations import read, same_number, tensor_of
from ember.torch.pair_programs import FLAT, ROWS, TWO


@dataclass(frozen=True)
class Places:
    """Where the elements are that are taken of matrices (count, count).

    kind: as PairProgram has it. inputs: the nodes that hold the places; without any, `constant`
    gives them, (2, pairs), counted from the beginning. nodes: those that are not needed besides.
    index: the type of the places. is_mask: the input is true at the places, (count, count).
    """

    kind: str
    index: str
    inputs: tuple[Node, ...] = ()
    nodes: frozenset[Node] = frozenset()
    constant: Callable[[], Tensor] | None = None
    is_mask: bool = False


def places_of(keys: Sequence[Any], count: int) -> Places | None:
    """The places that keys behind the first dimension stand for: one flat or a mask, or two."""
    lists = [isinstance(key, list | tuple) for key in keys]
    if all(lists):
        numbers = torch.tensor([list(key) for key in keys])
        if numbers.dim() != 2 or numbers.dtype != torch.int64:
            return None
        return _constant(lambda: numbers, count, frozenset())
    tensors = [tensor for tensor in map(tensor_of, keys) if tensor is not None]
    if len(tensors) != len(keys):
        return None
    first = tensors[0]
    is_mask = first.dtype == torch.bool
    if is_mask:
        fits = len(keys) == 1 and all(same_number(size, count) for size in first.shape)
    else:
        fits = all(one.dim() == 1 and one.dtype == first.dtype for one in tensors) and all(
            same_number(one.shape[0], first.shape[0]) for one in tensors
        )
    if not fits or not (is_mask or first.dtype in INDEX_TYPES):
        return None
    made = constant_of(keys)
    if made is not None:
        return _constant(made[0], count, made[1])
    nodes = tuple(keys)
    if is_mask:
        return Places(ROWS, "i64", nodes, is_mask=True)
    index = INDEX_TYPES[first.dtype]
    if len(nodes) == 1:
        return Places(FLAT, index, nodes)
    both = _rows_of_one(nodes)
    if both is not None:
        return Places(ROWS, index, (both,), frozenset(nodes))
    return Places(TWO, index, nodes)


def _rows_of_one(nodes: tuple[Node, ...]) -> Node | None:
    """The matrix whose two rows the nodes are."""
    found = []
    for number, node in enumerate(nodes):
        operation = read(node)
        if operation is None or operation.name != "getitem" or operation.get("index") != number:
            return None
        found.append(operation.get("self"))
    one, other = found
    matrix = tensor_of(one)
    if one is not other or matrix is None or matrix.dim() != 2 or matrix.shape[0] != 2:
        return None
    return one if isinstance(one, Node) else None


def _constant(make: Callable[[], Tensor], count: int, nodes: frozenset[Node]) -> Places:
    """Places that are made when they are first needed: of rows and columns, flat, or a mask."""

    def made() -> Tensor:
        places = make()
        if places.dtype == torch.bool:
            return places.nonzero().t().contiguous()
        places = places.to(torch.int64)
        if places.shape[0] == 1:
            flat = torch.where(places < 0, places + count * count, places)
            return torch.cat((flat // count, flat % count))
        return torch.where(places < 0, places + count, places)

    return Places(ROWS, "i64", (), nodes, made)


def constant_of(keys: Collection[Any]) -> tuple[Callable[[], Tensor], frozenset[Node]] | None:
    """What computes nodes' tensors, stacked, if nothing but the graph's own text is in them.

    A mask is given alone, and as it is.
    """
    needed: set[Node] = set()
    pending = list(keys)
    while pending:
        node = pending.pop()
        if node in needed:
            continue
        if not node.op.startswith("call") or not effect_of(node).is_pure:
            return None
        needed.add(node)
        pending += node.all_input_nodes
    graph = next(iter(needed)).graph
    memory = Memory(graph)
    own_memory = memory.of_all(needed)
    if any(memory.changed_by(node) & own_memory for node in graph.nodes):
        return None
    copied: dict[Node, Node] = {}
    own = Graph()
    for node in sorted(needed):
        copied[node] = own.node_copy(node, copied.__getitem__)
    own.output(tuple(copied[key] for key in keys))
    run: Callable[[], Any] = GraphModule(torch.nn.Module(), own).forward

    def made() -> Tensor:
        found = run()
        is_mask = found[0].dtype == torch.bool
        places: Tensor = found[0] if is_mask else torch.stack(found)
        return places

    return made, frozenset(needed)
