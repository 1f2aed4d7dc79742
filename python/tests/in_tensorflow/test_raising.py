"""Columns that are found in graphs, as kernels, against what TensorFlow computes.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
from collections.abc import Callable
from pathlib import Path

import ember.tensorflow as et
import numpy as np
import pytest
import tensorflow as tf

tf1 = tf.compat.v1
columns = tf.feature_column

pytestmark = pytest.mark.filterwarnings("ignore")

FEATURES = {
    "price": (tf.float32, [None, 1]),
    "count": (tf.int64, [None, 1]),
    "id": (tf.int64, [None, 3]),
    "small": (tf.int32, [None, 2]),
    "kind": (tf.int64, [None, 2]),
    "line": (tf.int64, [None]),
}


def kinds() -> list[object]:
    """Columns of each kind that there is, in the order of their names."""
    numeric, hashed = columns.numeric_column, columns.categorical_column_with_hash_bucket
    bucketized, identity = columns.bucketized_column, columns.categorical_column_with_identity
    return [
        columns.embedding_column(bucketized(numeric("price"), [0, 5.5, 10]), 3, "mean"),
        columns.embedding_column(bucketized(numeric("count"), [-1, 0, 7]), 2, "sum"),
        columns.embedding_column(hashed("id", 100, tf.int64), 4, "mean"),
        columns.embedding_column(hashed("small", 9, tf.int32), 2, "sqrtn"),
        columns.embedding_column(identity("kind", 20), 3, "sqrtn"),
        columns.embedding_column(identity("line", 5, default_value=2), 3, "sum"),
    ]


def make_graph(
    chosen: list[object], frozen: bool = True
) -> tuple[tf1.GraphDef, dict[str, np.ndarray]]:
    """An input layer, and the tables of its variables, which are constants if it is frozen."""
    with tf1.Graph().as_default() as graph, tf1.Session() as session:
        tf1.set_random_seed(5)
        features = {
            name: tf1.placeholder(*FEATURES[name], name)
            for name in FEATURES
            if any(name in column.parse_example_spec for column in chosen)
        }
        tf.identity(tf1.feature_column.input_layer(features, chosen), "out")
        session.run(tf1.global_variables_initializer())
        made = graph.as_graph_def(add_shapes=True)
        tables = {one.op.name: session.run(one) for one in tf1.global_variables()}
        if frozen:
            made = tf1.graph_util.convert_variables_to_constants(session, made, ["out"])
        return made, tables


def freeze(chosen: list[object]) -> tf1.GraphDef:
    return make_graph(chosen)[0]


def draw(batch: int, seed: int) -> dict[str, np.ndarray]:
    """Features with what is special in each, as far as there is room."""
    random = np.random.default_rng(seed)
    price = random.uniform(-10, 20, (batch, 1)).astype(np.float32)
    price[random.random((batch, 1)) < 0.3] = random.choice([np.nan, np.inf, -np.inf, 0, 5.5, 10])
    extremes = np.array([-1, -2, 0, 2**63 - 1, -(2**63)])
    ids = random.choice(np.append(extremes, random.integers(-(10**6), 10**6, 5)), (batch, 3))
    ids[random.random(batch) < 0.2] = -1
    return {
        "price": price,
        "count": random.choice([-2, -1, 0, 6, 7, 8, 2**40], (batch, 1)),
        "id": ids,
        "small": random.choice([-1, -2, 0, 5, 2**31 - 1, -(2**31)], (batch, 2)).astype(np.int32),
        "kind": random.integers(-3, 20, (batch, 2)),
        "line": random.choice([-2, -1, 0, 4, 5, 2**40], batch),
    }


def run_graph(graph: tf1.GraphDef, feed: dict[str, np.ndarray]) -> np.ndarray:
    with tf1.Graph().as_default(), tf1.Session() as session:
        tf1.import_graph_def(graph, name="")
        return session.run("out:0", {f"{name}:0": value for name, value in feed.items()})


def imported(graph: tf1.GraphDef, tool: Callable[..., str], folder: Path, *options: str) -> Path:
    (folder / "graph.pb").write_bytes(graph.SerializeToString())
    words = ("--import-graphdef", folder / "graph.pb", *(options or ("--output=out",)))
    tool("ember-translate", *words, "-o", folder / "graph.mlir")
    return folder / "graph.mlir"


def argument_names(module: str) -> list[str]:
    """The names of the arguments of a module's function, in order."""
    return re.findall(r'%arg\d+: [^{)]*\{ember\.name = "([^"]*)"\}', module)


