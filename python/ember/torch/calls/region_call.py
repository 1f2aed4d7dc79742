"""Calls that stand for a part of a graph: a kernel where it takes the tensors, PyTorch otherwise.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, GraphModule, Node

from ember import configuration
from ember.compiler import Notation, Options, without_place
from ember.errors import CompileError, CompilerNotFoundError, KernelError, OffsetsError
from ember.fallback import left_to_pytorch
from ember.kernel import Library
from ember.torch.calls.repeat import Repeat
from ember.torch.capture import private
from ember.torch.gradients.differentiable import Differentiable, Reference, gradients_of_reference

# Tensors whose memory is what it seems to be.
PLAIN = frozenset((Tensor, torch.nn.Parameter))
# Why calls that need gradients are PyTorch's.
ITS_GRADIENT = (
    "where a gradient is needed PyTorch computes it: its own gradient needs its own result"
)
MAXIMUM = (
    "PyTorch computes a maximum whose gradient is wanted: it notes which row each element came "
    "from, which kernels do not; under torch.no_grad() there is a kernel"
)
SMALL_GRADIENT = (
    "where a gradient is needed PyTorch computes tensors as small as these: it is as fast"
)


class NotTakenError(Exception):
    """The kernel does not take these tensors: PyTorch computes."""


class RegionCall:
    """A part of a graph as a function of its inputs; they come first, then what only PyTorch reads.

    A kind of region gives forward and, where the gradient is an embedding operation too, backward.
    Both note the libraries that they call. What gradients read says which inputs are kept for them.
    Callable from several threads at once.

    raises: a kernel that cannot be built is an error; otherwise PyTorch computes from then on, with
    a warning.
    """

    __name__: str
    __qualname__: str
    names: Mapping[str, str]
    # Layouts of tensors that kernels read.
    layouts: Collection[torch.layout] = (torch.strided,)
    # The places of inputs that have no gradient, such as those whose size alone is read.
    sizes: Collection[int] = ()
    # The places of what only PyTorch reads, and asks for no values of.
    outlines: Collection[int] = ()
    # Those of what only PyTorch reads, and has gradients of, which are zeros.
    unread: Collection[int] = ()
    # The places of inputs that a call changes.
    changes: Collection[int] = ()
    # Whether PyTorch may have an answer where a kernel finds a bad value.
    asks_again = True
    # PyTorch's own way to compute it that has gradients of gradients, where `reference` has none.
    twice: Reference | None = None
    # Elements from which on kernels of gradients gain more than autograd takes to call Python.
    least_differentiated = 0

    def __init__(self, reference: Reference, inputs: int, raises: bool = False) -> None:
        self.reference = reference
        self.inputs = inputs
        self.raises = raises
        self.failed: str = ""
        # Why PyTorch computes calls like the last one that was looked into, where that is known.
        self.handed_over = ""
        self._is_tried = False
        self.names = {}
        # What calls have needed so far, in the order of their first use.
        self.libraries: dict[Library, None] = {}
        # The last kind of call, for compiled code; how many calls were of another.
        self._repeat: Repeat | None = None
        self._missed = 0

    def kernels(self) -> list[Library]:
        """The kernels that calls have needed so far."""
        return list(self.libraries)

    def texts(self) -> Mapping[str, str]:
        """What the region is ahead of the program that the compiler gets, by levels."""
        return {}

    def decisions(self) -> list[str]:
        """Which rules of the compiler made the kernels that calls have needed, and what costs say
        of other calls."""
        decided = (one for library in self.kernels() for one in library.decisions)
        return list(dict.fromkeys(decided))

    def forward(self, *inputs: Any) -> Tensor:
        """The result, without gradient, of inputs that are plain tensors and numbers.

        Raises NotTakenError where there is no kernel for them, CompileError where it cannot be
        built, KernelError for bad values.
        """
        raise NotImplementedError

    def backward(
        self, inputs: Sequence[Any], needed: Sequence[bool], gradient: Tensor
    ) -> Sequence[Tensor | None]:
        """The gradients of the inputs where they are needed; raises as forward does.

        Of inputs that gradient_reads leaves out, the sizes and types are the call's, the values
        are NaN.
        """
        raise NotTakenError

    def gradient_reads(self, needed: Sequence[bool]) -> Collection[int]:
        """The places of the tensors whose values the gradients of the needed ones depend on.

        A fact of what the region computes: neither backward nor PyTorch, nor gradients of the
        gradients, read values of others. They may be changed ahead of the backward pass.
        """
        return range(self.inputs)

    def __call__(self, *arguments: Any) -> Any:
        """What the region computes."""
        result = self.again(arguments)
        if result is not NotImplemented:
            return result
        return self.looked_into(arguments)

    def again(self, arguments: tuple[Any, ...]) -> Any:
        """The same for arguments that are known to be like those before, or NotImplemented."""
        repeat = self._repeat
        if repeat is None or private.is_transformed() or configuration.is_disabled():
            return NotImplemented
        return repeat(arguments, torch.is_grad_enabled())

    def differentiates(self, needed: Sequence[bool]) -> bool:
        """Whether backward knows the gradients of the needed inputs.

        Where PyTorch has to compute it, it needs its own result first, and another one by a kernel
        would be for nothing.
        """
        return type(self).backward is not RegionCall.backward

    def has_gradient(self, arguments: Sequence[Any]) -> bool:
        """Whether the result depends on a tensor that requires a gradient; that of sizes has none.

        A number of edges has none either, though zeros for it may be made like a node's features.
        """
        return any(
            isinstance(argument, Tensor) and argument.requires_grad and place not in self.sizes
            for place, argument in enumerate(arguments[: self.inputs])
        )

    def elements(self, arguments: Sequence[Any]) -> int:
        """How many elements the kernel reads, where least_differentiated is asked for."""
        return 0

    def why_gradient_is_slower(self, arguments: Sequence[Any]) -> str:
        """Why PyTorch computes these sooner where a gradient is needed; empty if it does not."""
        return ""

    def why_left(self, arguments: Sequence[Any]) -> str:
        """Why PyTorch computes a call whose gradient is needed; empty if kernels do."""
        if not self.differentiates(needed_of(arguments)):
            return ITS_GRADIENT
        if _is_small(self, arguments):
            return SMALL_GRADIENT
        return self.why_gradient_is_slower(arguments)

    def programs(self, arguments: Sequence[Any]) -> list[tuple[Notation, Options]]:
        """What the first call builds, of arguments that are like these: they need no values."""
        return []

    def looked_into(self, arguments: tuple[Any, ...]) -> Any:
        """What the region computes, of arguments that are not known to be like those before."""
        self.handed_over = ""
        if self.failed or configuration.is_disabled() or not _are_plain(arguments, self.layouts):
            self.handed_over = "" if self.failed else _why_not_plain(arguments)
            return self.reference(*arguments)
        if torch.is_grad_enabled() and self.has_gradient(arguments):
            self.handed_over = self.why_left(arguments)
            if self.handed_over:
                return self._by_pytorch(arguments)
            return Differentiable.apply(self, *arguments)  # type: ignore[no-untyped-call]
        return self.run(arguments)

    def _by_pytorch(self, arguments: tuple[Any, ...]) -> Any:
        """The result with its gradient, both PyTorch's."""
        if not self._is_tried and not self.kernels():
            # The first call builds the kernel, which later ones without a gradient need.
            self._is_tried = True
            with torch.no_grad():
                self.run(arguments)
        try:
            return self.reference(*arguments)
        except (IndexError, RuntimeError):
            # The kernel says which of the indices is wrong.
            with torch.no_grad():
                self.run(arguments)
            raise

    def repeat_for(self, arguments: tuple[Any, ...]) -> Repeat | None:
        """How compiled code makes calls like this one, which a kernel has just computed."""
        return None

    def remember(self, arguments: tuple[Any, ...]) -> None:
        """Lets compiled code make calls like this one.

        Where calls change all the time, nothing is gained: it is done ever more rarely.
        """
        self._missed += 1
        if self._missed & (self._missed - 1) == 0:
            self._repeat = self.repeat_for(arguments)

    def run(self, arguments: tuple[Any, ...]) -> Any:
        """The result without its gradient."""
        if configuration.is_disabled():
            return self.reference(*arguments)
        try:
            result = self.forward(*arguments[: self.inputs])
            self.remember(arguments)
            return result
        except NotTakenError:
            return self.reference(*arguments)
        except (CompileError, CompilerNotFoundError) as error:
            self.give_up(error)
            return self.reference(*arguments)
        except KernelError as error:
            found = self.explained(error, arguments)
            # Where PyTorch has an answer, as for an index that counts from the end, it is right; so
            # is what it says of sizes. By wrong offsets it reads what lies beside the indices.
            try:
                if self.asks_again and not isinstance(found, OffsetsError):
                    return self.reference(*arguments)
            except Exception:
                if type(found) is KernelError:
                    raise
            raise self.named(found) from None

    def explained(self, error: KernelError, inputs: Sequence[Any]) -> KernelError:
        """The error in words that say which of the inputs is wrong."""
        return error

    def named(self, error: KernelError) -> KernelError:
        """The error with the user's names of what it names."""
        message = re.sub(
            r"'(\w+)'",
            lambda found: f"'{self.names.get(found[1], found[1])}'",
            without_place(str(error)),
        )
        return type(error)(message)

    def give_up(self, error: Exception) -> None:
        """Leaves the region to PyTorch from now on, or raises the error, as the user chose."""
        if self.raises:
            raise error
        self.failed = str(error)
        self._repeat = None
        left_to_pytorch(self.__name__, error)

    def gradients(
        self, arguments: Sequence[Any], needed: Sequence[bool], gradient: Tensor
    ) -> Sequence[Tensor | None]:
        """The gradients of the arguments; those that are not needed are None."""
        is_left = (
            bool(self.failed) or configuration.is_disabled() or not self.differentiates(needed)
        )
        if not torch.is_grad_enabled() and not is_left and type(gradient) is Tensor:
            try:
                found = self.backward(arguments[: self.inputs], needed, gradient)
                return [*found, *self._unread(arguments, needed)]
            except NotTakenError:
                pass
            except KernelError as error:
                # An index that counts from the end is right in a lookup, but not in the sum that
                # is its gradient.
                if not self.asks_again:
                    raise self.named(self.explained(error, arguments)) from None
            except (CompileError, CompilerNotFoundError) as error:
                self.give_up(error)
        reference = self.twice if self.twice and torch.is_grad_enabled() else self.reference
        return gradients_of_reference(reference, arguments, needed, gradient)

    def _unread(self, arguments: Sequence[Any], needed: Sequence[bool]) -> Iterator[Tensor | None]:
        """The gradients of what the kernel has no need of, as of what is cut away again: zeros."""
        for place in range(self.inputs, len(arguments)):
            has_gradient = needed[place] and place in self.unread
            yield torch.zeros_like(arguments[place]) if has_gradient else None


