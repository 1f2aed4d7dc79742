"""Parts of captured graphs as ATen's operators, so that all spellings of an operation are one.

PyTorch's own decompositions make the graph: F.normalize is a norm, a clamp and a division there,
einsum a product of matrices between views. What is changed in place is a new tensor there.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import logging
import traceback
from collections import deque
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor
from torch.fx import Graph, GraphModule, Node

from ember.torch.capture import private
from ember.torch.graph.decompositions import copy, decompositions
from ember.torch.graph.effects import effect_of, example_of
from ember.torch.graph.recorder import Recorder

_log = logging.getLogger(__name__)
_PACKAGE = Path(__file__).parents[2]
# The operators of parts that are alike, as layers of a model are, each marked with the number of
# its node in the part. What has symbols means something in one captured graph alone.
_known: dict[Hashable, Recorder] = {}
_known_in: WeakKeyDictionary[Graph, dict[Hashable, Recorder]] = WeakKeyDictionary()
_MOST_KNOWN = 1 << 9


@dataclass(frozen=True)
class Traced:
    """What a part of a graph computes.

    graph: of ATen's operators, each with the example of its value. inputs: which node of the
    captured graph each placeholder stands for, but for those of lists. sources: the nodes that
    operators come from.
    """

    graph: Graph
    inputs: dict[Node, Node]
    sources: dict[Node, Node]

    @property
    def result(self) -> Node:
        """The operator whose value the part's root has."""
        (found,) = self.graph.output_node().all_input_nodes
        return found


@dataclass(frozen=True)
class Function:
    """A function of some of a call's inputs, whose places are `reads`."""

    compute: Callable[..., Any]
    reads: tuple[int, ...]

    def of(self, inputs: Sequence[Any]) -> Any:
        """What it is of the call's inputs."""
        return self.compute(*(inputs[place] for place in self.reads))


def trace(root: Node, nodes: Collection[Node], inputs: Sequence[Node]) -> Traced:
    """The operators of `nodes`, the last of which is `root`, on values of `inputs`.

    Raises what the operators raise on examples of these values.
    """
    numbered = sorted(nodes)
    has_symbols = any(_has_symbols(example_of(value)) for value in inputs)
    known = _known_in.setdefault(root.graph, {}) if has_symbols else _known
    if len(known) >= _MOST_KNOWN:
        known.clear()
    key = _key(root, numbered, inputs)
    recorded = known.get(key)
    if recorded is None:
        recorded = known[key] = _operators(root, numbered, inputs)
    placeholders = iter(recorded.graph.find_nodes(op="placeholder"))
    given = {}
    for value in inputs:
        example = example_of(value)
        # Of a list of sizes, each is a placeholder of its own.
        if isinstance(example, tuple | list):
            deque(islice(placeholders, len(example)), maxlen=0)
        else:
            given[next(placeholders)] = value
    sources = {node: numbered[place] for node, place in recorded.places.items()}
    _check_types(sources)
    if any(map(_decides_sizes, sources)):
        # These have symbols of their own in each part.
        del known[key]
    return Traced(recorded.graph, given, sources)


def _check_types(sources: Mapping[Node, Node]) -> None:
    """Raises RuntimeError where a node's value has another type than in the captured graph, as of
    what autocast is around."""
    # The last operator of each is its value.
    last = {source: node for node, source in sources.items()}
    for source, node in last.items():
        found, expected = node.meta.get("val"), example_of(source)
        if not isinstance(found, Tensor) or not isinstance(expected, Tensor):
            continue
        are_floats = found.is_floating_point() and expected.is_floating_point()
        if are_floats and found.dtype is not expected.dtype:
            raise RuntimeError(f"it is of {expected.dtype} there, and of {found.dtype} here")


def _decides_sizes(node: Node) -> bool:
    """Whether a tensor's elements decide how large an operator's result is."""
    sizes = getattr(node.meta.get("val"), "shape", ())
    return any(isinstance(size, torch.SymInt) and size.node.hint is None for size in sizes)


def _operators(root: Node, numbered: Sequence[Node], inputs: Sequence[Node]) -> Recorder:
    part, copied = Graph(), {}
    for value in inputs:
        copied[value] = part.placeholder(value.name)
    for node in numbered:
        copied[node] = copy(node, part, copied)
    calls = [copied[node] for node in numbered]
    recorder = Recorder(decompositions())

    def run(*values: Any) -> Any:
        found = dict(zip((copied[value] for value in inputs), values, strict=True))
        with recorder:
            for recorder.place, call in enumerate(calls):
                found[call] = called(call, found)
        return found[copied[root]]

    are_changed = any(effect_of(node).changed for node in numbered)
    compute = torch.func.functionalize(run, remove="mutations") if are_changed else run
    with private.running_operators([example_of(value) for value in inputs], are_changed) as values:
        for value, example in zip(inputs, values, strict=True):
            recorder.input(value.name, example)
        recorder.output(compute(*values))
    return recorder


