"""./run bench stores: outputs that are written past the caches, beside ordinary stores.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import mmap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from ember.compiler import Options
from ember.embed_programs import Bag, Gather, array
from torch import Tensor

from benchmarks.command_line import show_progress
from benchmarks.cpu.arena import Arena
from benchmarks.cpu.document import DocumentTable
from benchmarks.cpu.kernels import Variant, compiled, variant
from benchmarks.cpu.lookups import UNIFORM, Indices, Windows, draw_stream
from benchmarks.cpu.measuring import Batches, Contender, measure
from benchmarks.cpu.setting import use_threads
from benchmarks.cpu.tables import ratio_in_words

MB = 1 << 20
LENGTHS = (16, 128)
OUTPUTS = (1 * MB, 4 * MB, 16 * MB, 32 * MB, 64 * MB)
# In a core's own caches, and in none of them.
TABLES = (MB, 26 * MB)
GATHER, BAGS = "gather", "bags of 2"
REUSED, NEW = "reused memory", "new memory"
ORDINARY, STREAMED = "ordinary", "streamed"
WAYS = {
    ORDINARY: Variant(Options(stream_min_output=0)),
    STREAMED: Variant(Options(stream_min_output=1)),
}
SECONDS = 1.0
TABLE = DocumentTable(
    "stores",
    "how many times as fast a call is that writes its output past the caches, and behind the slash "
    "the call and a program that then reads all of the output",
)
COLUMNS = [(operation, memory) for operation in (GATHER, BAGS) for memory in (REUSED, NEW)]


@dataclass(frozen=True)
class Shape:
    """Rows of f32 that are copied, or added in pairs, from a table to an output; sizes in bytes."""

    length: int
    table: int
    output: int

    @property
    def row_bytes(self) -> int:
        """Bytes of a row, here and there."""
        return 4 * self.length

    @property
    def rows(self) -> int:
        """Rows of the output."""
        return self.output // self.row_bytes


@dataclass(frozen=True)
class Batch:
    """What a call looks up, and where it writes."""

    indices: Indices
    out: Tensor


def new_output(shape: Shape) -> Tensor:
    """Memory that the process has not written to: every page is filled with zeros at first use."""
    memory = mmap.mmap(-1, shape.output)
    return torch.frombuffer(memory, dtype=torch.float32).view(shape.rows, shape.length)


def kernel(operation: str, shape: Shape, table: Tensor) -> Callable[[Batch], Any]:
    """A call of the operation's kernel, made as kernels are made now."""
    rows, ids = array("f32", None, shape.length), array("i64", None)
    if operation == BAGS:
        bags = compiled(Bag(tables=(rows,), indices=ids, segments=ids, out=rows)).bind(table)
        offsets = torch.arange(0, 2 * shape.rows + 1, 2)
        return lambda batch: bags(batch.indices, offsets, batch.out)
    blocks, out = array("i64", None, 1), array("f32", None, 1, shape.length)
    gather = compiled(Gather(source=rows, blocks=blocks, out=out)).bind(table)
    return lambda batch: gather(batch.indices[:, None], batch.out[:, None, :])


def kernels(operation: str, shape: Shape, table: Tensor) -> dict[str, Callable[[Batch], Any]]:
    """The operation's kernels with each kind of stores; raises ValueError if they differ."""
    calls, results = {}, {}
    indices = next(iter(batches(operation, shape)))
    for way, how in WAYS.items():
        token = variant.set(how)
        try:
            calls[way] = kernel(operation, shape, table)
        finally:
            variant.reset(token)
        results[way] = new_output(shape)
        calls[way](Batch(indices, results[way]))
    expected = table[torch.from_numpy(indices)].view(shape.rows, -1, shape.length).sum(1)
    for way, result in results.items():
        if not torch.equal(result, expected):
            raise ValueError(f"{operation}, {shape}: the {way} result is wrong")
    return calls


def batches(operation: str, shape: Shape) -> Windows:
    """Lookups of the operation's calls, which are others in each."""
    count = (2 if operation == BAGS else 1) * shape.rows
    rows = shape.table // shape.row_bytes
    return Windows(draw_stream(UNIFORM, rows, shape.row_bytes, 4 * count, seed=count), count)


def then_read(call: Callable[[Batch], Any], batch: Batch) -> None:
    """The call and a program that reads what it wrote."""
    call(batch)
    batch.out.sum()


def arguments_with(output: Callable[[], Tensor], indices: Indices) -> tuple[Batch]:
    """The argument of a call that writes to such an output."""
    return (Batch(indices, output()),)


def measure_shape(shape: Shape, arena: Arena, seconds: float) -> dict[tuple[str, str], str]:
    """How many times as fast streaming is, alone and with reading, for each of COLUMNS."""
    table = arena.table(torch.float32, shape.table // shape.row_bytes, shape.length)
    found = {}
    reused = new_output(shape)
    for operation in (GATHER, BAGS):
        calls = kernels(operation, shape, table)
        windows = batches(operation, shape)
        outputs: dict[str, Callable[[], Tensor]] = {
            REUSED: lambda: reused,
            NEW: partial(new_output, shape),
        }
        contenders = {
            (memory, way, reads): Contender(
                f"{memory}, {way}, {reads}",
                partial(then_read, call) if reads else call,
                partial(arguments_with, output),
            )
            for memory, output in outputs.items()
            for way, call in calls.items()
            for reads in (False, True)
        }
        times = measure(
            list(contenders.values()), Batches(windows.__getitem__), seconds / len(outputs)
        )
        of = {key: times[one.name] for key, one in contenders.items()}
        for memory in outputs:
            found[operation, memory] = " / ".join(
                ratio_in_words(of[memory, ORDINARY, reads], of[memory, STREAMED, reads])
                for reads in (False, True)
            )
    return found


def shapes() -> Iterator[Shape]:
    """In the order of the table."""
    for table in TABLES:
        for length in LENGTHS:
            for output in OUTPUTS:
                yield Shape(length, table, output)


def main(arguments: Sequence[str]) -> int:
    """Prints the table, and writes it into a document if asked to."""
    options = TABLE.parser(__doc__.splitlines()[0], SECONDS).parse_args(arguments)
    use_threads(1)
    arena = Arena(max(TABLES))
    rows = []
    for shape in shapes():
        show_progress(str(shape))
        cells = measure_shape(shape, arena, options.seconds)
        about = [f"{shape.table // MB} MB", str(shape.length), f"{shape.output // MB} MB"]
        rows.append(about + [cells[column] for column in COLUMNS])
    show_progress("")
    head = ["table", "rows of f32", "output", *(f"{what}, {where}" for what, where in COLUMNS)]
    TABLE.show(TABLE.markdown(head, rows), options.write)
    return 0