def needed_of(arguments: Sequence[Any]) -> list[bool]:
    """Which of the arguments need a gradient."""
    return [isinstance(one, Tensor) and one.requires_grad for one in arguments]


def _is_small(call: RegionCall, arguments: Sequence[Any]) -> bool:
    least = call.least_differentiated
    return least > 0 and call.elements(arguments) < least


def _are_plain(arguments: Sequence[Any], layouts: Collection[torch.layout]) -> bool:
    """Whether kernels may read these tensors' memory."""
    if private.is_transformed():
        return False
    for argument in arguments:
        if isinstance(argument, Tensor) and not (
            type(argument) in PLAIN
            and argument.is_cpu
            and argument.layout in layouts
            and not argument.is_neg()
        ):
            return False
    return True


def _why_not_plain(arguments: Sequence[Any]) -> str:
    """Why PyTorch computes a call whose tensors kernels do not read."""
    if configuration.is_disabled():
        return "Ember is disabled"
    if private.is_transformed():
        return "kernels take no part in functorch's transforms and forward-mode gradients"
    kinds = {
        f"{type(one).__name__} on {one.device.type} of layout {one.layout}"
        for one in arguments
        if isinstance(one, Tensor)
    }
    return f"kernels read dense tensors on the cpu; here are {', '.join(sorted(kinds))}"


