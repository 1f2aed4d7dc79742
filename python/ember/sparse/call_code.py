"""Code of a statement's calls: checks of arguments, room for results, the call of the kernel.

What is the same in all calls of a statement is written out once, as a function of Python, so that a
call does nothing but what depends on its arguments.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from ember.arguments import Parameter, parts_of_size
from ember.dtypes import DTYPES
from ember.errors import ArgumentError
from ember.huge_pages import LARGE, advise_new
from ember.sparse.array import Array
from ember.sparse.encoded import Encoded
from ember.sparse.format import Format
from ember.sparse.kinds import Kind
from ember.torch.capture.private import is_transformed

if TYPE_CHECKING:
    from ember.sparse.statement import Statement

# What calls return for arguments that they leave to others.
MISS = NotImplemented


def fitted(array: np.ndarray, length: int) -> np.ndarray:
    """The first elements of an array; with memory of their own if the others would waste it."""
    if length == len(array):
        return array
    part = array[:length]
    return part.copy() if 2 * length < len(array) else part


def too_large(name: str, shape: tuple[int, ...], error: Exception) -> ArgumentError:
    """What is wrong if there is no memory for a result."""
    return ArgumentError(f"there is no room for '{name}', of shape {shape}: {error}")


class CallCode:
    """Writes the function that makes calls: of a dictionary of arguments by name.

    checked: arguments may be any, and MISS is returned for those that are not of the statement's
    kinds or that `call` does not take.
    """

    def __init__(self, statement: "Statement", checked: bool) -> None:
        self._statement = statement
        self._checked = checked
        self._lines: list[str] = []
        # Objects that the code refers to, by their names in it.
        self._scope: dict[str, Any] = {"MISS": MISS, "Array": Array, "ndarray": np.ndarray}
        self._variables: dict[str, str] = {}
        # Expressions for the parameters of the kernel, by name.
        self._arguments: dict[str, str] = {}
        # Expressions for the sizes of each array.
        self._extents: dict[str, list[str]] = {}
        self._numbers: list[str] = []

    def make(
        self, call: Callable[..., Any], count: Callable[..., Any] | None
    ) -> Callable[..., Any]:
        """The function. call, count: the kernel, and what counts before it."""
        self._scope |= {"call": call, "count": count}
        self._take_arguments()
        for name in self._statement.rooms:
            if self._needs_room(name):
                self._make_room(name)
        self._count()
        for name in self._statement.rooms:
            if self._statement.is_stored(name):
                self._make_levels(name)
        self._run("call", self._statement.parameters, self._arguments)
        for name in self._statement.rooms:
            if self._statement.is_stored(name):
                self._take_levels(name)
        results = [self._result(name) for name in self._statement.results]
        self._add("return " + (results[0] if len(results) == 1 else f"({', '.join(results)})"))
        source = "\n  ".join(["def evaluate(arrays):", *self._lines])
        exec(source, self._scope)
        function: Callable[..., Any] = self._scope["evaluate"]
        return function

    def _add(self, line: str) -> None:
        self._lines.append(line)

    def _constant(self, value: Any) -> str:
        """A name for an object."""
        for name, known in self._scope.items():
            if known is value:
                return name
        name = f"constant{len(self._scope)}"
        self._scope[name] = value
        return name

    def _miss_if(self, condition: str) -> None:
        self._add(f"if {condition}: return MISS")

    # Arguments.

    def _take_arguments(self) -> None:
        """Finds the arguments, and checks that they are of their kinds."""
        kinds = self._statement.kinds
        for number, name in enumerate(dict.fromkeys([*kinds, *self._statement.rooms])):
            self._variables[name] = f"array{number}"
        if self._checked:
            self._miss_if(f"len(arrays) != {len(kinds)}")
            if any(kind.library is torch.Tensor for kind in kinds.values()):
                self._miss_if(f"{self._constant(is_transformed)}()")
        lines = [f"{self._variables[name]} = arrays[{name!r}]" for name in kinds]
        if self._checked and lines:
            self._add("try:")
            lines = [*(f"  {line}" for line in lines), "except KeyError: return MISS"]
        self._lines += lines
        for name, kind in kinds.items():
            if self._checked:
                self._check(self._variables[name], kind)
            if not kind.is_room:
                self._describe(name, kind)

    def _check(self, variable: str, kind: Kind) -> None:
        """That an argument is of a kind."""
        if kind.is_room:
            form = self._constant(kind.format)
            self._miss_if(f"{variable} is not {form} and {variable} != {form}")
            return
        if kind.is_number and kind.library is np.ndarray:
            # Of these there are many types: they become numbers of Python first.
            self._add("return MISS")
            return
        library = self._constant(kind.library)
        self._miss_if(f"type({variable}) is not {library}")
        if kind.library in (Array, Encoded):
            form = self._constant(kind.format)
            given = f"{variable}.format"
            self._miss_if(f"{given} is not {form} and {given} != {form}")
            self._miss_if(f"len({variable}.shape) != {kind.rank}")
            if kind.stores_fill is not None:
                self._miss_if(f"{variable}.stores_fill is not {kind.stores_fill}")
            variable = f"{variable}.values"
        if kind.dtype is not None:
            self._miss_if(f"{variable}.dtype is not {self._constant(kind.dtype)}")
        if kind.library not in (Array, Encoded) and kind.dtype is not None:
            self._miss_if(f"{variable}.ndim != {kind.rank}")
        for dimension, size in enumerate(kind.sizes):
            if size is not None:
                self._miss_if(f"{variable}.shape[{dimension}] != {size}")
        if kind.magnitudes:
            self._check_magnitudes(variable.removesuffix(".values"), kind.magnitudes)

    def _check_magnitudes(self, variable: str, magnitudes: Sequence[int]) -> None:
        """That loops are ordered for about as large an es.Array, which stores about as much."""
        numbers = [f"{variable}.shape[{dimension}]" for dimension in range(len(magnitudes) - 1)]
        numbers.append(f"len({variable}.values)")
        for number, magnitude in zip(numbers, magnitudes, strict=True):
            self._miss_if(f"{number}.bit_length() != {magnitude}")

    def _describe(self, name: str, kind: Kind) -> None:
        """What a given array is to the kernel, and how large."""
        variable = self._variables[name]
        self._extents[name] = [f"{variable}.shape[{d}]" for d in range(kind.rank)]
        if kind.is_number:
            self._extents[name] = [f"int({variable})"]
        if kind.format is None:
            self._arguments[name] = variable
            return
        for dimension, extent in enumerate(self._extents[name]):
            self._arguments[f"{name}_size{dimension}"] = extent
        for number, level in enumerate(kind.format.levels(kind.rank)):
            for part in level.arrays:
                self._arguments[f"{name}_{part}{number}"] = f"{variable}.stored[{number}][{part!r}]"
        self._arguments[f"{name}_values"] = f"{variable}.values"
        self._extents[f"{name}_values"] = [f"len({variable}.values)"]

    # Results.

    def _needs_room(self, name: str) -> bool:
        kind = self._statement.kinds.get(name)
        return kind is None or kind.is_room

    def _format_of(self, name: str) -> Format | None:
        kind = self._statement.kinds.get(name)
        return kind.format if kind is not None else None

    def _parameter(self, name: str) -> Parameter:
        (parameter,) = [one for one in self._statement.parameters if one.name == name]
        return parameter

    def _make_room(self, name: str) -> None:
        """How large a result is; of a dense one, the array."""
        form = self._format_of(name)
        variable = self._variables[name]
        extents = []
        sizes = self._statement.sizes_of(name)
        for dimension, size in enumerate(sizes):
            extent = f"{variable}_size{dimension}"
            fixed = form.shape[dimension] if form is not None and form.shape is not None else None
            self._add(f"{extent} = {self._extent_of(size) if fixed is None else fixed}")
            extents.append(extent)
        self._extents[name] = extents
        if self._statement.is_stored(name):
            return
        parameter = self._parameter(name)
        fill: Any = None
        if form is not None and form.fill is not None and parameter.initial is not None:
            fill = form.fill
        elif parameter.initial is not None:
            is_float = parameter.dtype[0] != "i"
            fill = float(parameter.initial) if is_float else int(parameter.initial)
        element = DTYPES[parameter.dtype].name
        shape = f"({''.join(extent + ', ' for extent in extents)})"
        self._add("try:")
        if self._statement.on_torch:
            self._make_tensor(variable, shape, getattr(torch, element), fill)
        else:
            function = self._constant(np.empty if fill is None else np.full)
            initial = "" if fill is None else f", {self._constant(fill)}"
            dtype = self._constant(np.dtype(element))
            self._add(f"  {variable} = {function}({shape}{initial}, dtype={dtype})")
        self._add("except (ValueError, MemoryError, RuntimeError, OverflowError) as error:")
        self._add(f"  raise {self._constant(too_large)}({name!r}, {shape}, error) from None")
        self._arguments[name] = variable
        if not sizes and not self._statement.on_torch:
            self._numbers.append(name)

    def _make_tensor(self, variable: str, shape: str, dtype: torch.dtype, fill: Any) -> None:
        """A tensor, in huge pages if it is large: NumPy's arrays are by themselves."""
        self._add(
            f"  {variable} = {self._constant(torch.empty)}({shape}, dtype={self._constant(dtype)})"
        )
        advise = self._constant(advise_new)
        self._add(f"  if {variable}.nbytes >= {LARGE}: {advise}({variable})")
        if fill is not None:
            self._add(f"  {variable}.fill_({self._constant(fill)})")

    def _extent_of(self, size: Sequence[Any]) -> str:
        """A size of a parameter, `Parameter.sizes`, as an expression."""
        constant, terms, divisor = parts_of_size(size)
        extents: list[str] = [self._extents[name][dimension] for name, dimension, _ in terms]
        factors = [factor for _, _, factor in terms]
        # An array without positions has no last one; a number is what it is, 0 among others.
        lengths = [
            extent
            for extent, (name, _, _) in zip(extents, terms, strict=True)
            if not (name in self._statement.kinds and self._statement.kinds[name].is_number)
        ]
        if constant == 0 and factors == [1] and divisor == 1 and lengths:
            return extents[0]
        last = [str(constant + divisor)]
        last += [f"{f} * ({e} - 1)" for f, e in zip(factors, extents, strict=True)]
        end = " + ".join(last)
        largest = f"max(0, {end})" if divisor == 1 else f"max(0, ({end}) // {divisor})"
        return f"({largest} if {' and '.join(lengths)} else 0)" if lengths else largest

    def _count(self) -> None:
        """Counts what results in a format store at most, if it is not known."""
        names = [name for name in self._statement.rooms if self._statement.is_stored(name)]
        if not names:
            return
        counting = dict(self._arguments)
        zeros, counters = self._constant(np.zeros), {}
        counter = self._constant(np.dtype(np.int64))
        for name in self._statement.rooms:
            variable = self._variables[name]
            if name in names:
                counters[name] = f"{variable}_counts"
                rank = len(self._extents[name])
                self._add(f"{counters[name]} = {zeros}({rank}, {counter})")
                counting[f"{name}_counts"] = counters[name]
                for dimension, extent in enumerate(self._extents[name]):
                    self._arguments[f"{name}_size{dimension}"] = extent
                    counting[f"{name}_size{dimension}"] = extent
            else:
                # What is counted for is assigned to in the kernel alone.
                is_tensor = self._statement.on_torch or (
                    name in self._statement.kinds
                    and self._statement.kinds[name].library is torch.Tensor
                )
                counting[name] = f"{variable}.{'clone' if is_tensor else 'copy'}()"
        if self._statement.counted is not None:
            self._run("count", self._statement.counted, counting)
        for counts in counters.values():
            self._add(f"{counts} = {counts}.tolist()")

    def _make_levels(self, name: str) -> None:
        """Room for the arrays of a result in a format."""
        form = self._format_of(name)
        assert form is not None
        variable, extents = self._variables[name], self._extents[name]
        empty, index = self._constant(np.empty), self._constant(form.index)
        count = "1"
        for number, level in enumerate(form.levels(len(extents))):
            arrays = {part: f"{variable}_{part}{number}" for part in level.arrays}
            if level.kind == "compressed":
                self._add(f"{arrays['positions']} = {empty}({count} + 1, {index})")
            next_count = f"{variable}_count{number}"
            if level.is_listed:
                self._add(f"{next_count} = {variable}_counts[{number}]")
                self._add(f"{arrays['coordinates']} = {empty}({next_count}, {index})")
            else:
                self._add(f"{next_count} = {count} * {extents[level.dimension]}")
            if level.kind == "bitmap":
                boolean = self._constant(np.dtype(np.bool_))
                self._add(f"{arrays['mask']} = {empty}({next_count}, {boolean})")
            count = next_count
            for part, expression in arrays.items():
                self._arguments[f"{name}_{part}{number}"] = expression
        element = np.dtype(DTYPES[self._parameter(f"{name}_values").dtype].name)
        self._add(f"{variable}_values = {empty}({count}, {self._constant(element)})")
        self._arguments[f"{name}_values"] = f"{variable}_values"

    def _take_levels(self, name: str) -> None:
        """The result in a format, of as much of its arrays as the kernel has filled."""
        form = self._format_of(name)
        assert form is not None
        variable, extents = self._variables[name], self._extents[name]
        fit = self._constant(fitted)
        count, levels = "1", []
        for number, level in enumerate(form.levels(len(extents))):
            arrays = {part: f"{variable}_{part}{number}" for part in level.arrays}
            stored = f"{variable}_stored{number}"
            if level.kind == "compressed":
                positions = arrays["positions"]
                self._add(f"{stored} = int({positions}[{count}])")
                arrays["positions"] = f"{fit}({positions}, {count} + 1)"
            elif level.is_listed:
                self._add(f"{stored} = {count}")
            else:
                self._add(f"{stored} = {count} * {extents[level.dimension]}")
            for part in arrays.keys() - {"positions"}:
                arrays[part] = f"{fit}({arrays[part]}, {stored})"
            count = stored
            levels.append("{" + ", ".join(f"{p!r}: {e}" for p, e in arrays.items()) + "}")
        shape = "".join(f"{extent}, " for extent in extents)
        self._add(
            f"{variable} = Array.of_room({self._constant(form)}, ({shape}), "
            f"{fit}({variable}_values, {count}), [{', '.join(levels)}])"
        )

    def _run(self, function: str, parameters: Sequence[Parameter], given: dict[str, str]) -> None:
        """Calls a kernel."""
        arguments = ", ".join(given[parameter.name] for parameter in parameters)
        if self._checked:
            self._miss_if(f"{function}({arguments}) is MISS")
        else:
            self._add(f"{function}({arguments})")

    def _result(self, name: str) -> str:
        """What a statement has assigned to; a number, if it has no dimension."""
        variable = self._variables[name]
        return f"{variable}[()]" if name in self._numbers else variable
