"""backend="ember": places beyond what a view shows, but not beyond what it is of, are errors.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from itertools import product

import pytest
import torch
import torch.nn.functional as functional
from compiled_models import compiled
from drawn_cases import drawn
from torch import Tensor

pytestmark = pytest.mark.usefixtures("fresh_dynamo")

ROWS, LENGTH, EDGES, RIGHT = 200, 16, 800, 7
# What is looked up in rows x and y by an index, of which those below RIGHT are in bounds.
LOOKUPS: dict[str, Callable[[Tensor, Tensor, Tensor], Tensor]] = {
    "first rows": lambda x, y, index: x[:100][index],
    "rows in between": lambda x, y, index: x[50:150][index],
    "each second row": lambda x, y, index: x[::2][index],
    "of a computed value": lambda x, y, index: (x * 2)[:100][index],
    "split": lambda x, y, index: x.split([60, 140])[0][index],
    "flipped": lambda x, y, index: x[:90].flip(0)[index],
    "repeated": lambda x, y, index: y.repeat(2, 1)[index],
    "rows of half a length": lambda x, y, index: x.view(-1, 8, LENGTH)[index % 25, index],
    "of a computed value's": lambda x, y, index: (x * y[0]).view(-1, 8, LENGTH)[index % 25, index],
    "one row expanded": lambda x, y, index: x[:1].expand(RIGHT, LENGTH)[index],
    "more dimensions": lambda x, y, index: x[:9, None].expand(9, RIGHT, LENGTH)[index % 9, index],
    "index_select": lambda x, y, index: x[:100].index_select(0, index),
    "embedding": lambda x, y, index: functional.embedding(index, x[:100]),
    "gather": lambda x, y, index: x[:100].gather(0, index[:, None].expand(-1, LENGTH)),
    "side by side": lambda x, y, index: torch.cat([x[:60], y])[index],
    "ones": lambda x, y, index: torch.ones_like(x[:90])[index] * x[index % 9],
    "one broadcast": lambda x, y, index: (x[:1] * y)[index],
}
WRONG = (-195, -50, -5, 8, 95, 120, 155, 10**6)


@pytest.mark.parametrize(("name", "wrong"), drawn(list(product(LOOKUPS, WRONG)), "view bounds"))
def test_what_eager_refuses(name: str, wrong: int) -> None:
    draw = torch.Generator().manual_seed(0)
    x = torch.randn(ROWS, LENGTH, generator=draw)
    y = torch.randn(30, LENGTH, generator=draw)
    index = torch.randint(RIGHT, (EDGES,), generator=draw)
    targets = torch.randint(ROWS, (EDGES,), generator=draw)

    def program(x: Tensor, y: Tensor, index: Tensor, targets: Tensor) -> Tensor:
        rows = LOOKUPS[name](x, y, index)
        return torch.zeros(ROWS, LENGTH).index_add(0, targets, rows)

    run = compiled(program)
    torch.testing.assert_close(run(x, y, index, targets), program(x, y, index, targets))
    index[77] = wrong
    try:
        expected = program(x, y, index, targets)
    except (IndexError, RuntimeError):
        with pytest.raises((IndexError, RuntimeError)):
            run(x, y, index, targets)
    else:
        torch.testing.assert_close(run(x, y, index, targets), expected)
