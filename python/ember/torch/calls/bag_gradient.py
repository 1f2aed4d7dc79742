"""The gradients of F.embedding_bag, by a kernel or by PyTorch's own backward operations.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import torch
import torch.nn.functional as functional
from torch import Tensor

from ember.compiler import Options
from ember.torch.calls.table_gradient import table_gradient
from ember.torch.capture import private

# PyTorch's numbers of the modes, in its operations' arguments.
MODE_NUMBERS = {"sum": 0, "mean": 1}


def bag_gradients(
    gradient: Tensor,
    indices: Tensor,
    offsets: Tensor,
    rows: int,
    options: tuple[str, bool, int, bool, bool],
    sample_weights: Tensor | None,
    table: Tensor | None,
    *,
    needs_table: bool,
    needs_sample_weights: bool,
    kernels: Options,
) -> tuple[Tensor | None, Tensor | None]:
    """The gradients of the table (rows, length) and of the sample weights (lookups,).

    gradient is (bags, length). options: mode, whether offsets holds the last offset, padding
    index or -1, scale_grad_by_freq, sparse. table is needed for the sample weights' gradient.
    kernels: how the bags' own kernel was compiled.
    """
    mode, has_last, padding, scale_grad_by_freq, sparse = options
    indices, offsets = indices.long().contiguous(), offsets.long().contiguous()
    lookups = len(indices)
    if has_last:
        ends = offsets
        # Indices past the last offset are in no bag.
        indices = indices[: int(offsets[-1])]
        if sample_weights is not None:
            sample_weights = sample_weights[: len(indices)]
    else:
        ends = torch.cat((offsets, offsets.new_tensor([lookups])))
    bag_of_lookup = torch.repeat_interleave(ends.diff(), output_size=len(indices))
    number = MODE_NUMBERS[mode]
    for_table = for_sample_weights = None
    # Of sums PyTorch does not ask how many lookups bags have.
    sizes = indices.new_empty(0)
    if needs_table and mode == "mean":
        sizes = _bag_sizes(indices, ends, bag_of_lookup, padding)
    is_entries = sparse and needs_table and not torch.is_grad_enabled()
    if not scale_grad_by_freq and (not sparse or is_entries):
        summed = gradient
        if mode == "mean":
            summed = gradient / sizes.clamp(min=1).to(gradient.dtype).view(-1, 1)
        if sparse:
            for_table = _entries(summed, bag_of_lookup, indices, rows, sample_weights, padding)
        elif torch.is_grad_enabled():
            of_lookups = summed.index_select(0, bag_of_lookup)
            if needs_table:
                for_table = _of_table(of_lookups, indices, rows, sample_weights, padding)
            if needs_sample_weights:
                assert table is not None
                for_sample_weights = _of_weights(of_lookups, indices, table, padding)
        elif needs_table:
            for_table = table_gradient(
                summed, bag_of_lookup, indices, rows, sample_weights, kernels
            )
            if for_table is not None and padding >= 0:
                for_table[padding] = 0
    if needs_table and for_table is None:
        if private.bag_backward is None:
            for_table = _differentiated(gradient, indices, ends, rows, options, sample_weights)
        else:
            for_table = private.bag_backward(
                gradient,
                indices,
                ends,
                bag_of_lookup,
                sizes,
                indices.new_empty(0),
                rows,
                scale_grad_by_freq,
                number,
                sparse,
                sample_weights,
                padding,
            )
    if needs_sample_weights and for_sample_weights is None:
        assert table is not None
        if private.bag_weights_backward is None:
            of_lookups = gradient.index_select(0, bag_of_lookup)
            for_sample_weights = _of_weights(of_lookups, indices, table, padding)
        else:
            for_sample_weights = private.bag_weights_backward(
                gradient, table, indices, ends, bag_of_lookup, number, padding
            )
    if for_sample_weights is not None and len(indices) < lookups:
        for_sample_weights = functional.pad(for_sample_weights, (0, lookups - len(indices)))
    return for_table, for_sample_weights


def _entries(
    gradient: Tensor,
    bag_of_lookup: Tensor,
    indices: Tensor,
    rows: int,
    sample_weights: Tensor | None,
    padding: int,
) -> Tensor:
    """The table's gradient (rows, length) as PyTorch has it: an entry for each lookup, in order.

    The same operation of PyTorch's has many more arguments, which take as long to make.
    """
    values = gradient.index_select(0, bag_of_lookup)
    if sample_weights is not None:
        values *= sample_weights.unsqueeze(1)
    if padding >= 0:
        counts = indices != padding
        indices, values = indices[counts], values[counts]
    size = (rows, gradient.shape[1])
    return torch.sparse_coo_tensor(indices.unsqueeze(0), values, size, check_invariants=False)


def _differentiated(
    gradient: Tensor,
    indices: Tensor,
    ends: Tensor,
    rows: int,
    options: tuple[str, bool, int, bool, bool],
    sample_weights: Tensor | None,
) -> Tensor:
    """The gradient of the table (rows, length) by differentiating bags of another one."""
    mode, _, padding, scale_grad_by_freq, sparse = options
    with torch.enable_grad():
        table = gradient.new_zeros((rows, gradient.shape[1]), requires_grad=True)
        bags = functional.embedding_bag(
            indices,
            table,
            ends,
            mode=mode,
            scale_grad_by_freq=scale_grad_by_freq,
            sparse=sparse,
            per_sample_weights=sample_weights,
            include_last_offset=True,
            padding_idx=padding if padding >= 0 else None,
        )
        return torch.autograd.grad(bags, table, gradient)[0]


# PyTorch's operations for the gradients of bags have no derivatives; those for lookups have.


def _of_table(
    of_lookups: Tensor, indices: Tensor, rows: int, weights: Tensor | None, padding: int
) -> Tensor:
    """The table's gradient, with derivatives, from that of its looked-up rows (lookups, length)."""
    if weights is not None:
        of_lookups = of_lookups * weights.unsqueeze(1)
    found: Tensor = torch.ops.aten.embedding_dense_backward(
        of_lookups, indices, rows, padding, False
    )
    return found


def _of_weights(of_lookups: Tensor, indices: Tensor, table: Tensor, padding: int) -> Tensor:
    """The same for sample weights."""
    products = (of_lookups * table.index_select(0, indices)).sum(1)
    return products if padding < 0 else products.masked_fill(indices == padding, 0)


def _bag_sizes(indices: Tensor, ends: Tensor, bag_of_lookup: Tensor, padding: int) -> Tensor:
    """The lookups of each bag (bags,), those of the padding row left out."""
    if padding < 0:
        return ends.diff()
    return torch.bincount(bag_of_lookup[indices != padding], minlength=len(ends) - 1)
