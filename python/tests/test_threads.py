"""Kernels on several threads: the same results and errors as on one.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import ember
import numpy as np
import pytest
from embed_values import encode_rows
from ember.compiler import Options, load_program
from ember.dtypes import DTYPES
from ember.embed_programs import (
    ENTRY,
    SDDMM,
    Bag,
    BlockScores,
    Gather,
    Message,
    Operation,
    RowFormat,
    Score,
    SpMM,
    array,
    program,
)
from numpy.typing import NDArray

ROWS = array("f32", None, 24)
IDS = array("i64", None)
NODES, EDGES, BAGS = 300, 2500, 120
DRAW = np.random.default_rng(11)


def offsets(count: int, total: int) -> NDArray[np.int64]:
    """Offsets of segments, some of them empty, one of them long."""
    cuts = np.sort(np.concatenate([DRAW.integers(0, total // 2, count - 1), [0, total]]))
    return cuts.astype(np.int64)


def rows(count: int, length: int = 24) -> NDArray[np.float32]:
    return DRAW.standard_normal((count, length), np.float32)


def ids(count: int, limit: int = NODES) -> NDArray[np.int64]:
    return DRAW.integers(0, limit, count)


INT8 = RowFormat("int8", "f32")

# An operation, its inputs, and the shape of its output.
Case = tuple[Operation, list[Any], tuple[int, ...]]
GRAPH = {"rows": IDS, "columns": IDS}
CASES: dict[str, Callable[[], Case]] = {
    "bag": lambda: (
        Bag(tables=(ROWS,), indices=IDS, segments=IDS, out=ROWS),
        [rows(NODES), ids(EDGES), offsets(BAGS, EDGES)],
        (BAGS, 24),
    ),
    "tables": lambda: (
        Bag(tables=(ROWS, ROWS), indices=IDS, segments=IDS, out=array("f32", None, 48)),
        [rows(NODES), rows(NODES), ids(EDGES), offsets(2 * BAGS, EDGES)],
        (BAGS, 48),
    ),
    "lengths": lambda: (
        Bag(tables=(ROWS,), indices=IDS, segments=IDS, out=ROWS, segment_kind="lengths"),
        [rows(NODES), ids(EDGES), np.diff(offsets(BAGS, EDGES))],
        (BAGS, 24),
    ),
    "tables by lengths": lambda: (
        Bag(
            tables=(ROWS, ROWS),
            indices=IDS,
            segments=array("i32", None),
            out=array("f32", None, 48),
            segment_kind="lengths",
        ),
        [rows(NODES), rows(NODES), ids(EDGES), np.diff(offsets(2 * BAGS, EDGES)).astype("i4")],
        (BAGS, 48),
    ),
    "halves": lambda: (
        Bag(tables=(ROWS,), indices=IDS, segments=IDS, out=array("f16", None, 24)),
        [rows(NODES), ids(EDGES), offsets(BAGS, EDGES)],
        (BAGS, 24),
    ),
    "int8": lambda: (
        Bag(
            tables=(array("i8", None, 32),),
            row_format=INT8,
            indices=IDS,
            segments=IDS,
            out=ROWS,
        ),
        [encode_rows(INT8, NODES, 24, DRAW).view(np.int8), ids(EDGES), offsets(BAGS, EDGES)],
        (BAGS, 24),
    ),
    "mean": lambda: (
        Bag(tables=(ROWS,), indices=IDS, segments=IDS, out=ROWS, reduction="mean"),
        [rows(NODES), ids(EDGES), offsets(BAGS, EDGES)],
        (BAGS, 24),
    ),
    "spmm": lambda: (
        SpMM(**GRAPH, values=array("f32", None), dense=ROWS, out=ROWS),
        [offsets(NODES, EDGES), ids(EDGES), rows(EDGES, 1)[:, 0], rows(NODES)],
        (NODES, 24),
    ),
    "coo": lambda: (
        SpMM(**GRAPH, graph="coo", dense=ROWS, out=ROWS),
        [ids(EDGES), ids(EDGES), rows(NODES)],
        (NODES, 24),
    ),
    "sddmm": lambda: (
        SDDMM(**GRAPH, left=ROWS, right=ROWS, out=array("f32", None)),
        [offsets(NODES, EDGES), ids(EDGES), rows(NODES), rows(NODES)],
        (EDGES,),
    ),
    "message": lambda: (
        Message(**GRAPH, left=ROWS, right=ROWS, messages=ROWS, out=ROWS),
        [offsets(NODES, EDGES), ids(EDGES), rows(NODES), rows(NODES), rows(NODES)],
        (NODES, 24),
    ),
    "score": lambda: (
        Score(
            entities=ROWS,
            relations=ROWS,
            heads=IDS,
            types=IDS,
            tails=IDS,
            out=array("f32", None),
            model="distmult",
        ),
        [rows(NODES), rows(7), ids(EDGES), ids(EDGES, 7), ids(EDGES)],
        (EDGES,),
    ),
    "gather": lambda: (
        Gather(
            source=ROWS,
            blocks=array("i64", None, None),
            out=array("f32", None, None, 24),
            block_size=2,
        ),
        [rows(NODES), ids(BAGS * 3, NODES // 2).reshape(BAGS, 3)],
        (BAGS, 6, 24),
    ),
    "block scores": lambda: (
        BlockScores(
            queries=ROWS,
            keys=ROWS,
            blocks=array("i64", None, None),
            out=array("f32", None, None),
            block_size=2,
        ),
        [rows(NODES), rows(NODES), ids(NODES // 2 * 3, NODES // 2).reshape(-1, 3)],
        (NODES, 6),
    ),
}


@pytest.fixture(autouse=True)
def threads_as_before() -> Iterator[None]:
    before = ember.get_num_threads()
    yield
    ember.set_num_threads(before)


@pytest.mark.parametrize("name", CASES)
def test_results_do_not_depend_on_the_number_of_threads(name: str) -> None:
    operation, inputs, shape = CASES[name]()
    library = load_program(program(operation), Options())
    results = []
    for threads in (1, 2, 3, 5):
        library.use_threads(threads, work_of_thread=1)
        out = np.full(shape, np.nan, DTYPES[operation.out.element].name)
        library.entry(ENTRY)(*inputs, out)
        results.append(out)
    assert not np.isnan(results[0]).any()
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])


@pytest.mark.parametrize("bags", [0, 1, 5, 3000])
def test_bags_by_lengths_are_those_by_offsets(bags: int) -> None:
    """None at all, and such as have no lookups; on threads, which only loops without sums are."""
    lengths = DRAW.integers(0, 6, bags)
    ends = np.concatenate([[0], np.cumsum(lengths)])
    table, indices = rows(NODES), ids(ends[-1])
    results = []
    for kind, segments in (("offsets", ends), ("lengths", lengths)):
        operation = Bag(tables=(ROWS,), indices=IDS, segments=IDS, out=ROWS, segment_kind=kind)
        library = load_program(program(operation), Options())
        for threads in (1, 3):
            library.use_threads(threads, work_of_thread=1)
            out = np.full((bags, 24), np.nan, np.float32)
            library.entry(ENTRY)(table, indices, segments, out)
            results.append(out)
    for result in results:
        np.testing.assert_array_equal(result, results[0])


def test_loops_over_vectors_run_in_parts() -> None:
    text = """func.func @scale(%values: memref<?xf32>, %by: f32, %out: memref<?xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = memref.dim %out, %c0 : memref<?xf32>
      scf.for %i = %c0 to %n step %c1 {
        %x = memref.load %values[%i] : memref<?xf32>
        %y = arith.mulf %x, %by : f32
        memref.store %y, %out[%i] : memref<?xf32>
      }
      return
    }"""
    for opt_level in (1, 3, 4):
        library = load_program(text, Options(opt_level=opt_level))
        for count in (0, 1, 15, 16, 17, 1000, 1023):
            values = rows(1, count)[0]
            for threads in (1, 3, 5):
                library.use_threads(threads, work_of_thread=1)
                out = np.full(count + 8, np.nan, np.float32)
                library.entry("scale")(values, 3.0, out[:count])
                np.testing.assert_array_equal(out[:count], values * np.float32(3))
                assert np.isnan(out[count:]).all()


def bag_library() -> ember.Library:
    return load_program(program(CASES["bag"]()[0]), Options())


@pytest.mark.parametrize("wrong", [[70], [2400], [70, 2400], [1000, 1001, 2]])
def test_the_first_bad_index_is_named(wrong: list[int]) -> None:
    library = bag_library()
    indices = ids(EDGES)
    indices[wrong] = NODES
    arguments = [rows(NODES), indices, offsets(BAGS, EDGES), rows(BAGS)]
    for threads in (1, 4):
        library.use_threads(threads, work_of_thread=1)
        with pytest.raises(ember.IndexOutOfRangeError, match=f"position {min(wrong)} of 'indices'"):
            library.entry(ENTRY)(*arguments)


@pytest.mark.parametrize("wrong", [[3], [2400], [700, 710, 720, 730, 2400]])
def test_the_first_bad_edge_is_named(wrong: list[int]) -> None:
    """Rows of few edges run in the order of their lengths."""
    operation, (ends, columns, *others), shape = CASES["message"]()
    library = load_program(program(operation), Options())
    columns[wrong] = -1
    for threads in (1, 4):
        library.use_threads(threads, work_of_thread=1)
        with pytest.raises(ember.IndexOutOfRangeError, match=f"position {wrong[0]} of 'columns'"):
            library.entry(ENTRY)(ends, columns, *others, np.empty(shape, np.float32))


def test_short_segments_in_any_order() -> None:
    """Empty ones among them, more than change places at once, of a small table and a large one."""
    operation = Bag(tables=(ROWS,), indices=IDS, segments=IDS, out=ROWS)
    library = load_program(program(operation), Options())
    lengths = DRAW.integers(0, 7, 1000)
    ends = np.concatenate([[0], np.cumsum(lengths)])
    for entities in (NODES, 20_000):
        table, indices = rows(entities), ids(ends[-1], entities)
        expected = np.zeros((1000, 24))
        np.add.at(expected, np.repeat(np.arange(1000), lengths), table[indices].astype(np.float64))
        for threads in (1, 3):
            library.use_threads(threads, work_of_thread=1)
            out = np.full((1000, 24), np.nan, np.float32)
            library.entry(ENTRY)(table, indices, ends, out)
            np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("entities", [0, 1, 682, 683, 3000])
def test_all_tails_in_tiles(entities: int) -> None:
    """More entities than a tile has, exactly as many, one more; and none."""
    operation = Score(
        entities=ROWS,
        relations=ROWS,
        heads=IDS,
        types=IDS,
        out=array("f32", None, None),
        model="distmult",
    )
    library = load_program(program(operation), Options())
    table, relations = rows(entities), rows(7)
    heads, types = ids(9, max(entities, 1)), ids(9, 7)
    if entities == 0:
        heads = heads[:0]
        types = types[:0]
    queries = table[heads].astype(np.float64) * relations[types]
    for threads in (1, 3):
        library.use_threads(threads, work_of_thread=1)
        out = np.full((len(heads), entities), np.nan, np.float32)
        library.entry(ENTRY)(table, relations, heads, types, out)
        np.testing.assert_allclose(out, queries @ table.T, rtol=1e-4, atol=1e-4)
        if entities:
            wrong = np.where(np.arange(9) >= 4, entities, heads)
            with pytest.raises(ember.IndexOutOfRangeError, match="position 4 of 'heads'"):
                library.entry(ENTRY)(table, relations, wrong, types, out)


@pytest.mark.parametrize("place", [1, 60, BAGS - 1])
def test_decreasing_offsets(place: int) -> None:
    library = bag_library()
    ends = np.linspace(0, EDGES, BAGS + 1).astype(np.int64)
    ends[place + 1] = ends[place] - 1
    for threads in (1, 4):
        library.use_threads(threads, work_of_thread=1)
        with pytest.raises(ember.OffsetsError, match=f"'offsets'\\[{place}\\]"):
            library.entry(ENTRY)(rows(NODES), ids(EDGES), ends, rows(BAGS))


def test_a_long_bag_is_the_same_on_any_number_of_threads() -> None:
    library = bag_library()
    table, indices = rows(1000), ids(200_003, 1000)
    ends = np.array([0, 5, 180_000, 200_003])
    results = []
    for threads in (1, 2, 4):
        library.use_threads(threads)
        out = rows(3)
        library.entry(ENTRY)(table, indices, ends, out)
        results.append(out)
    np.testing.assert_array_equal(results[1], results[0])
    np.testing.assert_array_equal(results[2], results[0])
    expected = np.add.reduceat(table[indices].astype(np.float64), ends[:-1])
    np.testing.assert_allclose(results[0], expected, rtol=1e-4, atol=0.1)


def test_calls_from_several_threads() -> None:
    operation, inputs, shape = CASES["bag"]()
    library = load_program(program(operation), Options())
    library.use_threads(2, work_of_thread=1)
    expected = np.empty(shape, np.float32)
    library.entry(ENTRY)(*inputs, expected)
    sound = []

    def call_often() -> None:
        out = np.empty(shape, np.float32)
        for _ in range(100):
            out.fill(0)
            library.entry(ENTRY)(*inputs, out)
            sound.append(np.array_equal(out, expected))

    callers = [threading.Thread(target=call_often) for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert len(sound) == 400
    assert all(sound)


def test_the_number_of_threads_is_checked() -> None:
    for number in (0, -1, 257, 1.5, True, "2"):
        with pytest.raises(ember.ArgumentError, match="from 1 to 256"):
            ember.set_num_threads(number)  # type: ignore[arg-type]
    ember.set_num_threads(3)
    assert ember.get_num_threads() == 3


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"EMBER_NUM_THREADS": "5", "OMP_NUM_THREADS": "2"}, 5),
        ({"OMP_NUM_THREADS": "2"}, 2),
        ({"EMBER_NUM_THREADS": "many"}, len(os.sched_getaffinity(0))),
    ],
)
def test_the_environment_says_how_many(variables: dict[str, str], expected: int) -> None:
    environment = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
    script = "import ember; print(ember.get_num_threads())"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment | variables,
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) == expected
