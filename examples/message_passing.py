"""Graph networks: messages weighted by the similarity of an edge's ends, by embed.message.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ember
import torch
from ember.embed_programs import Message, array, program

NODES, EDGES, FEATURES = 500, 3000, 16

# The edges in any order: where each ends, and where it begins.
targets, sources = torch.randint(0, NODES, (2, EDGES), dtype=torch.int32)
features = torch.randn(NODES, FEATURES)

ids, rows = array("i32", None), array("f32", None, FEATURES)
attention = Message(
    graph="coo",
    rows=ids,
    columns=ids,
    left=rows,
    right=rows,
    messages=rows,
    out=rows,
    activation="sigmoid",
)
kernel = ember.load_program(program(attention), ember.Options()).entry("kernel")
out = torch.empty(NODES, FEATURES)
kernel(targets, sources, features, features, features, out)

# PyTorch stores the value and the message of each edge.
values = torch.sigmoid((features[targets] * features[sources]).sum(1, keepdim=True))
expected = torch.zeros(NODES, FEATURES).index_add(0, targets, values * features[sources])
torch.testing.assert_close(out, expected, rtol=1e-4, atol=1e-4)
print(f"{EDGES} messages to {NODES} nodes, as PyTorch computes them")
