"""Calls of parts of graphs that are statements: a kernel, and kernels of its gradients.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import logging
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import torch
import torch.nn.functional as functional
from torch import Tensor

from ember import configuration
from ember.compiler import Notation, Options
from ember.errors import (
    ArgumentError,
    CompileError,
    CompilerNotFoundError,
    IndexOutOfRangeError,
    KernelError,
    OffsetsError,
)
from ember.kernel import Entry
from ember.torch.calls.edge_groups import EdgeMemory, GroupedKernel
from ember.torch.calls.program import ENTRY, Multiple, Program, gradient_type, sizes_in
from ember.torch.calls.region_call import MAXIMUM, NotTakenError, RegionCall, needed_of
from ember.torch.calls.repeat import MOST, Bound, Repeat, Source, repeat_of
from ember.torch.element_types import INDEX_TYPES
from ember.torch.gradients.differentiable import Reference
from ember.torch.gradients.gradient_kernel import (
    GRADIENT,
    GradientKernel,
)
from ember.torch.graph.costs import (
    MOST_ALONE,
    MOST_THREADS_ALONE,
    is_worth_grouping,
    most_ungrouped,
    why_rows_are_slower,
)

# Why calls that need gradients are PyTorch's.
ALONE = "where a gradient is needed PyTorch computes it on all threads, which the kernel does not"
_log = logging.getLogger(__name__)


class StatementCall(RegionCall):
    """A part of a graph that statements compute: a new tensor from tensors and numbers."""

    def __init__(
        self, reference: Reference, program: Program, options: Options, raises: bool = False
    ) -> None:
        super().__init__(reference, program.given, raises)
        self.program = program
        self.sizes = program.without_gradient
        self.least_differentiated = program.least_differentiated
        self._options = options
        # By which inputs need one.
        self._gradients: dict[tuple[bool, ...], GradientKernel] = {}
        self._read: dict[tuple[bool, ...], Collection[int]] = {}
        # Kernels of edges that are grouped, by their statements; None if there is none.
        self._grouped: dict[Notation, GroupedKernel | None] = {}
        # The edges that their calls were given.
        self._edges: dict[Notation, EdgeMemory] = {}

    @cached_property
    def kernel(self) -> Callable[..., Any]:
        """The kernel, built when it is first needed; raises CompileError."""
        return self._entry.bind(gradients=True)

    @cached_property
    def common(self) -> Callable[..., Any] | None:
        """The kernel for common arguments, as Entry.common has it."""
        return self._entry.common(gradients=True)

    @cached_property
    def _entry(self) -> Entry:
        return self._built(self.program.notation, ENTRY)

    @cached_property
    def _parameters(self) -> list[str]:
        """The names of what the kernel takes; the result comes behind."""
        *parameters, _ = self._entry.parameters
        return [parameter.name for parameter in parameters]

    def _built(self, notation: Notation, entry: str) -> Entry:
        library = self._options.load(notation)
        self.libraries[library] = None
        return library.entry(entry)

    def programs(self, arguments: Sequence[Any]) -> list[tuple[Notation, Options]]:
        notations = [self.program.notation]
        if torch.is_grad_enabled() and self.has_gradient(arguments):
            if self.program.is_maximum:
                return []
            if not self.why_left(arguments):
                kernel = GradientKernel(self.program, self._with_gradient(needed_of(arguments)))
                notations += [kernel.notation] if kernel.notation else []
        return [(notation, self._options) for notation in notations]

    def texts(self) -> Mapping[str, str]:
        return self.program.texts

    def decisions(self) -> list[str]:
        return [*super().decisions(), *self.program.costs]

    def looked_into(self, arguments: tuple[Any, ...]) -> Any:
        if self.program.segments and not configuration.is_disabled():
            sizes = sizes_in(self.program.sizes, arguments)
            if min(sizes) == 0:
                return self._no_bags(sizes, arguments)
        is_left = bool(self.failed) or configuration.is_disabled() or not torch.is_grad_enabled()
        if self.program.is_maximum and not is_left and self.has_gradient(arguments):
            self.handed_over = MAXIMUM
            return self.reference(*arguments)
        return super().looked_into(arguments)

    def _no_bags(self, sizes: Sequence[int], arguments: Sequence[Any]) -> Tensor:
        """A result without elements, and with gradients that are zeros: PyTorch's kernels end the
        process, forward or backward, by weights, maxima and frequencies."""
        result = torch.empty(sizes, dtype=self.program.dtype)
        lookups = self.program.of_rows.lookups if self.program.of_rows else ()
        are_sparse = {lookup.table for lookup in lookups if lookup.options[-1]}
        for place, one in enumerate(arguments):
            if not isinstance(one, Tensor) or not one.requires_grad:
                continue
            if place in are_sparse:
                one = functional.embedding(torch.arange(0), one, sparse=True)
            result = result + one[:0].sum()
        return result

    def forward(self, *given: Any) -> Tensor:
        inputs = self._taken(given)
        sizes = self._sizes(inputs)
        out = torch.empty(sizes, dtype=self.program.dtype, device="cpu")
        self._compute(inputs, self._kept(out))
        return out

    def _compute(self, inputs: Sequence[Any], out: Tensor) -> None:
        """Writes the result to memory for it."""
        arguments = self._named(inputs)
        if self.program.scatters and self._groups(inputs):
            arguments[self.program.result] = out
            if self._run_grouped(self.program.notation, ENTRY, arguments):
                return
        try:
            self.kernel(*(arguments[name] for name in self._parameters), out)
        except ArgumentError:
            raise NotTakenError from None

    # Edges that come again.

    def _groups(self, inputs: Sequence[Any], scatters: Sequence[str] = ()) -> bool:
        """Whether edges that come again are to be grouped by their targets."""
        edges = max((end.edges(inputs) for end in self.program.ends), default=0)
        elements = self._most_elements(inputs)
        return edges > 0 and is_worth_grouping(
            edges, elements // edges, scatters or self.program.scatters
        )

    def _most_elements(self, inputs: Sequence[Any]) -> int:
        counts = (math.prod(sizes_in(one, inputs)) for one in self.program.different_elements)
        return max(counts, default=0)

    def _run_grouped(self, notation: Notation, entry: str, arguments: dict[str, Any]) -> bool:
        """Calls the kernel of edges that are grouped, if these came before; whether it was."""
        if notation in self._grouped and self._grouped[notation] is None:
            return False
        ends = [end.of(arguments) for end in self.program.ends]
        edges = self._edges.setdefault(notation, EdgeMemory()).find(ends)
        grouped = edges and self._grouped_kernel(notation, entry)
        found = edges and grouped and grouped.arguments(edges, arguments)
        if not grouped or not found:
            return False
        for name in grouped.initial:
            found[name].zero_()
        try:
            grouped.kernel(*(found[name] for name in grouped.parameters))
        except KernelError:
            # Of edges as they come, the error says where it is.
            return False
        return True

    def _grouped_kernel(self, notation: Notation, entry: str) -> GroupedKernel | None:
        """The kernel of edges that are grouped; None if nothing is scattered, or there is none: an
        exported program has those that its example needed."""
        if notation not in self._grouped:
            words = [f"--group={end.spelled}" for end in self.program.ends]
            try:
                found = GroupedKernel(
                    self._built(replace(notation, arrays=(*notation.arrays, *words)), entry),
                    [end.called for end in self.program.ends],
                )
                self._grouped[notation] = found if found.has_groups else None
            except (CompileError, CompilerNotFoundError) as error:
                if self.raises:
                    raise
                _log.info("%s goes over edges as they come: %s", self.__name__, error)
                self._grouped[notation] = None
        return self._grouped[notation]

    def explained(self, error: KernelError, inputs: Sequence[Any]) -> KernelError:
        for place, size in self.program.segments:
            (rows,) = sizes_in([size], inputs)
            if reason := why_wrong(inputs[place], rows):
                return OffsetsError(f"offsets '{self.program.inputs[place]}': {reason}")
        for table, place in self.program.lookups:
            if (found := wrong_index(inputs[place], len(inputs[table]))) is not None:
                index, position = found
                return IndexOutOfRangeError(
                    f"index {index} at position {position} of '{self.program.inputs[place]}' is "
                    f"out of range for dimension 0 of '{self.program.inputs[table]}' of size "
                    f"{len(inputs[table])}"
                )
        bound = re.search(r"of '(\w+)' is out of range", str(error))
        # Where segments end outside, PyTorch reads what lies there.
        is_of_offsets = bound is not None and bound[1] in self.program.offsets
        return OffsetsError(str(error)) if is_of_offsets else error

    def _named(self, inputs: Sequence[Any]) -> dict[str, Any]:
        """What kernels take, by names."""
        parameters = map(self.program.parameter, self.program.inputs)
        named = dict(zip(parameters, map(_as_array, inputs), strict=False))
        for name in self.program.encoded:
            named[f"{name}_size0"] = len(named[self.program.parameter(name)])
        named.update(self.program.constants)
        names = [name for name, _ in self.program.masks]
        named.update(zip(names, inputs[self.inputs :], strict=True))
        for name, size in self.program.lengths:
            (named[name],) = sizes_in([size], inputs)
        return named

    def _taken(self, given: Sequence[Any]) -> list[Any]:
        """What the kernel takes of the arguments."""
        count = len(self.program.inputs)
        if tuple(given[count : count + len(self.program.expected)]) != self.program.expected:
            raise NotTakenError
        for lengths, total in self.program.totals:
            found = lengths.of(given)
            if [int(found.sum())] != sizes_in([total], given) or bool((found < 0).any()):
                raise NotTakenError
        # Places often are columns of a tensor, which lie apart.
        taken = [
            one.contiguous() if isinstance(one, Tensor) and one.dtype in INDEX_TYPES else one
            for one in given
        ]
        return [*taken, *(mask.of(given).nonzero() for _, mask in self.program.masks)]

    def _sizes(self, inputs: Sequence[Any]) -> list[int]:
        sizes = sizes_in(self.program.sizes, inputs)
        counted = self.program.different_elements
        is_empty = not any(math.prod(sizes_in(one, inputs)) for one in counted)
        if min(sizes, default=1) < 1 or (counted and is_empty):
            raise NotTakenError
        # The first call builds the kernel, so that there is one to export, however small it is.
        if math.prod(sizes) < self.program.least and self.libraries:
            raise NotTakenError
        if self.program.rows is not None:
            lookups, place = self.program.rows
            table = inputs[place]
            if why_rows_are_slower(lookups, sizes, table.shape, table.itemsize):
                raise NotTakenError
        return sizes

    def _kept(self, result: Tensor) -> Tensor:
        """A result as the kernel has it, without dimensions that are always of size 1."""
        pairs = zip(result.shape, self.program.sizes, strict=True)
        return result.view([size for size, given in pairs if given != 1])

    def repeat_for(self, arguments: tuple[Any, ...]) -> Repeat | None:
        sizes = [size for size in self.program.sizes if not isinstance(size, Multiple)]
        lengths, constants = dict(self.program.lengths), dict(self.program.constants)
        if self.program.totals or self.program.masks or len(sizes) < len(self.program.sizes):
            return None
        if self.program.least and self.program.sizes_of_call:
            return None
        prototypes = [
            place
            for place, one in enumerate(arguments)
            if isinstance(one, Tensor) and one.dtype is self.program.dtype
        ]
        if self.program.encoded or not prototypes:
            return None
        if any(
            isinstance(one, Multiple) and isinstance(one.times, tuple) for one in lengths.values()
        ):
            return None
        count = len(self.program.inputs)
        sources: list[Source] = []
        bounds: list[Bound] = []
        if self.program.scatters and self.program.ends:
            if self._groups(arguments):
                return None
            edges = max(end.edges(arguments) for end in self.program.ends)
            elements = self._most_elements(arguments)
            most = most_ungrouped(elements // max(edges, 1))
            if edges > most:
                return None
            bounds += [(end.place, end.dimension, 0, most) for end in self.program.ends]
        for name in self._parameters:
            if (size := lengths.get(name)) is not None:
                if isinstance(size, tuple):
                    sources.append(size)
                    continue
                (found,) = sizes_in([size], arguments)
                sources.append((found,))
                if isinstance(size, Multiple):
                    assert isinstance(size.times, int)
                    bounds.append(
                        (size.place, size.dimension, found // size.times, found // size.times)
                    )
                continue
            if name in constants:
                sources.append((constants[name],))
                continue
            place = self.program.inputs.index(name)
            if isinstance(one := arguments[place], Tensor) and not one.dim():
                return None
            sources.append(place)
        return repeat_of(
            self.common,
            arguments,
            sources,
            prototypes[0],
            sizes,
            kernel_sizes=[size for size in sizes if size != 1],
            # What has no rows is left to PyTorch.
            bounds=[
                *bounds,
                *(
                    (place, dimension, 1 - added, MOST)
                    for place, dimension, added in self.program.sizes_of_call
                ),
            ],
            expected=range(count, count + len(self.program.expected)),
        )

    # Gradients.

    def elements(self, arguments: Sequence[Any]) -> int:
        return sum(math.prod(sizes_in(one, arguments)) for one in self.program.elements)

    def why_gradient_is_slower(self, arguments: Sequence[Any]) -> str:
        if not self.program.are_bags or torch.get_num_threads() <= MOST_THREADS_ALONE:
            return ""
        return ALONE if self._most_elements(arguments) > MOST_ALONE else ""

    def differentiates(self, needed: Sequence[bool]) -> bool:
        """Whether statements make the gradients."""
        return not any(needed[place] for place in self.program.undifferentiated)

    def gradient_reads(self, needed: Sequence[bool]) -> Collection[int]:
        key = tuple(needed)
        if key not in self._read:
            try:
                self._read[key] = self._reads_of(self._gradient(key))
            except CompileError:
                return range(self.inputs)
        return self._read[key]

    def _reads_of(self, gradient: GradientKernel) -> Collection[int]:
        read = {place for one in gradient.lookups for place in one.places.reads}
        read |= {place for _, mask in self.program.masks for place in mask.reads}
        for one in gradient.given:
            read |= {one.table, *one.places.reads}
        # The numbers that are expected, too.
        return [
            place
            for place in range(self.inputs)
            if place >= len(self.program.inputs)
            or place in read
            or self.program.parameter(self.program.inputs[place]) in gradient.parameters
        ]

    def _gradient(self, needed: Sequence[bool]) -> GradientKernel:
        """The kernel of the gradients of those inputs; raises CompileError."""
        key = self._with_gradient(needed)
        if key not in self._gradients:
            kernel = GradientKernel(self.program, key)
            kernel.build(self._built)
            self._gradients[key] = kernel
        return self._gradients[key]

    def _with_gradient(self, needed: Sequence[bool]) -> tuple[bool, ...]:
        """Which inputs a gradient is computed for."""
        without = self.program.without_gradient
        read = needed[: len(self.program.inputs)]
        return tuple(needs and place not in without for place, needs in enumerate(read))

    def backward(
        self, given: Sequence[Any], needed: Sequence[bool], gradient: Tensor
    ) -> Sequence[Tensor | None]:
        program = self.program
        inputs = self._taken(given)
        self._sizes(inputs)
        kernel = self._gradient(needed)
        if kernel.kernel is None:
            (lookup,) = kernel.lookups
            of_table = lookup.gradient(inputs, gradient)
            return [of_table if place == lookup.table else None for place in range(self.inputs)]
        found: dict[int, Tensor] = {
            place: torch.empty(inputs[place].shape, dtype=gradient_type(inputs[place]))
            for place in kernel.wanted
        }
        arguments = self._named(inputs)
        arguments[program.result + GRADIENT] = self._kept(
            gradient.to(gradient_type(gradient)).contiguous()
        )
        for place, result in found.items():
            arguments[program.inputs[place] + GRADIENT] = _as_array(result)
        for lookup in kernel.given:
            arguments[lookup.name] = lookup.rows(inputs)
        of_rows = [lookup.room(inputs) for lookup in kernel.lookups]
        for lookup, result in zip(kernel.lookups, of_rows, strict=True):
            arguments[lookup.name + GRADIENT] = result
        if not arguments.keys() >= set(kernel.parameters):
            raise NotTakenError
        assert kernel.notation is not None
        groups = self._groups(inputs, ("sum",))
        if not groups or not self._run_grouped(kernel.notation, ENTRY + GRADIENT, arguments):
            for name in kernel.initial:
                arguments[name].zero_()
            try:
                kernel.kernel(*(arguments[name] for name in kernel.parameters))
            except ArgumentError:
                raise NotTakenError from None
        for place, row in program.paddings:
            if place in found:
                found[place][row] = 0
        for place, result in found.items():
            found[place] = result.to(inputs[place].dtype)
        for lookup, result in zip(kernel.lookups, of_rows, strict=True):
            own, known = lookup.gradient(inputs, result), found.get(lookup.table)
            found[lookup.table] = own if known is None else known + own
        return [found.get(place) for place in range(self.inputs)]


def _as_array(argument: Any) -> Any:
    """An argument as kernels take it: a tensor without dimensions is one of one element."""
    if isinstance(argument, Tensor) and not argument.dim():
        return argument.view(1)
    return argument


def wrong_index(indices: Tensor, rows: int) -> tuple[int, int] | None:
    """The first index that is none of so many rows, and its position; None if all are right."""
    indices = indices.reshape(-1)
    wrong = ((indices < 0) | (indices >= rows)).nonzero()
    return (int(indices[wrong[0]]), int(wrong[0])) if len(wrong) else None


def why_wrong(offsets: Tensor, lookups: int) -> str:
    """What is wrong with offsets of bags of so many indices; empty if they are right."""
    if not len(offsets):
        return ""
    first, last = int(offsets[0]), int(offsets[-1])
    if first != 0:
        return f"the first one has to be 0, but is {first}"
    decreases = (offsets.diff() < 0).nonzero()
    if len(decreases):
        at = int(decreases[0])
        return f"they decrease, from {int(offsets[at])} at {at} to {int(offsets[at + 1])}"
    return f"the last one is {last}, past the {lookups} indices" if last > lookups else ""
