"""backend="ember": what is not compiled runs in PyTorch, by itself or by Inductor.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
from pathlib import Path

import ember
import pytest
import torch
from ember.torch.settings import KINDS
from torch import Tensor, nn

pytestmark = pytest.mark.usefixtures("fresh_dynamo")


class Model(nn.Module):
    """A bag and two aggregations over edges, one of which has no compiled gradient."""

    def __init__(self) -> None:
        super().__init__()
        self.bag = nn.EmbeddingBag(20, 8, mode="sum")
        self.linear = nn.Linear(8, 8)

    def forward(self, x: Tensor, edges: Tensor, indices: Tensor, offsets: Tensor) -> Tensor:
        source, target = edges[0], edges[1]
        messages = self.linear(x).index_select(0, source)
        index = target.view(-1, 1).expand_as(messages)
        zeros = messages.new_zeros(x.shape[0], 8)
        largest = zeros.scatter_reduce(0, index, messages, "amax", include_self=False)
        summed = x.new_zeros(x.shape[0], 8).scatter_add_(0, index, x[source])
        return torch.cat([largest + summed, self.bag(indices, offsets).relu()])


def arguments(nodes: int = 9, edges: int = 31, bags: int = 4) -> tuple[Tensor, ...]:
    return (
        torch.randn(nodes, 8, requires_grad=True),
        torch.randint(0, nodes, (2, edges)),
        torch.randint(0, 20, (bags * 3,)),
        torch.arange(0, bags * 3, 3),
    )


@pytest.mark.parametrize("rest", ["eager", pytest.param("inductor", marks=pytest.mark.slow)])
def test_values_and_gradients(rest: str) -> None:
    model = Model()
    compiled = torch.compile(model, backend="ember", dynamic=True, options={"rest": rest})
    for sizes in [(9, 31, 4), (5, 7, 3), (14, 3, 6)]:
        inputs = arguments(*sizes)
        result, expected = compiled(*inputs), model(*inputs)
        torch.testing.assert_close(result, expected)
        gradient = torch.randn_like(expected)
        wanted = [inputs[0], *model.parameters()]
        for found, right in zip(
            torch.autograd.grad(result, wanted, gradient),
            torch.autograd.grad(expected, wanted, gradient),
            strict=True,
        ):
            torch.testing.assert_close(found, right)


@pytest.mark.slow
@pytest.mark.parametrize("bags", [1, 3])
def test_gradients_of_tensors_beside_bags(bags: int) -> None:
    """They are columns of the whole's gradient, in the same memory: of one bag, contiguous."""
    tables = [nn.Parameter(torch.randn(20, 4)) for _ in range(2)]
    indices, dense = torch.randint(20, (bags, 3)), torch.randn(bags, 5, requires_grad=True)

    def function(dense: Tensor, indices: Tensor) -> Tensor:
        rows = [nn.functional.embedding_bag(indices, table, mode="sum") for table in tables]
        return torch.cat([dense, *rows], 1)

    run = torch.compile(function, backend="ember", options={"rest": "inductor", "raises": True})
    gradient = torch.randn(bags, 13)
    for found, right in zip(
        torch.autograd.grad(run(dense, indices), [dense, *tables], gradient),
        torch.autograd.grad(function(dense, indices), [dense, *tables], gradient),
        strict=True,
    ):
        torch.testing.assert_close(found, right)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rest": "xla"}, "rest must be one of eager, inductor"),
        ({"reset": 1}, "no option 'reset'"),
        ({"raises": "yes"}, "raises must be True or False, not 'yes'"),
        ({"excluded": "bag"}, r"excluded must be kinds of operations, as \('bag',\), not 'bag'"),
        ({"excluded": 3}, "excluded must be kinds of operations"),
        ({"excluded": ["bag", "bagg"]}, "there is no kind 'bagg' to be excluded; there are bag, "),
        ({"kernel_options": {}}, "kernel_options must be ember.Options, not a dict"),
    ],
)
def test_wrong_options(options: dict[str, object], message: str) -> None:
    compiled = torch.compile(Model(), backend="ember", options=options)
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match=message) as caught:
        compiled(*arguments())
    assert isinstance(caught.value.inner_exception, ember.ArgumentError)


def test_kinds_are_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "pytorch.md").read_text()
    rows = page.split("| kind |")[1].split("\n\n")[0].splitlines()[2:]
    named = {kind for row in rows for kind in re.findall(r"`(\w+)`", row.split("|")[1])}
    assert named == set(KINDS)


def test_mode_is_inductors(caplog: pytest.LogCaptureFixture) -> None:
    """torch.compile's mode changes nothing."""
    model, inputs = Model(), arguments()
    run = torch.compile(model, backend="ember", mode="max-autotune")
    with caplog.at_level("WARNING", "ember"):
        torch.testing.assert_close(run(*inputs), model(*inputs))
    assert "mode 'max-autotune' is left out" in caplog.text
