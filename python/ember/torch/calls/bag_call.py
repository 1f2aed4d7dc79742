"""F.embedding_bag by compiled kernels: the same arguments, values, gradients and error types.

What PyTorch refuses is handed to PyTorch, so that the error is its own; so is what a kernel cannot
see into: tensor subclasses, functorch's transforms and forward-mode gradients, and the maximum
where its gradient is wanted, which needs to know where each element came from. Where PyTorch's
behaviour depends on which of its code paths runs, this follows its documentation: with
include_last_offset, indices beyond the last offset belong to no bag.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as functional
from torch import Tensor

from ember import configuration
from ember.compiler import Options
from ember.errors import ArgumentError, KernelError, UnsupportedError
from ember.torch.calls.bag_gradient import bag_gradients
from ember.torch.calls.bag_kernel import BagKernel
from ember.torch.calls.embedding_bag import BagShape
from ember.torch.calls.kept_tensors import for_later_calls
from ember.torch.calls.region_call import MAXIMUM, NotTakenError
from ember.torch.capture import private
from ember.torch.element_types import INDEX_TYPES, VALUE_TYPES
from ember.torch.gradients.differentiable import for_backward
from ember.torch.graph.bag_spelling import renormalise

MODES = ("sum", "mean", "max")
INT32_MAX = 2**31 - 1
# Shapes of 2-D batches whose offsets are kept.
KEPT_OFFSETS = 16

# A kernel that takes common arguments only, arguments but for the output, and the output's shape.
RecentCall = tuple[Callable[..., Any], tuple[Any, ...], tuple[int, int]]

_log = logging.getLogger(__name__)
_TENSORS = frozenset((Tensor, torch.nn.Parameter))


# Why PyTorch computes a bag.
NOT_PLAIN = (
    "kernels read plain tensors, outside of functorch's transforms and forward-mode gradients"
)
UNFIT = "PyTorch has to say what it makes of arguments of these types and shapes"


class BagCall:
    """F.embedding_bag's signature over kernels that are built when first needed, then kept."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self._kernels: dict[tuple[Any, ...], BagKernel] = {}
        # By what tells calls apart without looking into tensors.
        self._recent: dict[tuple[Any, ...], Callable[..., Any] | None] = {}
        self._offsets: OrderedDict[tuple[int, int, torch.dtype], Tensor] = OrderedDict()
        self._lock = threading.Lock()
        # Why PyTorch computed the last call that it did.
        self.handed_over = ""

    def __getstate__(self) -> Options:
        """Copies and pickles carry the options; their kernels are found again when needed."""
        return self.options

    def __setstate__(self, options: Options) -> None:
        self.__init__(options)  # type: ignore[misc]

    def kernels(self) -> list[BagKernel]:
        """The kernels in use."""
        return list(self._kernels.values())

    def __call__(self, input: Tensor, weight: Tensor, *others: Any, **named: Any) -> Tensor:
        """What by_kernel returns, or PyTorch where there is no kernel.

        Raises, besides, what PyTorch raises for arguments that do not fit together.
        """
        try:
            return self.by_kernel(input, weight, *others, **named)
        except NotTakenError:
            # PyTorch computes.
            pass
        # PyTorch's kernel for rows without elements refuses right indices now and then.
        is_empty = weight.dim() == 2 and weight.shape[1] == 0
        table = functional.pad(weight, (0, 1)) if is_empty else weight
        by_pytorch = functional.embedding_bag(input, table, *others, **named)
        return by_pytorch[:, :0] if is_empty else by_pytorch

    def by_kernel(
        self,
        input: Tensor,
        weight: Tensor,
        offsets: Tensor | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        per_sample_weights: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> Tensor:
        """F.embedding_bag(...): input is (lookups,) with offsets, or (bags, lookups a bag).

        weight is (rows, length), of one of VALUE_TYPES; the result (bags, length) has its type.
        Raises NotTakenError for what no kernel takes or PyTorch refuses, UnsupportedError for a
        device or layout that has no kernel, IndexOutOfRangeError and OffsetsError for bad values.
        """
        is_disabled = configuration.is_disabled()
        if max_norm is None and not is_disabled:
            found = self.like_before(
                input, weight, offsets, mode, per_sample_weights, include_last_offset, padding_idx
            )
            result: Tensor | None = None
            if found is not None and not _wants_gradient(weight, per_sample_weights):
                result = _run(*found)
            elif found is not None and mode != "max":
                has_last = include_last_offset or offsets is None
                padding = -1 if padding_idx is None else padding_idx
                options = (mode, has_last, padding, scale_grad_by_freq, sparse)
                result = _differentiate(
                    found, per_sample_weights is not None, options, self.options
                )
            if result is not None:
                return result
        if reason := (
            "Ember is disabled"
            if is_disabled
            else _why_not(input, weight, offsets, mode, per_sample_weights, include_last_offset)
        ):
            self.handed_over = reason
            _log.debug("a call of embedding_bag, mode %s, is left to PyTorch: %s", mode, reason)
            raise NotTakenError
        if offsets is None:
            offsets = self._offsets_of_equal_bags(input)
            include_last_offset = True
            input = input.reshape(-1)
            if per_sample_weights is not None:
                per_sample_weights = per_sample_weights.reshape(-1)
        padding = -1
        if padding_idx is not None:
            rows = len(weight)
            padding = padding_idx + rows if padding_idx < 0 else padding_idx
            if not 0 <= padding < rows:
                raise ArgumentError(
                    f"padding_idx must be within the number of embeddings, {-rows} through "
                    f"{rows - 1}, but got {padding_idx}"
                )
        if max_norm is not None:
            renormalise(weight.detach(), input, max_norm, norm_type)
        if _wants_gradient(weight, per_sample_weights):
            options = (mode, include_last_offset, padding, scale_grad_by_freq, sparse)
            differentiable: Tensor = _Differentiable.apply(  # type: ignore[no-untyped-call]
                weight,
                per_sample_weights,
                lambda: self.forward(
                    weight, input, offsets, mode, per_sample_weights, include_last_offset, padding
                ),
                (input, offsets),
                options,
                self.options,
            )
            return differentiable
        return self.forward(
            weight, input, offsets, mode, per_sample_weights, include_last_offset, padding
        )

    def forward(
        self,
        weight: Tensor,
        indices: Tensor,
        offsets: Tensor,
        mode: str,
        sample_weights: Tensor | None,
        has_last: bool,
        padding: int,
    ) -> Tensor:
        """Runs the kernel on arguments that fit together; padding -1 is none. No gradient."""
        if indices.dtype not in INDEX_TYPES or offsets.dtype not in INDEX_TYPES:
            indices, offsets = indices.long(), offsets.long()
        if not indices.is_contiguous():
            indices = indices.contiguous()
        if not offsets.is_contiguous():
            offsets = offsets.contiguous()
        if sample_weights is not None:
            sample_weights = sample_weights.contiguous().resolve_neg()
        if weight.is_neg():
            weight = weight.resolve_neg()
        length = weight.size(1)
        key = (
            weight.dtype,
            length,
            indices.dtype,
            offsets.dtype,
            mode,
            has_last,
            sample_weights is not None,
            padding >= 0,
            "contiguous" if weight.is_contiguous() else _layout(weight),
        )
        kernel = self._kernels.get(key)
        if kernel is None:
            kernel = self._kernels[key] = self._build(*key)
        bags = offsets.numel() - has_last
        out = weight.new_empty((bags, length))
        if bags:
            kernel(weight, indices, offsets, sample_weights, padding, out)
            kind = (length, mode, has_last, sample_weights is not None, padding >= 0)
            self._recent[kind] = kernel.common
        return out

    def like_before(
        self,
        input: Tensor,
        weight: Tensor,
        offsets: Tensor | None,
        mode: str,
        sample_weights: Tensor | None,
        has_last: bool,
        padding: int | None,
    ) -> RecentCall | None:
        """A call of the kernel that was last used for such a call, found with few questions.

        The kernel's own call asks for types, ranks, device and layout. None where any answer is
        unusual: then all is looked into.
        """
        if (
            type(weight) not in _TENSORS
            or type(input) is not Tensor
            or private.is_transformed()
            or weight.dim() != 2
        ):
            return None
        if offsets is None:
            if input.dim() != 2 or 0 in input.shape:
                return None
            offsets, has_last = self._offsets_of_equal_bags(input), True
            if sample_weights is not None:
                if sample_weights.shape != input.shape:
                    return None
                sample_weights = sample_weights.reshape(-1)
            input = input.reshape(-1)
        elif type(offsets) is not Tensor:
            return None
        length = weight.shape[1]
        call = self._recent.get(
            (length, mode, has_last, sample_weights is not None, padding is not None)
        )
        bags = offsets.numel() - has_last
        if call is None or bags <= 0:
            return None
        if padding is not None and not 0 <= padding < weight.shape[0]:
            return None
        arguments: tuple[Any, ...] = (weight, input, offsets)
        if sample_weights is not None:
            arguments += (sample_weights,)
        if padding is not None:
            arguments += (padding,)
        return call, arguments, (bags, length)

    def _build(
        self,
        value: torch.dtype,
        length: int,
        index: torch.dtype,
        offset: torch.dtype,
        mode: str,
        has_last: bool,
        weighted: bool,
        padded: bool,
        layout: str,
    ) -> BagKernel:
        shape = BagShape(
            length,
            VALUE_TYPES[value],
            INDEX_TYPES[index],
            INDEX_TYPES[offset],
            mode,
            has_last,
            weighted,
            padded,
            layout,
        )
        return BagKernel(shape, self.options)

    def _offsets_of_equal_bags(self, input: Tensor) -> Tensor:
        """The offsets, last included, of a batch (bags, lookups a bag)."""
        bags, lookups = input.shape
        key = (bags, lookups, input.dtype)
        offsets = self._offsets.get(key)
        if offsets is None:
            wide = bags * lookups > INT32_MAX or input.dtype not in INDEX_TYPES
            kind = torch.int64 if wide else input.dtype
            with for_later_calls():
                offsets = torch.arange(0, bags * lookups + 1, lookups, dtype=kind)
            with self._lock:
                self._offsets[key] = offsets
                if len(self._offsets) > KEPT_OFFSETS:
                    self._offsets.popitem(last=False)
        return offsets


def _run(
    call: Callable[..., Any], arguments: tuple[Any, ...], shape: tuple[int, int]
) -> Tensor | None:
    """The result; None if the kernel does not take the arguments, or stops with an error."""
    out: Tensor = arguments[0].new_empty(shape)
    try:
        return out if call(*arguments, out) is None else None
    except KernelError:
        return None


def _differentiate(
    recent: RecentCall,
    weighted: bool,
    options: tuple[str, bool, int, bool, bool],
    kernels: Options,
) -> Tensor | None:
    """The result with its gradient, see _Differentiable; or None as from _run."""
    weight, indices, offsets, *others = recent[1]
    try:
        result: Tensor = _Differentiable.apply(  # type: ignore[no-untyped-call]
            weight,
            others[0] if weighted else None,
            lambda: _run(*recent),
            (indices, offsets),
            options,
            kernels,
        )
    except _NoResultError:
        return None
    return result


class _NoResultError(Exception):
    """A recent call had no result: the call is looked into."""


def _why_not(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None,
    mode: str,
    sample_weights: Tensor | None,
    has_last: bool,
) -> str:
    """Why kernels do not take these arguments, so that PyTorch computes, or says what is wrong;
    empty if they do.

    Raises UnsupportedError where PyTorch has an answer that the kernels have not.
    """
    if type(input) is not Tensor or type(weight) not in _TENSORS or private.is_transformed():
        return NOT_PLAIN
    if weight.dim() != 2 or mode not in MODES:
        return UNFIT
    if weight.dtype not in VALUE_TYPES:
        return f"tables of {weight.dtype} have no kernel"
    if mode == "max" and _wants_gradient(weight, None):
        return MAXIMUM
    if offsets is not None:
        if type(offsets) is not Tensor or input.dim() != 1 or offsets.dim() != 1:
            return UNFIT
        if has_last and offsets.numel() == 0:
            return UNFIT
        if not (offsets.dtype in INDEX_TYPES and input.dtype in INDEX_TYPES) and (
            torch.promote_types(input.dtype, offsets.dtype) not in INDEX_TYPES
        ):
            return UNFIT
    elif input.dim() != 2 or input.size(1) == 0 or input.dtype not in INDEX_TYPES:
        return UNFIT
    if sample_weights is not None and (
        type(sample_weights) not in _TENSORS
        or sample_weights.dtype is not weight.dtype
        or sample_weights.shape != input.shape
        or mode != "sum"
    ):
        return UNFIT
    for name, tensor in (("weight", weight), ("input", input), ("offsets", offsets)):
        if tensor is not None and not (tensor.is_cpu and tensor.layout is torch.strided):
            raise UnsupportedError(
                f"{name} is a {tensor.layout} tensor on {tensor.device}; the kernels take dense "
                "tensors on the cpu"
            )
    return "" if weight.size(1) else "rows without elements are PyTorch's"


def _wants_gradient(weight: Tensor, sample_weights: Tensor | None) -> bool:
    """Whether autograd has to see the call."""
    return torch.is_grad_enabled() and (
        weight.requires_grad or (sample_weights is not None and sample_weights.requires_grad)
    )


def _layout(weight: Tensor) -> str:
    """How a table that is not contiguous lies: nothing is copied."""
    return "rows" if weight.stride(1) == 1 else "any"


class _Differentiable(torch.autograd.Function):
    """A call that autograd sees."""

    @staticmethod
    def forward(
        ctx: Any,
        weight: Tensor,
        sample_weights: Tensor | None,
        run: Callable[[], Tensor | None],
        lookups: tuple[Tensor, Tensor],
        options: tuple[str, bool, int, bool, bool],
        kernels: Options,
    ) -> Tensor:
        """What `run` returns, for lookups (indices, offsets).

        options and kernels are as bag_gradients has them.
        """
        result = run()
        if result is None:
            raise _NoResultError
        # Each of the two gradients is a product with the other.
        needs_table, needs_sample_weights = ctx.needs_input_grad[:2]
        ctx.save_for_backward(
            weight if needs_sample_weights else None,
            sample_weights if needs_table else None,
            *map(for_backward, lookups),
        )
        ctx.rows = weight.shape[0]
        ctx.options = options
        ctx.kernels = kernels
        return result

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        weight, sample_weights, indices, offsets = ctx.saved_tensors
        for_weight, for_sample_weights = bag_gradients(
            gradients[0],
            indices,
            offsets,
            ctx.rows,
            ctx.options,
            sample_weights,
            weight,
            needs_table=ctx.needs_input_grad[0],
            needs_sample_weights=ctx.needs_input_grad[1],
            kernels=ctx.kernels,
        )
        return for_weight, for_sample_weights, None, None, None, None
