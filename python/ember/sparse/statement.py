"""Kernels of statements: how they are compiled, and what their parameters say of arguments.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import torch

from ember.arguments import Parameter, parts_of_size
from ember.compiler import Notation, Options, load_program
from ember.dtypes import DTYPES
from ember.errors import ArgumentError
from ember.sparse.call_code import MISS, CallCode
from ember.sparse.function import Function
from ember.sparse.function_definitions import definitions_of
from ember.sparse.kinds import Kind, widest_float
from ember.threads import compiled_for

# To the end of the line.
_COMMENT = re.compile(r"#[^\n]*")


def gradient_suffix(level: int) -> str:
    """What is behind the names of kernels and arrays of the level-th gradient; nothing at 0."""
    return f"_gradient{level if level > 1 else ''}" if level else ""


def is_temporary(text: str, name: str) -> bool:
    """Whether statements declare an array of their own."""
    declared = re.compile(rf"\blet\s+{re.escape(name)}\b")
    return declared.search(_COMMENT.sub("", text)) is not None


def reads_size(text: str, name: str) -> bool:
    """Whether statements read a size of an array."""
    return re.search(rf"\bsize\s*\(\s*{re.escape(name)}\s*,", text) is not None


def notation_of(
    text: str,
    kinds: Mapping[str, Kind],
    gradients: Sequence[str] = (),
    functions: Mapping[str, Function] | None = None,
    schedule: str | None = None,
    more: Sequence[str] = (),
) -> Notation:
    """The statements with what emberc has to know of the arrays given; raises ArgumentError.

    gradients: of what with respect to what, each of the one before it. schedule: relations.
    more: other options.
    """
    words = [f"--gradient={gradient}" for gradient in gradients]
    words += [f"--schedule={schedule}"] * bool(schedule)
    elements = []
    for name, kind in kinds.items():
        try:
            spelled = kind.spelled
        except ArgumentError as error:
            raise ArgumentError(f"{name}: {error}") from None
        if spelled is None and not kind.is_room:
            spelled = widest_float(kinds.values())
        if spelled is not None and not kind.sizes and reads_size(text, name):
            # Nothing else may say how many dimensions there are.
            spelled = "?x" * kind.rank + spelled
        if spelled is not None:
            words.append(f"--type={name}:{spelled}")
        elements.append(kind.element if kind.element or kind.is_room else spelled)
        is_declared = kind.is_room and is_temporary(text, name)
        if kind.format is not None and (kind.is_stored or is_declared):
            words.append(f"--format={name}:{kind.format.name}")
            is_result = kind.is_room and not is_declared
            words += ["--counts"] * (is_result and "--counts" not in words)
            fill = kind.format.fill
            if kind.format.is_missing:
                words.append(f"--fill={name}:{fill}")
            elif kind.stores_fill is False:
                words.append(f"--fill={name}:{float(fill or 0)!r}:unstored")
            elif fill is not None:
                words.append(f"--fill={name}:{float(fill)!r}")
        if hints := kind.hints:
            words += [f"--size={name}:{hints[0]}", f"--density={name}:{hints[1]}"]
    words += more
    called = definitions_of(functions, elements) if functions else ""
    return Notation(text, tuple(words), called)


class Statement:
    """A kernel for arguments of some kinds.

    text: the statements. kinds: of the arguments that are given, by name. on_torch: dense results
    are tensors. functions: those that statements may call, by name. results: names of what is
    assigned to, in the order in which the text has them; rooms: the same, those first that others
    are as large as. parameters, counted: those of the kernel, and of the function that counts what
    results in a format store, if there is one.
    """

    def __init__(
        self,
        text: str,
        kinds: Mapping[str, Kind],
        on_torch: bool,
        gradients: Sequence[str] = (),
        gradient_kinds: Mapping[str, Kind] | None = None,
        functions: Mapping[str, Function] | None = None,
        schedule: str | None = None,
        words: Sequence[str] = (),
    ) -> None:
        """Compiles the kernel, or finds it compiled; raises CompileError and ArgumentError.

        gradients: as emberc takes them; the kernel is that of the last one then, and takes
        arguments of `gradient_kinds`. words: other options of emberc.
        """
        self.text = text
        self.kinds = dict(kinds if gradient_kinds is None else gradient_kinds)
        self.on_torch = on_torch
        notation = notation_of(text, kinds, gradients, functions, schedule, words)
        # Each number is another kernel, as evaluate knows.
        self.library = load_program(notation, Options(most_threads=compiled_for() or None))
        self._kernel = self.library.entry("kernel" + gradient_suffix(len(gradients)))
        self._counter = None if gradients else self.library.entries.get("kernel_counts")
        self.parameters = self._kernel.parameters
        self.counted = self._counter.parameters if self._counter else None
        # Arrays without dimensions among them, as gradients by numbers are.
        self._in_memory = {one.name for one in self.parameters if one.kind == "memref"}
        self._targets = {
            parameter.name: parameter
            for parameter in self.parameters
            if parameter.sizes is not None and parameter.kind == "memref"
        }
        self.results = self._assigned()
        self.rooms = self._order_of_rooms()
        self._check_names()
        self._check_rooms()
        # Takes arguments of other kinds, too, and returns MISS for them.
        self.call_if_fits = self._compiled_call()

    def is_stored(self, name: str) -> bool:
        """Whether an array has levels."""
        return name in self.kinds and self.kinds[name].is_stored

    def sizes_of(self, name: str) -> list[Any]:
        """How large each dimension of a result has to be; None where parameters do not say it."""
        if not self.is_stored(name):
            return list(self._targets[name].sizes or ())
        sizes = [one for one in self.parameters if one.name.startswith(f"{name}_size")]
        return [parameter.sizes[0] if parameter.sizes else None for parameter in sizes]

    def _assigned(self) -> list[str]:
        """The names of results, in the order in which the text has them."""
        sized = {parameter.name for parameter in self.parameters if parameter.sizes is not None}
        values = {
            f"{name}_values": name
            for name, kind in self.kinds.items()
            if kind.is_stored and f"{name}_size0" in sized
        }
        names = [values.get(parameter.name, parameter.name) for parameter in self.parameters]
        return [name for name in names if name in self._targets or name in values.values()]

    def _order_of_rooms(self) -> list[str]:
        """The names of results, those first that others are as large as."""
        order: list[str] = []

        def visit(name: str) -> None:
            if name in order:
                return
            for size in self.sizes_of(name):
                for source, _, _ in parts_of_size(size)[1] if size else ():
                    if source in self.results and source != name:
                        visit(source)
            order.append(name)

        for name in self.results:
            visit(name)
        return order

    def _is_part(self, parameter: Parameter) -> bool:
        """Whether a parameter is a part of an array that has levels."""
        return any(
            kind.is_stored and parameter.name.startswith(f"{name}_")
            for name, kind in self.kinds.items()
        )

    def _check_names(self) -> None:
        """That all that is read is given, and that what has a format alone is assigned to."""
        for parameter in self.parameters:
            name = parameter.name
            is_known = name in self.kinds or name in self.rooms or self._is_part(parameter)
            if not is_known:
                raise ArgumentError(f"{self.text}: '{name}' is read, and it is not given")
        written = {parameter.name for parameter in self.parameters if parameter.writable}
        for name, kind in self.kinds.items():
            if kind.is_room and is_temporary(self.text, name):
                if kind.format is not None and kind.format.shape is not None:
                    raise ArgumentError(
                        f"{self.text}: '{name}' is a temporary, which is as large as the "
                        "statements say: leave the shape of its format out"
                    )
                continue
            if kind.is_room and name not in self.rooms:
                raise ArgumentError(
                    f"{self.text}: '{name}' is a format, and no statement assigns to it"
                )
            if not kind.is_room and is_temporary(self.text, name):
                raise ArgumentError(
                    f"{self.text}: '{name}' is a temporary, which the statements assign to and "
                    "nobody else knows: leave it out, or 'let'"
                )
            if not kind.is_room and f"{name}_values" in written:
                raise ArgumentError(
                    f"{self.text}: '{name}' is an array in a format, which statements cannot "
                    "change: give its format"
                )

    def _check_rooms(self) -> None:
        """That what is not given can be made, and as large as something says."""
        for name in self.rooms:
            kind = self.kinds.get(name)
            if kind is not None and not kind.is_room:
                continue
            sizes = self.sizes_of(name)
            shape = kind.format.shape if kind is not None and kind.format is not None else None
            if shape is not None and len(shape) != len(sizes):
                raise ArgumentError(
                    f"{self.text}: '{name}' has {len(sizes)} indices, and the shape of its format "
                    f"{len(shape)} sizes"
                )
            if shape is None and None in sizes:
                form = kind.format.name if kind is not None and kind.format is not None else "dense"
                raise ArgumentError(
                    f"{self.text}: nothing says how large dimension {sizes.index(None)} of "
                    f"'{name}' is: give {name}=es.Format({form!r}, shape=...), or an array to "
                    "assign to"
                )
            if name in self._targets:
                self._check_fill(name)
            if name in self._targets and self._targets[name].given:
                raise ArgumentError(f"{self.text}: '{name}' is read, and it is not given")

    def _check_fill(self, name: str) -> None:
        """That a dense result can hold its fill; of results in formats the compiler says it."""
        kind, dtype = self.kinds.get(name), self._targets[name].dtype
        if kind is None or kind.format is None:
            return
        try:
            kind.format.fill_of(np.dtype(DTYPES[dtype].name))
        except ArgumentError:
            raise ArgumentError(
                f"{self.text}: the fill of '{name}', {kind.format.fill}, is no number of type "
                f"'{dtype}'"
            ) from None

    # Calls.

    def _compiled_call(self) -> Callable[[Mapping[str, Any]], Any] | None:
        """The call by compiled code; None if there is none."""
        kernel = self._kernel.common()
        counter = self._counter.common() if self._counter else None
        if kernel is None or (self._counter is not None and counter is None):
            return None
        return CallCode(self, checked=True).make(kernel, counter)

    @cached_property
    def _call(self) -> Callable[[Mapping[str, Any]], Any]:
        """The call of arguments that are prepared."""
        return CallCode(self, checked=False).make(self._kernel, self._counter)

    def __call__(self, arrays: Mapping[str, Any]) -> Any:
        """Evaluates the statements on arguments of their kinds: what they assign to.

        Several results are a tuple. Raises ArgumentError, and the kernel's own errors.
        """
        if self.call_if_fits is not None:
            results = self.call_if_fits(arrays)
            if results is not MISS:
                return results
        return self._call({name: self._prepared(name, given) for name, given in arrays.items()})

    def _prepared(self, name: str, argument: Any) -> Any:
        """An array that kernels take, of elements next to each other, or a number."""
        if name in self.rooms or not isinstance(argument, np.ndarray | np.generic | torch.Tensor):
            return argument
        if argument.ndim == 0 and name not in self._in_memory:
            return argument.item()
        if not isinstance(argument, torch.Tensor):
            return np.asarray(argument, order="C")
        return argument.detach().resolve_neg().contiguous()
