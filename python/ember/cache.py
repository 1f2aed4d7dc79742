"""The kernel cache as Python sees it: an index from program text to a built library.

emberc owns the cache and its keys. Starting emberc costs far more than loading a kernel, so this
index remembers, for (program, options, compiler, CPU), the path that emberc answered. An entry is
only a hint: one that is missing, damaged or points nowhere leads to a call of emberc.

Kernels are code: a folder that other users may change is not used. This process then has its own.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import atexit
import contextlib
import functools
import hashlib
import os
import shutil
import tempfile
import threading
from collections.abc import Iterable
from pathlib import Path

from ember import configuration
from ember.log import warn_once
from ember.ownership import why_not_ours


def cache_root() -> Path:
    """The cache folder: $EMBER_CACHE_DIR, else $XDG_CACHE_HOME/ember, else ~/.cache/ember."""
    if folder := configuration.text("EMBER_CACHE_DIR"):
        return Path(folder)
    if folder := os.environ.get("XDG_CACHE_HOME"):
        return Path(folder) / "ember"
    return Path.home() / ".cache" / "ember"


# The folders of this process, by those that they are in place of.
_own: dict[Path, Path] = {}
_lock = threading.Lock()


def folder() -> Path:
    """Where kernels are kept: in cache_root(), or in a folder of this process, with a warning.

    The latter where others might change what is there, or it cannot be made; it goes at the end.
    """
    root = cache_root()
    reason = why_not_used(root)
    if not reason:
        return root
    warn_once(
        f"cache {root}",
        f"the kernel cache '{root}' is not used: {reason}. Kernels of this process are kept in a "
        "folder of its own, and other processes compile them again. Make it yours alone (chown, "
        "chmod go-w), name another folder in EMBER_CACHE_DIR, or set EMBER_CACHE_SHARED=1 if it "
        "is shared on purpose.",
    )
    with _lock:
        # That of a process that has forked this one may be gone.
        if root not in _own or not _own[root].is_dir():
            _own[root] = Path(tempfile.mkdtemp(prefix="ember-kernels-"))
            atexit.register(_remove, _own[root], os.getpid())
        return _own[root]


def why_not_used(root: Path) -> str:
    """Why a folder is no cache; empty if it is one, or now is: it is made for its owner alone."""
    shared = configuration.flag("EMBER_CACHE_SHARED")
    try:
        # By itself, mkdir gives folders above other permissions.
        for place in () if root.exists() else (*reversed(root.parents), root):
            if not place.exists():
                place.mkdir(mode=0o777 if shared else 0o700, exist_ok=True)
    except OSError as error:
        return f"it cannot be made: {error.strerror}"
    if not root.is_dir():
        return "it is no folder"
    return "" if shared else why_not_ours(root)


def _remove(own: Path, process: int) -> None:
    if os.getpid() == process:
        shutil.rmtree(own, ignore_errors=True)


def _is_ours(path: Path) -> bool:
    """Whether nobody else can have put a file there: its folder may have been open before."""
    return configuration.flag("EMBER_CACHE_SHARED") or not why_not_ours(path)


@functools.cache
def host_cpu() -> str:
    """Names the host's instruction sets: a cache shared between hosts serves each its own."""
    flags = ""
    with contextlib.suppress(OSError), open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith(("flags", "Features")):
                flags = line
                break
    return f"{os.uname().machine} {flags}"


def index_key(parts: Iterable[str]) -> str:
    """A name for everything a library depends on, the host's CPU included."""
    digest = hashlib.sha256()
    for part in (*parts, host_cpu()):
        digest.update(part.encode())
        digest.update(b"\0")
    return digest.hexdigest()


def look_up(key: str) -> Path | None:
    """The library recorded under a key, if it is still there with its manifest."""
    root = folder()
    entry = root / "index" / key
    try:
        library = Path(entry.read_text())
    except (OSError, ValueError):
        return None
    manifest = library.with_suffix(".json")
    if not (library.is_relative_to(root) and all(map(_is_ours, (entry, library, manifest)))):
        return None
    # emberc evicts by the age of this file.
    with contextlib.suppress(OSError):
        os.utime(library.with_name("complete.json"))
    return library if library.is_file() and manifest.is_file() else None


def record(key: str, library: Path) -> None:
    """Records a library under a key: complete or not at all, and never an error."""
    index = folder() / "index"
    with contextlib.suppress(OSError):
        shared = configuration.flag("EMBER_CACHE_SHARED")
        index.mkdir(mode=0o777 if shared else 0o700, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=index)
        try:
            with os.fdopen(handle, "w") as file:
                file.write(str(library))
            if shared:
                os.chmod(temporary, 0o644)
            os.replace(temporary, index / key)
        except OSError:
            os.unlink(temporary)
        _forget_evicted(index)


def _forget_evicted(index: Path) -> None:
    """Drops entries whose libraries are gone; empty ones are just being written."""
    for entry in index.iterdir():
        with contextlib.suppress(OSError, ValueError):
            library = entry.read_text()
            if library and not Path(library).is_file():
                entry.unlink()


def forget(key: str) -> None:
    """Drops an entry whose library does not load."""
    with contextlib.suppress(OSError):
        (folder() / "index" / key).unlink()
