"""Reduces the rows that edges bring onto what is there: index_add, scatter_add and the like.

The rows of every target are added in the order of the edges, beginning with the target's own.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from collections.abc import Callable, Collection, Sequence
from functools import cache
from string import Template
from typing import Any

import torch
from torch import Tensor

from ember.compiler import Options
from ember.embed_programs import ENTRY
from ember.kernel import Library
from ember.torch.aggregation import AggregationCall
from ember.torch.element_types import INDEX_TYPES, SUM_TYPES, VALUE_TYPES
from ember.torch.region_call import NotTakenError, Reference, RegionCall

# Elements from which on a kernel, which looks into all tensors first, is faster than PyTorch.
LEAST_ADDED = 1 << 15
PROGRAM = Template("""\
func.func @$entry(
    %target: memref<?x$index> {ember.name = "target"},
    %source: memref<?x$index> {ember.name = "source"},
    $values
    %x: memref<?x${length}x$value> {ember.name = "x"},
    %alpha: $sum,
    %out: memref<?x${length}x$sum> {ember.name = "out"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %length = arith.constant $length : index
  %edges = memref.dim %source, %c0 : memref<?x$index>
  %targets = memref.dim %target, %c0 : memref<?x$index>
  %same = arith.cmpi eq, %targets, %edges : index
  cf.assert %same, "there are not as many targets as sources of edges"
  scf.for %p = %c0 to %edges step %c1 {
    %stored_row = memref.load %target[%p] : memref<?x$index>
    %row = arith.index_cast %stored_row : $index to index
    %stored_column = memref.load %source[%p] : memref<?x$index>
    %column = arith.index_cast %stored_column : $index to index
    $weight
    scf.for %e = %c0 to %length step %c1 {
      %loaded = memref.load %x[%column, %e] : memref<?x${length}x$value>
      $element
      %before = memref.load %out[%row, %e] : memref<?x${length}x$sum>
      $reduction
      memref.store %after, %out[%row, %e] : memref<?x${length}x$sum>
    }
  }
  return
}
""")


def onto_program(length: int, value: str, index: str, reduction: str, form: str) -> str:
    """The MLIR module; parameters are target, source, values if weighted, x, alpha, out.

    Rows of half types are added to rows of f32. form: plain, scaled (by alpha) or weighted (by
    the edges' values and alpha).
    """
    total = "f64" if value == "f64" else "f32"
    values = weight = ""
    factor = "%alpha"
    if form == "weighted":
        values = f'%values: memref<?x{value}> {{ember.name = "values"}},'
        extended = f"arith.extf %stored : {value} to {total}"
        kept = "%stored" if value == total else "%wide"
        weight = f"%stored = memref.load %values[%p] : memref<?x{value}>\n    "
        weight += "" if value == total else f"%wide = {extended}\n    "
        weight += f"%weight = arith.mulf {kept}, %alpha : {total}"
        factor = "%weight"
    element = "%element"
    if value == total:
        element, extended = "%loaded", ""
    else:
        extended = f"%element = arith.extf %loaded : {value} to {total}"
    if reduction == "max":
        text = f"%more = arith.cmpf ogt, {element}, %before : {total}\n      "
        text += f"%after = arith.select %more, {element}, %before : {total}"
    elif form == "plain":
        text = f"%after = arith.addf %before, {element} : {total}"
    else:
        text = f"%after = math.fma {element}, {factor}, %before : {total}"
    return PROGRAM.substitute(
        entry=ENTRY,
        index=index,
        value=value,
        sum=total,
        length=length,
        values=values,
        weight=weight,
        element=extended,
        reduction=text,
    )


@cache
def onto_kernel(
    length: int, value: str, index: str, reduction: str, form: str, options: Options
) -> tuple[Callable[..., Any], Library]:
    """Compiles or finds the kernel, and the library it is in; raises CompileError."""
    library = options.load(onto_program(length, value, index, reduction, form))
    return library.entry(ENTRY).bind(gradients=True), library


class OntoCall(RegionCall):
    """base, with alpha * values[e] * x[source[e]] added to row target[e] for every edge e.

    Or with the larger ones of both kept, for the reduction max. Inputs: base (nodes, ...), x
    (nodes, ...), source (edges,) or None for x[e], target (edges,), values (edges, 1, ...) or None.
    in_place: base is changed, and is the result; PyTorch does that where a gradient is needed.
    """

    def __init__(
        self,
        reference: Reference,
        reduction: str,
        alpha: float,
        in_place: bool,
        options: Options,
        raises: bool = False,
    ) -> None:
        super().__init__(reference, 5, raises)
        self.reduction = reduction
        self.alpha = alpha
        self.in_place = in_place
        self.changes = (0,) if in_place else ()
        self.options = options
        # What gradients of x and of values are, they are without the base too.
        self.without_base = AggregationCall(reference, "sum", options, raises)
        self.without_base.libraries = self.libraries

    def __call__(self, *arguments: Any) -> Any:
        """What the region computes."""
        if self.in_place and torch.is_grad_enabled():
            for argument in arguments:
                if isinstance(argument, Tensor) and argument.requires_grad:
                    return self.reference(*arguments)
        return super().__call__(*arguments)

    def forward(
        self, base: Tensor, x: Tensor, source: Tensor | None, target: Tensor, values: Tensor | None
    ) -> Tensor:
        value, index = VALUE_TYPES.get(x.dtype), INDEX_TYPES.get(target.dtype)
        if value is None or index is None or base.dtype is not x.dtype:
            raise NotTakenError
        if values is not None and (values.dtype is not x.dtype or values.numel() != len(values)):
            raise NotTakenError
        if source is None:
            source = torch.arange(len(target), dtype=target.dtype)
        length = math.prod(base.shape[1:])
        # The first call builds the kernel, so that there is one to export, however small it is.
        if self.libraries and len(target) * length < LEAST_ADDED:
            raise NotTakenError
        if source.dtype is not target.dtype or x.shape[1:] != base.shape[1:]:
            raise NotTakenError
        if not base.is_contiguous() or 0 in (len(base), length, len(target), len(x)):
            raise NotTakenError
        # The kernels' maximum and PyTorch's differ in NaN.
        if self.reduction == "max" and not math.isfinite(float(x.detach().sum())):
            raise NotTakenError
        form = "plain" if self.alpha == 1 else "scaled"
        arguments = [target.contiguous(), source.contiguous()]
        if values is not None:
            form = "weighted"
            arguments.append(values.detach().contiguous().view(-1))
        arguments.append(x.detach().contiguous().view(-1, length))
        if self.in_place:
            _check_in_place(base, arguments)
        kernel, library = onto_kernel(length, value, index, self.reduction, form, self.options)
        self.libraries[library] = None
        is_half = x.dtype not in SUM_TYPES
        out = base.detach()
        if not self.in_place:
            out = out.float() if is_half else out.clone()
        kernel(*arguments, self.alpha, out.view(-1, length))
        if not self.in_place:
            return out.to(base.dtype)
        if not base.is_inference():
            torch.autograd.graph.increment_version(base)
        return base

    def differentiates(self, needed: Sequence[bool]) -> bool:
        return self.reduction == "sum"

    def gradient_reads(self, needed: Sequence[bool]) -> Collection[int]:
        factors = [place for place, other in ((1, 4), (4, 1)) if needed[other]]
        return (2, 3, *factors)

    def backward(
        self, inputs: Sequence[Any], needed: Sequence[bool], gradient: Tensor
    ) -> Sequence[Tensor | None]:
        base, x, source, target, values = inputs
        for_x = for_values = None
        if needed[1] or needed[4]:
            scaled = gradient if self.alpha == 1 else gradient * self.alpha
            which = (needed[1], False, False, False, needed[4])
            for_x, _, _, _, for_values = self.without_base.backward(
                (x, source, target, len(base), values), which, scaled
            )
        return gradient if needed[0] else None, for_x, None, None, for_values


def _check_in_place(base: Tensor, others: Sequence[Tensor]) -> None:
    """Raises NotTakenError unless a kernel can change the base without an error on the way.

    others: target, source, values if there are any, x. What is looked up must not be changed.
    """
    memory = base.untyped_storage().data_ptr()
    if any(other.untyped_storage().data_ptr() == memory for other in others):
        raise NotTakenError
    for index, rows in zip(others, (base, others[-1]), strict=False):
        least, most = index.aminmax()
        if int(least) < 0 or int(most) >= len(rows):
            raise NotTakenError
