"""Cases on graphs: products with their matrix, and fused message passing.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from ember.embed_programs import Message, SpMM, array
from torch import Tensor

from benchmarks.cpu import case
from benchmarks.cpu.agreement import tolerance_of_sums
from benchmarks.cpu.arena import Arena
from benchmarks.cpu.case import Prepared
from benchmarks.cpu.graphs import Graph, find_graph
from benchmarks.cpu.kernels import compiled, with_new_output
from benchmarks.cpu.limit import LimitRead, RowSize
from benchmarks.cpu.measuring import Contender
from benchmarks.cpu.rows import torch_type
from benchmarks.cpu.setting import Setting

REFERENCE_ROWS = 16
# Feature matrices that the batches take in turn.
MOST_FEATURES = 8
# What torch.sparse.mm calls reductions.
TORCH_REDUCTIONS = {"mean": "mean", "max": "amax"}
INDEX = array("i32", None)


@dataclass(frozen=True)
class GraphCase:
    """An operation on all edges of a graph: spmm sum, mean or max, or message (sum, mul)."""

    group: str
    operation: str
    graph: str
    length: int
    value: str = "f32"

    @property
    def factors(self) -> Mapping[str, Any]:
        return {name: field for name, field in vars(self).items() if name != "group"}

    def limit_sizes(self) -> Sequence[RowSize]:
        return [RowSize(self.length * torch_type(self.value).itemsize, 4)]

    def prepare(self, setting: Setting) -> Prepared:
        graph = find_graph(self.graph)
        features = _features(setting.arena, graph.nodes, self)
        edge_values = torch.ones(graph.edges, dtype=torch_type(self.value))
        is_message = self.operation == "message"
        make = _message_contenders if is_message else _spmm_contenders
        row = features[0].shape[1] * features[0].element_size()
        terms = graph.most_neighbours * (self.length if is_message else 1)
        prepared = Prepared(
            contenders=make(self, graph, edge_values),
            batch=lambda number: features[number % len(features)],
            row_bytes=(graph.edges + (graph.nodes if is_message else 0)) * row,
            out_bytes=graph.nodes * row,
            tolerance=tolerance_of_sums(self.value, terms),
            reference=lambda dense: _reference(self, graph, dense),
        )
        prepared.absent[case.COMPILED] = "sparse tensors are not compiled"
        if setting.limit:
            table = features[0].view(torch.uint8).numpy()
            offsets = graph.positions.astype(np.int64)
            prepared.limit = LimitRead(
                setting.limit, table, lambda dense: (graph.columns, offsets), graph.nodes, row
            )
        return prepared


def _features(arena: Arena, nodes: int, of: GraphCase) -> list[Tensor]:
    """Feature matrices (nodes, length), one behind the other in the arena."""
    dtype = torch_type(of.value)
    size = nodes * of.length * dtype.itemsize
    count = max(1, min(MOST_FEATURES, arena.size // size))
    return [arena.table(dtype, nodes, of.length, start=k * size) for k in range(count)]


def _sparse(graph: Graph, values: Tensor, index: torch.dtype = torch.int32) -> Tensor:
    """The graph's matrix in PyTorch; its sums are fastest with int32, its other reductions need
    int64."""
    positions, columns = (torch.from_numpy(a).to(index) for a in (graph.positions, graph.columns))
    with warnings.catch_warnings():
        # That CSR tensors are new, and that their invariants are not checked.
        warnings.simplefilter("ignore")
        return torch.sparse_csr_tensor(positions, columns, values, (graph.nodes, graph.nodes))


def _alone(dense: Tensor) -> tuple[Tensor]:
    return (dense,)


def _spmm_contenders(of: GraphCase, graph: Graph, values: Tensor) -> list[Contender]:
    reduction = of.operation.removeprefix("spmm ")
    rows = array(of.value, None, of.length)
    operation = SpMM(
        rows=INDEX,
        columns=INDEX,
        values=array(of.value, None),
        dense=rows,
        out=rows,
        reduction=reduction,
    )
    constant = [graph.positions, graph.columns, values]
    call = with_new_output(compiled(operation), constant, of.value, (graph.nodes, of.length))
    contenders = [Contender(case.EMBER, call, _alone)]
    if reduction == "sum":
        from scipy import sparse

        matrix = _sparse(graph, values)
        contenders.append(Contender(case.TORCH_SPARSE, lambda dense: matrix @ dense, _alone))
        arrays = (values.numpy(), graph.columns, graph.positions)
        scipy_matrix = sparse.csr_array(arrays, shape=(graph.nodes, graph.nodes))
        contenders.append(
            Contender(
                case.SCIPY,
                lambda dense: torch.from_numpy(scipy_matrix @ dense),
                lambda dense: (dense.numpy(),),
            )
        )
    else:
        name = TORCH_REDUCTIONS[reduction]
        wide = _sparse(graph, values, torch.int64)
        reduce: Callable[..., Tensor] = torch.sparse.mm
        contenders.append(
            Contender(case.TORCH_SPARSE, lambda dense: reduce(wide, dense, name), _alone)
        )
    return contenders


def _message_contenders(of: GraphCase, graph: Graph, values: Tensor) -> list[Contender]:
    rows = array(of.value, None, of.length)
    operation = Message(rows=INDEX, columns=INDEX, left=rows, right=rows, messages=rows, out=rows)
    constant = [graph.positions, graph.columns]
    call = with_new_output(compiled(operation), constant, of.value, (graph.nodes, of.length))
    matrix = _sparse(graph, values)

    def two_steps(dense: Tensor) -> Tensor:
        values: Tensor = torch.sparse.sampled_addmm(matrix, dense, dense.t(), beta=0.0)
        return values @ dense

    return [
        Contender(case.EMBER, call, lambda dense: (dense, dense, dense)),
        Contender(case.TORCH_SPARSE, two_steps, _alone),
    ]


def _reference(of: GraphCase, graph: Graph, dense: Tensor) -> Tensor:
    """The first rows, by the formula in f64."""
    results = []
    for row in range(min(REFERENCE_ROWS, graph.nodes)):
        columns = torch.from_numpy(graph.columns[graph.positions[row] : graph.positions[row + 1]])
        terms = dense[columns.long()].double()
        if of.operation == "message":
            terms = terms * (terms @ dense[row].double())[:, None]
        if not len(terms):
            results.append(terms.new_zeros(of.length))
        elif of.operation == "spmm max":
            results.append(terms.amax(0))
        elif of.operation == "spmm mean":
            results.append(terms.mean(0))
        else:
            results.append(terms.sum(0))
    return torch.stack(results)
