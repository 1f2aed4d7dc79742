"""Functions of variables in pieces: of tensors one behind another, and of parts of variables.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_lowercase
from typing import Any

from torch.fx import Node

from ember.torch.translate.values import (
    FIRST,
    Indices,
    Joined,
    Part,
    PartedError,
    Span,
    Split,
    SplitError,
    Value,
    Variable,
    is_one,
    same_sizes,
)


@dataclass(frozen=True)
class Piece:
    """What is computed for some values of variables.

    at: an index for each variable; sizes: of what the variables count; parted: those that count
    a part of what others do, and need ranges.
    """

    element: str
    at: Mapping[str, str]
    sizes: Mapping[str, Any]
    parted: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Pieces:
    """Makes pieces; `length` writes sizes down, `fixed_length` those that stay from then on."""

    length: Callable[[Any], str]
    fixed_length: Callable[[Any], str]

    def of(
        self,
        sizes: Mapping[str, Any],
        element: Callable[[Mapping[str, str]], str],
        splits: bool = True,
    ) -> list[Piece]:
        """Where a function reads tensors one behind another, one of each of them; where it looks up
        by a part of a variable, one of variables for the parts, unless not `splits`."""
        kind = Variable if splits else str
        pending = [Piece("", {name: kind(name) for name in sizes}, dict(sizes))]
        found = []
        while pending:
            piece = pending.pop(0)
            try:
                found.append(replace(piece, element=element(piece.at)))
            except (PartedError, SplitError) as error:
                if error.index not in sizes and error.index[:-1] in sizes:
                    is_parted = isinstance(error, PartedError)
                    if not is_parted or error.index not in _joined_by(piece, error.index[:-1]):
                        # A part is of parts itself.
                        return self.of(sizes, element, splits=False)
                size = piece.sizes.get(error.index)
                # Other parts than those of which it is one already do not begin where it does.
                if size is None or (
                    isinstance(error, PartedError) and not same_sizes([sum(error.sizes)], [size])
                ):
                    raise
                if isinstance(error, SplitError):
                    pending.insert(0, self._split(piece, error))
                else:
                    pending = [*self._parts(piece, error), *pending]
        return found

    def _parts(self, piece: Piece, error: PartedError) -> Iterator[Piece]:
        """A piece by the parts that its variable has to be of."""
        variable, begin = error.index, 0
        for number, size in enumerate(error.sizes):
            own = FIRST if is_one(size) else variable
            part = Part.of(own, self.length(begin), error.sizes, number)
            sizes = {name: one for name, one in piece.sizes.items() if name != variable}
            if own == variable:
                sizes[variable] = size
            parted = frozenset((*piece.parted, variable))
            yield Piece("", {**piece.at, **self._at_part(piece, variable, part)}, sizes, parted)
            begin += size

    def _at_part(self, piece: Piece, variable: str, part: Part) -> dict[str, str]:
        """The index by a variable, or by what that was split from, as a part of it has it."""
        if variable in piece.at:
            return {variable: self._with_inner(piece.at[variable], part)}
        whole = variable[:-1]
        parts = _joined_by(piece, whole).items()
        return {whole: self._joined([(part if own == variable else own, n) for own, n in parts])}

    def _joined(self, parts: Sequence[tuple[str, Any]]) -> Joined:
        """An index that counts dimensions together, by theirs and their sizes."""
        text = str(parts[0][0])
        for index, size in parts[1:]:
            text = f"({text} * {self.fixed_length(size)} + {index})"
        return Joined.of(text, parts=parts)

    def _split(self, piece: Piece, error: SplitError) -> Piece:
        """A piece with a variable for each part of one."""
        names = [f"{error.index}{letter}" for letter in ascii_lowercase[: len(error.sizes)]]
        parts = list(zip(names, error.sizes, strict=True))
        index = self._with_inner(piece.at[error.index], self._joined(parts))
        sizes: dict[str, Any] = {}
        for name, size in piece.sizes.items():
            sizes.update(parts if name == error.index else [(name, size)])
        parted = frozenset((*piece.parted, *names[1:]))
        return replace(piece, at={**piece.at, error.index: index}, sizes=sizes, parted=parted)

    def _with_inner(self, index: str, inner: str) -> str:
        """An index, of a part where it is one, by another variable."""
        if not isinstance(index, Part):
            return inner
        begin = self.length(sum(index.sizes[: index.number]))
        own = self._with_inner(index.own, inner)
        return Part.of(own, begin, index.sizes, index.number)


def _joined_by(piece: Piece, variable: str) -> dict[str, Any]:
    """The indices that one by a variable counts together, with their sizes; none where it does
    not."""
    index = piece.at[variable]
    return dict(index.parts) if isinstance(index, Joined) else {}


def behind_another(
    parts: Sequence[Value], dimension: int, sizes: Sequence[Any], operator: Node | None
) -> Value:
    """Parts along a dimension, which an operator makes: each index is to be of one of them."""
    lengths = [part.sizes[dimension] for part in parts]

    def at(indices: Indices) -> str:
        index = indices[dimension]
        within = index.within(lengths) if isinstance(index, Part | Span) else None
        if len(parts) == 1:
            within = 0, index
        if isinstance(index, Split) and isinstance(index.whole, Variable):
            raise SplitError(index.whole, index.sizes)
        if within is None:
            raise PartedError(index, lengths, operator)
        number, own = within
        return parts[number].at([*indices[:dimension], own, *indices[dimension + 1 :]])

    is_looked_up = any(part.is_looked_up for part in parts)
    return Value(tuple(sizes), parts[0].dtype, at, is_looked_up=is_looked_up)
