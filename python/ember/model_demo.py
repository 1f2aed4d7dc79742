"""The demonstration's models: what people run, by eager PyTorch and compiled by ember.compile.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import copy
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as functional
from torch import Tensor, nn

import ember
from ember.measurement import Seconds, measure
from ember.models.graph import GraphNetwork
from ember.models.recommendation import DLRM, multi_hot_inputs
from ember.models.tables import MLPERF_MULTI_HOT, MLPERF_ROWS

INFERENCE, TRAINING = "inference", "training step"
BATCHES = (1, 16, 256, 2048)
TRAINED_SAMPLES = 256
MOST_ROWS = 200_000
# Length of rows and layers as DLRM's authors have them for Criteo's Kaggle data (arXiv:1906.00091).
LENGTH = 16
BOTTOM = (512, 256, 64)
TOP = (512, 256)
# Nodes and edges of PubMed's citations.
NODES, EDGES, FEATURES, CLASSES = 19_717, 88_648, 64, 16
# Of the quantised table, and of a batch of it.
ROWS, ROW_LENGTH, BAGS, LOOKUPS = 200_000, 64, 2048, 40
# PyTorch's operators for quantised rows.
ENCODINGS = {"int8": "embedding_bag_byte", "int4": "embedding_bag_4bit"}

Call = Callable[..., Any]


@dataclass(frozen=True)
class Run:
    """A model on batches, in PyTorch and compiled: calls that do the same.

    check: whether the first batch's results agree; it raises AssertionError otherwise.
    """

    title: str
    what: str
    eager: Call
    compiled: Call
    batches: Sequence[tuple[Any, ...]]
    check: Callable[[], None]


@dataclass(frozen=True)
class Outcome:
    """The times of a run."""

    title: str
    what: str
    eager: Seconds
    compiled: Seconds

    @property
    def ratio(self) -> float:
        """How many times as long PyTorch takes."""
        return self.eager.median / self.compiled.median

    @property
    def is_stable(self) -> bool:
        """Whether both times say something of the next call."""
        return self.eager.is_stable and self.compiled.is_stable


def show_models(seconds: float, picture: Path, say: Callable[[str], None]) -> list[Outcome]:
    """Compiles, explains, checks and times the models; seconds: for each row."""
    say("DLRM: compiling")
    model = recommender()
    fast = for_inference(model, batch_of(model, 4))
    say("")
    print(f"DLRM with MLPerf's {len(MLPERF_ROWS)} tables, none with more than {MOST_ROWS} rows of")
    print(
        f"{LENGTH} f32, as ember.compile(model, batch), all that a program changes, compiles it:\n"
    )
    print(fast.reports())
    print(
        "\nIts time and that of others, of each call on another batch, one thread, by turns; ± is"
    )
    print("half the distance of the quartiles.\n")
    print(f"{'model':34}{'':16}|{'ms: PyTorch':>16}{'Ember':>16} | times as fast", flush=True)
    outcomes = []
    for run in runs(model, fast):
        say(f"{run.title}, {run.what}: measuring")
        outcome = _measured(run, seconds)
        outcomes.append(outcome)
        say("")
        print(_line(outcome), flush=True)
    _plot(outcomes, picture)
    return outcomes


def recommender() -> DLRM:
    """The recommendation model; gradients of its tables are sparse."""
    return DLRM([min(rows, MOST_ROWS) for rows in MLPERF_ROWS], LENGTH, BOTTOM, TOP, sparse=True)


def batch_of(model: DLRM, samples: int, seed: int = 0) -> tuple[Any, ...]:
    """A batch for the recommendation model, with MLPerf's numbers of lookups."""
    return multi_hot_inputs(model, samples, seed, MLPERF_MULTI_HOT[: len(model.rows)])


def runs(model: DLRM, fast: Call) -> Iterator[Run]:
    """What is shown, in its order; model: the recommendation model, fast: the same compiled."""
    for samples in BATCHES:
        batches: list[Any] = [batch_of(model, samples, seed) for seed in range(4)]
        yield _inference(f"DLRM, batch of {samples}", model, fast, batches)
    batches = [batch_of(model, TRAINED_SAMPLES, seed) for seed in range(4)]
    clicks = torch.arange(TRAINED_SAMPLES).remainder(2).view(-1, 1).float()
    title = f"DLRM, batch of {TRAINED_SAMPLES}, sparse SGD"
    yield _training(title, model, batches, functional.binary_cross_entropy, clicks)
    network = GraphNetwork(FEATURES, FEATURES, CLASSES)
    source, target = torch.randint(NODES, (2, EDGES))
    graph = (torch.randn(NODES, FEATURES), source, target)
    title = f"GraphSAGE, {NODES} nodes"
    yield _inference(title, network, for_inference(network, graph), [graph])
    classes = torch.randint(CLASSES, (NODES,))
    yield _training(f"{title}, SGD", network, [graph], functional.cross_entropy, classes)
    table = torch.randn(ROWS, ROW_LENGTH)
    offsets = torch.arange(0, BAGS * LOOKUPS, LOOKUPS)
    batches = [(torch.randint(ROWS, (BAGS * LOOKUPS,)), offsets) for _ in range(12)]
    for encoding in ENCODINGS:
        scores = QuantizedScores(table, encoding)
        title = f"{encoding} table, {BAGS} bags of {LOOKUPS}"
        yield _inference(title, scores, for_inference(scores, batches[0]), batches)


