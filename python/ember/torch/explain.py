"""ember.explain: what torch.compile(model, backend="ember") makes of a model, and why.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch.fx import GraphModule, Node

from ember.torch import private
from ember.torch.backend import ember_backend, listening
from ember.torch.importer import Kernel
from ember.torch.partition import Report
from ember.torch.region_call import RegionCall
from ember.torch.settings import Settings
from ember.torch.sparse_mode import KIND, MODE_FILE, Product, SparseProducts, sparse_functions_seen
from ember.torch.sparse_operand import has_sparse, holds_sparse

# A line of a stack trace.
_FRAME = re.compile(r'\s*File "(.*)", line (\d+), in (.*)')


@dataclass(frozen=True)
class CompiledPart:
    """Operations that a kernel computes.

    kind, title: what they are. operations: their names in the graph. place: where the last of them
    stands in the model, empty if unknown. libraries: the kernels that the calls needed. problem:
    why there is none, if so; then PyTorch computes. call: what stands for them in the graph; it
    may be given to ember.show.
    """

    kind: str
    title: str
    operations: tuple[str, ...]
    place: str
    libraries: tuple[Path, ...]
    problem: str
    call: Callable[..., object] = field(repr=False)


@dataclass(frozen=True)
class LeftPart:
    """An embedding operation that is left to PyTorch, with the reason."""

    operation: str
    reason: str
    place: str


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class Break:
    """A place where torch.compile ended a graph and went on in Python: its reason, in full."""

    reason: str
    place: str


@dataclass(frozen=True)
class Explanation:
    """What became of a model: the graphs in the order of their compilation, and graph breaks.

    sparse: products with sparse matrices, which are in no graph; None if there are none. Kernels
    compute them in ember.compile and within ember.sparse_products.
    """

    graphs: tuple[Graph, ...]
    breaks: tuple[Break, ...]
    sparse: Graph | None = None

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

    def __str__(self) -> str:
        lines = [self._summary()]
        for number, graph in enumerate(self.graphs):
            lines += ["", f"graph {number}: {_counted(graph.operations, 'operation')}"]
            lines += _lines_of(graph)
        if self.sparse is not None:
            count = _counted(self.sparse.operations, "product")
            lines += ["", f"in no graph, but by ember.compile or ember.sparse_products: {count}"]
            lines += _lines_of(self.sparse)
        for one in self.breaks:
            lines += ["", "graph break" + (f" at {one.place}" if one.place else "")]
            lines += [f"  {line}" for line in one.reason.splitlines() if line.strip()]
        return "\n".join(lines)

    def _summary(self) -> str:
        covered = sum(len(part.operations) for part in self.compiled)
        failed = sum(bool(part.problem) for graph in self._all() for part in graph.compiled)
        words = [
            f"{_counted(self.operations, 'operation')} in {_counted(len(self.graphs), 'graph')}",
            f"{covered} of them in {_counted(len(self.compiled), 'kernel')}",
            _counted(len(self.left) + failed, "embedding operation") + " left to PyTorch",
            _counted(len(self.breaks), "graph break"),
        ]
        return "; ".join(words)


def _lines_of(graph: Graph) -> list[str]:
    lines = [f"  reordered: {title}" for title in graph.reordered]
    for part in graph.compiled:
        count = _counted(len(part.operations), "operation")
        lines.append(f"  {part.kind}: {part.title} ({count})")
        lines += [f"    {text}" for text in (part.place, *map(str, part.libraries)) if text]
        if part.problem:
            lines.append(f"    left to PyTorch: {part.problem}")
    for left in graph.left:
        lines.append(f"  left to PyTorch: {left.operation}: {left.reason}")
        if left.place:
            lines.append(f"    {left.place}")
    if graph.others:
        ordered = sorted(graph.others.items(), key=lambda item: (-item[1], item[0]))
        others = ", ".join(f"{count} {name}" for name, count in ordered)
        lines.append(f"  by PyTorch: {others}")
    return lines


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" + ("" if count == 1 else "s")


def explain(
    model: Callable[..., Any],
    *arguments: Any,
    options: Mapping[str, Any] | Settings | None = None,
    dynamic: bool | None = None,
    **keywords: Any,
) -> Explanation:
    """Compiles a model with backend="ember", runs it once on the arguments, and says what became
    of it: print the result, or read its fields.

    model: a module or function, also one that torch.compile or ember.compile returned. arguments:
    the model's; one tuple stands for several. options, dynamic: as torch.compile takes them.
    Kernels are built, the model runs, with all its effects, under the gradient mode of the caller,
    and once more if it makes sparse tensors itself; kernels of gradients are not looked at. Raises
    what the model raises.
    """
    if len(arguments) == 1 and isinstance(arguments[0], tuple):
        arguments = arguments[0]
    settings = options if isinstance(options, Settings) else Settings.of(options)
    seen: list[_Capture] = []

    # Another function each time, so that nothing that torch.compile keeps takes its place.
    def backend(module: GraphModule, inputs: Sequence[Any], **_: Any) -> Callable[..., Any]:
        seen.append(capture := _Capture(module))
        with listening() as heard:
            forward = ember_backend(module, inputs, options=settings)
        (capture.report,) = heard.reports
        capture.remaining = {node.name for node in module.graph.nodes}
        return forward

    reasons = private.graph_break_reasons()
    before = len(reasons)
    # Of earlier compilations of the model there may be many.
    limits = {"recompile_limit": 1 << 10, "accumulated_recompile_limit": 1 << 20}
    products: list[Product] = []
    within = SparseProducts(settings, products.append)
    original, sparse_before = _original(model), sparse_functions_seen()
    is_sparse = holds_sparse(original) or has_sparse((arguments, keywords))
    with private.capture_options(**limits)(), within if is_sparse else nullcontext():
        torch.compile(original, backend=backend, dynamic=dynamic)(*arguments, **keywords)
    if not is_sparse and sparse_functions_seen() > sparse_before:
        with within:
            original(*arguments, **keywords)
    breaks = [Break(one.reason.strip(), _place(one.user_stack)) for one in reasons[before:]]
    graphs = tuple(map(_Capture.graph, seen))
    return Explanation(graphs, tuple(dict.fromkeys(breaks)), _sparse_part(products))


def _sparse_part(products: Sequence[Product]) -> Graph | None:
    """The products with sparse matrices that a call had, each place once."""
    compiled: dict[CompiledPart, None] = {}
    left: dict[LeftPart, None] = {}
    for product in products:
        place = _place(product.stack)
        if product.call is None:
            left[LeftPart(product.function, product.reason, place)] = None
        else:
            part = _compiled_part(KIND, product.title, [product.function], place, product.call)
            compiled[part] = None
    if not products:
        return None
    return Graph(len(compiled) + len(left), tuple(compiled), tuple(left), {})


def _compiled_part(
    kind: str, title: str, operations: Sequence[str], place: str, call: Callable[..., Any]
) -> CompiledPart:
    """A part after a call: with what its kernels are now."""
    libraries: list[Path] = []
    problem = ""
    if isinstance(call, RegionCall):
        libraries = [library.path for library in call.kernels()]
        problem = call.failed
        if not libraries and not problem:
            problem = "there is no kernel for tensors as the arguments were"
    return CompiledPart(kind, title, tuple(operations), place, tuple(libraries), problem, call)


class _Capture:
    """A captured graph: what it was before kernels were put into it, and what was put."""

    def __init__(self, module: GraphModule) -> None:
        self.places: dict[str, str] = {}
        self.names: dict[str, str] = {}
        self._note(module.graph.nodes)
        self.report = Report()
        self.remaining: set[str] = set()

    def _note(self, nodes: Iterable[Node]) -> None:
        calls = [node for node in nodes if node.op.startswith("call")]
        self.places |= {node.name: _place_of(node) for node in calls}
        self.names |= {node.name: _operation_name(node) for node in calls}

    def graph(self) -> Graph:
        """The graph, after a call."""
        for one in self.report.reordered:
            self._note(one.nodes)
        compiled = tuple(self._part(part) for part in self.report.compiled)
        left = tuple(
            LeftPart(one.node, one.reason, self.places.get(one.node, ""))
            for one in self.report.left
        )
        special = {name for part in compiled for name in part.operations}
        special |= {part.operation for part in left}
        others = Counter(
            kind
            for name, kind in self.names.items()
            if name not in special and name in self.remaining
        )
        reordered = tuple(one.title for one in self.report.reordered)
        return Graph(self.report.operations, compiled, left, others, reordered)

    def _part(self, part: Any) -> CompiledPart:
        places = [self.places[name] for name in part.nodes if self.places.get(name)]
        place = places[-1] if places else ""
        return _compiled_part(part.kind, part.title, part.nodes, place, part.call)


def _original(model: Callable[..., Any]) -> Callable[..., Any]:
    """The model that torch.compile or ember.compile was given, if it is one that they returned."""
    if isinstance(model, Kernel):
        return model.original
    return private.original_of(model)


def _operation_name(node: Node) -> str:
    """What an operation is called where it is written, without its module."""
    if node.op == "call_function":
        return str(getattr(node.target, "__name__", node.target))
    return str(node.target)


def _place_of(node: Node) -> str:
    """Where a node's operation stands in the program, as _place has it."""
    lines = str(node.meta.get("stack_trace") or "").splitlines()
    frames = []
    for number, line in enumerate(lines):
        if found := _FRAME.match(line):
            code = lines[number + 1].strip() if number + 1 < len(lines) else ""
            frames.append(traceback.FrameSummary(found[1], int(found[2]), found[3], line=code))
    return _place(frames)


def _place(stack: Sequence[traceback.FrameSummary]) -> str:
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
