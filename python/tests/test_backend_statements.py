"""backend="ember": whatever is computed from looked-up rows and reduced, by the table alone.

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

ROWS, LENGTH = 50, 12


def draw(*sizes: int, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed + len(sizes))
    return torch.randn(*sizes, generator=generator, dtype=torch.float64)


def places(*sizes: int, seed: int = 1) -> Tensor:
    generator = torch.Generator().manual_seed(seed + len(sizes))
    return torch.randint(ROWS, sizes, generator=generator)


def second_order(table: Tensor, index: Tensor) -> Tensor:
    """Products of all pairs of fields, as factorisation machines add them up."""
    rows = functional.embedding(index, table)
    total = rows.sum(1)
    return 0.5 * (total * total - (rows * rows).sum(1)).sum(1)


def second_order_by_powers(table: Tensor, index: Tensor) -> Tensor:
    rows = table[index]
    return rows.sum(dim=1).pow(2).sub(rows.pow(2).sum(dim=1)).sum(dim=-1, keepdim=True) / 2


def interest(table: Tensor, index: Tensor) -> Tensor:
    """Attention of a sample's first item over its history, as deep interest networks have it."""
    history, item = table[index[:, 1:]], table[index[:, 0]]
    weights = torch.softmax((history * item.unsqueeze(1)).sum(-1) / LENGTH**0.5, dim=1)
    return (weights.unsqueeze(2) * history).sum(1)


def cosines(table: Tensor, index: Tensor) -> Tensor:
    return functional.cosine_similarity(table[index[:, 0]], table[index[:, 1]])


def all_cosines(table: Tensor, index: Tensor) -> Tensor:
    rows = functional.normalize(table[index], dim=2)
    return (rows[:, :1] * rows).sum(-1)


def edges(table: Tensor, index: Tensor) -> Tensor:
    """GATv2's weights of edges, by heads."""
    both = table[index[:, 0]] + table[index[:, 1]]
    return (functional.leaky_relu(both, 0.2).view(-1, 3, 4) * table[:3, 2:6]).sum(-1)


def edges_of_heads(table: Tensor, index: Tensor) -> Tensor:
    rows = table.view(-1, 3, 4)
    both = rows[index[:, 0]] + rows[index[:, 1]]
    return (functional.leaky_relu(both, 0.2) * rows[:1]).sum(-1)


def distances(table: Tensor, index: Tensor) -> Tensor:
    return (table[index].unsqueeze(2) - table[:7]).norm(dim=-1)


def mixed(table: Tensor, index: Tensor) -> Tensor:
    """Experts' outputs, weighted by gates."""
    gates = table[:, 0][index].softmax(-1)
    return torch.einsum("bk,bkd->bd", gates, table[index])


CASES = [
    second_order,
    second_order_by_powers,
    interest,
    cosines,
    all_cosines,
    edges,
    edges_of_heads,
    distances,
    mixed,
]


@pytest.mark.parametrize("function", CASES)
def test_values_and_gradients(function: Callable[..., Tensor]) -> None:
    heard = check_function(function, draw(ROWS, LENGTH), places(30, 6), dynamic=True)
    print(heard.reports)
    assert heard.kinds() & {"statements", "row_score"}


def test_what_is_detached_has_no_gradient() -> None:
    table, index = draw(ROWS, LENGTH), places(30)

    def function(table: Tensor, other: Tensor, index: Tensor) -> Tensor:
        return (table[index].detach() * other[index] * (table[index] > 0)).sum(1)

    check_function(function, table, table + 1, index, dynamic=True)


def _product(one: Tensor, other: Tensor) -> Tensor:
    return (one * other).sum(1)


@pytest.mark.parametrize(
    "function",
    [
        # A row that has a gradient by another use than lookups that leave it out.
        lambda w, i: functional.embedding(i, w, padding_idx=3) @ w[3],
        lambda w, i: _product(functional.embedding(i, w, padding_idx=3), w[i]),
        lambda w, i: _product(
            functional.embedding(i, w, padding_idx=3), functional.embedding(i, w, padding_idx=5)
        ),
        lambda w, i: _product(
            functional.embedding(i, w, padding_idx=3), functional.embedding(i, w, padding_idx=3)
        ),
        lambda w, i: functional.embedding(i, w.view(ROWS, LENGTH), padding_idx=3).square().sum(1),
    ],
)
def test_rows_without_gradients(function: Callable[..., Tensor]) -> None:
    index = torch.tensor([3, 5, 3, 1, 2, 3, 5])
    check_function(function, draw(ROWS, LENGTH), index, dynamic=True)