def called(node: Node, found: Mapping[Node, Any]) -> Any:
    """What a node's function or method gives for the values of others."""
    arguments, words = torch.fx.node.map_arg((node.args, node.kwargs), found.__getitem__)
    if node.op == "call_method":
        return getattr(arguments[0], str(node.target))(*arguments[1:], **words)
    return node.target(*arguments, **words)  # type: ignore[operator]


def _key(root: Node, numbered: Sequence[Node], inputs: Sequence[Node]) -> Hashable:
    """What two parts of a graph have in common that have the same operators."""
    places = {node: f"%{place}" for place, node in enumerate((*inputs, *numbered))}
    settings = torch.get_default_dtype(), torch.is_grad_enabled(), torch.is_autocast_enabled("cpu")
    calls = tuple(
        (node.op, node.target, repr(torch.fx.node.map_arg((node.args, node.kwargs), places.get)))
        for node in numbered
    )
    storages: dict[int | None, int] = {}
    examples = []
    for value in inputs:
        example = example_of(value)
        if not isinstance(example, Tensor):
            examples.append(repr(example))
            continue
        # Whether inputs lie in one memory matters to what is changed in place.
        place = storages.setdefault(private.storage_of(example), len(storages))
        sizes = tuple(example.shape), example.stride(), example.storage_offset()
        examples.append(f"{example.dtype} {sizes} {example.requires_grad} {place}")
    return places[root], calls, tuple(examples), settings


def _has_symbols(example: Any) -> bool:
    """Whether sizes of a value, or numbers that it is, are none that are known."""
    if isinstance(example, Tensor):
        return _has_symbols((*example.shape, *example.stride(), example.storage_offset()))
    if isinstance(example, tuple | list):
        return any(map(_has_symbols, example))
    return isinstance(example, torch.SymInt | torch.SymFloat | torch.SymBool)


def say_untraced(node: Node, error: Exception) -> None:
    """Notes that what a node computes has no operators.

    Operators raise what they will, as for numbers that only the run knows. What is raised here, and
    is no RuntimeError, is a mistake: the part is PyTorch's all the same, but not without a word.
    """
    *_, (raising, _) = traceback.walk_tb(error.__traceback__)
    is_own = Path(raising.f_code.co_filename).is_relative_to(_PACKAGE)
    is_usual = isinstance(error, RuntimeError) or not is_own
    level = logging.DEBUG if is_usual else logging.WARNING
    _log.log(level, "%s cannot be traced: %r", node.name, error, exc_info=not is_usual)


def arguments_of(node: Node) -> dict[str, Any]:
    """An operator's arguments by the names that its schema gives them, with defaults."""
    assert isinstance(node.target, private.OpOverload)
    arguments = node.target._schema.arguments
    found = {one.name: one.default_value for one in arguments if one.has_default_value()}
    found.update(zip((one.name for one in arguments), node.args, strict=False))
    return {**found, **node.kwargs}


def read_by(value: Node) -> list[Node]:
    """The placeholders that an operator's value depends on."""
    return sorted(node for node in _needed(value) if node.op == "placeholder")


def _needed(value: Node) -> set[Node]:
    needed, pending = {value}, [value]
    while pending:
        for source in pending.pop().all_input_nodes:
            if source not in needed:
                needed.add(source)
                pending.append(source)
    return needed


def function_of(value: Node, places: Mapping[Node, int]) -> Function | None:
    """The function of inputs that an operator's value is; None if it reads anything else.

    places: those of inputs among the function's arguments, by placeholders of the operator's graph.
    """
    needed = _needed(value)
    read = set(read_by(value))
    if not read <= places.keys() or any(node.op == "get_attr" for node in needed):
        return None
    part = Graph()
    copied: dict[Node, Node] = {}
    for node in sorted(needed):
        if node not in read:
            copied[node] = part.node_copy(node, copied.__getitem__)
        else:
            copied[node] = part.placeholder(node.name)
    part.output(copied[value])
    arguments = tuple(places[node] for node in sorted(read))
    return Function(GraphModule(torch.nn.Module(), part).forward, arguments)
