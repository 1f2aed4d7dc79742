"""Files that other users might change: kernel caches, libraries.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import grp
import os
import pwd
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import ember
import pytest
from ember import cache, compiler, diagnosis, log
from ember.bag_programs import BagShape, bag_program
from ember.ownership import why_not_ours

PROGRAM = bag_program(BagShape(8))
OPTIONS = ember.Options()
# Somebody that there need not be.
STRANGER = 4711


def give_away(path: Path) -> int:
    """Makes a file another user's: root can, and whoever cannot gets the user who is another."""
    if os.geteuid() == 0:
        os.chown(path, STRANGER, -1, follow_symlinks=False)
        return 0
    return os.geteuid() + 1


def permissions(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_who_may_change_a_file(tmp_path: Path) -> None:
    for name in ("own", "open/in", "sticky/in"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "file").write_text("")
    (tmp_path / "open").chmod(0o777)
    (tmp_path / "sticky").chmod(0o1777)
    (tmp_path / "own" / "link").symlink_to("../open/in")
    (tmp_path / "link").symlink_to(tmp_path / "own" / "link")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "own" / "anybody's").write_text("")
    (tmp_path / "own" / "anybody's").chmod(0o666)
    for name, reason in {
        "own": "",
        "own/file": "",
        "own/../own/./file": "",
        "sticky/in/file": "",
        "sticky": "anybody may write to '{}/sticky'",
        "open": "anybody may write to '{}/open'",
        "open/in/file": "anybody may write to '{}/open'",
        "own/link": "anybody may write to '{}/open'",
        "link/file": "anybody may write to '{}/open'",
        "own/anybody's": "anybody may write to '{}/own/anybody's'",
        "own/none": "'{}/own/none': No such file or directory",
        "loop": "'{}/loop': too many symbolic links",
    }.items():
        assert why_not_ours(tmp_path / name) == reason.format(tmp_path), name
    user = give_away(tmp_path / "own")
    assert "' belongs to user " in why_not_ours(tmp_path / "own" / "file", user)


def test_a_relative_path_and_a_link_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    assert why_not_ours(Path("link")) == ""
    assert "belongs to user" in why_not_ours(Path("link"), give_away(tmp_path / "link"))


@pytest.mark.parametrize(
    ("members", "name", "reason"),
    [
        ([], "me", ""),
        (["me"], "me", ""),
        (["me", "you"], "me", "its group"),
        ([], "us", "its group"),
    ],
)
def test_a_group_of_one_user(
    members: list[str], name: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where each user has a group, the umask lets it write to new folders."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder").chmod(0o770)
    group = (tmp_path / "folder").stat().st_gid
    account = SimpleNamespace(pw_name="me", pw_gid=group)
    monkeypatch.setattr(pwd, "getpwuid", lambda user: account)
    entry = SimpleNamespace(gr_name=name, gr_mem=members)
    monkeypatch.setattr(grp, "getgrgid", lambda number: entry)
    assert why_not_ours(tmp_path / "folder").startswith(reason)
    assert bool(why_not_ours(tmp_path / "folder")) == bool(reason)


def test_the_cache_is_for_its_owner_alone(empty_cache: Path) -> None:
    before = os.umask(0)
    try:
        path = ember.load_program(PROGRAM, OPTIONS).path
    finally:
        os.umask(before)
    folders = [empty_cache, empty_cache / "index", path.parent]
    assert [permissions(folder) for folder in folders] == [0o700] * 3
    assert permissions(path) == permissions(path.with_suffix(".json")) == 0o600
    assert cache.folder() == empty_cache


def test_a_cache_of_others_is_not_used(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "_warned", set())
    empty_cache.mkdir()
    empty_cache.chmod(0o777)
    options = OPTIONS, ember.Options(opt_level=1)
    with pytest.warns(RuntimeWarning) as caught:
        first, second = [ember.load_program(PROGRAM, one).path for one in options]
    (message,) = [str(one.message) for one in caught]
    assert message.startswith(
        f"the kernel cache '{empty_cache}' is not used: anybody may write to '{empty_cache}'. "
    )
    assert "EMBER_CACHE_SHARED=1" in message
    assert not list(empty_cache.iterdir())
    own = first.parent.parent
    assert second.parent.parent == own == cache.folder()
    assert permissions(own) == 0o700
    # This process finds its kernels there.
    monkeypatch.setattr(compiler, "_loaded", {})
    monkeypatch.setattr(compiler, "run_compiler", None)
    assert ember.load_program(PROGRAM, OPTIONS).path == first
    finding = diagnosis._cache()
    assert not finding.ok
    assert "anybody may write" in finding.what
    assert "EMBER_CACHE_SHARED=1" in finding.advice
    shutil.rmtree(own)


