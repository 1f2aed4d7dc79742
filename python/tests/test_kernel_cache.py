"""The kernel cache as Python uses it: reuse, damage, folders that cannot be written, races.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import ember
import pytest
from ember import cache, compiler, log, places
from ember.bag_programs import BagShape, bag_program

PROGRAM = bag_program(BagShape(8))
OPTIONS = ember.Options()


@pytest.fixture
def count_builds(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The calls of emberc."""
    calls: list[Any] = []
    run = compiler.run_compiler

    def counted(text: str, arguments: Any) -> str:
        calls.append(arguments)
        return run(text, arguments)

    monkeypatch.setattr(compiler, "run_compiler", counted)
    return calls


def forget_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a new process would start."""
    monkeypatch.setattr(compiler, "_loaded", {})


def test_a_second_process_does_not_compile(
    empty_cache: Path, count_builds: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    ember.load_program(PROGRAM, OPTIONS)
    forget_libraries(monkeypatch)
    ember.load_program(PROGRAM, OPTIONS)
    assert len(count_builds) == 1
    ember.load_program(PROGRAM, ember.Options(opt_level=1))
    assert len(count_builds) == 2


@pytest.mark.parametrize("damage", ["entry", "manifest", "library"])
def test_damage_leads_to_another_build(
    damage: str, empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = ember.load_program(PROGRAM, OPTIONS)
    forget_libraries(monkeypatch)
    if damage == "entry":
        next((empty_cache / "index").iterdir()).write_bytes(b"\xff\x00nonsense")
    elif damage == "manifest":
        library.path.with_suffix(".json").unlink()
    else:
        library.path.unlink()
    assert "embedding_bag" in ember.load_program(PROGRAM, OPTIONS).entries


def test_a_bounded_cache_drops_the_least_recently_used(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBER_CACHE_SIZE", "1")
    libraries = [ember.load_program(PROGRAM, ember.Options(opt_level=n)).path for n in (0, 1)]
    assert all(library.exists() for library in libraries), "used a moment ago"
    for library in libraries:
        os.utime(library.with_name("complete.json"), (1, 1))
    forget_libraries(monkeypatch)
    ember.load_program(PROGRAM, ember.Options(opt_level=1))
    third = ember.load_program(PROGRAM, ember.Options(opt_level=2))
    assert [library.exists() for library in libraries] == [False, True]
    assert third.path.exists()
    assert len(list((empty_cache / "index").iterdir())) == 2
    ember.load_program(PROGRAM, ember.Options(opt_level=0))
    assert libraries[0].exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written_to(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "_warned", set())
    empty_cache.mkdir()
    empty_cache.chmod(0o500)
    with pytest.warns(RuntimeWarning, match="new kernels cannot be kept in"):
        library = ember.load_program(PROGRAM, OPTIONS)
    assert "embedding_bag" in library.entries
    assert not library.path.exists()
    assert not list(empty_cache.iterdir())


def test_a_file_where_the_folder_should_be(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "_warned", set())
    empty_cache.write_text("")
    with pytest.warns(RuntimeWarning, match="is not used: it is no folder"):
        library = ember.load_program(PROGRAM, OPTIONS)
    assert "embedding_bag" in library.entries
    assert library.path.is_relative_to(cache.folder())


def test_processes_share_a_cache_and_do_not_disturb_each_other(empty_cache: Path) -> None:
    script = (
        "import ember; from ember.bag_programs import BagShape, bag_program;"
        "print(sorted(ember.load_program(bag_program(BagShape(9)), ember.Options()).entries))"
    )
    environment = dict(os.environ, PYTHONPATH=str(Path(ember.__file__).parents[1]))
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", script], env=environment, stdout=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    outputs = [process.communicate(timeout=120)[0].strip() for process in processes]
    assert outputs == ["['embedding_bag']"] * len(processes)
    assert all(process.returncode == 0 for process in processes)


def test_the_compiler_is_looked_for_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBER_BIN_DIR", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(places, "_build", lambda: tmp_path / "build")
    with pytest.raises(ember.CompilerNotFoundError, match=str(tmp_path)):
        compiler.find_tool("emberc")


def test_what_the_compiler_says_is_the_error() -> None:
    with pytest.raises(ember.CompileError, match="error"):
        ember.load_program("func.func @f( {", OPTIONS)


def test_a_compiler_that_dies_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "emberc"
    program.write_text("#!/bin/sh\nkill -SEGV $$\n")
    program.chmod(0o755)
    monkeypatch.setenv("EMBER_BIN_DIR", str(tmp_path))
    with pytest.raises(ember.CompileError, match="SIGSEGV"):
        compiler.run_compiler(PROGRAM, [])
