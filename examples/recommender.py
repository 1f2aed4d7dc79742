"""A small recommendation model with inputs for it.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import torch

torch.manual_seed(0)


class Recommender(torch.nn.Module):
    """Scores of users' bags of items, and of what is known of the users."""

    def __init__(self) -> None:
        super().__init__()
        self.items = torch.nn.EmbeddingBag(20_000, 64, mode="sum")
        self.users = torch.nn.EmbeddingBag(5_000, 32, mode="mean")
        self.score = torch.nn.Linear(96, 1)

    def forward(
        self, items: torch.Tensor, users: torch.Tensor, offsets: torch.Tensor
    ) -> torch.Tensor:
        bags = [self.items(items, offsets), self.users(users, offsets)]
        return self.score(torch.cat(bags, 1))


model = Recommender()
lookups, bags = 4096, 64
inputs = (
    torch.randint(0, 20_000, (lookups,)),
    torch.randint(0, 5_000, (lookups,)),
    torch.arange(0, lookups, lookups // bags),
)
