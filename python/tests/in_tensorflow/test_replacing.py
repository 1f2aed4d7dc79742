"""Graphs and models with kernels in place of their columns, against what TensorFlow computes.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
from pathlib import Path

import ember.tensorflow as et
import numpy as np
import pytest
import tensorflow as tf
from ember import ArgumentError, CompileError
from ember.tensorflow import command, models, optimizer
from test_raising import FEATURES, draw, kinds, make_graph, run_graph

tf1 = tf.compat.v1
columns = tf.feature_column

pytestmark = pytest.mark.filterwarnings("ignore")


def count(graph: tf1.GraphDef, kind: str) -> int:
    return sum(node.op == kind for node in graph.node)


def arrays() -> list[object]:
    """Columns of each kind whose feature is one array."""
    return [one for one in kinds() if FEATURES.keys() >= one.parse_example_spec.keys()]


def vocabulary() -> object:
    """A column whose ids are looked up in a table that TensorFlow keeps."""
    listed = columns.categorical_column_with_vocabulary_list("brand", ["a", "b", "-1"])
    return columns.embedding_column(listed, 2)


def write_model(folder: Path) -> None:
    """A model with columns of each kind, ids of one of which TensorFlow makes, and a layer."""
    with tf1.Graph().as_default(), tf1.Session() as session:
        tf1.set_random_seed(5)
        names = {name for one in arrays() for name in one.parse_example_spec}
        inputs = {
            name: tf1.placeholder(*FEATURES[name], name) for name in FEATURES if name in names
        }
        inputs["brand"] = tf1.placeholder(tf.string, [None, 1], "brand")
        features = {**inputs, "text": tf.strings.split(inputs["text"][:, 0], " ").to_sparse()}
        features["list"] = tf1.strings.split(inputs["list"], ", ")
        layer = tf1.feature_column.input_layer(features, [*arrays(), vocabulary()])
        weights = tf1.get_variable("weights", [layer.shape[1], 2], use_resource=True)
        session.run([tf1.global_variables_initializer(), tf1.tables_initializer()])
        outputs = {"logits": tf.matmul(layer, weights)}
        tf1.saved_model.simple_save(
            session, str(folder), inputs, outputs, tf1.tables_initializer(name="fill")
        )


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "model"
    write_model(folder)
    return folder


def drawn(batch: int, seed: int) -> dict[str, np.ndarray]:
    brands = np.random.default_rng(seed).choice([b"", b"a", b"\xff", b"-1"], (batch, 1))
    given = {name: value for name, value in draw(batch, seed).items() if "/" not in name}
    return given | {"brand": brands.astype(object)}


@pytest.mark.parametrize("embed", [False, True], ids=["file", "embedded"])
def test_frozen_graphs(embed: bool) -> None:
    graph, _ = make_graph(kinds())
    compiled = et.compile_graph(graph, ["out"], embed=embed)
    assert count(compiled.graph, "EmberKernel") == 1
    assert count(compiled.graph, "SparseFillEmptyRows") == 0
    assert len(compiled.report.columns) == len(kinds())
    assert compiled.report.nodes > 200
    assert compiled.report.left <= 3
    et.register()
    for seed, batch in enumerate([0, 1, 2, 50, 300]):
        feed = draw(batch, seed)
        found, expected = run_graph(compiled.graph, feed), run_graph(graph, feed)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


def test_results_that_are_columns() -> None:
    """Whoever fetches the concatenation by its name finds it."""
    graph, _ = make_graph(kinds())
    name = "input_layer/concat"
    compiled = et.compile_graph(graph, [name, "out"])
    assert count(compiled.graph, "EmberKernel") == 1
    feed = {f"{name}:0": value for name, value in draw(7, 1).items()}
    results = []
    for one in (graph, compiled.graph):
        with tf1.Graph().as_default(), tf1.Session() as session:
            tf1.import_graph_def(one, name="")
            results.append(session.run([f"{name}:0", "out:0"], feed))
    np.testing.assert_allclose(results[1], results[0], rtol=1e-6, atol=1e-6)


def test_nothing_to_compile() -> None:
    with tf1.Graph().as_default() as graph:
        tf.add(tf1.placeholder(tf.float32, [], "x"), 1.0, name="out")
    given = graph.as_graph_def()
    compiled = et.compile_graph(given, ["out"])
    assert compiled.library is None
    assert compiled.graph is given


def test_an_id_out_of_range() -> None:
    kind = columns.categorical_column_with_identity("kind", 4)
    graph, _ = make_graph([columns.embedding_column(kind, 2)])
    compiled = et.compile_graph(graph, ["out"])
    feed = {"kind": np.array([[0, 1], [2, 4]])}
    for one in (graph, compiled.graph):
        with pytest.raises(tf.errors.InvalidArgumentError) as raised:
            run_graph(one, feed)
    said = str(raised.value)
    assert "index 4 at position 3 of 'kind' is out of range" in said
    assert re.search(r"input_layer/kind_embedding/embedding_weights.* of size 4", said)


def test_saved_models(model: Path, tmp_path: Path) -> None:
    reports = et.compile_saved_model(model, tmp_path / "fast", on_error="raise")
    report = reports["serving_default"]
    assert len(report.columns) == len(arrays())
    assert any("brand_embedding" in one for one in report.stayed)
    moved = tmp_path / "moved"
    (tmp_path / "fast").rename(moved)
    theirs, ours = et.load(model), et.load(moved)
    for seed, batch in enumerate([1, 2, 50]):
        features = drawn(batch, seed)
        np.testing.assert_allclose(ours(**features), theirs(**features), rtol=1e-5, atol=1e-6)
    features["brands"] = features.pop("brand")
    with pytest.raises(ArgumentError, match=r"missing: \['brand'\], not known: \['brands'\]"):
        ours(**features)
    with pytest.raises(ArgumentError, match="no signature 'other'; there are: 'serving_default'"):
        et.load(moved, "other")


def test_changed_tables(model: Path, tmp_path: Path) -> None:
    """The next call sees what has been assigned to a variable."""
    et.compile_saved_model(model, tmp_path / "fast", on_error="raise")
    f, features = et.load(tmp_path / "fast"), drawn(20, 3)
    before = f(**features)
    names = [one.name for one in f.model.model.variables]
    place = next(place for place, name in enumerate(names) if "price" in name)
    table = f.model.model.variables[place]
    table.assign(table * 2 + 1)
    assert np.abs(f(**features) - before).max() > 1e-3


def test_what_cannot_be_compiled(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise CompileError("there is no compiler on this machine")

    monkeypatch.setattr("ember.tensorflow.compiling.find_tool", refuse)
    with pytest.raises(CompileError, match="there is no compiler"):
        et.compile_saved_model(model, tmp_path / "none", on_error="raise")
    with pytest.warns(RuntimeWarning, match="to TensorFlow: there is no compiler"):
        assert et.compile_saved_model(model, tmp_path / "same") == {}
    features = drawn(5, 1)
    assert np.array_equal(et.load(tmp_path / "same")(**features), et.load(model)(**features))
    with pytest.raises(ArgumentError, match="on_error must be"):
        et.compile_saved_model(model, tmp_path / "other", on_error="ignore")
    with pytest.raises(ArgumentError, match="no folder of a SavedModel"):
        et.compile_saved_model(tmp_path / "nothing", tmp_path / "other")


def test_explanations(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = et.explain(model)
    assert "signature 'serving_default': 10 columns are compiled: 2 bucketized, 6 hashed" in text
    assert re.search(
        r"price: bucketized, mean of \S*price\S* \[4 x 3\] \(from_dense, bucketize", text
    )
    assert "what stays as it is:" in text
    assert "(LookupTableFindV2) is not known to be a list" in text
    assert command.main(["explain", str(model)]) == 0
    assert capsys.readouterr().out.strip() == text
    graph, _ = make_graph(kinds()[:1])
    assert "1 columns are compiled: 1 bucketized" in et.explain(graph)
    with pytest.raises(ArgumentError, match="a int is no model"):
        et.explain(3)


def test_command(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["compile", str(model), "-o", str(tmp_path / "fast"), "--fail"]) == 0
    assert "10 columns, nodes" in capsys.readouterr().out
    assert command.main(["compile", str(tmp_path / "none"), "-o", str(tmp_path / "x")]) == 1
    assert capsys.readouterr().err.startswith("ember-tf: error: ")


@pytest.fixture
def enabled() -> None:
    et.enable()
    optimizer.reports.clear()
    yield
    et.disable()


@pytest.mark.usefixtures("enabled")
def test_sessions_that_are_enabled() -> None:
    for is_frozen in (True, False):
        graph, tables = make_graph(kinds(), is_frozen)
        with tf1.Graph().as_default(), tf1.Session() as session:
            tf1.import_graph_def(graph, name="")
            if not is_frozen:
                for name, table in tables.items():
                    handle = session.graph.get_tensor_by_name(f"{name}:0")
                    tf.raw_ops.AssignVariableOp(resource=handle, value=table)
                session.run(
                    [
                        one
                        for one in session.graph.get_operations()
                        if one.type == "AssignVariableOp" and not one.name.startswith("input_layer")
                    ]
                )
            optimizer.reports.clear()
            feed = draw(9, 4)
            found = session.run("out:0", {f"{name}:0": value for name, value in feed.items()})
            assert [len(one.columns) for one in optimizer.reports] == [len(kinds())]
        et.disable()
        expected = run_graph(make_graph(kinds())[0], feed)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
        et.enable()


@pytest.mark.usefixtures("enabled")
def test_functions_that_are_enabled(model: Path) -> None:
    features = drawn(9, 4)
    found = et.load(model)(**features)
    assert [len(one.columns) for one in optimizer.reports] == [len(arrays())]
    et.disable()
    np.testing.assert_allclose(found, et.load(model)(**features), rtol=1e-5, atol=1e-6)


def test_models_of_many_columns() -> None:
    small = models.Model("small", ((12, models.NUMBER), (10, models.ID)))
    graph = models.frozen(small)
    compiled = et.compile_graph(graph, ["columns"])
    assert len(compiled.report.columns) == 22
    assert compiled.report.left <= 3
    for spread in models.RANGES:
        feed = {f"{name}:0": value for name, value in small.draw(70, 1, spread).items()}
        results = []
        for one in (graph, compiled.graph):
            with tf1.Graph().as_default(), tf1.Session() as session:
                tf1.import_graph_def(one, name="")
                results.append(session.run("columns:0", feed))
        np.testing.assert_allclose(results[1], results[0], rtol=1e-6, atol=1e-6)
