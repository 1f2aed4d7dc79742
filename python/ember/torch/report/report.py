"""What partitioning a graph came to, and how that is told.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
import traceback
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from torch.fx import Graph as FxGraph
from torch.fx import Node

from ember.torch.capture.sparse_mode import MODE_FILE
from ember.torch.graph.linear_before_sum import Reordered
from ember.torch.report.explanation import CompiledPart, Explanation, Graph, LeftPart

# A line of a stack trace.
_FRAME = re.compile(r'\s*File "(.*)", line (\d+), in (.*)')


def place_in_trace(stack_trace: str) -> str:
    """The place that a printed stack trace is about, as place_of has it."""
    lines = stack_trace.splitlines()
    frames = []
    for number, line in enumerate(lines):
        if found := _FRAME.match(line):
            code = lines[number + 1].strip() if number + 1 < len(lines) else ""
            frames.append(traceback.FrameSummary(found[1], int(found[2]), found[3], line=code))
    return place_of(frames)


def place_of(stack: Sequence[traceback.FrameSummary]) -> str:
    """FILE:LINE, in FUNCTION: CODE of the innermost frame that is not in an installed package."""
    if not stack:
        return ""
    own = [
        frame
        for frame in stack
        if "site-packages" not in Path(frame.filename).parts and frame.filename != MODE_FILE
    ]
    frame = (own or stack)[-1]
    place = f"{frame.filename}:{frame.lineno}, in {frame.name}"
    return f"{place}: {frame.line}" if frame.line else place


NOTHING_YET = "nothing was compiled yet"


@dataclass
class Operation:
    """An operation of a captured graph: what it is called where it is written, and from where."""

    name: str
    stack_trace: str


@dataclass(repr=False)
class Report:
    """What became of one graph; operations: how many it has, those reordered as they are then.

    Prints as ember.explain does, with what is known by now of its kernels. noted: its operations by
    their nodes' names; remaining: the names of those that are in the graph after all.
    left: what might have had a kernel, or, where there is no such operation, lookups that PyTorch
    does as fast; beside: those lookups where there is one. has_unknown_sizes: whether sizes depend
    on elements.
    """

    operations: int = 0
    reordered: list[Reordered] = field(default_factory=list)
    compiled: list[CompiledPart] = field(default_factory=list)
    left: list[LeftPart] = field(default_factory=list)
    beside: list[LeftPart] = field(default_factory=list)
    noted: dict[str, Operation] = field(default_factory=dict)
    remaining: frozenset[str] = frozenset()
    has_unknown_sizes: bool = False

    def note(self, nodes: Iterable[Node]) -> None:
        """Remembers operations, which may be replaced."""
        for node in nodes:
            if node.op.startswith("call"):
                trace = str(node.meta.get("stack_trace") or "")
                self.noted[node.name] = Operation(_name(node), trace)
                self.has_unknown_sizes |= bool(node.meta.get("unbacked_bindings"))

    def finish(self, graph: FxGraph) -> None:
        """Notes what is left of the graph."""
        self.remaining = frozenset(node.name for node in graph.nodes)

    def graph(self) -> Graph:
        """What is told of it, with the kernels that calls have needed so far."""
        compiled = tuple(
            replace(part, place=self._place(*part.operations)) for part in self.compiled
        )
        left = tuple(
            replace(part, place=self._place(part.operation)) for part in (*self.left, *self.beside)
        )
        special = {name for part in compiled for name in part.operations}
        special |= {part.operation for part in left}
        others = Counter(
            operation.name
            for name, operation in self.noted.items()
            if name not in special and name in self.remaining
        )
        reordered = tuple(one.title for one in self.reordered)
        return Graph(self.operations, compiled, left, others, reordered)

    def _place(self, *names: str) -> str:
        """Where the last of the operations stands whose place is known."""
        traces = [noted.stack_trace for name in names if (noted := self.noted.get(name))]
        places = [place for trace in traces if (place := place_in_trace(trace))]
        return places[-1] if places else ""

    def __str__(self) -> str:
        return str(Reports([self]))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return Reports([self])._repr_html_()


class Reports(list[Report]):
    """The reports of several graphs, which print as ember.explain does."""

    def nothing(self, name: str) -> str:
        """Why a model of this name has no kernel."""
        graphs = [report.graph() for report in self]
        reasons = {left.reason for graph in graphs for left in graph.left}
        reasons |= {part.problem for graph in graphs for part in graph.compiled if part.problem}
        if not reasons:
            return f"nothing to compile: {name} has no embedding operation that has a kernel"
        listed = "; ".join(sorted(reasons))
        return f"nothing to compile: embedding operations of {name} are left to PyTorch: {listed}"

    def _explanation(self) -> Explanation:
        return Explanation(tuple(report.graph() for report in self), ())

    def __str__(self) -> str:
        return str(self._explanation()) if self else NOTHING_YET

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self._explanation()._repr_html_() if self else f"<p>{NOTHING_YET}</p>"


def _name(node: Node) -> str:
    """What an operation is called where it is written, without its module."""
    if node.op == "call_function":
        return str(getattr(node.target, "__name__", node.target))
    return str(node.target)
