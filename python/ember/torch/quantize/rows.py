"""Lookups in tables whose rows are encoded: nn.Embedding, for quantize_tables.

A reduction over such rows becomes one kernel with the lookup in graphs that Ember's backend
compiles; everywhere else the rows are decoded first.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

from ember import configuration
from ember.compiler import Notation, Options
from ember.embed_programs import RowFormat
from ember.errors import ArgumentError, CompileError, CompilerNotFoundError
from ember.fallback import left_to_pytorch
from ember.torch.element_types import INDEX_TYPES
from ember.torch.quantize.row_encoding import (
    call_kernel,
    decode,
    encode,
    format_of,
    table_arguments,
    table_words,
)


@cache
def rows_kernel(form: RowFormat, length: int, index: str, options: Options) -> Callable[..., Any]:
    """A kernel that decodes rows: of as many rows of a table as there are, them and indices;
    raises CompileError."""
    notation = Notation(
        "out[i,e] = weight[input[i],e]",
        (*table_words("weight", form, length), f"--type=input:?x{index}", "--type=out:f32"),
    )
    return options.load(notation).entry("kernel").bind()


@torch.library.custom_op("ember::quantized_rows", mutates_args=(), device_types="cpu")
def quantized_rows(rows: Tensor, indices: Tensor, encoding: str, length: int) -> Tensor:
    """The rows (..., length), f32, that encoded ones stand for, at indices (...).

    Raises IndexOutOfRangeError.
    """
    form = format_of(encoding)
    flat = indices.reshape(-1)
    if flat.dtype not in INDEX_TYPES:
        flat = flat.long()
    if not configuration.is_disabled() and len(flat):
        try:
            kernel = rows_kernel(form, length, INDEX_TYPES[flat.dtype], Options())
        except (CompileError, CompilerNotFoundError) as error:
            left_to_pytorch(f"lookups of {encoding} rows", error)
        else:
            out = torch.empty((len(flat), length))
            table = table_arguments("weight", rows, form).values()
            call_kernel(kernel, *table, flat.contiguous(), out)
            return out.view(*indices.shape, length)
    found = decode(rows.index_select(0, flat), form, length)
    return found.view(*indices.shape, length)


@quantized_rows.register_fake
def _(rows: Tensor, indices: Tensor, encoding: str, length: int) -> Tensor:
    return rows.new_empty((*indices.shape, length), dtype=torch.float32)


class QuantizedTable(nn.Module):
    """A module whose table is encoded rows, for inference: the table has no gradient.

    rows: the table, a buffer, as encode has it.
    """

    rows: Tensor

    def __init__(self, module: nn.Embedding | nn.EmbeddingBag, encoding: str) -> None:
        """module: its table is taken over; raises ArgumentError."""
        super().__init__()
        if module.max_norm is not None:
            raise ArgumentError("a table that max_norm changes cannot be quantised")
        self.num_embeddings, self.embedding_dim = module.num_embeddings, module.embedding_dim
        self.encoding = encoding
        self.register_buffer("rows", encode(module.weight, format_of(encoding)))

    def dequantized(self) -> Tensor:
        """The numbers that the table stands for, f32, (num_embeddings, embedding_dim)."""
        return decode(self.rows, format_of(self.encoding), self.embedding_dim)

    def extra_repr(self) -> str:
        return f"{self.num_embeddings}, {self.embedding_dim}, {self.encoding}"


class QuantizedEmbedding(QuantizedTable):
    """nn.Embedding with its table as encoded rows, for inference: the table has no gradient.

    rows: the table, a buffer, as encode has it.
    """

    def __init__(self, lookup: nn.Embedding, encoding: str = "int8") -> None:
        """lookup: its table is taken over; raises ArgumentError."""
        super().__init__(lookup, encoding)

    def forward(self, input: Tensor) -> Tensor:
        """The rows at the indices, f32, (..., embedding_dim)."""
        found: Tensor = torch.ops.ember.quantized_rows(
            self.rows, input, self.encoding, self.embedding_dim
        )
        return found
