"""ember.doctor in set-ups that are whole, and in such as lack something.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import io
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import ember
import pytest
import torch
from ember import diagnosis
from ember.bag_programs import BagShape, bag_program
from ember.compiler import find_tool
from ember.diagnosis import Finding
from ember.stages import TARGETS

ROOT = Path(__file__).resolve().parents[2]


def diagnose(name: str) -> Finding:
    """What is found of one thing; all of it is printed without an error."""
    findings = list(diagnosis.findings())
    printed = io.StringIO()
    is_well = diagnosis.report(findings, printed)
    assert is_well == all(finding.ok or finding.optional for finding in findings)
    assert ("all is well" in printed.getvalue()) == is_well
    assert ("MISSING" in printed.getvalue()) != is_well
    return next(finding for finding in findings if finding.name == name)


@pytest.fixture
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the compiler and of what it links, to be damaged."""
    build = find_tool("emberc").parent.parent
    for folder, names in (("bin", diagnosis.TOOLS), ("lib", diagnosis.LINKED)):
        (tmp_path / folder).mkdir()
        for name in names:
            shutil.copy2(build / folder / name, tmp_path / folder / name)
    monkeypatch.setenv("EMBER_BIN_DIR", str(tmp_path / "bin"))
    return tmp_path


def test_a_whole_set_up_is_well(installation: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ember.doctor() is True
    printed = capsys.readouterr().out
    for words in (
        f"ember +{ember.__version__} in ",
        f"torch +{re.escape(torch.__version__)}",
        rf"emberc +{ember.__version__} \(LLVM 22.*{installation}/bin/emberc",
        "linker +/",
        rf"cache +{os.environ['EMBER_CACHE_DIR']}: \d+ kernels, ",
        "threads +[1-9]",
        "torch.compile +backend='ember'",
        rf"environment +EMBER_BIN_DIR={installation}/bin",
        *(rf"kernel, {target} +compiled for \w+ and run in" for target in TARGETS),
    ):
        assert re.search(f"^ok +{words}", printed, re.MULTILINE), words
    assert printed.endswith("all is well\n")


def test_the_self_test_leaves_the_cache_alone(empty_cache: Path) -> None:
    assert diagnose("kernel, cpu").ok
    assert list(empty_cache.iterdir()) == []


def test_without_a_compiler(tmp_path: Path) -> None:
    """As an interpreter in another place sees a package that came without its programs."""
    shutil.copytree(ROOT / "python" / "ember", tmp_path / "site" / "ember")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("EMBER_")}
    environment |= {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(tmp_path / "site"),
        "EMBER_CACHE_DIR": str(tmp_path / "cache"),
    }
    done = subprocess.run(
        [sys.executable, "-m", "ember"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "")
    for words in (
        "MISSING  emberc +emberc is neither in .*\n +-> run './run setup'",
        "MISSING  ember-run ",
        "MISSING  runtime ",
        "ok       cache ",
        "MISSING  kernel, cpu +emberc is neither in",
        "something is missing: see above\n$",
    ):
        assert re.search(words, done.stdout), done.stdout


def test_a_folder_that_has_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis, "find_tool", lambda name: Path("/elsewhere") / name)
    monkeypatch.setenv("EMBER_BIN_DIR", str(tmp_path))
    found = diagnose("emberc")
    assert not found.ok
    assert found.what == f"EMBER_BIN_DIR is {tmp_path}, but it is /elsewhere/emberc"


