"""backend="ember": torch_geometric's graph networks on citation graphs, unchanged.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as functional
from compiled_models import Heard, check_forward, check_training, compiled
from ember.datasets.citations import SIZES, CitationGraph, citation_graph
from ember.errors import ArgumentError
from ember.torch.capture.backend import listening
from torch import Tensor, nn

geometric = pytest.importorskip("torch_geometric.nn")

# Dynamo asks tensors between two graphs for .grad.
pytestmark = [
    pytest.mark.usefixtures("fresh_dynamo"),
    pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor:UserWarning"),
]

LAYERS = 2
HIDDEN = 16
# Sums over edges in another order than PyTorch's.
TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}


@functools.cache
def graph(name: str) -> CitationGraph:
    return citation_graph(name)


def _network(kind: str, **options: Any) -> Callable[[CitationGraph], nn.Module]:
    def make(graph: CitationGraph) -> nn.Module:
        torch.manual_seed(0)
        network: nn.Module = getattr(geometric, kind)(
            graph.x.shape[1], HIDDEN, LAYERS, graph.classes, **options
        )
        return network

    return make


NETWORKS = {
    "GCN": _network("GCN"),
    "GraphSAGE, mean": _network("GraphSAGE", aggr="mean"),
    "GraphSAGE, max": _network("GraphSAGE", aggr="max"),
    "GAT": _network("GAT", heads=4),
    "GIN": _network("GIN"),
}
# What the layers do over edges, as titles of kernels say it: dynamo compiles the code of layers of
# one class once for both if it breaks their graphs.
AGGREGATIONS = {
    "GCN": {"sum over edges", "sum over edges of rows of"},
    "GraphSAGE, mean": {"sum over edges of rows of"},
    "GraphSAGE, max": {"max over edges of rows of"},
    "GAT": {"max, sum over edges of rows of"},
    "GIN": {"sum over edges of rows of"},
}


def check_compiled(heard: Heard, name: str) -> None:
    """Every aggregation over edges is a kernel; lookups alone may be PyTorch's."""
    assert "statements" in heard.kinds()
    assert all(reason.endswith("as fast") for reason in heard.left())
    titles = [part.title for report in heard.reports for part in report.compiled]
    for expected in AGGREGATIONS[name]:
        assert any(expected in title for title in titles), (expected, titles)


@pytest.mark.parametrize(
    "data",
    [name if name == "cora" else pytest.param(name, marks=pytest.mark.slow) for name in SIZES],
)
@pytest.mark.parametrize("name", NETWORKS)
def test_forward(name: str, data: str) -> None:
    citations = graph(data)
    network = NETWORKS[name](citations).eval()
    heard = check_forward(network, [(citations.x, citations.edges)], **TOLERANCE)
    check_compiled(heard, name)


@pytest.mark.parametrize("name", NETWORKS)
def test_training(name: str) -> None:
    citations = graph("cora")
    network = NETWORKS[name](citations)
    known = torch.arange(0, citations.nodes, 7)

    def loss(result: Tensor, batch: tuple[Any, ...]) -> Tensor:
        return functional.cross_entropy(result[known], citations.labels[known])

    heard = check_training(
        network,
        [(citations.x, citations.edges)],
        loss,
        lambda parameters: torch.optim.SGD(parameters, lr=0.5),
        **TOLERANCE,
    )
    check_compiled(heard, name)


def test_weighted_edges() -> None:
    citations = graph("cora")
    network = NETWORKS["GCN"](citations).eval()
    weights = torch.rand(citations.edges.shape[1], generator=torch.Generator().manual_seed(1))
    heard = check_forward(network, [(citations.x, citations.edges, weights)], **TOLERANCE)
    check_compiled(heard, "GCN")


@pytest.mark.parametrize("name", ["GraphSAGE, mean", "GIN"])
def test_one_graph_for_all_sizes(name: str) -> None:
    network = NETWORKS[name](graph("cora")).eval()
    run = compiled(network)
    draw = torch.Generator().manual_seed(0)
    with listening() as heard, torch.no_grad():
        for nodes, edges in ((30, 90), (200, 17), (7, 500)):
            x = torch.rand(nodes, SIZES["cora"].features, generator=draw)
            ends = torch.randint(0, nodes, (2, edges), generator=draw)
            torch.testing.assert_close(run(x, ends), network(x, ends), **TOLERANCE)
    assert len(heard.reports) == 1


def test_graphs_without_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBER_DATA", str(tmp_path))
    for name, size in SIZES.items():
        generated = citation_graph(name)
        assert generated.generated
        assert generated.x.shape == (size.nodes, size.features)
        assert generated.edges.shape == (2, 2 * size.citations)
        assert 0 <= int(generated.edges.min()) <= int(generated.edges.max()) < size.nodes
        assert int(generated.labels.max()) == size.classes - 1


def test_graphs_of_wrong_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBER_DATA", str(tmp_path))
    (tmp_path / "graphs").mkdir()
    (tmp_path / "graphs" / "cora.mtx").write_text("%%MatrixMarket\n2708 2708 2\n1 2\n")
    with pytest.raises(ArgumentError, match="2708 columns and 1 entries are expected"):
        citation_graph("cora")
    with pytest.raises(ArgumentError, match="no graph 'kora'; there are: cora"):
        citation_graph("kora")
