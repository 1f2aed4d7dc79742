"""backend="ember": bags of jagged tensors, in the ways in which PyTorch has them.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Iterator

import pytest
import torch
import torch.nn.functional as functional
from ember.torch.backend import ember_backend, listening
from torch import Tensor

ROWS, LENGTH = 20, 8
FULL, EMPTY = torch.tensor([0, 3, 4, 9]), torch.tensor([0, 3, 3, 9])

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:torch.*")


@pytest.fixture(autouse=True)
def _fresh_dynamo() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


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


def compiled(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    return torch.compile(function, backend=ember_backend, dynamic=True, options={"raises": True})


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
