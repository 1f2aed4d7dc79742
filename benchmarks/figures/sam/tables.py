"""Tables 4.1 and 4.2: what expressions need, and the blocks that their graphs are made of.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from pathlib import Path

from benchmarks.figures.sam.comparison import Comparison, Row
from benchmarks.figures.sam.expressions import EXPRESSIONS, count_blocks, features_of
from benchmarks.figures.sam.reference import counts_of

FEATURES = ("order of the result", "of inputs", "inputs", "reduces", "broadcasts", "operators")
BLOCKS = ("scan", "repeat", "intersect", "union", "alu", "reduce", "crd_drop", "write", "array")
#: Why there are fewer blocks than published, and why more.
FEWER = {
    "repeat": "equal streams are one, so that one root is repeated for several tensors; a number "
    "is not repeated",
    "crd_drop": "what a union leaves has a value everywhere: there is nothing to drop",
}
MORE = {
    "crd_drop": "a dropper follows at every outer level: what is stored there may be empty below",
}


def make_table1(kept: Path, quick: bool) -> Comparison:
    """Features of expressions, read off their graphs."""
    del kept, quick
    rows = []
    for expression in EXPRESSIONS:
        ours = features_of(expression)
        for feature, published, found in zip(FEATURES, expression.features, ours, strict=True):
            why = ""
            if published == "0-2":
                why = "published is the range of all orders" if feature == "reduces" else ""
            elif feature == "reduces" and published != found:
                why = "operands are stored here so that a fiber is reduced, and no list of them"
            rows.append(Row(f"{expression.name}: {feature}", published, found, why))
    return Comparison(
        "sam-table4.1",
        "Table 4.1: what expressions need",
        rows,
        notes=[
            "Ours is read off the graph, with all levels compressed and variables in alphabetical "
            "order; SpM*SpM in three orders."
        ],
    )


def make_table2(kept: Path, quick: bool) -> Comparison:
    """Blocks of graphs, beside the published counts."""
    del kept, quick
    rows = []
    for expression in EXPRESSIONS:
        published = counts_of(expression.name.split()[0]) or {}
        ours = count_blocks(expression.compile("drop"))
        for block in BLOCKS:
            known = published.get(block, "")
            if known in ("", "0") and not ours[block]:
                continue
            why = ""
            if known == "0-2":
                why = "published is the range of all orders"
            elif known and ours[block] != int(known):
                why = (FEWER if ours[block] < int(known) else MORE).get(block, "")
            rows.append(Row(f"{expression.name}: {block}", known, str(ours[block]), why))
    return Comparison(
        "sam-table4.2",
        "Table 4.2: blocks of graphs",
        rows,
        notes=[
            "Reducers remove empty fibers, as footnote a says. A joiner is one block, however many "
            "sides it has; a function of m values counts as m - 1."
        ],
    )
