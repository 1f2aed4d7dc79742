"""The models, with their inputs of every size: recommendation, text, graphs, knowledge, attention.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import functools
import importlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from ember.datasets.citations import citation_graph
from ember.models.edges import (
    Distances,
    MixtureOfExperts,
    PairConvolution,
    RaggedAttention,
    Relations,
    SparseConvolution,
    Statistics,
    TensorProduct,
)
from ember.models.lookups import EdgeWeights, FactorisationMachine, Interest, Matching
from ember.models.recommendation import (
    DLRM,
    DeepFM,
    WideAndDeep,
    mlperf_model,
    multi_hot_inputs,
    padded_inputs,
    wide_and_deep_inputs,
)
from ember.models.tables import MLPERF_ROWS
from ember.models.text import TextClassifier
from torch import nn

# What a case's target is.
EMBEDDINGS, GRAPH_LAYER, EDGE_LAYER = "embeddings", "graph layer", "edge layer"
OTHER = "other"
BATCHES = (1, 16, 128, 1024, 4096)
QUICK_BATCHES = (16, 1024)
# Rows of the recommendation models' largest tables: 26 tables of MLPerf's are 2 GB then.
MOST_ROWS = 500_000
GRAPHS = ("cora", "citeseer", "pubmed")
LAYER_FEATURES = 64
ENTITIES, RELATIONS = 15_000, 237
WORDS, TEXT_WORDS, BLOCK = 5000, 40, 64

Inputs = Callable[[int, int], tuple[Any, ...]]


@dataclass(frozen=True)
class ModelCase:
    """A model and how it is called.

    make: the model, with inputs(size, seed), its arguments. sizes: samples of a batch; 0 stands
    for the whole graph. quick: whether it is in the short run. dynamic: how it is compiled.
    needs: a package it comes from. warns: how the UserWarnings begin that its own code gives in
    each call, a regular expression.
    """

    name: str
    kind: str
    make: Callable[[], tuple[nn.Module, Inputs]]
    sizes: Sequence[int] = BATCHES
    quick: bool = False
    dynamic: bool = True
    needs: str = ""
    warns: str = ""

    @contextmanager
    def without_its_warnings(self) -> Iterator[None]:
        """While entered, the warnings that the model's own code is known to give are not shown."""
        with warnings.catch_warnings():
            if self.warns:
                warnings.filterwarnings("ignore", self.warns, UserWarning)
            yield

    def why_missing(self) -> str:
        """Why the case cannot be run; empty if it can."""
        if not self.needs:
            return ""
        try:
            importlib.import_module(self.needs)
        except ImportError as error:
            return str(error)
        return ""


def _mlperf() -> tuple[nn.Module, Inputs]:
    model = mlperf_model(MOST_ROWS)
    return model, lambda samples, seed: multi_hot_inputs(model, samples, seed)


def _small_dlrm() -> tuple[nn.Module, Inputs]:
    model = DLRM([min(rows, MOST_ROWS) for rows in MLPERF_ROWS], 32, (64,), (64,))
    return model, lambda samples, seed: multi_hot_inputs(model, samples, seed)


def _wide_and_deep() -> tuple[nn.Module, Inputs]:
    model = WideAndDeep(1_000_000, (100_000,) * 12, length=32, hidden=(64, 32))
    return model, lambda samples, seed: wide_and_deep_inputs(model, samples, seed)


def _deep_fm() -> tuple[nn.Module, Inputs]:
    model = DeepFM((100_000,) * 16, length=16, hidden=(64, 32))
    return model, lambda samples, seed: padded_inputs(model, samples, seed)


def _text() -> tuple[nn.Module, Inputs]:
    model = TextClassifier(2_000_000, 32, 4)

    def inputs(samples: int, seed: int) -> tuple[Any, ...]:
        draw = torch.Generator().manual_seed(seed)
        count = samples * TEXT_WORDS
        ngrams = torch.randint(2_000_000, (count,), generator=draw)
        return ngrams, torch.arange(0, count, TEXT_WORDS)

    return model, inputs


ITEMS, FIELDS, HISTORY, EDGES_EACH = 200_000, 26, 50, 10


def _factorisation() -> tuple[nn.Module, Inputs]:
    def inputs(samples: int, seed: int) -> tuple[Any, ...]:
        draw = torch.Generator().manual_seed(seed)
        return (torch.randint(ITEMS, (samples, FIELDS), generator=draw),)

    return FactorisationMachine(ITEMS, 32), inputs


def _history(make: Callable[[int, int], nn.Module]) -> tuple[nn.Module, Inputs]:
    """Many items of each sample, and one."""

    def inputs(samples: int, seed: int) -> tuple[Any, ...]:
        draw = torch.Generator().manual_seed(seed)
        many = torch.randint(ITEMS, (samples, HISTORY), generator=draw)
        return many, torch.randint(ITEMS, (samples,), generator=draw)

    return make(ITEMS, 32), inputs


