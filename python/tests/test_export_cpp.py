"""Kernels called from C++ by KernelLibrary.h and Export.h, without PyTorch.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import ember
import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
COMPILER = os.environ.get("CXX") or shutil.which("clang++-22") or shutil.which("c++")

pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")

# Rows of a table at any distance, a scalar of each kind, an output of known size.
PROGRAM = """
func.func @scaled(
    %table: memref<?xf32, strided<[?], offset: ?>> {ember.name = "table"},
    %indices: memref<?xi32> {ember.name = "indices"}, %factor: f32 {ember.name = "factor"},
    %shift: i32 {ember.name = "shift"}, %out: memref<3xf32> {ember.name = "out"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = arith.index_cast %shift : i32 to index
  %count = memref.dim %indices, %c0 : memref<?xi32>
  scf.for %i = %c0 to %count step %c1 {
    %stored = memref.load %indices[%i] : memref<?xi32>
    %row = arith.index_cast %stored : i32 to index
    %value = memref.load %table[%row] : memref<?xf32, strided<[?], offset: ?>>
    %scaled = arith.mulf %value, %factor : f32
    %place = arith.addi %i, %first : index
    memref.store %scaled, %out[%place] : memref<3xf32>
  }
  return
}
func.func @made() -> f32 {
  %one = arith.constant 1.0 : f32
  return %one : f32
}
func.func @returned(%n: index, %table: memref<?xf32>) -> (memref<?x2xf32>, memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant 0.5 : f32
  %new = memref.alloc(%n) : memref<?x2xf32>
  scf.for %i = %c0 to %n step %c1 {
    memref.store %half, %new[%i, %c0] : memref<?x2xf32>
    memref.store %half, %new[%i, %c1] : memref<?x2xf32>
  }
  return %new, %table : memref<?x2xf32>, memref<?xf32>
}
"""


def run(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)


def checked(*words: object) -> str:
    done = run(*words)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that calls kernels, compiled as C++17 with its checks of memory."""
    program = tmp_path_factory.mktemp("calls") / "kernel_calls"
    checked(
        COMPILER,
        "-std=c++17",
        "-g",
        "-Wall",
        "-Wextra",
        "-Wpedantic",
        "-Werror",
        "-fsanitize=undefined",
        "-fno-sanitize-recover=all",
        "-I",
        ember.include_folder(),
        Path(__file__).with_name("kernel_calls.cpp"),
        "-o",
        program,
        "-ldl",
        "-pthread",
    )
    return program


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the kernel library, to which a test may do anything."""
    built = ember.load_program(PROGRAM, ember.Options()).path
    path = tmp_path_factory.mktemp("library") / "libscaled.so"
    shutil.copy(built, path)
    shutil.copy(built.with_suffix(".json"), path.with_suffix(".json"))
    return path


@pytest.mark.parametrize(
    ("case", "output"),
    [
        ("plain", "0 2 0.5"),
        ("whole number for a real one", "0 8 2"),
        ("strided", "0 1.5 0.5"),
        ("const", "0 2 0.5"),
        ("at once", "same"),
        ("on a team", "same"),
        ("const output", "ArgumentError: 'out' is written to but is const"),
        ("few arguments", "ArgumentError: scaled takes 5 arguments, not 4"),
        ("other type", "ArgumentError: 'indices' must be i32, not i64"),
        ("named type", "ArgumentError: 'table' must be f32, not bf16"),
        ("other rank", "ArgumentError: 'table' must have 1 dimensions, not 2"),
        ("other size", "ArgumentError: 'out' must have 3 elements in dimension 0, not 2"),
        ("not contiguous", "ArgumentError: 'indices' must be contiguous"),
        ("number for an array", "ArgumentError: 'table' must be an array"),
        ("array for a number", "ArgumentError: 'shift' must be a number"),
        ("fraction", "ArgumentError: 'shift' must be a whole number"),
        ("large number", "ArgumentError: 'shift' must be i32, which 1099511627776 is not"),
        ("negative size", "ArgumentError: an array has the size -4"),
        ("strides of another rank", "ArgumentError: an array has 1 sizes but 2 strides"),
        (
            "bad index",
            "KernelError 1: index 4 at position 1 of 'indices' is out of range for dimension 0 of "
            "'table' of size 4",
        ),
        (
            "results",
            "ArgumentError: returned returns what the kernel allocates: use call(), or give it",
        ),
        ("numbers", "ArgumentError: made returns a number, and not arrays alone"),
        ("returned", "f32 3x2/2,1: 0.5 0.5 0.5 0.5 0.5 0.5 | f32 4/1: 0.5 1 1.5 2"),
    ],
)
def test_calls(case: str, output: str, calls: Path, library: Path) -> None:
    assert checked(calls, library, case).strip().startswith(output)


def test_overlapping_arguments(calls: Path, library: Path) -> None:
    said = checked(calls, library, "overlap")
    assert said.startswith("KernelError 3")
    assert "'out'" in said


def test_libraries_that_cannot_be_used(calls: Path, library: Path, tmp_path: Path) -> None:
    said = checked(calls, library, "other entry")
    assert "no entry 'none' in" in said
    assert said.strip().endswith("there are: made, returned, scaled")
    assert "LibraryError: cannot load" in checked(calls, tmp_path / "libnone.so", "plain")
    path = tmp_path / "libscaled.so"
    shutil.copy(library, path)
    assert "LibraryError: cannot read the manifest" in checked(calls, path, "plain")
    path.with_suffix(".json").write_text("{")
    assert "libscaled.json is damaged" in checked(calls, path, "plain")
    path.with_suffix(".json").write_text('{"entries": [{"name": 3}]}')
    assert "libscaled.json is damaged" in checked(calls, path, "plain")
    manifest = json.loads(library.with_suffix(".json").read_text())
    manifest["entries"][0]["symbol"] = "ember_kernel_none"
    path.with_suffix(".json").write_text(json.dumps(manifest))
    assert "has no symbol ember_kernel_none" in checked(calls, path, "plain")


def test_root_loads_nothing_that_others_may_change(
    calls: Path, library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everybody else loads what the system lets them read."""
    for name in (".so", ".json"):
        shutil.copy(library.with_suffix(name), tmp_path / f"libscaled{name}")
    path = tmp_path / "libscaled.so"
    for file in (path, path.with_suffix(".json"), tmp_path):
        mode = file.stat().st_mode
        file.chmod(0o777)
        said = checked(calls, path, "plain").strip()
        refused = (
            f"LibraryError: {path if file != path.with_suffix('.json') else file} is not loaded: "
            f"anybody may write to '{file}', and root would run its code"
        )
        assert said.startswith(refused) if os.geteuid() == 0 else said == "0 2 0.5"
        with monkeypatch.context() as patch:
            patch.setenv("EMBER_LOAD_ANY_OWNER", "1")
            assert checked(calls, path, "plain").strip() == "0 2 0.5"
        file.chmod(mode)
    assert checked(calls, path, "plain").strip() == "0 2 0.5"


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example's program and its export."""
    if shutil.which("cmake") is None:
        pytest.skip("there is no cmake")
    folder = tmp_path_factory.mktemp("example")
    checked(
        "cmake",
        "-S",
        EXAMPLES / "cpp",
        "-B",
        folder / "build",
        f"-DCMAKE_CXX_COMPILER={COMPILER}",
        f"-DEMBER_INCLUDE_DIR={ember.include_folder()}",
    )
    checked("cmake", "--build", folder / "build")
    subprocess.run(
        [sys.executable, EXAMPLES / "export_embedding_bag.py"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(ember.__file__).parents[1])},
        check=True,
    )
    return folder


