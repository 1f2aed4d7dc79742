"""Writes F.embedding_bag as a program of the embed dialect, on memrefs: tables may lie anyhow.

One program serves every batch: only what BagShape holds is fixed. For bag b the lookups are the
positions p from offsets[b] up to offsets[b + 1], or up to the number of indices for the last bag of
PyTorch's form without the last offset. Rows are added in the order of positions, as PyTorch adds
them. What PyTorch asks of offsets and the dialect does not is asserted ahead of the bags.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from dataclasses import dataclass

from ember.embed_programs import Array, Bag, array, program

ENTRY = "embedding_bag"
# How a table may lie in memory: whole; rows at any distance; rows and elements at any distance.
LAYOUTS = {
    "contiguous": "",
    "rows": "strided<[?, 1], offset: ?>",
    "any": "strided<[?, ?], offset: ?>",
}
# What errors call the operands: PyTorch's names.
NAMES = {
    "table0": "weight",
    "open_offsets": "offsets",
    "weights": "per_sample_weights",
    "padding0": "padding_idx",
}

FIRST_OFFSET_CHECK = """\
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : {offset}
  %first = memref.load %{offsets}[%c0] : memref<?x{offset}>
  %begins = arith.cmpi eq, %first, %zero : {offset}
  cf.assert %begins, "the first offset is not 0"
"""
LAST_OFFSET_CHECK = """\
  %bags = memref.dim %out, %c0 : memref<?x{length}x{value}>
  %lookups = memref.dim %indices, %c0 : memref<?x{index}>
  %last = memref.load %{offsets}[%bags] : memref<?x{offset}>
  %end = arith.index_cast %last : {offset} to index
  %ends = arith.cmpi sle, %end, %lookups : index
  cf.assert %ends, "the last offset is past the indices"
"""


@dataclass(frozen=True)
class BagShape:
    """What is fixed in a kernel for F.embedding_bag.

    length: elements of a row. value: type of the table, the sample weights and the result.
    index, offset: types of the indices and the offsets. mode: sum, mean or max. has_last: offsets
    include the last one. weighted: there are per_sample_weights. padded: there is a padding_idx
    (its value is an argument). layout: of the table, one of LAYOUTS.
    """

    length: int
    value: str = "f32"
    index: str = "i64"
    offset: str = "i64"
    mode: str = "sum"
    has_last: bool = True
    weighted: bool = False
    padded: bool = False
    layout: str = "contiguous"


def bag_program(shape: BagShape) -> str:
    """The MLIR module of a kernel: parameters are table, indices, offsets, then sample_weights
    and padding_idx where the shape has them, then the result (bags x length); at least one bag."""
    value, length = shape.value, shape.length
    kind = "offsets" if shape.has_last else "open_offsets"
    bag = Bag(
        tables=(Array(value, (None, length), LAYOUTS[shape.layout]),),
        indices=array(shape.index, None),
        segments=array(shape.offset, None),
        segment_kind=kind,
        out=array(value, None, length),
        reduction=shape.mode,
        weights=array(value, None) if shape.weighted else None,
        padded=shape.padded,
    )
    checks = FIRST_OFFSET_CHECK + (LAST_OFFSET_CHECK if shape.has_last else "")
    before = checks.format(
        offsets=kind,
        offset=shape.offset,
        index=shape.index,
        length=length,
        value=value,
    )
    return program(bag, ENTRY, kind="memref", names=NAMES, before=before)
