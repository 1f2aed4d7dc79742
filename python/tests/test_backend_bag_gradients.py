"""backend="ember": tables side by side whose gradients are sparse, scaled, or without a row.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import copy
from collections.abc import Callable
from typing import Any

import ember
import pytest
import torch
import torch.nn.functional as functional
from ember.torch.capture.backend import listening
from torch import Tensor, nn

ROWS, BAGS, LENGTH = 20, 6, 4

pytestmark = pytest.mark.usefixtures("fresh_dynamo")


def batch(seed: int = 0, bags: int = BAGS) -> tuple[Tensor, ...]:
    """Indices and offsets of bags, some of them empty, their weights, equal bags, and rows."""
    draw = torch.Generator().manual_seed(seed)
    sizes = torch.randint(0, 5, (bags,), generator=draw)
    lookups = int(sizes.sum())
    return (
        torch.randint(ROWS, (lookups,), generator=draw),
        sizes.cumsum(0) - sizes,
        torch.rand(lookups, generator=draw),
        torch.randint(ROWS, (bags, 3), generator=draw),
        torch.randint(ROWS, (bags,), generator=draw),
    )


class Tables(nn.Module):
    """Every kind of lookup that may stand beside others, with options of all of their gradients."""

    def __init__(self, **options: Any) -> None:
        super().__init__()
        plain = {name: value for name, value in options.items() if name != "padding_idx"}
        self.sums = nn.EmbeddingBag(ROWS, LENGTH, mode="sum", **options)
        self.means = nn.EmbeddingBag(ROWS, LENGTH, mode="mean", **options)
        self.weighted = nn.EmbeddingBag(ROWS, LENGTH, mode="sum", **options)
        self.equal = nn.EmbeddingBag(ROWS, LENGTH, mode="mean", **options)
        self.rows = nn.Embedding(ROWS, LENGTH, **options)
        self.dense = nn.Embedding(ROWS, LENGTH)
        # PyTorch's gradient of scaled rows is another one than that of bags.
        if options.get("scale_grad_by_freq"):
            plain, options = {}, {}
        self.summed = nn.Embedding(ROWS, LENGTH, **options)
        self.averaged = nn.Embedding(ROWS, LENGTH, **plain)

    def forward(
        self, indices: Tensor, offsets: Tensor, weights: Tensor, equal: Tensor, single: Tensor
    ) -> Tensor:
        # A table that is looked up twice has the sum of two gradients.
        return torch.cat(
            [
                self.sums(indices, offsets),
                self.means(indices, offsets),
                self.weighted(indices, offsets, per_sample_weights=weights),
                self.equal(equal),
                self.rows(single),
                self.dense(single),
                self.summed(equal).sum(1),
                self.averaged(equal).mean(1),
                self.rows(single.flip(0)),
            ],
            1,
        )


def gradients(model: nn.Module, run: Callable[..., Tensor], given: tuple[Any, ...]) -> list[Tensor]:
    result = run(*given)
    wanted = [*model.parameters(), *(one for one in given if one.requires_grad)]
    return list(torch.autograd.grad(result.sin().sum(), wanted))


def check_like(found: Tensor, right: Tensor, lookups: int) -> None:
    """The same values, and of sparse ones the same entries; in the same order for one lookup."""
    assert found.layout is right.layout
    if right.layout is torch.sparse_coo:
        assert found.is_coalesced() == right.is_coalesced()
        if lookups > 1:
            found, right = found.coalesce(), right.coalesce()
        torch.testing.assert_close(found._indices(), right._indices())
        torch.testing.assert_close(found._values(), right._values())
    torch.testing.assert_close(found.to_dense(), right.to_dense())


@pytest.mark.parametrize(
    "options",
    [
        {"sparse": True},
        {"sparse": True, "padding_idx": 3},
        {"scale_grad_by_freq": True},
        {"padding_idx": -2},
    ],
    ids=str,
)
def test_gradients_are_those_of_pytorch(options: dict[str, Any]) -> None:
    model = Tables(**options)
    with listening() as heard:
        run = torch.compile(model, backend="ember", dynamic=True)
        for seed, bags in enumerate((BAGS, BAGS + 5)):
            given = batch(seed, bags)
            given[2].requires_grad_()
            wanted = [name for name, _ in model.named_parameters()] + ["weights"]
            for name, found, right in zip(
                wanted,
                gradients(model, run, given),
                gradients(model, model, given),
                strict=True,
            ):
                check_like(found, right, 2 if name == "rows.weight" else 1)
            with torch.no_grad():
                torch.testing.assert_close(run(*given), model(*given))
    for report in heard.reports:
        assert [part.kind for part in report.compiled] == ["bags"]
        (part,) = report.graph().compiled
        assert part.libraries
        assert not report.left


def test_training_with_sparse_adam() -> None:
    model = Tables(sparse=True)
    model.dense.sparse = True
    fast = copy.deepcopy(model)
    run = torch.compile(fast, backend="ember", dynamic=True)
    optimizers = [torch.optim.SparseAdam(one.parameters(), lr=0.1) for one in (model, fast)]
    for step in range(4):
        given = batch(step)
        for call, optimizer in zip((model, run), optimizers, strict=True):
            optimizer.zero_grad()
            call(*given).square().sum().backward()
            optimizer.step()
    for right, found in zip(model.parameters(), fast.parameters(), strict=True):
        torch.testing.assert_close(found, right)


def test_why_a_lookup_stays_alone() -> None:
    table = nn.Parameter(torch.randn(ROWS, LENGTH))
    equal = torch.randint(ROWS, (BAGS, 3))

    def side_by_side(*lookups: Callable[[Tensor], Tensor]) -> str:
        def function(equal: Tensor) -> Tensor:
            return torch.cat([lookup(equal) for lookup in lookups], 1)

        torch._dynamo.reset()
        with torch.no_grad():
            torch.testing.assert_close(
                torch.compile(function, backend="ember")(equal), function(equal)
            )
        return str(ember.explain(function, equal))

    def plain(equal: Tensor) -> Tensor:
        return functional.embedding_bag(equal, table, mode="sum")

    def half(equal: Tensor) -> Tensor:
        return functional.embedding(equal, table).sum(1, dtype=torch.float32)

    def kept(equal: Tensor) -> Tensor:
        return functional.embedding(equal, table).sum(1, keepdim=True).squeeze(1)

    text = side_by_side(plain, plain, half)
    assert "2 tables' rows side by side, with 1 other tensors, among them sum" in text
    assert ": the result has a type of its own" in text
    text = side_by_side(plain, half)
    assert "rows are not put side by side by one kernel; sum" in text
    assert "among them" not in side_by_side(plain, plain, kept)
