"""Reads nodes of FX graphs as blocks of rows that are gathered from a tensor by their numbers.

What is gathered is followed through views: windows are cut from it, blocks are joined, others of
the same tensor put beside them. All of that is done to the numbers of the blocks instead.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor
from torch.fx import Node

from ember.torch.block_call import Blocks, Step
from ember.torch.element_types import INDEX_TYPES, VALUE_TYPES
from ember.torch.operations import (
    Operation,
    fixed_size,
    likely_same,
    read,
    same_number,
    tensor_of,
)

# Of blocks: values, and integers as masks.
BLOCK_TYPES = VALUE_TYPES | INDEX_TYPES


@dataclass(frozen=True)
class Gathered:
    """A node's value as gathered blocks: (groups, windows, rows of a window's blocks, length).

    nodes: what it is computed by, from the gather on; sizes: those of the call that its blocks need
    to know. cut: it is only a part of what is gathered.
    transposed: the last two dimensions are the other way round. leading: how many dimensions
    there are in front of the rows.
    """

    gather: Node
    source: Node
    index: Node
    blocks: Blocks
    block_size: int
    length: int
    leading: int
    nodes: tuple[Node, ...]
    sizes: tuple[Node, ...] = ()
    cut: bool = False
    transposed: bool = False

    def then(self, node: Node, *steps: Step, **changes: Any) -> "Gathered":
        """The value of a node that is computed from this one."""
        blocks = replace(self.blocks, steps=(*self.blocks.steps, *steps))
        return replace(self, blocks=blocks, nodes=(*self.nodes, node), **changes)

    def windows_joined(self) -> "Gathered":
        """The same where each block was a window: the last dimension of windows is of blocks."""
        blocks = replace(self.blocks, steps=(*self.blocks.steps, _first))
        return replace(self, blocks=blocks, leading=self.leading - 1)


def gathered_at(node: Node) -> Gathered | None:
    """What a node's value is of gathered blocks; None if it is something else."""
    tensor, operation = tensor_of(node), read(node)
    if tensor is None or operation is None or operation.in_place:
        return None
    if operation.name == "cat":
        return _joined(node, operation, tensor)
    operand = operation.get("self")
    if operation.name in _VIEWS and isinstance(operand, Node):
        before = gathered_at(operand)
        if before is not None:
            return _VIEWS[operation.name](before, node, operation, tensor)
    return _gather_at(node, operation, tensor)


# Gathers.


@dataclass(frozen=True)
class _Found:
    """Along which dimension of its source an operation gathers, by which numbers.

    shared: the numbers are the same for all groups; otherwise their first dimensions are those of
    the source. repeated: they have dimensions of size 1 in place of what they take whole.
    """

    dim: int
    index: Node
    shared: bool = False
    repeated: bool = False


def _gather_at(node: Node, operation: Operation, tensor: Tensor) -> Gathered | None:
    """A gather of whole rows or blocks of rows."""
    source = operation.get("self")
    table = tensor_of(source)
    if not isinstance(source, Node) or table is None or table.dim() < 2:
        return None
    if table.dtype not in BLOCK_TYPES or tensor.dtype != table.dtype:
        return None
    found = None
    if operation.name in ("gather", "take_along_dim"):
        found = _repeated(operation, table)
    elif operation.name == "index_select":
        # PyTorch may well keep it: no size is fixed for its sake.
        if all(isinstance(size, int) for size in table.shape[-2:]):
            found = _shared(operation.get("dim"), operation.get("index"), table)
    elif operation.name == "getitem":
        found = _indexed(operation, table, tensor)
    numbers = tensor_of(found.index) if found is not None else None
    if found is None or numbers is None or numbers.dtype not in INDEX_TYPES:
        return None
    trailing = table.dim() - found.dim - 1
    leading = tensor.dim() - 2
    # A lookup of rows of a table has no leading dimensions.
    if trailing not in (1, 2) or leading < 1:
        return None
    rows = trailing == 1
    steps: tuple[Step, ...] = ()
    if found.repeated:
        # One of the dimensions of size 1 stays for blocks: windows have one block.
        steps = (_first,)
    elif not rows:
        steps = (_alone,)
    return Gathered(
        node,
        source,
        found.index,
        Blocks(found.dim, found.shared, rows, steps),
        1 if rows else fixed_size(table.shape[-2]),
        fixed_size(table.shape[-1]),
        leading,
        (node,),
    )


