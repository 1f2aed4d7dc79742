"""backend="ember": messages of several parts, one behind another, are scattered part by part.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable

import pytest
import torch
from compiled_models import check_function
from torch import Tensor

pytestmark = pytest.mark.usefixtures("fresh_dynamo")

NODES, LENGTH, EDGES = 40, 12, 300
# Of rows, weights of edges, and the ends of these.
Messages = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]


def _mean(x: Tensor, w: Tensor, s: Tensor, t: Tensor) -> Tensor:
    """By a degree that is one more column, of ones."""
    messages = torch.cat([x[s], torch.ones_like(w)[:, None]], 1)
    sums, degrees = (
        torch.zeros(NODES, LENGTH + 1, dtype=x.dtype)
        .index_add(0, t, messages)
        .split([LENGTH, 1], 1)
    )
    return sums / degrees.clamp(min=1)


def _onto(x: Tensor, *columns: int) -> Tensor:
    return torch.zeros(NODES, *columns, dtype=x.dtype)


MESSAGES: dict[str, Messages] = {
    "mean": _mean,
    "both ends": lambda x, w, s, t: _onto(x, 24).index_add(0, t, torch.cat([x[s], x[t]], 1)),
    "weights": lambda x, w, s, t: _onto(x, 13).scatter_add(
        0, t[:, None].expand(-1, 13), torch.cat([x[s] * w[:, None], w[:, None]], 1)
    ),
    "both ways": lambda x, w, s, t: x.index_add(0, torch.cat([t, s]), torch.cat([x[s], x[t]])),
    "largest": lambda x, w, s, t: (_onto(x, 24) - 9).index_reduce(
        0, t, torch.cat([x[s], x[t]], 1), "amax"
    ),
    "stack": lambda x, w, s, t: _onto(x, 2, 12).index_add(0, t, torch.stack([x[s], x[t]], 1)),
    "function": lambda x, w, s, t: _onto(x, 24).index_put(
        (t,), torch.cat([x[s], x[t]], 1).relu(), accumulate=True
    ),
    "mean of both": lambda x, w, s, t: _onto(x, 24).index_reduce(
        0, t, torch.cat([x[s], w[:, None] * x[t]], 1), "mean", include_self=False
    ),
}


@pytest.mark.filterwarnings("ignore:index_reduce.. is in beta")
@pytest.mark.parametrize("name", MESSAGES)
def test_values_and_gradients(name: str) -> None:
    draw = torch.Generator().manual_seed(4)
    x = torch.randn(NODES, LENGTH, generator=draw, dtype=torch.float64)
    w = torch.randn(EDGES, generator=draw, dtype=torch.float64)
    ends = [torch.randint(NODES, (EDGES,), generator=draw) for _ in range(2)]
    heard = check_function(MESSAGES[name], x, w, *ends, dynamic=False)
    (part,) = heard.reports[0].compiled
    assert any("cat" in node or "stack" in node or "messages" in node for node in part.operations)
