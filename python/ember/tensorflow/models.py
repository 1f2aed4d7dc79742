"""Recommendation models of a thousand columns, as graphs of TensorFlow 1's feature columns.

    model = ember.tensorflow.models.model_e()
    with tf.Graph().as_default():
        nodes = model.build()  # placeholders, columns and logits

Models E and F are those of the RECom paper; `numbers(n)` is its microbenchmark.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1

BOUNDARIES = tuple(range(0, 500, 5))
# Floats of the microbenchmark, of which 95 % are in the last bucket; or spread over all.
RANGES = {"published": (-1.0, 9999.0), "uniform": (-5.0, 505.0)}


@dataclass(frozen=True)
class Kind:
    """A kind of columns: how many numbers there are, and what they are made of.

    feature: "number", "id", "text" or "list" (of 1 to 10 texts, beside each other with spaces).
    """

    feature: str
    rows: int
    dimension: int = 8
    combiner: str = "mean"

    def placeholder(self, name: str) -> Any:
        dtype = {"number": tf.float32, "id": tf.int64}.get(self.feature, tf.string)
        return tf1.placeholder(dtype, [None] if self.feature == "list" else [None, 1], name)

    def column(self, name: str) -> Any:
        columns = tf.feature_column
        if self.feature == "number":
            ids = columns.bucketized_column(columns.numeric_column(name), list(BOUNDARIES))
        else:
            dtype = tf.int64 if self.feature == "id" else tf.string
            ids = columns.categorical_column_with_hash_bucket(name, self.rows, dtype)
        return columns.embedding_column(ids, self.dimension, self.combiner)

    def value(self, given: Any) -> Any:
        """What the column reads of a placeholder."""
        return tf.strings.split(given).to_sparse() if self.feature == "list" else given

    def draw(self, random: np.random.Generator, batch: int, spread: str) -> np.ndarray:
        if self.feature == "number":
            return random.uniform(*RANGES[spread], (batch, 1)).astype(np.float32)
        if self.feature == "id":
            return random.integers(0, 1 << 40, (batch, 1))
        if self.feature == "text":
            return np.array([[_word(random)] for _ in range(batch)], object).reshape(batch, 1)
        lists = [
            b" ".join(_word(random) for _ in range(random.integers(1, 11))) for _ in range(batch)
        ]
        return np.array(lists, object)


def _word(random: np.random.Generator) -> bytes:
    return bytes(random.integers(97, 123, 8).astype(np.uint8))


NUMBER = Kind("number", len(BOUNDARIES) + 1)
ID = Kind("id", 100)
TEXT = Kind("text", 10_000)
LIST = Kind("list", 10_000, combiner="sum")
LARGE = Kind("list", 1 << 23, 32, "sum")


@dataclass(frozen=True)
class Built:
    """A model in a graph: features by their names, the columns beside each other, and logits."""

    features: Mapping[str, Any]
    columns: Any
    logits: Any


@dataclass(frozen=True)
class Model:
    """Columns of kinds, numbers that are no columns, and the network above."""

    name: str
    kinds: tuple[tuple[int, Kind], ...]
    dense: int = 0
    bottom: tuple[int, ...] = ()
    top: tuple[int, ...] = ()

    def each(self) -> Iterator[tuple[str, Kind]]:
        """The names of the features and what is made of them, in the order of the columns."""
        place = 0
        for count, kind in self.kinds:
            for _ in range(count):
                yield f"f{place:04}", kind
                place += 1

    def of(self, *features: str) -> "Model":
        """The model with only such columns as have features of these kinds."""
        return replace(self, kinds=tuple(one for one in self.kinds if one[1].feature in features))

    def build(self) -> Built:
        """Writes the model into the default graph."""
        features = {name: kind.placeholder(name) for name, kind in self.each()}
        values = {name: kind.value(features[name]) for name, kind in self.each()}
        columns = tf1.feature_column.input_layer(
            values, [kind.column(name) for name, kind in self.each()]
        )
        columns = tf.identity(columns, "columns")
        below = [columns]
        if self.dense:
            features["dense"] = tf1.placeholder(tf.float32, [None, self.dense], "dense")
            below.append(_layers(features["dense"], self.bottom, "bottom", tf.nn.relu))
        above = tf.concat(below, 1) if len(below) > 1 else columns
        logits = _layers(above, self.top, "top") if self.top else columns
        return Built(features, columns, tf.identity(logits, "logits"))

    def draw(self, batch: int, seed: int = 0, spread: str = "published") -> dict[str, np.ndarray]:
        """Features of a batch; spread: of numbers, one of RANGES."""
        random = np.random.default_rng(seed)
        drawn = {name: kind.draw(random, batch, spread) for name, kind in self.each()}
        if self.dense:
            drawn["dense"] = random.random((batch, self.dense), np.float32)
        return drawn


def _layers(
    value: Any, widths: tuple[int, ...], name: str, last: Callable[[Any], Any] | None = None
) -> Any:
    for place, width in enumerate(widths):
        with tf1.variable_scope(f"{name}{place}"):
            weights = tf1.get_variable("weights", [value.shape[1], width])
            bias = tf1.get_variable("bias", [width], initializer=tf1.zeros_initializer())
            value = tf.nn.bias_add(tf.matmul(value, weights), bias)
        if place + 1 < len(widths):
            value = tf.nn.relu(value)
    return last(value) if last else value


def numbers(count: int) -> Model:
    """The microbenchmark: columns of buckets of numbers, and nothing else."""
    return Model(f"numbers-{count}", ((count, NUMBER),))


def model_e(large_rows: int = LARGE.rows) -> Model:
    """Model E. large_rows: of five tables, which have 5 GiB together."""
    large = replace(LARGE, rows=large_rows)
    kinds = ((880, NUMBER), (50, ID), (50, TEXT), (15, LIST), (5, large))
    return Model("E", kinds, 32, (32,), (1024, 1024, 128, 1))


def model_f(large_rows: int = LARGE.rows) -> Model:
    """Model F. large_rows: of three tables, which have 3 GiB together."""
    large = replace(LARGE, rows=large_rows)
    kinds = ((1000, NUMBER), (90, ID), (100, TEXT), (7, LIST), (3, large))
    return Model("F", kinds, 32, (32,), (2048, 1024, 1024, 512, 1))


def frozen(model: Model, output: str = "logits", seed: int = 5) -> Any:
    """The GraphDef of a model whose weights are constants, with what is known of shapes."""
    with tf1.Graph().as_default() as graph, tf1.Session() as session:
        tf1.set_random_seed(seed)
        model.build()
        session.run(tf1.global_variables_initializer())
        whole = graph.as_graph_def(add_shapes=True)
        return tf1.graph_util.convert_variables_to_constants(session, whole, [output])
