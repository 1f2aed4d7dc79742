"""Bags as what they are made of: rows that are looked up, and a reduction of each bag's.

F.embedding_bag, and bags of encoded rows:

    torch.ops.ember.quantized_bag
    torch.ops.quantized.embedding_bag_byte_rowwise_offsets
    torch.ops.quantized.embedding_bag_4bit_rowwise_offsets

torch.compile captures no other bags of PyTorch's: their tables are no tensors.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable

import torch
import torch.nn.functional as functional
from torch import Tensor
from torch.fx import Node

from ember.row_types import ENCODINGS
from ember.torch.capture import private
from ember.torch.element_types import SUM_TYPES
from ember.torch.graph.operations import fixed_size, read, tensor_of
from ember.torch.quantize.row_encoding import FORMATS
from ember.torch.quantize.rows import quantized_rows

# The rows (lookups, length) of each bag from one offset on up to the next one, reduced; without
# offsets, those of (bags, lookups a bag, length). Only counted ones are a part of it. No tensor is
# ever computed by it: graphs are traced with it.
_SCHEMA = "(Tensor rows, Tensor? offsets, bool has_last, str mode, Tensor? counted) -> Tensor"


def _bags_shape(
    rows: Tensor, offsets: Tensor | None, has_last: bool, mode: str, counted: Tensor | None
) -> Tensor:
    bags = rows.shape[0] if offsets is None else offsets.shape[0] - has_last
    return rows.new_empty((bags, rows.shape[-1]))


# An operator stays in the process, whoever imports this again.
if not hasattr(torch.ops.ember, "bags"):
    torch.library.define("ember::bags", _SCHEMA)
    torch.library.impl("ember::bags", "Meta", _bags_shape)


def embedding_bag(
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
    """F.embedding_bag of the same arguments as lookups and reductions, to be traced.

    Its own gradient by scale_grad_by_freq is not that of lookups: there is none through it.
    """
    if max_norm is not None:
        raise NotImplementedError("the table changes")
    counted = None
    if padding_idx is not None:
        if padding_idx < 0:
            padding_idx += fixed_size(weight.shape[0])
        counted = input != padding_idx
    # Gradients of padding are none where it is not counted; those of rows that are looked up say so
    # themselves.
    padding = padding_idx if sparse else None
    rows = functional.embedding(input, weight, padding, sparse=sparse)
    if per_sample_weights is not None:
        if per_sample_weights.dtype is not weight.dtype:
            raise NotImplementedError("PyTorch refuses weights of another type")
        rows = rows * per_sample_weights.unsqueeze(-1)
    if scale_grad_by_freq or weight.dtype not in SUM_TYPES:
        mode = f"{mode} without gradient"
    found: Tensor = torch.ops.ember.bags(rows, offsets, include_last_offset, mode, counted)
    return found


# PyTorch's operators, and how the rows are encoded that they read.
OPERATORS = {
    "embedding_bag_byte_rowwise_offsets": "int8",
    "embedding_bag_4bit_rowwise_offsets": "int4",
}


def is_encoded_bag(node: Node) -> bool:
    """Whether a node is a bag of encoded rows."""
    operation = read(node)
    return operation is not None and operation.name in (*OPERATORS, "quantized_bag")


def encoded_bag_at(node: Node) -> Callable[..., Tensor] | None:
    """What a bag of encoded rows computes of its arguments, to be traced; None for anything else,
    and for bags that have no statements."""
    operation = read(node)
    if operation is None or not is_encoded_bag(node) or why_bag_untranslated(node):
        return None
    encoding = OPERATORS.get(operation.name)
    return _bag if encoding is None else _bag_of_pytorch(encoding)


def why_bag_untranslated(node: Node) -> str:
    """Why a bag of encoded rows has no statements; empty if it has some."""
    operation = read(node)
    assert operation is not None
    if operation.name not in OPERATORS:
        return ""
    if operation.get("pruned_weights") or operation.get("compressed_indices_mapping") is not None:
        return "rows that are pruned away have no kernel"
    rows, indices, offsets, weights = (
        tensor_of(operation.get(name))
        for name in ("weight", "indices", "offsets", "per_sample_weights")
    )
    if rows is None or rows.dim() != 2 or rows.dtype != torch.uint8:
        return "its table is not known to be rows of bytes"
    size = fixed_size(rows.shape[1])
    if size <= FORMATS[OPERATORS[operation.name]].row_bytes(0):
        return f"rows of {size} bytes hold no elements"
    if indices is None or offsets is None or indices.dtype != offsets.dtype or indices.dim() != 1:
        return "its indices and offsets are not of one type, and one dimension"
    if weights is not None and (weights.dtype != torch.float32 or weights.dim() != 1):
        return f"its weights are {weights.dtype}, not one number of f32 for each index"
    return ""


def _bag(
    rows: Tensor,
    indices: Tensor,
    offsets: Tensor | None,
    weights: Tensor | None,
    encoding: str,
    length: int,
    mode: str,
    has_last: bool,
    padding: int,
) -> Tensor:
    counted = indices != padding if padding >= 0 else None
    found = quantized_rows(rows, indices, encoding, length)
    if weights is not None:
        found = found * weights.unsqueeze(-1)
    bags: Tensor = torch.ops.ember.bags(found, offsets, has_last, mode, counted)
    return bags


def _bag_of_pytorch(encoding: str) -> Callable[..., Tensor]:
    """What PyTorch's operator on rows of that encoding computes: it adds up, whatever the mode."""

    def bag(
        weight: Tensor,
        indices: Tensor,
        offsets: Tensor,
        scale_grad_by_freq: bool = False,
        mode: int = 0,
        pruned_weights: bool = False,
        per_sample_weights: Tensor | None = None,
        compressed_indices_mapping: Tensor | None = None,
        include_last_offset: bool = False,
    ) -> Tensor:
        options = encoding, _length(weight, encoding), "sum", include_last_offset, -1
        return _bag(weight, indices, offsets, per_sample_weights, *options)

    return bag


def _length(rows: Tensor, encoding: str) -> int:
    """How many elements rows of so many bytes have."""
    form = FORMATS[encoding]
    return (fixed_size(rows.shape[1]) - form.row_bytes(0)) * 8 // ENCODINGS[encoding].bits


def _bag_of_4bit_shape(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor | None = None,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    pruned_weights: bool = False,
    per_sample_weights: Tensor | None = None,
    compressed_indices_mapping: Tensor | None = None,
    include_last_offset: bool = False,
) -> Tensor:
    """What PyTorch's operator returns, without its values: PyTorch itself does not say."""
    bags = indices.shape[0] if offsets is None else offsets.shape[0] - include_last_offset
    return weight.new_empty((bags, _length(weight, "int4")), dtype=torch.float32)


_OF_4BIT = "quantized::embedding_bag_4bit_rowwise_offsets"
# A release of PyTorch that says it is asked instead.
if private.lacks_shape(_OF_4BIT):
    torch.library.impl(_OF_4BIT, "Meta", _bag_of_4bit_shape)
