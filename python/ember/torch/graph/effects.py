"""What operations of an FX graph change, and which of their tensors lie in the same memory.

Everything here is a fact that PyTorch states or shows, none is read from an operation's name.
Schemas say what operators change, and what their results are views of. Functions and methods, which
may be written in Python and call any operators, are run once on tensors without data, and what they
call is watched. The examples of values that a graph was captured with show by their storages which
results share memory. What cannot be known may change everything.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import builtins
import math
import operator
import types
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, GraphModule, Node

from ember.torch.calls.region_call import RegionCall
from ember.torch.capture import private
from ember.torch.graph.operations import value_of
from ember.torch.graph.remembered import remembered

# Modules of functions of numbers and shapes: without a tensor, they change none.
_OF_NUMBERS = (operator, math, builtins)
_OF_SIZES: tuple[Any, ...] = (
    torch.Size,
    *(getattr(torch, name) for name in torch.__all__ if name.startswith("sym_")),
    *private.checks,
)
# Stands for all memory that is not made in a graph: any two of its inputs may share some.
OUTSIDE = -1
# More kinds of calls than any process has, unless it makes functions all the time.
_MOST_REMEMBERED = 1 << 12


@dataclass(frozen=True)
class Effect:
    """What a call does besides computing its result.

    changed: which of its tensors it writes to, counted through all that its arguments hold.
    is_known: nothing else happens; otherwise anything may be changed, and how PyTorch computes.
    is_random: the result is another one each time.
    """

    changed: tuple[int, ...] = ()
    is_known: bool = True
    is_random: bool = False

    @property
    def is_pure(self) -> bool:
        """Whether the call may be left out, moved and repeated at will."""
        return self.is_known and not self.changed and not self.is_random


NONE = Effect()
UNKNOWN = Effect(is_known=False)


@remembered
def effect_of(node: Node) -> Effect:
    """What a node does besides computing its result."""
    if node.op in ("placeholder", "get_attr", "output"):
        return NONE
    target = node.target
    if node.op == "call_module" or private.runs_graphs(target):
        return NONE if _are_pure_bodies(node) else UNKNOWN
    if isinstance(target, RegionCall):
        places = {node.args[place] for place in target.changes}
        return Effect(_places(node, places))
    if isinstance(target, private.OpOverload):
        return _stated(target, node)
    return _shown(node)


@remembered
def changed_by(node: Node) -> list[Node]:
    """The arguments in whose memory a node, of a known effect, writes."""
    changed = effect_of(node).changed
    if not changed:
        return []
    leaves = list(_leaves((node.args, node.kwargs)))
    return list(dict.fromkeys(leaves[place] for place in changed))


# What arguments hold.


def _leaves(arguments: Any) -> Iterator[Node]:
    """The nodes of tensors, and of lists of them, that arguments hold, in order."""
    if isinstance(arguments, Node):
        if held(arguments):
            yield arguments
    elif isinstance(arguments, list | tuple):
        for argument in arguments:
            yield from _leaves(argument)
    elif isinstance(arguments, dict):
        for argument in arguments.values():
            yield from _leaves(argument)
    elif isinstance(arguments, slice):
        yield from _leaves((arguments.start, arguments.stop, arguments.step))


def _places(node: Node, arguments: Iterable[Any]) -> tuple[int, ...]:
    """Where nodes are among the tensors that a node's arguments hold."""
    wanted = {argument for argument in arguments if isinstance(argument, Node)}
    leaves = _leaves((node.args, node.kwargs))
    return tuple(place for place, leaf in enumerate(leaves) if leaf in wanted)


def example_of(node: Node) -> Any:
    """The example of a node's value; of an attribute without one, the attribute."""
    value = value_of(node)
    owner = node.graph.owning_module
    if value is None and node.op == "get_attr" and owner is not None:
        return operator.attrgetter(str(node.target))(owner)
    return value


