"""Several bags and lookups side by side in one result, by one kernel that writes it in place.

A recommendation model looks up in tens of tables and concatenates what it finds. One call of a
kernel for all of them spares the calls, the results in between and the copy.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import Any

import torch
from torch import Tensor

from ember.compiler import Options
from ember.errors import ArgumentError, IndexOutOfRangeError, KernelError, OffsetsError
from ember.kernel import Entry
from ember.torch import private
from ember.torch.bag_gradient import bag_gradients
from ember.torch.embedding_bag import FIRST_OFFSET_CHECK
from ember.torch.kept_tensors import for_later_calls
from ember.torch.region_call import NotTakenError, Reference, RegionCall
from ember.torch.repeat import MOST, Bound, Repeat, Size, Source, exactly, repeat_of
from ember.torch.table_gradient import table_gradient

ENTRY = "bags"
# Shapes of equal bags whose offsets are kept.
KEPT_OFFSETS = 16
# One row of the table for every row of the result.
ROWS = """\
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %length = arith.constant {length} : index
  %rows = memref.dim %out, %c0 : {columns}
  %lookups = memref.dim %indices, %c0 : memref<?x{index}>
  %fits = arith.cmpi eq, %lookups, %rows : index
  cf.assert %fits, "there are not as many indices for all tables"
  scf.for %r = %c0 to %rows step %c1 {{
    %stored = memref.load %indices[%r] : memref<?x{index}>
    %row = arith.index_cast %stored : {index} to index
    scf.for %e = %c0 to %length step %c1 {{
      %element = memref.load %table[%row, %e] : memref<?x{length}x{value}>
      memref.store %element, %out[%r, %e] : {columns}
    }}
  }}
"""
# What is no table's stands beside the tables' rows.
COPY = """\
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %length = arith.constant {length} : index
  %rows = memref.dim %out, %c0 : {columns}
  %given = memref.dim %beside, %c0 : {columns}
  %fits = arith.cmpi eq, %given, %rows : index
  cf.assert %fits, "there are not as many rows beside the tables' as of them"
  scf.for %r = %c0 to %rows step %c1 {{
    scf.for %e = %c0 to %length step %c1 {{
      %element = memref.load %beside[%r, %e] : {columns}
      memref.store %element, %out[%r, %e] : {columns}
    }}
  }}
"""


@dataclass(frozen=True)
class Part:
    """One table's columns of the result, or those that are copied.

    mode: sum, mean or max of bags, "row" for one row each, or "copy" for what is no table's.
    has_last: offsets include the last one. equal: indices are (bags, lookups a bag), without
    offsets. padded: a row is skipped, whose number is an argument.
    """

    mode: str
    length: int
    value: str
    index: str = ""
    offset: str = ""
    has_last: bool = False
    equal: bool = False
    weighted: bool = False
    padded: bool = False

    @cached_property
    def columns(self) -> str:
        """The type of the part's columns of the result, wherever they begin."""
        return f"memref<?x{self.length}x{self.value}, strided<[?, 1], offset: ?>>"

    @cached_property
    def inputs(self) -> int:
        """How many of the region's inputs are the part's: its arguments but for made offsets."""
        return len(self.operands) - self.equal

    @cached_property
    def operands(self) -> dict[str, str]:
        """The types of the part's arguments by name, in their order."""
        if self.mode == "copy":
            return {"beside": self.columns}
        found = {
            "table": f"memref<?x{self.length}x{self.value}>",
            "indices": f"memref<?x?x{self.index}>" if self.equal else f"memref<?x{self.index}>",
        }
        if self.mode != "row":
            found["offsets"] = f"memref<?x{self.offset}>"
        if self.weighted:
            found["weights"] = f"memref<?x{self.value}>"
        if self.padded:
            found["padding"] = "index"
        return found


