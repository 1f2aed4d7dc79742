"""What Ember makes of a model, in words.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import tensorflow as tf

from ember.errors import ArgumentError
from ember.tensorflow.compiling import compile_graph
from ember.tensorflow.saved_model import compile_function, register


def _unread(graph: Any) -> list[str]:
    """The nodes that no other one reads."""
    read = {name.lstrip("^").split(":")[0] for node in graph.node for name in node.input}
    return [node.name for node in graph.node if node.name not in read]


def explain(model: Any, outputs: Iterable[str] | None = None) -> str:
    """The columns of a model, how many nodes go and why, and what stays and why, as text.

    model: the folder of a SavedModel, a concrete function or tf.function with a signature, a
    tf.Graph, or a GraphDef. outputs: of the latter two, what is computed; else, what nothing reads.
    Raises CompileError.
    """
    if isinstance(model, str | Path):
        register()
        signatures = tf.saved_model.load(str(model)).signatures
        return "\n".join(
            f"signature '{name}': {compile_function(function).report}"
            for name, function in signatures.items()
        )
    if isinstance(model, tf.Graph):
        model = model.as_graph_def(add_shapes=True)
    if isinstance(model, tf.compat.v1.GraphDef):
        return str(compile_graph(model, outputs or _unread(model)).report)
    if hasattr(model, "get_concrete_function"):
        model = model.get_concrete_function()
    if hasattr(model, "captured_inputs"):
        return str(compile_function(model).report)
    raise ArgumentError(f"a {type(model).__name__} is no model of TensorFlow")
