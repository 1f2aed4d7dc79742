"""Figure 18: accesses to the last level of a block-sparse gather, by where its units read.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from pathlib import Path

from benchmarks.figures import workloads
from benchmarks.figures.figure import Bar, Figure
from benchmarks.figures.runs import Run, run_all

# Section 8.2: what reading from the second cache removes, of rows' reads, over the blocks' sizes.
LEAST_REMOVED, MOST_REMOVED = 67.0, 74.0
CACHES = {"last level": "llc", "L2": "l2"}


def make(kept: Path, quick: bool) -> Figure:
    """Lines read from the last level or memory for 1000 elements, by block size and cache."""
    blocks = (1, 8) if quick else (1, 2, 4, 8)
    queries = 64 if quick else 256
    cases = [workloads.attention(block, max(8, queries // block)) for block in blocks]
    runs = [
        Run(case, options={"cores": 1, "unit": "tmu", "opt_level": 4, "lookup_level": cache})
        for case in cases
        for cache in CACHES.values()
    ]
    results = iter(run_all(runs, kept))
    bars = []
    removed = []
    for block, case in zip(blocks, cases, strict=True):
        elements = case.make()[-1].size
        reads = []
        for cache in CACHES:
            core = next(results).statistics["core0"]
            direct = core["tmu"]["requests"]["linesFrom"]["lastLevel"]
            reads.append(1000 * (direct + core["l2"]["fills"]) / elements)
            bars.append(Bar(f"block {block}", f"read from the {cache}", reads[-1]))
        removed.append(100 * (1 - reads[1] / reads[0]))
    bars.append(Bar("least", "% removed", min(removed), LEAST_REMOVED))
    bars.append(Bar("most", "% removed", max(removed), MOST_REMOVED))
    return Figure(
        "fig18",
        "Lines that a gather's unit reads behind the L2, for 1000 elements",
        "lines",
        bars,
        notes=[
            "Blocks as BigBird selects them: the first and the last, three around the query, and "
            "three at random, of 4096 rows; emb-opt4, which writes by store streams. Reading from "
            "the L2 removes what it still holds: the two global blocks and the two that the query "
            "before had, half of all; of those at random it holds few. The paper removes more, "
            "from inputs that it does not list.",
        ],
    )
