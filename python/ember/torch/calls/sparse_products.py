"""Products with sparse matrices as statements on the matrix's parts, with their gradients.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from ember.compiler import Notation, Options
from ember.torch.calls.edge_groups import End
from ember.torch.calls.program import Program
from ember.torch.calls.region_call import NotTakenError
from ember.torch.calls.repeat import Repeat
from ember.torch.calls.sparse_operand import BY_COLUMNS, BY_ENTRIES, BY_ROWS, SORTED, with_values
from ember.torch.calls.statement_call import StatementCall
from ember.torch.capture import private
from ember.torch.element_types import INDEX_TYPES, SUM_TYPES, VALUE_TYPES
from ember.torch.graph.costs import is_worth_grouping

# What errors call the arrays of statements.
NAMES = {"rows": "rows of the sparse matrix", "columns": "columns of the sparse matrix"}
# Reductions of torch.sparse.mm: of what the entries of a row multiply.
REDUCTIONS = ("sum", "mean", "amax", "amin")
# The other products: a sum that is added to a matrix, and products at the entries.
ADDED, SAMPLED = "addmm", "sampled"
# Where a call has what is added.
_ADDED_PLACE = 4

_OF_ROW = "p in rows[i]:rows[i + 1]"
_OF_COLUMN = "j, p in columns[j]:columns[j + 1]"
_TERM = "values[p] * dense[columns[p],f]"
_SCATTERED = "y[rows[p],f] += values[p] * dense[j,f] for " + _OF_COLUMN
# What is multiplied by 0 may be no number.
_SAMPLE = (
    "y[p] = alpha * sum[f](left[{},f] * right[columns[p],f]) "
    "+ (beta * values[p] if beta != 0.0 else 0.0)"
)
# By the form of the matrix. Rows without entries are 0 whatever they are reduced by.
_STATEMENTS = {
    (BY_ROWS, "sum"): f"y[i,f] = sum[{_OF_ROW}]({_TERM})",
    (BY_ROWS, "mean"): (
        f"let count[i] = max(rows[i + 1] - rows[i], 1); y[i,f] = sum[{_OF_ROW}]({_TERM}) / count[i]"
    ),
    (BY_ROWS, "amax"): f"y[i,f] = max[{_OF_ROW}]({_TERM}) if rows[i] < rows[i + 1] else 0.0",
    (BY_ROWS, "amin"): f"y[i,f] = min[{_OF_ROW}]({_TERM}) if rows[i] < rows[i + 1] else 0.0",
    (BY_ROWS, ADDED): f"y[i,f] = added[i,f] + sum[{_OF_ROW}]({_TERM})",
    (BY_ROWS, SAMPLED): f"{_SAMPLE.format('i')} for i, {_OF_ROW}",
    (BY_COLUMNS, "sum"): f"y[i,f] = 0.0; {_SCATTERED}",
    (BY_COLUMNS, ADDED): f"y[i,f] = added[i,f]; {_SCATTERED}",
    (BY_ENTRIES, "sum"): f"y[i,f] = 0.0; y[rows[p],f] += {_TERM}",
    (BY_ENTRIES, ADDED): f"y[i,f] = added[i,f]; y[rows[p],f] += {_TERM}",
    (BY_ENTRIES, SAMPLED): _SAMPLE.format("rows[p]"),
}
# What statements read behind the matrix's rows, columns and values, by the product.
_OPERANDS = {
    ADDED: ("dense", "added"),
    SAMPLED: ("left", "right", "alpha", "beta"),
}


@dataclass(frozen=True)
class ProductKind:
    """What is fixed of a product.

    form: of the matrix, as parts_of has it. product: one of REDUCTIONS, ADDED or
    SAMPLED. length: of rows of dense matrices. value, index: the types of elements.
    """

    form: str
    product: str
    length: int
    value: torch.dtype
    index: torch.dtype

    @property
    def is_sampled(self) -> bool:
        return self.product == SAMPLED

    @property
    def operands(self) -> tuple[str, ...]:
        """The names of what statements read behind the matrix."""
        return _OPERANDS.get(self.product, ("dense",))

    def notation(self) -> Notation:
        text = _STATEMENTS[BY_ENTRIES if self.form == SORTED else self.form, self.product]
        value, index = VALUE_TYPES[self.value], INDEX_TYPES[self.index]
        total = value if self.value in SUM_TYPES else "f32"
        rows, entries = f"?x{self.length}x", "?x"
        types = {
            "rows": entries + index,
            "columns": entries + index,
            "values": entries + value,
            "y": (entries if self.is_sampled else rows) + value,
            **dict.fromkeys(("dense", "added", "left", "right"), rows + value),
            **dict.fromkeys(("alpha", "beta"), value),
            "count": entries + total,
        }
        if total != value and "+=" in text:
            # What is added up in memory is rounded once.
            text = "let " + text.replace("y[", "total[") + "; y[i,f] = total[i,f]"
            types["total"] = rows + total
        named = [f"--type={name}:{one}" for name, one in types.items() if name in text]
        return Notation(text, tuple(named))

    def program(self) -> Program:
        """The statements, of: rows, columns, values, operands, and where the form is not BY_ROWS
        the number of rows."""
        inputs = ("rows", "columns", "values", *self.operands)
        is_by_rows = self.form == BY_ROWS
        count = (0, 0, -1) if is_by_rows else (len(inputs), 0, 0)
        entries, length = (2, 0, 0), (3, 1, 0)
        is_by_entries = self.form in (BY_ENTRIES, SORTED)
        ends = (End(0, "rows"), End(1, "columns")) if is_by_entries else ()
        offsets = {BY_ROWS: ["rows"], BY_COLUMNS: ["columns"]}.get(self.form, [])
        is_linear = self.product not in ("amax", "amin")
        return Program(
            self.notation(),
            "y",
            inputs,
            (entries,) if self.is_sampled else (count, length),
            self.value,
            elements=((entries, length),),
            least_differentiated=0,
            # PyTorch's gradient goes to one of several that are the largest.
            undifferentiated=frozenset() if is_linear else frozenset((2, 3)),
            given=len(inputs) + (not is_by_rows),
            offsets=frozenset(offsets),
            ends=ends,
            # Rows in order are as fast to add to as groups of them.
            scatters=("sum",) if self.form == BY_ENTRIES and not self.is_sampled else (),
        )


class ProductCall(StatementCall):
    """A product of the parts of a sparse matrix and dense ones.

    Its inputs, all contiguous: rows, columns and values as parts_of has them; dense (columns,
    length), with ADDED also added (rows, length); or, of sampled products, left (rows,
    length), right (columns, length), alpha and beta; then the number of rows, unless the
    matrix is BY_ROWS.

    Raises IndexOutOfRangeError or OffsetsError for a matrix whose indices are wrong; PyTorch, which
    may read past the end of memory for these, is not asked.
    """

    asks_again = False

    def __init__(self, kind: ProductKind, options: Options, raises: bool = False) -> None:
        super().__init__(self._by_pytorch_of_parts, kind.program(), options, raises)
        self.kind = kind
        self.names = NAMES
        # The place of the dense matrix whose rows are looked up by columns.
        self._looked_up = 4 if kind.is_sampled else 3

    def _by_pytorch_of_parts(
        self, rows: Tensor, columns: Tensor, values: Tensor, *others: Any
    ) -> Tensor:
        """PyTorch's own product."""
        found: Tensor
        kind, dense = self.kind, others[self._looked_up - 3]
        with private.outside_modes():
            if kind.form == BY_COLUMNS:
                columns = private.rows_of_entries(columns, rows)
            if kind.form == BY_ROWS:
                shape = len(rows) - 1, len(dense)
                places = torch.sparse_csr_tensor(
                    rows, columns, values.detach(), shape, check_invariants=False
                )
                matrix = with_values(places, values)
            else:
                places, shape = torch.stack((rows, columns)), (others[-1], len(dense))
                matrix = torch.sparse_coo_tensor(places, values, shape, check_invariants=False)
            if kind.is_sampled:
                left, _, alpha, beta = others[:4]
                found = torch.sparse.sampled_addmm(
                    matrix, left, dense.t(), beta=beta, alpha=alpha
                ).values()
            elif kind.product == ADDED:
                found = torch.addmm(others[1], matrix, dense)
            elif kind.product == "sum" and (kind.form != BY_ROWS or kind.value in SUM_TYPES):
                found = torch.sparse.mm(matrix, dense)
            else:
                found = torch.sparse.mm(matrix, dense, kind.product)
        return found

    def _taken(self, given: Sequence[Any]) -> list[Any]:
        if any(isinstance(one, Tensor) and not one.numel() for one in given):
            raise NotTakenError
        return super()._taken(given)

    def forward(self, *given: Any) -> Tensor:
        if self.kind.form == BY_COLUMNS and self._is_worth_grouping(given):
            return self._by_entries.forward(*self._entries(given))
        return super().forward(*given)

    def repeat_for(self, arguments: tuple[Any, ...]) -> Repeat | None:
        return None if self.kind.form == BY_COLUMNS else super().repeat_for(arguments)

    # What is scattered, by where: rows that a matrix by columns adds to, and columns whose gradient
    # one by rows adds to.

    def _is_worth_grouping(self, given: Sequence[Any]) -> bool:
        return is_worth_grouping(len(given[2]), self.kind.length, ("sum",))

    def _entries(self, given: Sequence[Any]) -> Sequence[Any]:
        """The arguments of _by_entries."""
        rows, columns, *others = given
        if self.kind.form == BY_COLUMNS:
            return rows, private.rows_of_entries(columns, rows), *others
        return private.rows_of_entries(rows, columns), columns, *others, len(rows) - 1

    @cached_property
    def _by_entries(self) -> "ProductCall":
        """The same sum of a matrix BY_ENTRIES, which are grouped where they come again."""
        product = "sum" if self.kind.product == "mean" else self.kind.product
        kind = replace(self.kind, form=BY_ENTRIES, product=product)
        call = ProductCall(kind, self._options, self.raises)
        call.__name__, call.libraries = self.__name__, self.libraries
        return call

    # Gradients.

    def gradient_reads(self, needed: Sequence[bool]) -> Collection[int]:
        # As statements have it; their kernels are built when they are needed.
        if not self.differentiates(needed):
            return range(self.inputs)
        dense = range(3, self._looked_up + 1)
        reads = {0, 1}
        if self.kind.is_sampled:
            reads |= {7 - place for place in dense if needed[place]}
        else:
            reads |= {place for place, other in ((2, 3), (3, 2)) if needed[other]}
        return reads

    def backward(
        self, given: Sequence[Any], needed: Sequence[bool], gradient: Tensor
    ) -> Sequence[Tensor | None]:
        others = list(needed)
        adds = self.kind.product == ADDED and others[_ADDED_PLACE]
        if adds:
            others[_ADDED_PLACE] = False
        found: list[Tensor | None] = [None] * self.inputs
        if any(others):
            found = [*self._of_product(given, others, gradient)]
        if adds:
            # The result's own, and no copy of it.
            found[_ADDED_PLACE] = gradient
        return found

    def _of_product(
        self, given: Sequence[Any], needed: Sequence[bool], gradient: Tensor
    ) -> Sequence[Tensor | None]:
        """Gradients of all but what is added, by columns where a matrix comes again."""
        is_scattered = self.kind.form == BY_ROWS and needed[self._looked_up]
        if not is_scattered or not self._is_worth_grouping(given):
            return super().backward(given, needed, gradient)
        if self.kind.product == "mean":
            counts = given[0].diff().clamp(min=1)
            gradient = gradient / counts.to(gradient.dtype).view(-1, 1)
        return self._by_entries.backward(self._entries(given), (*needed, False), gradient)[:-1]
