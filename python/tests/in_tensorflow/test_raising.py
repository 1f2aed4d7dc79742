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
    "tag": (tf.string, [None, 3]),
    "word": (tf.string, [None]),
    "text": (tf.string, [None, 1]),
    "list": (tf.string, [None]),
    "seen/places": (tf.int64, [None, 2]),
    "seen/values": (tf.int64, [None]),
    "seen/shape": (tf.int64, [2]),
    "said/places": (tf.int64, [None, 2]),
    "said/values": (tf.string, [None]),
    "said/shape": (tf.int64, [2]),
}


def make_features(names: set[str]) -> dict[str, object]:
    """What input layers are given: tensors, lists with places, and parts of texts."""
    given = {
        name: tf1.placeholder(*FEATURES[name], name)
        for name in FEATURES
        if name.split("/")[0] in names
    }
    features: dict[str, object] = {name: one for name, one in given.items() if "/" not in name}
    for name in names & {"seen", "said"}:
        parts = (given[f"{name}/{part}"] for part in ("places", "values", "shape"))
        features[name] = tf.SparseTensor(*parts)
    if "text" in names:
        features["text"] = tf.strings.split(given["text"][:, 0], " ").to_sparse()
    if "list" in names:
        features["list"] = tf1.strings.split(given["list"], ", ")
    return features


def kinds() -> list[object]:
    """Columns of each kind that there is."""
    numeric, hashed = columns.numeric_column, columns.categorical_column_with_hash_bucket
    bucketized, identity = columns.bucketized_column, columns.categorical_column_with_identity
    return [
        columns.embedding_column(bucketized(numeric("price"), [0, 5.5, 10]), 3, "mean"),
        columns.embedding_column(bucketized(numeric("count"), [-1, 0, 7]), 2, "sum"),
        columns.embedding_column(hashed("id", 100, tf.int64), 4, "mean"),
        columns.embedding_column(hashed("small", 9, tf.int32), 2, "sqrtn"),
        columns.embedding_column(identity("kind", 20), 3, "sqrtn"),
        columns.embedding_column(identity("line", 5, default_value=2), 3, "sum"),
        columns.embedding_column(hashed("tag", 100), 4, "mean"),
        columns.embedding_column(hashed("word", 7), 2, "sum"),
        columns.embedding_column(hashed("text", 50), 3, "sum"),
        columns.embedding_column(hashed("seen", 30, tf.int64), 2, "mean"),
        columns.embedding_column(hashed("said", 40), 3, "sqrtn"),
        columns.embedding_column(hashed("list", 100), 2, "mean"),
    ]


def make_graph(
    chosen: list[object], frozen: bool = True
) -> tuple[tf1.GraphDef, dict[str, np.ndarray]]:
    """An input layer, and the tables of its variables, which are constants if it is frozen."""
    with tf1.Graph().as_default() as graph, tf1.Session() as session:
        tf1.set_random_seed(5)
        features = make_features({name for one in chosen for name in one.parse_example_spec})
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
    short = [b"", b" ", b"a", b"bc", b"\xff\xfe", b"\0", "\u00e9".encode(), b"x" * 9]
    longer = [b"0123456789abcdef" * times + b"," for times in (1, 2, 4, 5)]
    alphabet = np.array([*short, *longer], object)

    def texts(*shape: int, parts: int = 3) -> np.ndarray:
        """Texts of some parts each, none for some of them."""
        drawn = [
            b" ".join(random.choice(alphabet, random.integers(1, parts + 1)))
            for _ in range(int(np.prod(shape)))
        ]
        return np.array([*drawn, None], object)[:-1].reshape(shape)

    def sparse(name: str, values: np.ndarray) -> dict[str, np.ndarray]:
        """A list whose rows are in no order, of a shape with empty rows."""
        rows = random.integers(0, max(batch, 1), len(values))
        places = np.stack([rows, random.integers(0, 9, len(values))], 1)
        shape = np.array([batch, 9])
        return {f"{name}/places": places, f"{name}/values": values, f"{name}/shape": shape}

    listed = batch * 2
    return {
        **sparse("seen", random.integers(-2, 10, listed)),
        **sparse("said", texts(listed, parts=1)),
        "tag": texts(batch, 3, parts=1),
        "word": texts(batch, parts=1),
        "text": texts(batch, 1),
        "list": texts(batch),
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


def with_shapes(graph: tf1.GraphDef) -> tf1.GraphDef:
    """The same with the shapes that TensorFlow infers; ValueError for what is no graph."""
    for node in graph.node:
        node.attr.pop("_output_shapes", None)
    with tf1.Graph().as_default() as known:
        tf1.import_graph_def(graph, name="")
        return known.as_graph_def(add_shapes=True)


def mutated(graph: tf1.GraphDef, random: np.random.Generator) -> tf1.GraphDef | None:
    """A graph that differs in a constant, or in what a node reads; none if it is no graph."""
    changed = tf1.GraphDef()
    changed.CopyFrom(graph)
    constants = [node for node in changed.node if node.op == "Const"]
    integers = [
        node
        for node in constants
        if node.attr["dtype"].type in (tf.int32, tf.int64)
        and tf.make_ndarray(node.attr["value"].tensor).size
    ]
    texts = [node for node in constants if node.attr["dtype"].type == tf.string]
    if texts and random.random() < 0.1:
        node = random.choice(texts)
        value = tf.make_ndarray(node.attr["value"].tensor)
        other = np.where(value == b"", b"a", random.choice([b"", b"a", b"  "])).astype(object)
        node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(other, tf.string))
    elif random.random() < 0.5:
        node = random.choice(integers)
        value = np.array(tf.make_ndarray(node.attr["value"].tensor))
        value.reshape(-1)[random.integers(value.size)] += random.choice([-1, 1])
        node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value))
    else:
        reading = [place for place, node in enumerate(changed.node) if node.input]
        place = random.choice(reading)
        inputs = changed.node[place].input
        others = [node.name for node in changed.node[:place]]
        several = ("Unique", "StringSplitV2", "RaggedTensorToSparse", "SparseReshape")
        others += [f"{node.name}:1" for node in changed.node[:place] if node.op in several]
        inputs[random.integers(len(inputs))] = random.choice(others)
    try:
        return with_shapes(changed)
    except ValueError:
        return None