def _edge_weights() -> tuple[nn.Module, Inputs]:
    def inputs(nodes: int, seed: int) -> tuple[Any, ...]:
        draw = torch.Generator().manual_seed(seed)
        x = torch.randn(nodes, 4, 16, generator=draw)
        return x, torch.randint(nodes, (2, EDGES_EACH * nodes), generator=draw)

    return EdgeWeights(4, 16), inputs


POINTS, OFFSETS, EXPERTS, KINDS, ORDERS = 4000, 27, 8, 8, 9


def _ragged() -> tuple[nn.Module, Inputs]:
    """Users with as many items as there are edges of a node, on average."""

    def inputs(users: int, seed: int) -> tuple[Any, ...]:
        draw = torch.Generator().manual_seed(seed)
        count = EDGES_EACH * users
        items = torch.randint(ITEMS, (count,), generator=draw)
        return items, torch.randint(users, (count,), generator=draw).sort().values, users

    return RaggedAttention(ITEMS, 32), inputs


def _points(make: Callable[[], nn.Module], attributes: Sequence[str]) -> tuple[nn.Module, Inputs]:
    """Rows of points, and edges between them with attributes."""

    def inputs(size: int, seed: int) -> tuple[Any, ...]:
        draw = torch.Generator().manual_seed(seed)
        edges = EDGES_EACH * POINTS
        of_offsets = (edges + torch.arange(OFFSETS)) // OFFSETS
        made: dict[str, Callable[[], Any]] = {
            "rows": lambda: torch.randn(POINTS, 32, generator=draw),
            "vectors": lambda: torch.randn(POINTS, 16, ORDERS, generator=draw),
            "edges": lambda: torch.randint(POINTS, (2, edges), generator=draw),
            "kinds": lambda: torch.randint(KINDS, (edges,), generator=draw),
            "offsets": lambda: torch.arange(OFFSETS).repeat_interleave(of_offsets),
            "starts": lambda: [0, *of_offsets.cumsum(0).tolist()],
            "harmonics": lambda: torch.randn(edges, ORDERS, generator=draw),
            "weights": lambda: torch.randn(edges, 16, generator=draw),
        }
        return tuple(made[one]() for one in attributes)

    return make(), inputs


