"""Writes F.embedding_bag as a program of the embed dialect, on memrefs.

One program serves every batch: only what BagShape holds is fixed. For bag b the lookups are the
positions p from offsets[b] up to offsets[b + 1]. Rows are added in the order of positions, as
PyTorch adds them. What PyTorch asks of offsets and the dialect does not is asserted ahead of the
bags.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from dataclasses import dataclass

from ember.embed_programs import Bag, array, program

ENTRY = "embedding_bag"
# What errors call the operands: PyTorch's names.
NAMES = {"table0": "weight", "padding0": "padding_idx"}

OFFSET_CHECKS = """\
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %first = memref.load %offsets[%c0] : memref<?xi64>
  %begins = arith.cmpi eq, %first, %zero : i64
  cf.assert %begins, "the first offset is not 0"
  %bags = memref.dim %out, %c0 : memref<?x{length}x{value}>
  %lookups = memref.dim %indices, %c0 : memref<?x{index}>
  %last = memref.load %offsets[%bags] : memref<?xi64>
  %end = arith.index_cast %last : i64 to index
  %ends = arith.cmpi sle, %end, %lookups : index
  cf.assert %ends, "the last offset is past the indices"
"""


@dataclass(frozen=True)
class BagShape:
    """What is fixed in a program for F.embedding_bag.

    length: elements of a row. value: type of the table and the result. index: type of the indices.
    mode: sum, mean or max. padded: there is a padding_idx (its value is an argument).
    """

    length: int
    value: str = "f32"
    index: str = "i64"
    mode: str = "sum"
    padded: bool = False


def bag_program(shape: BagShape) -> str:
    """The MLIR module of a kernel: parameters are table, indices, offsets, then padding_idx where
    the shape has it, then the result (bags x length); at least one bag."""
    value, length = shape.value, shape.length
    bag = Bag(
        tables=(array(value, None, length),),
        indices=array(shape.index, None),
        segments=array("i64", None),
        out=array(value, None, length),
        reduction=shape.mode,
        padded=shape.padded,
    )
    before = OFFSET_CHECKS.format(index=shape.index, length=length, value=value)
    return program(bag, ENTRY, kind="memref", names=NAMES, before=before)
