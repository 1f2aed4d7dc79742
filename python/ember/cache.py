"""The kernel cache as Python sees it: an index from program text to a built library.

emberc owns the cache and its keys. Starting emberc costs far more than loading a kernel, so this
index remembers, for (program, options, compiler, CPU), the path that emberc answered. An entry is
only a hint: one that is missing, damaged or points nowhere leads to a call of emberc.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import contextlib
import functools
import hashlib
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from ember import configuration


def cache_root() -> Path:
    """The cache folder: $EMBER_CACHE_DIR, else $XDG_CACHE_HOME/ember, else ~/.cache/ember."""
    if folder := configuration.text("EMBER_CACHE_DIR"):
        return Path(folder)
    if folder := os.environ.get("XDG_CACHE_HOME"):
        return Path(folder) / "ember"
    return Path.home() / ".cache" / "ember"


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
    try:
        library = Path((cache_root() / "index" / key).read_text())
    except (OSError, ValueError):
        return None
    # emberc evicts by the age of this file.
    with contextlib.suppress(OSError):
        os.utime(library.with_name("complete.json"))
    if library.is_file() and library.with_suffix(".json").is_file():
        return library
    return None


def record(key: str, library: Path) -> None:
    """Records a library under a key: complete or not at all, and never an error."""
    folder = cache_root() / "index"
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=folder)
        try:
            with os.fdopen(handle, "w") as file:
                file.write(str(library))
            os.replace(temporary, folder / key)
        except OSError:
            os.unlink(temporary)
        _forget_evicted(folder)


def _forget_evicted(folder: Path) -> None:
    """Drops entries whose libraries are gone; empty ones are just being written."""
    for entry in folder.iterdir():
        with contextlib.suppress(OSError, ValueError):
            library = entry.read_text()
            if library and not Path(library).is_file():
                entry.unlink()


def forget(key: str) -> None:
    """Drops an entry whose library does not load."""
    with contextlib.suppress(OSError):
        (cache_root() / "index" / key).unlink()
