"""Reduces, for every node of a graph, the rows that its edges bring: a lookup and a sum in one.

PyTorch computes it in two or three steps over memory of the size of the edges: messages = weights *
x[source], then out.scatter_add_(0, target, messages). Here one pass keeps no messages.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import logging
import math
from collections.abc import Callable, Collection, Sequence
from typing import Any

import torch
from torch import Tensor

from ember import threads
from ember.compiler import Options
from ember.embed_programs import ENTRY
from ember.errors import CompileError, CompilerNotFoundError
from ember.torch.aggregation_kernel import (
    AggregationShape,
    aggregation_kernel,
    edge_products_kernel,
)
from ember.torch.edge_groups import EdgeMemory, GroupedEdges
from ember.torch.element_types import INDEX_TYPES, VALUE_TYPES
from ember.torch.kept_tensors import for_later_calls
from ember.torch.region_call import NotTakenError, Reference, RegionCall
from ember.torch.repeat import MOST, Bound, Repeat, Source, exactly, repeat_of

_log = logging.getLogger(__name__)
# Elements of messages, and lengths of rows, from which on edges that come again are grouped by
# their targets: below, comparing them with those of the calls before costs more than is gained.
GROUPED_ELEMENTS, GROUPED_LENGTH = 2**18, 32
# The same on one thread, where only means and maxima gain as much as on several.
GROUPED_ELEMENTS_ALONE, GROUPED_LENGTH_ALONE = 2**19, 64


class AggregationCall(RegionCall):
    """out[target[e]] = reduction of values[e] * x[source[e]] over edges e; zeros without edges.

    Inputs: x (nodes, ...), source (edges,) or None for x[e], target (edges,), the number of rows
    of the result, its sizes or a tensor with as many, values or None. values are (edges,), (edges,
    1, ...), or (edges, heads, 1) for x (nodes, heads, length).
    """

    least_differentiated = 1 << 15
    sizes = (3,)

    def __init__(
        self, reference: Reference, reduction: str, options: Options, raises: bool = False
    ) -> None:
        super().__init__(reference, 5, raises)
        self.reduction = reduction
        self.options = options
        # Edges by their targets, and for the gradient of rows by their sources; None if there are
        # no kernels of grouped edges.
        self.by_target: EdgeMemory | None = EdgeMemory()
        self.by_source: EdgeMemory | None = EdgeMemory()
        self._places = torch.empty(0, dtype=torch.int64)
        # The kernels of edges in any order, by what tells their shapes apart at little cost.
        self.ungrouped: dict[tuple[Any, ...], tuple[AggregationShape, Callable[..., Any]]] = {}

    def places(self, count: int, dtype: torch.dtype) -> Tensor:
        """The numbers from 0 on, which are kept: the sources of edges that bring their own rows."""
        places = self._places
        if len(places) < count or places.dtype is not dtype:
            with for_later_calls():
                places = self._places = torch.arange(count, dtype=dtype)
        return places[:count]

    def elements(self, arguments: Sequence[Any]) -> int:
        x, _, target = arguments[:3]
        return len(target) * int(math.prod(x.shape[1:]))

    def forward(
        self, x: Tensor, source: Tensor | None, target: Tensor, size: Any, values: Tensor | None
    ) -> Tensor:
        return _aggregate(self, self.by_target, self.reduction, x, source, target, size, values)

    def repeat_for(self, arguments: tuple[Any, ...]) -> Repeat | None:
        """Of plain sums and means of rows, as long as grouping their edges is not worth while."""
        x, source, target, _, values = arguments[:5]
        heads = _heads(x, values)
        if self.reduction == "max" or heads or x.dim() != 2:
            return None
        length = x.shape[1]
        most = (GROUPED_ELEMENTS - 1) // length if length >= GROUPED_LENGTH else MOST
        known = self.ungrouped.get(
            (length, x.dtype, target.dtype, self.reduction, values is not None, heads)
        )
        may_group = is_worth_grouping(self.reduction, length, len(target))
        if known is None or len(target) > most or may_group:
            return None
        _, library = aggregation_kernel(known[0], self.options)
        bounds: list[Bound] = [(2, 0, 1, most), (3, 0, 1, MOST), *exactly(0, *x.shape)[1:]]
        sources: list[Source] = [2, 1]
        if source is None:
            sources[1] = (self.places(len(x), target.dtype),)
            bounds += exactly(0, len(x))
        if values is not None:
            sources.append((4, values.dim()))
            bounds += exactly(4, *values.shape)[1:]
        kernel = library.entry(ENTRY).common(gradients=True)
        sizes = ((3, 0, 0), length)
        return repeat_of(kernel, arguments, [*sources, 0], 0, sizes, bounds=bounds)

    def differentiates(self, needed: Sequence[bool]) -> bool:
        return self.reduction in ("sum", "mean")

    def gradient_reads(self, needed: Sequence[bool]) -> Collection[int]:
        factors = [place for place, other in ((0, 4), (4, 0)) if needed[other]]
        return (1, 2, *factors)

    def backward(
        self, inputs: Sequence[Any], needed: Sequence[bool], gradient: Tensor
    ) -> Sequence[Tensor | None]:
        x, source, target, _, values = inputs
        gradient = gradient.contiguous()
        if self.reduction == "mean":
            edges = torch.bincount(target, minlength=len(gradient)).clamp_(min=1)
            gradient = gradient / edges.to(gradient.dtype).view(-1, *(1,) * (gradient.dim() - 1))
        for_x = for_values = None
        if needed[0]:
            # The same sum over the edges the other way round.
            if source is None:
                for_x = gradient.index_select(0, target)
                if values is not None:
                    for_x = for_x * values
            else:
                for_x = _aggregate(
                    self, self.by_source, "sum", gradient, target, source, len(x), values
                )
        if needed[4]:
            for_values = self._gradient_of_values(x, source, target, values, gradient)
        return for_x, None, None, None, for_values

    def _gradient_of_values(
        self, x: Tensor, source: Tensor | None, target: Tensor, values: Tensor, gradient: Tensor
    ) -> Tensor:
        if source is None:
            raise NotTakenError
        # Heads that have weights of their own are as many nodes, each with edges to its like.
        heads = max(_heads(x, values), 1)
        if heads > 1:
            places = torch.arange(heads, dtype=target.dtype)
            target = (target.unsqueeze(1) * heads + places).view(-1)
            source = (source.unsqueeze(1) * heads + places).view(-1)
        length = math.prod(x.shape[1:]) // heads
        kernel, library = edge_products_kernel(
            length, VALUE_TYPES[x.dtype], INDEX_TYPES[target.dtype], self.options
        )
        self.libraries[library] = None
        out = x.new_empty(len(target))
        kernel(
            target.contiguous(),
            source.contiguous(),
            gradient.reshape(-1, length),
            x.detach().contiguous().view(-1, length),
            out,
        )
        return out.view_as(values)


def _heads(x: Tensor, values: Tensor | None) -> int:
    """The heads that have weights of their own; 0 where an edge has one weight at most."""
    if values is None or values.numel() == len(values):
        return 0
    if values.dim() == x.dim() == 3 and values.shape[1:] == (x.shape[1], 1):
        return x.shape[1]
    raise NotTakenError


def _aggregate(
    call: AggregationCall,
    memory: EdgeMemory | None,
    reduction: str,
    x: Tensor,
    source: Tensor | None,
    target: Tensor,
    size: int | tuple[int, ...] | Tensor,
    values: Tensor | None,
) -> Tensor:
    """The reduction by a kernel for the call; raises NotTakenError for what has none."""
    if not isinstance(size, int):
        size = size[0] if isinstance(size, tuple) else len(size)
    value, index = VALUE_TYPES.get(x.dtype), INDEX_TYPES.get(target.dtype)
    if value is None or index is None or (values is not None and values.dtype != x.dtype):
        raise NotTakenError
    if source is not None and source.dtype != target.dtype:
        raise NotTakenError
    feature = x.shape[1:]
    length = math.prod(feature)
    if length == 0 or size == 0 or len(target) == 0:
        raise NotTakenError
    heads = _heads(x, values)
    if heads and (value not in ("f32", "f64") or reduction != "sum"):
        raise NotTakenError
    x = x.detach().contiguous()
    # The kernels' maximum and PyTorch's differ in NaN.
    if reduction == "max" and not math.isfinite(float(x.sum())):
        raise NotTakenError
    rows = length // heads if heads else length
    weighted = values is not None
    if values is not None:
        values = values.detach().contiguous()
        values = values.view(-1, heads) if heads else values.view(-1)
    target = target.contiguous()
    source = None if source is None else source.contiguous()
    out = x.new_empty((size, *feature))
    if memory is not None and is_worth_grouping(reduction, length, len(target)):
        grouped = memory.find(target, source, size)
        if grouped is not None and grouped.largest < len(x):
            shape = AggregationShape(rows, value, "i32", reduction, weighted, heads, grouped=True)
            if _aggregate_groups(call, shape, x, grouped, values, out):
                return out
    key = (rows, x.dtype, target.dtype, reduction, weighted, heads)
    if key not in call.ungrouped:
        shape = AggregationShape(rows, value, index, reduction, weighted, heads)
        kernel, library = aggregation_kernel(shape, call.options)
        call.libraries[library] = None
        call.ungrouped[key] = shape, kernel
    shape, kernel = call.ungrouped[key]
    if source is None:
        source = call.places(len(x), target.dtype)
    weights = () if values is None else (values,)
    kernel(target, source, *weights, *_shaped(shape, x, out))
    return out


def is_worth_grouping(reduction: str, length: int, edges: int) -> bool:
    """Whether sums of so many rows are faster in groups, with the edges compared in each call."""
    elements = edges * length
    if length < GROUPED_LENGTH or elements < GROUPED_ELEMENTS:
        return False
    if length >= GROUPED_LENGTH_ALONE and elements >= GROUPED_ELEMENTS_ALONE:
        return True
    return reduction != "sum" or threads.get_num_threads() > 1


def _aggregate_groups(
    call: AggregationCall,
    shape: AggregationShape,
    x: Tensor,
    grouped: GroupedEdges,
    values: Tensor | None,
    out: Tensor,
) -> bool:
    """Writes the reduction over grouped edges to `out`; whether there is a kernel for it.

    An exported program has those that its example needed.
    """
    try:
        kernel, library = aggregation_kernel(shape, call.options)
    except (CompileError, CompilerNotFoundError) as error:
        if call.raises:
            raise
        _log.info("%s goes over edges as they come: %s", call.__name__, error)
        call.by_target = call.by_source = None
        return False
    call.libraries[library] = None
    weights: tuple[Tensor, ...] = ()
    if values is not None:
        if shape.is_ordered():
            weights = (grouped.order, values.view(len(values), -1))
        else:
            weights = (values.index_select(0, grouped.order),)
    kernel(grouped.offsets, grouped.sources, *weights, *_shaped(shape, x, out))
    return True


def _shaped(shape: AggregationShape, x: Tensor, out: Tensor) -> tuple[Tensor, Tensor]:
    """Rows and result as the kernel takes them."""
    has_heads = shape.heads or shape.is_ordered()
    if not has_heads and x.dim() == 2:
        return x, out
    sizes = (-1, max(shape.heads, 1), shape.length) if has_heads else (-1, shape.length)
    return x.view(sizes), out.view(sizes)
