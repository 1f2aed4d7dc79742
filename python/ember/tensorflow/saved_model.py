"""Models in folders, with kernels in place of their columns.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from ember.compiler import Options
from ember.errors import ArgumentError, EmberError
from ember.tensorflow.compiling import CompiledGraph, Variable, compile_graph
from ember.tensorflow.op_library import operators
from ember.tensorflow.report import Report
from ember.tensorflow.uncompiled import say_uncompiled


def _variables(function: Any) -> dict[str, Variable]:
    """The placeholders of a function's graph that are handles of variables."""
    known = {id(one.handle): one for one in function.graph.variables}
    found = {}
    for outside, inside in function.graph.captures:
        if (variable := known.get(id(outside))) is not None:
            dtype = variable.dtype.base_dtype.as_datatype_enum
            found[inside.op.name] = Variable(dtype, tuple(variable.shape.as_list()))
    return found


def compile_function(function: Any, options: Options | None = None) -> CompiledGraph:
    """The graph of a concrete function, compiled. Raises CompileError."""
    graph = function.graph.as_graph_def(add_shapes=True)
    names = [one.name for one in function.graph.outputs]
    outputs = [one.removesuffix(":0") for one in names]
    variables = _variables(function)
    return compile_graph(graph, outputs, variables=variables, embed=True, options=options)


def _function(original: Any, graph: Any) -> Any:
    """A function of the arguments of `original` that computes what `graph` does."""
    specs = original.structured_input_signature[1]
    captures = list(original.graph.captures)
    given = [
        one.name for one in original.graph.inputs[: len(original.graph.inputs) - len(captures)]
    ]
    read = {name.removesuffix(":0") for node in graph.node for name in node.input}
    outputs = [one.name for one in original.graph.outputs]

    def call(**features: Any) -> Any:
        inside = tf.compat.v1.get_default_graph()
        values = dict(zip(given, tf.nest.flatten(features), strict=True))
        values |= {one.name: inside.capture(outside) for outside, one in captures}
        used = {name: one for name, one in values.items() if name.removesuffix(":0") in read}
        results = tf.graph_util.import_graph_def(
            graph, input_map=used, return_elements=outputs, name=""
        )
        return tf.nest.pack_sequence_as(original.structured_outputs, results)

    call.__name__ = "compiled"
    return tf.function(call, input_signature=None).get_concrete_function(**specs)


def compile_saved_model(
    source: str | Path,
    target: str | Path,
    *,
    on_error: str = "warn",
    options: Options | None = None,
) -> dict[str, Report]:
    """Writes the SavedModel in the folder `source` to `target`, with compiled columns.

    Returns what has been found, by signatures. The new model has the signatures of the old one,
    its variables, and the kernels: `ember.tensorflow.load` runs it, and tf.saved_model.load does
    after `ember.tensorflow.register`. on_error: what a model that cannot be compiled is: "warn"
    writes it as it is, with one warning, "raise" raises the error, a CompileError mostly.
    """
    if on_error not in ("warn", "raise"):
        raise ArgumentError(f"on_error must be 'warn' or 'raise', not {on_error!r}")
    if not Path(source).is_dir():
        raise ArgumentError(f"{source} is no folder of a SavedModel")
    register()
    try:
        loaded = tf.saved_model.load(str(source))
    except (OSError, ValueError, tf.errors.OpError) as error:
        raise ArgumentError(f"TensorFlow cannot load {source}: {error}") from error
    reports, functions = {}, {}
    try:
        for name, function in loaded.signatures.items():
            compiled = compile_function(function, options)
            reports[name] = compiled.report
            functions[name] = _function(function, compiled.graph)
    except EmberError as error:
        if on_error == "raise":
            raise
        say_uncompiled(f"the model {source}", error)
        shutil.copytree(source, target, dirs_exist_ok=True)
        return {}
    module = tf.Module()
    module.model = loaded
    tf.saved_model.save(module, str(target), signatures=functions)
    return reports


def register() -> None:
    """Makes Ember's operators known to TensorFlow, for models that have them.

    They are compiled when they are used first. Raises CompileError.
    """
    operators()


def load(folder: str | Path, signature: str = "serving_default") -> Callable[..., Any]:
    """A signature of a SavedModel, compiled or not, as a function of arrays.

    The function takes the features by their names, as arrays or what becomes some, and returns the
    array that the model computes, or a dictionary of them by their names. TensorFlow runs it.
    """
    register()
    model = tf.saved_model.load(str(folder))
    if signature not in model.signatures:
        there = ", ".join(map(repr, model.signatures))
        raise ArgumentError(f"{folder} has no signature {signature!r}; there are: {there}")
    function = model.signatures[signature]
    specs = function.structured_input_signature[1]

    def call(**features: Any) -> np.ndarray | dict[str, np.ndarray]:
        if features.keys() != specs.keys():
            missing = sorted(specs.keys() - features.keys())
            others = sorted(features.keys() - specs.keys())
            raise ArgumentError(
                f"{folder} takes {sorted(specs)}; missing: {missing}, not known: {others}"
            )
        given = {name: tf.constant(features[name], spec.dtype) for name, spec in specs.items()}
        results = {name: one.numpy() for name, one in function(**given).items()}
        return next(iter(results.values())) if len(results) == 1 else results

    # The function reads the variables of the model, which live as long as that.
    call.model = model  # type: ignore[attr-defined]
    return call
