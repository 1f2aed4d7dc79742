"""Cases of embedding bags: F.embedding_bag of every type of rows, and its slow paths.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch
import torch.nn.functional as functional
from ember.embed_programs import Array, Bag, array
from numpy.typing import NDArray
from torch import Tensor

from benchmarks.cpu import case, fbgemm
from benchmarks.cpu.agreement import tolerance_of_sums
from benchmarks.cpu.case import Prepared, pytorch_contenders
from benchmarks.cpu.kernels import compiled, with_new_output
from benchmarks.cpu.limit import LimitRead, RowSize
from benchmarks.cpu.lookups import Windows, draw_offsets, draw_stream
from benchmarks.cpu.measuring import Contender
from benchmarks.cpu.rows import ROW_TYPES, RowType, torch_type
from benchmarks.cpu.setting import Setting

# Bags whose result is also computed by the formula.
REFERENCE_BAGS = 16
# Into which the limit divides one bag.
LIMIT_SEGMENTS = 64
QUANTIZED = {
    "int8": "embedding_bag_byte_rowwise_offsets",
    "int4": "embedding_bag_4bit_rowwise_offsets",
}
# What PyTorch has no fast path for.
SLOW_PATHS = ("padding", "row-strided table", "column-major table", "strided weights")


@dataclass(frozen=True)
class Batch:
    """Lookups of a batch of bags, and their weights or None."""

    indices: NDArray[np.int64]
    weights: Tensor | None


@dataclass(frozen=True)
class BagCase:
    """Bags of rows. reduction: sum, mean, max, weighted sum or weighted mean. value: of ROW_TYPES.

    table_bytes: about. path: "" or one of SLOW_PATHS. compare_compiled: with torch.compile, too.
    """

    group: str
    reduction: str
    value: str
    length: int
    table_bytes: int
    locality: str
    bags: int
    path: str = ""
    lookups: int | None = None
    compare_compiled: bool = False

    @property
    def factors(self) -> Mapping[str, Any]:
        hidden = ("group", "compare_compiled")
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name not in hidden}

    @property
    def row_type(self) -> RowType:
        """The type of the table's rows."""
        return ROW_TYPES[self.value]

    @property
    def rows(self) -> int:
        """Rows of the table."""
        return self.table_bytes // self.row_type.row_bytes(self.length)

    @property
    def weighted(self) -> bool:
        """Whether lookups have weights."""
        return self.reduction.startswith("weighted")

    @property
    def mode(self) -> str:
        """The reduction without the weights."""
        return self.reduction.removeprefix("weighted ")

    @property
    def weight_type(self) -> str:
        """The type of weights: that of the rows as PyTorch demands it, or f32."""
        return "f32" if self.row_type.format else self.value

    def limit_sizes(self) -> Sequence[RowSize]:
        return [RowSize(self.row_type.row_bytes(self.length), 8)]

    def prepare(self, setting: Setting) -> Prepared:
        return _BagWork(self, setting).prepared()