class ReferenceGraph:
    """Nodes of a graph as a function of its inputs, which returns what the last one yields.

    A graph of them, and its code, take milliseconds to be made, and most kernels never ask.
    Callable from several threads.
    """

    def __init__(self, inputs: Sequence[Any], nodes: Iterable[Node]) -> None:
        self._inputs = inputs
        # Nodes that are erased from their graph have no arguments any more.
        self._calls = [(node, node.op, node.target, node.args, node.kwargs) for node in nodes]

    @cached_property
    def module(self) -> GraphModule:
        """The graph with its code."""
        graph = Graph()
        made: dict[Node, Node] = {}
        for place, value in enumerate(self._inputs):
            placeholder = graph.placeholder(f"input_{place}")
            if isinstance(value, Node):
                made[value] = placeholder
        for node, op, target, args, kwargs in self._calls:
            own_args = torch.fx.node.map_arg(args, made.__getitem__)
            own_kwargs = torch.fx.node.map_arg(kwargs, made.__getitem__)
            made[node] = graph.create_node(op, target, own_args, own_kwargs, node.name)
        graph.output(made[self._calls[-1][0]])
        return GraphModule(torch.nn.Module(), graph)

    def __call__(self, *arguments: Any) -> Any:
        return self.module.forward(*arguments)
