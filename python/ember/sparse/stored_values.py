"""Stored values of sparse tensors, as tensors that PyTorch differentiates.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ember.dtypes import as_array
from ember.errors import ArgumentError
from ember.sparse.array import Array, as_sparse

# Layouts of tensors whose values lie as those of the es.Array that is made of them.
_LAYOUTS = (torch.sparse_coo, torch.sparse_csr, torch.sparse_csc)


@dataclass(frozen=True)
class StoredValues:
    """A sparse tensor of which a gradient is wanted.

    pattern: the es.Array that it is, for which elements are stored. values: those of these, in the
    same order, which the gradient is by.
    """

    pattern: Array
    values: torch.Tensor

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the dimensions, not of what is stored."""
        return self.pattern.shape

    @property
    def dtype(self) -> torch.dtype:
        """The type of elements."""
        return self.values.dtype

    def as_array(self) -> Array:
        """What kernels take."""
        return with_values(self.pattern, self.values)


def with_values(pattern: Array, values: torch.Tensor) -> Array:
    """An array that stores these values where another one stores its own."""
    elements = np.ascontiguousarray(as_array(values.detach().resolve_neg()))
    return Array.of_room(pattern.format, pattern.shape, elements, pattern.stored)


def needs_stored_values(given: Any) -> bool:
    """Whether an argument is a sparse tensor that requires a gradient."""
    return (
        isinstance(given, torch.Tensor)
        and given.layout is not torch.strided
        and given.requires_grad
    )


def stored_values_of(given: torch.Tensor) -> StoredValues:
    """What a sparse tensor stores; raises ArgumentError for one whose gradient PyTorch has not.

    Elements at the same coordinates are added before.
    """
    is_compressed = given.layout is not torch.sparse_coo
    if given.layout not in _LAYOUTS or given.dense_dim() or (is_compressed and given.ndim != 2):
        raise ArgumentError(
            f"a sparse tensor of layout {str(given.layout).removeprefix('torch.')} that is no "
            "matrix of single elements has no gradient in statements: give one of layout "
            "sparse_coo, or detach() it"
        )
    tensor = given if is_compressed else given.coalesce()
    array = as_sparse(tensor.detach())
    assert array is not None
    if not is_compressed and not np.array_equal(array.coordinates()[0], tensor.indices()):
        raise ArgumentError(
            "the sparse tensor says that it is coalesced, and its indices do not increase: make it "
            "without is_coalesced"
        )
    apply: Any = _Values.apply
    return StoredValues(array, apply(tensor))


class _Values(torch.autograd.Function):
    """The values of a sparse tensor: the gradient by them is that by the tensor, in its pattern.

    PyTorch's own values() has no second derivative for compressed layouts.
    """

    @staticmethod
    def forward(ctx: Any, tensor: torch.Tensor) -> torch.Tensor:
        """The values of a coalesced or a compressed tensor."""
        ctx.pattern = tensor.detach()
        return ctx.pattern.values()  # type: ignore[no-any-return]

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        """The gradient by the tensor."""
        apply: Any = _InPattern.apply
        return apply(ctx.pattern, gradient)


class _InPattern(torch.autograd.Function):
    """A sparse tensor of values, which are stored where another one stores its own."""

    @staticmethod
    def forward(ctx: Any, pattern: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        """The tensor of the values."""
        ctx.pattern = pattern
        values = values.detach()
        if pattern.layout is torch.sparse_coo:
            return torch.sparse_coo_tensor(
                pattern.indices(), values, pattern.shape, is_coalesced=True, check_invariants=False
            )
        is_by_rows = pattern.layout is torch.sparse_csr
        return torch.sparse_compressed_tensor(
            pattern.crow_indices() if is_by_rows else pattern.ccol_indices(),
            pattern.col_indices() if is_by_rows else pattern.row_indices(),
            values,
            pattern.shape,
            layout=pattern.layout,
            check_invariants=False,
        )

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        """The gradient by the values."""
        array = as_sparse(ctx.pattern)
        assert array is not None
        return None, _elements_at([torch.from_numpy(c) for c in array.coordinates()[0]], gradient)


def _elements_at(coordinates: list[torch.Tensor], tensor: torch.Tensor) -> torch.Tensor:
    """Elements of a tensor of any layout: what it does not store is 0."""
    if tensor.layout is torch.strided:
        return tensor[tuple(one.long() for one in coordinates)]
    if tensor.layout is not torch.sparse_coo:
        tensor = tensor.to_sparse(layout=torch.sparse_coo)
    stored = tensor.coalesce()
    values, shape = stored.values(), tensor.shape
    steps = [math.prod(shape[dimension + 1 :]) for dimension in range(len(shape))]
    wanted = sum(step * one.long() for step, one in zip(steps, coordinates, strict=True))
    numbers = sum(step * one for step, one in zip(steps, stored.indices(), strict=True))
    assert isinstance(wanted, torch.Tensor)
    assert isinstance(numbers, torch.Tensor)
    if not len(numbers):
        return values.new_zeros(len(wanted))
    places = torch.searchsorted(numbers, wanted).clamp(max=len(numbers) - 1)
    return torch.where(numbers[places] == wanted, values[places], 0)
