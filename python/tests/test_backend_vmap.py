"""backend="ember": what is within torch.vmap gets the kernels of what it means for whole batches.

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

ROWS, LENGTH, BAGS, LOOKUPS = 50, 12, 17, 5
# Of a table, the indices of bags, and weights of lookups.
Model = Callable[[Tensor, Tensor, Tensor], Tensor]


def nested(T: Tensor, i: Tensor, w: Tensor) -> Tensor:
    rows = torch.vmap(torch.vmap(lambda place, weight: T[place] * weight))(i, w)
    return rows.sum(1)


def several(T: Tensor, i: Tensor, w: Tensor) -> Tensor:
    sums, means = torch.vmap(lambda places: (T[places].sum(0), T[places].mean(0)))(i)
    return sums * means


FOLDED: dict[str, Model] = {
    "bags": lambda T, i, w: torch.vmap(lambda p: functional.embedding(p, T).sum(0))(i),
    "weights": lambda T, i, w: torch.vmap(lambda p, weights: weights @ T[p])(i, w),
    "scores": lambda T, i, w: torch.vmap(torch.dot)(T[i[:, 0]], T[i[:, 1]]) * w[:, 0],
    "cosines": lambda T, i, w: torch.vmap(
        lambda a, b: torch.dot(T[a], T[b]) / (T[a].norm() * T[b].norm())
    )(i[:, 0], i[:, 1]),
    "other dimensions": lambda T, i, w: torch.vmap(
        lambda p, t: t[p].amax(0), in_dims=(1, None), out_dims=1
    )(i.T.contiguous(), T),
    "nested": nested,
    "several results": several,
}


def random(T: Tensor, i: Tensor, w: Tensor) -> Tensor:
    torch.manual_seed(0)
    return torch.vmap(lambda p: T[p].sum(0) + torch.rand(LENGTH), randomness="different")(i)


def in_place(T: Tensor, i: Tensor, w: Tensor) -> Tensor:
    return torch.vmap(lambda p: (T[p[0]] * 2).add_(T[p[1]]))(i)


def detached(T: Tensor, i: Tensor, w: Tensor) -> Tensor:
    return torch.vmap(lambda p: (T[p] * T[p].detach()).sum(0))(i)


def without_gradients(T: Tensor, i: Tensor, w: Tensor) -> Tensor:
    def weighted(places: Tensor) -> Tensor:
        with torch.no_grad():
            weights = T[places].sum(0)
        return weights * T[places].mean(0)

    return torch.vmap(weighted)(i)


def constant(T: Tensor, i: Tensor, w: Tensor) -> Tensor:
    """Made within: it is the same for all."""
    return torch.vmap(lambda p: T[p].sum(0) * torch.tensor([0.5] * LENGTH).double())(i)


LEFT: tuple[Model, ...] = (random, in_place, detached, without_gradients, constant)


def drawn() -> tuple[Tensor, Tensor, Tensor]:
    draw = torch.Generator().manual_seed(5)
    table = torch.randn(ROWS, LENGTH, generator=draw, dtype=torch.float64)
    weights = torch.randn(BAGS, LOOKUPS, generator=draw, dtype=torch.float64)
    return table, torch.randint(ROWS, (BAGS, LOOKUPS), generator=draw), weights


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize("name", FOLDED)
def test_folded(name: str, dynamic: bool | None) -> None:
    heard = check_function(FOLDED[name], *drawn(), dynamic=dynamic)
    assert heard.kinds() & {"bag", "row_score", "statements"}
    assert not heard.left()


@pytest.mark.parametrize("model", LEFT, ids=lambda model: model.__name__)
def test_left(model: Model) -> None:
    """What is another one each time, or changes, or switches something, stays as it was."""
    heard = check_function(model, *drawn())
    assert not heard.kinds()
    assert "torch.vmap, or another transform, is around it" in heard.left()
