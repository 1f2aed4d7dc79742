"""Reduces, for every node of a graph, the rows that its edges bring: a lookup and a sum in one.

PyTorch computes it in two or three steps over memory of the size of the edges: messages = weights *
x[source], then out.scatter_add_(0, target, messages). Here one pass keeps no messages.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import Tensor

from ember.compiler import Options
from ember.dtypes import DTYPES
from ember.embed_programs import ENTRY, SDDMM, SpMM, array, program
from ember.kernel import Library
from ember.torch.region_call import NotTakenError, Reference, RegionCall

VALUE_TYPES = {getattr(torch, DTYPES[name].name): name for name in ("f32", "f64", "f16", "bf16")}
INDEX_TYPES = {getattr(torch, DTYPES[name].name): name for name in ("i32", "i64")}
NAMES = {"rows": "target", "columns": "source", "dense": "x"}

# For every edge and head, rows of `dense` scaled by the edge's value of the head.
HEADS_PROGRAM = """\
func.func @{entry}(
    %rows: memref<?x{index}> {{ember.name = "target"}},
    %columns: memref<?x{index}> {{ember.name = "source"}},
    %values: memref<?x{heads}x{value}> {{ember.name = "values"}},
    %dense: memref<?x{heads}x{length}x{value}> {{ember.name = "x"}},
    %out: memref<?x{heads}x{length}x{value}> {{ember.name = "out"}}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %heads = arith.constant {heads} : index
  %length = arith.constant {length} : index
  %zero = arith.constant 0.0 : {value}
  %edges = memref.dim %columns, %c0 : memref<?x{index}>
  %targets = memref.dim %rows, %c0 : memref<?x{index}>
  %same = arith.cmpi eq, %targets, %edges : index
  cf.assert %same, "there are not as many targets as sources of edges"
  %weights = memref.dim %values, %c0 : memref<?x{heads}x{value}>
  %enough = arith.cmpi eq, %weights, %edges : index
  cf.assert %enough, "there are not as many values as edges"
  %nodes = memref.dim %out, %c0 : memref<?x{heads}x{length}x{value}>
  scf.for %n = %c0 to %nodes step %c1 {{
    scf.for %h = %c0 to %heads step %c1 {{
      scf.for %e = %c0 to %length step %c1 {{
        memref.store %zero, %out[%n, %h, %e] : memref<?x{heads}x{length}x{value}>
      }}
    }}
  }}
  scf.for %p = %c0 to %edges step %c1 {{
    %stored_row = memref.load %rows[%p] : memref<?x{index}>
    %row = arith.index_cast %stored_row : {index} to index
    %stored_column = memref.load %columns[%p] : memref<?x{index}>
    %column = arith.index_cast %stored_column : {index} to index
    scf.for %h = %c0 to %heads step %c1 {{
      %weight = memref.load %values[%p, %h] : memref<?x{heads}x{value}>
      scf.for %e = %c0 to %length step %c1 {{
        %x = memref.load %dense[%column, %h, %e] : memref<?x{heads}x{length}x{value}>
        %before = memref.load %out[%row, %h, %e] : memref<?x{heads}x{length}x{value}>
        %after = math.fma %x, %weight, %before : {value}
        memref.store %after, %out[%row, %h, %e] : memref<?x{heads}x{length}x{value}>
      }}
    }}
  }}
  return
}}
"""


@dataclass(frozen=True)
class AggregationShape:
    """What is fixed in a kernel: types, length of rows, reduction, how edges are weighted.

    heads: 0 without weights or with one an edge; otherwise rows are (heads, length) and every
    head of an edge has a weight of its own.
    """

    length: int
    value: str
    index: str
    reduction: str
    weighted: bool = False
    heads: int = 0

    def program(self) -> str:
        """The MLIR module: parameters are target, source, values if weighted, x, out."""
        if self.heads:
            return HEADS_PROGRAM.format(
                entry=ENTRY,
                index=self.index,
                value=self.value,
                heads=self.heads,
                length=self.length,
            )
        edges = array(self.index, None)
        rows = array(self.value, None, self.length)
        operation = SpMM(
            rows=edges,
            columns=edges,
            graph="coo",
            values=array(self.value, None) if self.weighted else None,
            dense=rows,
            out=rows,
            reduction=self.reduction,
        )
        return program(operation, kind="memref", names=NAMES)


@cache
def aggregation_kernel(
    shape: AggregationShape, options: Options
) -> tuple[Callable[..., Any], Library]:
    """Compiles or finds the kernel, and the library it is in; raises CompileError."""
    library = options.load(shape.program())
    return library.entry(ENTRY).bind(gradients=True), library


@cache
def edge_products_kernel(
    length: int, value: str, index: str, options: Options
) -> tuple[Callable[..., Any], Library]:
    """A kernel for the product of the rows at both ends of every edge, the values' gradient."""
    edges = array(index, None)
    rows = array(value, None, length)
    operation = SDDMM(
        rows=edges, columns=edges, graph="coo", left=rows, right=rows, out=array(value, None)
    )
    text = program(operation, kind="memref", names={"rows": "target", "columns": "source"})
    library = options.load(text)
    return library.entry(ENTRY).bind(gradients=True), library


