"""The operators that Ember adds to TensorFlow, compiled for the release that is installed.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import hashlib
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import tensorflow as tf

from ember import cache as kernel_cache
from ember.errors import CompileError
from ember.places import include_folder

SOURCE = Path(__file__).with_name("kernel_op.cpp")
_COMPILERS = ("clang++-22", "clang++", "g++")


def _command() -> list[str]:
    """What compiles the source, without the name of what it writes."""
    compiler = next(filter(None, map(shutil.which, _COMPILERS)), None)
    if compiler is None:
        raise CompileError(
            f"TensorFlow {tf.__version__} needs operators of Ember, which are compiled when they "
            f"are used first: install one of {', '.join(_COMPILERS)}"
        )
    # The wheel's headers are not for our warnings.
    headers = [f"-isystem{one[2:]}" for one in tf.sysconfig.get_compile_flags() if one[:2] == "-I"]
    others = [one for one in tf.sysconfig.get_compile_flags() if one[:2] != "-I"]
    ours = ["-O2", "-fPIC", "-shared", f"-I{include_folder()}"]
    return [compiler, *ours, *others, *headers, str(SOURCE), *tf.sysconfig.get_link_flags()]


def _key(command: list[str]) -> str:
    """What the library depends on, as the name of its file."""
    headers = sorted((include_folder() / "ember" / "Runtime").glob("*.h"))
    parts = [tf.__version__, *command, *(one.read_text() for one in (SOURCE, *headers))]
    return hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:32]


def build() -> Path:
    """The library of operators, compiled unless it is in the cache of kernels already.

    That takes some seconds, once for a release of TensorFlow. Raises CompileError.
    """
    command = _command()
    folder = kernel_cache.folder() / "tensorflow"
    library = folder / f"{SOURCE.stem}-{_key(command)}.so"
    if library.is_file():
        return library
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        built = Path(temporary, library.name)
        done = subprocess.run([*command, "-o", str(built)], capture_output=True, text=True)
        if done.returncode:
            raise CompileError(
                f"{command[0]} cannot compile {SOURCE.name} for TensorFlow {tf.__version__}:\n"
                f"{done.stderr}"
            )
        os.replace(built, library)
    return library


@cache
def operators() -> Any:
    """The functions of the operators, as tf.load_op_library gives them. Raises CompileError."""
    return tf.load_op_library(str(build()))