class _BagWork:
    """A case's data, from which its contenders are made."""

    def __init__(self, bags: BagCase, setting: Setting) -> None:
        self.case = bags
        self.setting = setting
        seed = zlib.crc32(repr(bags).encode())
        if bags.lookups is None:
            self.offsets = draw_offsets(bags.bags, seed)
        else:
            self.offsets = np.array([0, bags.lookups])
        self.torch_offsets = torch.from_numpy(self.offsets)
        self.table = self._table()
        count = int(self.offsets[-1])
        row_bytes = bags.row_type.row_bytes(bags.length)
        stream = draw_stream(bags.locality, bags.rows, row_bytes, 4 * count, seed)
        self.windows = Windows(stream, count)
        self.padding = int(stream[0]) if bags.path == "padding" else None
        self.weights = self._weights(count) if bags.weighted else None

    def _table(self) -> Tensor:
        """The table as it lies in the arena."""
        bags, arena = self.case, self.setting.arena
        dtype = bags.row_type.dtype
        if bags.path == "column-major table":
            return arena.table(dtype, bags.length, bags.rows).t()
        if bags.path == "row-strided table":
            return arena.table(dtype, bags.rows, 2 * bags.length)[:, : bags.length]
        return bags.row_type.table(arena, bags.rows, bags.length)

    def _weights(self, count: int) -> Tensor:
        strided = self.case.path == "strided weights"
        draw = torch.Generator().manual_seed(count)
        weights = torch.rand(2 * count if strided else count, generator=draw, dtype=torch.float64)
        weights = weights.to(torch_type(self.case.weight_type))
        return weights[::2] if strided else weights

    def batch(self, number: int) -> Batch:
        return Batch(self.windows[number], self.weights)

    def prepared(self) -> Prepared:
        bags = self.case
        row_bytes = bags.row_type.row_bytes(bags.length)
        out_bytes = bags.length * torch_type(bags.row_type.out).itemsize
        prepared = Prepared(
            contenders=[self._ember()],
            batch=self.batch,
            row_bytes=self.windows.length * row_bytes,
            out_bytes=bags.bags * out_bytes,
            tolerance=tolerance_of_sums(bags.row_type.out, self.windows.length / bags.bags),
            reference=self.reference,
        )
        self._add_peers(prepared)
        if self.setting.limit and bags.path != "column-major table":
            offsets = self.offsets
            if bags.lookups is not None:
                # Threads share the bag.
                offsets = np.linspace(0, bags.lookups, LIMIT_SEGMENTS + 1).astype(np.int64)
            prepared.limit = LimitRead(
                self.setting.limit,
                self.table.view(torch.uint8).numpy(),
                lambda batch: (batch.indices, offsets),
                len(offsets) - 1,
                out_bytes,
            )
        return prepared

    def _ember(self) -> Contender:
        bags, kind = self.case, "tensor"
        element, columns = bags.row_type.element, bags.row_type.columns(bags.length)
        table = array(element, None, columns)
        weights = array(bags.weight_type, None) if bags.weighted else None
        if bags.path == "row-strided table":
            table, kind = Array(element, (None, columns), "strided<[?, 1], offset: ?>"), "memref"
        elif bags.path == "column-major table":
            table, kind = Array(element, (None, columns), "strided<[?, ?], offset: ?>"), "memref"
        elif bags.path == "strided weights":
            weights = Array(bags.weight_type, (None,), "strided<[?], offset: ?>")
            kind = "memref"
        operation = Bag(
            tables=(table,),
            indices=array("i64", None),
            segments=array("i64", None),
            out=array(bags.row_type.out, None, bags.length),
            reduction=bags.mode,
            weights=weights,
            padded=bags.path == "padding",
            row_format=bags.row_type.format,
        )
        entry = compiled(operation, kind)
        call = with_new_output(entry, [self.table], bags.row_type.out, (bags.bags, bags.length))
        paddings = () if self.padding is None else (self.padding,)

        def arguments(batch: Batch) -> tuple[Any, ...]:
            weights = () if batch.weights is None else (batch.weights,)
            return batch.indices, self.offsets, *weights, *paddings

        return Contender(case.EMBER, call, arguments)

    def _torch_arguments(self, batch: Batch) -> tuple[Any, ...]:
        return torch.from_numpy(batch.indices), self.torch_offsets, batch.weights

    def _add_peers(self, prepared: Prepared) -> None:
        """PyTorch's operators and fbgemm's, where they do the job."""
        bags = self.case
        if bags.value in QUANTIZED:
            call = self._quantized()
            prepared.contenders.append(Contender(case.QUANTIZED, call, self._torch_arguments))
        elif not bags.row_type.format:
            compiles = bags.compare_compiled and self.setting.compiles
            prepared.contenders += pytorch_contenders(
                self._eager(), self._torch_arguments, compiles
            )
        if (
            bags.value in fbgemm.SPARSE_TYPES
            and bags.reduction in fbgemm.POOLING
            and not bags.path
            and bags.lookups is None
        ):
            if reason := fbgemm.why_missing():
                prepared.absent[case.FBGEMM] = reason
            else:
                call = fbgemm.bags_of_tables([self.table], bags.value, bags.length, bags.mode)
                prepared.contenders.append(Contender(case.FBGEMM, call, self._torch_arguments))

    def _eager(self) -> Callable[..., Tensor]:
        table, mode, padding = self.table, self.case.mode, self.padding
        counts = self.torch_offsets.diff()[:, None]

        def weighted_mean(indices: Tensor, offsets: Tensor, weights: Tensor) -> Tensor:
            sums = functional.embedding_bag(
                indices,
                table,
                offsets,
                mode="sum",
                per_sample_weights=weights,
                include_last_offset=True,
            )
            return sums / counts

        def bag(indices: Tensor, offsets: Tensor, weights: Tensor | None) -> Tensor:
            return functional.embedding_bag(
                indices,
                table,
                offsets,
                mode=mode,
                per_sample_weights=weights,
                include_last_offset=True,
                padding_idx=padding,
            )

        return weighted_mean if self.case.reduction == "weighted mean" else bag

    def _quantized(self) -> Callable[..., Tensor]:
        operator = getattr(torch.ops.quantized, QUANTIZED[self.case.value])
        table = self.table

        def bag(indices: Tensor, offsets: Tensor, weights: Tensor | None) -> Tensor:
            result: Tensor = operator(
                table,
                indices,
                offsets,
                False,
                0,
                False,
                weights,
                include_last_offset=True,
            )
            return result

        return bag

    def reference(self, batch: Batch) -> Tensor:
        """The first bags, by the formula in f64."""
        bags = self.case
        results = []
        for first, end in zip(self.offsets[:-1], self.offsets[1:], strict=True):
            indices = torch.from_numpy(batch.indices[first:end])
            rows = bags.row_type.decode(self.table[indices], bags.length)
            weights = None if batch.weights is None else batch.weights[first:end].double()
            if self.padding is not None:
                kept = indices != self.padding
                rows = rows[kept]
                weights = weights if weights is None else weights[kept]
            if bags.mode == "max":
                results.append(rows.amax(0) if len(rows) else rows.new_zeros(bags.length))
            else:
                scaled = rows if weights is None else rows * weights[:, None]
                divisor = max(1, len(rows)) if bags.mode == "mean" else 1
                results.append(scaled.sum(0) / divisor)
            if len(results) == REFERENCE_BAGS:
                break
        return torch.stack(results)
