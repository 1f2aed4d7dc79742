"""backend="ember": recommendation models run unchanged, and learn as in PyTorch.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import functools
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as functional
from compiled_models import Heard, check_forward, check_training, compiled
from ember.models.recommendation import (
    DLRM,
    DeepFM,
    WideAndDeep,
    mlperf_model,
    multi_hot_inputs,
    padded_inputs,
    wide_and_deep_inputs,
)
from torch import Tensor, nn

MOST_ROWS = 2000
SIZES = (5, 64, 2, 33)
FIELDS = (50, 3, 2000, 117)

Inputs = Callable[..., tuple[Any, ...]]


pytestmark = pytest.mark.usefixtures("fresh_dynamo")


def dlrm() -> nn.Module:
    return mlperf_model(MOST_ROWS, length=16)


def wide_and_deep() -> nn.Module:
    return WideAndDeep(5000, FIELDS)


def deep_fm() -> nn.Module:
    return DeepFM(FIELDS)


# Each with the number of its bags.
MODELS: dict[str, tuple[Callable[[], Any], Inputs, int]] = {
    "dlrm": (dlrm, multi_hot_inputs, 26),
    "wide_and_deep": (wide_and_deep, wide_and_deep_inputs, 1 + len(FIELDS)),
    "deep_fm": (deep_fm, padded_inputs, 2 * len(FIELDS)),
}


@pytest.fixture(params=MODELS)
def name(request: pytest.FixtureRequest) -> str:
    torch.manual_seed(0)
    return str(request.param)


def check_bags(heard: Heard, bags: int) -> None:
    """All bags are in kernels, in one graph."""
    assert len(heard.reports) == 1
    assert heard.covered("bag") >= bags
    assert not heard.left()


def test_forward(name: str) -> None:
    make, inputs, bags = MODELS[name]
    model = make()
    batches = [inputs(model, samples, seed=samples) for samples in SIZES]
    check_bags(check_forward(model, batches), bags)


def against_labels(result: Tensor, batch: tuple[Any, ...]) -> Tensor:
    """A loss against labels that are drawn."""
    labels = (torch.arange(result.numel()) % 3 == 0).float().view_as(result)
    return functional.mse_loss(result, labels)


# Adagrad's first step is as long for gradients that are all rounding, unless eps is larger.
OPTIMISERS = {"SGD": {"lr": 0.05}, "Adagrad": {"lr": 0.003, "eps": 1e-6}}


@pytest.mark.parametrize("optimiser", OPTIMISERS)
def test_training(name: str, optimiser: str) -> None:
    make, inputs, bags = MODELS[name]
    model = make()
    batches = [inputs(model, samples, seed=samples) for samples in SIZES]
    make_optimiser = getattr(torch.optim, optimiser)
    heard = check_training(
        model,
        batches,
        against_labels,
        functools.partial(make_optimiser, **OPTIMISERS[optimiser]),
    )
    check_bags(heard, bags)


def test_sparse_gradients() -> None:
    model = mlperf_model(MOST_ROWS, length=16, sparse=True)
    batches = [multi_hot_inputs(model, samples, seed=samples) for samples in SIZES]
    heard = check_training(
        model, batches, against_labels, lambda parameters: torch.optim.SGD(parameters, lr=0.05)
    )
    check_bags(heard, 26)


def test_bags_without_lookups() -> None:
    model = WideAndDeep(5000, FIELDS)
    *others, ids, offsets = wide_and_deep_inputs(model, 4)
    ids[1], offsets[1] = ids[1][:0], offsets[1] * 0
    check_bags(check_forward(model, [(*others, ids, offsets)]), 1 + len(FIELDS))


def test_index_outside_of_a_table() -> None:
    model = dlrm()
    dense, indices, offsets = multi_hot_inputs(model, 8)
    indices[5][3] = 77
    compiled = torch.compile(model, backend="ember")
    with pytest.raises(RuntimeError) as eager:
        model(dense, indices, offsets)
    with pytest.raises(eager.type, match="index 77 at position 3 of"):
        compiled(dense, indices, offsets)


def test_batch_for_other_tables() -> None:
    with pytest.raises(ValueError, match="the model has 2 tables, but `lookups` says for 26"):
        multi_hot_inputs(DLRM([100, 200]), 4)


@pytest.mark.slow
@pytest.mark.parametrize("model", [wide_and_deep, deep_fm])
def test_training_with_inductor(model: Callable[[], Any]) -> None:
    """What Ember leaves is compiled by Inductor."""
    torch.manual_seed(0)
    made = model()
    _, inputs, bags = MODELS[model.__name__]
    heard = check_training(
        made,
        [inputs(made, samples, seed=samples) for samples in SIZES],
        against_labels,
        functools.partial(torch.optim.SGD, lr=0.05),
        functools.partial(compiled, rest="inductor"),
    )
    # Inductor may want another graph for other sizes.
    assert heard.covered("bag") >= bags
    assert not heard.left()
