"""Gradients of parts that are too small for a kernel to gain what autograd's calls of Python cost.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from unittest import mock

import ember
import pytest
import torch
from ember.torch.calls import region_call
from ember.torch.calls.region_call import RegionCall
from torch import Tensor

pytestmark = pytest.mark.usefixtures("fresh_dynamo")
NODES, LENGTH = 40, 16
Made = tuple[Callable[..., Tensor], Tensor, tuple[Tensor, ...]]


def is_small(call: RegionCall, arguments: tuple[Tensor, ...]) -> bool:
    """As outside of tests, where conftest says that nothing is."""
    return call.elements(arguments) < call.least_differentiated


def edges(count: int) -> Made:
    x = torch.randn(NODES, LENGTH)
    source, target = torch.arange(count) % NODES, torch.arange(count) * 7 % NODES

    def function(x: Tensor, source: Tensor, target: Tensor) -> Tensor:
        return torch.zeros_like(x).index_add(0, target, x[source])

    return function, x, (source, target)


def pairs(count: int) -> Made:
    places = torch.tril_indices(8, 8, -1)

    def function(rows: Tensor) -> Tensor:
        return torch.bmm(rows, rows.transpose(1, 2))[:, places[0], places[1]]

    return function, torch.randn(count, 8, LENGTH), ()


def negatives(count: int) -> Made:
    table, indices = torch.randn(50, LENGTH), torch.arange(4 * count).view(count, 4) % 50

    def function(table: Tensor, rows: Tensor, indices: Tensor) -> Tensor:
        return torch.einsum("bd,bkd->bk", rows, table[indices])

    return function, table, (torch.randn(count, LENGTH), indices)


@pytest.mark.parametrize(
    ("make", "small", "large"), [(edges, 200, 5000), (pairs, 4, 300), (negatives, 4, 600)]
)
def test_gradients(make: Callable[[int], Made], small: int, large: int) -> None:
    torch.manual_seed(0)
    kernel = None
    for count, is_left in ((small, True), (large, False)):
        function, leaf, others = make(count)
        if kernel is None:
            kernel = ember.compile(function, raises=True)
        leaf.requires_grad_()
        # The first call builds the kernel, whatever its size.
        kernel(leaf, *others)
        with (
            mock.patch.object(region_call, "_is_small", is_small),
            mock.patch.object(
                region_call.Differentiable, "apply", wraps=region_call.Differentiable.apply
            ) as differentiated,
        ):
            found = kernel(leaf, *others)
        assert differentiated.called is not is_left
        expected = function(leaf, *others)
        torch.testing.assert_close(found, expected)
        (found,) = torch.autograd.grad(found.square().sum(), leaf)
        (expected,) = torch.autograd.grad(expected.square().sum(), leaf)
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)


def test_wrong_indices_are_named() -> None:
    function, x, (source, target) = edges(100)
    kernel = ember.compile(function, raises=True)
    x.requires_grad_()
    kernel(x, source, target)
    source[17] = NODES
    with (
        mock.patch.object(region_call, "_is_small", is_small),
        pytest.raises(
            ember.IndexOutOfRangeError, match=f"index {NODES} at position 17 of 'source'"
        ),
    ):
        kernel(x, source, target)
