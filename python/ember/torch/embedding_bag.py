"""Writes F.embedding_bag as a program of the embed dialect, on memrefs: tables may lie anyhow.

One program serves every batch: only what BagShape holds is fixed. For bag b the lookups are the
positions p from offsets[b] up to offsets[b + 1]; offsets always has one element more than there
are bags, so that both bounds are loads (PyTorch's form without the last offset is completed by
the caller). Rows are added in the order of positions, as PyTorch adds them.

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
NAMES = {"table0": "weight", "weights": "per_sample_weights", "padding0": "padding_idx"}


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
    bag = Bag(
        tables=(Array(value, (None, length), LAYOUTS[shape.layout]),),
        indices=array(shape.index, None),
        segments=array(shape.offset, None),
        out=array(value, None, length),
        reduction=shape.mode,
        weights=array(value, None) if shape.weighted else None,
        padded=shape.padded,
    )
    return program(bag, ENTRY, kind="memref", names=NAMES)
