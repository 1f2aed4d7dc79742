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
    "ArgumentError: array 'x' has 1 dimension, not 2",
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


@pytest.fixture
def counted_compiler(tmp_path: Path) -> tuple[Path, Path]:
    """A program that runs emberc, and a file that has a line for each run."""
    runs = tmp_path / "runs"
    compiler = tmp_path / "emberc"
    compiler.write_text(f"#!/bin/sh\necho run >> '{runs}'\nexec '{find_tool('emberc')}' \"$@\"\n")
    compiler.chmod(0o755)
    return compiler, runs


def run_lines(program: Path, *words: str, **variables: str) -> list[str]:
    variables = {"EMBER_COMPILER": str(find_tool("emberc")), **variables}
    return [line.strip() for line in run(program, *words, **variables).splitlines() if line]


def test_booleans(program: Path) -> None:
    assert run_lines(program, "booleans") == ["1 -1 3", "1 1 0", "3 2 6", "0"]


def test_formats(program: Path) -> None:
    assert run_lines(program, "formats") == [
        "1 5 3 10",
        "ArgumentError: 'c_coordinates0' must be i32, which 4294967296 is not",
        "ArgumentError: array 'result' is in the format 'compressed', in which arrays are read"
        " alone here: what is assigned to has no format",
        "ArgumentError: array 'E' is in the format 'int8', whose elements are encoded: statements"
        " in C++ take none, but ember_notation_kernel does",
    ]


def test_sizes_are_checked(program: Path) -> None:
    assert run_lines(program, "sizes") == [
        "ArgumentError: values() of array 'x' has 2 elements, but must have 8",
        "ArgumentError: values() of array 'y' has 1 element, but must have 8",
        *["ArgumentError: array 'z' has more elements than memory may have"] * 3,
    ]


def test_locale_is_not_that_of_statements(program: Path) -> None:
    assert run_lines(program, "locale") == ["12345", "0.5"]


def test_equal_statements_are_compiled_once(
    program: Path, counted_compiler: tuple[Path, Path]
) -> None:
    compiler, runs = counted_compiler
    assert run_lines(program, "variables", EMBER_COMPILER=str(compiler)) == ["4 6", "36"]
    assert len(runs.read_text().splitlines()) == 2


def test_failed_statement_is_compiled_again(program: Path, tmp_path: Path) -> None:
    lines = run_lines(program, "retry", str(tmp_path / "twice.mlir"))
    assert lines[0].startswith("StatementError: ")
    assert lines[1:4] == ["101 102", "2 4", "6.75 6.75"]
    (error,) = lines[4:]
    assert error.startswith("ArgumentError: a statement calls functions of one file, not of '")


def test_forked_process_has_its_own_kernels(program: Path, tmp_path: Path) -> None:
    assert run_lines(program, "fork", TMPDIR=str(tmp_path)) == ["4 5", "2"]
    assert list(tmp_path.glob("ember-*")) == []


@pytest.mark.parametrize("element", ["unsigned", "uint8_t"])
def test_unsigned_elements_are_refused(element: str, tmp_path: Path) -> None:
    source = tmp_path / "unsigned.cpp"
    source.write_text(f'#include <ember/Notation.h>\nember::Array<{element}> x("x", {{2}});\n')
    command = [COMPILER, "-std=c++17", "-fsyntax-only", "-I", ember.include_folder(), source]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    assert done.returncode != 0
    assert "statements have no unsigned integers" in done.stderr


PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(Kernels LANGUAGES CXX)
include("{module}")
find_package(nlohmann_json REQUIRED)
{kernels}
add_executable(program program.cpp)
target_link_libraries(program PRIVATE nlohmann_json::nlohmann_json {names})
"""
FUNCTION = """
cin.function @more(%x: f32) -> f32 {{
  %y = arith.{operation} %x, %x : f32
  cin.return %y : f32
}}
"""


def configure(folder: Path, generator: str, **kernels: str) -> subprocess.CompletedProcess[str]:
    """Configures a project with these kernels, by name and further arguments, and its program."""
    module = Path(__file__).resolve().parents[2] / "cmake" / "EmberNotation.cmake"
    calls = "\n".join(f"ember_notation_kernel({name} {rest})" for name, rest in kernels.items())
    text = PROJECT.format(module=module, kernels=calls, names=" ".join(kernels))
    (folder / "CMakeLists.txt").write_text(text)
    words = ["cmake", "-G", generator, "-S", folder, "-B", folder / "build"]
    words += [f"-DEMBER_COMPILER={find_tool('emberc')}", f"-DCMAKE_CXX_COMPILER={COMPILER}"]
    words += [f"-DEMBER_INCLUDE_DIR={ember.include_folder()}"]
    return subprocess.run(list(map(str, words)), capture_output=True, text=True)


def build_and_run(folder: Path) -> list[str]:
    words = ["cmake", "--build", str(folder / "build")]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return run(folder / "build" / "program").split()


@pytest.mark.parametrize("generator", ["Ninja", "Unix Makefiles"])
def test_texts_and_files_of_kernels(generator: str, tmp_path: Path) -> None:
    lines = """[==[let z[i] = x[i] + 1 # first; z[
y[i] = (z[i]
  * 2) # $HOME "quoted" \\
u[i] = y[i] + 1; v[i] = u[i] + 1]==]"""
    (tmp_path / "more.mlir").write_text(FUNCTION.format(operation="addf"))
    (tmp_path / "program.cpp").write_text("""
#include "lines.h"
#include "more.h"
#include "tiled.h"
#include <iostream>
int main() {
  std::vector<float> x{3}, y(1), u(1), v(1);
  lines(x, y, u, v);
  std::cout << y[0] << " " << u[0] << " " << v[0] << "\\n";
  tiled(x, y, u);
  std::cout << u[0] << "\\n";
  more(x, y);
  std::cout << y[0] << "\\n";
}
""")
    done = configure(
        tmp_path,
        generator,
        lines=lines,
        more='"y[i] = more(x[i])" OPTIONS --functions=more.mlir',
        tiled='"y[i] = x[i]; u[i] = y[i] + 1"'
        ' OPTIONS "--schedule=split(i, i0, i1, 16); split(i, i0, i1, 8)"',
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert build_and_run(tmp_path) == ["8", "9", "10", "4", "6"]
    (tmp_path / "more.mlir").write_text(FUNCTION.format(operation="mulf"))
    assert build_and_run(tmp_path) == ["8", "9", "10", "4", "9"]


def test_names_of_parameters_are_those_of_cpp(tmp_path: Path) -> None:
    (tmp_path / "program.cpp").write_text("""
#include "names.h"
#include <iostream>
int main() {
  std::vector<float> x{3}, y(1);
  names(x, x, x, x, x, y);
  std::cout << y[0] << "\\n";
}
""")
    text = '"y[i] = class[i] + class_[i] + library[i] + int64_t[i] + names[i]"'
    done = configure(tmp_path, "Ninja", names=text)
    assert done.returncode == 0, done.stdout + done.stderr
    assert build_and_run(tmp_path) == ["15"]
    header = (tmp_path / "build" / "names.h").read_text()
    assert "/// class: an array of f32, of 1 dimension.\n" in header


@pytest.mark.parametrize("name", ["dash-name", "class", "ember"])
def test_names_that_no_function_has(name: str, tmp_path: Path) -> None:
    (tmp_path / "program.cpp").write_text("int main() {}\n")
    done = configure(tmp_path, "Ninja", **{name: '"y[i] = x[i]"'})
    assert done.returncode != 0
    assert f"'{name}' cannot be the name of a function" in " ".join(done.stderr.split())


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
