"""Index streams with the reuse of production embedding tables.

The histograms (facebookresearch/dlrm_datasets) say, for one batch over several hundred tables,
which share of the rows that are used at all is used how often ("col size"), and which share of all
lookups goes to rows of each class. A stream for one table is made of the average table: every row
in it is used as often as its class says, which rows those are is random, and so is the order.
Without the files the same is done with a histogram computed from a Zipf distribution.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import itertools
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ember import configuration

Indices = npt.NDArray[np.int64]

CLASS_LINE = re.compile(r"\((\d+)(?:, (\d+)\]|\+): ([\d.]+)$")
TABLES = re.compile(r"_t(\d+)_")


@dataclass(frozen=True)
class UseClass:
    """The rows that are used more than `above` times and at most `at_most` times."""

    above: int
    at_most: int
    share_of_rows: float
    share_of_lookups: float


@dataclass(frozen=True)
class ReuseHistogram:
    """How often rows are used in one batch: totals over `tables` tables, and shares by class."""

    name: str
    tables: int
    lookups: int
    rows_used: int
    classes: tuple[UseClass, ...]

    @property
    def lookups_per_table(self) -> int:
        return self.lookups // self.tables


def data_folder() -> Path:
    """Where data files are looked for: $EMBER_DATA, else shared/data beside the checkout."""
    if folder := configuration.text("EMBER_DATA"):
        return Path(folder)
    return Path(__file__).resolve().parents[4] / "shared" / "data"


def available_histograms() -> list[ReuseHistogram]:
    """The histograms of the data folder, or the synthetic one where there are none."""
    files = sorted((data_folder() / "locality").glob("*.txt"))
    return [histogram for file in files for histogram in read_histograms(file)] or [
        zipf_histogram()
    ]


def read_histograms(path: Path) -> list[ReuseHistogram]:
    """Reads a file of histograms, one a block of lines; raises ValueError naming file and block."""
    blocks = [
        block.splitlines() for block in re.split(r"\n\s*\n", path.read_text()) if block.strip()
    ]
    return [_read_block(path, lines) for lines in blocks]


def _read_block(path: Path, lines: list[str]) -> ReuseHistogram:
    """One block: a name, totals, shares of rows by class, then shares of lookups by class."""
    name = lines[0].strip().removesuffix(".pt")
    totals: dict[str, int] = {}
    tables: list[list[tuple[int, int, float]]] = []
    for line in lines[1:]:
        if line.startswith(("Histogram", "Ratio")):
            tables.append([])
        elif line.startswith("Avg # of "):
            key, _, value = line.removeprefix("Avg # of ").partition(":")
            totals[key] = int(value)
        elif tables and (match := CLASS_LINE.match(line)):
            above = int(match[1])
            tables[-1].append((above, int(match[2] or 2 * above), float(match[3])))
    try:
        by_rows, by_lookups = tables
        return ReuseHistogram(
            name,
            int(match[1]) if (match := TABLES.search(name)) else 1,
            totals["indices"],
            totals["unique cols"],
            tuple(
                UseClass(above, at_most, rows, lookups)
                for (above, at_most, rows), (_, _, lookups) in zip(by_rows, by_lookups, strict=True)
            ),
        )
    except (KeyError, ValueError) as error:
        raise ValueError(f"{path}: the block {name!r} is not a reuse histogram: {error}") from error


def zipf_histogram(
    rows_used: int = 150_000, lookups: int = 1_000_000, exponent: float = 1.05
) -> ReuseHistogram:
    """The histogram of one table whose k-th most used row is used in proportion to k^-exponent."""
    popularity = np.arange(1, rows_used + 1, dtype=np.float64) ** -exponent
    uses = np.maximum(1, np.rint(popularity / popularity.sum() * lookups)).astype(np.int64)
    total = int(uses.sum())
    bounds = [0] + [2**k for k in range(int(uses[0]).bit_length() + 1)]
    classes = []
    for above, at_most in itertools.pairwise(bounds):
        inside = uses[(uses > above) & (uses <= at_most)]
        classes.append(
            UseClass(above, at_most, len(inside) / rows_used, float(inside.sum()) / total)
        )
    return ReuseHistogram("zipf", 1, total, rows_used, tuple(classes))


def draw_indices(histogram: ReuseHistogram, lookups: int, rows: int, seed: int) -> Indices:
    """A stream of `lookups` indices (int64, in [0, rows)) with the histogram's reuse.

    The stream is a window of a whole batch of the average table, or several batches over the same
    rows when it is longer. In a table with fewer rows than the batch uses, rows share their uses.
    """
    if rows < 1:
        raise ValueError(f"a table needs at least one row, not {rows}")
    rng = np.random.default_rng(seed)
    uses = _uses_of_rows(histogram, rng)
    if len(uses) <= rows:
        which = rng.choice(rows, len(uses), replace=False)
    else:
        which = rng.permutation(len(uses)) % rows
    batch = np.repeat(which.astype(np.int64), uses)
    stream = np.concatenate([rng.permutation(batch) for _ in range(-(-lookups // len(batch)) or 1)])
    return stream[:lookups]


def _uses_of_rows(histogram: ReuseHistogram, rng: np.random.Generator) -> Indices:
    """How often each row that is used is used, in one batch of the average table."""
    uses = []
    for group in histogram.classes:
        lookups = histogram.lookups_per_table * group.share_of_lookups
        if lookups < 1:
            continue
        low, high = group.above + 1, group.at_most
        # Within a class small numbers are more frequent: uniform in the logarithm. The few
        # lookups of a class whose rows are used more often than that belong to one row.
        mean = (high - low) / np.log(high / low) if high > low else low
        count = max(1, round(lookups / mean))
        drawn = np.exp(rng.uniform(np.log(low), np.log(high), count))
        uses.append(np.maximum(1, np.rint(drawn * (lookups / drawn.sum()))).astype(np.int64))
    if not uses:
        raise ValueError(f"the histogram {histogram.name!r} has no lookups")
    return np.concatenate(uses)
