"""Statements as they are written: one for each operator, on arrays and temporaries.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch.fx import Graph, Node

from ember.compiler import Notation
from ember.torch.element_types import INDEX_TYPES
from ember.torch.translate.arrays import Arrays, type_of
from ember.torch.translate.pieces import Piece, Pieces, behind_another
from ember.torch.translate.values import (
    FIRST,
    Indices,
    NotTranslatedError,
    Pair,
    Part,
    PartedError,
    Terms,
    Value,
    broadcast,
    is_one,
    known_number,
)

RESULT = "y"
# How reductions of tensors that lie one behind another are joined.
_JOINED = {
    "all": "({0} and {1})",
    "any": "({0} or {1})",
    "max": "max({0}, {1})",
    "min": "min({0}, {1})",
    "prod": "({0} * {1})",
    "sum": "({0} + {1})",
}
# Temporaries of half types are kept in f32: what is computed is rounded once.
HALF_TYPES = (torch.float16, torch.bfloat16)


@dataclass(frozen=True)
class Lookup:
    """An operator that looks up rows, with what tells its gradient from that of statements.

    node: of the traced graph. places: of what it looks up at. table: what statements call it.
    options: what PyTorch's gradient of lookups is given: the row without one, or -1, whether rows
    are scaled by their frequency, and whether it is sparse.
    """

    node: Node
    places: Node
    table: str
    options: tuple[int, bool, bool]


@dataclass
class Statements(Arrays):
    """Statements on some inputs.

    lines: the statements. reduces: whether one of them is a reduction. paddings: rows that have no
    gradient, by the names of their tables. lookups: operators of the traced graph that PyTorch
    differentiates in a way of its own, by the gradient of what they look up. of_rows: the
    statements to differentiate where there are some, which are given what these look up, by the
    operators' nodes. without_gradient: names of what the result depends on by comparisons and
    places alone. are_ranged: whether variables have ranges where sizes are known, since indices do
    not say them. own_gradients: operators whose gradients are PyTorch's. So are those of what is
    the largest or least of others, which they look for: two computations of a sum may be rounded
    otherwise. And those of steps, which are 0, and which PyTorch multiplies by what kernels do not
    read. has_own_gradients: whether a gradient comes through one. totals: what lengths, which are
    nodes of the traced graph, have to add up to, none of them negative. offsets: names of inputs
    that say where segments begin. segments: of those that begin at 0, how many rows there are.
    same: the input that the result is, if any. masks: by names of places where they hold, with how
    many those are. counts: of places where constant ones do. sizes: of the result. scatters: the
    functions that combine what is scattered, one for each scatter, or "count". combined: arrays
    that something is scattered to, by their names, with the node that does. changed: the input that
    what is scattered is added to in place: the result. condition: where the result is
    selected, by the index of a column; the sizes are those of all columns then. operators: the
    traced graph that they are the statements of.
    """

    lines: list[str] = field(default_factory=list)
    reduces: bool = False
    paddings: dict[str, int] = field(default_factory=dict)
    lookups: list[Lookup] = field(default_factory=list)
    of_rows: "Statements | None" = None
    without_gradient: set[str] = field(default_factory=set)
    are_ranged: bool = False
    own_gradients: set[Node] = field(default_factory=set)
    has_own_gradients: bool = False
    totals: dict[Node, Any] = field(default_factory=dict)
    offsets: set[str] = field(default_factory=set)
    segments: dict[str, Any] = field(default_factory=dict)
    same: str = ""
    scatters: list[str] = field(default_factory=list)
    combined: dict[str, Node] = field(default_factory=dict)
    changed: Node | None = None
    condition: Callable[[str], str] | None = None
    masks: dict[str, tuple[Node, Any]] = field(default_factory=dict)
    counts: list[tuple[Any, int]] = field(default_factory=list)
    sizes: tuple[Any, ...] = ()
    operators: Graph | None = None
    _temporaries: int = 0
    # What was reduced where it is read, and is in an array now.
    _stored: list[tuple[Value, Value]] = field(default_factory=list)
    _of_places: dict[tuple[str, str], Value] = field(default_factory=dict)
    _ends: dict[tuple[str, bool], Value] = field(default_factory=dict)
    # Where the statements are that begin temporaries which others add to.
    _begun: dict[str, int] = field(default_factory=dict)
    _begun_values: list[Value] = field(default_factory=list)

    def stored(self, value: Value) -> Value:
        """A value whose elements are not computed anew wherever they are read."""
        if value.kept is not None:
            return value.kept()
        if not value.is_reduced:
            return value
        for known, array in self._stored:
            if known is value:
                return array
        array = replace(
            self.let(value.sizes, value.dtype, value.at), is_looked_up=value.is_looked_up
        )
        self._stored.append((value, array))
        return array

    def places_where(self, node: Node, mask: Value, count: Any) -> list[Value]:
        """Where a mask holds, an index for each of its dimensions: a tensor that PyTorch makes in
        each call, as how many there are depends on it."""
        known = self.constants.get(mask.name)
        name = f"m{len(self.masks) + len(self.counts)}"
        if known is None:
            self.masks[name] = (node, count)
        else:
            self.constants[name] = known.nonzero()
            self.counts.append((count, len(self.constants[name])))
        self.types[name] = f"?x{mask.rank}xi64"

        def column(number: int) -> Value:
            return Value((count,), torch.int64, lambda indices: f"{name}[{indices[0]},{number}]")

        return [column(number) for number in range(mask.rank)]

    def of_places(self, value: Value, text: str) -> Value:
        """A function of indices that a tensor has, as another tensor."""
        read = value.at([f"i{place}" for place in range(value.rank)])
        if (read, text) not in self._of_places:
            self._of_places[read, text] = self.let(
                value.sizes, value.dtype, lambda indices: text.format(value.at(indices))
            )
        return self._of_places[read, text]

    def ends_of(self, offsets: Value, total: Any, has_last: bool) -> Value:
        """Offsets of segments of so many rows, with the last one; their first one has to be 0."""
        self.segments[offsets.name] = total
        if (key := (offsets.name, has_last)) not in self._ends:
            name, _ = self._temporary(offsets.sizes, offsets.dtype)
            ends = Value((), offsets.dtype, lambda indices: f"{name}[{indices[0]}]")
            count = self.given_length(offsets.sizes[0])
            # Out of bounds if it is not 0.
            begin = f"-abs({offsets.at([FIRST])})"
            copied = f"{name}[i0] = {offsets.at(['i0'])} for i0 in {begin}:{count}"
            if not has_last:
                # The first of them says how large an array is.
                self.lines.append(f"let {name}[{count}] = {self.given_length(total)}")
            self.lines.append(f"let {copied}" if has_last else copied)
            self._ends[key] = ends
        return self._ends[key]

    def onto(self, value: Value) -> Value | None:
        """What `combine` changes in place if it adds to that value; None for a new temporary."""
        if self.changed is None or self.inputs.get(self.changed) != value.name:
            return None
        self.types[RESULT] = type_of(value.dtype)
        return self._array_of(RESULT, value.sizes, value.dtype)

    def is_begun(self, value: Value) -> bool:
        """Whether a value is a temporary, as it is, that elements were combined with."""
        return any(one is value for one in self._begun_values)

    def begun(
        self, sizes: Sequence[Any], dtype: torch.dtype, element: Callable[[Indices], str]
    ) -> Value:
        """A temporary that begins with these elements, for `combine`. As nothing else says how
        large it is, its variables have ranges."""
        name, target = self._temporary(sizes, dtype)
        pairs = [(f"i{place}", size) for place, size in enumerate(sizes) if not is_one(size)]
        ranges = ", ".join(f"{index} in 0:{self.length(size)}" for index, size in pairs)
        names = [index for index, _ in pairs]
        left = f"{name}[{','.join(names)}]" if names else name
        indices = [FIRST if is_one(size) else f"i{place}" for place, size in enumerate(sizes)]
        plain = f"{left} = {element(indices)}"
        self._begun[name] = len(self.lines)
        self.lines.append(f"let {plain} for {ranges}" if ranges else f"let {plain}")
        self._begun_values.append(target)
        return target

    def combine(
        self,
        target: Value,
        function: str,
        sizes: Sequence[Any],
        place: Callable[[Indices], Indices],
        element: Callable[[Indices], str],
        node: Node,
        purpose: str = "",
    ) -> None:
        """Combines an element for each index of `sizes` with what the target has at some place.

        node: the operator that does. purpose: what `scatters` calls it, if not by the function.
        """
        self.reduces = True
        self.scatters.append(purpose or function)
        indices = [FIRST if is_one(size) else f"i{k}" for k, size in enumerate(sizes)]
        onto = target.at(place(indices))
        self.combined[onto.partition("[")[0]] = node
        variables = {
            index: size for index, size in zip(indices, sizes, strict=True) if index != FIRST
        }

        def line(at: Mapping[str, str]) -> str:
            mine = [at.get(index, index) for index in indices]
            return f"{target.at(place(mine))} {function}= {element(mine)}"

        for piece in self.pieces(variables, line, splits=False):
            self.lines.append(self._ranged(piece, piece.element, piece.element))

    def let(
        self, sizes: Sequence[Any], dtype: torch.dtype, element: Callable[[Indices], str]
    ) -> Value:
        """A temporary of these sizes, and its element at some indices, which are variables."""
        names = [FIRST if is_one(size) else f"i{place}" for place, size in enumerate(sizes)]
        text = element(names)
        # What is repeated is computed once.
        alone = [
            size if re.search(rf"\b{index}\b", text) else 1
            for index, size in zip(names, sizes, strict=True)
        ]
        if not all(map(is_one, alone)) and any(map(is_one, alone)):
            kept = self._let(alone, dtype, element)
            return replace(kept, sizes=tuple(sizes), at=broadcast(kept, sizes))
        return self._let(sizes, dtype, element)

    def _let(
        self, sizes: Sequence[Any], dtype: torch.dtype, element: Callable[[Indices], str]
    ) -> Value:
        name, value = self._temporary(sizes, dtype)
        (first, *others), *parts = self._assign(name, sizes, element)
        if parts:
            raise NotTranslatedError
        self.lines += [f"let {first}", *others]
        return value

    def _temporary(self, sizes: Sequence[Any], dtype: torch.dtype) -> tuple[str, Value]:
        """A new name, and the value that is called so."""
        name = f"t{self._temporaries}"
        self._temporaries += 1
        self.types[name] = type_of(torch.float32 if dtype in HALF_TYPES else dtype)
        return name, self._array_of(name, sizes, dtype)

    def _array_of(self, name: str, sizes: Sequence[Any], dtype: torch.dtype) -> Value:
        """An array without the dimensions of size 1."""
        places = [place for place, size in enumerate(sizes) if not is_one(size)]

        def at(indices: Indices) -> str:
            return f"{name}[{','.join(indices[place] for place in places)}]" if places else name

        return Value(tuple(sizes), dtype, at)

    def _assign(
        self, name: str, sizes: Sequence[Any], element: Callable[[Indices], str]
    ) -> list[list[str]]:
        """The assignments of all elements, or of each part of them: one, and others that add."""
        indices = [FIRST if is_one(size) else f"i{place}" for place, size in enumerate(sizes)]
        variables = {
            index: size for index, size in zip(indices, sizes, strict=True) if index != FIRST
        }
        lines = []
        for piece in self.pieces(
            variables,
            lambda at: element([at.get(index, index) for index in indices]),
            splits=name == RESULT,
        ):
            left = f"{name}[{','.join(piece.at.values())}]" if variables else name
            terms = piece.element.terms if isinstance(piece.element, Terms) else [piece.element]
            mine = []
            for number, term in enumerate(terms):
                line = f"{left} {'+=' if number else '='} {term}"
                # Of a result, the tensor that is given says how many elements there are.
                mine.append(self._ranged(piece, line, line if name == RESULT else term))
            lines.append(mine)
        return lines

    def pieces(
        self,
        sizes: Mapping[str, Any],
        element: Callable[[Mapping[str, str]], str],
        splits: bool = True,
    ) -> list[Piece]:
        """A function of variables, which have sizes, in pieces that each have a statement."""
        return Pieces(self.length, self.fixed_length).of(sizes, element, splits)

    def _bound(self, piece: Piece, read: str) -> list[str]:
        """A piece's variables as what binds them has them, where that is read."""
        return [
            f"{name} in 0:{self.length(size)}"
            if name in piece.parted
            else self.ranged(name, size, read)
            for name, size in piece.sizes.items()
        ]

    def _ranged(self, piece: Piece, line: str, read: str) -> str:
        """A statement with the ranges of variables that need some, where that is read."""
        ranges = ", ".join(one for one in self._bound(piece, read) if " in " in one)
        return f"{line} for {ranges}" if ranges else line

    def ranged(self, variable: str, size: Any, read: str) -> str:
        """A variable as reductions and statements bind it that read that.

        An index of nothing, as where elements are repeated, needs a range.
        """
        if re.search(rf"[\[,]{variable}[,\]]", read) is None:
            return f"{variable} in 0:{self.length(size)}"
        number = known_number(size) if self.are_ranged else None
        return variable if number is None else f"{variable} in 0:{number}"

    @property
    def is_computed(self) -> bool:
        """Whether something is computed, and not only read."""
        return len(self.lines) > 1

    @property
    def are_copies(self) -> bool:
        """Whether rows are written as they are read, and nothing but places is computed."""
        indices = set(INDEX_TYPES.values())
        for line in self.lines:
            name = re.split(r"[\[ ]", line.removeprefix("let "))[0]
            copied = re.match(r"y\[.*\b(i\d+)\] = x\d+\[.*,(i\d+)\](?: for |$)", line)
            is_row = copied is not None and copied[1] == copied[2]
            if not is_row and (name == RESULT or self.types[name] not in indices):
                return False
        return True

    def finish(self, value: Value | Pair) -> None:
        """Makes a value the result: its dimensions of size 1 are left out."""
        if isinstance(value, Pair):
            raise NotTranslatedError
        if self.changed is not None:
            # Nothing else may read what is changed.
            written = value.at([f"i{place}" for place in range(value.rank)])
            changed = self.inputs.get(self.changed)
            if written.partition("[")[0] != RESULT or changed in self._named():
                raise NotTranslatedError
        elif not self._is_renamed(value):
            self.same = value.name
            self.types[RESULT] = type_of(value.dtype)
            for lines in self._assign(RESULT, value.sizes, value.at):
                self.lines += lines
            if self.condition is not None:
                self.lines[-1] += f" if {self.condition(f'i{value.rank - 1}')}"
        self.sizes = value.sizes
        used = set(self._named())
        self.lengths = {name: size for name, size in self.lengths.items() if name in used}
        for name, size in list(self.lengths.items()):
            if known := self.size_of_inputs(size, used):
                self.lines = [re.sub(rf"\b{name}\b", known, line) for line in self.lines]
                del self.lengths[name], self.types[name]
        self.constants = {name: one for name, one in self.constants.items() if name in used}

    def _is_renamed(self, value: Value) -> bool:
        """Whether the value was a temporary that others add to, and is now what they add to: the
        caller gives memory of the right size."""
        if not self._begun:
            return False
        names = [f"i{place}" for place in range(value.rank)]
        indices = [
            FIRST if is_one(size) else name for name, size in zip(names, value.sizes, strict=True)
        ]
        try:
            written = value.at(indices)
        except PartedError:
            return False
        name = written.partition("[")[0]
        variables = [index for index in indices if index != FIRST]
        place = self._begun.get(name)
        if place is None or written != f"{name}[{','.join(variables)}]":
            return False
        if value.dtype in HALF_TYPES:
            return False
        self.lines[place] = self.lines[place].removeprefix("let ").partition(" for ")[0]
        self.lines = [re.sub(rf"\b{name}\b", RESULT, line) for line in self.lines]
        self.types[RESULT] = self.types.pop(name)
        self._begun = {}
        return True

    def reduction(
        self,
        function: str,
        sizes: Mapping[str, Any],
        element: Callable[[Mapping[str, str]], str],
    ) -> str:
        """The text of a reduction of elements over variables; of tensors one behind another, that
        of each joined."""
        found = []
        for piece in self.pieces(sizes, element):
            variables = ",".join(self._bound(piece, piece.element))
            text = f"{function}[{variables}]({piece.element})"
            found.append(text if variables else piece.element)
        whole, *others = found
        if others and function not in _JOINED:
            raise NotTranslatedError
        for one in others:
            whole = _JOINED[function].format(whole, one)
        return Terms.of(whole, terms=found) if others and function == "sum" else whole

    def reduced(
        self, sizes: Sequence[Any], dtype: torch.dtype, element: Callable[[Indices], str]
    ) -> Value:
        """A temporary whose element is a reduction, over variables r0, r1 and so on; of tensors one
        behind another, a temporary of each."""
        self.reduces = True
        try:
            return self.let(sizes, dtype, element)
        except PartedError as error:
            indices = [FIRST if is_one(size) else f"i{place}" for place, size in enumerate(sizes)]
            if error.index not in indices:
                raise
            dimension = indices.index(error.index)
            return self._reduced_in_parts(sizes, dtype, element, dimension, error)

    def _reduced_in_parts(
        self,
        sizes: Sequence[Any],
        dtype: torch.dtype,
        element: Callable[[Indices], str],
        dimension: int,
        error: PartedError,
    ) -> Value:
        def reduced(number: int, size: Any) -> Value:
            begin = self.length(sum(error.sizes[:number]))

            def of_part(indices: Indices) -> str:
                part = Part.of(indices[dimension], begin, error.sizes, number)
                return element([*indices[:dimension], part, *indices[dimension + 1 :]])

            return self.reduced([*sizes[:dimension], size, *sizes[dimension + 1 :]], dtype, of_part)

        parts = [reduced(number, size) for number, size in enumerate(error.sizes)]
        return behind_another(parts, dimension, sizes, error.operator)

    def converted(self, value: Value, dtype: torch.dtype) -> Value:
        """A value with elements of another type; numbers take the type of what they meet."""
        if value.dtype == dtype or not value.rank:
            return value
        return self.let(value.sizes, dtype, value.at)

    def elementwise(
        self,
        sizes: Sequence[Any],
        dtype: torch.dtype,
        operands: Sequence[Value],
        function: Callable[..., str],
    ) -> Value:
        """A function of the operands' elements, which are broadcast."""
        elements = [broadcast(operand, sizes) for operand in operands]

        def element(indices: Indices) -> str:
            return function(*(element(indices) for element in elements))

        try:
            return self.let(sizes, dtype, element)
        except PartedError:
            # Of tensors one behind another, elements are computed where they are read.
            return Value(tuple(sizes), dtype, element)

    @property
    def text(self) -> str:
        """All statements."""
        return "; ".join(self.lines)

    def read(self) -> list[Node]:
        """What statements read, as they name it."""
        nodes = {name: node for node, name in self.inputs.items()}
        return [nodes[name] for name in self._named() if name in nodes]

    def _named(self) -> list[str]:
        return list(dict.fromkeys(re.findall(r"\b[cmntxy]\d*\b", self.text)))

    def notation(self, *others: str) -> Notation:
        """The statements with what emberc has to know, and others of its options. They are of rows
        of one length only, which are kept in registers, from here on."""
        words = ["--approximate"]
        if self.condition is not None:
            words.append(f"--compact={RESULT}")
        for name in self._named():
            of_result = self._ranged_type if name == RESULT and self.are_ranged else None
            words += self.words_of(name, of_result)
        return Notation(self.text, (*words, *others))

    def _ranged_type(self, element: str) -> str:
        """The type of a result whose variables have ranges, which do not say how long rows are."""
        *outer, last = [size for size in self.sizes if not is_one(size)] or [1]
        length = known_number(last)
        if length is None or not outer:
            return element
        return "x".join([*("?" for _ in outer), str(length), element])