def _first(numbers: Tensor, known: Sequence[int]) -> Tensor:
    """Numbers without their last dimension, along which they are repeated."""
    return numbers[..., 0]


def _alone(numbers: Tensor, known: Sequence[int]) -> Tensor:
    """Numbers as those of windows of one block."""
    return numbers.unsqueeze(-1)


def _shared(dim: Any, index: Any, table: Tensor) -> _Found | None:
    """The same blocks of all groups."""
    numbers = tensor_of(index)
    if not isinstance(dim, int) or not isinstance(index, Node) or numbers is None:
        return None
    return _Found(dim % table.dim(), index, shared=True) if numbers.dim() else None


def _repeated(operation: Operation, table: Tensor) -> _Found | None:
    """What operations on elements gather if there is one number for each block."""
    dim = operation.get("dim")
    index = operation.get("index", operation.get("indices"))
    if not isinstance(dim, int) or not isinstance(index, Node):
        return None
    dim %= table.dim()
    whole = None
    if operation.name == "gather":
        # It takes as many elements as the index has: all of a block if that is as large.
        whole, expanded = tensor_of(index), read(index)
        if expanded is None or expanded.name not in ("expand", "expand_as") or whole is None:
            return None
        index = expanded.get("self")
    numbers = tensor_of(index)
    if not isinstance(index, Node) or numbers is None or numbers.dim() != table.dim():
        return None
    if dim == table.dim() - 1 or not all(same_number(size, 1) for size in numbers.shape[dim + 1 :]):
        return None
    if not _fits(numbers, table, dim):
        return None
    if whole is not None and not _is_whole(whole, numbers, table, dim):
        return None
    return _Found(dim, index, repeated=True)


def _is_whole(index: Tensor, numbers: Tensor, table: Tensor, dim: int) -> bool:
    """Whether numbers, expanded to an index of elements, take whole blocks of all groups.

    Fixes the sizes of blocks.
    """
    if index.dim() != table.dim():
        return False
    for at, size in enumerate(index.shape[:dim]):
        # Numbers that are not repeated are compared with the source in each call.
        if same_number(numbers.shape[at], 1) and not same_number(size, table.shape[at]):
            return False
    return all(
        fixed_size(size) == fixed_size(table.shape[at])
        for at, size in enumerate(index.shape[dim + 1 :], dim + 1)
    )


def _fits(numbers: Tensor, table: Tensor, groups: int) -> bool:
    """Whether the numbers' first dimensions are the source's, or of size 1."""
    return all(
        same_number(size, 1) or likely_same(size, table.shape[at])
        for at, size in enumerate(numbers.shape[:groups])
    )


def _indexed(operation: Operation, table: Tensor, tensor: Tensor) -> _Found | None:
    """x[:, :, index], and x[batches, heads, index] with all batches and heads in their order."""
    key = operation.get("index")
    key = key if isinstance(key, tuple) else (key,)
    if Ellipsis in key:
        at = key.index(Ellipsis)
        if Ellipsis in key[at + 1 :] or None in key:
            return None
        missing = table.dim() - len(key) + 1
        key = (*key[:at], *[slice(None)] * missing, *key[at + 1 :])
    places = [place for place, one in enumerate(key) if isinstance(one, Node)]
    if not places or any(one != slice(None) for one in key if not isinstance(one, Node)):
        return None
    dim = places[-1]
    if len(places) == 1:
        return _shared(dim, key[dim], table)
    numbers = tensor_of(key[dim])
    rank = tensor.dim() - (table.dim() - dim - 1)
    if len(places) != dim + 1 or numbers is None or numbers.dim() != rank or rank <= dim:
        return None
    if not _fits(numbers, table, dim):
        return None
    if not all(_counts(key[group], group, rank, table.shape[group]) for group in range(dim)):
        return None
    return _Found(dim, key[dim])


