"""Runs graphs that are JSON: the published ones, and those of hardware.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ember.sam import Statistics
from ember.sam.tools import run_tool


@dataclass(frozen=True)
class StreamRun:
    """What a graph did and wrote: elements by result, each [[coordinates], value]."""

    statistics: Statistics
    results: dict[str, list[Any]]


def run_graph(
    graph: Mapping[str, Any],
    filling: Mapping[str, Any],
    *,
    machine: Mapping[str, Any] | None = None,
) -> StreamRun:
    """Simulates a graph as docs/sam-simulator.md describes it.

    filling: dims, density and seed of what is drawn. machine: members of a machine file.
    """
    with tempfile.TemporaryDirectory(prefix="ember-figures-") as name:
        folder = Path(name)
        file, counts, results = (folder / one for one in ("graph.json", "counts", "results"))
        rest = {key: value for key, value in graph.items() if key != "cases"}
        file.write_text(json.dumps({**rest, **filling}))
        options = [f"--statistics={counts}", f"--results={results}"]
        if machine is not None:
            (folder / "machine.json").write_text(json.dumps(dict(machine)))
            options.append(f"--machine={folder / 'machine.json'}")
        said = run_tool("ember-sam", [file, *options])
        return StreamRun(
            Statistics(json.loads(counts.read_text()), said), json.loads(results.read_text())
        )


def chain(
    nodes: Mapping[str, Mapping[str, Any]], edges: list[str], roots: list[str]
) -> dict[str, Any]:
    """The member `graph` of such a file."""
    return {
        "nodes": {name: dict(node) for name, node in nodes.items()},
        "edges": edges,
        "roots": roots,
    }


def vector(coordinates: list[int], size: int) -> dict[str, Any]:
    """A compressed vector that stores ones, as a tensor of such a file."""
    elements = [[[coordinate], 1] for coordinate in coordinates]
    return {"indices": "i", "format": "s", "elements": elements, "size": size}
