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

OPERATOR = Path(__file__).with_name("kernel_op.cpp")
OPTIMIZER = Path(__file__).with_name("graph_optimizer.cpp")
_COMPILERS = ("clang++-22", "clang++", "g++")


def _command(source: Path) -> list[str]:
    """What compiles a source, without the name of what it writes."""
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
    # The C interface is in the larger of TensorFlow's two libraries.
    linked = [*tf.sysconfig.get_link_flags(), *["-l:libtensorflow_cc.so.2"] * (source == OPTIMIZER)]
    return [compiler, *ours, *others, *headers, str(source), *linked]


def _key(source: Path, command: list[str]) -> str:
    """What a library depends on, as the name of its file."""
    headers = sorted((include_folder() / "ember" / "Runtime").glob("*.h"))
    parts = [tf.__version__, *command, *(one.read_text() for one in (source, *headers))]
    return hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:32]


def build(source: Path = OPERATOR) -> Path:
    """The library of operators, compiled unless it is in the cache of kernels already.

    That takes some seconds, once for a release of TensorFlow. Raises CompileError.
    """
    command = _command(source)
    folder = kernel_cache.folder() / "tensorflow"
    library = folder / f"{source.stem}-{_key(source, command)}.so"
    if library.is_file():
        return library
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        built = Path(temporary, library.name)
        done = subprocess.run([*command, "-o", str(built)], capture_output=True, text=True)
        if done.returncode:
            raise CompileError(
                f"{command[0]} cannot compile {source.name} for TensorFlow {tf.__version__}:\n"
                f"{done.stderr}"
            )
        os.replace(built, library)
    return library


def build_optimizer() -> Path:
    """The plugin that optimizes graphs, as build makes it."""
    return build(OPTIMIZER)


@cache
def operators() -> Any:
    """The functions of the operators, as tf.load_op_library gives them. Raises CompileError."""
    return tf.load_op_library(str(build()))
