"""The tables of stages and targets: Python's copy, the pages and --help say what the compiler does.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import re
import subprocess
from pathlib import Path

import pytest
from ember.compiler import find_tool
from ember.stages import STAGES, TARGETS
from ember.tables import FILE

DOCS = Path(__file__).resolve().parents[2] / "docs"


def emberc(*words: str) -> str:
    """What emberc prints."""
    command = [str(find_tool("emberc")), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def rows(page: str, title: str) -> list[list[str]]:
    """The cells of the table on a page whose first column has that title."""
    match = re.search(
        rf"^\| {title} \|[^\n]*\n\|[-| ]*\n((?:\|[^\n]*\n)*)",
        (DOCS / page).read_text(),
        re.MULTILINE,
    )
    assert match, f"{page} has no table of {title}"
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in match[1].splitlines()]


def codes(cell: str) -> list[str]:
    """What is set as code in a cell."""
    return re.findall(r"`([^`]*)`", cell)


def test_python_has_the_compilers_tables() -> None:
    printed = emberc("--print-tables")
    assert printed == FILE.read_text(), "build/bin/emberc --print-tables > python/ember/tables.json"
    tables = json.loads(printed)
    assert [row["name"] for row in tables["stages"]] == [stage.name for stage in STAGES]
    assert [row["name"] for row in tables["targets"]] == list(TARGETS)


def test_every_stage_comes_from_one_before_it() -> None:
    before: list[str] = []
    for stage in STAGES:
        assert stage.is_program == bool(stage.made_from or not before)
        assert stage.made_from in ("", *before)
        before.append(stage.name)
    assert {target.stage for target in TARGETS.values()} <= {
        stage.name for stage in STAGES if stage.is_program
    }


def test_names_are_shown_once() -> None:
    shown = [name for stage in STAGES for name in stage.shown_as]
    assert len(shown) == len(set(shown))


def test_the_page_on_levels_has_all_stages_and_targets() -> None:
    page = {name: row for row in rows("levels.md", "stage") for name in codes(row[0])}
    assert list(page) == [stage.name for stage in STAGES]
    for stage in STAGES:
        _, level, made_from, *_ = page[stage.name]
        assert level == stage.level
        if stage.made_from:
            assert codes(made_from) == [stage.made_from]
    targets = {codes(row[0])[0]: codes(row[1])[0] for row in rows("levels.md", "target")}
    assert targets == {target.name: target.stage for target in TARGETS.values()}
    levels = [re.sub(r"\[(.*)\].*", r"\1", row[0]) for row in rows("levels.md", "level")]
    assert levels == list(dict.fromkeys(stage.level for stage in STAGES if stage.is_program))


def test_the_page_on_kernels_has_all_stages_and_targets() -> None:
    options = [codes(row[0]) for row in rows("kernels.md", "option")]
    targets = [words[0] for words in options if words[0].startswith("--target=")]
    assert targets == [f"--target={name}" for name in TARGETS]
    (stages,) = (words for words in options if words[0].startswith("--emit="))
    assert [word.removeprefix("--emit=") for word in stages] == [stage.name for stage in STAGES]


def test_the_page_on_inspection_has_all_names() -> None:
    page = [codes(row[0]) for row in rows("inspecting.md", "level")]
    for names, stage in zip(page, [stage for stage in STAGES if not stage.binary], strict=True):
        assert names[0] == stage.shown_as[0]
        assert set(names) <= set(stage.shown_as)


def test_help_lists_stages_and_targets_with_their_summaries() -> None:
    text = emberc("--help")
    for row in (*STAGES, *TARGETS.values()):
        assert re.search(rf"^  {row.name} +{re.escape(row.summary)}$", text, re.MULTILINE)


def on_the_way_to_code() -> list[str]:
    """Stages that some target's code is made from, and those before them."""
    made_from = {stage.name: stage.made_from for stage in STAGES}
    names: list[str] = []
    for target in TARGETS.values():
        name = target.stage
        while name and name not in names:
            names.append(name)
            name = made_from[name]
    return names


@pytest.mark.parametrize("name", on_the_way_to_code())
def test_a_program_of_a_stage_may_be_given_again(name: str) -> None:
    """Going on from a stage gives what going there at once gives."""
    program = DOCS.parent / "test" / "tools" / "Inputs" / "embed-bag.mlir"
    text = emberc(str(program), f"--emit={name}")
    again = subprocess.run(
        [str(find_tool("emberc")), "-", "--emit=llvm"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "define " in again
