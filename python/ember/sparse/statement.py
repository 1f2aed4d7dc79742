"""Kernels of statements: which arguments go where, and what room results need.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch

from ember.arguments import Parameter
from ember.compiler import Notation, Options, load_program
from ember.dtypes import DTYPES
from ember.errors import ArgumentError
from ember.sparse.array import Array
from ember.sparse.format import Format
from ember.sparse.kinds import Kind, widest_float
from ember.sparse.levels import Stored

Arrays = Mapping[str, Any]
Shapes = dict[str, tuple[int, ...]]


def notation_of(text: str, kinds: Mapping[str, Kind]) -> Notation:
    """The statements with what emberc has to know of the arrays given."""
    words = []
    for name, kind in kinds.items():
        element = kind.element
        if element is None and not kind.is_room:
            element = widest_float(list(kinds.values()))
        if element is not None:
            words.append(f"--type={name}:{element}")
        if kind.format is not None:
            words.append(f"--format={name}:{kind.format.name}")
            words += ["--counts"] * (kind.is_room and "--counts" not in words)
            if kind.format.fill is not None:
                words.append(f"--fill={name}:{float(kind.format.fill)!r}")
    return Notation(text, tuple(words))


class Statement:
    """A kernel for arguments of some kinds.

    text: the statements. kinds: of the arguments that are given, by name. on_torch: dense results
    are tensors.
    """

    def __init__(self, text: str, kinds: Mapping[str, Kind], on_torch: bool) -> None:
        """Compiles the kernel, or finds it compiled; raises CompileError and ArgumentError."""
        self.text = text
        self.library = load_program(notation_of(text, kinds), Options())
        self._entry = self.library.entry("kernel")
        self._counter = self.library.entries.get("kernel_counts")
        self._kinds = dict(kinds)
        self._on_torch = on_torch
        # Arrays that have levels.
        self._stored = {name for name, kind in kinds.items() if kind.format is not None}
        self._parts = self._parts_of_stored()
        self._targets = {
            parameter.name: parameter
            for parameter in self._entry.parameters
            if parameter.sizes is not None and parameter.kind == "memref"
        }
        self._results = self._assigned()
        self._rooms = {name: self._sizes_of(name) for name in self._order_of_rooms()}
        self._check_names()
        self._arguments = [self._source(one) for one in self._entry.parameters]
        counted = self._counter.parameters if self._counter else ()
        self._counts = [self._source(one) for one in counted]

    # What is known before any call.

    def _parts_of_stored(self) -> dict[str, Callable[["_Call"], Any]]:
        """Finds the arguments for parts of arrays that have levels, by the names of parameters."""
        given = {parameter.name for parameter in self._entry.parameters}
        parts: dict[str, Callable[[_Call], Any]] = {}
        for name in self._stored:
            rank = 0
            while f"{name}_size{rank}" in given:
                parts[f"{name}_size{rank}"] = partial(_Call.size, name=name, dimension=rank)
                rank += 1
            form = self._kinds[name].format
            assert form is not None
            for number, level in enumerate(form.levels(rank)):
                for what in level.arrays:
                    find = partial(_Call.part, name=name, level=number, what=what)
                    parts[f"{name}_{what}{number}"] = find
            parts[f"{name}_values"] = partial(_Call.values, name=name)
            parts[f"{name}_counts"] = partial(_Call.counted, name=name)
        return parts

    def _sizes_of(self, name: str) -> list[Any]:
        """How large each dimension of a result has to be, as parameters say it."""
        if name not in self._stored:
            return list(self._targets[name].sizes or ())
        sizes = [one for one in self._entry.parameters if one.name.startswith(f"{name}_size")]
        return [one.sizes[0] if one.sizes else None for one in sizes]

    def _assigned(self) -> list[str]:
        """The names of results, in the order in which the text has them."""
        sized = {one.name for one in self._entry.parameters if one.sizes is not None}
        rooms = {f"{name}_values": name for name in self._stored if f"{name}_size0" in sized}
        names = [rooms.get(one.name, one.name) for one in self._entry.parameters]
        return [one for one in names if one in self._targets or one in rooms.values()]

    def _order_of_rooms(self) -> list[str]:
        """The names of results, those first that others are as large as."""
        order: list[str] = []

        def visit(name: str) -> None:
            if name in order:
                return
            for size in self._sizes_of(name):
                for other, _, _ in size[1:] if size else ():
                    if other in self._results and other != name:
                        visit(other)
            order.append(name)

        for name in self._results:
            visit(name)
        return order

    def _check_names(self) -> None:
        """That all that is read is given, and that only results have a format alone."""
        for parameter in self._entry.parameters:
            name = parameter.name
            if name not in self._kinds and name not in self._rooms and name not in self._parts:
                raise ArgumentError(f"{self.text}: '{name}' is read, and it is not given")
        written = {one.name for one in self._entry.parameters if one.writable}
        for name, kind in self._kinds.items():
            if kind.is_room and name not in self._rooms:
                raise ArgumentError(
                    f"{self.text}: '{name}' is a format, and no statement assigns to it"
                )
            if not kind.is_room and f"{name}_values" in written:
                raise ArgumentError(
                    f"{self.text}: '{name}' is an array in a format, which statements cannot "
                    "change: give its format"
                )

    def _source(self, parameter: Parameter) -> Callable[["_Call"], Any]:
        """Finds the argument for a parameter in a call."""
        return self._parts.get(parameter.name) or partial(_Call.whole, name=parameter.name)

    # Calls.

    def __call__(self, arrays: Arrays) -> tuple[Any, ...]:
        """Evaluates the statements on arguments of its kinds; returns what they assign to."""
        call = _Call(arrays, self)
        if self._stored:
            self._assemble(call)
        self._entry(*[source(call) for source in self._arguments])
        return tuple(call.result(name) for name in self._results)

    def _assemble(self, call: "_Call") -> None:
        """Makes room for results in a format."""
        names = [name for name in self._rooms if name in self._stored]
        counts: dict[str, np.ndarray] = {
            name: np.zeros(len(call.shapes[name]), np.int64) for name in names
        }
        if self._counter is not None:
            counting = call.for_counting(counts)
            self._counter(*[source(counting) for source in self._counts])
        for name in names:
            form = self._kinds[name].format
            assert form is not None
            element = self._dtype_of(f"{name}_values")
            call.stored[name] = _make_room(form, call.shapes[name], counts[name].tolist(), element)

    def _dtype_of(self, name: str) -> np.dtype:
        """The type of the elements of a parameter."""
        (found,) = [one for one in self._entry.parameters if one.name == name]
        return np.dtype(DTYPES[found.dtype].name)

    def make_dense(self, name: str, shape: tuple[int, ...], form: Format | None) -> Any:
        """Room for a dense result, with what it holds before."""
        parameter = self._targets[name]
        dtype: Any = DTYPES[parameter.dtype].name
        initial = parameter.initial
        if parameter.given:
            raise ArgumentError(f"{self.text}: '{name}' is read, and it is not given")
        if self._on_torch:
            dtype = getattr(torch, dtype)
        empty, full = (torch.empty, torch.full) if self._on_torch else (np.empty, np.full)
        fill: Any = None
        if form is not None and form.fill is not None and initial is not None:
            fill = form.fill
        elif initial is not None:
            fill = float(initial) if parameter.dtype[0] != "i" else int(initial)
        return empty(shape, dtype=dtype) if fill is None else full(shape, fill, dtype=dtype)

    def shape_of(self, name: str, shapes: Shapes, form: Format | None) -> tuple[int, ...]:
        """How large a result is; raises ArgumentError where nothing says it."""
        sizes = self._rooms[name]
        if form is not None and form.shape is not None:
            if len(form.shape) != len(sizes):
                raise ArgumentError(
                    f"{self.text}: '{name}' has {len(sizes)} indices, and the shape of its format "
                    f"{len(form.shape)} sizes"
                )
            return form.shape
        shape = []
        for dimension, size in enumerate(sizes):
            if size is None:
                raise ArgumentError(
                    f"{self.text}: nothing says how large dimension {dimension} of '{name}' is: "
                    f"give {name}=es.Format('dense', shape=...), or an array to assign to"
                )
            constant, *terms = size
            last = constant
            for other, of, factor in terms:
                extent = shapes[other][of]
                last = -1 if extent == 0 else last + factor * (extent - 1)
                if extent == 0:
                    break
            shape.append(max(0, last + 1))
        return tuple(shape)

    @property
    def rooms(self) -> Sequence[str]:
        """The names of results, in the order in which their sizes follow from each other."""
        return list(self._rooms)

    def is_stored(self, name: str) -> bool:
        """Whether an array has levels."""
        return name in self._stored


class _Call:
    """The arguments of one call, and room for results."""

    def __init__(self, arrays: Arrays, statement: Statement) -> None:
        self._statement = statement
        self.dense: dict[str, Any] = {}
        self.stored: dict[str, Array] = {}
        self.counts: dict[str, np.ndarray] = {}
        self.shapes: Shapes = {}
        self._scalars: set[str] = set()
        for name, argument in arrays.items():
            kind = type(argument)
            if kind is np.ndarray or isinstance(argument, torch.Tensor):
                is_number = argument.ndim == 0 and name not in statement.rooms
                self.shapes[name] = (int(argument),) if is_number else argument.shape
                self.dense[name] = self._prepared(name, argument)
            elif kind is Array:
                self.stored[name] = argument
                self.shapes[name] = argument.shape
            elif kind is not Format:
                self.dense[name] = argument
                self.shapes[name] = (int(argument) if kind is int else 0,)
        for name in statement.rooms:
            if name in self.dense:
                continue
            given = arrays.get(name)
            form = given if isinstance(given, Format) else None
            shape = statement.shape_of(name, self.shapes, form)
            self.shapes[name] = shape
            if not statement.is_stored(name):
                self.dense[name] = statement.make_dense(name, shape, form)
                if not shape:
                    self._scalars.add(name)

    def _prepared(self, name: str, argument: Any) -> Any:
        """An array that kernels take, of elements next to each other, or a number."""
        if name in self._statement.rooms:
            return argument
        if argument.ndim == 0:
            return argument.item()
        if isinstance(argument, np.ndarray):
            return argument if argument.flags.c_contiguous else np.ascontiguousarray(argument)
        if argument.requires_grad and torch.is_grad_enabled():
            raise ArgumentError(
                f"'{name}' needs a gradient, which statements do not give: detach() it"
            )
        return argument.detach().contiguous()

    def for_counting(self, counts: dict[str, np.ndarray]) -> "_Call":
        """The same call for the function that counts: what it assigns to is of no use."""
        other = _Call.__new__(_Call)
        other.stored, other.shapes, other.counts = self.stored, self.shapes, counts
        other.dense = {
            name: copied(array) if name in self._statement.rooms else array
            for name, array in self.dense.items()
        }
        return other

    def whole(self, name: str) -> Any:
        """An argument that has no levels."""
        return self.dense[name]

    def size(self, name: str, dimension: int) -> int:
        """Of a dimension of an array."""
        return self.shapes[name][dimension]

    def part(self, name: str, level: int, what: str) -> np.ndarray:
        """Positions, coordinates or booleans of a level."""
        return self.stored[name].stored[level][what]

    def values(self, name: str) -> np.ndarray:
        """What an array in a format stores."""
        return self.stored[name].values

    def counted(self, name: str) -> np.ndarray:
        """Room for how many positions each level of a result has."""
        return self.counts[name]

    def result(self, name: str) -> Any:
        """What a statement has assigned to; a number, if it has no dimension."""
        if name in self.stored:
            return self.stored[name]
        found = self.dense[name]
        is_number = name in self._scalars and isinstance(found, np.ndarray)
        return found[()] if is_number else found


def copied(array: Any) -> Any:
    """An array of the same elements in memory of its own."""
    return array.clone() if isinstance(array, torch.Tensor) else array.copy()


def _make_room(form: Format, shape: tuple[int, ...], counts: list[int], dtype: np.dtype) -> Array:
    """Arrays for so many positions of each level."""
    stored: Stored = []
    count = 1
    levels = form.levels(len(shape))
    for level, mine in zip(levels, counts, strict=True):
        arrays: dict[str, np.ndarray] = {}
        if level.kind == "compressed":
            arrays["positions"] = np.empty(count + 1, form.index)
        if level.is_listed:
            count = mine
            arrays["coordinates"] = np.empty(count, form.index)
        else:
            count *= shape[level.dimension]
        if level.kind == "bitmap":
            arrays["mask"] = np.empty(count, np.bool_)
        stored.append(arrays)
    return Array.of_room(form, shape, np.empty(count, dtype), stored)
