"""The model zoo: torch_geometric's layers, unchanged, on graphs of several sizes.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from model_zoo import WAYS, Batch, ZooModel, check_zoo_model
from torch import Tensor, nn

layers = pytest.importorskip("torch_geometric.nn")

pytestmark = [
    pytest.mark.models,
    pytest.mark.usefixtures("fresh_dynamo"),
    pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor:UserWarning"),
]

LENGTH, OUT, KINDS, EDGE = 8, 4, 3, 5
# Nodes and edges; one is a graph of one node.
SIZES = ((20, 60), (1, 1), (7, 30))
DEGREES = torch.tensor([1, 4, 6, 3, 2])


def ends_of(nodes: int, edges: int, others: int | None = None) -> Tensor:
    """The nodes and the others that edges join, (2, edges)."""
    draw = torch.Generator().manual_seed(nodes + edges)
    source = torch.randint(nodes, (edges,), generator=draw)
    target = torch.randint(others or nodes, (edges,), generator=draw)
    return torch.stack([source, target])


def drawn(*sizes: int, seed: int = 0) -> Tensor:
    return torch.randn(sizes, generator=torch.Generator().manual_seed(seed + sum(sizes)))


def plain(nodes: int, edges: int) -> Batch:
    return drawn(nodes, LENGTH), ends_of(nodes, edges)


def weighted(nodes: int, edges: int) -> Batch:
    return (*plain(nodes, edges), drawn(edges).abs())


def attributed(nodes: int, edges: int) -> Batch:
    return (*plain(nodes, edges), drawn(edges, EDGE))


def typed(nodes: int, edges: int) -> Batch:
    return (*plain(nodes, edges), torch.arange(edges) % KINDS)


def typed_attributed(nodes: int, edges: int) -> Batch:
    return (*typed(nodes, edges), drawn(edges, EDGE))


def signed(nodes: int, edges: int) -> Batch:
    return drawn(nodes, LENGTH), ends_of(nodes, edges), ends_of(nodes, edges + 3)


def placed(nodes: int, edges: int) -> Batch:
    return drawn(nodes, LENGTH), drawn(nodes, 3, seed=1), ends_of(nodes, edges)


def normals(nodes: int, edges: int) -> Batch:
    x, places, ends = placed(nodes, edges)
    return x, places, torch.nn.functional.normalize(drawn(nodes, 3, seed=2)), ends


def jumping(nodes: int, edges: int) -> Batch:
    return drawn(nodes, 3, LENGTH), ends_of(nodes, edges)


def residual(nodes: int, edges: int) -> Batch:
    return drawn(nodes, LENGTH), drawn(nodes, LENGTH, seed=1), ends_of(nodes, edges)


def pseudo(nodes: int, edges: int) -> Batch:
    return (*plain(nodes, edges), drawn(edges, 2).sigmoid())


def coloured(nodes: int, edges: int) -> Batch:
    return drawn(nodes, LENGTH), ends_of(nodes, edges), torch.arange(nodes) % KINDS


def heated(nodes: int, edges: int) -> Batch:
    x, ends = plain(nodes, edges)
    kinds = torch.arange(edges) % KINDS
    return x, ends, torch.arange(nodes) % 2, kinds, drawn(edges, EDGE)


def bipartite(nodes: int, edges: int) -> Batch:
    others = nodes + 2
    return (drawn(nodes, LENGTH), drawn(others, LENGTH, seed=1)), ends_of(nodes, edges, others)


def mlp(inputs: int, outputs: int = OUT) -> nn.Module:
    return nn.Sequential(nn.Linear(inputs, outputs), nn.ReLU(), nn.Linear(outputs, outputs))


def conv(name: str, *arguments: Any, **options: Any) -> Callable[[], nn.Module]:
    return lambda: getattr(layers, name)(*arguments, **options)


Inputs = Callable[[int, int], Batch]
BOTH = (LENGTH, OUT)
LAYERS: dict[str, tuple[Callable[[], nn.Module], Inputs]] = {
    "SimpleConv": (conv("SimpleConv", aggr="mean"), weighted),
    "GCNConv": (conv("GCNConv", *BOTH), weighted),
    "GCNConv, improved": (conv("GCNConv", *BOTH, improved=True, normalize=True), plain),
    "ChebConv": (conv("ChebConv", *BOTH, K=3), weighted),
    "SAGEConv, mean": (conv("SAGEConv", *BOTH), plain),
    "SAGEConv, max": (conv("SAGEConv", *BOTH, aggr="max"), plain),
    "SAGEConv, bipartite": (conv("SAGEConv", (LENGTH, LENGTH), OUT), bipartite),
    "SAGEConv, project": (conv("SAGEConv", *BOTH, project=True, normalize=True), plain),
    "GraphConv": (conv("GraphConv", *BOTH), weighted),
    "GraphConv, max": (conv("GraphConv", *BOTH, aggr="max"), plain),
    "GatedGraphConv": (conv("GatedGraphConv", LENGTH, 2), weighted),
    "ResGatedGraphConv": (conv("ResGatedGraphConv", *BOTH), plain),
    "GATConv": (conv("GATConv", *BOTH, heads=2), plain),
    "GATConv, edges": (conv("GATConv", *BOTH, heads=2, concat=False, edge_dim=EDGE), attributed),
    "GATConv, bipartite": (
        conv("GATConv", (LENGTH, LENGTH), OUT, add_self_loops=False),
        bipartite,
    ),
    "GATv2Conv": (conv("GATv2Conv", *BOTH, heads=2), plain),
    "TransformerConv": (conv("TransformerConv", *BOTH, heads=2, edge_dim=EDGE), attributed),
    "AGNNConv": (conv("AGNNConv"), plain),
    "TAGConv": (conv("TAGConv", *BOTH, K=2), weighted),
    "GINConv": (lambda: layers.GINConv(mlp(LENGTH), train_eps=True), plain),
    "GINEConv": (lambda: layers.GINEConv(mlp(LENGTH), edge_dim=EDGE), attributed),
    "ARMAConv": (conv("ARMAConv", *BOTH, num_stacks=2, num_layers=2), weighted),
    "SGConv": (conv("SGConv", *BOTH, K=2), weighted),
    "SSGConv": (conv("SSGConv", *BOTH, alpha=0.1, K=2), weighted),
    "APPNP": (conv("APPNP", K=3, alpha=0.1), weighted),
    "MFConv": (conv("MFConv", *BOTH, max_degree=4), plain),
    "RGCNConv": (conv("RGCNConv", *BOTH, KINDS, num_bases=2), typed),
    "RGCNConv, blocks": (conv("RGCNConv", *BOTH, KINDS, num_blocks=2), typed),
    "FastRGCNConv": (conv("FastRGCNConv", *BOTH, KINDS), typed),
    "RGATConv": (conv("RGATConv", *BOTH, KINDS, heads=2, edge_dim=EDGE), typed_attributed),
    "SignedConv": (conv("SignedConv", *BOTH, first_aggr=True), signed),
    "DNAConv": (conv("DNAConv", LENGTH, heads=2), jumping),
    "PointNetConv": (lambda: layers.PointNetConv(mlp(LENGTH + 3)), placed),
    "GMMConv": (conv("GMMConv", *BOTH, dim=2, kernel_size=3), pseudo),
    "NNConv": (lambda: layers.NNConv(*BOTH, mlp(EDGE, LENGTH * OUT)), attributed),
    "CGConv": (conv("CGConv", LENGTH, dim=EDGE), attributed),
    "EdgeConv": (lambda: layers.EdgeConv(mlp(2 * LENGTH)), plain),
    "PPFConv": (lambda: layers.PPFConv(mlp(LENGTH + 4)), normals),
    "FeaStConv": (conv("FeaStConv", *BOTH, heads=2), plain),
    "PointTransformerConv": (conv("PointTransformerConv", *BOTH), placed),
    "HypergraphConv": (conv("HypergraphConv", *BOTH), plain),
    "LEConv": (conv("LEConv", *BOTH), weighted),
    "PNAConv": (
        conv("PNAConv", *BOTH, ["mean", "max", "std"], ["identity", "linear"], DEGREES),
        plain,
    ),
    "ClusterGCNConv": (conv("ClusterGCNConv", *BOTH), plain),
    "GENConv": (conv("GENConv", *BOTH, learn_t=True, norm="layer"), plain),
    "GENConv, power": (conv("GENConv", *BOTH, aggr="powermean", learn_p=True, norm="layer"), plain),
    "GCN2Conv": (conv("GCN2Conv", LENGTH, alpha=0.1, theta=0.5, layer=1), residual),
    "WLConvContinuous": (conv("WLConvContinuous"), weighted),
    "FiLMConv": (conv("FiLMConv", *BOTH), plain),
    # In training it draws edges by Python's own generator, which torch.compile does not capture.
    "SuperGATConv": (lambda: layers.SuperGATConv(*BOTH, heads=2).eval(), plain),
    "FAConv": (conv("FAConv", LENGTH), residual),
    "EGConv": (conv("EGConv", *BOTH, num_heads=2, num_bases=2), plain),
    "PDNConv": (conv("PDNConv", *BOTH, edge_dim=EDGE, hidden_channels=6), attributed),
    "GeneralConv": (conv("GeneralConv", *BOTH, in_edge_channels=EDGE), attributed),
    "HEATConv": (
        conv("HEATConv", *BOTH, 2, KINDS, edge_type_emb_dim=3, edge_dim=EDGE, edge_attr_emb_dim=3),
        heated,
    ),
    "LGConv": (conv("LGConv"), weighted),
    "PointGNNConv": (
        lambda: layers.PointGNNConv(mlp(LENGTH, 3), mlp(LENGTH + 3), mlp(OUT, LENGTH)),
        placed,
    ),
    "GPSConv": (
        lambda: layers.GPSConv(LENGTH, layers.GCNConv(LENGTH, LENGTH), heads=2, norm=None),
        plain,
    ),
    "AntiSymmetricConv": (conv("AntiSymmetricConv", LENGTH), plain),
    "DirGNNConv": (lambda: layers.DirGNNConv(layers.SAGEConv(*BOTH)), plain),
    "MixHopConv": (conv("MixHopConv", *BOTH), weighted),
    "WLConv": (lambda: WithColours(), coloured),
}


class WithColours(nn.Module):
    """A sum over edges beside the colours that WLConv makes of those of the neighbours."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.sums = nn.Embedding(KINDS, LENGTH), layers.SimpleConv()

    def forward(self, x: Tensor, ends: Tensor, colours: Tensor) -> Tensor:
        found: Tensor = self.sums(x + self.table(colours), ends)
        return found


