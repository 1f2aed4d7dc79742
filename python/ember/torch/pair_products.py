"""Products of the pairs of each sample's rows that a model asks for: DLRM's dot interaction.

PyTorch multiplies all rows with all others, and then gathers single elements of what it found.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from ember.compiler import Options
from ember.errors import ArgumentError, KernelError
from ember.kernel import Entry
from ember.torch.kept_tensors import for_later_calls
from ember.torch.pair_positions import Places
from ember.torch.pair_programs import ENTRY, ROWS, PairProgram
from ember.torch.region_call import NotTakenError, Reference, RegionCall
from ember.torch.repeat import MOST, Repeat, Source, repeat_of


class PairProductsCall(RegionCall):
    """The products, (samples, pairs), with other columns beside them if there are any.

    Inputs: rows (samples, count, length); what holds the places of pairs, unless they are
    constant; and what stands beside the products, (samples, its length).
    """

    least_differentiated = 1 << 14

    def __init__(
        self,
        reference: Reference,
        program: PairProgram,
        places: Places,
        options: Options,
        raises: bool = False,
    ) -> None:
        super().__init__(reference, 1 + len(places.inputs) + len(program.beside) - 1, raises)
        self.program = program
        self._make_places = places.constant
        self._is_mask = places.is_mask
        self._first_beside = 1 + len(places.inputs)
        # The rows of a sample are in the nearest caches.
        self.options = replace(options, prefetch_distance=0)
        self._entries: dict[tuple[str, int | None], Entry] = {}
        self._kernels: dict[tuple[str, int | None], Callable[..., Any]] = {}

    @cached_property
    def _constant(self) -> Tensor | None:
        """The places, (2, pairs), that the model's text holds."""
        if self._make_places is None:
            return None
        with for_later_calls():
            return self._make_places()

    def _entry(self, name: str, pairs: int | None) -> Entry:
        """The entry of a program, for so many pairs, built when it is first needed."""
        found = self._entries.get((name, pairs))
        if found is None:
            program = replace(self.program, pairs=pairs)
            text = program.products() if name == "products" else program.weights()
            library = self.options.load(text)
            self.libraries[library] = None
            found = self._entries[name, pairs] = library.entry(ENTRY)
        return found

    def _kernel(self, name: str, pairs: int | None) -> Callable[..., Any]:
        """The same for all arguments that kernels take."""
        found = self._kernels.get((name, pairs))
        if found is None:
            found = self._entry(name, pairs).bind(gradients=True)
            self._kernels[name, pairs] = found
        return found

    def _places(self, inputs: Sequence[Any]) -> tuple[Sequence[Tensor], int, int | None]:
        """What holds the places, the number of pairs, and what of it is known to stay."""
        if self._constant is not None:
            pairs = self._constant.shape[1]
            return (self._constant,), pairs, pairs
        places = inputs[1 : self._first_beside]
        if self._is_mask:
            places = (places[0].nonzero().t(),)
        pairs = places[0].shape[-1]
        if places[-1].shape[-1] != pairs:
            raise NotTakenError
        return places, pairs, self.program.pairs

    def elements(self, arguments: Sequence[Any]) -> int:
        return int(arguments[0].numel())

    def forward(self, *inputs: Any) -> Tensor:
        rows, beside = inputs[0], inputs[self._first_beside :]
        places, pairs, known = self._places(inputs)
        samples = len(rows)
        if not samples or not pairs or any(len(one) != samples for one in beside):
            raise NotTakenError
        width = pairs + sum(one for one in self.program.beside if one is not None)
        if rows.stride(2) != 1:
            rows = rows.contiguous()
        out: Tensor = rows.new_empty((samples, width))
        try:
            self._kernel("products", known)(rows, *places, *beside, out)
        except ArgumentError:
            raise NotTakenError from None
        return out

    def repeat_for(self, arguments: tuple[Any, ...]) -> Repeat | None:
        """Of all but masks, whose places are counted in each call."""
        if self._is_mask:
            return None
        _, pairs, known = self._places(arguments)
        columns = sum(one for one in self.program.beside if one is not None)
        # Places that are constant are no argument.
        dim = 1 if self.program.places == ROWS else 0
        width = pairs + columns if known is not None else (1, dim, columns)
        sources: list[Source] = [0]
        if self._constant is not None:
            sources.append((self._constant,))
        sources += range(1, self.inputs)
        entry = self._entry("products", known)
        return repeat_of(
            entry.common(gradients=True),
            arguments,
            sources,
            0,
            ((0, 0, 0), width),
            bounds=[(0, 0, 1, MOST)],
        )

    def gradient_reads(self, needed: Sequence[bool]) -> Collection[int]:
        return range(0 if needed[0] else 1, self._first_beside)

    def backward(
        self, inputs: Sequence[Any], needed: Sequence[bool], gradient: Tensor
    ) -> Sequence[Tensor | None]:
        found: list[Tensor | None] = [None] * self.inputs
        places, pairs, known = self._places(inputs)
        place, start = self._first_beside, 0
        for length in self.program.beside:
            columns = gradient[:, start : start + (pairs if length is None else length)]
            start += columns.shape[1]
            if length is None:
                if needed[0]:
                    found[0] = self._of_rows(inputs[0], places, known, columns)
                continue
            if needed[place]:
                found[place] = columns
            place += 1
        return found

    def _of_rows(
        self, rows: Tensor, places: Sequence[Tensor], known: int | None, gradient: Tensor
    ) -> Tensor:
        """The rows' gradient: each gets the others' times the gradients of their products."""
        if not gradient.numel():
            raise NotTakenError
        if gradient.stride(1) != 1:
            gradient = gradient.contiguous()
        samples, count = rows.shape[:2]
        weights = rows.new_empty((samples, count, count))
        try:
            self._kernel("weights", known)(gradient, *places, weights)
        except (ArgumentError, KernelError):
            # PyTorch computed the products, of places that count from the end.
            raise NotTakenError from None
        return torch.bmm(weights, rows)
