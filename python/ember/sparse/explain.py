"""es.explain: asks the compiler what it makes of a statement.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import re
from typing import Any

from ember.compiler import Notation, call_compiler
from ember.sparse.evaluate import kinds_of, with_magnitudes
from ember.sparse.explanation import Explanation, Loop
from ember.sparse.function import Function
from ember.sparse.kinds import taken
from ember.sparse.statement import notation_of

_REMARK = re.compile(r"remark: (.*)")


def explain(statement: str, /, *, schedule: Any = None, **arrays: Any) -> Explanation:
    """What the compiler makes of statements on these arrays, which are not evaluated.

        print(es.explain("y[i] = A[i,j] * B[i,j]", A=A, B=B))

    For each loop that walks arrays in a format: the coordinates that it visits, as a set in terms
    of what the arrays store; for each region of these whether it is visited, and what the statement
    is there; the points of the lattice by which they are walked. Then loops, and what is not
    decoupled. Arguments are those of evaluate. Raises CompileError and ArgumentError.
    """
    if schedule is not None and not isinstance(schedule, str):
        # An array of that name.
        arrays["schedule"], schedule = schedule, None
    functions = {name: one for name, one in arrays.items() if isinstance(one, Function)}
    arguments = {
        name: taken(name, given) for name, given in arrays.items() if name not in functions
    }
    kinds = kinds_of(statement, arguments)
    if schedule is None:
        kinds = with_magnitudes(kinds, arguments)
    notation = notation_of(statement, kinds, functions=functions, schedule=schedule)
    words = without_counts(notation.arrays)
    return explanation_of(Notation(statement, words, notation.functions))


def without_counts(words: tuple[str, ...]) -> tuple[str, ...]:
    """The kernel alone: what counts for it has the same loops."""
    return tuple(word for word in words if word != "--counts")


def explanation_of(notation: Notation) -> Explanation:
    """What becomes of statements; raises CompileError."""
    facts, _ = call_compiler(notation, ["--explain"])
    program, _ = call_compiler(notation, ["--emit=loops"])
    _, messages = call_compiler(notation, ["--emit=slc", "--remarks"])
    remarks = dict.fromkeys(_REMARK.findall(messages))
    loops = tuple(map(Loop.from_json, json.loads(facts)["loops"]))
    return Explanation(notation.text, loops, program.strip(), tuple(remarks))
