"""backend="ember": complex numbers that are made of rows, and end in real ones, are kernels' too.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable

import pytest
import torch
from compiled_models import check_function
from torch import Tensor

pytestmark = pytest.mark.usefixtures("fresh_dynamo")

ROWS, LENGTH, LOOKUPS = 50, 12, 17
# Of tables T and R, whose rows are complex, and places h, r and t.
Score = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]


def numbers(rows: Tensor) -> Tensor:
    return torch.complex(*rows.chunk(2, -1))


def shown(rows: Tensor) -> Tensor:
    return torch.view_as_complex(rows.unflatten(-1, (-1, 2)))


SCORES: dict[str, Score] = {
    "einsum": lambda T, R, h, r, t: (
        torch.einsum("bd,bd,bd->b", numbers(T[h]), numbers(R[r]), numbers(T[t]).conj()).real
    ),
    "tables": lambda T, R, h, r, t: (shown(T)[h] * shown(R)[r] * shown(T)[t].conj()).real.sum(1),
    "parts": lambda T, R, h, r, t: (
        torch.view_as_real(shown(T[h]) * shown(R[r]) - shown(T[t])).prod(-1).sum(-1)
    ),
    "imaginary": lambda T, R, h, r, t: (numbers(T[h]) * R[r][:, :6] / 2 - numbers(T[t])).imag.sum(
        1
    ),
    "vecdot": lambda T, R, h, r, t: (
        torch.linalg.vecdot(shown(T[t]), shown(T[h]) * shown(R[r])).real
    ),
    "matmul": lambda T, R, h, r, t: (
        (shown(T[h]).unsqueeze(1) @ shown(R[r]).unsqueeze(2)).imag.flatten() * T[t].sum(1)
    ),
    "squared": lambda T, R, h, r, t: (numbers(T[h]) ** 2 - numbers(T[t]).square()).real.sum(-1),
    "norm": lambda T, R, h, r, t: (shown(T[h]) * shown(R[r]) - shown(T[t])).norm(dim=-1),
    "stacked": lambda T, R, h, r, t: (
        torch.stack([shown(T[h]), shown(R[r])], 1).sum(1).mul(2j).real.sum(-1) * T[t].sum(-1)
    ),
    "real rows beside complex ones": lambda T, R, h, r, t: (
        torch.cat([shown(T[h]), R[r]], -1).imag.sum(1) * T[t].sum(1)
    ),
    "real rows on complex ones": lambda T, R, h, r, t: (
        torch.stack([R[r][:, :6], shown(T[h])], 1).imag.amax(1).sum(1) * T[t].sum(1)
    ),
    "halves of complex numbers": lambda T, R, h, r, t: (
        (shown(T[h])[:, :3] * shown(R[r]).chunk(2, -1)[1]).imag.sum(1) - T[t].sum(1)
    ),
}


def drawn() -> list[Tensor]:
    draw = torch.Generator().manual_seed(5)
    tables = [torch.randn(ROWS, LENGTH, generator=draw, dtype=torch.float64) for _ in range(2)]
    return tables + [torch.randint(ROWS, (LOOKUPS,), generator=draw) for _ in range(3)]


@pytest.mark.parametrize("name", SCORES)
def test_scores(name: str) -> None:
    heard = check_function(SCORES[name], *drawn())
    assert heard.kinds() == {"row_score"}
    assert heard.covered("") > 4


def test_length_of_zero() -> None:
    """Of which the gradient is 0, and of rows whose squares are none, what it is."""

    def function(T: Tensor, R: Tensor, h: Tensor, r: Tensor, t: Tensor) -> Tensor:
        return (shown(T[h]) - shown(R[r])).abs().sum(1) + T[t].sum(1)

    T, R, h, r, t = drawn()
    T[:, :4], R[:, :4] = 0, 0
    T[:, 4:6] *= 1e-200
    R[:, 4:6] *= 1e-200
    T[:, 6:8] *= 1e180
    assert check_function(function, T, R, h, r, t).kinds() == {"row_score"}


def test_detached_numbers_have_no_gradient() -> None:
    def function(T: Tensor, R: Tensor, h: Tensor, r: Tensor, t: Tensor) -> Tensor:
        with torch.no_grad():
            turn = shown(R[r])
        return (shown(T[h]) * turn * shown(T[t]).detach()).real.sum(1)

    check_function(function, *drawn())


def test_what_is_not_known_of_pairs_is_left() -> None:
    """Complex inputs, quotients, and other views of the numbers."""

    def function(T: Tensor, R: Tensor, h: Tensor, r: Tensor, t: Tensor) -> Tensor:
        head, tail = shown(T[h]), shown(T[t])
        quotient = (head / (tail + 3)).real.sum(1)
        viewed = (head * 2).view(torch.float64).sum(1).abs()
        return quotient + viewed + R[r].sum(1)

    check_function(function, *drawn())


def test_numbers_that_something_else_reads() -> None:
    def function(T: Tensor, R: Tensor, h: Tensor, r: Tensor, t: Tensor) -> Tensor:
        product = shown(T[h]) * shown(R[r])
        return product.real.sum(1) + product.angle().sum(1) + T[t].sum(1)

    check_function(function, *drawn())
