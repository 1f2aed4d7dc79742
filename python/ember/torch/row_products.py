"""Products of one row with several looked-up ones, for each sample: scores against negatives.

PyTorch copies all the rows that are looked up, and then multiplies the copies.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from string import Template
from typing import Any

import torch
from torch import Tensor

from ember.compiler import Options
from ember.errors import ArgumentError, KernelError
from ember.torch.bag_gradient import bag_gradients
from ember.torch.program_call import ProgramCall
from ember.torch.region_call import NotTakenError, Reference
from ember.torch.repeat import MOST, Repeat, Size, Source, repeat_of
from ember.torch.row_sum import Term, gradient_of_rows

ENTRY = "row_products"
# Rows that one thread adds to a table as fast as PyTorch does on several.
MOST_ALONE = 1 << 12
# Sums within a row may be in any order, as in the embed dialect.
_PRODUCTS = """\
      %product = scf.for %e = %c0 to %length step %c1 iter_args(%before = %zero) -> ($value) {
        %own = memref.load %one[%$place, %e] : $rows
        %other = memref.load %table[%row, %e] : $rows
        %both = arith.mulf %own, %other fastmath<contract> : $value
        %after = arith.addf %before, %both fastmath<reassoc,contract> : $value
        scf.yield %after : $value
      }
      memref.store %product, %products[%b, %k] : $products
"""
# The gradient of a sample's own row: its others, weighted by the products' gradients.
_OF_ONE = """\
      %weight = memref.load %products[%b, %k] : $products
      scf.for %e = %c0 to %length step %c1 {
        %other = memref.load %table[%row, %e] : $rows
        %before = memref.load %one[%b, %e] : $rows
        %after = math.fma %other, %weight, %before : $value
        memref.store %after, %one[%b, %e] : $rows
      }
"""
# The gradient of the others' table, where a row may be looked up many times.
_OF_TABLE = """\
      %weight = memref.load %products[%b, %k] : $products
      scf.for %e = %c0 to %length step %c1 {
        %own = memref.load %one[%$place, %e] : $rows
        %before = memref.load %table[%row, %e] : $rows
        %after = math.fma %own, %weight, %before : $value
        memref.store %after, %table[%row, %e] : $rows
      }
"""
_CLEARED = """\
    scf.for %e = %c0 to %length step %c1 {
      memref.store %zero, %one[%b, %e] : $rows
    }
"""
_LOOPS = """\
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %length = arith.constant $length : index
  %zero = arith.constant 0.0 : $value
  %samples = memref.dim %indices, %c0 : $indices
  %each = memref.dim %indices, %c1 : $indices
  %own_samples = memref.dim %$owner, %c0 : $owner_type
  %fits = arith.cmpi eq, %own_samples, %samples : index
  cf.assert %fits, "there are not as many samples on both sides"
  scf.for %b = %c0 to %samples step %c1 {{
{before}\
    scf.for %k = %c0 to %each step %c1 {{
      %stored = memref.load %indices[%b, %k] : $indices
      %row = arith.index_cast %stored : $index to index
{body}\
    }}
  }}
"""
_LOOK_UP = """\
    %stored_one = memref.load %one_indices[%b] : $one_indices
    %own_row = arith.index_cast %stored_one : $one_index to index
"""


@dataclass(frozen=True)
class RowProducts:
    """What is fixed in the kernels: the length of rows, their type, and how both sides are looked
    up.

    one: how the samples' own rows are; None: they are not looked up. others: how those are that
    each is multiplied with.
    """

    length: int
    value: str
    one: Term | None
    others: Term

    def products(self) -> str:
        """The MLIR module: a table or the samples' own rows, its indices (samples) if it is a
        table, the table of the others, their indices (samples, each), and the products (samples,
        each).
        """
        looked_up = self.one is not None
        return self._text(_LOOK_UP if looked_up else "", _PRODUCTS, looked_up)

    def of_one(self) -> str:
        """The gradient of the samples' own rows (samples, length), which is the first parameter;
        then the others' table and indices, and the products' gradient.
        """
        return self._text(_CLEARED, _OF_ONE, False)

    def of_table(self) -> str:
        """The same parameters as the products' module: adds to the table what it gets."""
        looked_up = self.one is not None
        return self._text(_LOOK_UP if looked_up else "", _OF_TABLE, looked_up)

    def _text(self, before: str, body: str, looked_up: bool) -> str:
        rows = f"memref<?x{self.length}x{self.value}, strided<[?, 1], offset: ?>>"
        types = {"one": rows}
        one_index = self.one.index if self.one is not None else ""
        if looked_up:
            types["one_indices"] = f"memref<?x{one_index}, strided<[?], offset: ?>>"
        types["table"] = rows
        types["indices"] = f"memref<?x?x{self.others.index}, strided<[?, 1], offset: ?>>"
        types["products"] = f"memref<?x?x{self.value}>"
        parameters = ",\n    ".join(
            f'%{name}: {kind} {{ember.name = "{name}"}}' for name, kind in types.items()
        )
        text = Template(_LOOPS.format(before=before, body=body)).substitute(
            types,
            rows=rows,
            length=self.length,
            value=self.value,
            index=self.others.index,
            one_index=one_index,
            place="own_row" if looked_up else "b",
            owner="one_indices" if looked_up else "one",
            owner_type=types["one_indices"] if looked_up else rows,
        )
        return f"func.func @{ENTRY}(\n    {parameters}) {{\n{text}  return\n}}\n"


