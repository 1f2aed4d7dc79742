"""torch.compile(model, backend="ember"): kernels for embedding operations, PyTorch for the rest.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from torch.fx import GraphModule

from ember import configuration
from ember.compiler import Notation, Options
from ember.errors import CompileError, CompilerNotFoundError
from ember.torch.capture.inductor_rest import compile_rest
from ember.torch.capture.sparse_mode import outside_products
from ember.torch.graph.partition import partition
from ember.torch.report.report import Report
from ember.torch.settings import Settings

_log = logging.getLogger(__name__)
# Reports of graphs compiled in this thread go to these lists.
_listeners = threading.local()


def ember_backend(
    module: GraphModule,
    example_inputs: Sequence[Any],
    *,
    options: Mapping[str, Any] | Settings | None = None,
    mode: str | None = None,
    listener: Callable[[Report], None] | None = None,
) -> Callable[..., Any]:
    """Compiles a graph that torch.compile has captured; options as Settings has them.

    Parts of the graph become kernels, which serve all sizes; what is left runs as the settings say.
    mode: torch.compile's, which is about Inductor: it changes nothing, with a warning. listener: is
    given the graph's report.
    Raises ArgumentError for options that there are not.
    """
    settings = options if isinstance(options, Settings) else Settings.of(options)
    if mode is not None:
        _log.warning("mode %r is left out: it is one of Inductor", mode)
    began = time.perf_counter()
    report = partition(module, settings)
    build_side_by_side(one for part in report.compiled for one in part.programs)
    if listener is not None:
        listener(report)
    for reports in getattr(_listeners, "lists", ()):
        reports.append(report)
    _log.info(
        "compiled a graph of %d operations in %.2f s: %d kernels, %d operations left to PyTorch",
        report.operations,
        time.perf_counter() - began,
        len(report.compiled),
        len(report.left),
    )
    if settings.rest == "inductor":
        return compile_rest(module, example_inputs, settings, report)
    return outside_products(module.forward)


class listening:
    """While entered, reports of the graphs that this thread compiles are appended to `reports`."""

    def __init__(self) -> None:
        self.reports: list[Report] = []

    def __enter__(self) -> "listening":
        if not hasattr(_listeners, "lists"):
            _listeners.lists = []
        _listeners.lists.append(self.reports)
        return self

    def __exit__(self, *exception: object) -> None:
        _listeners.lists.remove(self.reports)


@contextmanager
def unheard() -> Iterator[None]:
    """While entered, graphs that this thread compiles are of no model: nobody is told of them."""
    lists, _listeners.lists = getattr(_listeners, "lists", []), []
    try:
        yield
    finally:
        _listeners.lists = lists


def build_side_by_side(programs: Iterable[tuple[Notation, Options]]) -> None:
    """Builds what calls will load; of what cannot be built, they will say why.

    Returns when all is built: a process may be forked then, and nothing else runs beside calls.
    """
    distinct = list(dict.fromkeys(programs))
    # One alone is built by the call that needs it.
    if len(distinct) < 2 or configuration.is_disabled():
        return
    processors = len(os.sched_getaffinity(0))
    with ThreadPoolExecutor(min(processors, len(distinct))) as pool:
        list(pool.map(_build, distinct))


def _build(program: tuple[Notation, Options]) -> None:
    notation, options = program
    try:
        options.load(notation)
    except (CompileError, CompilerNotFoundError):
        return
