"""Runs the code in the documentation, so that it stays true.

In a page, a fenced block whose first line says "run" is a program:

    ```sh run        ```python run

A block marked "output" shows what the program before it prints; a line "..." in it stands for any
number of lines, and in a block of mlir names of values may differ. A block marked "of=FILE" is an
excerpt of that file, in the same notation.
The blocks of a page run in order, in one folder that starts as a copy of examples/.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from ember.compiler import find_tool
from preloaded import run_python

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHELL = ["bash", "-euo", "pipefail", "-c"]


@dataclass
class Block:
    """A fenced block: its language, the words behind it, its text and the line it begins at."""

    language: str
    marks: list[str]
    text: str
    line: int

    @property
    def file(self) -> str | None:
        """The file that the block is an excerpt of."""
        return next((mark[3:] for mark in self.marks if mark.startswith("of=")), None)


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text()
    return [
        Block(match[1], match[2].split(), match[3], text.count("\n", 0, match.start()) + 1)
        for match in FENCE.finditer(text)
    ]


def pages_with_programs() -> list[str]:
    """The pages, relative to the root, that have something to check."""
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md")]
    return sorted(
        str(page.relative_to(ROOT))
        for page in pages
        if any("run" in block.marks or block.file for block in blocks(page))
    )


def lines_of(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\n").split("\n")]


def without_names(program: str) -> str:
    """MLIR whose values have lost their names, which change with any pass before."""
    return re.sub(r"%[\w$.-]+(?:#\d+)?", "%", program)


def matches(shown: str, actual: str, whole: bool) -> bool:
    """Whether a block shows a text; lines "..." stand for any lines, and so, unless whole, do
    the beginning and the end."""
    anything = r"(?:[^\n]*\n)*?"
    pattern = "".join(
        anything if line.strip() == "..." else re.escape(line) + r"\n" for line in lines_of(shown)
    )
    if not whole:
        pattern = anything + pattern + anything
    return re.fullmatch(pattern, "\n".join(lines_of(actual)) + "\n") is not None


def environment() -> dict[str, str]:
    """What a reader has after './run setup' and putting both folders of programs on the PATH."""
    folders = [str(find_tool("emberc").parent), str(Path(sys.executable).parent)]
    return {
        **os.environ,
        "PATH": os.pathsep.join([*folders, os.environ["PATH"]]),
        "PYTHONPATH": str(ROOT / "python"),
        "EMBER_BIN_DIR": folders[0],
    }


def run_block(block: Block, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Runs a program in a folder."""
    if block.language == "python":
        return run_python(block.text, folder, environment())
    assert block.language == "sh"
    command = [*SHELL, block.text]
    return subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, check=False
    )


def test_every_example_is_run_by_a_page() -> None:
    run = "\n".join(
        block.text
        for name in pages_with_programs()
        for block in blocks(ROOT / name)
        if "run" in block.marks
    )
    for program in (ROOT / "examples").glob("*.py"):
        assert re.search(rf"\b{program.stem}\b", run), f"no page runs {program.name}"


def test_the_tests_that_pages_name_are_there() -> None:
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        for name in re.findall(r"\btest_\w+\.py\b", page.read_text()):
            assert (ROOT / "python" / "tests" / name).is_file(), f"{page}: there is no {name}"


@pytest.mark.parametrize("name", pages_with_programs())
def test_programs_of_a_page_print_what_it_shows(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "examples"
    shutil.copytree(ROOT / "examples", folder)
    output: str | None = None
    for block in blocks(ROOT / name):
        place = f"{name}:{block.line}"
        if "run" in block.marks:
            done = run_block(block, folder)
            assert done.returncode == 0, f"{place}: {done.stderr}"
            output = done.stdout
        elif "output" in block.marks:
            assert output is not None, f"{place}: there is no program before it"
            simplify = without_names if block.language == "mlir" else str
            assert matches(simplify(block.text), simplify(output), whole=True), (
                f"{place}: the output is\n{output}"
            )
        elif block.file:
            text = (folder / block.file).read_text()
            assert matches(block.text, text, whole=False), f"{place}: {block.file} is\n{text}"


@pytest.mark.parametrize("name", ["README.md", "docs/tutorial.md", "examples/README.md"])
def test_the_pages_to_begin_with_have_programs(name: str) -> None:
    assert name in pages_with_programs()


def test_excerpts_may_leave_lines_out() -> None:
    text = "one\ntwo\nthree\n"
    assert matches("one\n...\nthree\n", text, whole=True)
    assert matches("two\n", text, whole=False)
    assert not matches("two\n", text, whole=True)
    assert not matches("three\n...\none\n", text, whole=False)
