"""Native kernels' rate relative to PyTorch's, by mode, type and place of the table.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from typing import Any

import ember
import torch
from ember.datasets.locality import available_histograms, draw_indices
from ember.measurement import median_seconds

from benchmarks.report import report

SUM_TARGET = 0.9
BATCHES = 6
# rows, length, bags, lookups a bag: in the last-level cache, and several times its size.
SHAPES = ((16 * 1024, 32, 1024, 64), (16 * 1024, 128, 256, 256), (1_000_000, 128, 2048, 20))
VARIANTS: dict[str, dict[str, Any]] = {
    "sum": {"mode": "sum"},
    "mean": {"mode": "mean"},
    "sum, padding": {"mode": "sum", "padding_idx": 7},
    "sum, f64": {"mode": "sum", "dtype": torch.float64},
}


def main() -> None:
    torch.set_num_threads(1)
    histogram = available_histograms()[0]
    for rows, length, bags, lookups in SHAPES:
        stream = torch.from_numpy(draw_indices(histogram, bags * lookups * BATCHES, rows, seed=0))
        offsets = torch.arange(0, bags * lookups, lookups)
        batches = [(window, offsets) for window in stream.view(BATCHES, -1)]
        for variant, options in VARIANTS.items():
            module = torch.nn.EmbeddingBag(rows, length, **options)
            module.requires_grad_(False)
            kernel = ember.compile(module, batches[0])
            contenders: dict[str, Callable[[Any], object]] = {
                "pytorch": lambda batch, module=module: module(*batch),  # type: ignore[misc]
                "ember": lambda batch, kernel=kernel: kernel(*batch),  # type: ignore[misc]
            }
            times = median_seconds(contenders, batches, seconds=0.5)
            name = f"{rows} rows of {length}, {bags} bags of {lookups}, {variant}: x PyTorch"
            ratio = times["pytorch"] / times["ember"]
            met = ratio >= SUM_TARGET if variant == "sum" else None
            report(name, ratio, "", f"{SUM_TARGET}", met)
    module = torch.nn.EmbeddingBag(16, 32, mode="sum").requires_grad_(False)
    one = (torch.arange(4), torch.tensor([0, 2]))
    kernel = ember.compile(module, one)
    contenders = {
        "PyTorch": lambda batch: module(*batch),
        "Ember": lambda batch: kernel(*batch),
    }
    for name, seconds in median_seconds(contenders, [one], most_rounds=20000, seconds=1).items():
        report(f"a call with four lookups: {name}", 1e6 * seconds, "us")
