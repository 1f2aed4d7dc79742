"""Streams of lookups, uniform or with the reuse of production tables, and the bags they are in.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from typing import Any

import numpy as np
from ember.datasets.locality import data_folder, draw_indices, read_histograms, zipf_histogram
from numpy.typing import NDArray

Indices = NDArray[np.int64]

UNIFORM = "uniform"
HISTOGRAMS = ("2021", "2022")
# Lookups of a bag: uniform between these, so that bags are ragged.
LEAST_LOOKUPS, MOST_LOOKUPS = 20, 60
# A stream holds so many lookups, or reads so many bytes of rows, before it begins again: more than
# the caches of any machine that this is run on.
STREAM_LOOKUPS = 1 << 20
STREAM_BYTES = 1 << 30


def missing_histograms() -> list[str]:
    """The histograms that are not in the data folder: a Zipf distribution stands in for them."""
    folder = data_folder() / "locality"
    return [name for name in HISTOGRAMS if not (folder / f"{name}.txt").is_file()]


def draw_stream(locality: str, rows: int, row_bytes: int, least: int, seed: int) -> Indices:
    """Lookups in a table of so many rows; at least `least` of them."""
    if locality == UNIFORM:
        # A table that fits the caches is in them however long the stream is.
        read = min(STREAM_BYTES, 2 * rows * row_bytes)
        count = max(STREAM_LOOKUPS, least, read // row_bytes)
        return np.random.default_rng(seed).integers(0, rows, count)
    count = max(STREAM_LOOKUPS, least)
    if locality in missing_histograms():
        return draw_indices(zipf_histogram(), count, rows, seed)
    histogram = read_histograms(data_folder() / "locality" / f"{locality}.txt")[0]
    return draw_indices(histogram, count, rows, seed)


def draw_offsets(bags: int, seed: int) -> Indices:
    """The offsets (bags + 1) of bags of LEAST_LOOKUPS to MOST_LOOKUPS lookups."""
    draw = np.random.default_rng(seed)
    sizes = draw.integers(LEAST_LOOKUPS, MOST_LOOKUPS + 1, bags)
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


class Windows:
    """The windows of one length of a stream, one a batch, from the start again after the last."""

    def __init__(self, stream: NDArray[Any], length: int) -> None:
        self.stream = stream
        self.length = length
        self.count = len(stream) // length

    def __getitem__(self, number: int) -> NDArray[Any]:
        """The window of a batch."""
        first = number % self.count * self.length
        return self.stream[first : first + self.length]
