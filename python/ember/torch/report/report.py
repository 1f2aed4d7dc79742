"""What partitioning a graph came to, and how that is told.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch.fx import Graph as FxGraph
from torch.fx import Node

from ember.compiler import Notation, Options
from ember.torch.calls.region_call import RegionCall
from ember.torch.capture.source_places import place_in_trace
from ember.torch.graph.linear_before_sum import Reordered
from ember.torch.report.explanation import CompiledPart, Explanation, Graph, LeftPart

NO_KERNEL = "there is no kernel for tensors as the arguments were"
NOTHING_YET = "nothing was compiled yet"


@dataclass
class Compiled:
    """A part of the graph that a kernel computes, with its call, and what the first one of a call
    like that of the capture builds."""

    kind: str
    title: str
    nodes: list[str]
    call: RegionCall
    programs: list[tuple[Notation, Options]] = field(default_factory=list)


@dataclass(frozen=True)
class Left:
    """An operation that PyTorch computes, with the reason. as_fast: because it is as fast."""

    node: str
    reason: str
    as_fast: bool = False


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
    compiled: list[Compiled] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    beside: list[Left] = field(default_factory=list)
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
            compiled_part(part.kind, part.title, part.nodes, self._place(*part.nodes), part.call)
            for part in self.compiled
        )
        left = tuple(
            LeftPart(one.node, one.reason, self._place(one.node), one.as_fast)
            for one in (*self.left, *self.beside)
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


def compiled_part(
    kind: str, title: str, operations: Sequence[str], place: str, call: Callable[..., Any]
) -> CompiledPart:
    """A part, with what its kernels are now."""
    if not isinstance(call, RegionCall):
        return CompiledPart(kind, title, tuple(operations), place, (), "", call)
    libraries = tuple(library.path for library in call.kernels())
    problem = call.failed
    if not libraries and not problem:
        problem = call.handed_over or NO_KERNEL
    note = "" if problem else call.handed_over
    decisions = () if problem else tuple(call.decisions())
    return CompiledPart(
        kind, title, tuple(operations), place, libraries, problem, call, note, decisions
    )


def _name(node: Node) -> str:
    """What an operation is called where it is written, without its module."""
    if node.op == "call_function":
        return str(getattr(node.target, "__name__", node.target))
    return str(node.target)
