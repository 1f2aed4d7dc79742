"""Puts kernels in the place of parts of an FX graph, and reports what became of every operation.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import copy
import operator
from collections.abc import Callable, Sequence
from typing import Any

from torch.fx import Graph, GraphModule, Node

from ember.torch.calls.region_call import RegionCall
from ember.torch.graph.discovery import meets_others, why_untranslated
from ember.torch.graph.effects import Memory
from ember.torch.graph.linear_before_sum import put_linear_before_sums
from ember.torch.graph.linear_layers import put_layers_of_sums_together, put_linear_together
from ember.torch.graph.lookup_region import (
    STATEMENTS,
    blocks_at,
    lookup_region_at,
    reduction_at,
    rows_at,
    selection_at,
)
from ember.torch.graph.movement import changed_behind, drop_results, use_results, why_not_movable
from ember.torch.graph.one_hot_products import put_one_hot_products
from ember.torch.graph.operations import is_tensor, name_of, tensor_of, value_of
from ember.torch.graph.reduced_lookups import bag_at, bags_at, rows_beside_at
from ember.torch.graph.region import (
    AsFastError,
    NoMatchError,
    Region,
    likely_arguments,
    reference_of,
    replace,
)
from ember.torch.graph.remembered import remembering
from ember.torch.graph.single_operations import is_view
from ember.torch.graph.spelling import spell_bags, spell_losses, spell_overloads
from ember.torch.graph.vmaps import fold_vmaps
from ember.torch.report.explanation import CompiledPart, LeftPart
from ember.torch.report.report import Report
from ember.torch.settings import Settings

# Each finds the region that ends at a node: None if the node is none of its operations;
# NoMatchError says why one of them has no kernel. Larger patterns come first.
PATTERNS: tuple[Callable[[Node, Settings], Region | None], ...] = (
    bags_at,
    rows_beside_at,
    lookup_region_at,
    bag_at,
    rows_at,
    blocks_at,
    reduction_at,
    selection_at,
)
OF_STATEMENTS = (rows_beside_at, lookup_region_at, rows_at, blocks_at, reduction_at)


def partition(module: GraphModule, settings: Settings) -> Report:
    """Replaces what kernels compute in the module's graph; the module is recompiled."""
    graph = module.graph
    fold_vmaps(graph)
    report = Report()
    report.note(graph.nodes)
    spell_overloads(graph)
    inline_checkpoints(graph, lambda body: partition(body, settings))
    with remembering():
        use_results(graph)
        _drop_unused_results(graph)
        spell_bags(graph, splits_renorm=settings.rest == "eager")
        spell_losses(graph)
        if settings.reorders:
            report.reordered = put_one_hot_products(graph)
        report.reordered += put_linear_before_sums(graph, settings)
        for reordered in report.reordered:
            report.note(reordered.nodes)
        report.operations = sum(node.op.startswith("call") for node in graph.nodes)
        regions = _regions(graph, settings, report)
    # The last one first: what a region reads of others is in the graph until their turn comes.
    for number, region in reversed(list(enumerate(regions))):
        nodes = tuple(node.name for node in sorted(region.nodes))
        likely = likely_arguments(region)
        call = replace(region, f"ember_{region.kind}_{number}")
        programs = tuple(call.programs(likely))
        part = CompiledPart(region.kind, region.title, nodes, call, programs=programs)
        report.compiled.insert(0, part)
    drop_results(graph)
    # Inductor makes one loop of additions.
    if regions and settings.reorders and settings.rest == "eager":
        put_linear_together(graph)
        put_layers_of_sums_together(graph)
    if regions or report.reordered:
        graph.lint()
        module.recompile()
    report.finish(graph)
    return report


def _drop_unused_results(graph: Graph) -> None:
    """Erases what takes a result of an operator that nobody needs: it would keep the operator."""
    for node in reversed(list(graph.nodes)):
        is_result = node.target is operator.getitem and not node.users
        if is_result and isinstance(value_of(node.args[0]), tuple | list):
            graph.erase_node(node)


