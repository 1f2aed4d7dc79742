"""The scripts behind ./run: adding up results, checking links, .npy files, the command line.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from ember.torch.capture.private_names import TESTED_RELEASES

ROOT = Path(__file__).resolve().parents[2]


def run_script(name: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "scripts" / name, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_release_of_pytorch_that_is_not_supported() -> None:
    for version in ("1.0", "2.1", ""):
        command = ["./run", "test", f"--torch={version}"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        (error,) = done.stderr.splitlines()
        assert f"'{version}' is not one that Ember supports: " in error
        releases = [text.rpartition(".")[0] for text in error.rpartition(": ")[2].split()]
        assert tuple(releases) == TESTED_RELEASES
    requirements = (ROOT / "scripts" / "requirements.txt").read_text()
    assert set(re.findall(r"^torch==(\d+\.\d+)", requirements, re.MULTILINE)) <= set(releases)


JUNIT = """<testsuites><testsuite>
<testcase name="a" status="run"/>
<testcase name="b" status="fail"><failure message=""/></testcase>
<testcase name="c"><error/></testcase>
<testcase name="d" status="notrun"><skipped/></testcase>
</testsuite></testsuites>"""


def test_an_environment_behind_a_link_is_kept(tmp_path: Path) -> None:
    """What is set up anew is emptied first, which may not be another checkout's."""
    kept = tmp_path / "elsewhere" / "python"
    kept.parent.mkdir()
    kept.touch()
    (tmp_path / ".venv").symlink_to(kept.parent)
    (tmp_path / "scripts").mkdir()
    for name in ("run", "scripts/requirements.txt"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    functions = (tmp_path / "run").read_text().rpartition("\ncommand=")[0]
    (tmp_path / "run").write_text(f'{functions}\nsetup_venv "$(usual_torch)"\n')
    done = subprocess.run(["bash", tmp_path / "run"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "run: error: .venv is a link to" in done.stderr
    assert kept.exists()


def test_results_are_added_up(tmp_path: Path) -> None:
    codes = ("PASS", "XFAIL", "FAIL", "XPASS", "UNRESOLVED", "TIMEOUT", "UNSUPPORTED")
    lit = tmp_path / "lit.json"
    lit.write_text(json.dumps({"tests": [{"code": code} for code in codes]}))
    junit = tmp_path / "junit.xml"
    junit.write_text(JUNIT)
    log = tmp_path / "fuzz.log"
    log.write_text("a feature   12\n7 passed, 2 failed\nfailures by sort: 2 sorts\n")
    done = run_script("test_summary.py", f"lit={lit}", f"unit={junit}", f"fuzz={log}")
    assert done.returncode == 1
    assert done.stdout.split("\n")[1:] == [
        "lit: 2 passed, 4 failed, 1 skipped",
        "unit: 1 passed, 2 failed, 1 skipped",
        "fuzz: 7 passed, 2 failed, 0 skipped",
        "10 passed, 8 failed",
        "",
    ]


@pytest.mark.parametrize("content", [None, "", "{", "<a>"])
def test_a_runner_that_died_is_a_failure(tmp_path: Path, content: str | None) -> None:
    for name in ("lit.json", "unit.xml", "fuzz.log"):
        path = tmp_path / name
        if content is not None:
            path.write_text(content)
        done = run_script("test_summary.py", f"runner={path}")
        assert done.returncode == 1
        assert done.stdout.endswith("0 passed, 1 failed\n")


PAGE = """# A page

[fine](other.md#two-words) [self](#a-page) [site](https://example.org/x) [file](other.md)
`[code](nowhere.md)`

```
[code](nowhere.md)
```
"""


def test_links_are_checked(tmp_path: Path) -> None:
    page, other = tmp_path / "page.md", tmp_path / "other.md"
    page.write_text(PAGE)
    other.write_text("# Other\n\n## Two `words`\n")
    assert run_script("check_links.py", page, other).returncode == 0
    page.write_text(PAGE + "[a](nowhere.md) [b](other.md#three) ![c](picture.png)\n")
    done = run_script("check_links.py", page, other)
    assert done.returncode == 1
    for target in ("nowhere.md", "other.md#three", "picture.png"):
        assert f"page.md: {target}" in done.stdout
    assert "3 broken" in done.stdout


def test_npy_files(tmp_path: Path) -> None:
    path, other = tmp_path / "a.npy", tmp_path / "b.npy"
    assert run_script("npy.py", "make", path, "f32", "[[1, 2.5]]").returncode == 0
    assert run_script("npy.py", "print", path).stdout == "float32 [1, 2] [[1.0, 2.5]]\n"
    np.save(other, np.array([[1, np.nextafter(np.float32(2.5), 3)]], np.float32))
    done = run_script("npy.py", "compare", path, other)
    assert done.returncode == 1
    assert "1 of 2 differ, first at [0, 1]" in done.stdout
    assert run_script("npy.py", "compare", path, other, "--rtol", "1e-6").returncode == 0
    assert run_script("npy.py", "compare", path, path).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "status", "text"),
    [
        ((), 0, "usage: ./run COMMAND"),
        (("help",), 0, "usage: ./run COMMAND"),
        (("frobnicate",), 1, "unknown command 'frobnicate'"),
        (("test", "--fast"), 1, "unknown option '--fast'"),
        (("setup", "now"), 1, "setup takes no options"),
    ],
)
def test_the_entry_script_says_what_it_does(
    arguments: tuple[str, ...], status: int, text: str
) -> None:
    done = subprocess.run([ROOT / "run", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == status
    assert text in done.stdout + done.stderr