def for_inference(model: nn.Module, example: Any) -> ember.Kernel:
    """The compiled model; torch.compile captures a graph for each mode of gradients."""
    with torch.no_grad():
        return ember.compile(model, example)


class QuantizedScores(nn.Module):
    """Sums of quantised rows by PyTorch's operators, and a linear layer."""

    def __init__(self, table: Tensor, encoding: str) -> None:
        super().__init__()
        operators, name = torch.ops.quantized, ENCODINGS[encoding]
        self.rows: Tensor
        self.register_buffer("rows", getattr(operators, f"{name}_prepack")(table))
        self.sums = getattr(operators, f"{name}_rowwise_offsets")
        self.linear = nn.Linear(table.shape[1], CLASSES)

    def forward(self, indices: Tensor, offsets: Tensor) -> Tensor:
        scores: Tensor = self.linear(self.sums(self.rows, indices, offsets))
        return scores


def _inference(title: str, model: nn.Module, fast: Call, batches: Sequence[tuple[Any, ...]]) -> Run:
    @torch.no_grad()
    def eager(*batch: Any) -> Any:
        return model(*batch)

    @torch.no_grad()
    def compiled(*batch: Any) -> Any:
        return fast(*batch)

    def check() -> None:
        for batch in batches:
            torch.testing.assert_close(compiled(*batch), eager(*batch), rtol=1e-4, atol=1e-4)

    return Run(title, INFERENCE, eager, compiled, batches, check)


def _training(
    title: str,
    model: nn.Module,
    batches: Sequence[tuple[Any, ...]],
    loss: Callable[[Tensor, Tensor], Tensor],
    wanted: Tensor,
) -> Run:
    """Steps of a model and of its copy, which is compiled: forward, backward, update."""
    twin = copy.deepcopy(model)

    def step_of(trained: nn.Module, call: Call) -> Call:
        optimizer = torch.optim.SGD(trained.parameters(), lr=0.01)

        def step(*batch: Any) -> None:
            optimizer.zero_grad()
            loss(call(*batch), wanted).backward()  # type: ignore[no-untyped-call]
            optimizer.step()

        return step

    steps = step_of(model, model), step_of(twin, ember.compile(twin, batches[0]))

    def check() -> None:
        for step in steps:
            step(*batches[0])
        for one, other in zip(twin.parameters(), model.parameters(), strict=True):
            torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)

    return Run(title, TRAINING, *steps, batches, check)


def _measured(run: Run, seconds: float) -> Outcome:
    try:
        run.check()
    except AssertionError as error:
        sys.exit(f"error: {run.title}, {run.what}: compiled, it differs from PyTorch: {error}")
    for call in (run.eager, run.compiled):
        for batch in run.batches:
            call(*batch)
    contenders: dict[str, Callable[[Any], object]] = {
        "eager": lambda batch: run.eager(*batch),
        "compiled": lambda batch: run.compiled(*batch),
    }
    times = measure(contenders, run.batches, seconds=seconds)
    return Outcome(run.title, run.what, times["eager"], times["compiled"])


def _line(outcome: Outcome) -> str:
    cells = "".join(
        f"{f'{1e3 * time.median:.3f} ±{time.spread:.0%}':>16}"
        for time in (outcome.eager, outcome.compiled)
    )
    return f"{outcome.title:34}{outcome.what:16}|{cells} |{outcome.ratio:14.2f}"


def _plot(outcomes: Sequence[Outcome], picture: Path) -> None:
    """Draws how many times as fast each model is, compiled."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panel = pyplot.subplots(figsize=(10, 0.45 * len(outcomes) + 1.2))
    places = range(len(outcomes), 0, -1)
    colors = ["C1" if one.what == TRAINING else "C0" for one in outcomes]
    bars = panel.barh(places, [one.ratio for one in outcomes], 0.6, color=colors)
    panel.bar_label(bars, [f"{one.ratio:.2f}" for one in outcomes], padding=3)
    panel.axvline(1, color="black", linewidth=0.8)
    panel.set_yticks(places, [f"{one.title}\n{one.what}" for one in outcomes], fontsize="small")
    panel.margins(x=0.12)
    panel.set_xlabel("times as fast as eager PyTorch")
    panel.set_title("Models compiled by ember.compile, f32, one thread")
    figure.tight_layout()
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=120)
    pyplot.close(figure)
