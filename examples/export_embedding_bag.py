"""Exports an nn.EmbeddingBag for programs without PyTorch: cpp/embedding_bag.cpp runs its kernel.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ember
import torch
from torch.export import Dim

model = torch.nn.EmbeddingBag(100, 16, mode="sum").eval()
example = torch.randint(0, 100, (12,)), torch.tensor([0, 4, 9])
sizes = {0: Dim("lookups")}, {0: Dim("bags")}

folder = ember.export(model, example, dynamic_shapes=sizes, folder="bag-export")
program = ember.load(folder)
torch.testing.assert_close(program(*example), model(*example))
print(*program.kernels())
