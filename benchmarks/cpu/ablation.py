"""./run bench ablation: the same cases with one optimisation after the other switched off.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from ember.compiler import Options
from ember.embed_programs import SDDMM, Bag, SpMM, array
from ember.models.tables import MLPERF_LENGTH
from torch import Tensor

from benchmarks.command_line import show_progress
from benchmarks.cpu.agreement import disagreements
from benchmarks.cpu.arena import Arena
from benchmarks.cpu.bag_cases import BagCase
from benchmarks.cpu.case import EMBER, Case
from benchmarks.cpu.document import DocumentTable
from benchmarks.cpu.graph_cases import GraphCase
from benchmarks.cpu.graphs import find_graph
from benchmarks.cpu.kernels import Variant, compiled, variant, with_new_output
from benchmarks.cpu.lookups import UNIFORM
from benchmarks.cpu.measuring import Batches, Contender, Timing, measure
from benchmarks.cpu.model_cases import TablesCase, TablesWork
from benchmarks.cpu.rows import torch_type
from benchmarks.cpu.score_cases import ScoreCase
from benchmarks.cpu.setting import Setting, use_threads
from benchmarks.cpu.suite import ARENA_BYTES
from benchmarks.cpu.tables import DASH, ratio_in_words, time_in_words

UNFUSED = "fusion"
OFF = {
    "prefetches": Variant(Options(prefetch_distance=0)),
    "unrolling": Variant(Options(unroll=False)),
    "known lengths": Variant(known_lengths=False),
}
COLUMNS = (*OFF, UNFUSED)
# Of the cases' tables.
LARGE, SMALL = 2_500_000_000, 256_000
SIZES = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
SECONDS = 2.0
TABLE = DocumentTable(
    "ablation",
    "the time of a call, and how many times as long it takes without one optimisation",
)


def cases() -> list[Case]:
    """Cases that differ in what binds them: memory, caches, computing, calls."""
    return [
        BagCase("bag", "sum", "f32", 64, LARGE, UNIFORM, 256),
        BagCase("bag", "sum", "bf16", 64, LARGE, UNIFORM, 256),
        BagCase("bag", "sum", "f32", 16, LARGE, UNIFORM, 256),
        BagCase("bag", "sum", "f32", 64, SMALL, UNIFORM, 256),
        BagCase("bag", "max", "f16", 128, SMALL, UNIFORM, 256),
        BagCase("bag", "sum", "int8", 64, LARGE, UNIFORM, 256),
        TablesCase("tables", 1),
        TablesCase("tables", 64),
        GraphCase("spmm", "spmm sum", "products/64", 64),
        GraphCase("message", "message", "products/64", 64),
        ScoreCase("score", "distmult", 128, 1_000_000, 4096),
    ]


@dataclass(frozen=True)
class Row:
    """A case: times of a call with everything on, and with each optimisation off."""

    title: str
    whole: Timing
    without: dict[str, Timing]


def unfused(case: Case, setting: Setting) -> Callable[..., Any] | None:
    """A call of several kernels that hand over what one kernel keeps; None where there is one."""
    if isinstance(case, TablesCase):
        return _table_by_table(case, setting)
    if isinstance(case, GraphCase) and case.operation == "message":
        return _edges_then_nodes(case)
    return None


def _table_by_table(case: TablesCase, setting: Setting) -> Callable[..., Any]:
    """A call for each table, whose results are then concatenated."""
    work = TablesWork(case.batch, setting)
    rows, ids = array("f32", None, MLPERF_LENGTH), array("i64", None)
    entry = compiled(Bag(tables=(rows,), indices=ids, segments=ids, out=rows))
    calls = [entry.bind(table) for table in work.tables]
    outputs = [torch.empty((case.batch, MLPERF_LENGTH)) for _ in calls]

    def call(batch: Any, _offsets: Any) -> Tensor:
        (indices,) = work.table_by_table(batch)
        for one, ids, offsets, out in zip(calls, indices, work.table_offsets, outputs, strict=True):
            one(ids, offsets, out)
        return torch.cat(outputs, 1)

    return call


def _edges_then_nodes(case: GraphCase) -> Callable[..., Any]:
    """The values of all edges first, then sums weighted by them."""
    graph = find_graph(case.graph)
    rows, ids, values = (
        array(case.value, None, case.length),
        array("i32", None),
        array(case.value, None),
    )
    constant = [graph.positions, graph.columns]
    products = compiled(SDDMM(rows=ids, columns=ids, left=rows, right=rows, out=values))
    sums = compiled(SpMM(rows=ids, columns=ids, values=values, dense=rows, out=rows))
    weights = with_new_output(products, constant, case.value, (graph.edges,))
    add = sums.bind(*constant)

    def call(dense: Tensor, *_: Tensor) -> Tensor:
        out = torch.empty((graph.nodes, case.length), dtype=torch_type(case.value))
        add(weights(dense, dense), dense, out)
        return out

    return call


def measure_case(
    case: Case, setting: Setting, seconds: float, ways: Mapping[str, Variant] = OFF
) -> Row:
    """Times a case with everything on and in other ways, in turns.

    Raises ValueError if one of them computes something else.
    """
    prepared = case.prepare(setting)
    whole = next(one for one in prepared.contenders if one.name == EMBER)
    contenders = [whole]
    for name, way in ways.items():
        if isinstance(case, TablesCase) and not way.known_lengths:
            continue
        token = variant.set(way)
        try:
            other = next(one for one in case.prepare(setting).contenders if one.name == EMBER)
        finally:
            variant.reset(token)
        contenders.append(replace(whole, name=name, call=other.call))
    if call := unfused(case, setting):
        contenders.append(Contender(UNFUSED, call, whole.arguments))
    prepared.contenders = contenders
    if wrong := disagreements(prepared):
        name, why = next(iter(wrong.items()))
        raise ValueError(f"{case.group}, without {name}: {why}")
    times = measure(contenders, Batches(prepared.batch), seconds)
    title = f"{case.group}: " + ", ".join(_factor(*one) for one in case.factors.items() if one[1])
    return Row(title, times.pop(EMBER), times)


def _factor(name: str, value: Any) -> str:
    if name == "table_bytes":
        return next(f"{value / size:g} {unit}" for size, unit in SIZES if value >= size)
    return value if isinstance(value, str) else f"{name.replace('_', ' ')} {value}"


def markdown(rows: Sequence[Row]) -> str:
    """The table as documents have it."""
    cells = [
        [
            row.title,
            time_in_words(row.whole),
            *(
                ratio_in_words(row.without[name], row.whole) if name in row.without else DASH
                for name in COLUMNS
            ),
        ]
        for row in rows
    ]
    return TABLE.markdown(["case", "all on", *(f"without {name}" for name in COLUMNS)], cells)


def main(arguments: Sequence[str]) -> int:
    """Runs the ablation; 1 if a result was wrong."""
    parser = TABLE.parser(__doc__.splitlines()[0], SECONDS)
    parser.add_argument("--only", metavar="TEXT", default="", help="only cases of such groups")
    options = parser.parse_args(arguments)
    use_threads(1)
    setting = Setting(Arena(ARENA_BYTES), None, compiles=False)
    rows = []
    for case in cases():
        if options.only in case.group:
            show_progress(f"{case.group}: {case.factors}")
            try:
                rows.append(measure_case(case, setting, options.seconds))
            except ValueError as error:
                print(f"error: {error}", file=sys.stderr)
                return 1
    show_progress("")
    TABLE.show(markdown(rows), options.write)
    return 0