def _counts(node: Node, place: int, rank: int, size: Any) -> bool:
    """Whether a node's value is 0, 1, ... size - 1 along that dimension of an index."""
    tensor = tensor_of(node)
    if tensor is None or not place - rank >= -tensor.dim():
        return False
    for at, one in enumerate(tensor.shape, rank - tensor.dim()):
        if not same_number(one, size if at == place else 1):
            return False
    while node.target not in (torch.arange, torch.ops.aten.arange.default):
        operation = read(node)
        if operation is None or operation.name not in ("getitem", "view", "reshape", "unsqueeze"):
            return False
        node = operation.get("self")
        # Nothing is left out, so that the order stays.
        before = tensor_of(node)
        if before is None or not same_number(before.numel(), size):
            return False
    return len(node.args) == 1 and not {"start", "end", "step"} & node.kwargs.keys()


# Views of what is gathered.


def _reshaped(
    before: Gathered, node: Node, operation: Operation, tensor: Tensor
) -> Gathered | None:
    """Blocks joined or taken apart, windows counted otherwise: groups stay, and so do rows."""
    old = tensor_of(before.nodes[-1])
    groups = before.blocks.groups
    if before.transposed or old is None or tensor.dim() < max(groups, 1) + 2:
        return None
    if not same_number(tensor.shape[-1], before.length):
        return None
    if not all(same_number(tensor.shape[at], old.shape[at]) for at in range(groups)):
        return None
    # Sizes of the call are those that were, but for one that follows from the others.
    given = operation.get("size", operation.get("shape"))
    given = given if isinstance(given, list | tuple) and len(given) == tensor.dim() else ()
    sizes: list[Any] = []
    asked = list(before.sizes)
    shape: tuple[Any, ...] = tuple(tensor.shape)
    for at, size in enumerate(shape[groups:-2], groups):
        if isinstance(size, int):
            sizes.append(size)
        elif at < before.leading and same_number(size, old.shape[at]):
            sizes.append(_Known(before=at))
        elif given and isinstance(given[at], Node):
            asked.append(given[at])
            sizes.append(_Known(told=len(asked)))
        else:
            sizes.append(-1)
    rows = shape[-2]
    if isinstance(rows, int):
        if rows % before.block_size:
            return None
        sizes.append(rows // before.block_size)
    else:
        sizes.append(-1)
    if sizes.count(-1) > 1:
        return None

    def step(numbers: Tensor, known: Sequence[int]) -> Tensor:
        own = [size if isinstance(size, int) else size.of(numbers, known) for size in sizes]
        return numbers.reshape((*numbers.shape[:groups], *own))

    return before.then(node, step, leading=tensor.dim() - 2, sizes=tuple(asked))


@dataclass(frozen=True)
class _Known:
    """A size that is known in a call: that of a dimension before, or one that was asked for."""

    before: int = 0
    told: int = 0

    def of(self, numbers: Tensor, known: Sequence[int]) -> int:
        return known[self.told] if self.told else numbers.shape[self.before]


def _cut(before: Gathered, node: Node, operation: Operation, tensor: Tensor) -> Gathered | None:
    """Some of the windows, by numbers and slices."""
    key = operation.get("index")
    key = key if isinstance(key, tuple) else (key,)
    old = tensor_of(before.nodes[-1])
    if old is None or before.transposed:
        return None
    if Ellipsis in key:
        at = key.index(Ellipsis)
        if Ellipsis in key[at + 1 :] or None in key:
            return None
        missing = old.dim() - len(key) + 1
        key = (*key[:at], *[slice(None)] * missing, *key[at + 1 :])
    if len(key) > old.dim():
        return None
    groups, leading = before.blocks.groups, before.leading
    if any(one != slice(None) for one in (*key[:groups], *key[leading:])):
        return None
    if not all(map(_is_fixed, key)):
        return None
    if tensor.dim() < 3:
        return None
    key = key[:leading]

    def step(numbers: Tensor, known: Sequence[int]) -> Tensor:
        return numbers[key]

    is_cut = any(one != slice(None) for one in key)
    return before.then(node, step, leading=tensor.dim() - 2, cut=before.cut or is_cut)


def _is_fixed(one: Any) -> bool:
    """Whether a part of a key is a number, or a slice by numbers."""
    if isinstance(one, slice):
        return all(end is None or isinstance(end, int) for end in (one.start, one.stop, one.step))
    return isinstance(one, int) and not isinstance(one, bool)


def _transposed(
    before: Gathered, node: Node, operation: Operation, tensor: Tensor
) -> Gathered | None:
    dims = (operation.get("dim0"), operation.get("dim1"))
    if not all(isinstance(dim, int) for dim in dims):
        return None
    if {dim % tensor.dim() for dim in dims} != {tensor.dim() - 1, tensor.dim() - 2}:
        return None
    return before.then(node, transposed=not before.transposed)


_VIEWS: dict[str, Callable[[Gathered, Node, Operation, Tensor], Gathered | None]] = {
    "view": _reshaped,
    "reshape": _reshaped,
    "flatten": _reshaped,
    "unflatten": _reshaped,
    "getitem": _cut,
    "transpose": _transposed,
}


# Blocks of the same source beside one another.


def _joined(node: Node, operation: Operation, tensor: Tensor) -> Gathered | None:
    """Gathered blocks, and others of the same tensor, concatenated to windows of more blocks."""
    parts, dim = operation.get("tensors"), operation.get("dim", 0)
    if not isinstance(parts, list | tuple) or not isinstance(dim, int) or tensor.dim() < 3:
        return None
    if dim % tensor.dim() != tensor.dim() - 2:
        return None
    found = [gathered_at(part) for part in parts if isinstance(part, Node)]
    some = next((one for one in found if one is not None), None)
    if some is None or some.transposed or some.blocks.rows or len(found) != len(parts):
        return None
    steps: list[Step] = []
    nodes = [*some.nodes]
    sizes: list[Node] = []
    for part, one in zip(parts, found, strict=True):
        if one is None:
            step = _picked(part, some)
            if step is None:
                return None
            steps.append(step)
            nodes.append(part)
            continue
        if one.gather is not some.gather or one.transposed or one.leading != some.leading:
            return None
        steps.append(_all_of(one.blocks.steps, len(sizes), len(one.sizes)))
        sizes += one.sizes
        nodes += [each for each in one.nodes if each not in nodes]

    def joined(numbers: Tensor, known: Sequence[int]) -> Tensor:
        return torch.cat([step(numbers, known) for step in steps], -1)

    blocks = replace(some.blocks, steps=(joined,))
    return replace(some, blocks=blocks, nodes=(*nodes, node), sizes=tuple(sizes), cut=True)


def _all_of(steps: tuple[Step, ...], first: int, count: int) -> Step:
    """All steps as one; the sizes they asked for are so many, behind the first ones."""

    def step(numbers: Tensor, known: Sequence[int]) -> Tensor:
        own = known[0], *known[1 + first : 1 + first + count]
        for one in steps:
            numbers = one(numbers, own)
        return numbers

    return step


def _picked(node: Node, beside: Gathered) -> Step | None:
    """The numbers of blocks that x[:, :, 1] takes, or x[:, :, 1:-2] with a window for each."""
    operation = read(node)
    if operation is None or operation.name != "getitem":
        return None
    key, groups = operation.get("index"), beside.blocks.groups
    if not _is_same(operation.get("self"), beside.source) or not isinstance(key, tuple):
        return None
    if len(key) < groups + 1 or not _is_fixed(key[groups]):
        return None
    if any(one != slice(None) for at, one in enumerate(key) if at != groups):
        return None
    windows, taken = beside.leading - groups, key[groups]
    if windows != isinstance(taken, slice):
        return None

    def step(numbers: Tensor, known: Sequence[int]) -> Tensor:
        # One block each: of the only window, or of as many windows as there are numbers.
        found = torch.arange(known[0], dtype=numbers.dtype)[taken].unsqueeze(-1)
        return found.expand((*numbers.shape[:groups], *found.shape))

    return step


def _is_same(one: Any, other: Node) -> bool:
    """Whether two nodes are one, or the same view of one."""
    if one is other:
        return True
    operation, like = (read(node) if isinstance(node, Node) else None for node in (one, other))
    if operation is None or operation != like:
        return False
    return operation.name in ("view", "reshape", "unflatten")


def views_of(gathered: Gathered) -> Iterator[Gathered]:
    """The gather and all views of it."""
    start = gathered_at(gathered.gather)
    pending = [] if start is None else [start]
    seen: set[Node] = set()
    while pending:
        one = pending.pop()
        if one.nodes[-1] in seen:
            continue
        seen.add(one.nodes[-1])
        yield one
        for user in one.nodes[-1].users:
            after = gathered_at(user)
            if after is not None and after.gather is gathered.gather:
                pending.append(after)
