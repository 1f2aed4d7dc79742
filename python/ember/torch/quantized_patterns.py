"""Finds PyTorch's bags of rows of bytes in FX graphs.

    torch.ops.quantized.embedding_bag_byte_rowwise_offsets(rows, indices, offsets)
    torch.ops.quantized.embedding_bag_4bit_rowwise_offsets(rows, indices, offsets)

torch.compile captures no others: PyTorch cannot say what shapes they return, or their tables are no
tensors.

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
from ember.torch.operations import fixed_size, name_of, tensor_of
from ember.torch.quantization import bag_kernel
from ember.torch.region import Region
from ember.torch.region_call import NotTakenError, Reference, RegionCall
from ember.torch.row_encoding import FORMATS, table_arguments
from ember.torch.settings import Settings

OPERATORS = {
    "quantized::embedding_bag_byte_rowwise_offsets": FORMATS["int8"],
    "quantized::embedding_bag_4bit_rowwise_offsets": FORMATS["int4"],
}
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
        arguments = table_arguments("weight", rows, self.form)
        if weights is not None:
            if weights.dtype != torch.float32 or weights.numel() != len(indices):
                raise NotTakenError
            arguments["per_sample_weights"] = weights.detach().contiguous().view(-1)
        kernel, library = bag_kernel(
            self.form, self.length, index, "sum", weights is not None, False, self.options
        )
        self.libraries[library] = None
        if not has_last:
            offsets = torch.cat((offsets, offsets.new_tensor([len(indices)])))
        out = torch.empty((len(offsets) - 1, self.length))
        arguments.update(indices=indices.contiguous(), offsets=offsets.contiguous(), out=out)
        kernel(arguments)
        return out
