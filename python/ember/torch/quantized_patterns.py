"""Finds PyTorch's bags of rows of bytes in FX graphs.

    torch.ops.quantized.embedding_bag_byte_rowwise_offsets(rows, indices, offsets)
    torch.ops.quantized.embedding_bag_4bit_rowwise_offsets(rows, indices, offsets)

and sums and means of rows that QuantizedEmbedding looks up. torch.compile captures no others:
PyTorch cannot say what shapes they return, or their tables are no tensors.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from typing import Any

import torch
from torch import Tensor
from torch.fx import Node

from ember.compiler import Options
from ember.embed_programs import RowFormat
from ember.torch import private
from ember.torch.element_types import INDEX_TYPES
from ember.torch.no_match import NoMatchError
from ember.torch.operations import fixed_size, name_of, read, tensor_of
from ember.torch.quantization import bag_kernel
from ember.torch.region import Region
from ember.torch.region_call import NotTakenError, Reference, RegionCall
from ember.torch.row_encoding import FORMATS, format_of
from ember.torch.settings import Settings

OPERATORS = {
    "quantized::embedding_bag_byte_rowwise_offsets": FORMATS["int8"],
    "quantized::embedding_bag_4bit_rowwise_offsets": FORMATS["int4"],
}
REDUCTIONS = ("sum", "mean")
PARAMETERS = (
    "weight",
    "indices",
    "offsets",
    "scale_grad_by_freq",
    "mode",
    "pruned_weights",
    "per_sample_weights",
    "compressed_indices_mapping",
    "include_last_offset",
)


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
    length = (weight.shape[1] - FORMATS["int4"].row_bytes(0)) * 2
    bags = indices.shape[0] if offsets is None else offsets.shape[0] - include_last_offset
    return weight.new_empty((bags, length), dtype=torch.float32)


_OF_4BIT = "quantized::embedding_bag_4bit_rowwise_offsets"
# A release of PyTorch that says it is asked instead.
if private.lacks_shape(_OF_4BIT):
    torch.library.impl(_OF_4BIT, "Meta", _bag_of_4bit_shape)


def quantized_rows_at(node: Node, settings: Settings) -> Region | None:
    """The region of a sum or mean of rows that ember::quantized_rows decodes; None for others.

    Raises NoMatchError for a reduction of such rows that has no kernel.
    """
    operation = read(node)
    if operation is None or operation.name not in (*REDUCTIONS, "amax", "max"):
        return None
    rows = operation.get("self")
    if not isinstance(rows, Node) or _name(rows.target) != "ember::quantized_rows":
        return None
    if operation.name not in REDUCTIONS:
        raise NoMatchError(f"the reduction {operation.name} of encoded rows has no kernel")
    table, indices, encoding, length = rows.args
    places = tensor_of(indices)
    if places is None or places.dim() != 2 or operation.get("dim") not in (1, -2, (1,), [1]):
        raise NoMatchError("its rows are not bags: (bags, lookups, length), reduced over lookups")
    if operation.get("keepdim") or operation.get("dtype") is not None:
        raise NoMatchError("the result has a shape or type of its own")
    if len(rows.users) != 1:
        raise NoMatchError("its rows have other uses than the reduction")
    form = format_of(str(encoding))
    mode, size = operation.name, fixed_size(length)
    return Region(
        "quantized_bag",
        node,
        {node, rows},
        (table, indices),
        lambda reference: QuantizedRowsCall(
            reference, form, size, mode, settings.kernel_options, settings.raises
        ),
        f"{mode} of {encoding} rows of {name_of(table)}",
        {"weight": name_of(table), "input": name_of(indices)},
    )


def quantized_bag_at(node: Node, settings: Settings) -> Region | None:
    """The region of a bag of rows of bytes; None if the node is another operation.

    Raises NoMatchError for such a bag that has no kernel.
    """
    form = OPERATORS.get(_name(node.target))
    if form is None:
        return None
    named: dict[str, Any] = {**dict(zip(PARAMETERS, node.args, strict=False)), **node.kwargs}
    if named.get("pruned_weights") or named.get("compressed_indices_mapping") is not None:
        raise NoMatchError("rows that are pruned away have no kernel")
    rows = tensor_of(named["weight"])
    if rows is None or rows.dim() != 2 or rows.dtype != torch.uint8:
        raise NoMatchError("its table is not known to be rows of bytes")
    size = fixed_size(rows.shape[1])
    length = size - form.row_bytes(0)
    if length < 1:
        raise NoMatchError(f"rows of {size} bytes hold no elements")
    has_last = bool(named.get("include_last_offset", False))
    weight = named["weight"]
    return Region(
        "quantized_bag",
        node,
        {node},
        (weight, named["indices"], named.get("offsets"), named.get("per_sample_weights")),
        lambda reference: QuantizedBagCall(
            reference, form, length, has_last, settings.kernel_options, settings.raises
        ),
        # PyTorch adds up, whatever the mode is.
        f"sum of bags of {form.encoding} rows of {name_of(weight)}",
        {"weight": name_of(weight), "input": name_of(named["indices"])},
    )


def _name(target: Any) -> str:
    """The qualified name of an operator of torch.ops; empty for what is none."""
    if isinstance(target, private.OpOverload):
        return str(target._schema.name)
    return str(getattr(target, "_qualified_op_name", ""))


class QuantizedBagCall(RegionCall):
    """Sums of bags of rows of bytes, f32, (bags, length).

    Inputs: rows (rows, bytes), uint8, indices (lookups,), offsets, weights (lookups,) or None.
    """

    def __init__(
        self,
        reference: Reference,
        form: RowFormat,
        length: int,
        has_last: bool,
        options: Options,
        raises: bool = False,
    ) -> None:
        super().__init__(reference, 4, raises)
        self.form, self.length, self.has_last = form, length, has_last
        self.options = options

    def forward(
        self, rows: Tensor, indices: Tensor, offsets: Tensor | None, weights: Tensor | None
    ) -> Tensor:
        has_last = self.has_last
        index = INDEX_TYPES.get(indices.dtype)
        if (
            index is None
            or offsets is None
            or indices.dim() != 1
            or offsets.dim() != 1
            or offsets.dtype != indices.dtype
            or len(offsets) <= has_last
        ):
            raise NotTakenError
        arguments = [rows.contiguous(), indices.contiguous(), offsets.contiguous()]
        if weights is not None:
            if weights.dtype != torch.float32 or weights.numel() != len(indices):
                raise NotTakenError
            arguments.append(weights.detach().contiguous().view(-1))
        kernel, library = bag_kernel(
            self.form,
            self.length,
            index,
            "sum",
            has_last,
            weights is not None,
            False,
            self.options,
        )
        self.libraries[library] = None
        out = torch.empty((len(offsets) - has_last, self.length))
        kernel(*arguments, out)
        return out


class QuantizedRowsCall(RegionCall):
    """Sums or means, f32, (bags, length), of encoded rows.

    Inputs: the rows, as they are encoded, and indices (bags, lookups).
    """

    def __init__(
        self,
        reference: Reference,
        form: RowFormat,
        length: int,
        mode: str,
        options: Options,
        raises: bool = False,
    ) -> None:
        super().__init__(reference, 2, raises)
        self.form, self.length, self.mode, self.options = form, length, mode, options

    def forward(self, rows: Tensor, indices: Tensor) -> Tensor:
        index = INDEX_TYPES.get(indices.dtype)
        # Without lookups PyTorch has zeros or NaN.
        if index is None or indices.numel() == 0:
            raise NotTakenError
        bags, lookups = indices.shape
        offsets = torch.arange(bags + 1, dtype=indices.dtype) * lookups
        kernel, library = bag_kernel(
            self.form, self.length, index, self.mode, True, False, False, self.options
        )
        self.libraries[library] = None
        out = torch.empty((bags, self.length))
        kernel(rows.contiguous(), indices.reshape(-1), offsets, out)
        return out