class AggregationCall(RegionCall):
    """out[target[e]] = reduction of values[e] * x[source[e]] over edges e; zeros without edges.

    Inputs: x (nodes, ...), source (edges,) or None for x[e], target (edges,), the number of rows
    of the result, its sizes or a tensor with as many, values or None. values are (edges,), (edges,
    1, ...), or (edges, heads, 1) for x (nodes, heads, length).
    """

    def __init__(
        self, reference: Reference, reduction: str, options: Options, raises: bool = False
    ) -> None:
        super().__init__(reference, 5, raises)
        self.reduction = reduction
        self.options = options

    def forward(
        self, x: Tensor, source: Tensor | None, target: Tensor, size: Any, values: Tensor | None
    ) -> Tensor:
        return _aggregate(self, self.reduction, x, source, target, size, values)

    def backward(
        self, inputs: Sequence[Any], needed: Sequence[bool], gradient: Tensor
    ) -> Sequence[Tensor | None]:
        x, source, target, _, values = inputs
        if self.reduction not in ("sum", "mean"):
            raise NotTakenError
        gradient = gradient.contiguous()
        if self.reduction == "mean":
            edges = torch.bincount(target, minlength=len(gradient)).clamp_(min=1)
            gradient = gradient / edges.to(gradient.dtype).view(-1, *(1,) * (gradient.dim() - 1))
        for_x = for_values = None
        if needed[0]:
            # The same sum over the edges the other way round.
            if source is None:
                for_x = gradient.index_select(0, target)
                if values is not None:
                    for_x = for_x * values
            else:
                for_x = _aggregate(self, "sum", gradient, target, source, len(x), values)
        if needed[4]:
            for_values = self._gradient_of_values(x, source, target, values, gradient)
        return for_x, None, None, None, for_values

    def _gradient_of_values(
        self, x: Tensor, source: Tensor | None, target: Tensor, values: Tensor, gradient: Tensor
    ) -> Tensor:
        if source is None:
            raise NotTakenError
        heads = _heads(x, values)
        if heads:
            raise NotTakenError
        length = math.prod(x.shape[1:])
        kernel, library = edge_products_kernel(
            length, VALUE_TYPES[x.dtype], INDEX_TYPES[target.dtype], self.options
        )
        self.libraries[library] = None
        out = x.new_empty(len(target))
        kernel(
            target.contiguous(),
            source.contiguous(),
            gradient.reshape(-1, length),
            x.detach().contiguous().view(-1, length),
            out,
        )
        return out.view_as(values)


def _heads(x: Tensor, values: Tensor | None) -> int:
    """The heads that have weights of their own; 0 where an edge has one weight at most."""
    if values is None or values.numel() == len(values):
        return 0
    if values.dim() == x.dim() == 3 and values.shape[1:] == (x.shape[1], 1):
        return x.shape[1]
    raise NotTakenError


def _aggregate(
    call: AggregationCall,
    reduction: str,
    x: Tensor,
    source: Tensor | None,
    target: Tensor,
    size: int | tuple[int, ...] | Tensor,
    values: Tensor | None,
) -> Tensor:
    """The reduction by a kernel for the call; raises NotTakenError for what has none."""
    if not isinstance(size, int):
        size = size[0] if isinstance(size, tuple) else len(size)
    value, index = VALUE_TYPES.get(x.dtype), INDEX_TYPES.get(target.dtype)
    if value is None or index is None or (values is not None and values.dtype != x.dtype):
        raise NotTakenError
    if source is None:
        source = torch.arange(len(x), dtype=target.dtype)
    elif source.dtype != target.dtype:
        raise NotTakenError
    feature = x.shape[1:]
    length = math.prod(feature)
    if length == 0 or size == 0 or len(source) == 0:
        raise NotTakenError
    heads = _heads(x, values)
    if heads and (value not in ("f32", "f64") or reduction != "sum"):
        raise NotTakenError
    x = x.detach().contiguous()
    # The kernels' maximum and PyTorch's differ in NaN.
    if reduction == "max" and not math.isfinite(float(x.sum())):
        raise NotTakenError
    shape = AggregationShape(
        length // heads if heads else length,
        value,
        index,
        reduction,
        values is not None,
        heads,
    )
    kernel, library = aggregation_kernel(shape, call.options)
    call.libraries[library] = None
    out = x.new_empty((size, *feature))
    arguments: list[Tensor] = [target.contiguous(), source.contiguous()]
    if values is not None:
        values = values.detach().contiguous()
        arguments.append(values.view(-1, heads) if heads else values.view(-1))
    kernel(*arguments, *((x, out) if heads else (x.view(-1, length), out.view(-1, length))))
    return out
