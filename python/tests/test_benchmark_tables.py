"""The tables of documents that commands write: what optimisations are worth, stores, rows.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from benchmarks.cpu import ablation, bag_cases, long_rows, stores
from benchmarks.cpu.arena import Arena
from benchmarks.cpu.document import DocumentTable
from benchmarks.cpu.graph_cases import GraphCase
from benchmarks.cpu.measuring import Timing
from benchmarks.cpu.setting import Setting
from benchmarks.notation import lookups, tiles

PAGE = Path(__file__).resolve().parents[2] / "docs" / "performance.md"


@pytest.mark.parametrize(
    ("case", "off"),
    [
        (bag_cases.BagCase("bag", "sum", "f32", 16, 64_000, "uniform", 4), set(ablation.OFF)),
        (bag_cases.BagCase("bag", "sum", "int4", 32, 64_000, "uniform", 4), set(ablation.OFF)),
        (GraphCase("message", "message", "roadNet-CA/32", 16), set(ablation.COLUMNS)),
    ],
    ids=["bag", "int4", "message"],
)
def test_an_ablation_switches_off_what_it_says(case: Any, off: set[str]) -> None:
    setting = Setting(Arena(8_000_000), None, compiles=False)
    row = ablation.measure_case(case, setting, 0.01)
    assert row.whole.median > 0
    assert set(row.without) == off


def test_an_ablation_compares_results(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ablation, "unfused", lambda *_: lambda *_: torch.zeros(4, 16))
    setting = Setting(Arena(1_000_000), None, compiles=False)
    case = bag_cases.BagCase("bag", "sum", "f32", 16, 64_000, "uniform", 4)
    with pytest.raises(ValueError, match="without fusion: differs from the formula"):
        ablation.measure_case(case, setting, 0.01)


def test_the_table_of_an_ablation() -> None:
    whole, without = Timing(2e-3, 1.9e-3, 2.1e-3, 9, 1), Timing(3e-3, 1e-3, 4e-3, 9, 1, dropped=2)
    text = ablation.markdown([ablation.Row("a case", whole, {"prefetches": without})])
    assert "| a case | 2 ms ±5% | 1.50 ±50% -2? | - | - | - |" in text
    assert "± is half the distance of their quartiles" in text


@pytest.mark.parametrize(
    ("table", "document"),
    [
        (ablation.TABLE, PAGE),
        (stores.TABLE, PAGE),
        (long_rows.TABLE, PAGE),
        (tiles.TABLE, PAGE.parent / "rationale" / "cin.md"),
        (lookups.TABLE, PAGE.parent / "rationale" / "cin.md"),
    ],
)
def test_a_table_replaces_the_one_in_a_document(
    table: DocumentTable, document: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.md"
    page.write_text(document.read_text())
    text = table.markdown(["one", "two"], [["1", "2"], ["3", "4"]])
    assert "| one | two |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |" in text
    table.write(page, text)
    before, after = document.read_text().split("\n"), page.read_text().split("\n")
    assert page.read_text().count(text) == 1
    assert before[: before.index(table.begin)] == after[: after.index(table.begin)]
    assert before[before.index(table.end) :] == after[after.index(table.end) :]
    with pytest.raises(ValueError, match=r"no table of '\./run bench other'"):
        DocumentTable("other", "").write(page, text)


@pytest.mark.parametrize("length", [16, 20])
def test_stores_of_each_kind_are_compared(length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of 20 elements do not all begin with cache lines, and are stored as usual."""
    shape = stores.Shape(length, 8 * length * 10, 4 * length * 50)
    arena = Arena(shape.table)
    cells = stores.measure_shape(shape, arena, 0.01)
    assert list(cells) == stores.COLUMNS
    for ratio in (one for cell in cells.values() for one in cell.split(" / ")):
        number, spread = ratio.split(" ", 1)
        assert float(number) > 0
        assert spread.startswith("±")
    real = stores.kernel
    monkeypatch.setattr(
        stores, "kernel", lambda *how: lambda batch: (real(*how)(batch), batch.out[-1:].add_(1))
    )
    with pytest.raises(ValueError, match="the ordinary result is wrong"):
        stores.measure_shape(shape, arena, 0.01)


def test_new_memory_is_new() -> None:
    shape = stores.Shape(4, 16, 1 << 16)
    first, second = stores.new_output(shape), stores.new_output(shape)
    first.fill_(1)
    assert first.shape == (4096, 4)
    assert not second.any()


def test_strips_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    bags = long_rows.Bags("f32", 256, 64_000, 10)
    arena = Arena(bags.table)
    strips, whole = long_rows.measure_bags(bags, arena, 0.01)
    assert strips.median > 0
    assert whole.median > 0
    real = long_rows.call_of
    outputs = iter((0.0, 1.0))

    def other(*how: Any) -> Any:
        call, more = real(*how), next(outputs)
        return lambda indices: call(indices) + more

    monkeypatch.setattr(long_rows, "call_of", other)
    with pytest.raises(ValueError, match="strips have another result"):
        long_rows.measure_bags(replace(bags, each=2), arena, 0.01)


def test_panels_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that are narrower than the matrix."""
    product = tiles.Product(30, 20, 4, 160)
    times = tiles.measure_product(product, 0.01)
    assert set(times) == {tiles.WHOLE, "64", "128"}
    monkeypatch.setattr(tiles, "PRODUCTS", (product,))
    ((name, width, _, *cells),) = tiles.rows_of_the_table(0.01)
    assert (name, width) == ("30 x 20, 4 in a row", "160")
    assert [bool(cell) for cell in cells] == [True, True, False, False]


def test_lists_are_merged_and_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each statement of the table, with results compared."""
    few = [replace(rows, shape=(24, 24)) for rows in lookups.STATEMENTS]
    monkeypatch.setattr(lookups, "STATEMENTS", [few[0], few[3], *few[6:]])
    monkeypatch.setattr(lookups, "LENGTHS", (1, 4))
    rows = list(lookups.rows_of_the_table(0.01))
    assert [row[0] for row in rows] == [one.name for one in lookups.STATEMENTS]
    assert all(len(row) == 5 and all(row) for row in rows)


def test_the_commands_write_their_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE.read_text())
    monkeypatch.setattr(stores, "shapes", lambda: [stores.Shape(16, 640, 1 << 20)])
    monkeypatch.setattr(long_rows, "ROWS", (("f64", 256),))
    monkeypatch.setattr(long_rows, "TABLES", (64_000,))
    for command, cells in ((stores, "| 0 MB | 16 | 1 MB |"), (long_rows, "| 256 f64 | 0.064 MB |")):
        assert command.main(["--write", str(page), "--seconds", "0.01"]) == 0
        assert cells in capsys.readouterr().out
        assert cells in page.read_text()
