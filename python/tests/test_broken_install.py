"""What a user sees where kernels cannot be built: right values, and one warning that says why.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
import warnings
from collections.abc import Callable
from pathlib import Path

import ember
import pytest
import torch
from ember import compiler, log, places
from torch import Tensor
from torch.nn import functional

pytestmark = pytest.mark.usefixtures("fresh_dynamo", "empty_cache")

# What a compiler prints and ends with, or None where there is none, and what is said of it.
BREAKAGES = {
    "no compiler": (None, 0o755, r"emberc is neither in .* nor on the PATH"),
    "not executable": ("#!/bin/sh\n", 0o644, r"bin/emberc may not be executed: chmod \+x it"),
    "another machine's": ("\x7fELF", 0o755, "cannot run .*emberc: .*Exec format error"),
    "no libMLIR": (
        "#!/bin/sh\necho error while loading shared libraries: libMLIR.so.22.1 >&2; exit 127",
        0o755,
        "error while loading shared libraries: libMLIR.so.22.1",
    ),
    "no linker": (
        "#!/bin/sh\necho 'error: linking a kernel library needs ld.lld, which is not on this "
        "machine' >&2\nexit 1",
        0o755,
        "needs ld.lld",
    ),
    "killed": ("#!/bin/sh\nkill -KILL $$", 0o755, "emberc was ended by SIGKILL"),
}


def model(first: Tensor, second: Tensor, indices: Tensor) -> Tensor:
    """Two regions that have a kernel each."""
    maximum = functional.embedding_bag(indices, second, mode="max")
    return functional.embedding_bag(indices, first, mode="sum").relu() + maximum


def arguments() -> tuple[Tensor, ...]:
    return torch.randn(9, 4), torch.randn(9, 4), torch.randint(9, (5, 3))


@pytest.fixture
def nothing_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a new process."""
    monkeypatch.setattr(log, "_warned", set())
    monkeypatch.setattr(compiler, "_failures", {})


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Puts a compiler that is broken in the place of Ember's; what is to be said of it."""
    monkeypatch.setenv("EMBER_BIN_DIR", str(tmp_path / "bin"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setattr(places, "_build", lambda: tmp_path / "build")
    monkeypatch.setattr(places, "_package_folders", lambda: [])

    def put(name: str) -> str:
        content, mode, said = BREAKAGES[name]
        (tmp_path / "bin").mkdir()
        if content is not None:
            program = tmp_path / "bin" / "emberc"
            program.write_text(content)
            program.chmod(mode)
        return said

    return put


@pytest.mark.usefixtures("nothing_said")
@pytest.mark.parametrize("name", BREAKAGES)
def test_it_is_said_once(name: str, broken: Callable[[str], str]) -> None:
    said, inputs = broken(name), arguments()
    run = torch.compile(model, backend="ember")
    with pytest.warns(RuntimeWarning) as caught:
        results = [run(*inputs) for _ in range(3)]
    for result in results:
        torch.testing.assert_close(result, model(*inputs))
    (message,) = [str(one.message) for one in caught]
    assert caught[0].filename == __file__
    assert re.search(said, message)
    assert message.startswith("Ember cannot build a kernel, and PyTorch computes instead")
    assert "python -m ember" in message

    torch._dynamo.reset()
    run = torch.compile(model, backend="ember", options={"raises": True})
    with pytest.raises(ember.CompileError, match=said):
        run(*inputs)


@pytest.mark.usefixtures("nothing_said")
def test_nothing_is_said_when_disabled(broken: Callable[[str], str]) -> None:
    broken("no libMLIR")
    inputs = arguments()
    with ember.disabled(), warnings.catch_warnings():
        warnings.simplefilter("error")
        run = torch.compile(model, backend="ember", options={"raises": True})
        torch.testing.assert_close(run(*inputs), model(*inputs))


def test_it_is_tried_once_a_minute(
    broken: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also by quantised tables, whose calls keep nothing."""
    broken("no linker")
    commands = []
    call = compiler._run
    monkeypatch.setattr(compiler, "_run", lambda *words: (commands.append(words), call(*words))[1])
    now = [1000.0]
    monkeypatch.setattr(compiler.time, "monotonic", lambda: now[0])
    # No other test has tables of this length.
    table = ember.QuantizedEmbedding(torch.nn.Embedding(9, 36))
    for _ in range(3):
        table(torch.tensor([1, 2]))
    assert len(commands) == 1
    now[0] += compiler.RETRY_SECONDS
    table(torch.tensor([1, 2]))
    assert len(commands) == 2


def test_another_versions_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ember, "__version__", "9.9.9")
    program = "func.func @f(%a: i64) { return }"
    with pytest.raises(ember.CompileError, match=r"emberc is of version .*, and this package of 9"):
        ember.load_program(program, ember.Options(opt_level=0))


def test_no_room_for_new_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler.tempfile, "tempdir", str(tmp_path / "missing"))
    with pytest.raises(ember.CompileError, match="cannot keep a new kernel in a temporary folder"):
        ember.load_program("func.func @f(%a: i32) { return }", ember.Options(opt_level=0))