def on_graphs(make: Callable[[], nn.Module], inputs: Inputs) -> ZooModel:
    return ZooModel(make, lambda: [inputs(*size) for size in SIZES])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", LAYERS)
def test_layer(name: str, way: str) -> None:
    check_zoo_model(on_graphs(*LAYERS[name]), way)


USERS, ITEMS = "user", "item"
METADATA = (
    [USERS, ITEMS],
    [(USERS, "buys", ITEMS), (ITEMS, "bought_by", USERS), (USERS, "knows", USERS)],
)


def heterogeneous(nodes: int, edges: int) -> Batch:
    """Features of users and items, and edges of three kinds."""
    counts = {USERS: nodes, ITEMS: nodes + 3}
    x = {kind: drawn(count, LENGTH) for kind, count in counts.items()}
    ends = {
        (source, name, target): ends_of(counts[source], edges + place, counts[target])
        for place, (source, name, target) in enumerate(METADATA[1])
    }
    return x, ends


def hetero_conv() -> nn.Module:
    first, second, third = METADATA[1]
    made: nn.Module = layers.HeteroConv(
        {
            first: layers.SAGEConv((LENGTH, LENGTH), OUT),
            second: layers.GATConv((LENGTH, LENGTH), OUT, add_self_loops=False),
            third: layers.GCNConv(LENGTH, OUT),
        }
    )
    return made


class TwoLayers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = layers.SAGEConv(LENGTH, 6), layers.SAGEConv(6, OUT)

    # to_hetero tells edges from nodes by the argument's name.
    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        found: Tensor = self.second(self.first(x, edge_index).relu(), edge_index)
        return found


HETEROGENEOUS: dict[str, Callable[[], nn.Module]] = {
    "HGTConv": lambda: layers.HGTConv(LENGTH, OUT, METADATA, heads=2),
    "HANConv": lambda: layers.HANConv(LENGTH, OUT, METADATA, heads=2),
    "HeteroConv": hetero_conv,
    "to_hetero": lambda: layers.to_hetero(TwoLayers(), METADATA),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", HETEROGENEOUS)
def test_heterogeneous(name: str, way: str) -> None:
    check_zoo_model(on_graphs(HETEROGENEOUS[name], heterogeneous), way)


NETWORKS = {
    name: conv(name, LENGTH, 6, 2, OUT) for name in ("GCN", "GraphSAGE", "GIN", "GAT", "EdgeCNN")
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", NETWORKS)
def test_network(name: str, way: str) -> None:
    check_zoo_model(on_graphs(NETWORKS[name], plain), way)
