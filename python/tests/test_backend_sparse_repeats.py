"""Products with sparse matrices that compiled code makes again, as a kernel made them before.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from typing import Any

import ember
import pytest
import torch
from ember import native
from sparse_matrices import COLUMNS, F32, F64, LENGTH, ROWS, csr, dense, numbers
from torch import Tensor

pytestmark = [
    pytest.mark.usefixtures("fresh_dynamo"),
    pytest.mark.filterwarnings("ignore::UserWarning:torch.*", "ignore:Sparse"),
]


class Again:
    """Products in one context, of which compiled code has made those that are counted."""

    def __init__(self) -> None:
        self.context = ember.sparse_products({"raises": True})
        self.answers: list[bool] = []
        original = self.context._again

        def counting(*given: Any) -> Any:
            result = original(*given)
            self.answers.append(result is not NotImplemented)
            return result

        self.context._again = counting  # type: ignore[method-assign]

    def check(self, function: Callable[..., Any], *arguments: Any) -> bool:
        """Whether compiled code made the call, whose result is PyTorch's."""
        del self.answers[:]
        with self.context:
            result = function(*arguments)
        torch.testing.assert_close(result, function(*arguments))
        return self.answers == [True]


PRODUCTS: dict[str, Callable[..., Tensor]] = {
    "torch.sparse.mm": lambda matrix, x: torch.sparse.mm(matrix, x),
    "@": lambda matrix, x: matrix @ x,
    "torch.addmm": lambda matrix, x: torch.addmm(
        numbers(matrix.shape[0], x.shape[1], dtype=x.dtype, seed=5), matrix, x
    ),
}


@pytest.mark.skipif(native.Repeat is None, reason="ember_calls is not built for this Python")
@pytest.mark.parametrize("function", PRODUCTS.values(), ids=PRODUCTS)
def test_products_are_repeated(function: Callable[..., Tensor]) -> None:
    again = Again()
    x = numbers(COLUMNS, LENGTH)
    assert not again.check(function, csr(), x)
    assert again.check(function, csr(), x + 1)
    assert again.check(function, csr(), x)
    # Another matrix, of other sizes.
    large = numbers(11, 13).relu().to_sparse_csr()
    assert again.check(function, large, numbers(13, LENGTH))
    # Values that were changed in place.
    large.values().mul_(2)
    assert again.check(function, large, numbers(13, LENGTH))
    for matrix, other in (
        (csr(), numbers(COLUMNS, LENGTH + 1)),
        (csr(F64), numbers(COLUMNS, LENGTH, dtype=F64)),
        (csr(F32, torch.int32), x),
        (csr(), numbers(LENGTH, COLUMNS).t()),
        (csr(), torch._neg_view(x)),
        (dense(), x),
    ):
        again = Again()
        again.check(function, csr(), x)
        assert not again.check(function, matrix, other)
        again.check(function, csr(), x)
    again.check(function, torch.zeros(3, COLUMNS).to_sparse_csr(), x)


@pytest.mark.skipif(native.Repeat is None, reason="ember_calls is not built for this Python")
@pytest.mark.parametrize("function", PRODUCTS.values(), ids=PRODUCTS)
def test_what_is_no_repeat_is_looked_into(function: Callable[..., Tensor]) -> None:
    again = Again()
    x, matrix = numbers(COLUMNS, LENGTH), csr()
    again.check(function, matrix, x)
    with ember.disabled():
        assert not again.check(function, matrix, x)
    # PyTorch chooses a type that it has no product for.
    with torch.autocast("cpu"), again.context, pytest.raises(NotImplementedError):
        function(matrix, x)
    wrong = numbers(COLUMNS + 1, LENGTH)
    with pytest.raises(RuntimeError) as expected:
        function(matrix, wrong)
    with again.context, pytest.raises(expected.type) as raised:
        function(matrix, wrong)
    assert str(raised.value) == str(expected.value)
    x.requires_grad_()
    with again.context:
        result = function(matrix, x)
    (gradient,) = torch.autograd.grad(result.sum(), x)
    torch.testing.assert_close(gradient, torch.autograd.grad(function(matrix, x).sum(), x)[0])
    with torch.no_grad():
        assert again.check(function, matrix, x)


def test_sums_that_the_kernel_does_not_take() -> None:
    again = Again()
    matrix, x, added = csr(), numbers(COLUMNS, LENGTH), numbers(ROWS, LENGTH)
    again.check(torch.addmm, added, matrix, x)
    for other in (added[0], added[:, :1], added.t().contiguous().t()):
        assert not again.check(torch.addmm, other, matrix, x)
    for other in (added[:-1], added.double(), added.numpy()):
        with pytest.raises((RuntimeError, TypeError)) as expected:
            torch.addmm(other, matrix, x)
        with again.context, pytest.raises(expected.type):
            torch.addmm(other, matrix, x)
