"""The kernels of aggregations over edges: of edges in any order, and grouped by their targets.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from ember.compiler import Options
from ember.embed_programs import ENTRY, SDDMM, SpMM, array, program
from ember.kernel import Library

NAMES = {"rows": "target", "columns": "source", "dense": "x"}

# The row of node %n set to zero, and the row of node %column times an edge's value added to it.
CLEAR_NODE = """\
scf.for %h = %c0 to %heads step %c1 {{
  scf.for %e = %c0 to %length step %c1 {{
    memref.store %zero, %out[%n, %h, %e] : memref<?x{heads}x{length}x{value}>
  }}
}}
"""
ADD_EDGE = """\
scf.for %h = %c0 to %heads step %c1 {{
  %weight = memref.load %values[%edge, %h] : memref<?x{heads}x{value}>
  scf.for %e = %c0 to %length step %c1 {{
    %x = memref.load %dense[%column, %h, %e] : memref<?x{heads}x{length}x{value}>
    %before = memref.load %out[%n, %h, %e] : memref<?x{heads}x{length}x{value}>
    %after = math.fma %x, %weight, %before : {value}
    memref.store %after, %out[%n, %h, %e] : memref<?x{heads}x{length}x{value}>
  }}
}}
"""
# For every edge and head, rows of `dense` scaled by the edge's value of the head.
HEADS_PROGRAM = (
    """\
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
"""
    + CLEAR_NODE
    + """\
  }}
  scf.for %edge = %c0 to %edges step %c1 {{
    %stored_row = memref.load %rows[%edge] : memref<?x{index}>
    %n = arith.index_cast %stored_row : {index} to index
    %stored_column = memref.load %columns[%edge] : memref<?x{index}>
    %column = arith.index_cast %stored_column : {index} to index
"""
    + ADD_EDGE
    + """\
  }}
  return
}}
"""
)
# The same of edges that are grouped by their targets: those of target n are the places
# offsets[n] to offsets[n + 1] of `columns`, and `order` says which edge's values belong to a place.
# Without heads of their own, rows are of one head.
GROUPED_PROGRAM = (
    """\
func.func @{entry}(
    %offsets: memref<?xi32> {{ember.name = "offsets"}},
    %columns: memref<?xi32> {{ember.name = "source"}},
    %order: memref<?xi32> {{ember.name = "order"}},
    %values: memref<?x{heads}x{value}> {{ember.name = "values"}},
    %dense: memref<?x{heads}x{length}x{value}> {{ember.name = "x"}},
    %out: memref<?x{heads}x{length}x{value}> {{ember.name = "out"}}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %heads = arith.constant {heads} : index
  %length = arith.constant {length} : index
  %zero = arith.constant 0.0 : {value}
  %nodes = memref.dim %out, %c0 : memref<?x{heads}x{length}x{value}>
  %positions = memref.dim %offsets, %c0 : memref<?xi32>
  %needed = arith.addi %nodes, %c1 : index
  %enough = arith.cmpi eq, %positions, %needed : index
  cf.assert %enough, "there is not one offset more than there are nodes"
  scf.for %n = %c0 to %nodes step %c1 {{
    %next = arith.addi %n, %c1 : index
    %stored_begin = memref.load %offsets[%n] : memref<?xi32>
    %begin = arith.index_cast %stored_begin : i32 to index
    %stored_end = memref.load %offsets[%next] : memref<?xi32>
    %end = arith.index_cast %stored_end : i32 to index
"""
    + CLEAR_NODE
    + """\
    scf.for %p = %begin to %end step %c1 {{
      %stored_column = memref.load %columns[%p] : memref<?xi32>
      %column = arith.index_cast %stored_column : i32 to index
      %stored_edge = memref.load %order[%p] : memref<?xi32>
      %edge = arith.index_cast %stored_edge : i32 to index
"""
    + ADD_EDGE
    + """\
    }}
  }}
  return
}}
"""
)


@dataclass(frozen=True)
class AggregationShape:
    """What is fixed in a kernel: types, length of rows, reduction, how edges are weighted.

    heads: 0 without weights or with one an edge; otherwise rows are (heads, length) and every
    head of an edge has a weight of its own. grouped: edges are given by the offsets of the
    targets' edges, their sources and, where they are weighted, their order, all i32.
    """

    length: int
    value: str
    index: str
    reduction: str
    weighted: bool = False
    heads: int = 0
    grouped: bool = False

    def program(self) -> str:
        """The MLIR module: parameters are target, source, values if weighted, x, out.

        Of grouped edges: offsets, source; order and values if weighted; x, out. values and rows
        have a dimension of heads then if there are weights in f32 or f64.
        """
        if self.heads or self.is_ordered():
            text = GROUPED_PROGRAM if self.grouped else HEADS_PROGRAM
            return text.format(
                entry=ENTRY,
                index=self.index,
                value=self.value,
                heads=max(self.heads, 1),
                length=self.length,
            )
        edges = array(self.index, None)
        rows = array(self.value, None, self.length)
        operation = SpMM(
            rows=edges,
            columns=edges,
            graph="csr" if self.grouped else "coo",
            values=array(self.value, None) if self.weighted else None,
            dense=rows,
            out=rows,
            reduction=self.reduction,
        )
        return program(operation, kind="memref", names=NAMES)

    def is_ordered(self) -> bool:
        """Whether the kernel is given grouped edges with their order, to find their values by.

        Sums of half types are kept in f32, which the dialect's own operation does: it takes values
        in the order of the groups.
        """
        sums = self.reduction == "sum" and self.value in ("f32", "f64")
        return self.grouped and self.weighted and sums


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
