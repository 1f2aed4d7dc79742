"""Time that torch.compile(backend="ember") takes to find kernels in a captured graph.

Capturing the graph is PyTorch's, and kernels are compiled at their first call: neither is in it. A
graph of few operations is measured in a new process, which has seen none of their kinds, and again;
beside it stands what PyTorch takes to run its operations once on tensors without data, as whoever
asks for the sizes of their results has to.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import copy
import multiprocessing
import statistics
import time
from collections.abc import Callable
from typing import Any

import torch
from ember.torch.graph.partition import partition
from ember.torch.settings import Settings
from torch import Tensor
from torch.fx import GraphModule
from torch.nn import functional

from benchmarks.report import report

FEW_TARGET_SECONDS, MANY_TARGET_SECONDS = 0.02, 0.5
REPEATS = 5


def _attention(
    x: Tensor, source: Tensor, target: Tensor, weight: Tensor, left: Tensor, right: Tensor
) -> Tensor:
    """A layer of attention over edges (GAT), of 4 heads."""
    rows = (x @ weight).view(-1, 4, 16)
    ends = (rows * left).sum(-1)[source] + (rows * right).sum(-1)[target]
    scores = functional.leaky_relu(ends, 0.2)
    at = target[:, None].expand(-1, 4)
    largest = torch.full((x.shape[0], 4), float("-inf")).scatter_reduce(0, at, scores, "amax")
    weights = torch.exp(scores - largest[target])
    sums = torch.zeros(x.shape[0], 4).index_add(0, target, weights)
    messages = rows[source] * (weights / (sums[target] + 1e-9))[..., None]
    return functional.elu(torch.zeros(x.shape[0], 4, 16).index_add(0, target, messages).flatten(1))


def _layers(count: int) -> Callable[..., Tensor]:
    def compute(x: Tensor, *others: Tensor) -> Tensor:
        for _ in range(count):
            x = _attention(x, *others)
        return x

    return compute


def _dense(count: int) -> Callable[..., Tensor]:
    """Layers of a network, and a score of rows of what they compute."""

    def compute(x: Tensor, source: Tensor, target: Tensor, weight: Tensor, *rest: Tensor) -> Tensor:
        for _ in range(count):
            x = functional.relu(x @ weight) * 0.5 + x
        return (x[source] * x[target]).sum(1)

    return compute


def _captured(function: Callable[..., Tensor]) -> GraphModule:
    graphs: list[GraphModule] = []

    def keep(module: GraphModule, _: Any) -> Callable[..., Any]:
        graphs.append(copy.copy(module))
        return module.forward

    nodes, edges = 500, 4_000
    ends = (torch.randint(nodes, (edges,)) for _ in range(2))
    weights = torch.randn(64, 64), torch.randn(1, 4, 16), torch.randn(1, 4, 16)
    torch.compiler.reset()
    with torch.no_grad():
        torch.compile(function, backend=keep)(torch.randn(nodes, 64), *ends, *weights)
    return graphs[0]


def _planning(module: GraphModule) -> float:
    """Seconds for a captured graph."""
    began = time.perf_counter()
    partition(module, Settings.of(None))
    return time.perf_counter() - began


def _running(module: GraphModule) -> float:
    """Seconds of its operations on tensors without data."""
    inputs = [node.meta["example_value"] for node in module.graph.find_nodes(op="placeholder")]
    began = time.perf_counter()
    with inputs[0].fake_mode, torch.no_grad():
        module.forward(*inputs)
    return time.perf_counter() - began


def _few(measure: Callable[[GraphModule], float]) -> list[float]:
    """The seconds of few operations, the first time and again."""
    return [measure(_captured(_layers(2))) for _ in range(1 + REPEATS)]


def _report_few() -> None:
    # Each in a process of its own, which PyTorch has seen none of these operations in.
    context = multiprocessing.get_context("spawn")
    with context.Pool(1, maxtasksperchild=1) as pool:
        planning, running = pool.map(_few, (_planning, _running), chunksize=1)
    count = _operations(_captured(_layers(2)))
    title = f"planning {count} operations of two layers of edges"
    first, median = planning[0], statistics.median(planning[1:])
    goal, given = f"{1e3 * FEW_TARGET_SECONDS:g} ms", (running[0], statistics.median(running[1:]))
    report(f"{title}: first", 1e3 * first, "ms")
    report("  running them once without data", 1e3 * given[0], "ms")
    report(title, 1e3 * median, "ms", goal, median < FEW_TARGET_SECONDS)
    report("  running them once without data", 1e3 * given[1], "ms")


def _operations(module: GraphModule) -> int:
    return sum(node.op.startswith("call") for node in module.graph.nodes)


def main() -> None:
    _report_few()
    for name, function in (
        ("a dense network", _dense(500)),
        ("70 layers of edges", _layers(70)),
    ):
        modules = [_captured(function) for _ in range(1 + REPEATS)]
        title = f"planning {_operations(modules[0])} operations of {name}"
        _, *seconds = map(_planning, modules)
        median = statistics.median(seconds)
        goal = f"{1e3 * MANY_TARGET_SECONDS:g} ms"
        report(title, 1e3 * median, "ms", goal, median < MANY_TARGET_SECONDS)