def _regions(graph: Graph, settings: Settings, report: Report) -> list[Region]:
    """Regions that have no nodes in common, in the order of the graph."""
    found: list[Region] = []
    taken: set[Node] = set()
    left: dict[LeftPart, set[Node]] = {}
    as_fast: list[LeftPart] = []
    memory = Memory(graph)
    # From the end, so that what another pattern ends in is found before it.
    for node in reversed(list(graph.nodes)):
        if node in taken or not node.op.startswith("call"):
            continue
        for pattern in PATTERNS:
            try:
                region = pattern(node, settings)
            except AsFastError as error:
                as_fast.append(LeftPart(node.name, str(error), as_fast=True))
                continue
            except NoMatchError as error:
                left[LeftPart(node.name, str(error))] = {node}
                continue
            if region is None:
                continue
            if _is_left_to_inner(region, settings):
                continue
            if reason := _why_not(region, taken, settings, memory):
                # What is within has the same reason, and is what it is about.
                for one in [one for one in left if one.reason == reason]:
                    if left[one] >= region.nodes:
                        del left[one]
                left[LeftPart(node.name, reason)] = region.nodes
                continue
            found.append(region)
            taken |= region.nodes
            break
    found.reverse()
    names = {node.name for node in taken}
    said = names.union(one.operation for one in (*left, *as_fast))
    for node in reversed(list(graph.nodes)):
        if node.name not in said and (reason := why_untranslated(node)):
            left[LeftPart(node.name, reason)] = {node}
    # What a larger pattern did not take, another one may have.
    as_fast = [one for one in reversed(as_fast) if one.operation not in names]
    report.left = list(left)[::-1] or as_fast
    report.beside = as_fast if left else []
    return found


def _is_left_to_inner(region: Region, settings: Settings) -> bool:
    """Whether a part of what statements compute has a kernel of its own, and no other part has,
    nor looks up what it is computed with: then the rest is PyTorch's as ever. Several become one.
    """
    if region.kind != STATEMENTS:
        return False
    inner = _inner(region, settings)
    return len(inner) == 1 and not meets_others(inner[0].nodes, region.nodes)


def _inner(region: Region, settings: Settings) -> list[Region]:
    """What other patterns find in a region."""
    inner: list[Region] = []
    for node in sorted(region.nodes, reverse=True):
        if any(node in one.nodes for one in inner):
            continue
        for pattern in PATTERNS:
            try:
                found = None if pattern in OF_STATEMENTS else pattern(node, settings)
            except NoMatchError:
                continue
            if found is not None and found.kind not in settings.excluded:
                inner.append(found)
                break
    return inner


def _why_not(region: Region, taken: set[Node], settings: Settings, memory: Memory) -> str:
    """Why a region cannot be replaced; empty if it can."""
    if region.kind in settings.excluded:
        return f"{region.kind} is excluded by the options"
    if (region.nodes - region.shared) & taken:
        return "another kernel computes a part of it"
    inputs = [value for value in region.inputs if isinstance(value, Node)]
    others = region.others()
    return why_not_movable(
        region.nodes, region.root, inputs, others, region.changes, memory
    ) or _why_not_differentiable(region, memory)


def _why_not_differentiable(region: Region, memory: Memory) -> str:
    """Why a region's gradient would not find what it reads; empty if it does, or there is none.

    PyTorch's own operations keep copies of what they look up, kernels keep the tables themselves.
    """
    result = tensor_of(region.root)
    if result is None or not result.requires_grad:
        return ""
    inputs = (one for one in region.inputs if isinstance(one, Node))
    changed = changed_behind(memory, region.root, inputs)
    if not changed:
        return ""
    tensors = [tensor_of(value) for value in region.inputs]
    needed = [tensor is not None and tensor.requires_grad for tensor in tensors]
    call = region.make(reference_of(region))
    for place in call.gradient_reads(needed):
        value = region.inputs[place]
        if isinstance(value, Node) and value in changed:
            return (
                f"its gradient would read {name_of(value)}, which {changed[value].name} changes in "
                "place behind it"
            )
    return ""


def inline_checkpoints(graph: Graph, put_kernels: Callable[[GraphModule], Any]) -> None:
    """Puts what is checkpointed into the graph where kernels compute all of it: these keep what
    they are given, and nothing that a checkpoint would spare.

    put_kernels: changes a module's graph, so that kernels compute what they can.
    """
    owner = graph.owning_module
    for node in list(graph.nodes):
        if getattr(node.target, "__name__", "") != "tag_activation_checkpoint":
            continue
        body = getattr(owner, str(node.args[0].target), None)
        if not isinstance(body, GraphModule) or "_checkpoint_context_fn" in body.meta:
            continue
        trial = copy.deepcopy(body)
        put_kernels(trial)
        if not any(map(_is_kept, trial.graph.nodes)):
            _inline(graph, node, body.graph)


def _is_kept(node: Node) -> bool:
    """Whether a node is an operation of PyTorch that makes a tensor, which a gradient may need."""
    is_call = node.op.startswith("call") and not isinstance(node.target, RegionCall)
    return is_call and is_tensor(node) and not is_view(node)


def _inline(graph: Graph, node: Node, body: Graph) -> None:
    given = dict(zip(body.find_nodes(op="placeholder"), node.args[1:], strict=True))
    with graph.inserting_before(node):
        made = graph.graph_copy(body, given)
    several: Sequence[Any] = made if isinstance(made, tuple | list) else (made,)
    for taken in list(node.users):
        assert taken.target is operator.getitem
        number: Any = taken.args[1]
        taken.replace_all_uses_with(several[number])
        graph.erase_node(taken)
    graph.erase_node(node)
