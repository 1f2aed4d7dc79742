"""Compiles an nn.EmbeddingBag and a function around one, and compares both with PyTorch.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ember
import torch
import torch.nn.functional as functional

module = torch.nn.EmbeddingBag(100_000, 64, mode="sum", include_last_offset=True)
indices = torch.randint(0, 100_000, (1000,))
offsets = torch.arange(0, 1001, 20)  # 50 bags of 20 lookups

# One kernel serves every batch size and every table of this length and type.
kernel = ember.compile(module, (indices, offsets))
torch.testing.assert_close(kernel(indices, offsets), module(indices, offsets))
torch.testing.assert_close(kernel(indices[:7], offsets[:1]), module(indices[:7], offsets[:1]))

# Gradients, and weights that change after compiling, are PyTorch's.
kernel(indices, offsets).square().sum().backward()
with torch.no_grad():
    module.weight -= 0.1 * module.weight.grad
torch.testing.assert_close(kernel(indices, offsets), module(indices, offsets))


def score(words: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
    """The likeness of a text's mean word to the table's first word."""
    text = functional.embedding_bag(words, table, mode="mean", padding_idx=0)
    return functional.cosine_similarity(text, table[:1])


# The same source, run by an access and a compute thread that are joined by queues.
words, table = torch.randint(0, 1000, (8, 30)), torch.randn(1000, 48)
threads = ember.compile(score, (words, table), target="dae-threads")
torch.testing.assert_close(threads(words, table), score(words, table))

try:
    kernel(torch.tensor([3, 100_000]), torch.tensor([0, 2]))
except IndexError as error:
    print(error)