@pytest.mark.parametrize(
    "kind",
    [0, 2, 5, 6, 8, 9, 11],
    ids=["bucketized", "hashed", "identity", "texts", "parts", "places", "split"],
)
def test_what_is_nearly_a_column(tool: Callable[..., str], tmp_path: Path, kind: int) -> None:
    """What is raised computes what TensorFlow does, whatever is different in the graph."""
    graph = freeze([kinds()[kind]])
    random = np.random.default_rng(kind)
    drawn = draw(7, 1)
    feed = {name: drawn[name] for name in FEATURES if f'"{name}"' in str(graph)}
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
        try:
            found = kernels[raised](*[tf.constant(feed[name]) for name in argument_names(raised)])
        except tf.errors.InvalidArgumentError:
            # Lists of fewer values than places, which no SparseTensor has.
            assert "col.from_coordinates" in raised
            continue
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
    assert stayed > 5
    assert kernels


def weighted_graph(combiner: str, frozen: bool = True) -> tf1.GraphDef:
    """What `safe_embedding_lookup_sparse` makes of lists of hashed texts with weights."""
    with tf1.Graph().as_default() as graph, tf1.Session() as session:
        tf1.set_random_seed(5)
        places = tf1.placeholder(tf.int64, [None, 2], "places")
        shape = tf1.placeholder(tf.int64, [2], "shape")
        ids = tf.strings.to_hash_bucket_fast(tf1.placeholder(tf.string, [None], "texts"), 9)
        weights = tf1.placeholder(tf.float32, [None], "weights")
        table = tf1.get_variable("table", [9, 3], use_resource=True)
        rows = tf1.nn.safe_embedding_lookup_sparse(
            [table],
            tf.SparseTensor(places, ids, shape),
            tf.SparseTensor(places, weights, shape),
            combiner=combiner,
        )
        tf.identity(rows, "out")
        session.run(tf1.global_variables_initializer())
        made = graph.as_graph_def(add_shapes=True)
        return tf1.graph_util.convert_variables_to_constants(session, made, ["out"])


def draw_weighted(batch: int, seed: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    count = batch * 3
    places = np.stack([random.integers(0, max(batch, 1), count), np.arange(count)], 1)
    weights = random.choice(np.array([-1, 0, 0.5, 2, 1e-30, 3], np.float32), count)
    texts = np.array([b"%d" % number for number in random.integers(0, 5, count)] + [None], object)
    return {
        "places": places.reshape(-1, 2),
        "shape": np.array([batch, max(count, 1)]),
        "texts": texts[:-1],
        "weights": weights,
    }


@pytest.mark.parametrize("combiner", ["sum", "mean", "sqrtn"])
def test_weights(tool: Callable[..., str], tmp_path: Path, combiner: str) -> None:
    graph = with_shapes(weighted_graph(combiner))
    raised = tool("ember-opt", imported(graph, tool, tmp_path), "--raise-graph-to-col")
    assert "col.node" not in raised
    assert ("col.keep_weight" in raised) == (combiner != "sum")
    (tmp_path / "raised.mlir").write_text(raised)
    tool("emberc", tmp_path / "raised.mlir", "-o", tmp_path / "libraised.so")
    kernel = et.load_kernel(tmp_path / "libraised.so")
    for seed, batch in enumerate([0, 1, 6, 90]):
        feed = draw_weighted(batch, seed)
        found = kernel(*[tf.constant(feed[name]) for name in argument_names(raised)])
        np.testing.assert_allclose(found, run_graph(graph, feed), rtol=1e-5, atol=1e-6)
