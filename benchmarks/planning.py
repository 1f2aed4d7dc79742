"""Time that torch.compile(backend="ember") takes to find kernels in a captured graph.

Capturing the graph is PyTorch's, and kernels are compiled at their first call: neither is in it. A
graph of few operations is measured in a new process, which has seen none of their kinds, and again.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import copy
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
REPEATS = 7


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


def _seconds(function: Callable[..., Tensor]) -> tuple[int, float]:
    module = _captured(function)
    operations = sum(node.op.startswith("call") for node in module.graph.nodes)
    began = time.perf_counter()
    partition(module, Settings.of(None))
    return operations, time.perf_counter() - began


def main() -> None:
    for name, function, target in (
        ("two layers of edges", _layers(2), FEW_TARGET_SECONDS),
        ("a dense network", _dense(500), MANY_TARGET_SECONDS),
        ("70 layers of edges", _layers(70), MANY_TARGET_SECONDS),
    ):
        operations, first = _seconds(function)
        title = f"planning {operations} operations of {name}"
        if target is FEW_TARGET_SECONDS:
            report(f"{title}: first", 1e3 * first, "ms")
        median = statistics.median(_seconds(function)[1] for _ in range(REPEATS))
        report(title, 1e3 * median, "ms", f"{1e3 * target:g} ms", median < target)