def _is_list(argument: Any) -> bool:
    return isinstance(argument, Node) and isinstance(example_of(argument), list | tuple)


@remembered
def held(node: Node) -> tuple[Tensor, ...]:
    """The tensors that the example of a node's value holds."""
    return tuple(_tensors(example_of(node)))


@remembered
def is_transformed(node: Node) -> bool:
    """Whether a transform, such as torch.vmap, is around a node: its value has another size."""
    return any(map(private.is_wrapped, held(node)))


def _tensors(value: Any) -> Iterator[Tensor]:
    """The tensors that a value holds; of one that is made of others, these."""
    if isinstance(value, Tensor):
        parts = private.parts_of(value)
        if parts is None:
            yield value
        else:
            yield from _tensors(parts)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _tensors(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _tensors(item)


def _storages(value: Any) -> set[int]:
    """The storages of all tensors that a value holds."""
    return _storages_of(_tensors(value))


def _storages_of(tensors: Iterable[Tensor]) -> set[int]:
    storages = map(private.storage_of, tensors)
    return {OUTSIDE if storage is None else storage for storage in storages}


# Operators: what their schemas state.


def _stated(target: private.OpOverload, node: Node) -> Effect:
    """What an operator's schema says that it changes."""
    is_random = torch.Tag.nondeterministic_seeded in target.tags
    if not target._schema.is_mutable:
        return Effect(is_random=is_random)
    changed = _leaves(_written(target._schema, node.args, node.kwargs))
    return Effect(_places(node, changed), is_random=is_random)


def _written(
    schema: torch.FunctionSchema, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> list[Any]:
    """Those of an operator's arguments to which it writes."""
    return [
        given
        for argument, given in _bound(schema, args, kwargs)
        if argument.alias_info is not None and argument.alias_info.is_write
    ]


def _seen_again(target: private.OpOverload, node: Node) -> list[Node]:
    """Those of an operator's arguments in whose memory its results may lie."""
    returns = target._schema.returns
    sets = [returned.alias_info.before_set for returned in returns if returned.alias_info]
    if not sets:
        return []
    again = set().union(*sets)
    given = [
        given
        for argument, given in _bound(target._schema, node.args, node.kwargs)
        # What a list of results is taken from, as chunk's, goes to wherever.
        if (alias := argument.alias_info) is not None
        and (again & alias.before_set or "*" in alias.after_set)
    ]
    return list(_leaves(given))


def _bound(
    schema: torch.FunctionSchema, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Iterator[tuple[torch.Argument, Any]]:
    """An operator's arguments, with what is given for each."""
    for place, argument in enumerate(schema.arguments):
        is_placed = place < len(args) and not argument.kwarg_only
        yield argument, args[place] if is_placed else kwargs.get(argument.name)


def _are_pure_bodies(node: Node) -> bool:
    """Whether an operator that is given graphs to run is given such as change nothing."""
    owner = node.graph.owning_module
    if owner is None:
        return False
    bodies: list[Any] = []
    for source in node.all_input_nodes:
        if source.op == "get_attr":
            bodies.append(operator.attrgetter(str(source.target))(owner))
    if node.op == "call_module":
        bodies.append(owner.get_submodule(str(node.target)))
    graphs = [body.graph for body in bodies if isinstance(body, GraphModule)]
    return bool(graphs) and all(
        effect_of(inner) == NONE for graph in graphs for inner in graph.nodes
    )


# Functions and methods: what a call of theirs shows.

_remembered: dict[Hashable, Effect] = {}


def _shown(node: Node) -> Effect:
    """What a call of a node's function on tensors without data does."""
    leaves = list(_leaves((node.args, node.kwargs)))
    if not leaves:
        return _without_tensors(node)
    values = torch.fx.node.map_arg((node.args, node.kwargs), example_of)
    if any(map(is_transformed, leaves)):
        # Tensors that are like those of a transform have other sizes.
        return _of_packet(node)
    try:
        key = (node.op, node.target, _key(values))
        known = _remembered.get(key)
    except TypeError:
        return _watched(node) or _of_packet(node)
    if known is None:
        known = _watched(node) or _of_packet(node)
        if len(_remembered) >= _MOST_REMEMBERED:
            _remembered.clear()
        _remembered[key] = known
    return known


def _without_tensors(node: Node) -> Effect:
    """What a call that is given no tensor does."""
    target = node.target
    if node.op == "call_method":
        # Of sizes and numbers, which nothing can change.
        return NONE
    if any(target is function for function in _OF_SIZES):
        return NONE
    # Read from the functions' own module, not from their names.
    name = getattr(target, "__name__", "")
    if any(getattr(module, name, None) is target for module in _OF_NUMBERS):
        return NONE
    return _of_packet(node)


class _Watch(private.DispatchMode):  # type: ignore[misc]
    """Notes what operators are called, and to whose memory they write.

    known: the storages of the arguments, and of what is made of them. written: those of them that
    are written to. is_known: no other is.
    """

    def __init__(self, known: Iterable[int]) -> None:
        super().__init__()
        self.known = set(known)
        self.written: set[int] = set()
        self.is_known = True
        self.is_random = False

    def __torch_dispatch__(
        self,
        func: private.OpOverload,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        self.is_random |= torch.Tag.nondeterministic_seeded in func.tags
        written = _storages(_written(func._schema, args, kwargs))
        self.is_known &= written <= self.known
        self.written |= written
        result = func(*args, **kwargs)
        self.known |= _storages(result) - _storages((args, kwargs))
        return result


def _watched(node: Node) -> Effect | None:
    """What a call on other tensors, like the arguments, does; None where it cannot be made."""
    copies: list[Any] = []

    def copied(source: Node) -> Any:
        copy = _copy_of(example_of(source))
        if any(True for _ in _tensors(copy)):
            copies.append(copy)
        return copy

    if not private.watches_calls:
        return None
    autocast = torch.is_autocast_enabled("cpu")
    tensors = (tensor for leaf in _leaves((node.args, node.kwargs)) for tensor in held(leaf))
    try:
        with private.trial(tensors):
            arguments, keywords = torch.fx.node.map_arg((node.args, node.kwargs), copied)
            with _Watch(_storages(copies)) as watch:
                if node.op == "call_method":
                    getattr(arguments[0], str(node.target))(*arguments[1:], **keywords)
                else:
                    node.target(*arguments, **keywords)  # type: ignore[operator]
            if torch.is_grad_enabled() or torch.is_autocast_enabled("cpu") != autocast:
                return UNKNOWN
    except Exception:
        return None
    changed = [place for place, copy in enumerate(copies) if _storages(copy) & watch.written]
    return Effect(tuple(changed), watch.is_known, watch.is_random)


def _copy_of(value: Any) -> Any:
    """Tensors like those that a value holds, in memory of their own."""
    if isinstance(value, Tensor) and private.parts_of(value) is None:
        return torch.empty_strided(
            value.shape, value.stride(), dtype=value.dtype, device=value.device
        )
    if type(value) in (list, tuple):
        return type(value)(map(_copy_of, value))
    return value


def _of_packet(node: Node) -> Effect:
    """What all operators state that PyTorch's own function or method of a node may call."""
    target, name = node.target, ""
    if node.op == "call_method":
        method = getattr(Tensor, str(target), None)
        # A method that is written in Python may do more than the operator of its name.
        name = str(target) if isinstance(method, types.MethodDescriptorType) else ""
    elif isinstance(target, private.OpOverloadPacket):
        return _of_overloads(node, target)
    elif isinstance(target, types.BuiltinFunctionType):
        spelled = target.__name__
        owners = (torch, torch.nn.functional, torch.linalg, torch.special)
        name = spelled if any(getattr(owner, spelled, None) is target for owner in owners) else ""
    packet = getattr(torch.ops.aten, name, None) if name else None
    return UNKNOWN if packet is None else _of_overloads(node, packet)


def _of_overloads(node: Node, packet: private.OpOverloadPacket) -> Effect:
    """The effect that all overloads of an operator have, but those that are told where to write."""
    overloads = [getattr(packet, name) for name in packet.overloads()]  # type: ignore[no-untyped-call]
    plain = [
        overload
        for overload in overloads
        if not any(argument.is_out for argument in overload._schema.arguments)
    ]
    is_random = any(torch.Tag.nondeterministic_seeded in overload.tags for overload in plain)
    is_mutable = any(overload._schema.is_mutable for overload in plain)
    if node.kwargs.get("out") is not None or is_mutable:
        return UNKNOWN
    return Effect(is_random=is_random)


def _key(value: Any) -> Hashable:
    """What two calls have in common that do the same; raises TypeError for what has no key."""
    if isinstance(value, Tensor):
        return type(value), value.dtype, value.dim()
    if isinstance(value, torch.SymInt | torch.SymFloat | torch.SymBool):
        return (type(value),)
    if isinstance(value, list | tuple):
        return tuple(map(_key, value))
    if isinstance(value, dict):
        return tuple((name, _key(item)) for name, item in value.items())
    if isinstance(value, slice):
        return slice, _key(value.start), _key(value.stop), _key(value.step)
    hash(value)
    return type(value), value


# Memory.


@remembered
def storages_of(node: Node) -> set[int]:
    """The storages of what a node yields, in the call that its graph is captured for."""
    return _storages_of(held(node))


class Memory:
    """In whose memory a graph's tensors lie: storages by numbers, OUTSIDE for those of inputs.

    The graph may grow until `sharing` or `writers` is asked for, which know the nodes of then.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._known: dict[Node, frozenset[int]] = {}
        self._outside: set[int] = set()
        for node in graph.nodes:
            if node.op in ("placeholder", "get_attr"):
                self._outside |= storages_of(node)

    def of(self, node: Node) -> frozenset[int]:
        """The memory of what a node yields; of lists, that of all their tensors."""
        places = self._known.get(node)
        if places is None:
            places = self._known[node] = self._places_of(node)
        return places

    def of_all(self, nodes: Iterable[Node]) -> frozenset[int]:
        """The memory of several nodes' results."""
        return frozenset().union(*map(self.of, nodes))

    def changed_by(self, node: Node) -> frozenset[int]:
        """The memory to which a node, of a known effect, writes."""
        return self.of_all(changed_by(node))

    def sharing(self, places: Iterable[int]) -> list[Node]:
        """The nodes whose results lie in some of these places, in order."""
        return sorted({node for place in places for node in self._lying_in.get(place, ())})

    @cached_property
    def writers(self) -> list[tuple[Node, set[int]]]:
        """The nodes that change tensors, in order, with the storages of these."""
        found = []
        for node in self._graph.nodes:
            if written := set().union(*map(storages_of, changed_by(node))):
                found.append((node, written))
        return found

    @cached_property
    def _lying_in(self) -> dict[int, list[Node]]:
        lying: dict[int, list[Node]] = {}
        for node in self._graph.nodes:
            for place in self.of(node):
                lying.setdefault(place, []).append(node)
        return lying

    def _places_of(self, node: Node) -> frozenset[int]:
        if node.op in ("placeholder", "get_attr"):
            return frozenset((OUTSIDE,)) if held(node) else frozenset()
        storages = storages_of(node)
        places = {OUTSIDE if storage in self._outside else storage for storage in storages}
        # The examples of a program that was stored and loaded share nothing.
        if isinstance(node.target, private.OpOverload) and places:
            for given in _seen_again(node.target, node):
                places |= self.of(given)
        elif node.target is operator.getitem and _is_list(node.args[0]):
            places |= self.of(node.args[0])  # type: ignore[arg-type]
        return frozenset(places)