def test_a_cache_that_is_shared_on_purpose(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBER_CACHE_SHARED", "1")
    empty_cache.mkdir()
    empty_cache.chmod(0o777)
    path = ember.load_program(PROGRAM, OPTIONS).path
    assert path.parent.parent == empty_cache
    give_away(path)
    monkeypatch.setattr(compiler, "_loaded", {})
    monkeypatch.setattr(compiler, "run_compiler", None)
    assert ember.load_program(PROGRAM, OPTIONS).path == path
    assert diagnosis._cache().ok


@pytest.mark.parametrize("what", ["index", "library", "manifest", "elsewhere"])
def test_what_others_have_left_in_the_cache_is_made_anew(
    what: str, empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder may have been open to them before."""
    path = ember.load_program(PROGRAM, OPTIONS).path
    (entry,) = (empty_cache / "index").iterdir()
    if what == "elsewhere":
        other = shutil.copytree(path.parent, empty_cache.with_name("other"))
        entry.write_text(str(other / path.name))
    else:
        planted = {"index": entry, "library": path, "manifest": path.with_suffix(".json")}[what]
        planted.chmod(0o666)
    monkeypatch.setattr(compiler, "_loaded", {})
    builds = []
    run = compiler.run_compiler
    monkeypatch.setattr(
        compiler, "run_compiler", lambda *words: (builds.append(words), run(*words))[1]
    )
    assert ember.load_program(PROGRAM, OPTIONS).path == path
    assert len(builds) == 1
    for file in (path, path.with_suffix(".json")):
        assert why_not_ours(file) == ""


def test_a_process_removes_its_folder_and_warns_once(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o777)
    script = (
        "import ember; from ember.bag_programs import BagShape, bag_program\n"
        "for length in (8, 9):\n"
        "    print(ember.load_program(bag_program(BagShape(length)), ember.Options()).path)\n"
    )
    environment = dict(
        os.environ,
        PYTHONPATH=str(Path(ember.__file__).parents[1]),
        EMBER_CACHE_DIR=str(tmp_path / "cache"),
        TMPDIR=str(tmp_path),
    )
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    paths = [Path(line) for line in done.stdout.split()]
    assert len({path.parent.parent for path in paths}) == 1
    assert paths[0].is_relative_to(tmp_path)
    assert done.stderr.count("RuntimeWarning") == 1
    assert [place.name for place in tmp_path.iterdir()] == ["cache"]


def test_root_loads_no_library_that_others_may_change(
    empty_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everybody else loads what the system lets them read."""
    built = ember.load_program(PROGRAM, OPTIONS).path
    for name in (".so", ".json"):
        shutil.copy(built.with_suffix(name), tmp_path / f"libbag{name}")
    library = tmp_path / "libbag.so"
    assert ember.Library(library).entries
    for file in (library, library.with_suffix(".json")):
        file.chmod(0o666)
        with monkeypatch.context() as patch:
            patch.setattr(os, "geteuid", lambda: 0)
            with pytest.raises(ember.CompileError, match="and root would run its code") as caught:
                ember.Library(library)
            message = str(caught.value)
            assert message.startswith(f"the kernel library {library} is not loaded: ")
            assert "EMBER_LOAD_ANY_OWNER=1" in message
            assert ember.Library(library, trusted=True).entries
            patch.setenv("EMBER_LOAD_ANY_OWNER", "1")
            assert ember.Library(library).entries
            patch.delenv("EMBER_LOAD_ANY_OWNER")
            patch.setattr(os, "geteuid", lambda: STRANGER)
            assert ember.Library(library).entries
        file.chmod(0o600)
