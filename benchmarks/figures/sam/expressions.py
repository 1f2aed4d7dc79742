"""The expressions of table 4.1 as statements, and what their graphs are made of.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
from collections import Counter
from dataclasses import dataclass

from ember import sam

#: Formats of one, two and three dimensions, all levels compressed.
_COMPRESSED = ("", "csf", "dcsr", "csf")


@dataclass(frozen=True)
class Expression:
    """A row of tables 4.1 and 4.2.

    statement: in index notation. order: of loops. transposed: arrays whose levels are in the other
    order. features: of table 4.1 as printed: orders of the result and of inputs, how many inputs
    there are, over how many levels the reducer sums, whether operands are broadcast, operators.
    """

    name: str
    statement: str
    order: str
    features: tuple[str, str, str, str, str, str]
    transposed: tuple[str, ...] = ()

    def compile(self, empty: str) -> sam.Graph:
        """The graph, with all levels compressed."""
        formats = {}
        for array, variables in re.findall(r"(\w+)\[([\w,]+)\]", self.statement):
            levels = _COMPRESSED[1 + variables.count(",")]
            formats[array] = "dcsc" if array in self.transposed else levels
        return sam.compile(self.statement, formats=formats, order=self.order, empty=empty)


EXPRESSIONS = (
    Expression("SpMV", "x[i] = B[i,j]*c[j]", "ij", ("1", "1,2", "2", "0", "yes", "*")),
    Expression(
        "SpM*SpM ijk",
        "X[i,j] = B[i,k]*C[k,j]",
        "ijk",
        ("2", "2", "2", "0-2", "yes", "*"),
        ("C",),
    ),
    Expression("SpM*SpM ikj", "X[i,j] = B[i,k]*C[k,j]", "ikj", ("2", "2", "2", "0-2", "yes", "*")),
    Expression(
        "SpM*SpM kij",
        "X[i,j] = B[i,k]*C[k,j]",
        "kij",
        ("2", "2", "2", "0-2", "yes", "*"),
        ("B",),
    ),
    Expression("SDDMM", "X[i,j] = B[i,j]*C[i,k]*D[j,k]", "ijk", ("2", "2", "3", "0", "yes", "*")),
    Expression("InnerProd", "x = B[i,j,k]*C[i,j,k]", "ijk", ("0", "3", "2", "0", "no", "*")),
    Expression("TTV", "X[i,j] = B[i,j,k]*c[k]", "ijk", ("2", "1,3", "2", "0", "yes", "*")),
    Expression("TTM", "X[i,j,k] = B[i,j,l]*C[k,l]", "ijkl", ("3", "2,3", "2", "0", "yes", "*")),
    Expression(
        "MTTKRP", "X[i,j] = B[i,k,l]*C[j,k]*D[j,l]", "ijkl", ("2", "2,3", "3", "0", "yes", "*")
    ),
    Expression(
        "Residual", "x[i] = b[i] - C[i,j]*d[j]", "ij", ("1", "1,2", "3", "0", "yes", "*, -")
    ),
    Expression(
        "MatTransMul",
        "x[i] = alpha*B[j,i]*c[j] + beta*d[i]",
        "ij",
        ("1", "0-2", "5", "1", "yes", "*, +"),
        ("B",),
    ),
    Expression("MMAdd", "X[i,j] = B[i,j] + C[i,j]", "ij", ("2", "2", "2", "no", "no", "+")),
    Expression(
        "Plus3", "X[i,j] = B[i,j] + C[i,j] + D[i,j]", "ij", ("2", "2", "3", "no", "no", "+")
    ),
    Expression("Plus2", "X[i,j,k] = B[i,j,k] + C[i,j,k]", "ijk", ("3", "3", "2", "no", "no", "+")),
)

_ALU = re.compile(r"sam\.alu @?(\w+)\((.*?)\)")
_REDUCE = re.compile(r"sam\.reduce \w+ \w+ [^:]*?(?:along ([^:]*))? : ")


def count_blocks(graph: sam.Graph) -> Counter[str]:
    """Blocks by the columns of table 4.2; a function of m values counts as m - 1 of two."""
    counts: Counter[str] = Counter()
    names = {"load": "array", "write_level": "write", "write_values": "write", "store": "write"}
    for name, count in graph.blocks().items():
        if name != "alu":
            counts[names.get(name, name)] += count
    for _, operands in _ALU.findall(graph.text):
        counts["alu"] += max(1, operands.count(","))
    return counts


def features_of(expression: Expression) -> tuple[str, str, str, str, str, str]:
    """What table 4.1 lists, read off the graph."""
    graph = expression.compile("drop")
    accesses = dict(re.findall(r"(\w+)\[([\w,]+)\]", expression.statement))
    result = expression.statement.partition("=")[0]
    orders = sorted(parameter.rank for parameter in graph.signature.parameters)
    levels = [found.count("%") if found else 0 for found in _REDUCE.findall(graph.text)]
    functions = {"mul": "*", "add": "+", "sub": "-"}
    used = [functions.get(name, name) for name, _ in _ALU.findall(graph.text)]
    operators = [name for name in functions.values() if name in used]
    name = result.strip().partition("[")[0]
    unlike = sorted(set(orders))
    spread = len(unlike) > 2 and unlike == list(range(orders[0], orders[-1] + 1))
    inputs = f"{orders[0]}-{orders[-1]}" if spread else ",".join(map(str, unlike))
    return (
        str(accesses[name].count(",") + 1 if name in accesses else 0),
        inputs,
        str(len(orders)),
        str(max(levels)) if levels else "no",
        "yes" if "sam.repeat " in graph.text else "no",
        ", ".join(operators),
    )
