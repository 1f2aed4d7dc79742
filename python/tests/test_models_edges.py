"""Models of edges and of segments against eager PyTorch: one kernel where there may be one.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from typing import Any

import ember
import pytest
import torch
import torch.nn.functional as functional
from compiled_models import check_function, check_gradients, compiled
from ember.models import edges as models
from ember.torch.calls import statement_call
from ember.torch.capture.backend import listening
from ember.torch.graph.costs import MOST_MATRIX_BYTES
from torch import Tensor, nn

pytestmark = pytest.mark.usefixtures("fresh_dynamo")

NODES, EDGES, LENGTH, KINDS, ORDERS = 40, 300, 16, 4, 5


def drawn(*sizes: int, least: int = 0, seed: int = 0) -> Tensor:
    draw = torch.Generator().manual_seed(seed)
    return torch.randint(least, sizes[-1], sizes[:-1], generator=draw)


def rows(*sizes: int) -> Tensor:
    return torch.randn(*sizes, generator=torch.Generator().manual_seed(1))


# The model, what it is given, and how many kernels it has.
Given = Callable[[], tuple[Any, ...]]
MODELS: dict[str, tuple[Callable[[], nn.Module], Given, int]] = {
    "ragged attention": (
        lambda: models.RaggedAttention(NODES, LENGTH),
        lambda: (drawn(EDGES, NODES), drawn(EDGES, 7).sort().values, 9),
        1,
    ),
    "statistics": (models.Statistics, lambda: (rows(NODES, LENGTH), drawn(2, EDGES, NODES)), 1),
    "pair convolution": (
        lambda: models.PairConvolution(KINDS, LENGTH),
        lambda: (rows(NODES, LENGTH), drawn(2, EDGES, NODES), drawn(EDGES, KINDS)),
        1,
    ),
    "sparse convolution": (
        lambda: models.SparseConvolution(KINDS, LENGTH),
        lambda: (rows(NODES, LENGTH), drawn(2, EDGES, NODES), [0, 90, 91, 200, EDGES]),
        1,
    ),
    "mixture of experts": (
        lambda: models.MixtureOfExperts(KINDS, LENGTH),
        lambda: (rows(NODES, LENGTH),),
        1,
    ),
    "tensor product": (
        lambda: models.TensorProduct(ORDERS),
        lambda: (
            rows(NODES, LENGTH, ORDERS),
            drawn(2, EDGES, NODES),
            rows(EDGES, ORDERS),
            rows(EDGES, LENGTH),
        ),
        1,
    ),
    "distances": (
        lambda: models.Distances(NODES, LENGTH),
        lambda: (drawn(12, 6, NODES), drawn(12, 3, NODES, seed=1)),
        1,
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_values_and_gradients(name: str) -> None:
    make, given, kernels = MODELS[name]
    torch.manual_seed(0)
    model, other = make(), make()
    other.load_state_dict(model.state_dict())
    results = []
    with listening() as heard:
        for run in (ember.compile(other, raises=True), model):
            with torch.no_grad():
                forward = run(*given())
            arguments = [_with_gradient(one) for one in given()]
            result = run(*arguments)
            result.square().sum().backward()
            gradients = [one.grad for one in arguments if isinstance(one, Tensor)]
            results.append((forward, result.detach(), gradients))
    torch.testing.assert_close(*results, rtol=1e-3, atol=1e-3)
    if list(model.parameters()):
        check_gradients(other, model, rtol=1e-3, atol=1e-3)
    assert len(heard.reports[0].compiled) == kernels


def _with_gradient(one: Any) -> Any:
    return one.requires_grad_() if isinstance(one, Tensor) and one.is_floating_point() else one


# Those that are PyTorch's: large matrices, one number as a result.
LEFT = ("ei,ij,jk->ek", "ab,bc,cd,da->")
# Equations of several tensors, the first of which is looked up: what edges bring.
EQUATIONS = {
    "eui,ej,ijk,eu->euk": ((EDGES, LENGTH, 3), (EDGES, 4), (3, 4, 5), (EDGES, LENGTH)),
    "ei,ij,j->e": ((EDGES, 6), (6, 5), (5,)),
    "ei, ej, ek": ((EDGES, 3), (EDGES, 4), (EDGES, 5)),
    "ab,bc,cd,da->": ((EDGES, 4), (4, 3), (3, 2), (2, EDGES)),
    "e,ei,e,ei->ei": ((EDGES,), (EDGES, 8), (EDGES,), (EDGES, 8)),
    "ei,i,i->i": ((EDGES, 6), (6,), (6,)),
    "eii,ej,j->e": ((EDGES, 4, 4), (EDGES, 3), (3,)),
    "...i,i,i->...": ((EDGES, 4), (4,), (4,)),
    "ei,ij,jk->ek": ((EDGES, 64), (64, 96), (96, 64)),
}


@pytest.mark.parametrize("equation", EQUATIONS)
def test_equations(equation: str) -> None:
    sizes = EQUATIONS[equation]
    places = drawn(EDGES, NODES)

    def function(table: Tensor, *others: Tensor) -> Tensor:
        return torch.einsum(equation, table[places], *others).sum(0, keepdim=True)

    given = [rows(NODES, *sizes[0][1:]), *(rows(*one) / 2 for one in sizes[1:])]
    heard = check_function(function, *given, rtol=1e-4, atol=1e-3)
    taken = [
        node for report in heard.reports for part in report.compiled for node in part.operations
    ]
    assert any("einsum" in node for node in taken) == (equation not in LEFT)


@pytest.mark.parametrize("order", [0.0, 1.0, 1.5, 2.0, 3.0, float("inf")])
@pytest.mark.parametrize("others", [1, 4, 40])
def test_distances(order: float, others: int) -> None:
    table = rows(NODES, LENGTH).double()
    # Some are distances of a row and itself.
    one, other = drawn(5, 30, NODES), drawn(5, others, NODES)

    def function(table: Tensor) -> Tensor:
        return torch.cdist(table[one], table[other], p=order)

    if order == 0:
        assert torch.equal(compiled(function)(table), function(table))
    else:
        check_function(function, table, rtol=1e-6, atol=1e-6)


# Messages of looked-up rows times a matrix, some of which have kernels.
PRODUCTS: dict[str, tuple[Callable[[Tensor, Tensor, Tensor], Tensor], bool]] = {
    "product": (lambda x, w, b: x @ w, True),
    "relu": (lambda x, w, b: torch.relu(x @ w), True),
    "layer": (lambda x, w, b: functional.gelu(functional.linear(x, w.t(), b)), True),
    "two layers": (lambda x, w, b: torch.relu(x @ w) @ w, False),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16], ids=str)
@pytest.mark.parametrize("length", [8, 33, 600])
@pytest.mark.parametrize("name", PRODUCTS)
def test_products_of_rows(name: str, length: int, dtype: torch.dtype) -> None:
    message, is_whole = PRODUCTS[name]
    source, target = drawn(2, EDGES, NODES)

    def function(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        sums = message(x[source], weight, bias)
        return x.new_zeros(NODES, length).index_add(0, target, sums)

    given = [rows(NODES, 8), rows(8, length) / 4, rows(length)]
    if not is_whole:
        given[0], given[1] = rows(NODES, length), rows(length, length) / length
    tolerance = 0.2 if dtype is torch.bfloat16 else 1e-3
    heard = check_function(
        function, *(one.to(dtype) for one in given), rtol=tolerance, atol=tolerance
    )
    taken = {
        node for report in heard.reports for part in report.compiled for node in part.operations
    }
    # What has no product within has no lookup either.
    is_small = given[1].numel() * dtype.itemsize <= MOST_MATRIX_BYTES
    assert ("getitem" in taken) == (is_whole and is_small and dtype is not torch.bfloat16)


@pytest.mark.parametrize("name", ["product", "relu"])
def test_products_that_come_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statement_call, "is_worth_grouping", lambda *_: True)
    source, target = drawn(2, EDGES, NODES)

    def function(x: Tensor, weight: Tensor) -> Tensor:
        sums = PRODUCTS[name][0](x[source], weight, weight)
        return x.new_zeros(NODES, LENGTH).index_add(0, target, sums)

    run = compiled(function)
    for seed in range(4):
        given = rows(NODES, LENGTH) + seed, rows(LENGTH, LENGTH) / 4
        torch.testing.assert_close(run(*given), function(*given), rtol=1e-4, atol=1e-3)
