"""Graphs whose columns are kernels.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tensorflow as tf
from tensorflow.python.framework import op_def_registry

from ember.compiler import Options, find_tool, load_program
from ember.errors import CompileError
from ember.tensorflow.report import Report

KERNEL = "EmberKernel"
# Of constants, the larger ones are tables or weights, and stay in the file.
_MOST_ELEMENTS = 1 << 16


@dataclass(frozen=True)
class Variable:
    """What is known of a variable whose handle comes from outside of a graph."""

    dtype: int
    shape: tuple[int | None, ...]


@dataclass(frozen=True)
class CompiledGraph:
    """A graph with a node for its columns, or the original if there are none."""

    graph: Any
    report: Report
    library: Path | None


def _with_variables(graph: Any, variables: Mapping[str, Variable]) -> Any:
    """The graph with nodes of variables where their handles come from outside."""
    changed = tf.compat.v1.GraphDef()
    changed.CopyFrom(graph)
    for node in changed.node:
        if (known := variables.get(node.name)) is None:
            continue
        node.op = "VarHandleOp"
        node.attr.clear()
        node.attr["dtype"].type = known.dtype
        node.attr["shape"].shape.CopyFrom(tf.TensorShape(known.shape).as_proto())
        node.attr["shared_name"].s = node.name.encode()
        node.attr["_output_shapes"].list.shape.add()
    return changed


def _replace(graph: Any, outputs: Sequence[str], folder: Path) -> tuple[Any, str, dict[str, Any]]:
    """The graph with nodes of kernels, the kernels' module, and what has been found."""
    given, written = folder / "graph.pb", folder / "replaced.pb"
    kernels, report = folder / "kernels.mlir", folder / "report.json"
    given.write_bytes(graph.SerializeToString())
    command = [
        *(str(find_tool("ember-translate")), "--replace-columns", str(given)),
        *(f"--output={','.join(outputs)}", f"--most-elements={_MOST_ELEMENTS}"),
        *(f"--kernels={kernels}", f"--report={report}", "-o", str(written)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode:
        said = done.stderr.replace(f"{given}: ", "").strip()
        raise CompileError(f"ember-translate cannot read the graph: {said}")
    replaced = tf.compat.v1.GraphDef()
    replaced.ParseFromString(written.read_bytes())
    return replaced, kernels.read_text(), json.loads(report.read_text())


def _lacks_shapes(node: Any) -> bool:
    operator = op_def_registry.get(node.op)
    has_results = operator is not None and len(operator.output_arg) > 0
    return has_results and "_output_shapes" not in node.attr


def _without_lost_places(graph: Any) -> None:
    """Drops from nodes that they are where a node is that has gone."""
    there = {node.name for node in graph.node}
    for node in graph.node:
        if "_class" not in node.attr:
            continue
        places = node.attr["_class"].list.s
        kept = [one for one in places if one.decode().removeprefix("loc:@") in there]
        del places[:]
        places.extend(kept)


def with_shapes(graph: Any) -> Any:
    """The graph with what TensorFlow knows of shapes."""
    if not any(map(_lacks_shapes, graph.node)):
        return graph
    with tf.Graph().as_default() as known:
        tf.graph_util.import_graph_def(graph, name="")
        return known.as_graph_def(add_shapes=True)


def compile_graph(
    graph: Any,
    outputs: Iterable[str],
    *,
    variables: Mapping[str, Variable] | None = None,
    embed: bool = False,
    options: Options | None = None,
) -> CompiledGraph:
    """A GraphDef that computes `outputs` ("NODE", "NODE:1") as `graph` does, faster.

    variables: of nodes that are handles of variables from outside, such as placeholders, what is
    in these. embed: the node holds the kernel itself, so that the graph can move to another
    machine, and not the name of its file. Raises CompileError.
    """
    known = variables or {}
    wanted = list(dict.fromkeys(outputs))
    original = {node.name: node for node in graph.node}
    with tempfile.TemporaryDirectory(prefix="ember-") as temporary:
        replaced, kernels, found = _replace(
            with_shapes(_with_variables(graph, known)), wanted, Path(temporary)
        )
    report = Report.read(found)
    if not report.columns:
        return CompiledGraph(graph, report, None)
    library = load_program(kernels, options or Options(most_threads=1)).path
    for node in replaced.node:
        if node.name in known:
            node.CopyFrom(original[node.name])
        elif node.op == KERNEL and embed:
            node.attr["image"].s = library.read_bytes()
            node.attr["manifest"].s = library.with_suffix(".json").read_bytes()
        elif node.op == KERNEL:
            node.attr["library"].s = str(library.resolve()).encode()
    _without_lost_places(replaced)
    replaced.versions.CopyFrom(graph.versions)
    return CompiledGraph(replaced, report, library)
