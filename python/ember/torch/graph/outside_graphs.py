"""Bags by themselves, outside of any graph: statements for each kind of tensors that they get.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple

import torch
import torch.nn.functional as functional
from torch import Tensor
from torch.fx import Graph

from ember.kernel import Library
from ember.torch.calls.kept_tensors import for_later_calls
from ember.torch.calls.region_call import RegionCall
from ember.torch.capture import private
from ember.torch.element_types import INDEX_TYPES, VALUE_TYPES
from ember.torch.graph.discovery import find_exactly
from ember.torch.graph.lookup_region import BAG, region_of
from ember.torch.graph.region import replace
from ember.torch.settings import Settings

# What errors call the tensors.
NAMES = ("indices", "weight", "offsets", "per_sample_weights")


class BagOptions(NamedTuple):
    """What F.embedding_bag has besides tensors, but for max_norm; padding_idx counts from 0."""

    mode: str
    include_last_offset: bool
    padding_idx: int | None
    sparse: bool
    scale_grad_by_freq: bool


@dataclass(frozen=True)
class LoneBag:
    """The call for one kind of tensors, which takes them in the order that `ordered` gives."""

    options: BagOptions
    call: RegionCall
    ordered: Callable[[tuple[Any, ...]], tuple[Any, ...]]


class LoneBags:
    """F.embedding_bag by calls that are made when they are first needed, then kept.

    Copies and pickles carry the settings alone. Callable from several threads.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._known: dict[tuple[Any, ...], LoneBag | None] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.settings,)

    def bags(self) -> list[LoneBag]:
        """Those that were needed so far."""
        return [bag for bag in self._known.values() if bag is not None]

    def kernels(self) -> list[Library]:
        """The kernels that calls have needed so far."""
        return list(dict.fromkeys(one for bag in self.bags() for one in bag.call.kernels()))

    def find(self, options: BagOptions, given: tuple[Any, ...]) -> LoneBag | None:
        """The call for (input, weight, offsets, per_sample_weights); None where there is none:
        PyTorch computes, or says what is wrong."""
        input, weight, offsets, weights = given
        if not all(one is None or isinstance(one, Tensor) for one in given):
            return None
        key = (
            options,
            (weight.dtype, weight.shape[1:], weight.is_contiguous()),
            *((one.dtype, one.dim()) if one is not None else None for one in (input, offsets)),
            None if weights is None else (weights.dtype, weights.dim()),
        )
        if key not in self._known:
            made = _lone_bag(options, given, self.settings) if _is_kind(options, given) else None
            self._known.setdefault(key, made)
        padding = options.padding_idx
        if weights is not None and weights.shape != input.shape:
            return None
        if padding is not None and not 0 <= padding < weight.shape[0]:
            return None
        # PyTorch has no bags that all are without lookups.
        if offsets is None and 0 in input.shape:
            return None
        return self._known[key]


def _is_kind(options: BagOptions, given: tuple[Any, ...]) -> bool:
    """Whether there are statements for tensors of these types and ranks."""
    input, weight, offsets, weights = given
    return (
        private.has_new_sizes
        and weight.dim() == 2
        and weight.shape[1] > 0
        and weight.dtype in VALUE_TYPES
        and all(one is None or one.dtype in INDEX_TYPES for one in (input, offsets))
        and (input.dim() == 2 if offsets is None else input.dim() == offsets.dim() == 1)
        and (weights is None or (weights.dtype, weights.dim()) == (weight.dtype, input.dim()))
        and options.mode in (("sum", "mean", "max") if weights is None else ("sum",))
    )


def _lone_bag(options: BagOptions, given: tuple[Any, ...], settings: Settings) -> LoneBag | None:
    """The call for such tensors; None where there is no region of them."""
    input, weight, offsets, weights = given
    graph, length = Graph(), weight.shape[1]
    with (
        for_later_calls(),
        torch.enable_grad(),
        private.new_sizes(4) as (without_data, (rows, bags, lookups, ends)),
    ):
        sizes = (bags, lookups) if offsets is None else (lookups,)
        with without_data:
            table = torch.empty(rows, length, dtype=weight.dtype)
            if weight.stride(1) == 1 and not weight.is_contiguous():
                table = torch.empty(rows, 2 * length, dtype=weight.dtype)[:, :length]
            examples = (
                torch.empty(sizes, dtype=input.dtype),
                table.requires_grad_(),
                None if offsets is None else torch.empty(ends, dtype=offsets.dtype),
                None
                if weights is None
                else torch.empty(sizes, dtype=weights.dtype, requires_grad=True),
            )
            nodes: list[Any] = [
                None if example is None else graph.placeholder(name)
                for name, example in zip(NAMES, examples, strict=True)
            ]
            values = dict(zip(nodes, examples, strict=True))
            node = graph.call_function(
                functional.embedding_bag,
                tuple(nodes[:3]),
                {"per_sample_weights": nodes[3], **options._asdict()},
            )
            values[node] = functional.embedding_bag(
                *examples[:3], per_sample_weights=examples[3], **options._asdict()
            )
            for one, value in values.items():
                if one is not None:
                    one.meta["example_value"] = value
        found = find_exactly(node, {node}, [node], [(*sizes, length)], [(nodes[1], nodes[0])])
        title = f"{options.mode} of bags of rows of weight"
        region = None if found is None else region_of(BAG, node, found, title, settings)
        if region is None:
            return None
        graph.output(node)
        call = replace(region, "ember_bag")
    (made,) = graph.output_node().all_input_nodes
    places = [nodes.index(one) for one in made.args]
    # A call through autograd is what has gradients of gradients, which PyTorch's bags have not.
    call.least_differentiated = 0
    if not (options.sparse or options.scale_grad_by_freq):

        def twice(*arguments: Any) -> Tensor:
            known = dict(zip(places, arguments, strict=True))
            return _of_lookups(options, *map(known.get, range(len(NAMES))))

        call.twice = twice
    return LoneBag(options, call, itemgetter(*places))


def _of_lookups(
    options: BagOptions, input: Any, weight: Any, offsets: Tensor | None, weights: Tensor | None
) -> Tensor:
    """The bags (bags, length) by operations that have gradients of gradients."""
    if offsets is None:
        bags, sizes = len(input), torch.full((len(input),), input.shape[1])
    elif options.include_last_offset:
        bags, sizes = len(offsets) - 1, offsets.diff()
    else:
        bags, sizes = len(offsets), torch.cat((offsets, offsets.new_tensor([len(input)]))).diff()
    bag_of_lookup = torch.repeat_interleave(sizes)
    # Indices past the last offset are in no bag.
    indices = input.reshape(-1)[: len(bag_of_lookup)]
    rows = functional.embedding(indices, weight)
    if weights is not None:
        rows = rows * weights.reshape(-1)[: len(indices)].unsqueeze(1)
    if options.padding_idx is not None:
        is_padding = indices == options.padding_idx
        rows = rows.masked_fill(is_padding.unsqueeze(1), 0)
        sizes = torch.bincount(bag_of_lookup[~is_padding], minlength=bags)
    total = rows.new_zeros((bags, weight.shape[1])).index_add(0, bag_of_lookup, rows)
    return total / sizes.clamp(min=1).unsqueeze(1) if options.mode == "mean" else total
