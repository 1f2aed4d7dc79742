"""Writes F.embedding_bag as loops over memrefs: the scf level, where every front end meets.

One program serves every batch: only what BagShape holds is fixed. For bag b the lookups are the
positions p from offsets[b] up to offsets[b + 1]; offsets always has one element more than there
are bags, so that both bounds are loads (PyTorch's form without the last offset is completed by
the caller). Rows are added in the order of positions, as PyTorch adds them.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from dataclasses import dataclass

ENTRY = "embedding_bag"
# How a table may lie in memory: whole; rows at any distance; rows and elements at any distance.
LAYOUTS = {
    "contiguous": "",
    "rows": ", strided<[?, 1], offset: ?>",
    "any": ", strided<[?, ?], offset: ?>",
}


@dataclass(frozen=True)
class BagShape:
    """What is fixed in a kernel for F.embedding_bag.

    length: elements of a row. value: type of the table, the sample weights and the result.
    index, offset: types of the indices and the offsets. mode: sum or mean. weighted: there are
    per_sample_weights. padded: there is a padding_idx (its value is an argument). layout: of the
    table, one of LAYOUTS.
    """

    length: int
    value: str = "f32"
    index: str = "i64"
    offset: str = "i64"
    mode: str = "sum"
    weighted: bool = False
    padded: bool = False
    layout: str = "contiguous"


def bag_program(shape: BagShape) -> str:
    """The MLIR module of a kernel: parameters are table, indices, offsets, then sample_weights
    and padding_idx where the shape has them, then the result (bags x length)."""
    value, length = shape.value, shape.length
    table = f"memref<?x{length}x{value}{LAYOUTS[shape.layout]}>"
    parameters = [
        f'%table: {table} {{ember.name = "weight"}}',
        f'%indices: memref<?x{shape.index}> {{ember.name = "indices"}}',
        f'%offsets: memref<?x{shape.offset}> {{ember.name = "offsets"}}',
    ]
    if shape.weighted:
        parameters.append(
            f'%sample_weights: memref<?x{value}> {{ember.name = "per_sample_weights"}}'
        )
    if shape.padded:
        parameters.append('%padding: index {ember.name = "padding_idx"}')
    parameters.append(f'%out: memref<?x{length}x{value}> {{ember.name = "out"}}')
    separator = ",\n    "
    return f"""\
func.func @{ENTRY}(
    {separator.join(parameters)}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %length = arith.constant {length} : index
  %zero = arith.constant 0.0 : {value}
  %bags = memref.dim %out, %c0 : memref<?x{length}x{value}>
  scf.for %b = %c0 to %bags step %c1 {{
    scf.for %e = %c0 to %length step %c1 {{
      memref.store %zero, %out[%b, %e] : memref<?x{length}x{value}>
    }}
    %next = arith.addi %b, %c1 : index
    %first = memref.load %offsets[%b] : memref<?x{shape.offset}>
    %last = memref.load %offsets[%next] : memref<?x{shape.offset}>
    %begin = arith.index_cast %first : {shape.offset} to index
    %end = arith.index_cast %last : {shape.offset} to index
{_lookups(shape, table)}{_mean(shape) if shape.mode == "mean" else ""}\
  }}
  return
}}
"""


def _lookups(shape: BagShape, table: str) -> str:
    """The loop over the lookups of a bag."""
    value, length = shape.value, shape.length
    counts = shape.padded and shape.mode == "mean"
    head = "    scf.for %p = %begin to %end step %c1"
    if counts:
        head = (
            "    %count = scf.for %p = %begin to %end step %c1 iter_args(%so_far = %c0) -> (index)"
        )
    lines = [
        f"{head} {{",
        f"      %index = memref.load %indices[%p] : memref<?x{shape.index}>",
        f"      %row = arith.index_cast %index : {shape.index} to index",
    ]
    if shape.padded:
        lines.append("      %keep = arith.cmpi ne, %row, %padding : index")
    if counts:
        lines.append("      %counted = arith.addi %so_far, %c1 : index")
        lines.append("      %now = arith.select %keep, %counted, %so_far : index")
    if shape.weighted:
        lines.append(f"      %weight = memref.load %sample_weights[%p] : memref<?x{value}>")
    lines += [
        "      scf.for %e = %c0 to %length step %c1 {",
        f"        %loaded = memref.load %table[%row, %e] : {table}",
    ]
    term = "%loaded"
    if shape.weighted:
        lines.append(f"        %scaled = arith.mulf %loaded, %weight : {value}")
        term = "%scaled"
    if shape.padded:
        # A select and not a product: the padding row may hold infinities or NaN.
        lines.append(f"        %kept = arith.select %keep, {term}, %zero : {value}")
        term = "%kept"
    lines += [
        f"        %sum = memref.load %out[%b, %e] : memref<?x{length}x{value}>",
        f"        %added = arith.addf %sum, {term} : {value}",
        f"        memref.store %added, %out[%b, %e] : memref<?x{length}x{value}>",
        "      }",
    ]
    if counts:
        lines.append("      scf.yield %now : index")
    lines.append("    }\n")
    return "\n".join(lines)


def _mean(shape: BagShape) -> str:
    """The division by the number of lookups, or by 1 where there are none."""
    value, length = shape.value, shape.length
    count = "" if shape.padded else "    %count = arith.subi %end, %begin : index\n"
    return f"""\
{count}    %divisor = arith.maxsi %count, %c1 : index
    %integer = arith.index_cast %divisor : index to i64
    %number = arith.sitofp %integer : i64 to {value}
    scf.for %e = %c0 to %length step %c1 {{
      %total = memref.load %out[%b, %e] : memref<?x{length}x{value}>
      %mean = arith.divf %total, %number : {value}
      memref.store %mean, %out[%b, %e] : memref<?x{length}x{value}>
    }}
"""
