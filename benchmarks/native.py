"""C++ of the benchmarks: compiled for this machine, kept in the kernel cache, and loaded.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from ember.cache import cache_root, host_cpu

COMPILERS = ("clang++-22", "clang++", "g++")
FLAGS = ("-std=c++20", "-O3", "-march=native", "-shared", "-fPIC", "-pthread")


class NoLibraryError(RuntimeError):
    """There is no compiler, or it does not take the source."""


def load_library(source: Path, *flags: str) -> ctypes.CDLL:
    """The functions of a source, compiled with more flags than FLAGS.

    Raises NoLibraryError.
    """
    compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
    if compiler is None:
        raise NoLibraryError(f"none of the compilers {', '.join(COMPILERS)} is installed")
    command = [compiler, *FLAGS, *flags, str(source)]
    parts = (*command, source.read_text(), host_cpu())
    key = hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:32]
    folder = cache_root() / "benchmarks"
    library = folder / f"{source.stem}-{key}.so"
    if not library.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as temporary:
            built = Path(temporary, library.name)
            done = subprocess.run([*command, "-o", str(built)], capture_output=True, text=True)
            if done.returncode:
                raise NoLibraryError(f"{compiler} failed on {source.name}: {done.stderr}")
            os.replace(built, library)
    return ctypes.CDLL(str(library))
