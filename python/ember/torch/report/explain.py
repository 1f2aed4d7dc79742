"""ember.explain: what ember.compile makes of a model, or torch.compile with its backend, and why.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from torch.fx import GraphModule

from ember.torch.calls.sparse_operand import has_sparse, holds_sparse
from ember.torch.capture import private
from ember.torch.capture.backend import ember_backend
from ember.torch.capture.captured_calls import any_sizes
from ember.torch.capture.compiled import Kernel, original_of
from ember.torch.capture.sparse_mode import KIND, Product, SparseProducts, sparse_functions_seen
from ember.torch.report.explanation import (
    Break,
    CompiledPart,
    Explanation,
    Graph,
    LeftPart,
    OtherWay,
)
from ember.torch.report.report import Report, place_of
from ember.torch.settings import Settings

BY_EMBER, BY_TORCH = "ember.compile", 'torch.compile(model, backend="ember") alone'


def explain(
    model: Callable[..., Any],
    *arguments: Any,
    options: Mapping[str, Any] | Settings | None = None,
    dynamic: bool | None = None,
    **keywords: Any,
) -> Explanation:
    """Compiles a model as ember.compile does, runs it once on the arguments, and says what became
    of it: print the result, or read its fields.

    model: a module or function, also one that ember.compile returned, whose options are taken
    where none are given; of one that torch.compile returned it is said what its graphs are.
    arguments: the model's; one tuple stands for several. options, dynamic: as torch.compile takes
    them. Kernels are built, the model runs, with all its effects, under the gradient mode of the
    caller, and once more if it makes sparse tensors itself, or has sizes that depend on elements,
    which torch.compile alone does not capture; kernels of gradients are not looked at. Raises what
    the model raises.
    """
    if len(arguments) == 1 and isinstance(arguments[0], tuple):
        arguments = arguments[0]
    if options is None and isinstance(model, Kernel):
        options = model.settings
    settings = options if isinstance(options, Settings) else Settings.of(options)
    original = original_of(model)
    is_by_torch = original is not model and not isinstance(model, Kernel)
    call = _Call(original, arguments, keywords, dynamic)
    reports: list[Report] = []

    def backend(module: GraphModule, inputs: Sequence[Any], **_: Any) -> Callable[..., Any]:
        return ember_backend(module, inputs, options=settings, listener=reports.append)

    products: list[Product] = []
    within = SparseProducts(settings, products.append)
    sparse_before = sparse_functions_seen()
    is_sparse = holds_sparse(original) or has_sparse((arguments, keywords))
    sizes = nullcontext() if is_by_torch else any_sizes(settings)
    with within if is_sparse else nullcontext(), sizes:
        breaks = call.run(backend)
    if not is_sparse and sparse_functions_seen() > sparse_before:
        with within:
            original(*arguments, **keywords)
    ways = (BY_TORCH, BY_EMBER) if is_by_torch else (BY_EMBER, BY_TORCH)
    sparse, other = _sparse_part(products), None
    # Sizes that depend on elements are all that the two capture in different ways.
    if sparse is None and settings.rest == "eager":
        if is_by_torch and breaks:
            with any_sizes(settings):
                other = _other_way(ways[1], call, len(reports), len(breaks))
        elif not is_by_torch and any(report.has_unknown_sizes for report in reports):
            other = _other_way(ways[1], call, len(reports), len(breaks))
    graphs = tuple(report.graph() for report in reports)
    return Explanation(graphs, tuple(breaks), sparse, ways[0], other)


@dataclass(frozen=True)
class _Call:
    """A call of a model, which torch.compile captures; dynamic: which sizes it takes for fixed."""

    original: Callable[..., Any]
    arguments: Sequence[Any]
    keywords: Mapping[str, Any]
    dynamic: bool | None

    def run(self, backend: Callable[..., Any]) -> list[Break]:
        """Runs the model on graphs that the backend compiles; returns the breaks between them.

        backend: another function each time, so that nothing that torch.compile keeps takes its
        place.
        """
        reasons = private.graph_break_reasons()
        before = len(reasons)
        # Of earlier compilations of the model there may be many.
        limits = {"recompile_limit": 1 << 10, "accumulated_recompile_limit": 1 << 20}
        with private.capture_options(**limits)():
            compiled = private.captured_apart(self.original, backend, dynamic=self.dynamic)
            compiled(*self.arguments, **self.keywords)
        found = [Break(one.reason.strip(), place_of(one.user_stack)) for one in reasons[before:]]
        return list(dict.fromkeys(found))


def _other_way(name: str, call: _Call, graphs: int, breaks: int) -> OtherWay | None:
    """What the model comes to in the way of this name, which is entered; None if to as much."""
    modules: list[GraphModule] = []

    def backend(module: GraphModule, inputs: Sequence[Any], **_: Any) -> Callable[..., Any]:
        modules.append(module)
        return module.forward

    more = len(call.run(backend))
    if (len(modules), more) == (graphs, breaks):
        return None
    return OtherWay(name, len(modules), more)


def _sparse_part(products: Sequence[Product]) -> Graph | None:
    """The products with sparse matrices that a call had, each place once."""
    compiled: dict[CompiledPart, None] = {}
    left: dict[LeftPart, None] = {}
    for product in products:
        place = place_of(product.stack)
        if product.call is None:
            left[LeftPart(product.function, product.reason, place)] = None
        else:
            part = CompiledPart(KIND, product.title, (product.function,), product.call, place)
            compiled[part] = None
    if not products:
        return None
    return Graph(len(compiled) + len(left), tuple(compiled), tuple(left), {})
