"""What a call costs besides the kernel: of bound tables, and of compiled models of small sizes.

The path from Python to a kernel is that of a call of a kernel which does nothing. A model's call by
ember.compile is never to take longer than that by torch.compile(backend="ember"), nor where the
short path has to be left.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import functools
import statistics
import time
from collections.abc import Callable
from typing import Any

import ember
import torch
from ember import native
from ember.embed_programs import ENTRY, Bag, array, program
from ember.torch.capture import private

from benchmarks.report import report

TARGET_MICROSECONDS = 3.0
TORCH = 'torch.compile(backend="ember")'
MANY_TABLES = 26
LENGTH = 16
ROWS = 100
# A sample is of so many calls; there are so many samples of each way of calling, in turns.
CALLS = 2000
SAMPLES = 21


def idle_program(tables: int) -> str:
    """A kernel with the parameters of a bag of so many tables that does nothing."""
    types = [f"memref<?x{LENGTH}xf32>"] * tables
    types += ["memref<?xi64>"] * 2 + [f"memref<?x{tables * LENGTH}xf32>"]
    parameters = ", ".join(f"%{k}: {one}" for k, one in enumerate(types))
    return f"func.func @{ENTRY}({parameters}) {{\n  return\n}}\n"


def bag_program(tables: int) -> str:
    """Sums of bags of so many tables."""
    rows = array("f32", None, LENGTH)
    return program(
        Bag(
            tables=(rows,) * tables,
            indices=array("i64", None),
            segments=array("i64", None),
            out=array("f32", None, tables * LENGTH),
        )
    )


def bound_call(text: str, tables: int, wrap: Callable[[torch.Tensor], Any]) -> Callable[[], Any]:
    """A call with one bag of one lookup in each table, which are bound."""
    entry = ember.load_program(text, ember.Options()).entry(ENTRY)
    bound = entry.bind(*(torch.rand(ROWS, LENGTH) for _ in range(tables)))
    indices = wrap(torch.zeros(tables, dtype=torch.int64))
    offsets, out = wrap(torch.arange(tables + 1)), wrap(torch.zeros(1, tables * LENGTH))
    return lambda: bound(indices, offsets, out)


def microseconds(calls: dict[str, Callable[[], Any]], count: int = CALLS) -> dict[str, float]:
    """The median time of each call, measured in turns; a sample is of `count` calls."""
    samples: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(SAMPLES):
        for name, call in calls.items():
            started = time.perf_counter()
            for _ in range(count):
                call()
            samples[name].append(1e6 * (time.perf_counter() - started) / count)
    return {name: statistics.median(values) for name, values in samples.items()}


def models() -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
    """Models with one bag, by how they are called, with arguments by name."""
    bag = torch.nn.EmbeddingBag(ROWS, LENGTH, mode="sum")
    linear = torch.nn.Linear(LENGTH, 2)

    def function(indices: torch.Tensor) -> Any:
        return linear(bag(indices))

    def any_arguments(*indices: torch.Tensor, scale: torch.Tensor, **others: Any) -> Any:
        return linear(bag(*indices)) * scale

    def broken(indices: torch.Tensor) -> Any:
        found = bag(indices)
        torch._dynamo.graph_break()
        return linear(found)

    return {
        "nn.Sequential": (torch.nn.Sequential(bag, linear), {}),
        "a function": (function, {}),
        "*args, **kwargs": (any_arguments, {"scale": torch.ones(())}),
        "a graph break": (broken, {}),
    }


def model_calls(model: Callable[..., Any], named: dict[str, Any]) -> dict[str, Callable[[], Any]]:
    """Calls of a model by torch.compile, by ember.compile with and without its short path."""
    indices = torch.zeros((2, 2), dtype=torch.int64)
    ways: dict[str, Callable[..., Any]] = {
        TORCH: torch.compile(model, backend="ember"),
        "ember.compile": ember.compile(model),
        "ember.compile, no short path": ember.compile(model),
        "PyTorch": model,
    }
    has_direct_calls = private.has_direct_calls
    for name, way in ways.items():
        private.has_direct_calls = has_direct_calls and "no short path" not in name
        way(indices, **named)
    private.has_direct_calls = has_direct_calls
    return {name: functools.partial(way, indices, **named) for name, way in ways.items()}


def main() -> None:
    if native.Call is None:
        print("ember_calls is not built for this interpreter: calls are made in Python")
    torch.set_num_threads(1)
    ember.set_num_threads(1)
    ways: dict[str, Callable[[], Any]] = {}
    for kind, wrap in (("tensors", lambda tensor: tensor), ("arrays", torch.Tensor.numpy)):
        for tables in (1, MANY_TABLES):
            ways[f"path, {kind}, {tables} bound"] = bound_call(idle_program(tables), tables, wrap)
            ways[f"embed.bag, {kind}, {tables} bound"] = bound_call(
                bag_program(tables), tables, wrap
            )
    module = torch.nn.EmbeddingBag(ROWS, LENGTH, mode="sum")
    indices, offsets = torch.zeros(4, dtype=torch.int64), torch.tensor([0, 2])
    kernel = ember.compile(module, (indices, offsets))
    batch = indices.view(2, 2)
    ways |= {
        "nn.EmbeddingBag, compiled": lambda: kernel(indices, offsets),
        "nn.EmbeddingBag, compiled, 2-D": lambda: kernel(batch),
        "nn.EmbeddingBag, PyTorch's": lambda: module(indices, offsets),
        "nn.EmbeddingBag, PyTorch's, 2-D": lambda: module(batch),
        "torch.empty of its output, in these": lambda: torch.empty((2, LENGTH)),
    }
    with torch.no_grad():
        times = microseconds(ways)
        of_models = {
            name: microseconds(model_calls(*model), 200) for name, model in models().items()
        }
    limit = f"{TARGET_MICROSECONDS:g} us"
    for name, value in times.items():
        if name.startswith("path"):
            report(name, value, "us", limit, value < TARGET_MICROSECONDS)
        else:
            report(name, value, "us")
    for kind in ("tensors", "arrays"):
        more = times[f"path, {kind}, {MANY_TABLES} bound"] - times[f"path, {kind}, 1 bound"]
        report(f"path, {kind}, each further table", 1e3 * more / (MANY_TABLES - 1), "ns")
    for name, found in of_models.items():
        most = 1.1 * found[TORCH]
        for way, value in found.items():
            if way.startswith("ember"):
                report(f"{name}: {way}", value, "us", f"{most:.0f} us", value < most)
            else:
                report(f"{name}: {way}", value, "us")
