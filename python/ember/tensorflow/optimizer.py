"""Columns of all graphs that TensorFlow runs in this process.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ctypes
import logging
from functools import cache
from typing import Any

import tensorflow as tf
from tensorflow.python.framework import load_library

from ember.errors import ArgumentError, CompileError, EmberError
from ember.tensorflow.compiling import KERNEL, Variable, compile_graph
from ember.tensorflow.op_library import build_optimizer, operators
from ember.tensorflow.report import Report
from ember.tensorflow.uncompiled import say_uncompiled

_log = logging.getLogger(__name__)
_COMPILER = ctypes.CFUNCTYPE(
    ctypes.c_int,
    *(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p),
)
# What stands in graphs of functions for what comes from outside, and for what is returned.
_GIVEN, _RETURNED = ("_Arg", "_DeviceArg"), ("_Retval", "_DeviceRetval")
_FROM_OUTSIDE = ("Placeholder", "PlaceholderWithDefault", "VarHandleOp", "Const", *_GIVEN)

# What the compiled graphs had, in their order.
reports: list[Report] = []


def _handle(node: Any) -> Variable | None:
    """What a variable holds whose handle is an argument, where the argument says so."""
    shapes, dtypes = node.attr["_handle_shapes"].list, node.attr["_handle_dtypes"].list
    if node.attr["T"].type != tf.resource.as_datatype_enum or len(shapes.shape) != 1:
        return None
    shape = tf.TensorShape(shapes.shape[0])
    return Variable(dtypes.type[0], tuple(shape.as_list())) if shape.rank is not None else None


def _as_graph(graph: Any) -> tuple[Any, dict[str, Any], dict[str, Variable]]:
    """The graph of a function with placeholders, its own nodes by names, and its variables."""
    plain, own = tf.compat.v1.GraphDef(), {}
    plain.CopyFrom(graph)
    variables = {}
    for node in plain.node:
        if node.op not in (*_GIVEN, *_RETURNED):
            continue
        own[node.name] = tf.compat.v1.NodeDef.FromString(node.SerializeToString())
        if node.op in _RETURNED:
            node.op = "Identity"
            del node.attr["index"]
            continue
        if (variable := _handle(node)) is not None:
            variables[node.name] = variable
        dtype = node.attr["T"].type
        shapes = list(node.attr["_output_shapes"].list.shape)
        node.op = "Placeholder"
        node.attr.clear()
        node.attr["dtype"].type = dtype
        if shapes:
            node.attr["shape"].shape.CopyFrom(shapes[0])
        else:
            node.attr["shape"].shape.unknown_rank = True
    return plain, own, variables


def compile_running(graph: Any, fetched: list[str], kept: list[str]) -> Any | None:
    """What takes the place of a graph that is about to run; None to leave it. Raises EmberError."""
    nodes = {node.name: node for node in graph.node}
    if any(node.op == KERNEL for node in graph.node):
        return None
    plain, own, variables = _as_graph(graph)
    outputs = [name.removesuffix(":0") for name in fetched]
    asked = {name.split(":")[0] for name in outputs}
    for name in kept:
        node = nodes.get(name)
        if node is None or name in asked:
            continue
        if node.op in _RETURNED:
            outputs.append(name)
        elif node.op not in _FROM_OUTSIDE:
            # It might be fed, and a column that is compiled would not see that.
            raise ArgumentError(f"node '{name}' has to stay as it is")
    outputs = [name for name in outputs if name.split(":")[0] in nodes]
    if not outputs:
        return None
    compiled = compile_graph(plain, outputs, variables=variables)
    if compiled.library is None:
        return None
    there = set()
    for node in compiled.graph.node:
        there.add(node.name)
        if (before := own.get(node.name)) is not None:
            inputs = list(node.input)
            node.CopyFrom(before)
            del node.input[:]
            node.input.extend(inputs)
    # Arguments that nobody reads any more are still passed.
    missing = [before for name, before in own.items() if name not in there]
    missing += [nodes[name] for name in kept if name in nodes and name not in {*there, *own}]
    compiled.graph.node.extend(missing)
    # Where nodes run has been decided by now.
    places = [node.device for node in graph.node if "CPU" in node.device]
    for node in compiled.graph.node:
        if places and not node.device:
            node.device = places[0]
    reports.append(compiled.report)
    return compiled.graph


def _compile(data: int, size: int, fetched: bytes, kept: bytes, result: int) -> int:
    """What the plugin calls; an exception has no way out of here."""
    try:
        graph = tf.compat.v1.GraphDef.FromString(ctypes.string_at(data, size))
        names = (text.decode().split() for text in (fetched, kept))
        compiled = compile_running(graph, *names)
        if compiled is None:
            return 0
        content = compiled.SerializeToString()
        _plugin().ember_give_graph(ctypes.c_void_p(result), content, ctypes.c_size_t(len(content)))
        return 1
    except EmberError as error:
        say_uncompiled("a graph", error)
    except Exception as error:
        _log.exception("a graph is not compiled")
        say_uncompiled("a graph", error)
    return 0


# Kept for as long as the plugin may call it.
_callback = _COMPILER(_compile)


@cache
def _plugin() -> Any:
    path = str(build_optimizer())
    plugin = ctypes.CDLL(path)
    load_library.load_pluggable_device_library(path)
    return plugin


def enable() -> None:
    """Compiles the columns of graphs that run from now on: sessions, tf.function, Keras' predict.

    A graph is compiled when it runs first. One that cannot be compiled runs as it is, with one
    warning for each reason. Raises CompileError where TensorFlow cannot be extended.
    """
    operators()
    try:
        _plugin().ember_set_compiler(_callback)
    except (OSError, tf.errors.OpError) as error:
        raise CompileError(f"TensorFlow {tf.__version__} takes no optimizer: {error}") from error


def disable() -> None:
    """Leaves graphs to TensorFlow that run first from now on."""
    _plugin().ember_set_compiler(_COMPILER(0))
