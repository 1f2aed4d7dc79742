"""ember.compile: puts kernels in the place of a model's embedding operations.

An nn.EmbeddingBag is called directly. Any other module or function goes through torch.compile with
backend="ember", which finds bags, aggregations over edges and scores in its graphs; everything else
runs in PyTorch.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import torch
from torch import Tensor, nn

from ember import configuration
from ember.compiler import Options
from ember.errors import ArgumentError, UnsupportedError
from ember.torch.capture import private
from ember.torch.capture.compiled import FunctionKernel, Kernel, ModuleKernel, original_of
from ember.torch.capture.embedding_module import BagModuleKernel
from ember.torch.graph.spelling import without_renorm
from ember.torch.settings import Settings

if TYPE_CHECKING:
    from ember.dataflow.compiled import Compiled

_log = logging.getLogger(__name__)


@overload
def compile(module_or_fn: Callable[..., Any], *, dataflow: str | Path) -> "Compiled": ...


@overload
def compile(
    module_or_fn: Callable[..., Any],
    example_args: Sequence[Any] | Tensor | None = None,
    *,
    target: str = "cpu",
    opt_level: int = 3,
    vector_length: int | None = None,
    queue_capacity: int | None = None,
    dataflow: None = None,
    **options: Any,
) -> Kernel: ...


def compile(
    module_or_fn: Callable[..., Any],
    example_args: Sequence[Any] | Tensor | None = None,
    *,
    target: str = "cpu",
    opt_level: int = 3,
    vector_length: int | None = None,
    queue_capacity: int | None = None,
    dataflow: str | Path | None = None,
    **options: Any,
) -> "Kernel | Compiled":
    """Compiles the embedding operations of an nn.Module or function.

    module_or_fn: an nn.EmbeddingBag, or a callable with embedding operations anywhere in it: bags,
    message passing over edges, scores of looked-up rows. What it does around them stays with
    PyTorch. What was compiled before, by this or by torch.compile, is compiled anew. Of a module
    the result is an nn.Module around it, as torch.compile's is; of a function, a callable.

    With example_args, one tensor or a sequence of arguments, it is run once to build the kernels it
    needs; without, they are built at the first call. Sizes of the example's batches, lookups and
    edges may be others in a call: a kernel depends on types, mode and embedding length alone, and
    one with another type or length is built when a call needs it. An example that needs no kernel
    is no error: a warning says why.

    target: "cpu" or "dae-threads" (an access and a compute thread joined by queues). opt_level:
    0 to 4. vector_length: elements a vector, default from the target. queue_capacity: of
    dae-threads' queues, in operands. options: rest, raises, excluded and reorders, as Settings has
    them. dataflow: instead of all of these, "auto" or what else ember.dataflow.compile takes: a
    function of arrays with products, sums and functions of elements runs in sweeps.

    Raises ArgumentError; with example_args also CompileError, what the original raises on them,
    and with raises=True an UnsupportedError where no kernel is needed.
    """
    if not callable(module_or_fn):
        raise ArgumentError(f"cannot compile a {type(module_or_fn).__name__}: it is not callable")
    if dataflow is not None:
        from ember.dataflow.compiled import compile as compile_dataflow

        if example_args is not None or options:
            raise ArgumentError("dataflow is for functions of arrays, without other options")
        return compile_dataflow(module_or_fn, dataflow=dataflow)
    kernel_options = Options(target, opt_level, vector_length, queue_capacity)
    settings = Settings.of({**options, "kernel_options": kernel_options})
    kernel = _compiled(original_of(module_or_fn), settings)
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


def _compiled(original: Callable[..., Any], settings: Settings) -> Kernel:
    """The original with the calls that are right for it."""
    if not isinstance(original, nn.Module) or not private.has_compiled_modules:
        return FunctionKernel(original, settings)
    if type(original) is nn.EmbeddingBag:
        return BagModuleKernel(original, settings)
    return ModuleKernel(original, settings)


def _run_example(kernel: Kernel, example_args: Sequence[Any]) -> None:
    """Builds the kernels that a call needs, by a call that leaves tables and RNG as they are."""
    state = torch.get_rng_state()
    try:
        with _expecting_other_sizes(example_args), without_renorm():
            kernel(*example_args)
    finally:
        torch.set_rng_state(state)
    if kernel.kernels() or configuration.is_disabled():
        return
    name = getattr(kernel.original, "__qualname__", type(kernel.original).__name__)
    nothing = kernel.reports().nothing(name)
    if kernel.settings.raises:
        raise UnsupportedError(nothing)
    said = (
        f"{nothing}. It runs in PyTorch, until a graph is captured for other arguments. What is "
        "only too small here becomes a kernel for an example as large as the calls will be; "
        "ember.explain says more of each operation."
    )
    _log.warning(said)
    warnings.warn(said, RuntimeWarning, stacklevel=3)


@contextmanager
def _expecting_other_sizes(arguments: Any) -> Iterator[None]:
    """Tells torch.compile which sizes of the example change from call to call.

    Those of indices all, of other tensors the first: the rest, as features' length, stays. What
    tensors are told is taken back.
    """
    before: list[tuple[Tensor, dict[str, Any]]] = []
    try:
        for tensor in (one for one in private.leaves(arguments) if type(one) is Tensor):
            before.append((tensor, private.marks_of(tensor)))
            counts = not tensor.is_floating_point()
            for dim in range(tensor.dim() if counts else min(tensor.dim(), 1)):
                private.expect_other_sizes(tensor, dim)
        yield
    finally:
        for tensor, marks in reversed(before):
            private.set_marks(tensor, marks)
