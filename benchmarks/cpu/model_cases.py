"""Cases of whole models: the 26 tables of MLPerf's DLRM in one call.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as functional
from ember.embed_programs import Bag, array
from ember.models.tables import MLPERF_LENGTH, MLPERF_MULTI_HOT, mlperf_dlrm
from numpy.typing import NDArray
from torch import Tensor

from benchmarks.cpu import case, fbgemm
from benchmarks.cpu.agreement import tolerance_of_sums
from benchmarks.cpu.arena import Arena
from benchmarks.cpu.case import Prepared, pytorch_contenders
from benchmarks.cpu.kernels import compiled, with_new_output
from benchmarks.cpu.limit import LimitRead, RowSize
from benchmarks.cpu.measuring import Contender
from benchmarks.cpu.setting import Setting

TABLES = len(MLPERF_MULTI_HOT)
ROW_BYTES = 4 * MLPERF_LENGTH
# So that all tables together fit the arena.
MOST_ROWS = 500_000
# Lookups that are drawn for the batches together: more bytes of rows than caches hold.
DRAWN_LOOKUPS = 1 << 21
REFERENCE_SAMPLES = 16


@dataclass(frozen=True)
class TablesCase:
    """Sums of a batch of samples in all tables, concatenated; lookups are uniform."""

    group: str
    batch: int

    @property
    def factors(self) -> Mapping[str, Any]:
        return {"model": "MLPerf DLRM", "most rows": MOST_ROWS, "batch": self.batch}

    def limit_sizes(self) -> Sequence[RowSize]:
        return [RowSize(ROW_BYTES, 8)]

    def prepare(self, setting: Setting) -> Prepared:
        return TablesWork(self.batch, setting).prepared()


def tables_of_model(arena: Arena) -> list[Tensor]:
    """The tables, one behind the other."""
    tables, start = [], 0
    for workload in mlperf_dlrm(1, MOST_ROWS):
        table = arena.table(torch.float32, workload.rows, MLPERF_LENGTH, start=start)
        tables.append(table)
        start += ROW_BYTES * workload.rows
    return tables


class TablesWork:
    """A case's data: batches of indices table by table, as FBGEMM orders them."""

    def __init__(self, batch: int, setting: Setting) -> None:
        self.batch = batch
        self.setting = setting
        self.tables = tables_of_model(setting.arena)
        self.counts = [batch * lookups for lookups in MLPERF_MULTI_HOT]
        self.ends = np.cumsum([0, *self.counts])
        bag_sizes = np.repeat(MLPERF_MULTI_HOT, batch)
        self.offsets = np.concatenate([[0], np.cumsum(bag_sizes)]).astype(np.int64)
        self.table_offsets = [
            torch.arange(0, count + 1, lookups)
            for count, lookups in zip(self.counts, MLPERF_MULTI_HOT, strict=True)
        ]
        draw = np.random.default_rng(batch)
        windows = max(2, DRAWN_LOOKUPS // int(self.ends[-1]))
        self.batches = np.concatenate(
            [
                draw.integers(0, len(table), (windows, count))
                for table, count in zip(self.tables, self.counts, strict=True)
            ],
            axis=1,
        )
        # For the limit the tables are one, as they lie.
        first_rows = np.cumsum([0, *(len(table) for table in self.tables)])[:-1]
        self.first_rows = np.repeat(first_rows, self.counts)

    def prepared(self) -> Prepared:
        lookups = int(self.ends[-1])
        prepared = Prepared(
            contenders=self._contenders(),
            batch=lambda number: self.batches[number % len(self.batches)],
            row_bytes=lookups * ROW_BYTES,
            out_bytes=self.batch * TABLES * ROW_BYTES,
            tolerance=tolerance_of_sums("f32", max(MLPERF_MULTI_HOT)),
            reference=self.reference,
        )
        if reason := fbgemm.why_missing():
            prepared.absent[case.FBGEMM] = reason
        if self.setting.limit:
            rows = sum(len(table) for table in self.tables)
            whole = self.setting.arena.table(torch.float32, rows, MLPERF_LENGTH)
            prepared.limit = LimitRead(
                self.setting.limit,
                whole.view(torch.uint8).numpy(),
                lambda batch: (batch + self.first_rows, self.offsets),
                TABLES * self.batch,
                ROW_BYTES,
            )
        return prepared

    def _contenders(self) -> list[Contender]:
        rows = array("f32", None, MLPERF_LENGTH)
        operation = Bag(
            tables=(rows,) * TABLES,
            indices=array("i64", None),
            segments=array("i64", None),
            out=array("f32", None, TABLES * MLPERF_LENGTH),
        )
        shape = (self.batch, TABLES * MLPERF_LENGTH)
        call = with_new_output(compiled(operation), self.tables, "f32", shape)
        contenders = [
            Contender(case.EMBER, call, lambda batch: (batch, self.offsets)),
            *pytorch_contenders(self._eager, self.table_by_table, self.setting.compiles),
        ]
        if fbgemm.why_missing() is None:
            look_up = fbgemm.bags_of_tables(self.tables, "f32", MLPERF_LENGTH, "sum")
            offsets = torch.from_numpy(self.offsets)
            contenders.append(
                Contender(
                    case.FBGEMM,
                    look_up,
                    lambda batch: (torch.from_numpy(batch), offsets, None),
                )
            )
        return contenders

    def table_by_table(self, batch: NDArray[np.int64]) -> tuple[list[Tensor]]:
        """The indices of each table."""
        indices = torch.from_numpy(batch)
        return ([indices[a:b] for a, b in zip(self.ends[:-1], self.ends[1:], strict=True)],)

    def _eager(self, indices: list[Tensor]) -> Tensor:
        bags = [
            functional.embedding_bag(one, table, offsets, mode="sum", include_last_offset=True)
            for one, table, offsets in zip(indices, self.tables, self.table_offsets, strict=True)
        ]
        return torch.cat(bags, 1)

    def reference(self, batch: NDArray[np.int64]) -> Tensor:
        """The first samples in f64."""
        samples = min(REFERENCE_SAMPLES, self.batch)
        columns = []
        indices_of_tables = self.table_by_table(batch)[0]
        for indices, table, lookups in zip(
            indices_of_tables, self.tables, MLPERF_MULTI_HOT, strict=True
        ):
            rows = table[indices[: samples * lookups]].double()
            columns.append(rows.view(samples, lookups, -1).sum(1))
        return torch.cat(columns, 1)