class RowProductsCall(ProgramCall):
    """The products, (samples, each), with a dimension of size 1 where the operation leaves one.

    Inputs: the samples' own rows (samples, length), or their table and indices (samples,); the
    others' table and indices (samples, each). What has one for each sample may have a further
    dimension of size 1.
    """

    least_differentiated = 1 << 14

    def __init__(
        self,
        reference: Reference,
        program: RowProducts,
        kept: int | None,
        options: Options,
        raises: bool = False,
    ) -> None:
        """kept: the dimension of size 1 that the result has, if any."""
        inputs = 3 + (program.one is not None)
        super().__init__(reference, inputs, program.products, ENTRY, options, raises)
        self.program = program
        self.kept = kept
        self._gradient_kernels: dict[str, Callable[..., Any]] = {}

    def _read(self, inputs: Sequence[Any]) -> tuple[tuple[Tensor, ...], Tensor, Tensor]:
        """The samples' own rows, or their table and indices; the others' table and indices."""
        *one, table, indices = inputs
        samples = len(indices)
        if not indices.numel():
            raise NotTakenError
        if self.program.one is not None:
            if one[1].numel() != samples:
                raise NotTakenError
            one[1] = one[1].reshape(samples)
        else:
            if one[0].numel() != samples * self.program.length:
                raise NotTakenError
            one[0] = one[0].reshape(samples, self.program.length)
        return tuple(one), table, indices

    def elements(self, arguments: Sequence[Any]) -> int:
        table, indices = arguments[self.inputs - 2 : self.inputs]
        return int(indices.numel() * table.shape[1])

    def forward(self, *inputs: Any) -> Tensor:
        one, table, indices = self._read(inputs)
        if indices.stride(1) != 1:
            indices = indices.contiguous()
        out: Tensor = table.new_empty(indices.shape)
        try:
            self.kernel(*one, table, indices, out)
        except ArgumentError:
            raise NotTakenError from None
        return out if self.kept is None else out.unsqueeze(self.kept)

    def repeat_for(self, arguments: tuple[Any, ...]) -> Repeat | None:
        indices = self.inputs - 1
        sources: list[Source] = list(range(self.inputs))
        if self.program.one is not None:
            if arguments[1].dim() > 1:
                sources[1] = (1, arguments[1].dim())
        elif arguments[0].dim() > 2:
            return None
        sizes: list[Size] = [(indices, 0, 0), (indices, 1, 0)]
        whole = list(sizes)
        if self.kept is not None:
            whole.insert(self.kept, 1)
        return repeat_of(
            self.common,
            arguments,
            sources,
            indices - 1,
            whole,
            kernel_sizes=sizes,
            bounds=[(indices, 0, 1, MOST), (indices, 1, 1, MOST)],
        )

    def _gradient_kernel(self, name: str) -> Callable[..., Any]:
        """The kernel of one of the gradients, built when it is first needed."""
        found = self._gradient_kernels.get(name)
        if found is None:
            program = self.program.of_one() if name == "one" else self.program.of_table()
            library = self._options.load(program)
            self.libraries[library] = None
            found = self._gradient_kernels[name] = library.entry(ENTRY).bind(gradients=True)
        return found

    def gradient_reads(self, needed: Sequence[bool]) -> Collection[int]:
        table, indices = self.inputs - 2, self.inputs - 1
        of_own = (1,) if self.program.one is not None else ()
        factors = [place for place, other in ((0, table), (table, 0)) if needed[other]]
        return (*of_own, indices, *factors)

    def backward(
        self, inputs: Sequence[Any], needed: Sequence[bool], gradient: Tensor
    ) -> Sequence[Tensor | None]:
        terms = [self.program.others, *([self.program.one] if self.program.one else [])]
        if any(term.scale_by_frequency for term in terms):
            raise NotTakenError
        one, table, indices = self._read(inputs)
        if indices.stride(1) != 1:
            indices = indices.contiguous()
        gradient = gradient.reshape(indices.shape).contiguous()
        found: list[Tensor | None] = [None] * self.inputs
        try:
            if needed[0]:
                found[0] = self._of_one(inputs[0], one, table, indices, gradient)
            if needed[self.inputs - 2]:
                found[-2] = self._of_table(one, table, indices, gradient)
        except (ArgumentError, KernelError):
            # PyTorch computed the products, of rows that count from the end.
            raise NotTakenError from None
        return found

    def _of_one(
        self,
        given: Tensor,
        one: tuple[Tensor, ...],
        table: Tensor,
        indices: Tensor,
        gradient: Tensor,
    ) -> Tensor:
        """The gradient of the samples' own rows, or of their table."""
        rows = table.new_empty((len(indices), self.program.length))
        self._gradient_kernel("one")(rows, table, indices, gradient)
        if self.program.one is None:
            return rows.view(given.shape)
        return gradient_of_rows(self.program.one, one[0], one[1], rows)

    def _of_table(
        self, one: tuple[Tensor, ...], table: Tensor, indices: Tensor, gradient: Tensor
    ) -> Tensor | None:
        """The gradient of the others' table."""
        term = self.program.others
        if not term.is_sparse and (torch.get_num_threads() == 1 or indices.numel() < MOST_ALONE):
            found = table.new_zeros(table.shape)
            self._gradient_kernel("table")(*one, found, indices, gradient)
            if term.padding >= 0:
                found[term.padding] = 0
            return found
        own = one[0][one[1]] if self.program.one is not None else one[0]
        samples, each = indices.shape
        # It is that of their sum, weighted by the products' gradient.
        of_sum, _ = bag_gradients(
            own.contiguous(),
            indices.reshape(-1),
            torch.arange(0, samples * each, each),
            len(table),
            ("sum", False, term.padding, False, term.is_sparse),
            gradient.reshape(-1),
            None,
            needs_table=True,
            needs_sample_weights=False,
            kernels=self._options,
        )
        return of_sum
