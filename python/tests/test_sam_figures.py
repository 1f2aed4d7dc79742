"""Tables and figures of the Sparse Abstract Machine: their draws, graphs, and what is written.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import csv
import subprocess
import sys
from pathlib import Path

import ember.sam
import numpy as np
import pytest

from benchmarks.figures.sam import draws, hardware, streams, tables, tiles, vectors, website
from benchmarks.figures.sam.comparison import Comparison, Row
from benchmarks.figures.sam.expressions import EXPRESSIONS, count_blocks
from benchmarks.figures.sam.reference import measured, vector_cycles

ROOT = Path(__file__).resolve().parents[2]
needs_reference = pytest.mark.skipif(not measured(), reason="the measurements are not here")


def test_draws_are_those_of_split_mix() -> None:
    # Of Vigna's program, from the seed 1234567.
    assert [int(one) for one in draws.draws(1234567, 3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


@needs_reference
def test_tensors_are_those_that_were_measured() -> None:
    case = measured()["studies"]["dataflow_order_and_fusion"]["spmspm_ikj"]
    first = draws.tensor(1, 0, (250, 100), 0.05)
    second = draws.tensor(1, 1, (100, 250), 0.05)
    assert {"B": np.count_nonzero(first), "C": np.count_nonzero(second)} == case["nnz"]
    assert (first @ second).sum() == case["sum"]


@needs_reference
@pytest.mark.parametrize(
    ("name", "coordinates"),
    [
        ("random 0.9", draws.random_vectors(0.9)),
        ("runs 5", draws.vectors_of_runs(5)),
        ("blocks 20", draws.vectors_of_blocks(20)),
    ],
)
def test_vectors_take_as_long_as_published(
    name: str, coordinates: tuple[list[int], list[int]]
) -> None:
    case = measured()["studies"]["acceleration"]["cases"][name]
    assert (len(coordinates[0]), len(coordinates[1])) == (case["nnz_b"], case["nnz_c"])
    for way, key in (("dense", "uncompressed"), ("compressed", "compressed")):
        assert vectors.cycles_of(coordinates, way) == vector_cycles(name, key)
    assert vectors.cycles_of(coordinates, "with skip") == vector_cycles(name, "compress_skip")


def test_blocks_of_expressions() -> None:
    counts = {one.name: count_blocks(one.compile("drop")) for one in EXPRESSIONS[:2]}
    assert counts["SpMV"] == {
        **dict.fromkeys(("repeat", "repeat_signal", "intersect", "alu", "reduce", "crd_drop"), 1),
        **{"scan": 3, "write": 2, "array": 2},
    }
    assert counts["SpM*SpM ijk"]["crd_drop"] == 2


def test_what_graphs_need() -> None:
    line = '"y(i)=A(i,j)*x(j)" -f=y:d:0 -f=A:ds:0,1 -f=x:d:0'
    graph = website.compile_algorithm(line)
    assert graph is not None
    lost = {what for what, _, is_needed in website.REMOVED if is_needed(graph)}
    assert "compressed scanner" in lost
    assert "compressed writer" not in lost
    assert {"multiplier", "reducer", "intersecter and locators"} <= lost
    assert not {"adder", "unioner"} & lost
    assert website.compile_algorithm('"y(i)=" -f=y:d:0') is None


def test_shares_of_tokens() -> None:
    graph = ember.sam.compile("X[i,j] = B[i,j]", formats=dict.fromkeys("XB", "dcsr"))
    _, counted = graph.simulate(B=np.eye(4))
    shares = streams.shares_of(counted)
    # Four coordinates, a stop and the end; inside, each has a stop of its own.
    assert shares["outer, control"] == pytest.approx(100 * 2 / 6)
    assert shares["inner, control"] == pytest.approx(100 * 5 / 9)


def test_tiles() -> None:
    places = draws.tiled_matrix(40, 300)
    assert len(np.unique(places, axis=0)) == 40
    made = tiles.tiles_of(places)
    assert sum(len(tile.places) for tile in made.values()) == 40
    whole = np.zeros((384, 384))
    for (row, column), tile in made.items():
        corner = np.array([row, column]) * tiles.TILE
        whole[tuple((tile.places + corner).T)] = 1
    assert np.array_equal(np.argwhere(whole), places)
    one = tiles.Tile(np.array([[0, 1], [0, 2], [5, 1]]))
    assert one.bytes == 2 * (2 * 3 + 2 * 2 + 3)


def test_graphs_of_hardware_run() -> None:
    made = hardware.make_hardware(Path(), quick=True)
    assert len(made.rows) == 5
    text = made.table()
    assert "DIFFERS" not in text
    assert text.count("equals NumPy") == 4


def test_tables_are_written(tmp_path: Path) -> None:
    made = Comparison("name", "A title", [Row("what", "1", "2", "because"), Row("else", "", "3")])
    files = made.write(tmp_path)
    assert [file.suffix for file in files] == [".csv", ".md", ".png"]
    assert files[2].read_bytes().startswith(b"\x89PNG")
    with files[0].open() as file:
        assert list(csv.reader(file))[1] == ["what", "1", "2", "because"]
    assert "| what | 1 | 2 | because |" in files[1].read_text()


def test_features_of_expressions() -> None:
    made = tables.make_table1(Path(), quick=True)
    found = {row.what: row.ours for row in made.rows}
    assert found["SpMV: operators"] == "*"
    assert found["Residual: operators"] == "*, -"
    assert found["InnerProd: order of the result"] == "0"
    assert found["MMAdd: broadcasts"] == "no"


def test_pictures_of_blocks_are_what_the_blocks_make() -> None:
    run = subprocess.run(
        [sys.executable, ROOT / "scripts" / "sam_blocks.py", "--check"],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout + run.stderr
