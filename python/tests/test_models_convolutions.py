"""backend="ember": torch_geometric's other convolutions, values and gradients, for any graph.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from compiled_models import check_gradients, compiled
from ember.torch.capture.backend import listening
from torch import Tensor, nn

geometric = pytest.importorskip("torch_geometric.nn")

pytestmark = [
    pytest.mark.usefixtures("fresh_dynamo"),
    pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor:UserWarning"),
]

LENGTH, OUT, KINDS = 8, 4, 3
DEGREES = torch.tensor([1, 4, 6, 3, 2])

# Each, with what it is given of edges besides their ends.
CONVOLUTIONS: dict[str, tuple[Callable[[], nn.Module], str]] = {
    "GENConv, softmax": (lambda: geometric.GENConv(LENGTH, OUT, learn_t=True), ""),
    "PNAConv": (
        lambda: geometric.PNAConv(LENGTH, OUT, ["mean", "max", "std"], ["identity"], DEGREES),
        "",
    ),
    "RGCNConv": (lambda: geometric.RGCNConv(LENGTH, OUT, KINDS, num_bases=2), "kinds"),
    "FastRGCNConv": (lambda: geometric.FastRGCNConv(LENGTH, OUT, KINDS), "kinds"),
    "TransformerConv": (lambda: geometric.TransformerConv(LENGTH, OUT, heads=2), ""),
    "ResGatedGraphConv": (lambda: geometric.ResGatedGraphConv(LENGTH, OUT), ""),
    "SGConv": (lambda: geometric.SGConv(LENGTH, OUT, K=2), "weights"),
    "TAGConv": (lambda: geometric.TAGConv(LENGTH, OUT, K=2), "weights"),
}


def graph(nodes: int, edges: int, attributes: str) -> tuple[Any, ...]:
    draw = torch.Generator().manual_seed(edges)
    ends = torch.randint(0, nodes, (2, edges), generator=draw)
    given: tuple[Tensor, ...] = torch.randn(nodes, LENGTH, generator=draw), ends
    if attributes == "kinds":
        given += (torch.randint(0, KINDS, (edges,), generator=draw),)
    if attributes == "weights":
        given += (torch.rand(edges, generator=draw),)
    return given


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_values_and_gradients(name: str) -> None:
    make, attributes = CONVOLUTIONS[name]
    torch.manual_seed(0)
    model, other = make(), make()
    other.load_state_dict(model.state_dict())
    run = compiled(other)
    with listening() as heard:
        for nodes, edges in ((20, 60), (31, 40)):
            results = []
            for one, module in ((run, other), (model, model)):
                module.zero_grad()
                x, *edges_of = graph(nodes, edges, attributes)
                x.requires_grad_()
                result = one(x, *edges_of)
                result.square().sum().backward()
                results.append((result, x.grad))
            torch.testing.assert_close(*results, rtol=1e-4, atol=1e-4)
            check_gradients(other, model, rtol=1e-3, atol=1e-3)
    kinds = {part.kind for one in heard.reports for part in one.compiled}
    assert "statements" in kinds
