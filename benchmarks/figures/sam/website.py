"""Table 4.3: algorithms of TACO's website that a graph is lost of with a kind of blocks.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import re
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ember.compiler import find_tool
from ember.datasets.locality import data_folder

from benchmarks.figures.sam.comparison import Comparison, Row

ALGORITHMS = data_folder() / "taco-website" / "algorithms.txt"
_COMPRESSED_LEVEL = re.compile(r"compressed|singleton")


def _scans(graph: str) -> list[bool]:
    """Of each scanner, whether its level is compressed."""
    return [
        _is_listed(graph, *found) for found in re.findall(r"sam\.scan (%[\w$.-]+)\[(\d+)\]", graph)
    ]


def _writes(graph: str) -> list[bool]:
    """Of each writer of a level or of elements at references, whether its level is compressed."""
    levels = re.findall(r"sam\.write_level \S+ to (%[\w$.-]+)\[(\d+)\]", graph)
    stored = re.findall(r"sam\.(store|write_values) ", graph)
    return [*(_is_listed(graph, *found) for found in levels), *([False] * len(stored))]


def _is_listed(graph: str, tensor: str, level: str) -> bool:
    """Whether a level of a tensor of the graph stores its coordinates."""
    head = next(line for line in graph.splitlines() if " sam.graph " in line)
    names = re.findall(r"(%[\w$.-]+) = %", head.partition(" attributes ")[0])
    types = re.findall(r"tensor<(?:[^<>]|<[^<>]*>)*>|\b[fi]\d+\b", head.partition(" : ")[2])
    spelled = dict(zip(names, types, strict=False)).get(tensor, "")
    form = re.search(r"#cin\.format<([^>]*)>", spelled)
    if form is None:
        return False
    kinds = form[1].partition(" fill")[0].partition(" order")[0].split(",")
    return _COMPRESSED_LEVEL.search(kinds[int(level)]) is not None


def _has(*words: str) -> Callable[[str], bool]:
    pattern = re.compile("|".join(rf"sam\.{word}" for word in words))
    return lambda graph: pattern.search(graph) is not None


#: Lines of the table: what is removed, percent published of distinct algorithms, and what a graph
#: needs it by.
REMOVED: tuple[tuple[str, float, Callable[[str], bool]], ...] = (
    ("compressed scanner", 72.23, lambda graph: any(_scans(graph))),
    ("compressed and dense scanners", 99.35, lambda graph: bool(_scans(graph))),
    ("repeater", 82.37, _has(r"repeat ")),
    ("unioner", 15.63, _has(r"union ")),
    ("intersecter, but for locators", 18.75, _has(r"intersect ")),
    ("intersecter and locators", 48.92, _has(r"intersect ", r"locate ")),
    ("adder", 26.65, _has(r"alu add", r"alu sub", r"alu neg")),
    ("multiplier", 83.88, _has(r"alu mul")),
    ("reducer", 78.35, _has(r"reduce ")),
    ("coordinate dropper", 16.07, _has(r"crd_drop ")),
    ("compressed writer", 28.0, lambda graph: any(_writes(graph))),
    ("compressed and dense writers", 96.33, lambda graph: bool(_writes(graph))),
)
WHY = {
    "compressed and dense scanners": "what only copies numbers scans nothing",
    "repeater": "numbers, and values that are the same everywhere, are not repeated here",
    "intersecter and locators": "dense results are stored at references, which locators find",
    "multiplier": "",
    "coordinate dropper": "one follows at every outer level, so that values stay in step",
    "compressed and dense writers": "all graphs write something",
}


def compile_algorithm(line: str) -> str | None:
    """The graph of an algorithm; None if there is none."""
    command = [str(find_tool("emberc")), f"--taco={line}", "--emit=sam", "--empty=drop"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    return None if run.returncode else run.stdout


def make_table3(kept: Path, quick: bool) -> Comparison:
    """Recounted over all algorithms that there is a graph of."""
    del kept
    if not ALGORITHMS.exists():
        reason = f"not recounted: {ALGORITHMS} is not there"
        rows = [Row(what, f"{share:.2f} %", "", reason) for what, share, _ in REMOVED]
        return Comparison("sam-table4.3", "Table 4.3: what is lost without a block", rows)
    lines = [line for line in ALGORITHMS.read_text().splitlines() if line.strip()]
    lines = lines[::16] if quick else lines
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        graphs = [graph for graph in pool.map(compile_algorithm, lines) if graph is not None]
    rows = []
    for what, published, is_needed in REMOVED:
        lost = sum(map(is_needed, graphs))
        share = 100 * lost / len(graphs)
        rows.append(Row(what, f"{published:.2f} %", f"{share:.2f} % ({lost})", WHY.get(what, "")))
    return Comparison(
        "sam-table4.3",
        "Table 4.3: algorithms of TACO's website that are lost without a block",
        rows,
        notes=[
            f"{len(graphs)} of {len(lines)} distinct algorithms have a graph. Each is compiled, in "
            "the first order that its formats allow, with --empty=drop; it is lost without a block "
            "that its graph has. Published are percents of 3,839; how often each was compiled is "
            "not in the file, so that there is no column of all."
        ],
    )
