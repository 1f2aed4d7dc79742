"""backend="ember": torch_geometric's knowledge-graph embeddings, unchanged.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from typing import Any

import ember
import pytest
import torch
from compiled_models import STEPS, check_forward, check_gradients, compiled
from torch import Tensor, nn

geometric = pytest.importorskip("torch_geometric.nn")

ENTITIES, RELATIONS, LENGTH = 500, 11, 32
MODELS = ("TransE", "DistMult", "ComplEx", "RotatE")


pytestmark = pytest.mark.usefixtures("fresh_dynamo")


def knowledge_model(name: str, **options: Any) -> nn.Module:
    torch.manual_seed(0)
    model: nn.Module = getattr(geometric, name)(ENTITIES, RELATIONS, LENGTH, **options)
    return model


def triples(count: int, seed: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    """Heads, relations and tails of so many facts."""
    draw = torch.Generator().manual_seed(seed)
    head, tail = torch.randint(ENTITIES, (2, count), generator=draw)
    return head, torch.randint(RELATIONS, (count,), generator=draw), tail


@pytest.mark.parametrize("name", MODELS)
def test_scores(name: str) -> None:
    model = knowledge_model(name)
    heard = check_forward(model, [triples(count, count) for count in (64, 3, 200)])
    assert len(heard.reports) == 1
    assert heard.kinds() == {"row_score"}
    assert not heard.left()


@pytest.mark.parametrize("name", MODELS)
def test_one_kernel_for_a_score(name: str) -> None:
    with torch.no_grad():
        (part,) = ember.explain(knowledge_model(name), *triples(20)).compiled
    assert len(part.libraries) == 1


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("sparse", [False, True])
def test_training(name: str, sparse: bool) -> None:
    """The loss, with tails and heads that PyTorch draws, and its gradients."""
    model, other = knowledge_model(name, sparse=sparse), knowledge_model(name, sparse=sparse)
    run = compiled(other.loss)
    optimisers = [torch.optim.SGD(one.parameters(), lr=0.1) for one in (other, model)]
    for step in range(STEPS):
        batch = triples(20 + step, step)
        forwards: tuple[Callable[..., Tensor], ...] = (run, model.loss)
        losses = []
        for forward, optimiser in zip(forwards, optimisers, strict=True):
            torch.manual_seed(step)
            optimiser.zero_grad()
            losses.append(forward(*batch))
            losses[-1].backward()
        torch.testing.assert_close(*losses)
        check_gradients(other, model)
        for optimiser in optimisers:
            optimiser.step()
