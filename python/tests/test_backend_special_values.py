"""backend="ember": functions of looked-up NaN, infinities and zeros, with their gradients.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
import torch
import torch.nn.functional as functional
from compiled_models import compiled
from drawn_cases import drawn
from ember.torch.capture.backend import listening
from torch import Tensor

pytestmark = pytest.mark.usefixtures("fresh_dynamo")

ROWS, LENGTH, EDGES, NODES = 40, 32, 300, 20
VALUES = {"zero": 0.0, "nan": math.nan, "inf": math.inf, "minus inf": -math.inf, "large": 90.0}
# Of two rows. Those are left out of whose gradient PyTorch's vectors and the rest of its loops make
# different things where there is NaN.
FUNCTIONS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "abs": lambda a, b: a.abs() * b,
    "bce": lambda a, b: functional.binary_cross_entropy_with_logits(a, b, reduction="none"),
    "clamp": lambda a, b: a.clamp(-0.1, 0.2),
    "clamp by a tensor": lambda a, b: torch.clamp(a, min=b),
    "clamp_max": lambda a, b: a.clamp(max=0.1),
    "clamp_min": lambda a, b: a.clamp(min=0.1),
    "elu": lambda a, b: functional.elu(a),
    "fmax": torch.fmax,
    "fmin": torch.fmin,
    "gelu": lambda a, b: functional.gelu(a),
    "hardswish": lambda a, b: functional.hardswish(a),
    "huber": lambda a, b: functional.huber_loss(a, b, reduction="none", delta=0.7),
    "leaky relu": lambda a, b: functional.leaky_relu(a),
    "logsigmoid": lambda a, b: functional.logsigmoid(a),
    "maximum": torch.maximum,
    "minimum": torch.minimum,
    "norm": lambda a, b: a.norm(p=1, dim=-1, keepdim=True) * b,
    "relu": lambda a, b: a.relu() * b,
    "selu": lambda a, b: functional.selu(a),
    "sign": lambda a, b: a.sign() * b,
    "silu": lambda a, b: functional.silu(a),
    "smooth l1": lambda a, b: functional.smooth_l1_loss(a, b, reduction="none", beta=0.5),
    "softplus": lambda a, b: functional.softplus(a),
    "softsign": lambda a, b: functional.softsign(a),
    "tanh": lambda a, b: a.tanh() * b,
    "where": lambda a, b: torch.where(a > b, a * b, b),
}


# Setting oneDNN's flags warns of what is for GPUs.
@pytest.mark.filterwarnings("ignore:TF32 acceleration")
@pytest.mark.parametrize(
    ("name", "value"), drawn(list(product(FUNCTIONS, VALUES)), "special values")
)
def test_values_and_gradients(name: str, value: str) -> None:
    draw = torch.Generator().manual_seed(0)
    ends = torch.randint(0, ROWS, (2, EDGES), generator=draw)
    targets = torch.randint(0, NODES, (EDGES,), generator=draw)
    weights = torch.randn(NODES, LENGTH, generator=draw)
    tables = [torch.randn(ROWS, LENGTH, generator=draw) for _ in range(2)]
    for table in tables:
        table[torch.rand(ROWS, LENGTH, generator=draw) < 0.05] = VALUES[value]

    def program(a: Tensor, b: Tensor, ends: Tensor, targets: Tensor) -> Tensor:
        values = FUNCTIONS[name](a[ends[0]], b[ends[1]])
        return torch.zeros(NODES, LENGTH).index_add(0, targets, values)

    def outcome(run: Callable[..., Any]) -> list[Any]:
        given = [table.clone().requires_grad_() for table in tables]
        result = run(*given, ends, targets)
        (result * weights).sum().backward()
        return [result.detach(), *(one.grad for one in given)]

    with listening() as heard:
        found = outcome(compiled(program))
    assert heard.reports[0].compiled
    # oneDNN's gelu, which PyTorch takes on some processors, makes NaN of infinity.
    with torch.backends.mkldnn.flags(enabled=False):
        expected = outcome(program)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4, equal_nan=True)
