"""The installed package: built as a wheel, put into an environment of its own, used far from here.

EMBER_PACKAGE_TESTS=full compiles the wheel's programs anew, as 'pip install .' does; otherwise it
takes those of this build, which is a matter of seconds.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from ember.compiler import find_tool

ROOT = Path(__file__).resolve().parents[2]
IS_FULL = os.environ.get("EMBER_PACKAGE_TESTS") == "full"
pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600 if IS_FULL else 300)]

pytest.importorskip("scikit_build_core")


def clean_environment() -> dict[str, str]:
    """This one without what leads to the checkout or to tools that only developers have."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("EMBER_", "PYTHON", "VIRTUAL_ENV"))
    }
    return {**kept, "PATH": "/usr/bin:/bin"}


def succeed(command: Sequence[object], **options: object) -> str:
    """Runs a program; what it printed, or a failure that shows it."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload]
    assert done.returncode == 0, f"{words}:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return str(done.stdout)


@dataclass
class Installation:
    """An environment with the package in it: its interpreter, and a folder to work in."""

    python: Path
    folder: Path
    wheel: Path

    def run(self, program: str, **variables: str) -> str:
        """What a Python program prints there."""
        cache = str(self.folder / "cache")
        environment = {**clean_environment(), "EMBER_CACHE_DIR": cache, **variables}
        return succeed([self.python, "-c", program], cwd=self.folder, env=environment)


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    folder = tmp_path_factory.mktemp("package")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    offline = ["--no-deps", "--no-index"]
    settings = []
    if not IS_FULL:
        build = find_tool("emberc").parent.parent
        settings = [
            f"--config-settings=cmake.define.EMBER_PREBUILT={build}",
            f"--config-settings=build-dir={folder / 'build'}",
        ]
    wheels = folder / "wheels"
    succeed([*pip, "wheel", ROOT, "--no-build-isolation", *offline, "-w", wheels, *settings])
    (wheel,) = wheels.glob("ember-*.whl")
    succeed([sys.executable, "-m", "venv", "--without-pip", folder / "venv"])
    python = folder / "venv" / "bin" / "python"
    succeed([*pip, "--python", python, "install", *offline, wheel])
    # PyTorch is as large as it is: the environment takes this one's.
    site = succeed([python, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"])
    borrowed = Path(site.strip()) / "borrowed.pth"
    borrowed.write_text(sysconfig.get_paths()["purelib"] + "\n")
    away = folder / "away"
    away.mkdir()
    return Installation(python, away, wheel)


def test_an_installed_package_compiles_and_runs(installation: Installation) -> None:
    output = installation.run(
        "import ember, torch\n"
        "from ember import compiler, native\n"
        "print(ember.__file__)\n"
        "print(compiler.find_tool('emberc'))\n"
        "print(native.Call is not None)\n"
        "bag = torch.nn.EmbeddingBag(100, 24, mode='mean')\n"
        "arguments = torch.tensor([1, 2, 99, 3]), torch.tensor([0, 3])\n"
        "for target in compiler.TARGETS:\n"
        "    kernel = ember.compile(bag, arguments, target=target)\n"
        "    print(torch.allclose(kernel(*arguments), bag(*arguments)))\n"
        "print(len(ember.show(kernel, 'dlc')) > 1000, ember.show_page(kernel, 'page.html'))\n"
    ).splitlines()
    root = installation.python.parents[1]
    assert Path(output[0]).is_relative_to(root)
    assert Path(output[1]).is_relative_to(root)
    assert output[2:] == ["True", "True", "True", "True page.html"]


def test_torch_finds_the_backend_before_ember_is_imported(installation: Installation) -> None:
    output = installation.run(
        "import torch\n"
        "print('ember' in torch._dynamo.list_backends())\n"
        "bag = torch.nn.EmbeddingBag(100, 24, mode='sum')\n"
        "arguments = torch.tensor([1, 2, 99, 3]), torch.tensor([0, 3])\n"
        "compiled = torch.compile(bag, backend='ember', options={'raises': True})\n"
        "print(torch.allclose(compiled(*arguments), bag(*arguments)))\n"
    ).splitlines()
    assert output == ["True", "True"]


def test_the_programs_of_the_package_run_by_themselves(installation: Installation) -> None:
    (place,) = (installation.python.parents[1] / "lib").glob("python*/site-packages/ember")
    program = ROOT / "examples" / "embedding_bag.mlir"
    environment = {**clean_environment(), "EMBER_CACHE_DIR": str(installation.folder / "cache")}
    library = installation.folder / "libbag.so"
    succeed([place / "bin" / "emberc", program, "-o", library], env=environment)
    assert library.with_suffix(".json").exists()
    for tool in ("emberc", "ember-dag", "ember-opt", "ember-run", "ember-sim"):
        assert "LLVM" in succeed([place / "bin" / tool, "--version"], env=environment)


def test_the_package_simulates(installation: Installation) -> None:
    output = installation.run(
        "import ember, numpy as np\n"
        f"program = {str(ROOT / 'examples' / 'embedding_bag.mlir')!r}\n"
        "inputs = [np.ones((50, 8), np.float32), np.arange(40), np.arange(0, 41, 4),\n"
        "          np.zeros((10, 8), np.float32)]\n"
        "print(ember.simulate(program, inputs, machine='paper-double-rob').nanoseconds > 0)\n"
    )
    assert output == "True\n"


def test_the_doctor_finds_all_it_needs(installation: Installation) -> None:
    output = installation.run("import ember, sys; sys.exit(not ember.doctor())")
    assert output.count(str(installation.python.parents[1])) >= 7
    assert output.endswith("all is well\n")


def test_what_is_in_the_wheel(installation: Installation) -> None:
    names = zipfile.ZipFile(installation.wheel).namelist()
    for name in (
        "ember/py.typed",
        "ember/inspection/page.css",
        "ember/lib/libember_columns.so",
        "ember/lib/libember_runtime.a",
        "ember/lib/ember_guest_runtime.o",
        "ember/lib/ember_queue.bc",
        "ember/machines/paper.json",
        "ember/cmake/EmberNotation.cmake",
        "ember/include/ember/Notation.h",
        "ember/include/ember/Runtime/Columns.h",
        "ember/include/ember/Runtime/Export.h",
        "ember/include/ember/Runtime/KernelLibrary.h",
        "ember/include/ember/Runtime/Ownership.h",
        "ember/include/ember/Runtime/Runtime.h",
        "ember/include/ember/Runtime/Statement.h",
    ):
        assert name in names
    strangers = [
        name
        for name in names
        if not name.startswith(("ember/", "ember-")) or "tests" in name or name.endswith(".pyc")
    ]
    assert strangers == []
    assert "cp{}{}".format(*sys.version_info) in installation.wheel.name


def test_a_prebuilt_folder_without_programs_is_refused(tmp_path: Path) -> None:
    done = subprocess.run(
        ["cmake", "-S", ROOT, "-B", tmp_path / "build", f"-DEMBER_PREBUILT={tmp_path}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "which has no bin/emberc" in " ".join(done.stderr.split())
