"""ember.compile: finds the embedding bags of a module or function and puts kernels in their place.

An nn.EmbeddingBag is called directly. Any other callable runs as it is, in PyTorch, except that
its calls of F.embedding_bag go to kernels: a torch function mode hands them over, so control flow,
shapes and everything around the bags stay the program's own.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as functional
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from ember.compiler import Options
from ember.errors import ArgumentError, UnsupportedError
from ember.torch.bag_call import BagCall
from ember.torch.bag_kernel import BagKernel


class _Replace(TorchFunctionMode):
    """While active in a thread, its calls of F.embedding_bag go elsewhere."""

    def __init__(self, replacement: Callable[..., Tensor]) -> None:
        super().__init__()
        self.replacement = replacement

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        if func is functional.embedding_bag:
            return self.replacement(*args, **(kwargs or {}))
        return func(*args, **(kwargs or {}))


class Kernel:
    """A module or function whose embedding bags are compiled; call it as you call the original.

    Weights are read at each call: updates in place and replaced parameters are seen. Callable
    from several threads. Copies and pickles as the original does; kernels are found again in the
    cache. Attributes: original, options.
    """

    def __init__(self, original: Callable[..., Any], options: Options) -> None:
        self.original = original
        self.options = options
        self._call = BagCall(options)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the original returns for these arguments."""
        with _Replace(self._call):
            return self.original(*args, **kwargs)

    def kernels(self) -> list[BagKernel]:
        """The compiled kernels so far: more are built when a call needs another type or length."""
        return self._call.kernels()

    def __repr__(self) -> str:
        return f"ember.Kernel({self.original!r}, target={self.options.target!r})"


class BagModuleKernel(Kernel):
    """A compiled nn.EmbeddingBag: the arguments go straight to the kernel."""

    original: nn.EmbeddingBag

    def __call__(
        self,
        input: Tensor,
        offsets: Tensor | None = None,
        per_sample_weights: Tensor | None = None,
    ) -> Tensor:
        """nn.EmbeddingBag.forward: input (lookups,) with offsets, or (bags, lookups a bag)."""
        module = self.original
        if "weight" not in module._parameters or _has_hooks(module):
            result: Tensor = super().__call__(input, offsets, per_sample_weights)
            return result
        return self._call(
            input,
            # A plain attribute access would go through nn.Module.__getattr__, at 0.4 us.
            module._parameters["weight"],  # type: ignore[arg-type]
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


def _has_hooks(module: nn.Module) -> bool:
    return bool(
        module._forward_pre_hooks
        or module._forward_hooks
        or module._backward_pre_hooks
        or module._backward_hooks
    )


def compile(
    module_or_fn: Callable[..., Any],
    example_args: Sequence[Any] | Tensor,
    *,
    target: str = "cpu",
    opt_level: int = 3,
    vector_length: int | None = None,
    queue_capacity: int | None = None,
) -> Kernel:
    """Compiles the embedding bags of an nn.Module or function that runs on example_args.

    module_or_fn: an nn.EmbeddingBag, or a callable that calls F.embedding_bag (directly or through
    nn.EmbeddingBag); what it does around those calls stays with PyTorch. It is run once on
    example_args, without gradients, to see and build the kernels it needs. Kernels depend on
    types, mode and embedding length: a call with any other batch or table size reuses them, one
    with another type or length builds its kernel then.

    target: "cpu" or "dae-threads" (an access and a compute thread joined by queues). opt_level:
    0 to 4. vector_length: elements a vector, default from the target. queue_capacity: of
    dae-threads' queues, in operands.

    Modes sum, mean and max, tables of f32, f64, f16 and bf16, indices and offsets of int32 and
    int64.
    Raises CompileError, UnsupportedError (also when there is no embedding bag), ArgumentError, and
    what the original raises on example_args.
    """
    if not callable(module_or_fn):
        raise ArgumentError(f"cannot compile a {type(module_or_fn).__name__}: it is not callable")
    if isinstance(example_args, Tensor):
        example_args = (example_args,)
    options = Options(target, opt_level, vector_length, queue_capacity)
    if type(module_or_fn) is nn.EmbeddingBag:
        kernel: Kernel = BagModuleKernel(module_or_fn, options)
    else:
        kernel = Kernel(module_or_fn, options)
    _run_example(kernel, tuple(example_args))
    return kernel


def _run_example(kernel: Kernel, example_args: tuple[Any, ...]) -> None:
    """Builds the kernels that a call needs, by a call that leaves weights and RNG as they are."""
    bags = 0

    def without_renorm(*args: Any, **kwargs: Any) -> Tensor:
        nonlocal bags
        bags += 1
        return kernel._call(*args, **{**kwargs, "max_norm": None})

    state = torch.get_rng_state()
    try:
        with torch.no_grad(), _Replace(without_renorm):
            kernel.original(*example_args)
    finally:
        torch.set_rng_state(state)
    if bags == 0:
        name = getattr(kernel.original, "__qualname__", type(kernel.original).__name__)
        raise UnsupportedError(
            f"nothing to compile: {name} does not call torch.nn.functional.embedding_bag"
        )
