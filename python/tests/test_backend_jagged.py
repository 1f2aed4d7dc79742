"""backend="ember": bags of jagged tensors, in the ways in which PyTorch has them.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as functional
from ember.torch.capture.backend import ember_backend, listening
from torch import Tensor

ROWS, LENGTH = 20, 8
FULL, EMPTY = torch.tensor([0, 3, 4, 9]), torch.tensor([0, 3, 3, 9])

pytestmark = [
    pytest.mark.usefixtures("fresh_dynamo"),
    pytest.mark.filterwarnings("ignore::UserWarning:torch.*"),
]


def values(seed: int = 0) -> Tensor:
    return torch.randint(ROWS, (9,), generator=torch.Generator().manual_seed(seed))


def jagged(offsets: Tensor) -> Tensor:
    return torch.nested.nested_tensor_from_jagged(values(), offsets)


def table() -> Tensor:
    return torch.randn(ROWS, LENGTH, generator=torch.Generator().manual_seed(1))


def bags(input: Tensor, weight: Tensor) -> Tensor:
    return functional.embedding_bag(input, weight, mode="sum")


def means(input: Tensor, weight: Tensor) -> Tensor:
    return functional.embedding_bag(input, weight)


def summed(input: Tensor, weight: Tensor) -> Tensor:
    return functional.embedding(input, weight).sum(1)


def averaged(input: Tensor, weight: Tensor) -> Tensor:
    return functional.embedding(input, weight).mean(1)


# What each is in PyTorch's own bags, whose gradients PyTorch has for jagged tensors.
BAGS = {bags: bags, means: means, summed: bags, averaged: means}


def is_compiled(function: Callable[..., Tensor], offsets: Tensor) -> bool:
    """Whether a kernel computes what PyTorch computes, without gradients."""
    torch._dynamo.reset()
    run = compiled(function)
    with listening() as heard, torch.no_grad():
        result = run(jagged(offsets), table())
        torch.testing.assert_close(result, function(jagged(offsets), table()), equal_nan=True)
    (part,) = heard.reports[0].compiled
    assert part.kind == "bag"
    return bool(part.call.kernels())


def compiled(function: Callable[..., Tensor], **options: Any) -> Callable[..., Tensor]:
    options = {"raises": True, **options}
    return torch.compile(function, backend=ember_backend, dynamic=True, options=options)


@pytest.mark.parametrize("function", BAGS)
def test_values_and_gradients(function: Callable[..., Tensor]) -> None:
    assert is_compiled(function, FULL)
    gradients = []
    for each in (compiled(function), BAGS[function]):
        weight = table().requires_grad_()
        each(jagged(FULL), weight).square().sum().backward()
        gradients.append(weight.grad)
    torch.testing.assert_close(*gradients)


def test_empty_bags() -> None:
    assert is_compiled(bags, EMPTY)
    assert is_compiled(means, EMPTY)


@pytest.mark.parametrize("function", [summed, averaged])
def test_reductions_of_empty_rows_are_pytorchs(function: Callable[..., Tensor]) -> None:
    assert not is_compiled(function, EMPTY)


def sample_weights(offsets: Tensor) -> Tensor:
    values = torch.rand(9, generator=torch.Generator().manual_seed(2))
    return torch.nested.nested_tensor_from_jagged(values, offsets)


def weighted_bags(input: Tensor, weight: Tensor, weights: Tensor) -> Tensor:
    return functional.embedding_bag(input, weight, mode="sum", per_sample_weights=weights)


def weighted_rows(input: Tensor, weight: Tensor, weights: Tensor) -> Tensor:
    return (functional.embedding(input, weight) * weights.unsqueeze(-1)).sum(1)


def rows_weighted(input: Tensor, weight: Tensor, weights: Tensor) -> Tensor:
    return (weights[..., None] * functional.embedding(input, weight)).sum(dim=-2)


@pytest.mark.parametrize(
    ("function", "is_jagged"),
    [
        (weighted_bags, True),
        (weighted_rows, True),
        (weighted_bags, False),
        (weighted_rows, False),
        # PyTorch does not index jagged tensors so.
        (rows_weighted, False),
    ],
)
def test_weights_of_lookups(function: Callable[..., Tensor], is_jagged: bool) -> None:
    made, weights = jagged(FULL), sample_weights(FULL)
    if not is_jagged:
        made, weights = made.values().view(3, 3), weights.values().view(3, 3)
    with listening() as heard, torch.no_grad():
        result = compiled(function)(made, table(), weights)
        torch.testing.assert_close(result, function(made, table(), weights))
    (part,) = heard.reports[0].compiled
    assert part.kind == "bag"
    assert part.call.kernels()
    gradients = []
    for each in (compiled(function), weighted_bags):
        values = weights.detach().requires_grad_()
        weight = table().requires_grad_()
        each(made, weight, values).square().sum().backward()
        assert values.grad is not None
        gradients.append((weight.grad, values.grad.values() if is_jagged else values.grad))
    torch.testing.assert_close(*gradients)


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (
            lambda i, w, s: (functional.embedding(i, w) * s[:1].unsqueeze(2)).sum(1),
            "there are not known to be as many weights as lookups",
        ),
        (
            lambda i, w, s: (functional.embedding(i, w) * s.unsqueeze(2)).mean(1),
            "rows times weights have a kernel for their sum alone",
        ),
        (
            lambda i, w, s: (functional.embedding(i, w) * s.double().unsqueeze(2)).sum(1),
            "its weights are torch.float64, its rows torch.float32",
        ),
    ],
)
def test_other_weights_are_left(function: Callable[..., Tensor], reason: str) -> None:
    arguments = values().view(3, 3), table(), sample_weights(FULL).values().view(3, 3)
    with listening() as heard:
        result = compiled(function, excluded=("statements",))(*arguments)
    torch.testing.assert_close(result, function(*arguments))
    assert reason in [one.reason for one in heard.reports[0].left]
    assert not heard.reports[0].compiled


def test_other_weights_are_statements() -> None:
    def function(i: Tensor, w: Tensor, s: Tensor) -> Tensor:
        return (functional.embedding(i, w) * s[:1].double().unsqueeze(2)).sum(1)

    arguments = values().view(3, 3), table(), sample_weights(FULL).values().view(3, 3)
    with listening() as heard:
        result = compiled(function)(*arguments)
    torch.testing.assert_close(result, function(*arguments))
    assert [part.kind for part in heard.reports[0].compiled] == ["statements"]


@pytest.mark.parametrize("function", [bags, means])
def test_rows_with_holes_are_pytorchs(function: Callable[..., Tensor]) -> None:
    """PyTorch adds up what is in the holes, too."""
    lengths = torch.tensor([1, 3, 2])
    made = torch.nested.narrow(values().view(3, 3), 1, torch.zeros(3).long(), lengths, torch.jagged)
    result = compiled(function)(made, table())
    torch.testing.assert_close(result, function(made, table()))
    # Made contiguous, they are bags as any.
    with listening() as heard:
        result = compiled(lambda i, w: function(i.contiguous(), w))(made, table())
    assert not torch.allclose(result, function(made, table()))
    torch.testing.assert_close(result, function(made.contiguous(), table()))
    assert heard.reports[0].compiled[0].call.kernels()
