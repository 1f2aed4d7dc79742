"""Knowledge graphs: which entities complete a triple best, by embed.score (TransE).

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ember
import torch
from ember.embed_programs import Score, array, program

ENTITIES, RELATIONS, LENGTH = 2000, 12, 64

entities, relations = torch.randn(ENTITIES, LENGTH), torch.randn(RELATIONS, LENGTH)
heads, types = torch.tensor([3, 1999]), torch.tensor([0, 11])
# The tail of the first triple is where its head and relation lead to, nearly.
entities[42] = entities[3] + relations[0] + 0.01

ids, rows = array("i64", None), array("f32", None, LENGTH)
all_tails = Score(
    entities=rows,
    relations=rows,
    heads=ids,
    types=ids,
    out=array("f32", None, None),
    model="transe",
    norm=2,
)
kernel = ember.load_program(program(all_tails), ember.Options()).entry("kernel")
scores = torch.empty(len(heads), ENTITIES)
kernel(entities, relations, heads, types, scores)

translated = entities[heads] + relations[types]
torch.testing.assert_close(scores, -torch.cdist(translated, entities), rtol=1e-3, atol=1e-3)
print(f"the best tail of the first triple is entity {scores[0].argmax()}")
