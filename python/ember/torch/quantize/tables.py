"""Embedding bags whose tables are rows of bytes: quantize_tables puts them into a model.

    ember.quantize_tables(model, "int8")

The rows that a bag looks up are decoded as they are added up, in a kernel; where kernels are
disabled PyTorch decodes them.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import sys
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import torch
import torch.nn.functional as functional
from torch import Tensor, nn

from ember import configuration
from ember.compiler import Notation, Options
from ember.embed_programs import RowFormat
from ember.errors import ArgumentError, CompileError, CompilerNotFoundError, OffsetsError
from ember.fallback import left_to_pytorch
from ember.kernel import Library
from ember.torch.element_types import INDEX_TYPES
from ember.torch.quantize.row_encoding import (
    call_kernel,
    decode,
    encode,
    encoding_of,
    format_of,
    rows_of,
    table_arguments,
    table_words,
)
from ember.torch.quantize.rows import QuantizedEmbedding, QuantizedTable


@cache
def bag_kernel(
    form: RowFormat,
    length: int,
    index: str,
    mode: str,
    weighted: bool,
    padded: bool,
    options: Options,
) -> tuple[Callable[[Mapping[str, Any]], object], Library]:
    """A kernel for bags of rows in a format, of arguments by PyTorch's names of them, and of `out`;
    offsets have the last one. With the library that it is in; raises CompileError."""
    segment, element = "p in offsets[b]:offsets[b+1]", "weight[indices[p],e]"
    count, condition = "(offsets[b+1] - offsets[b])", ""
    words = [*table_words("weight", form, length), "--type=out:f32"]
    words += [f"--type={name}:?x{index}" for name in ("indices", "offsets")]
    if weighted:
        element += " * per_sample_weights[p]"
        words.append("--type=per_sample_weights:?xf32")
    if padded:
        condition = " if indices[p] != padding_idx"
        count = f"sum[{segment}{condition}](1)"
        words.append("--type=padding_idx:i64")
    # What is left out of a sum is chosen, not branched around.
    chosen = f"{element}{condition} else -0.0" if padded else element
    reduced = {
        "sum": f"sum[{segment}]({chosen})",
        "mean": f"sum[{segment}]({chosen}) / max({count}, 1)",
        "max": f"max[{segment}{condition}]({element}) if {count} > 0 else 0.0",
    }
    library = options.load(Notation(f"out[b,e] = {reduced[mode]}", tuple(words)))
    entry = library.entry("kernel")
    names, kernel = [parameter.name for parameter in entry.parameters], entry.bind()
    return lambda arguments: kernel(*(arguments[name] for name in names)), library


@torch.library.custom_op("ember::quantized_bag", mutates_args=(), device_types="cpu")
def quantized_bag(
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
    """Bags (bags, length), f32, of rows of bytes: F.embedding_bag of what they stand for.

    indices (lookups,) and offsets are as F.embedding_bag has them, of one type; without offsets,
    indices are (bags, lookups). weights, as many as indices, are for sums. padding is -1 for none.
    Raises IndexOutOfRangeError, OffsetsError.
    """
    form = format_of(encoding)
    if offsets is None:
        count, lookups = indices.shape
        offsets, has_last = torch.arange(count + 1, dtype=indices.dtype) * lookups, True
        indices = indices.reshape(-1)
        weights = None if weights is None else weights.reshape(-1)
    bags = len(offsets) - has_last
    kernel = None
    if not configuration.is_disabled() and bags > 0:
        kind = form, length, INDEX_TYPES[indices.dtype], mode, weights is not None, padding >= 0
        try:
            kernel, _ = bag_kernel(*kind, Options())
        except (CompileError, CompilerNotFoundError) as error:
            left_to_pytorch(f"bags of {encoding} rows", error)
    if kernel is None:
        # PyTorch's bags of the rows that are looked up, decoded.
        used, places = torch.unique(indices, return_inverse=True)
        at = (used == padding).nonzero().flatten()
        return functional.embedding_bag(
            places.to(offsets.dtype),
            decode(rows.index_select(0, used), form, length),
            offsets,
            mode=mode,
            per_sample_weights=weights,
            include_last_offset=has_last,
            padding_idx=int(at[0]) if len(at) else None,
        )
    if int(offsets[0]) != 0:
        raise OffsetsError(f"offsets[0] has to be 0, but is {int(offsets[0])}")
    if not has_last:
        offsets = torch.cat((offsets, offsets.new_tensor([len(indices)])))
    out = torch.empty((bags, length))
    arguments = table_arguments("weight", rows, form)
    arguments.update(
        indices=indices.contiguous(), offsets=offsets.contiguous(), padding_idx=padding, out=out
    )
    if weights is not None:
        arguments["per_sample_weights"] = weights.contiguous()
    call_kernel(kernel, arguments)
    return out


@quantized_bag.register_fake
def _(
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
    bags = indices.shape[0] if offsets is None else offsets.shape[0] - has_last
    return rows.new_empty((bags, length), dtype=torch.float32)


class QuantizedEmbeddingBag(QuantizedTable):
    """nn.EmbeddingBag with its table as rows of bytes, for inference: the table has no gradient.

    rows: the table, a buffer, uint8, (num_embeddings, bytes of a row), as encode has it.
    """

    def __init__(self, bag: nn.EmbeddingBag, encoding: str = "int8") -> None:
        """bag: its table and its options are taken over; raises ArgumentError."""
        super().__init__(bag, encoding)
        self.mode, self.include_last_offset = bag.mode, bag.include_last_offset
        self.padding_idx = bag.padding_idx

    def update_(self, table: Tensor) -> None:
        """Quantises another table (num_embeddings, embedding_dim) in the place of this one."""
        if table.shape != (self.num_embeddings, self.embedding_dim):
            raise ArgumentError(
                f"the table has to be ({self.num_embeddings}, {self.embedding_dim}), "
                f"not {tuple(table.shape)}"
            )
        self.rows.copy_(encode(table, format_of(self.encoding)))

    def forward(
        self,
        input: Tensor,
        offsets: Tensor | None = None,
        per_sample_weights: Tensor | None = None,
    ) -> Tensor:
        """The bags (bags, embedding_dim), f32; arguments are those of nn.EmbeddingBag."""
        if per_sample_weights is not None:
            if self.mode != "sum" or per_sample_weights.shape != input.shape:
                raise ArgumentError("per_sample_weights are for sums, as many as there are indices")
            per_sample_weights = per_sample_weights.detach().float()
        if input.dim() == 2 and offsets is not None:
            raise ArgumentError("offsets are for an input of one dimension")
        if input.dim() != 2 and (offsets is None or input.dim() != 1):
            raise ArgumentError("the input has to be 2-D, or 1-D with offsets")
        is_other = offsets is not None and offsets.dtype != input.dtype
        if is_other or input.dtype not in INDEX_TYPES:
            input, offsets = input.long(), None if offsets is None else offsets.long()
        padding = -1 if self.padding_idx is None else int(self.padding_idx)
        found: Tensor = torch.ops.ember.quantized_bag(
            self.rows,
            input,
            offsets,
            per_sample_weights,
            self.encoding,
            self.embedding_dim,
            self.mode,
            self.include_last_offset,
            padding,
        )
        return found

    def extra_repr(self) -> str:
        return f"{super().extra_repr()}, mode={self.mode!r}"


def quantize_tables(
    model: nn.Module, encoding: str = "int8", *, lookups: bool = False
) -> nn.Module:
    """Puts QuantizedEmbeddingBag in the place of every nn.EmbeddingBag in a model, and returns it.

    encoding: int8 (scale and bias in f32), int4 (in f16), fp8 or e4m3, e5m2; mxfp8 or mxfp8_e4m3,
    mxfp8_e5m2, with a scale for each 32 elements; bf16 or f16, rows of that type, whose sums are
    f32. lookups: QuantizedEmbedding takes the place of every
    nn.Embedding, too; what else reads such a table's weight finds none. Modules that PyTorch has
    quantised (torch.ao.nn.quantized) keep their numbers.

    The model is changed, but for one that is a table itself. Raises ArgumentError for a format that
    there is not, for a table with max_norm, and for values that are not finite; nothing is changed
    then.
    """
    format_of(encoding)
    if not isinstance(model, nn.Module):
        raise ArgumentError(f"model must be an nn.Module, not a {type(model).__name__}")
    # One for each table, so that shared ones stay shared.
    made: dict[nn.Module, nn.Module] = {}
    for name, module in model.named_modules():
        try:
            found = _quantized(module, encoding, lookups or module is model)
        except ArgumentError as error:
            raise ArgumentError(f"{name}: {error}" if name else str(error)) from None
        if found is not None:
            made[module] = found.train(module.training)
    if model in made:
        return made[model]
    for parent in list(model.modules()):
        for name, child in list(parent._modules.items()):
            if child in made:
                setattr(parent, name, made[child])
    return model


def _quantized(module: nn.Module, encoding: str, lookups: bool) -> nn.Module | None:
    """What stands for a table; None for any other module."""
    pytorchs = sys.modules.get("torch.ao.nn.quantized")
    if pytorchs is not None and isinstance(module, pytorchs.Embedding):
        is_bag = isinstance(module, pytorchs.EmbeddingBag)
        return _taken_over(module, nn.EmbeddingBag if is_bag else nn.Embedding)
    if isinstance(module, nn.EmbeddingBag):
        return QuantizedEmbeddingBag(module, encoding)
    if lookups and isinstance(module, nn.Embedding):
        return QuantizedEmbedding(module, encoding)
    return None


def _taken_over(module: Any, kind: type[nn.Module]) -> nn.Module:
    """What stands for one of PyTorch's quantised modules: it computes with the same bytes."""
    if getattr(module, "pruned_weights", False):
        raise ArgumentError("a table with rows pruned away cannot be taken over")
    weight: Tensor = module.weight()
    rows, length = weight.shape
    if kind is nn.EmbeddingBag:
        # PyTorch adds up, whatever the mode is.
        bag = nn.EmbeddingBag(
            rows,
            length,
            mode="sum",
            include_last_offset=module.include_last_offset,
            _weight=weight.dequantize(),
        )
        made: Any = QuantizedEmbeddingBag(bag, encoding_of(weight))
    else:
        lookup = nn.Embedding(rows, length, _weight=weight.dequantize())
        made = QuantizedEmbedding(lookup, encoding_of(weight))
    made.rows = rows_of(weight)
    taken: nn.Module = made
    return taken
