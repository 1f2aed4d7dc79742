"""Index streams have the reuse that the histograms say.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from pathlib import Path

import numpy as np
import pytest
from ember.datasets import locality
from ember.models import tables as models

BLOCK = """\
fbgemm_t10_bs64.pt
Locality stats after processing 1 batches of size 64
Avg # of indices: 100000
Avg # of unique cols: 40000
Avg col size: 2.5
Histogram of col sizes:
(0, 1]: 0.500
(1, 2]: 0.250
(2, 4]: 0.250
(4+: 0.000
[0, 1, 2, 4]
['0.000', '0.500', '0.750', '1.000', '1.000']
Ratio of index distribution at different column sizes:
(0, 1]: 0.200
(1, 2]: 0.200
(2, 4]: 0.300
(4+: 0.300
[0, 1, 2, 4]
['0.000', '0.200', '0.400', '0.700', '1.000']
"""


@pytest.fixture
def histogram_file(tmp_path: Path) -> Path:
    path = tmp_path / "locality" / "year.txt"
    path.parent.mkdir()
    path.write_text(BLOCK + "\n" + BLOCK.replace("t10", "t20"))
    return path


def test_histograms_are_read(histogram_file: Path) -> None:
    first, second = locality.read_histograms(histogram_file)
    assert (first.tables, second.tables) == (10, 20)
    assert first.name == "fbgemm_t10_bs64"
    assert first.lookups_per_table == 10_000
    assert [(c.above, c.at_most) for c in first.classes] == [(0, 1), (1, 2), (2, 4), (4, 8)]
    assert [c.share_of_lookups for c in first.classes] == [0.2, 0.2, 0.3, 0.3]


@pytest.mark.parametrize("damage", ["Avg # of indices", "(1, 2]: 0.200", "Ratio"])
def test_a_damaged_file_is_named(histogram_file: Path, damage: str) -> None:
    lines = BLOCK.splitlines()
    histogram_file.write_text("\n".join(line for line in lines if not line.startswith(damage)))
    with pytest.raises(ValueError, match=r"year\.txt"):
        locality.read_histograms(histogram_file)


def measured_shares(indices: np.ndarray, histogram: locality.ReuseHistogram) -> list[float]:
    """The share of all lookups that goes to the rows of each class."""
    _, uses = np.unique(indices, return_counts=True)
    return [
        float(uses[(uses > group.above) & (uses <= group.at_most)].sum()) / len(indices)
        for group in histogram.classes
    ]


def test_a_whole_batch_has_the_shares_of_the_histogram(histogram_file: Path) -> None:
    histogram = locality.read_histograms(histogram_file)[0]
    indices = locality.draw_indices(histogram, histogram.lookups_per_table, 1_000_000, seed=1)
    expected = [group.share_of_lookups for group in histogram.classes]
    np.testing.assert_allclose(measured_shares(indices, histogram), expected, atol=0.05)


@pytest.mark.parametrize("rows", [1, 3, 1000, 10_000_000])
@pytest.mark.parametrize("lookups", [0, 1, 5000, 2_500_000])
def test_streams_of_any_size(rows: int, lookups: int) -> None:
    indices = locality.draw_indices(locality.zipf_histogram(), lookups, rows, seed=2)
    assert indices.dtype == np.int64
    assert indices.shape == (lookups,)
    assert not lookups or (indices.min() >= 0 and indices.max() < rows)


def test_a_seed_gives_one_stream() -> None:
    histogram = locality.zipf_histogram()
    first, again, other = (locality.draw_indices(histogram, 1000, 5000, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_a_table_without_rows_is_refused() -> None:
    with pytest.raises(ValueError, match="row"):
        locality.draw_indices(locality.zipf_histogram(), 1, 0, seed=0)


def test_the_generator_ships_with_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBER_DATA", str(tmp_path))
    assert [histogram.name for histogram in locality.available_histograms()] == ["zipf"]


@pytest.mark.skipif(not locality.data_folder().is_dir(), reason="no data folder")
def test_the_real_histograms() -> None:
    histograms = locality.available_histograms()
    assert len(histograms) == 33
    for histogram in histograms[::8]:
        assert sum(c.share_of_rows for c in histogram.classes) == pytest.approx(1, abs=0.01)
        lookups = histogram.lookups_per_table
        indices = locality.draw_indices(histogram, lookups, 40_000_000, seed=3)
        used = len(np.unique(indices)) * histogram.tables
        assert used == pytest.approx(histogram.rows_used, rel=0.15)


def test_mlperf_has_26_tables() -> None:
    tables = models.mlperf_dlrm(batch=8, most_rows=1000)
    assert len(tables) == len(models.MLPERF_MULTI_HOT) == 26
    assert sum(models.MLPERF_ROWS) == 204_184_588
    assert max(table.rows for table in tables) == 1000
    assert tables[20].lookups == 800