VARIANTS = {
    "constants": (True, ()),
    "arguments": (True, ("--output=out", "--most-elements=10")),
    "variables": (False, ()),
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_values(tool: Callable[..., str], tmp_path: Path, variant: str) -> None:
    is_frozen, options = VARIANTS[variant]
    graph, _ = make_graph(kinds())
    given, tables = make_graph(kinds(), is_frozen)
    raised = tool("ember-opt", imported(given, tool, tmp_path, *options), "--raise-graph-to-col")
    assert "col.node" not in raised
    assert raised.count("col.lookup") == len(kinds())
    (tmp_path / "raised.mlir").write_text(raised)
    tool("emberc", tmp_path / "raised.mlir", "-o", tmp_path / "libraised.so")
    kernel = et.load_kernel(tmp_path / "libraised.so")
    names = argument_names(raised)
    assert set(FEATURES) <= set(names)
    large = sum(table.size > 10 for table in tables.values())
    left = {"constants": 0, "arguments": large, "variables": len(tables)}
    assert len(names) == len(FEATURES) + left[variant]
    for seed, batch in enumerate([0, 1, 2, 50, 300]):
        feed = draw(batch, seed)
        found = kernel(*[tf.constant((tables | feed)[name]) for name in names])
        np.testing.assert_allclose(found, run_graph(graph, feed), rtol=1e-6, atol=1e-6)


def test_what_is_read_outside(tool: Callable[..., str], tmp_path: Path) -> None:
    """Ids that are a result, too, are made by nodes, and the column does not need them."""
    graph = freeze([kinds()[2]])
    hashes = "input_layer/id_embedding/lookup"
    module = imported(graph, tool, tmp_path, f"--output=out,{hashes}")
    raised = tool("ember-opt", module, "--raise-graph-to-col")
    assert raised.count("col.lookup") == 1
    assert f'"StringToHashBucketFast" "{hashes}"' in raised
    assert "SparseSegmentMean" not in raised


def test_an_id_out_of_range(tool: Callable[..., str], tmp_path: Path) -> None:
    graph = freeze(
        [columns.embedding_column(columns.categorical_column_with_identity("kind", 4), 2)]
    )
    raised = tool("ember-opt", imported(graph, tool, tmp_path), "--raise-graph-to-col")
    (tmp_path / "raised.mlir").write_text(raised)
    tool("emberc", tmp_path / "raised.mlir", "-o", tmp_path / "libraised.so")
    kind = np.array([[0, 4]])
    with pytest.raises(tf.errors.InvalidArgumentError):
        run_graph(graph, {"kind": kind})
    with pytest.raises(tf.errors.InvalidArgumentError, match="index 4"):
        et.load_kernel(tmp_path / "libraised.so")(tf.constant(kind))


def mutated(graph: tf1.GraphDef, random: np.random.Generator) -> tf1.GraphDef | None:
    """A graph that differs in a constant, or in what a node reads; none if it is no graph."""
    changed = tf1.GraphDef()
    changed.CopyFrom(graph)
    integers = [
        node
        for node in changed.node
        if node.op == "Const" and node.attr["dtype"].type in (tf.int32, tf.int64)
    ]
    if random.random() < 0.5:
        node = random.choice(integers)
        value = np.array(tf.make_ndarray(node.attr["value"].tensor))
        value.reshape(-1)[random.integers(value.size)] += random.choice([-1, 1])
        node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value))
    else:
        reading = [place for place, node in enumerate(changed.node) if node.input]
        place = random.choice(reading)
        inputs = changed.node[place].input
        others = [node.name for node in changed.node[:place]]
        others += [f"{node.name}:1" for node in changed.node[:place] if node.op == "Unique"]
        inputs[random.integers(len(inputs))] = random.choice(others)
    for node in changed.node:
        node.attr.pop("_output_shapes", None)
    try:
        with tf1.Graph().as_default() as known:
            tf1.import_graph_def(changed, name="")
            return known.as_graph_def(add_shapes=True)
    except ValueError:
        return None


@pytest.mark.parametrize("kind", [0, 2, 5], ids=["bucketized", "hashed", "identity"])
def test_what_is_nearly_a_column(tool: Callable[..., str], tmp_path: Path, kind: int) -> None:
    """What is raised computes what TensorFlow does, whatever is different in the graph."""
    graph = freeze([kinds()[kind]])
    random = np.random.default_rng(kind)
    feed = {name: draw(7, 1)[name] for name in FEATURES if f'"{name}"' in str(graph)}
    kernels: dict[str, Callable[..., tf.Tensor]] = {}
    stayed = 0
    for _ in range(70):
        other = mutated(graph, random)
        if other is None:
            continue
        raised = tool("ember-opt", imported(other, tool, tmp_path), "--raise-graph-to-col")
        if "col.node" in raised:
            stayed += 1
            continue
        try:
            expected = run_graph(other, feed)
        except tf.errors.OpError:
            continue
        if raised not in kernels:
            (tmp_path / "raised.mlir").write_text(raised)
            library = tmp_path / f"lib{len(kernels)}.so"
            tool("emberc", tmp_path / "raised.mlir", "-o", library)
            kernels[raised] = et.load_kernel(library)
        found = kernels[raised](*[tf.constant(feed[name]) for name in argument_names(raised)])
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
    assert stayed > 5
    assert kernels