@dataclass(frozen=True)
class TableGradient:
    """What options of a lookup make of its table's gradient, and of nothing else.

    sparse: a COO tensor, with an entry for each lookup. scale_grad_by_freq: divided by how often
    the batch has the row. padding: the row without a gradient, which is looked up as any other; -1
    for none. That of bags is no lookup at all, and an input.
    """

    sparse: bool = False
    scale_grad_by_freq: bool = False
    padding: int = -1


DENSE = TableGradient()


@dataclass(frozen=True)
class GroupShape:
    """What is fixed in a kernel for several parts; their first columns are arguments."""

    parts: tuple[Part, ...]

    def program(self) -> str:
        """The MLIR module: the parts' operands, their first columns, the result (bags x width).

        Equal parts share a function, so that the kernel is as quickly built for many tables as
        for one.
        """
        kinds = list(dict.fromkeys(self.parts))
        functions = [self._function(number, part) for number, part in enumerate(kinds)]
        whole = f"memref<?x?x{kinds[0].value}>"
        parameters, body = [], []
        for place, part in enumerate(self.parts):
            for name, spelled in part.operands.items():
                known_as = f"{name}[{place}]"
                parameters.append(f'%{name}{place}: {spelled} {{ember.name = "{known_as}"}}')
            names = ", ".join(f"%{name}{place}" for name in part.operands)
            types = ", ".join((*part.operands.values(), part.columns))
            body.append(
                f"  %columns{place} = memref.subview "
                f"%out[0, %start{place}] [%bags, {part.length}] [1, 1]\n"
                f"      : {whole} to {part.columns}\n"
                f"  func.call @part{kinds.index(part)}({names}, %columns{place})\n"
                f"      : ({types}) -> ()"
            )
        parameters += [f"%start{place}: index" for place in range(len(self.parts))]
        parameters.append(f'%out: {whole} {{ember.name = "out"}}')
        joined = ",\n    ".join(parameters)
        lines = "\n".join(body)
        return (
            "".join(functions)
            + f"func.func @{ENTRY}(\n    {joined}) {{\n"
            + "  %c0 = arith.constant 0 : index\n"
            + f"  %bags = memref.dim %out, %c0 : {whole}\n{lines}\n  return\n}}\n"
        )

    def _function(self, number: int, part: Part) -> str:
        operands = part.operands
        parameters = ", ".join(f"%{name}: {spelled}" for name, spelled in operands.items())
        columns = part.columns
        if part.mode == "copy":
            body = COPY.format(length=part.length, columns=columns)
        elif part.mode == "row":
            body = ROWS.format(
                index=part.index, value=part.value, length=part.length, columns=columns
            )
        else:
            segments = "offsets" if part.has_last else "open_offsets"
            body = FIRST_OFFSET_CHECK.format(offsets="offsets", offset=part.offset)
            indices, flat = "%indices", f"memref<?x{part.index}>"
            if part.equal:
                indices = "%flat"
                body += (
                    f"  %flat = memref.collapse_shape %indices [[0, 1]]"
                    f" : {operands['indices']} into {flat}\n"
                )
            body += (
                f"  embed.bag {part.mode} tables(%table : {operands['table']})"
                f" indices({indices} : {flat})"
                f" {segments}(%offsets : {operands['offsets']})"
            )
            if part.weighted:
                body += f" weights(%weights : {operands['weights']})"
            if part.padded:
                body += " padding(%padding)"
            body += f"\n      outs(%out : {columns})\n"
        return (
            f"func.func private @part{number}({parameters}, %out: {columns}) {{\n"
            f"{body}  return\n}}\n"
        )