def _distances() -> tuple[nn.Module, Inputs]:
    def inputs(samples: int, seed: int) -> tuple[Any, ...]:
        draw = torch.Generator().manual_seed(seed)
        # Of different halves: PyTorch's distance of a row to itself is what rounding leaves.
        seen = torch.randint(ITEMS // 2, (samples, HISTORY), generator=draw)
        return seen, torch.randint(ITEMS // 2, ITEMS, (samples, 4), generator=draw)

    return Distances(ITEMS, 32), inputs


def _of_edges() -> list[ModelCase]:
    """Models whose edges, pairs and tokens are looked up, computed with, and combined."""
    of_points: dict[str, tuple[Callable[[], nn.Module], tuple[str, ...]]] = {
        "statistics": (Statistics, ("rows", "edges")),
        "relations": (lambda: Relations(KINDS, 32), ("rows", "edges", "kinds")),
        "sparse convolution": (
            lambda: SparseConvolution(OFFSETS, 32),
            ("rows", "edges", "starts"),
        ),
        "pair convolution": (lambda: PairConvolution(OFFSETS, 32), ("rows", "edges", "offsets")),
        "mixture of experts": (lambda: MixtureOfExperts(EXPERTS, 32), ("rows",)),
        "tensor product": (
            lambda: TensorProduct(ORDERS),
            ("vectors", "edges", "harmonics", "weights"),
        ),
    }
    return [
        ModelCase("ragged attention", EMBEDDINGS, _ragged),
        ModelCase("distances", EMBEDDINGS, _distances),
        *(
            ModelCase(name, EDGE_LAYER, functools.partial(_points, *given), (0,))
            for name, given in of_points.items()
        ),
    ]


def _network(kind: str, name: str, options: dict[str, Any]) -> tuple[nn.Module, Inputs]:
    """A network of two layers on a citation graph's own features."""
    graph = citation_graph(name)
    make = getattr(importlib.import_module("torch_geometric.nn"), kind)
    model: nn.Module = make(graph.x.shape[1], 16, 2, graph.classes, **options)
    return model.eval(), lambda size, seed: (graph.x, graph.edges)


def _layer(kind: str, name: str, options: dict[str, Any]) -> tuple[nn.Module, Inputs]:
    """A layer of as many features in as out."""
    graph = citation_graph(name)
    geometric = importlib.import_module("torch_geometric.nn")
    if kind == "GINConv":
        model = geometric.GINConv(nn.Linear(LAYER_FEATURES, LAYER_FEATURES))
    elif "heads" in options:
        heads = options["heads"]
        model = getattr(geometric, kind)(LAYER_FEATURES, LAYER_FEATURES // heads, heads)
    else:
        model = getattr(geometric, kind)(LAYER_FEATURES, LAYER_FEATURES, **options)

    def inputs(size: int, seed: int) -> tuple[Any, ...]:
        draw = torch.Generator().manual_seed(seed)
        return torch.rand(graph.nodes, LAYER_FEATURES, generator=draw), graph.edges

    return model.eval(), inputs


def _knowledge(kind: str) -> tuple[nn.Module, Inputs]:
    make = getattr(importlib.import_module("torch_geometric.nn"), kind)
    model: nn.Module = make(ENTITIES, RELATIONS, 128)

    def inputs(samples: int, seed: int) -> tuple[Any, ...]:
        draw = torch.Generator().manual_seed(seed)
        heads, tails = torch.randint(ENTITIES, (2, samples), generator=draw)
        return heads, torch.randint(RELATIONS, (samples,), generator=draw), tails

    return model, inputs


def _attention() -> tuple[nn.Module, Inputs]:
    """BigBird's layers over texts of 16 blocks; the model's first result."""
    transformers = importlib.import_module("transformers")
    config = transformers.BigBirdConfig(
        vocab_size=WORDS,
        hidden_size=256,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=512,
        max_position_embeddings=16 * BLOCK,
        attention_type="block_sparse",
        block_size=BLOCK,
        return_dict=False,
    )
    model: nn.Module = transformers.BigBirdModel(config).eval()

    def inputs(samples: int, seed: int) -> tuple[Any, ...]:
        draw = torch.Generator().manual_seed(seed)
        return (torch.randint(WORDS, (samples, 16 * BLOCK), generator=draw),)

    return model, inputs


NETWORKS: dict[str, tuple[str, dict[str, Any]]] = {
    "GCN": ("GCN", {}),
    "GraphSAGE mean": ("GraphSAGE", {"aggr": "mean"}),
    "GraphSAGE max": ("GraphSAGE", {"aggr": "max"}),
    "GAT": ("GAT", {"heads": 4}),
    "GIN": ("GIN", {}),
}
LAYERS: dict[str, tuple[str, dict[str, Any]]] = {
    "GCN": ("GCNConv", {}),
    "GraphSAGE mean": ("SAGEConv", {"aggr": "mean"}),
    "GraphSAGE max": ("SAGEConv", {"aggr": "max"}),
    "GAT": ("GATConv", {"heads": 4}),
    "GIN": ("GINConv", {}),
    "GATv2": ("GATv2Conv", {"heads": 4}),
    "transformer": ("TransformerConv", {"heads": 4}),
    "gated": ("ResGatedGraphConv", {}),
    "GEN": ("GENConv", {"aggr": "softmax"}),
}
GEOMETRIC = "torch_geometric.nn"
# Of torch.tensor(tensor), which BigBird's attention calls.
COPY_WARNING = "To copy construct from a tensor, it is recommended to use"


def all_cases() -> list[ModelCase]:
    """Every model, in the order of the tables."""
    cases = [
        ModelCase("DLRM, MLPerf", OTHER, _mlperf),
        ModelCase("DLRM, small layers", EMBEDDINGS, _small_dlrm, quick=True),
        ModelCase("wide and deep", EMBEDDINGS, _wide_and_deep),
        ModelCase("DeepFM", EMBEDDINGS, _deep_fm),
        ModelCase("text classifier", EMBEDDINGS, _text, quick=True),
    ]
    cases += [
        ModelCase("factorisation machine", EMBEDDINGS, _factorisation, quick=True),
        ModelCase("interest", EMBEDDINGS, functools.partial(_history, Interest), quick=True),
        ModelCase("matching", EMBEDDINGS, functools.partial(_history, Matching)),
        ModelCase("GATv2's scores", EMBEDDINGS, _edge_weights),
        *_of_edges(),
    ]
    for name in ("TransE", "DistMult", "ComplEx", "RotatE"):
        make = functools.partial(_knowledge, name)
        cases.append(ModelCase(name, EMBEDDINGS, make, quick=name == "DistMult", needs=GEOMETRIC))
    for graph in GRAPHS:
        for name, (kind, options) in LAYERS.items():
            make = functools.partial(_layer, kind, graph, options)
            quick = graph == "pubmed" and name == "GraphSAGE mean"
            title = f"{name} layer, {graph}"
            cases.append(ModelCase(title, GRAPH_LAYER, make, (0,), quick, needs=GEOMETRIC))
        for name, (kind, options) in NETWORKS.items():
            make = functools.partial(_network, kind, graph, options)
            quick = graph == "cora" and name == "GCN"
            cases.append(ModelCase(f"{name}, {graph}", OTHER, make, (0,), quick, needs=GEOMETRIC))
    cases.append(
        ModelCase(
            "BigBird",
            OTHER,
            _attention,
            (1, 4),
            dynamic=False,
            needs="transformers",
            warns=COPY_WARNING,
        )
    )
    return cases
