"""Sparse attention: each block of queries meets three blocks of keys (BigBird).

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ember
import torch
from ember.embed_programs import BlockScores, BlockValues, array, program

TOKENS, LENGTH, SIZE, CHOSEN = 64, 32, 8, 3

queries, keys, values = torch.randn(3, TOKENS, LENGTH)
# Of each block of queries: which blocks of keys it meets.
blocks = torch.stack([torch.randperm(TOKENS // SIZE)[:CHOSEN] for _ in range(TOKENS // SIZE)])

rows, numbers = array("f32", None, LENGTH), array("i64", None, CHOSEN)
weights = array("f32", None, CHOSEN * SIZE)
text = program(
    BlockScores(queries=rows, keys=rows, blocks=numbers, block_size=SIZE, scale="f32", out=weights),
    entry="scores",
) + program(
    BlockValues(scores=weights, values=rows, blocks=numbers, block_size=SIZE, out=rows),
    entry="values",
)
library = ember.load_program(text, ember.Options())
scores, out = torch.empty(TOKENS, CHOSEN * SIZE), torch.empty(TOKENS, LENGTH)
library.entry("scores")(queries, keys, blocks, LENGTH**-0.5, scores)
library.entry("values")(scores.softmax(1), values, blocks, out)

# PyTorch computes all scores and masks most of them.
mask = torch.zeros(TOKENS // SIZE, TOKENS // SIZE, dtype=torch.bool).scatter(1, blocks, True)
mask = mask.repeat_interleave(SIZE, 0).repeat_interleave(SIZE, 1)
expected = torch.nn.functional.scaled_dot_product_attention(queries, keys, values, mask)
torch.testing.assert_close(out, expected, rtol=1e-4, atol=1e-5)
print(f"{scores.numel()} of {TOKENS * TOKENS} scores, as PyTorch computes them")
