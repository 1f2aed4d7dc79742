"""What became of a model: its kernels, what is left to PyTorch and why, and graph breaks.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ember.compiler import Notation, Options
from ember.torch.calls.region_call import RegionCall


@dataclass(frozen=True)
class Line:
    """A line: what it is about, in a word or two, and what is said; depth 1 is about the last of
    depth 0."""

    what: str
    said: str
    depth: int = 0

    def __str__(self) -> str:
        indent = "  " * (self.depth + 1)
        return indent + (f"{self.what}: {self.said}" if self.what else self.said)


# A title, and what stands below it.
Section = tuple[str, Sequence[Line]]

NO_KERNEL = "there is no kernel for tensors as the arguments were"
CELL = "text-align: left; vertical-align: top; padding: 2px 12px 2px 0"
DETAIL = "font-size: 85%; opacity: 0.75; overflow-wrap: anywhere"


def text(sections: Sequence[Section]) -> str:
    """The sections as plain text, without a line break at the end."""
    blocks = ["\n".join([title, *map(str, lines)]) for title, lines in sections]
    return "\n\n".join(blocks)


def page(sections: Sequence[Section]) -> str:
    """The sections as a piece of HTML: a table for each, whose rows are the lines of depth 0."""
    parts = []
    for number, (title, lines) in enumerate(sections):
        shown = html.escape(title)
        parts.append(f"<p><strong>{shown}</strong></p>" if not number else f"<p>{shown}</p>")
        if lines:
            parts.append(f"<table>{''.join(map(_row, _with_details(lines)))}</table>")
    return f'<div class="ember-explanation">{"".join(parts)}</div>'


def _with_details(lines: Sequence[Line]) -> list[tuple[Line, list[Line]]]:
    """Lines of depth 0, each with those below it."""
    found: list[tuple[Line, list[Line]]] = []
    for line in lines:
        if line.depth:
            found[-1][1].append(line)
        else:
            found.append((line, []))
    return found


def _row(entry: tuple[Line, list[Line]]) -> str:
    line, details = entry
    said = html.escape(line.said)
    for detail in details:
        words = f"{detail.what}: {detail.said}" if detail.what else detail.said
        said += f'<div style="{DETAIL}">{html.escape(words)}</div>'
    return (
        f'<tr><th style="{CELL}; white-space: nowrap">{html.escape(line.what)}</th>'
        f'<td style="{CELL}">{said}</td></tr>'
    )


@dataclass(frozen=True)
class CompiledPart:
    """Operations that a kernel computes, with what is known by now of it.

    kind, title: what they are. operations: their names in the graph. call: what stands for them in
    the graph; it may be given to ember.show. place: where the last of them stands in the model,
    empty if unknown. programs: what the first call like that of the capture builds.
    """

    kind: str
    title: str
    operations: tuple[str, ...]
    call: RegionCall = field(repr=False)
    place: str = ""
    programs: tuple[tuple[Notation, Options], ...] = ()

    @property
    def libraries(self) -> tuple[Path, ...]:
        """The kernels that calls needed."""
        return tuple(library.path for library in self.call.kernels())

    @property
    def problem(self) -> str:
        """Why there is none, if so; then PyTorch computes."""
        none = "" if self.call.kernels() else self.call.handed_over or NO_KERNEL
        return self.call.failed or none

    @property
    def note(self) -> str:
        """When PyTorch computes though there is one, if that is known."""
        return "" if self.problem else self.call.handed_over

    @property
    def decisions(self) -> tuple[str, ...]:
        """The rules that made the kernels, and the costs that leave other calls to PyTorch."""
        return () if self.problem else tuple(self.call.decisions())


@dataclass(frozen=True)
class LeftPart:
    """An embedding operation that is left to PyTorch, with the reason.

    as_fast: whether it is, because PyTorch takes no longer for it than a kernel.
    """

    operation: str
    reason: str
    place: str = ""
    as_fast: bool = False


@dataclass(frozen=True, repr=False)
class Graph:
    """A graph that torch.compile captured.

    operations: how many there were. compiled, left: its embedding operations. others: what else
    PyTorch computes, with how often it is called. reordered: what was put in another order before
    that; operations, and their names, are those of this order.
    """

    operations: int
    compiled: tuple[CompiledPart, ...]
    left: tuple[LeftPart, ...]
    others: Mapping[str, int]
    reordered: tuple[str, ...] = ()

    def lines(self) -> list[Line]:
        """What is said of the graph, below its title."""
        found = [Line("reordered", title) for title in self.reordered]
        for part in self.compiled:
            count = counted(len(part.operations), "operation")
            found.append(Line(part.kind, f"{part.title} ({count})"))
            details = (part.place, *map(str, part.libraries), *part.decisions, part.note)
            found += [Line("", detail, 1) for detail in details if detail]
            if part.problem:
                found.append(Line("left to PyTorch", part.problem, 1))
        for left in self.left:
            found.append(Line("left to PyTorch", f"{left.operation}: {left.reason}"))
            if left.place:
                found.append(Line("", left.place, 1))
        if self.others:
            ordered = sorted(self.others.items(), key=lambda item: (-item[1], item[0]))
            others = ", ".join(f"{count} {name}" for name, count in ordered)
            found.append(Line("by PyTorch", others))
        return found


@dataclass(frozen=True)
class Break:
    """A place where torch.compile ended a graph and went on in Python: its reason, in full."""

    reason: str
    place: str


@dataclass(frozen=True)
class OtherWay:
    """What else compiles the model, where its graphs are others: its name, and how many they are,
    with their breaks."""

    name: str
    graphs: int
    breaks: int


@dataclass(frozen=True, repr=False)
class Explanation:
    """What became of a model: the graphs in the order of their compilation, and graph breaks.

    Prints as text, and is a table in notebooks. sparse: products with sparse matrices, which are
    in no graph; None if there are none. Kernels compute them in ember.compile and within
    ember.sparse_products. way: what compiles the model so. other: the other way to do it, if it
    comes to other graphs.
    """

    graphs: tuple[Graph, ...]
    breaks: tuple[Break, ...]
    sparse: Graph | None = None
    way: str = "ember.compile"
    other: OtherWay | None = None

    def _all(self) -> list[Graph]:
        return [*self.graphs, *([self.sparse] if self.sparse else [])]

    @property
    def operations(self) -> int:
        """The operations of all graphs, and products with sparse matrices."""
        return sum(graph.operations for graph in self._all())

    @property
    def compiled(self) -> list[CompiledPart]:
        """What kernels compute, of all graphs."""
        return [part for graph in self._all() for part in graph.compiled if not part.problem]

    @property
    def left(self) -> list[LeftPart]:
        """Embedding operations that are left to PyTorch, of all graphs."""
        return [part for graph in self._all() for part in graph.left]

    def sections(self) -> list[tuple[str, list[Line]]]:
        """Titles, and what stands below them: the summary, the graphs, the breaks."""
        found = [(self._summary(), self._ways())]
        for number, graph in enumerate(self.graphs):
            title = f"graph {number}: {counted(graph.operations, 'operation')}"
            found.append((title, graph.lines()))
        if self.sparse is not None:
            count = counted(self.sparse.operations, "product")
            title = f"in no graph, but by ember.compile or ember.sparse_products: {count}"
            found.append((title, self.sparse.lines()))
        for one in self.breaks:
            title = "graph break" + (f" at {one.place}" if one.place else "")
            lines = [Line("", line) for line in one.reason.splitlines() if line.strip()]
            found.append((title, lines))
        return found

    def __str__(self) -> str:
        return text(self.sections())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """The same for notebooks."""
        return page(self.sections())

    def _ways(self) -> list[Line]:
        """How the graphs of ember.compile and of torch.compile differ, if they do."""
        if self.other is None:
            return []
        others = (
            f"{counted(self.other.graphs, 'graph')} and {counted(self.other.breaks, 'graph break')}"
        )
        return [Line("", f"this is by {self.way}; by {self.other.name}: {others}")]

    def _summary(self) -> str:
        covered = sum(len(part.operations) for part in self.compiled)
        failed = sum(bool(part.problem) for graph in self._all() for part in graph.compiled)
        # Several kernels may have been possible for an operation, each with a reason of its own.
        reasons: dict[tuple[int, str], list[bool]] = {}
        for number, graph in enumerate(self._all()):
            for part in graph.left:
                reasons.setdefault((number, part.operation), []).append(part.as_fast)
        left = counted(len(reasons) + failed, "embedding operation") + " left to PyTorch"
        if as_fast := sum(map(all, reasons.values())):
            left += f", {as_fast} of them as fast there"
        words = [
            f"{counted(self.operations, 'operation')} in {counted(len(self.graphs), 'graph')}",
            f"{covered} of them in {counted(len(self.compiled), 'kernel')}"
            if covered
            else "none of them in a kernel",
            left,
            counted(len(self.breaks), "graph break"),
        ]
        return "; ".join(words)


def counted(count: int, what: str) -> str:
    """A number of things in words."""
    return f"{count} {what}" + ("" if count == 1 else "s")