@pytest.mark.parametrize(
    ("script", "what", "advice"),
    [
        (
            "echo 'error while loading shared libraries: libMLIR.so.22.1' >&2; exit 127",
            "does not run: .*libMLIR",
            "apt-get install libmlir-22",
        ),
        ("exit 3", "does not run: status 3", "pip install"),
        ("kill -SEGV $$", "does not run: status -11", "pip install"),
        ("echo emberc 9.9.9", "is of version 9.9.9, the package of", "pip install"),
    ],
)
def test_a_compiler_that_does_not_run(
    installation: Path, script: str, what: str, advice: str
) -> None:
    emberc = installation / "bin" / "emberc"
    emberc.write_text(f"#!/bin/sh\n{script}\n")
    found = diagnose("emberc")
    assert not found.ok
    assert re.search(what, found.what)
    assert advice in found.advice
    assert not diagnose("kernel, cpu").ok


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("libember_runtime.a", b"!<arch", "is damaged"),
        ("libember_runtime.a", None, "no libember_runtime.a in"),
        ("ember_queue.bc", b"", "is damaged"),
    ],
)
def test_damaged_libraries(installation: Path, name: str, content: bytes | None, what: str) -> None:
    path = installation / "lib" / name
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    found = diagnose("runtime")
    assert not found.ok
    assert what in found.what
    assert name in found.what
    # Only decoupled kernels have queues.
    assert not diagnose("kernel, dae-threads").ok


def test_a_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("EMBER_CACHE_DIR", str(tmp_path / "file" / "cache"))
    found = diagnose("cache")
    assert not found.ok
    assert found.what.endswith("Not a directory")
    assert "EMBER_CACHE_DIR" in found.advice
    assert diagnose("kernel, cpu").ok, "a kernel can do without"


def test_a_full_disk(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=4096))
    found = diagnosis._cache()
    assert not found.ok
    assert found.what == f"there are 4096 bytes left in {empty_cache}: new kernels cannot be kept"
    assert "EMBER_CACHE_DIR" in found.advice


def test_a_missing_linker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis, "LINKERS", ("ld.none",))
    found = diagnose("linker")
    assert not found.ok
    assert "lld-22" in found.advice


def test_an_old_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "__version__", "2.9.1+cpu")
    found = diagnose("torch")
    assert not found.ok
    assert "2.13 or newer" in found.advice
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert "torch>={}.{}".format(*diagnosis.OLDEST_TORCH) in project["dependencies"]
    assert project["version"] == ember.__version__


def test_a_backend_that_is_not_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.compiler, "list_backends", lambda exclude_tags: ["inductor"])
    assert not diagnose("torch.compile").ok


def test_what_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis, "OPTIONAL", {"no_such_package": "nothing"})
    monkeypatch.setattr("ember.native.Call", None)
    monkeypatch.setenv("EMBER_CACHE_DIRECTORY", "x")
    assert ember.doctor(io.StringIO())
    assert diagnose("environment").advice == "perhaps EMBER_CACHE_DIR?"
    for name in ("no_such_package", "ember_calls", "environment"):
        found = diagnose(name)
        assert (found.ok, found.optional) == (False, True)
        assert found.line().startswith(f"--       {name} ")


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("EMBER_NUM_THREADS", ("1", "99", "100", "256"), ("0", "257", "-1", "two", "1.5")),
        ("EMBER_CACHE_SIZE", ("0", "512M", "1G"), ("1T", "1g", "lots", "-1")),
        ("EMBER_LOG", ("info", "DEBUG"), ("loud",)),
    ],
)
def test_values_of_variables(
    name: str, good: tuple[str, ...], bad: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    for value in good:
        monkeypatch.setenv(name, value)
        assert f"{name}={value}" in diagnosis._variables().what
        assert diagnosis._variables().ok
    for value in bad:
        monkeypatch.setenv(name, value)
        found = diagnosis._variables()
        assert (found.ok, found.optional) == (False, False)
        assert found.what == f"{name}={value} is not what it may be"
        assert found.advice.startswith(f"{name}: ")


def test_a_wrong_result_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis, "BagShape", lambda length: BagShape(length, mode="mean"))
    found = diagnose("kernel, cpu")
    assert not found.ok
    assert found.what.startswith("a kernel computed [[")
    assert "mean" in bag_program(diagnosis.BagShape(4))


def test_nothing_is_compiled_when_disabled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis, "run_compiler", None)
    with ember.disabled():
        assert diagnose("kernel, cpu").what.startswith("not tried")
