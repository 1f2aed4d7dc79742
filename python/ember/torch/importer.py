"""ember.compile: puts kernels in the place of a model's embedding operations.

An nn.EmbeddingBag is called directly. Any other module or function goes through torch.compile with
backend="ember", which finds bags, aggregations over edges and scores in its graphs; everything else
runs in PyTorch.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from ember import configuration
from ember.compiler import Options
from ember.errors import ArgumentError, UnsupportedError
from ember.kernel import Library
from ember.torch import private
from ember.torch.backend import ember_backend
from ember.torch.bag_call import BagCall, without_renorm
from ember.torch.capturing import any_sizes
from ember.torch.direct_call import MISS, DirectCall
from ember.torch.module_bag import ModuleBag
from ember.torch.region_call import RegionCall
from ember.torch.report import Compiled, Report, Reports
from ember.torch.settings import Settings
from ember.torch.sparse_mode import SparseProducts, sparse_functions_seen
from ember.torch.sparse_operand import has_sparse, holds_sparse

BAG = "embedding_bag"
BAG_OPTIONS = ("mode", "include_last_offset", "padding_idx", "sparse", "scale_grad_by_freq")
_is_dynamo_compiling = torch.compiler.is_dynamo_compiling


class Kernel:
    """A module or function whose embedding operations are compiled; call it as the original.

    Weights are read at each call: updates in place and replaced parameters are seen. Callable
    from several threads. Copies and pickles as the original does; kernels are found again in the
    cache. Attributes: original, settings, and the original's own, such as parameters() and train().
    """

    def __init__(self, original: Callable[..., Any], settings: Settings) -> None:
        self.original = original
        self.settings = settings
        self._reports: list[Report] = []
        backend = functools.partial(ember_backend, options=settings, listener=self._reports.append)
        self._run: Callable[..., Any] = torch.compile(original, backend=backend)
        self._direct = DirectCall(original, backend)
        # Products with sparse matrices are in no graph. Where there are any, each call is in this.
        self._products = SparseProducts(settings)
        self._is_sparse = holds_sparse(original)
        # Whether graphs were captured without a break, so that nothing has run if one cannot be.
        self._is_whole = False

    def __getstate__(self) -> tuple[Callable[..., Any], Settings]:
        return self.original, self.settings

    def __setstate__(self, state: tuple[Callable[..., Any], Settings]) -> None:
        self.__init__(*state)  # type: ignore[misc]

    def __getattr__(self, name: str) -> Any:
        """The original's attribute. Names with an underscore are protocols, of one's own."""
        if name.startswith("_") or name == "original":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.original, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the original returns for these arguments."""
        if _is_dynamo_compiling():
            return self._run(*args, **kwargs)
        if self._is_sparse:
            with self._products:
                return self._captured(args, kwargs)
        if compiled := self._direct.compiled:
            result = compiled(*args, **kwargs)
            if result is not MISS:
                return result
        if found := self._direct.find(args, kwargs):
            function, arguments = found
            return function(*arguments)
        if has_sparse((args, kwargs)):
            self._is_sparse = True
            return self(*args, **kwargs)
        graphs, breaks, sparse = len(self._reports), private.graph_breaks(), sparse_functions_seen()
        result = self._captured(args, kwargs)
        if len(self._reports) != graphs:
            self._is_whole = private.breaks_are_counted and private.graph_breaks() == breaks
            self._direct.learn(self._is_whole)
        # What makes sparse tensors itself is known when torch.compile has tried it.
        self._is_sparse = sparse_functions_seen() > sparse
        return result

    def _captured(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What torch.compile gives, with graphs captured for any size: kernels take any.

        A size may depend on a tensor's elements, as the number of the edges without loops does.
        When a graph is captured again, for other sizes, those of 0 and 1 are no cases of their own
        any more: each input would have its own. Inductor is spared both.
        """
        if self.settings.rest == "inductor":
            return self._run(*args, **kwargs)
        with any_sizes(self.settings):
            if not self._is_whole or not private.has_any_size:
                return self._run(*args, **kwargs)
            try:
                with private.any_size():
                    return self._run(*args, **kwargs)
            except private.CaptureError:
                # Rows of one that are repeated are such a case.
                result = self._run(*args, **kwargs)
                self._is_whole = False
                return result

    def reports(self) -> Reports:
        """What became of the graphs that were captured so far: print it, or read its items."""
        return Reports(self._reports)

    def kernels(self) -> list[Library]:
        """The compiled kernels so far: more are built when a call needs another type or length."""
        calls: list[RegionCall] = [
            part.call for report in self._reports for part in report.compiled
        ]
        calls += self._products.calls.values()
        return list(dict.fromkeys(kernel for call in calls for kernel in call.kernels()))

    def __repr__(self) -> str:
        target = self.settings.kernel_options.target
        return f"ember.Kernel({self.original!r}, target={target!r})"


class BagModuleKernel(Kernel):
    """A compiled nn.EmbeddingBag: the arguments go straight to the kernel."""

    original: nn.EmbeddingBag

    def __init__(self, original: nn.EmbeddingBag, settings: Settings) -> None:
        super().__init__(original, settings)
        self._call = BagCall(settings.kernel_options)
        # By the module's options, which may be changed.
        self._bags: dict[tuple[Any, ...], ModuleBag] = {}

    def kernels(self) -> list[Library]:
        own = [kernel.library for kernel in self._call.kernels()]
        return list(dict.fromkeys([*own, *super().kernels()]))

    def reports(self) -> Reports:
        """What became of the bag, by the options it was called with, and of graphs."""
        direct = [
            Compiled("bag", f"{bag.fixed['mode']} of bags of rows of weight", [BAG], bag)
            for bag in self._bags.values()
        ]
        bags = [Report(operations=1, compiled=[part]) for part in direct]
        return Reports([*bags, *super().reports()])

    def __call__(
        self,
        input: Tensor,
        offsets: Tensor | None = None,
        per_sample_weights: Tensor | None = None,
    ) -> Tensor:
        """nn.EmbeddingBag.forward: input (lookups,) with offsets, or (bags, lookups a bag)."""
        module = self.original
        if "weight" not in module._parameters or private.has_hooks(module):
            result: Tensor = super().__call__(input, offsets, per_sample_weights)
            return result
        # A plain attribute access would go through nn.Module.__getattr__, at 0.4 us.
        weight = module._parameters["weight"]
        if module.max_norm is not None:
            return self._call(
                input,
                weight,  # type: ignore[arg-type]
                offsets,
                module.max_norm,
                module.norm_type,
                module.scale_grad_by_freq,
                module.mode,
                module.sparse,
                per_sample_weights,
                module.include_last_offset,
                module.padding_idx,
            )
        options = (
            module.mode,
            module.include_last_offset,
            module.padding_idx,
            module.sparse,
            module.scale_grad_by_freq,
        )
        bag = self._bags.get(options)
        if bag is None:
            bag = self._bags[options] = ModuleBag(
                self._call, dict(zip(BAG_OPTIONS, options, strict=True))
            )
        bags: Tensor = bag(input, weight, offsets, per_sample_weights)
        return bags


def compile(
    module_or_fn: Callable[..., Any],
    example_args: Sequence[Any] | Tensor | None = None,
    *,
    target: str = "cpu",
    opt_level: int = 3,
    vector_length: int | None = None,
    queue_capacity: int | None = None,
    **options: Any,
) -> Kernel:
    """Compiles the embedding operations of an nn.Module or function.

    module_or_fn: an nn.EmbeddingBag, or a callable with embedding operations anywhere in it: bags,
    message passing over edges, scores of looked-up rows. What it does around them stays with
    PyTorch. With example_args, one tensor or a sequence of arguments, it is run once to build the
    kernels it needs; without, they are built at the first call. Sizes of the example's batches,
    lookups and edges may be others in a call: a kernel depends on types, mode and embedding length
    alone, and one with another type or length is built when a call needs it.

    target: "cpu" or "dae-threads" (an access and a compute thread joined by queues). opt_level:
    0 to 4. vector_length: elements a vector, default from the target. queue_capacity: of
    dae-threads' queues, in operands. options: rest, raises, excluded and reorders, as Settings has
    them.

    Raises ArgumentError; with example_args also CompileError, UnsupportedError when there is
    nothing to compile, and what the original raises on them.
    """
    if not callable(module_or_fn):
        raise ArgumentError(f"cannot compile a {type(module_or_fn).__name__}: it is not callable")
    kernel_options = Options(target, opt_level, vector_length, queue_capacity)
    settings = Settings.of({**options, "kernel_options": kernel_options})
    if type(module_or_fn) is nn.EmbeddingBag:
        kernel: Kernel = BagModuleKernel(module_or_fn, settings)
    else:
        kernel = Kernel(module_or_fn, settings)
    if example_args is not None:
        if isinstance(example_args, Tensor):
            example_args = (example_args,)
        elif isinstance(example_args, str) or not isinstance(example_args, Sequence):
            raise ArgumentError(
                "example_args must be a tensor or a tuple of the call's arguments, not a "
                f"{type(example_args).__name__}"
            )
        _run_example(kernel, example_args)
    return kernel


def _run_example(kernel: Kernel, example_args: Sequence[Any]) -> None:
    """Builds the kernels that a call needs, by a call that leaves tables and RNG as they are."""
    _expect_other_sizes(example_args)
    state = torch.get_rng_state()
    try:
        with without_renorm():
            kernel(*example_args)
    finally:
        torch.set_rng_state(state)
    if not kernel.kernels() and not configuration.is_disabled():
        name = getattr(kernel.original, "__qualname__", type(kernel.original).__name__)
        raise UnsupportedError(kernel.reports().nothing(name))


def _expect_other_sizes(arguments: Any) -> None:
    """Tells torch.compile which sizes of the example change from call to call.

    Those of indices all, of other tensors the first: the rest, as features' length, stays.
    """
    if isinstance(arguments, Tensor):
        if type(arguments) is Tensor:
            counts = not arguments.is_floating_point()
            for dim in range(arguments.dim() if counts else min(arguments.dim(), 1)):
                private.expect_other_sizes(arguments, dim)
    elif isinstance(arguments, list | tuple):
        for one in arguments:
            _expect_other_sizes(one)
    elif isinstance(arguments, dict):
        _expect_other_sizes(list(arguments.values()))