class GroupCall(RegionCall):
    """The parts' columns, (bags, width), or (bags, parts, length) if they are stacked.

    Inputs, for every group of columns: a tensor (bags, length) to copy; or a table, indices,
    offsets unless there is one row or as many for every bag, per_sample_weights if weighted, and
    the number of the row that is skipped if padded.
    """

    def __init__(
        self,
        reference: Reference,
        columns: Sequence[Part | int | None],
        stacked: int,
        options: Options,
        raises: bool = False,
        gradients: Sequence[TableGradient] = (),
    ) -> None:
        """columns: for every group a part, or the length of what is copied, None if unknown.
        gradients: of the parts' tables, in their order; dense ones if there are none."""
        places = [0]
        for one in columns:
            places.append(places[-1] + (one.inputs if isinstance(one, Part) else 1))
        super().__init__(reference, places.pop(), raises)
        self.columns = columns
        self.stacked = stacked
        self.options = options
        self._places = places
        self._lookups = [
            (place, one)
            for place, one in zip(places, columns, strict=True)
            if isinstance(one, Part)
        ]
        self._gradients = gradients or [DENSE] * len(self._lookups)
        self._copied = [
            place for place, one in zip(places, columns, strict=True) if not isinstance(one, Part)
        ]
        value = self._lookups[0][1].value
        copies = [
            (place, Part("copy", one, value))
            for place, one in zip(places, columns, strict=True)
            if isinstance(one, int) and one
        ]
        # Errors number the tables.
        self._parts = self._lookups + copies
        self._sized = [place for place, _ in copies]
        self._unsized = [place for place in self._copied if place not in self._sized]
        self.shape = GroupShape(tuple(part for _, part in self._parts))
        self._differentiable = [
            *(place for place, _ in self._lookups),
            *self._copied,
            *(place + 3 for place, part in self._lookups if part.weighted),
        ]
        self._has_equal = any(part.equal for _, part in self._parts)
        self._kernel_inputs = itemgetter(
            *(place + k for place, part in self._parts for k in range(part.inputs))
        )
        # Whether indices of a call were columns of a batch, which kernels do not read.
        self._has_strided = False
        self._offsets: dict[tuple[int, ...], Tensor] = {}
        self._fixed_layout = None if None in columns else self._layout(())

    def _layout(self, inputs: Sequence[Any]) -> tuple[dict[int, int], list[int], int]:
        """The first column of each group by its place, those of the parts, and the width."""
        starts, start = {}, 0
        for place, one in zip(self._places, self.columns, strict=True):
            starts[place] = start
            if isinstance(one, Part):
                start += one.length
            else:
                start += inputs[place].shape[1] if one is None else one
        return starts, [starts[place] for place, _ in self._parts], start

    @cached_property
    def kernel(self) -> Callable[..., Any]:
        """The kernel, built when it is first needed: NotImplemented for uncommon arguments."""
        return self._common or self._entry.bind(gradients=True)

    @cached_property
    def _common(self) -> Callable[..., Any] | None:
        return self._entry.common(gradients=True)

    @cached_property
    def _entry(self) -> Entry:
        library = self.options.load(self.shape.program())
        self.libraries[library] = None
        return library.entry(ENTRY)

    def looked_into(self, arguments: tuple[Any, ...]) -> Any:
        """The columns. What a call costs for each table is kept small."""
        if self.failed or private.is_transformed():
            return self.reference(*arguments)
        if torch.is_grad_enabled():
            for place in self._differentiable:
                if arguments[place].requires_grad:
                    return super().looked_into(arguments)
        return self.run(arguments)

    def repeat_for(self, arguments: tuple[Any, ...]) -> Repeat | None:
        """Where the kernel copies all that is no table's."""
        if self._unsized or self._fixed_layout is None:
            return None
        _, columns, width = self._fixed_layout
        first, part = self._parts[0]
        bags = (first + 1, 0, 0)
        if part.mode != "row" and not part.equal:
            bags = (first + 2, 0, -int(part.has_last))
        sources: list[Source] = []
        bounds: list[Bound] = [(bags[0], 0, 1 - bags[2], MOST)]
        for place, part in self._parts:
            mine: list[Source] = list(range(place, place + part.inputs))
            if part.equal:
                indices = arguments[place + 1]
                mine.insert(2, (self._offsets_of(indices),))
                bounds += exactly(place + 1, *indices.shape)
            sources += mine
        sources += [(column,) for column in columns]
        sizes: tuple[Size, ...] = (bags, width)
        if self.stacked:
            sizes = (bags, self.stacked, width // self.stacked)
        return repeat_of(
            self._common,
            arguments,
            sources,
            first,
            sizes,
            kernel_sizes=(bags, width),
            bounds=bounds,
        )

    def forward(self, *inputs: Any) -> Tensor:
        place, part = self._parts[0]
        if part.mode == "row" or part.equal:
            bags = len(inputs[place + 1])
        else:
            bags = len(inputs[place + 2]) - part.has_last
        if bags <= 0:
            raise NotTakenError
        starts, columns, width = self._fixed_layout or self._layout(inputs)
        out: Tensor = inputs[place].new_empty((bags, width))
        if any(inputs[place].stride(1) != 1 for place in self._sized):
            inputs = tuple(
                one.contiguous() if place in self._sized else one
                for place, one in enumerate(inputs)
            )
        arguments: Sequence[Any]
        arguments = self._with_offsets(inputs) if self._has_equal else self._kernel_inputs(inputs)
        if self._has_strided:
            arguments = _contiguous(arguments)
        if not self._runs(*arguments, *columns, out):
            self._has_strided = True
            if not self._runs(*_contiguous(arguments), *columns, out):
                raise NotTakenError
        for place in self._unsized:
            copied = inputs[place]
            if len(copied) != bags:
                raise NotTakenError
            start = starts[place]
            out[:, start : start + copied.shape[1]] = copied
        return out.view(bags, self.stacked, -1) if self.stacked else out

    def _runs(self, *arguments: Any) -> bool:
        """Whether the kernel takes the arguments, and has run."""
        try:
            return self.kernel(*arguments) is None
        except ArgumentError:
            return False

    def explained(self, error: KernelError, inputs: Sequence[Any]) -> KernelError:
        for number, (place, part) in enumerate(self._lookups):
            table, indices = inputs[place : place + 2]
            has_offsets = part.mode != "row" and not part.equal
            if has_offsets and (reason := _why_wrong(inputs[place + 2], len(indices))):
                return OffsetsError(f"offsets of 'indices[{number}]': {reason}")
            indices = indices.reshape(-1)
            wrong = ((indices < 0) | (indices >= len(table))).nonzero()
            if len(wrong):
                at = int(wrong[0])
                return IndexOutOfRangeError(
                    f"index {int(indices[at])} at position {at} of 'indices[{number}]' is out of "
                    f"range for dimension 0 of 'table[{number}]' of size {len(table)}"
                )
        return error

    def _with_offsets(self, inputs: Sequence[Any]) -> list[Any]:
        """The kernel's arguments where offsets are to be made."""
        arguments: list[Any] = []
        shape, offsets = None, None
        for place, part in self._parts:
            mine = inputs[place : place + part.inputs]
            if part.equal:
                indices = mine[1]
                if indices.shape != shape:
                    shape, offsets = indices.shape, self._offsets_of(indices)
                arguments += (mine[0], indices.contiguous(), offsets, *mine[2:])
            else:
                arguments += mine
        return arguments

    def _offsets_of(self, indices: Tensor) -> Tensor:
        """Where the bags of indices (bags, lookups a bag) begin, and the end."""
        shape = tuple(indices.shape)
        found = self._offsets.get(shape)
        if found is None:
            if len(self._offsets) >= KEPT_OFFSETS:
                self._offsets.clear()
            bags, lookups = shape
            if lookups == 0:
                raise NotTakenError
            with for_later_calls():
                found = torch.arange(0, bags * lookups + 1, lookups)
            self._offsets[shape] = found
        return found

    def differentiates(self, needed: Sequence[bool]) -> bool:
        return all(part.mode != "max" for _, part in self._lookups)

    def gradient_reads(self, needed: Sequence[bool]) -> Collection[int]:
        read: list[int] = []
        for place, part in self._lookups:
            indices = range(place + 1, place + part.inputs)
            if not part.weighted:
                read += indices
                continue
            weights = place + 3
            read += [one for one in indices if one != weights or needed[place]]
            if needed[weights]:
                read.append(place)
        return read

    def backward(
        self, inputs: Sequence[Any], needed: Sequence[bool], gradient: Tensor
    ) -> Sequence[Tensor | None]:
        if not len(gradient):
            raise NotTakenError
        found: list[Tensor | None] = [None] * self.inputs
        gradient = gradient.reshape(len(gradient), -1)
        starts, _, _ = self._fixed_layout or self._layout(inputs)
        for place in self._copied:
            if needed[place]:
                start = starts[place]
                found[place] = gradient[:, start : start + inputs[place].shape[1]]
        for (place, part), kind in zip(self._lookups, self._gradients, strict=True):
            if not any(needed[place : place + part.inputs]):
                continue
            table, indices, *others = inputs[place : place + part.inputs]
            padding = others.pop() if part.padded else kind.padding
            columns = gradient[:, starts[place] : starts[place] + part.length]
            if part.mode == "row":
                found[place] = self._gradient_of_rows(columns, indices, len(table), kind)
                continue
            offsets = self._offsets_of(indices) if part.equal else others[0]
            found[place], for_weights = bag_gradients(
                columns.contiguous(),
                indices.reshape(-1),
                offsets,
                len(table),
                (part.mode, part.has_last, padding, kind.scale_grad_by_freq, kind.sparse),
                others[1] if part.weighted else None,
                table,
                needs_table=needed[place],
                needs_sample_weights=part.weighted and needed[place + 3],
                kernels=self.options,
            )
            if part.weighted:
                found[place + 3] = for_weights
        return found

    def _gradient_of_rows(
        self, gradient: Tensor, indices: Tensor, rows: int, kind: TableGradient
    ) -> Tensor:
        """A table's gradient (rows, length), from that of looked-up rows (lookups, length)."""
        found = None
        if kind == DENSE:
            found = table_gradient(gradient, None, indices, rows, None, self.options)
        if found is None:
            by_pytorch: Tensor = torch.ops.aten.embedding_backward(
                gradient, indices, rows, kind.padding, kind.scale_grad_by_freq, kind.sparse
            )
            return by_pytorch
        return found


def _why_wrong(offsets: Tensor, lookups: int) -> str:
    """What is wrong with offsets of bags of so many indices; empty if they are right."""
    first, last = int(offsets[0]), int(offsets[-1])
    if first != 0:
        return f"the first one has to be 0, but is {first}"
    decreases = (offsets.diff() < 0).nonzero()
    if len(decreases):
        at = int(decreases[0])
        return f"they decrease, from {int(offsets[at])} at {at} to {int(offsets[at + 1])}"
    return f"the last one is {last}, past the {lookups} indices" if last > lookups else ""


def _contiguous(arguments: Sequence[Any]) -> Sequence[Any]:
    """Arguments of a kernel with its indices, offsets and weights contiguous.

    A batch whose columns are the tables' indices is copied as one.
    """
    places = [
        place
        for place, one in enumerate(arguments)
        if isinstance(one, Tensor) and one.dim() == 1 and not one.is_contiguous()
    ]
    strided = [arguments[place] for place in places]
    if len({(one.shape, one.dtype) for one in strided}) == 1:
        copies: Sequence[Tensor] = torch.stack(strided).unbind()
    else:
        copies = [one.contiguous() for one in strided]
    found = list(arguments)
    for place, one in zip(places, copies, strict=True):
        found[place] = one
    return found
