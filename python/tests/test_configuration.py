"""Environment variables and their table, messages, and leaving everything to PyTorch.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import io
import logging
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import ember
import pytest
import torch
import torch.nn.functional as functional
from ember import compiler, configuration, places, progress
from ember.bag_programs import BagShape, bag_program
from ember.torch.calls.statement_call import StatementCall
from preloaded import run_python

ROOT = Path(__file__).resolve().parents[2]
ARGUMENTS = (torch.tensor([1, 2, 4, 2]), torch.tensor([0, 2]))
# Where a variable's name stands in quotes, it is read.
SOURCES = [
    path
    for folder in ("python/ember", "python/native", "runtime", "lib", "tools")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".py", ".cpp", ".h")
]
NAME = re.compile(r"""["'](EMBER_[A-Z_]+)["']""")


def bag(length: int = 8) -> torch.nn.EmbeddingBag:
    return torch.nn.EmbeddingBag(9, length, mode="sum")


def run(program: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Runs Python with other variables; it has to succeed."""
    environment = {k: v for k, v in os.environ.items() if k not in ("EMBER_LOG", "EMBER_DISABLE")}
    environment |= {"PYTHONPATH": str(ROOT / "python"), **variables}
    done = run_python(program, ROOT, environment)
    assert done.returncode == 0, done.stderr
    return done


def test_every_variable_that_is_read_is_known() -> None:
    read = {name for path in SOURCES for name in NAME.findall(path.read_text())}
    assert read == {variable.name for variable in configuration.VARIABLES}


def test_the_documentation_has_every_variable() -> None:
    page = (ROOT / "docs" / "configuration.md").read_text()
    rows = re.findall(r"^\| `(EMBER_\w+)` \| (.*?) \| (.*?) \|$", page, re.MULTILINE)
    assert [name for name, _, _ in rows] == [one.name for one in configuration.VARIABLES]
    for (_, default, _), variable in zip(rows, configuration.VARIABLES, strict=True):
        assert default.replace("`", "") == variable.default
    plain = re.sub(r"`|\[|\]\([^)]*\)", "", page)
    for variable in configuration.VARIABLES:
        assert variable.meaning.replace(",", "").split(":")[0] in plain.replace(",", ""), variable


def test_misspelt_variables_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("EMBER_CACHE_DIR", "EMBER_CACHE_DIRECTORY", "EMBER_NUM_THREAD", "EMBER_DISABLED"):
        monkeypatch.setenv(name, "1")
    # Of ./run, and of tests.
    for name in re.findall(r"EMBER_[A-Z_]+", (ROOT / "run").read_text()):
        monkeypatch.setenv(name, "1")
    assert configuration.misspelt_variables() == {
        "EMBER_CACHE_DIRECTORY": "EMBER_CACHE_DIR",
        "EMBER_DISABLED": "EMBER_DISABLE",
        "EMBER_NUM_THREAD": "EMBER_NUM_THREADS",
    }
    with pytest.raises(KeyError):
        configuration.text("EMBER_CACHE_DIRECTORY")


def test_programs_are_found_in_the_order_of_their_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def program(place: str) -> Path:
        file = tmp_path / place / "emberc"
        file.parent.mkdir(parents=True)
        file.touch(0o755)
        return file

    found = compiler.find_tool("emberc")
    monkeypatch.setenv("EMBER_BIN_DIR", str(tmp_path / "named"))
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setattr(places, "_build", lambda: tmp_path / "build")
    # An editable install has two folders: the sources, and what was built for them.
    monkeypatch.setattr(ember, "__path__", [str(tmp_path / "sources"), str(tmp_path / "installed")])
    with pytest.raises(ember.CompilerNotFoundError, match="build/bin nor on the PATH"):
        compiler.find_tool("emberc")
    for place in ("path", "build/bin", "installed/bin", "sources/bin", "named"):
        expected = program(place)
        assert compiler.find_tool("emberc") == expected
    assert compiler.find_tool("emberc") != found
    assert places.module_folders() == [
        tmp_path / "lib",
        tmp_path / "sources",
        tmp_path / "installed",
        tmp_path / "build" / "lib",
    ]


@pytest.mark.parametrize(
    ("value", "expected"),
    [("1", True), ("yes", True), ("0", False), ("", False), ("OFF", False), ("false", False)],
)
def test_flags(value: str, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBER_PROGRESS", value)
    assert configuration.flag("EMBER_PROGRESS") is expected
    monkeypatch.delenv("EMBER_PROGRESS")
    assert not configuration.flag("EMBER_PROGRESS")


def test_disabled_calls_do_not_reach_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    module = bag()
    kernel = ember.compile(module, ARGUMENTS)
    expected = module(*ARGUMENTS)
    calls = []
    original = torch.nn.functional.embedding_bag
    spy = lambda *a, **k: calls.append(1) or original(*a, **k)  # noqa: E731
    monkeypatch.setattr("torch.nn.functional.embedding_bag", spy)
    assert torch.equal(kernel(*ARGUMENTS), expected)
    assert calls == []
    with ember.disabled(), ember.disabled():
        assert torch.equal(kernel(*ARGUMENTS), expected)
    assert calls == [1]
    kernel(*ARGUMENTS)
    assert calls == [1]
    assert not configuration.is_disabled()


def test_disabled_in_all_threads_and_until_the_last_leaves() -> None:
    entered, leave = threading.Event(), threading.Event()

    def other() -> None:
        with ember.disabled():
            entered.set()
            leave.wait()

    thread = threading.Thread(target=other)
    thread.start()
    entered.wait()
    assert configuration.is_disabled()
    with pytest.raises(ValueError, match="from within"), ember.disabled():
        raise ValueError("from within")
    assert configuration.is_disabled()
    leave.set()
    thread.join()
    assert not configuration.is_disabled()


# Lengths of rows that no other test has: the kernels are not there yet.
TABLES = [torch.rand(9, 37, requires_grad=True) for _ in range(3)]
INDICES, OFFSETS = ARGUMENTS
EDGES = torch.tensor([0, 3, 3, 8])


def one_bag() -> torch.Tensor:
    return functional.embedding_bag(INDICES, TABLES[0], OFFSETS, mode="sum")


def several_tables() -> torch.Tensor:
    bags = [functional.embedding_bag(INDICES, table, OFFSETS, mode="sum") for table in TABLES]
    return torch.cat(bags, 1)


def reduced_rows() -> torch.Tensor:
    return functional.embedding(INDICES.view(2, 2), TABLES[0][:, :35].contiguous()).sum(1)


def aggregation() -> torch.Tensor:
    messages = TABLES[0].index_select(0, INDICES)
    index = EDGES.view(-1, 1).expand_as(messages)
    return messages.new_zeros(9, 37).scatter_add_(0, index, messages)


@pytest.mark.parametrize("gradients", [False, True], ids=["forward", "backward"])
@pytest.mark.parametrize("model", [one_bag, several_tables, reduced_rows, aggregation])
def test_the_backend_is_disabled_too(
    model: Callable[[], torch.Tensor],
    gradients: bool,
    monkeypatch: pytest.MonkeyPatch,
    empty_cache: Path,
) -> None:
    torch._dynamo.reset()
    compiled = torch.compile(model, backend="ember", options={"raises": True})

    def values(function: Callable[[], torch.Tensor]) -> list[torch.Tensor]:
        with torch.set_grad_enabled(gradients):
            result = function()
            leaves = [table for table in TABLES if gradients]
            return [result, *_gradients(result, leaves)]

    expected = values(model)
    with ember.disabled(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiler, "find_tool", lambda name: Path("/nonexistent") / name)
        torch.testing.assert_close(values(compiled), expected)
    assert ember.libraries() == []
    torch.testing.assert_close(values(compiled), expected)
    assert len(ember.libraries()) >= 1
    # Kernels that are there are not called.
    with ember.disabled(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(StatementCall, "forward", None)
        patch.setattr(StatementCall, "backward", None)
        torch.testing.assert_close(values(compiled), expected)
    torch._dynamo.reset()


def _gradients(result: torch.Tensor, leaves: list[torch.Tensor]) -> list[torch.Tensor]:
    if not leaves:
        return []
    found = torch.autograd.grad(result.square().sum(), leaves, allow_unused=True)
    return [gradient for gradient in found if gradient is not None]


def test_a_disabled_process_needs_no_compiler(tmp_path: Path) -> None:
    done = run(
        "import ember, torch\n"
        "from ember import compiler\n"
        "compiler.find_tool = None\n"
        "bag = torch.nn.EmbeddingBag(9, 4)\n"
        "arguments = torch.tensor([1, 2]), torch.tensor([0])\n"
        "kernel = ember.compile(bag, arguments)\n"
        "print(torch.equal(kernel(*arguments), bag(*arguments)), kernel.kernels())\n",
        EMBER_DISABLE="1",
        EMBER_CACHE_DIR=str(tmp_path),
    )
    assert done.stdout == "True []\n"
    assert list(tmp_path.iterdir()) == []


def test_kernels_that_are_built_and_found_are_logged(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    program, options = bag_program(BagShape(8)), ember.Options()
    caplog.set_level(logging.DEBUG, "ember")

    def messages() -> list[tuple[int, str]]:
        found = [
            (record.levelno, re.sub(r"\d+\.\d+", "N", record.getMessage().split(":")[0]))
            for record in caplog.records
            if record.name == "ember.compiler"
        ]
        caplog.clear()
        monkeypatch.setattr(compiler, "_loaded", {})
        return found

    path = ember.load_program(program, options).path
    assert messages() == [(logging.INFO, "built embedding_bag for cpu in N s")]
    ember.load_program(program, options)
    assert messages() == [(logging.DEBUG, "found embedding_bag in N s")]
    # Without its index, emberc finds it.
    next((empty_cache / "index").iterdir()).unlink()
    os.utime(path, (1, 1))
    ember.load_program(program, options)
    assert messages() == [(logging.DEBUG, "found embedding_bag for cpu in N s")]
    path.with_suffix(".json").write_text("{")
    ember.load_program(program, options)
    levels = [level for level, _ in messages()]
    assert levels == [logging.WARNING, logging.INFO]


def test_what_emberc_warns_of_is_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(compiler, "_loaded", {})
    # As if others could write to it: emberc has not been told otherwise.
    monkeypatch.setattr(compiler.cache, "folder", lambda: tmp_path / "open")
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    with pytest.warns(RuntimeWarning, match="new kernels cannot be kept in"):
        ember.load_program(bag_program(BagShape(8)), ember.Options())
    warnings = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert len(warnings) == 1
    assert warnings[0].startswith("emberc: warning: ")
    assert warnings[0].endswith("compiling without it")


PROGRAM = (
    "import ember, logging, torch\n"
    "ember.compile(torch.nn.EmbeddingBag(9, 4), (torch.tensor([1, 2]), torch.tensor([0])))\n"
    "logging.getLogger('ember.test').warning('a warning')\n"
)


def test_nothing_is_printed_unless_asked_for(tmp_path: Path) -> None:
    done = run(PROGRAM, EMBER_CACHE_DIR=str(tmp_path))
    assert (done.stdout, done.stderr) == ("", "")
    done = run(PROGRAM, EMBER_CACHE_DIR=str(tmp_path / "other"), EMBER_LOG="Info")
    assert re.fullmatch(
        # Of the bag, and of its gradient.
        r"(ember\.compiler: built .* for cpu in [\d.]+ s\n){2}ember\.test: a warning\n",
        done.stderr,
    )
    done = run(PROGRAM, EMBER_CACHE_DIR=str(tmp_path), EMBER_LOG="loud")
    assert done.stderr.startswith("ember: EMBER_LOG=loud is not one of debug, info, warning")


class Terminal(io.StringIO):
    """What is shown on it."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def slow_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An emberc that takes its time, and little patience."""
    script = tmp_path / "bin" / "emberc"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nsleep 1\nexec {compiler.find_tool("emberc")} "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("EMBER_BIN_DIR", str(script.parent))
    monkeypatch.setattr(progress, "PATIENCE", 0.2)
    monkeypatch.setattr(progress, "TICK", 0.1)


@pytest.mark.usefixtures("slow_compiler")
def test_long_compilations_say_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "ember")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert "slc.for" in ember.show(bag_program(BagShape(8)))
    messages = [record.getMessage() for record in caplog.records]
    assert 1 <= len(messages) <= 5
    assert all(message.startswith("still compiling embedding_bag, after") for message in messages)
    assert terminal.getvalue() == ""
    monkeypatch.setenv("EMBER_PROGRESS", "1")
    ember.show(bag_program(BagShape(8)))
    shown = terminal.getvalue()
    assert "\r\033[Kember: compiling embedding_bag: 0." in shown
    assert shown.endswith("\r\033[K"), "the line is removed"
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    ember.show(bag_program(BagShape(8)))
    assert sys.stderr.getvalue() == "", "not a terminal"


@pytest.mark.usefixtures("slow_compiler")
def test_an_interrupted_compilation_ends_its_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[str]] = []

    class Process(subprocess.Popen[str]):
        def __init__(self, *arguments: object, **options: object) -> None:
            super().__init__(*arguments, **options)  # type: ignore[call-overload]
            started.append(self)

    def interrupt(self: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(compiler.subprocess, "Popen", Process)
    monkeypatch.setattr(progress.Progress, "tick", interrupt)
    with pytest.raises(KeyboardInterrupt):
        ember.show(bag_program(BagShape(8)))
    assert started[0].returncode == -9
