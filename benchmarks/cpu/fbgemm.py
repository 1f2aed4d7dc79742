"""The operator of fbgemm-gpu-cpu, an optional package: bags of rows of most encodings.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import functools
import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from benchmarks.cpu.rows import FLOATS

# Numbers of its enumerations SparseType, PoolingMode and EmbeddingLocation.
FLOAT8 = 6
SPARSE_TYPES = {"f32": 0, "f16": 1, "int8 leading": 2, **dict.fromkeys(FLOATS, FLOAT8)}
POOLING = {"sum": 0, "mean": 1}
HOST = 3

Lookup = Callable[[Tensor, Tensor, Tensor | None], Tensor]


@functools.cache
def why_missing() -> str | None:
    """Why the package cannot be used; None if it can."""
    try:
        import fbgemm_gpu  # noqa: F401
    except (ImportError, OSError, RuntimeError) as error:
        return f"cannot be imported: {error}".splitlines()[0]
    return None


def _exponent(dtype: torch.dtype) -> tuple[int, int]:
    """Bits and bias of the exponent of 8-bit floats: of eight bits, one is the sign's."""
    info = torch.finfo(dtype)
    return 7 + round(math.log2(info.eps)), 1 - round(math.log2(info.tiny))


def bags_of_tables(tables: Sequence[Tensor], kind: str, length: int, reduction: str) -> Lookup:
    """A function of indices, segments' offsets and weights (or None) that looks bags up in tables.

    The tables are contiguous, with rows of type `kind`, a key of SPARSE_TYPES, and of that length;
    they lie in one memory and are not copied. Segments are those of embed.bag; the result is f32.
    """
    starts = [table.storage_offset() * table.element_size() for table in tables]
    memory = torch.empty(0, dtype=torch.uint8).set_(tables[0].untyped_storage())
    number = SPARSE_TYPES[kind]
    bits, bias = _exponent(FLOATS[kind]) if kind in FLOATS else (-1, -1)
    count = len(tables)
    placements = torch.full((count,), HOST, dtype=torch.int32)
    types = torch.full((count,), number, dtype=torch.uint8)
    weights_offsets = torch.tensor(starts, dtype=torch.int64)
    columns = torch.arange(0, length * (count + 1), length, dtype=torch.int32)
    nothing = torch.empty(0, dtype=torch.uint8)

    def longest_of(*kinds: str) -> int:
        return length if kind in kinds else 0

    def look_up(indices: Tensor, offsets: Tensor, weights: Tensor | None) -> Tensor:
        result: Tensor = torch.ops.fbgemm.int_nbit_split_embedding_codegen_lookup_function(
            dev_weights=memory,
            uvm_weights=nothing,
            weights_placements=placements,
            weights_offsets=weights_offsets,
            weights_tys=types,
            D_offsets=columns,
            total_D=length * count,
            max_int2_D=0,
            max_int4_D=0,
            max_int8_D=longest_of("int8 leading"),
            max_float16_D=longest_of("f16"),
            max_float32_D=longest_of("f32"),
            indices=indices,
            offsets=offsets,
            pooling_mode=POOLING[reduction],
            indice_weights=weights,
            output_dtype=SPARSE_TYPES["f32"],
            row_alignment=1,
            max_float8_D=longest_of(*FLOATS),
            fp8_exponent_bits=bits,
            fp8_exponent_bias=bias,
        )
        return result

    return look_up
