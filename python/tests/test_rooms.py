"""The compiler's rooms: no arrow between them goes up, and docs/architecture.md shows them all.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def check_rooms(root: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "scripts" / "rooms.py", "--check", f"--root={root}"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A small compiler whose page shows its rooms."""
    files = {
        "docs/architecture.md": "# Rooms\n",
        "include/ember/ABI/Calls.h": "",
        "include/ember/Analysis/Address.h": '#include "ember/Dialect/SLC/IR/SLC.h"\n',
        "include/ember/Checks/Checks.h": '#include "ember/Analysis/Address.h"\n',
        "include/ember/Dialect/SLC/IR/SLC.h": "",
        "include/ember/Dialect/SLCV/IR/SLCV.h": '#include "ember/Dialect/SLC/IR/SLC.h"\n',
        "lib/ABI/CMakeLists.txt": "ember_library(EmberABI Calls.cpp)\n",
        "lib/Analysis/CMakeLists.txt": "ember_library(EmberAnalysis Address.cpp)\n",
        "lib/Checks/CMakeLists.txt": "ember_library(EmberChecks Checks.cpp\n  LINK EmberABI)\n",
        "runtime/lib/Memory.cpp": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    command = [sys.executable, ROOT / "scripts" / "rooms.py", f"--root={tmp_path}"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return tmp_path


def test_no_arrow_of_the_compiler_goes_up() -> None:
    done = check_rooms(ROOT)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_page_shows_includes_and_links(house: Path) -> None:
    assert check_rooms(house).returncode == 0
    page = (house / "docs" / "architecture.md").read_text()
    assert page.startswith("# Rooms\n")
    (row,) = [line for line in page.splitlines() if line.startswith("| `Checks`")]
    assert row.endswith("| `Analysis`, `ABI` |")
    assert page.count(" --> ") == 3  # Checks to Analysis and ABI, Analysis to the dialects


@pytest.mark.parametrize(
    ("file", "line", "complaint"),
    [
        (
            "lib/Analysis/Address.cpp",
            '#include "ember/Checks/Checks.h"',
            "Analysis uses Checks, which is above it",
        ),
        (
            "include/ember/Checks/Passes.td",
            'include "ember/Loops/Transforms/Passes.td"',
            "Checks uses Loops/Transforms, which is beside it",
        ),
        (
            "include/ember/Dialect/SLC/IR/SLC.h",
            '#include "ember/Dialect/SLCV/IR/SLCV.h"',
            "Dialect/SLC/IR uses Dialect/SLCV/IR, which comes back to it",
        ),
        (
            "lib/ABI/CMakeLists.txt",
            "ember_library(EmberABI Calls.cpp\n  LINK EmberAnalysis)",
            "ABI uses Analysis, which is above it",
        ),
        ("lib/Checks/Check.cpp", '#include "../Loops/Loop.h"', "'../Loops/Loop.h' is in no room"),
        ("lib/Odds/Odd.cpp", '#include "ember/Checks/Checks.h"', "'Odds' is in no room"),
    ],
)
def test_an_arrow_that_goes_elsewhere(house: Path, file: str, line: str, complaint: str) -> None:
    path = house / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(line + "\n")
    done = check_rooms(house)
    assert done.returncode == 1
    assert f"error: {file}: {complaint}" in done.stdout


def test_an_arrow_that_the_page_lacks(house: Path) -> None:
    (house / "lib" / "Checks" / "Check.cpp").write_text('#include "ember/Dialect/SLC/IR/SLC.h"\n')
    done = check_rooms(house)
    assert done.returncode == 1
    assert (
        done.stdout
        == "error: docs/architecture.md does not show the rooms as they are: ./run docs\n"
    )
