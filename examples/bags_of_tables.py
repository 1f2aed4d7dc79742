"""Recommendation: two features of a user, summed from tables of bytes in one kernel call.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ember
import torch
from ember.embed_programs import Bag, RowFormat, array, program

LENGTHS = (16, 8)
BAGS = 3
FORMAT = RowFormat("int8", "f32")

# What PyTorch's quantised operators take: a row of bytes, then its scale and bias.
tables = [torch.randn(rows, length) for rows, length in zip((100, 50), LENGTHS, strict=True)]
packed = [torch.ops.quantized.embedding_bag_byte_prepack(table) for table in tables]
# Three bags of the first table, then three of the second.
lengths = torch.tensor([2, 0, 1, 1, 3, 2], dtype=torch.int32)
indices = torch.tensor([17, 99, 3, 0, 8, 9, 10, 49, 48])

bags = Bag(
    tables=tuple(array("i8", None, FORMAT.row_bytes(length)) for length in LENGTHS),
    indices=array("i64", None),
    segments=array("i32", None),
    segment_kind="lengths",
    out=array("f32", None, sum(LENGTHS)),
    row_format=FORMAT,
)
kernel = ember.load_program(program(bags), ember.Options()).entry("kernel")
out = torch.empty(BAGS, sum(LENGTHS))
kernel(*packed, indices, lengths, out)

offsets = torch.tensor([0, 2, 2, 3])
unpacked = torch.ops.quantized.embedding_bag_byte_unpack(packed[0])
expected = torch.nn.functional.embedding_bag(
    indices[:3], unpacked, offsets, mode="sum", include_last_offset=True
)
torch.testing.assert_close(out[:, : LENGTHS[0]], expected)
print(f"{BAGS} users, {out.shape[1]} features each, as PyTorch computes them")
