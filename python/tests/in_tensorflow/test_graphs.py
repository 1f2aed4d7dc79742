"""Graphs that are imported as modules and written again, run by TensorFlow.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

tf1 = tf.compat.v1
columns = tf.feature_column


def run_graph(graph: tf1.GraphDef, output: str, feed: dict[str, np.ndarray]) -> np.ndarray:
    with tf1.Graph().as_default(), tf1.Session() as session:
        tf1.import_graph_def(graph, name="")
        return session.run(output, feed)


def written_again(
    graph: tf1.GraphDef, output: str, tool: Callable[..., str], folder: Path, *options: str
) -> tf1.GraphDef:
    """The graph behind an import and an export, with what modules leave out."""
    original, module, again = folder / "original.pb", folder / "module.mlir", folder / "again.pb"
    original.write_bytes(graph.SerializeToString())
    tool(
        "ember-translate", "--import-graphdef", original, "--output", output, *options, "-o", module
    )
    tool("ember-translate", "--export-graphdef", module, "--original", original, "-o", again)
    read = tf1.GraphDef()
    read.ParseFromString(again.read_bytes())
    return read


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("options", [(), ("--most-elements=4",)], ids=["whole", "large left out"])
def test_input_layers(tool: Callable[..., str], tmp_path: Path, options: tuple[str, ...]) -> None:
    with tf1.Graph().as_default() as graph, tf1.Session() as session:
        features = {
            "price": tf1.placeholder(tf.float32, [None, 1], "price"),
            "id": tf1.placeholder(tf.int64, [None, 1], "id"),
            "tag": tf1.placeholder(tf.string, [None, 1], "tag"),
        }
        kinds = [
            columns.bucketized_column(columns.numeric_column("price"), [0, 5, 10]),
            columns.categorical_column_with_hash_bucket("id", 100, tf.int64),
            columns.categorical_column_with_hash_bucket("tag", 50, tf.string),
        ]
        layer = tf1.feature_column.input_layer(
            features, [columns.embedding_column(one, 8, "mean") for one in kinds]
        )
        tf.identity(layer, "out")
        session.run(tf1.global_variables_initializer())
        frozen = tf1.graph_util.convert_variables_to_constants(
            session, graph.as_graph_def(add_shapes=True), ["out"]
        )
    feed = {
        "price:0": np.array([[1], [np.nan], [7], [-3], [100]], np.float32),
        "id:0": np.array([[1], [-1], [-2], [5], [99]]),
        "tag:0": np.array([[b"a"], [b""], [b"zz"], [b"a"], [b"\xff"]], object),
    }
    again = written_again(frozen, "out", tool, tmp_path, *options)
    np.testing.assert_array_equal(run_graph(again, "out:0", feed), run_graph(frozen, "out:0", feed))


def test_what_is_changed_in_its_order(tool: Callable[..., str], tmp_path: Path) -> None:
    with tf1.Graph().as_default() as graph:
        x = tf1.placeholder(tf.float32, [], "x")
        total = tf1.get_variable("total", initializer=0.0, use_resource=True)
        with (
            tf.control_dependencies([total.assign(x)]),
            tf.control_dependencies([total.assign_add(1.0)]),
        ):
            twice = total.read_value() * 2.0
        with tf.control_dependencies([twice]), tf.control_dependencies([total.assign_add(10.0)]):
            tf.add(total.read_value(), twice, name="out")
    again = written_again(graph.as_graph_def(), "out", tool, tmp_path)
    feed = {"x:0": np.float32(3)}
    assert (
        run_graph(again, "out:0", feed) == run_graph(graph.as_graph_def(), "out:0", feed) == 14 + 8
    )


def test_functions(tool: Callable[..., str], tmp_path: Path) -> None:
    @tf.function
    def branch(x: tf.Tensor) -> tf.Tensor:
        return tf.cond(x[0] > 0, lambda: x * 2, lambda: x - 1)

    with tf1.Graph().as_default() as graph:
        x = tf1.placeholder(tf.float32, [None], "x")
        tf.identity(branch(x), name="out")
    again = written_again(graph.as_graph_def(), "out", tool, tmp_path)
    for first in (-1.0, 1.0):
        feed = {"x:0": np.array([first, 3], np.float32)}
        expected = run_graph(graph.as_graph_def(), "out:0", feed)
        np.testing.assert_array_equal(run_graph(again, "out:0", feed), expected)
