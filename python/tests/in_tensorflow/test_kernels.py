"""Kernels as operators of TensorFlow: values, variables that change, and errors.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import threading
from collections.abc import Callable
from pathlib import Path

import ember.tensorflow as et
import numpy as np
import pytest
import tensorflow as tf
from conftest import ROOT
from ember import ArgumentError

PROGRAM = """
func.func @same(%x: memref<?x2xTYPE>) -> (memref<?x2xTYPE>, memref<TYPE>) {
  %c0 = arith.constant 0 : index
  %first = memref.alloc() : memref<TYPE>
  %value = memref.load %x[%c0, %c0] : memref<?x2xTYPE>
  memref.store %value, %first[] : memref<TYPE>
  return %x, %first : memref<?x2xTYPE>, memref<TYPE>
}
"""
OTHERS = """
func.func @stores(%x: memref<?xf32>) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  memref.store %one, %x[%c0] : memref<?xf32>
  return %x : memref<?xf32>
}
func.func @nothing(%x: memref<?xf32>) {
  return
}
func.func @number(%x: memref<?xf32>) -> f32 {
  %one = arith.constant 1.0 : f32
  return %one : f32
}
"""


@pytest.fixture(scope="module")
def columns(tool: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = tmp_path_factory.mktemp("kernels") / "libcolumns.so"
    tool("emberc", ROOT / "examples" / "columns.mlir", "-o", library)
    return library


@pytest.fixture(scope="module")
def others(tool: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("others")
    (folder / "others.mlir").write_text(OTHERS)
    tool("emberc", folder / "others.mlir", "-o", folder / "libothers.so")
    return folder / "libothers.so"


def expected(
    price: np.ndarray, tags: np.ndarray, prices: np.ndarray, words: np.ndarray
) -> np.ndarray:
    """What examples/columns.mlir computes."""
    buckets = np.searchsorted([0.0, 10.0, 100.0], price, side="right")
    rows = []
    for bucket, row in zip(buckets, tags, strict=True):
        ids = [tag for tag in row if tag != -1] or [0]
        rows.append(np.concatenate([prices[bucket], words[ids].mean(0)]))
    return np.array(rows, np.float32).reshape(len(price), prices.shape[1] + words.shape[1])


def inputs(batch: int, seed: int = 0) -> tuple[np.ndarray, ...]:
    draw = np.random.default_rng(seed)
    return (
        draw.uniform(-20, 150, batch).astype(np.float32),
        draw.integers(-1, 7, (batch, 2)),
        draw.standard_normal((4, 2), np.float32),
        draw.standard_normal((7, 3), np.float32),
    )


@pytest.mark.parametrize("batch", [0, 1, 5, 300])
def test_values(columns: Path, batch: int) -> None:
    kernel = et.load_kernel(columns)
    arrays = inputs(batch)
    price, tags, prices, words = map(tf.constant, arrays)
    for call in (kernel, tf.function(kernel)):
        found = call(price, tags, tf.Variable(prices), words)
        np.testing.assert_allclose(found, expected(*arrays), rtol=1e-6)
    concrete = tf.function(kernel).get_concrete_function(price, tags, prices, words)
    assert concrete.output_shapes.as_list() == [None, 5]


def test_variables_are_read_when_the_kernel_runs(columns: Path) -> None:
    price, tags, prices, words = inputs(9)
    table = tf.Variable(prices)
    call = tf.function(et.load_kernel(columns))
    for add in (0.0, 1.0, -3.0):
        table.assign_add(tf.fill(table.shape, add))
        prices = prices + np.float32(add)
        np.testing.assert_allclose(
            call(price, tags, table, words), expected(price, tags, prices, words), rtol=1e-5
        )


def test_one_variable_twice(tool: Callable[..., str], tmp_path: Path) -> None:
    tool("emberc", "--notation=y[i] = x[i] + z[i]", "-o", tmp_path / "libsum.so")
    with pytest.raises(ArgumentError, match="returns nothing that could be a tensor"):
        et.load_kernel(tmp_path / "libsum.so")
    (tmp_path / "sum.mlir").write_text(
        "func.func @sum(%x: memref<?xf32>, %z: memref<?xf32>) -> memref<1xf32> {\n"
        "  %c0 = arith.constant 0 : index\n"
        "  %y = memref.alloc() : memref<1xf32>\n"
        "  %a = memref.load %x[%c0] : memref<?xf32>\n"
        "  %b = memref.load %z[%c0] : memref<?xf32>\n"
        "  %c = arith.addf %a, %b : f32\n"
        "  memref.store %c, %y[%c0] : memref<1xf32>\n"
        "  return %y : memref<1xf32>\n"
        "}\n"
    )
    tool("emberc", tmp_path / "sum.mlir", "-o", tmp_path / "libtwice.so")
    variable = tf.Variable([2.5, 1.0])
    assert et.load_kernel(tmp_path / "libtwice.so")(variable, variable).numpy() == [5.0]


def test_graphs_of_sessions(columns: Path) -> None:
    arrays = inputs(6)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        price, tags = (tf.compat.v1.placeholder(one.dtype, one.shape) for one in arrays[:2])
        tables = [
            tf.compat.v1.get_variable(f"t{k}", initializer=one, use_resource=k == 0)
            for k, one in enumerate(arrays[2:])
        ]
        rows = et.load_kernel(columns)(price, tags, *tables)
        with pytest.raises((tf.errors.FailedPreconditionError, tf.errors.NotFoundError)):
            session.run(rows, {price: arrays[0], tags: arrays[1]})
        session.run(tf.compat.v1.global_variables_initializer())
        found = session.run(rows, {price: arrays[0], tags: arrays[1]})
    np.testing.assert_allclose(found, expected(*arrays), rtol=1e-6)


def test_while_others_assign(columns: Path) -> None:
    price, tags, prices, words = inputs(200)
    tables = [tf.Variable(prices * 0), tf.Variable(words * 0)]
    call = tf.function(et.load_kernel(columns))
    call(price, tags, *tables)
    done = threading.Event()

    def assign() -> None:
        number = 0.0
        while not done.is_set():
            number += 1
            for table in tables:
                table.assign(tf.fill(table.shape, number))

    thread = threading.Thread(target=assign)
    thread.start()
    try:
        for _ in range(200):
            rows = call(price, tags, *tables).numpy()
            # All rows of a table are of one assignment.
            assert len(np.unique(rows[:, :2])) == 1
            assert len(np.unique(rows[:, 2:])) == 1
    finally:
        done.set()
        thread.join()


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("f32", tf.float32),
        ("f64", tf.float64),
        ("f16", tf.float16),
        ("bf16", tf.bfloat16),
        ("i1", tf.bool),
        ("i8", tf.int8),
        ("i16", tf.int16),
        ("i32", tf.int32),
        ("i64", tf.int64),
    ],
)
def test_types(tool: Callable[..., str], tmp_path: Path, name: str, dtype: tf.DType) -> None:
    (tmp_path / "same.mlir").write_text(PROGRAM.replace("TYPE", name))
    tool("emberc", tmp_path / "same.mlir", "-o", tmp_path / "libsame.so")
    x = tf.cast(tf.constant([[1, 0], [1, 1], [0, 1]]), dtype)
    same, first = et.load_kernel(tmp_path / "libsame.so")(x)
    assert same.dtype == first.dtype == dtype
    assert np.array_equal(same, x)
    assert first.shape == []
    assert first == x[0, 0]


def test_what_calls_report(columns: Path) -> None:
    kernel = et.load_kernel(columns)
    price, tags, prices, words = map(tf.constant, inputs(3))
    wrong = tf.errors.InvalidArgumentError
    with pytest.raises(
        wrong, match=r"index 9 at position 0 of 'tags' is out of range.* 'words' of size 7"
    ):
        kernel(price, tags * 0 + 9, prices, words)
    with pytest.raises(wrong, match="'words' must have 2 dimensions, not 1"):
        kernel(price, tags, prices, words[0])
    with pytest.raises(wrong, match="'tags' must be i64, not i32"):
        kernel(price, tf.cast(tags, tf.int32), prices, words)
    with pytest.raises(TypeError, match=r"takes 4 arguments .*, not 5"):
        kernel(price, tf.constant([["a", "b"]] * 3), prices, words)
    with pytest.raises(TypeError, match=r"takes 4 arguments \(price, tags, prices, words\), not 1"):
        kernel(price)


def test_what_is_no_operator(columns: Path, others: Path, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"libnone.json is no manifest of a kernel library"):
        et.load_kernel(tmp_path / "libnone.so")
    with pytest.raises(ArgumentError, match="has no one entry 'none'; there are: 'columns'"):
        et.load_kernel(columns, "none")
    with pytest.raises(
        ArgumentError, match="has no one entry None; there are: 'stores', 'nothing'"
    ):
        et.load_kernel(others)
    with pytest.raises(ArgumentError, match=r"'stores' stores to \['argument 0'\]"):
        et.load_kernel(others, "stores")
    with pytest.raises(ArgumentError, match="'nothing' returns nothing that could be a tensor"):
        et.load_kernel(others, "nothing")
    with pytest.raises(ArgumentError, match="'number' has a scalar of f32, which no tensor is"):
        et.load_kernel(others, "number")
    moved = tmp_path / "libmoved.so"
    moved.with_suffix(".json").write_text(columns.with_suffix(".json").read_text())
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"cannot load .*libmoved\.so"):
        et.load_kernel(moved)(*map(tf.constant, inputs(1)))
