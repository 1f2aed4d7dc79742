"""Statements of C++ programs, by Notation.h.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import shutil
import subprocess
from pathlib import Path

import ember
import pytest
from ember.compiler import find_tool

COMPILER = os.environ.get("CXX") or shutil.which("clang++-22") or shutil.which("c++")
FLAGS = ["-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsanitize=undefined"]
RESULTS = [
    "9 0 6",
    "30.5 -1 20",
    "32.5 3 24",
    "2 3 4",
    "1 0 9",
    "6",
]
ERRORS = [
    "ArgumentError: array 'x' has 1 dimensions, not 2",
    "several values of p may assign to one element",
    "KernelError: index 9 at position 2 of 'I' is out of range for dimension 0 of 'y' of size 3",
    "ArgumentError: two arrays of a statement are called 'x'",
    "ArgumentError: array 'B' needs positions1, which were not given by getPart",
    "have different sizes",
]

pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("statements") / "statements"
    source = Path(__file__).with_name("notation_statements.cpp")
    include = ember.include_folder()
    command = [COMPILER, *FLAGS, "-I", include, source, "-o", made, "-ldl", "-pthread"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return made


def run(program: Path, *words: str, **variables: str) -> str:
    done = subprocess.run(
        [program, *words], capture_output=True, text=True, env={**os.environ, **variables}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_statements(program: Path) -> None:
    said = run(program, EMBER_COMPILER=str(find_tool("emberc")))
    lines = [line.strip() for line in said.splitlines()]
    assert lines[: len(RESULTS)] == RESULTS
    for error in ERRORS:
        assert error in said
    assert "no error" not in said


def test_kernels_ahead_of_time(tmp_path: Path) -> None:
    example = Path(__file__).resolve().parents[2] / "examples" / "notation"
    definitions = {
        "EMBER_COMPILER": find_tool("emberc"),
        "EMBER_INCLUDE_DIR": ember.include_folder(),
        "CMAKE_CXX_COMPILER": COMPILER,
    }
    for words in (
        ["cmake", "-S", example, "-B", tmp_path, *(f"-D{k}={v}" for k, v in definitions.items())],
        ["cmake", "--build", tmp_path],
        [tmp_path / "spmv"],
    ):
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip() == "9 0 6"
    header = (tmp_path / "spmv.h").read_text()
    assert "inline void spmv(int64_t A_size0, int64_t A_size1," in header
    assert "const ember::Argument &y)" in header


def test_no_compiler(program: Path) -> None:
    said = run(program, "again", EMBER_COMPILER="/nowhere/emberc")
    assert said.startswith("LibraryError: there is no compiler '/nowhere/emberc'")
