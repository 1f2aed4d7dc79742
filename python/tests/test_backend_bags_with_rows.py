"""backend="ember": bags that are computed with other lookups' rows, and those that are not.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as functional
from compiled_models import check_function
from torch import Tensor

pytestmark = pytest.mark.usefixtures("fresh_dynamo")

ROWS, LENGTH, BAGS, LOOKUPS = 50, 12, 30, 6


def table(seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(ROWS, LENGTH, generator=generator, dtype=torch.float64)


def places() -> Tensor:
    generator = torch.Generator().manual_seed(1)
    return torch.randint(ROWS, (BAGS, LOOKUPS), generator=generator)


# Bags, of a table and of indices, with what is computed of them and of rows.
WITH_BAGS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "padded": lambda table, index: (
        functional.embedding_bag(index, table, padding_idx=3) - table[index[:, 0]]
    ),
    "offsets": lambda table, index: (
        functional.embedding_bag(index.flatten(), table, index[:, 0].cumsum(0) // ROWS, mode="sum")
        * functional.embedding(index[:, 1], table)
    ),
    "known offsets": lambda table, index: (
        functional.embedding_bag(index.flatten(), table, torch.arange(BAGS) * 6)
        - table[index[:, 0]]
    ),
    "weighted": lambda table, index: functional.cosine_similarity(
        functional.embedding_bag(
            index, table, mode="sum", per_sample_weights=table.view(-1)[index]
        ),
        table[index[:, 2]],
    ),
    "lookups": lambda table, index: (
        (functional.embedding(index, table) * (index != 3)[..., None]).sum(1) - table[index[:, 0]]
    ),
    "stacked": lambda table, index: torch.stack(
        [functional.embedding_bag(index, table), table[index[:, 0]]]
    ).sum(0),
    "two towers": lambda table, index: (
        functional.embedding_bag(index[:, :2], table)
        * functional.embedding_bag(index[:, 2:], table)
    ).sum(1),
}


@pytest.mark.parametrize("name", WITH_BAGS)
def test_bags_with_rows(name: str) -> None:
    """One kernel reads both, forth and back, though a bag by itself has one, too."""
    heard = check_function(WITH_BAGS[name], table(), places(), dynamic=True)
    assert heard.kinds() <= {"row_score", "statements"}
    assert len(heard.reports[0].compiled) == 1
    assert not heard.left()


# The same, where nothing is computed of both.
BAGS_ALONE: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "beside": lambda table, index: torch.cat(
        [functional.embedding_bag(index, table) / index.shape[1], table[index[:, 0]] * 2], 1
    ),
    "linear": lambda table, index: functional.linear(
        torch.cat([functional.embedding_bag(index, table).relu(), table[index[:, 0]]], 1),
        table[:1].repeat(1, 2),
    ),
    "product": lambda table, index: (
        functional.embedding_bag(index, table) * functional.embedding_bag(index + 1, table)
    ),
    "sum": lambda table, index: (
        functional.embedding_bag(index, table[:, :1])
        + functional.embedding_bag(index, table[:, 1:2])
    ),
    "views": lambda table, index: functional.embedding_bag(index, table).movedim(0, -1).T,
}


@pytest.mark.parametrize("name", BAGS_ALONE)
def test_bags_beside_rows(name: str) -> None:
    heard = check_function(BAGS_ALONE[name], table(), places() % (ROWS - 1))
    assert "bag" in heard.kinds()
    assert "statements" not in heard.kinds()


def test_maxima_of_bags_with_rows() -> None:
    """They are apart, as their gradient would be PyTorch's, and that of the rows with it."""
    bags = table(seed=4)

    def function(table: Tensor, index: Tensor) -> Tensor:
        largest = functional.embedding_bag(index, bags, mode="max")
        return (largest[:, None] * table[index]).sum(-1)

    heard = check_function(function, table(), places())
    assert heard.kinds() == {"bag", "statements"}
