"""Processes that are forked from one that has PyTorch are as new ones.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from pathlib import Path

from preloaded import run_python

PROGRAM = """
import atexit, os, sys
print(sys.argv[1:], os.getcwd(), dict(os.environ), sys.stdin.read())
print("torch" in sys.modules, "ember" in sys.modules, __name__)
print("an error", file=sys.stderr)
atexit.register(print, "the end")
"""


def test_it_has_its_own_arguments_folder_and_variables(tmp_path: Path) -> None:
    for value in ("1", "2"):
        done = run_python(PROGRAM, tmp_path, {"NAME": value}, ("one", 2))
        assert done.returncode == 0
        assert done.stdout.split("\n") == [
            f"['one', '2'] {tmp_path} {{'NAME': '{value}'}} ",
            "True False __main__",
            "the end",
            "",
        ]
        assert done.stderr == "an error\n"


def test_it_finds_modules_where_its_variable_says(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "ember.py").write_text("print('another')")
    done = run_python("import ember", tmp_path, {"PYTHONPATH": str(tmp_path / "one")})
    assert done.stdout == "another\n"


def test_its_end_is_told(tmp_path: Path) -> None:
    assert run_python("raise SystemExit(3)", tmp_path, {}).returncode == 3
    failed = run_python("1 / 0", tmp_path, {})
    assert failed.returncode == 1
    assert "ZeroDivisionError" in failed.stderr
    assert run_python("import os; os.kill(os.getpid(), 15)", tmp_path, {}).returncode == -15
    assert "SyntaxError" in run_python("1 +", tmp_path, {}).stderr
