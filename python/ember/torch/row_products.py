"""Products of one row with several looked-up ones, for each sample: scores against negatives.

PyTorch copies all the rows that are looked up, and then multiplies the copies.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Sequence
from dataclasses import dataclass
from string import Template
from typing import Any

import torch
import torch.nn.functional as functional
from torch import Tensor

from ember.compiler import Options
from ember.errors import ArgumentError
from ember.torch.bag_gradient import bag_gradients
from ember.torch.program_call import ProgramCall
from ember.torch.region_call import NotTakenError, Reference
from ember.torch.row_sum import Term, gradient_of_rows

ENTRY = "row_products"
# Sums within a row may be in any order, as in the embed dialect.
_PROGRAM = Template("""\
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %length = arith.constant $length : index
  %zero = arith.constant 0.0 : $value
  %samples = memref.dim %indices, %c0 : $indices
  %each = memref.dim %indices, %c1 : $indices
  scf.for %b = %c0 to %samples step %c1 {
$one\
    scf.for %k = %c0 to %each step %c1 {
      %stored = memref.load %indices[%b, %k] : $indices
      %row = arith.index_cast %stored : $index to index
      %product = scf.for %e = %c0 to %length step %c1 iter_args(%before = %zero) -> ($value) {
        %own = memref.load %one[%$place, %e] : $rows
        %other = memref.load %table[%row, %e] : $rows
        %both = arith.mulf %own, %other fastmath<contract> : $value
        %after = arith.addf %before, %both fastmath<reassoc,contract> : $value
        scf.yield %after : $value
      }
      memref.store %product, %out[%b, %k] : $out
    }
  }
""")


@dataclass(frozen=True)
class RowProducts:
    """What is fixed in a kernel: the length of rows, their type, and how both sides are looked up.

    one: how the samples' own rows are; None: they are not looked up. others: how those are that
    each is multiplied with.
    """

    length: int
    value: str
    one: Term | None
    others: Term

    def text(self) -> str:
        """The MLIR module: a table or the samples' own rows, its indices (samples) if it is a
        table, the table of the others, their indices (samples, each), and the products (samples,
        each).
        """
        rows = f"memref<?x{self.length}x{self.value}, strided<[?, 1], offset: ?>>"
        types = {"one": rows}
        one, place = "", "b"
        if self.one is not None:
            kind = types["one_indices"] = f"memref<?x{self.one.index}, strided<[?], offset: ?>>"
            one = f"    %stored_one = memref.load %one_indices[%b] : {kind}\n"
            one += f"    %own_row = arith.index_cast %stored_one : {self.one.index} to index\n"
            place = "own_row"
        types["table"] = rows
        types["indices"] = f"memref<?x?x{self.others.index}, strided<[?, 1], offset: ?>>"
        types["out"] = f"memref<?x?x{self.value}>"
        parameters = ",\n    ".join(
            f'%{name}: {kind} {{ember.name = "{name}"}}' for name, kind in types.items()
        )
        body = _PROGRAM.substitute(
            length=self.length,
            value=self.value,
            index=self.others.index,
            indices=types["indices"],
            rows=rows,
            out=types["out"],
            one=one,
            place=place,
        )
        return f"func.func @{ENTRY}(\n    {parameters}) {{\n{body}  return\n}}\n"


class RowProductsCall(ProgramCall):
    """The products, (samples, each), with a dimension of size 1 where the operation leaves one.

    Inputs: the samples' own rows (samples, length), or their table and indices (samples,); the
    others' table and indices (samples, each). What has one for each sample may have a further
    dimension of size 1.
    """

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
        super().__init__(reference, inputs, program.text, ENTRY, options, raises)
        self.program = program
        self.kept = kept

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

    def backward(
        self, inputs: Sequence[Any], needed: Sequence[bool], gradient: Tensor
    ) -> Sequence[Tensor | None]:
        terms = [self.program.others, *([self.program.one] if self.program.one else [])]
        if any(term.scale_by_frequency for term in terms):
            raise NotTakenError
        one, table, indices = self._read(inputs)
        gradient = gradient.reshape(indices.shape)
        found: list[Tensor | None] = [None] * self.inputs
        place = self.inputs - 2
        # Some numbers of x[index] may count from the end.
        places = indices if self.program.others.is_embedding else indices.remainder(len(table))
        if needed[0]:
            rows = functional.embedding_bag(
                places, table, mode="sum", per_sample_weights=gradient.contiguous()
            )
            if self.program.one is not None:
                found[0] = gradient_of_rows(self.program.one, one[0], one[1], rows)
            else:
                found[0] = rows.view(inputs[0].shape)
        if needed[place]:
            own = one[0]
            if self.program.one is not None:
                own = own[one[1]]
            found[place] = self._of_table(table, places, own.contiguous(), gradient)
        return found

    def _of_table(
        self, table: Tensor, indices: Tensor, rows: Tensor, gradient: Tensor
    ) -> Tensor | None:
        """The others' gradient: what a sum of them, weighted by `gradient`, gets of `rows`."""
        samples, each = indices.shape
        term = self.program.others
        found, _ = bag_gradients(
            rows,
            indices.reshape(-1),
            torch.arange(0, samples * each, each),
            len(table),
            ("sum", False, term.padding, False, term.is_sparse),
            gradient.reshape(-1),
            None,
            needs_table=True,
            needs_sample_weights=False,
        )
        return found