def test_the_example_runs_an_exported_bag(example: Path) -> None:
    # Nothing of Python's or PyTorch's.
    linked = checked("ldd", example / "build" / "embedding_bag")
    assert "torch" not in linked
    assert "LLVM" not in linked
    lines = checked(example / "build" / "embedding_bag", example / "bag-export").splitlines()
    # Rows hold row + element: 1 + 20 + 99, the same and 3 times 1, 2 times 7 + 15.
    assert lines[-2] == "sums: 120 123 ... 44"
    assert lines[-1].startswith("error 1: index 100 at position 1 of 'x1'")


def test_folders_that_cannot_be_used_from_cpp(example: Path, tmp_path: Path) -> None:
    program = example / "build" / "embedding_bag"

    def said(**fields: object) -> str:
        folder = tmp_path / "export"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(example / "bag-export", folder)
        path = folder / "export.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))
        done = run(program, folder)
        assert done.returncode == 1
        return done.stderr

    assert "is not an export" in run(program, tmp_path).stderr
    assert "has format 2" in said(format=2)
    assert "are for pdp11" in said(machine="pdp11")
    assert "this processor has not: abacus" in said(needs=["abacus"])
    assert "no kernel 'bag_0'; there are: none" in said(kernels=[])
    assert "export.json is damaged" in said(kernels=7)
