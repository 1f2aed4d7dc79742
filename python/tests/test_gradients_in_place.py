"""Gradients of what statements assign to tensors that are given, against PyTorch's own.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable

import ember.sparse as es
import numpy as np
import pytest
import torch
from ember.errors import ArgumentError
from torch import Tensor

PLACES = torch.tensor([0, 0, 2, 3, 3, 0])


def floats(*shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(5), dtype=torch.float64)


CASES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "y[i] = exp(x[i])": lambda y, x: x.exp(),
    "y[i] = x[i] ** 2 if x[i] > 0": lambda y, x: torch.where(x > 0, x**2, y),
    # What it held before is no part of what exp gave.
    "y[i] += exp(x[i])": lambda y, x: y + x.exp(),
    "y[i] -= max[j](x[j]) * x[i]": lambda y, x: y - x.amax() * x,
    "y[I[p]] += x[p] * x[p]": lambda y, x: y.index_add(0, PLACES, x * x),
    "y[I[p]] += exp(x[p]); z[i] = y[i] * y[i]": lambda y, x: y.index_add(0, PLACES, x.exp()) ** 2,
}


@pytest.mark.parametrize("text", CASES)
def test_gradients_by_what_is_assigned(text: str) -> None:
    """Twice, of a result that held something, which is the tensor that was given."""
    begin, x = floats(6) + 2, floats(6).requires_grad_()
    y, given = begin.clone(), {"I": PLACES} if "I" in text else {}
    results = es.evaluate(text, y=y, x=x, **given)
    results = results if isinstance(results, tuple) else (results,)
    assert results[0] is y
    expected = CASES[text](begin, x)
    torch.testing.assert_close(results[-1], expected)
    weights = floats(6)
    found = torch.autograd.grad((results[-1] * weights).sum(), x, create_graph=True)[0]
    first = torch.autograd.grad((expected * weights).sum(), x, create_graph=True)[0]
    torch.testing.assert_close(found, first)
    second = torch.autograd.grad(first.sum(), x)[0]
    torch.testing.assert_close(torch.autograd.grad(found.sum(), x)[0], second)


@pytest.mark.parametrize(
    ("text", "room", "message"),
    [
        ("y[I[p]] max= x[p]", torch.zeros(6, dtype=torch.float64), "more than added to"),
        ("y[I[p]] *= x[p]", torch.zeros(6, dtype=torch.float64), "more than added to"),
        ("y[I[p]] = y[I[p]] * x[p] for p in 0:1", torch.zeros(6, dtype=torch.float64), "more than"),
        ("y[I[p]] += x[p]", np.zeros(6), "only what is assigned to a tensor has a gradient"),
        ("y[I[p]] += x[p]", floats(6).requires_grad_(), "what it held before would need"),
    ],
)
def test_what_has_no_gradient_in_place(text: str, room: object, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        es.evaluate(text, x=floats(6).requires_grad_(), I=PLACES, y=room)
