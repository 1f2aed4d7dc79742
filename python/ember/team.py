"""PyTorch's OpenMP threads, which the loops of kernels share.

After each operation on several threads, PyTorch's keep their processors for some milliseconds, to
be there for the next operation. Kernels run on them then; docs/kernels.md says when.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ctypes
import multiprocessing
import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from ember import configuration


class Team(ctypes.Structure):
    """The runtime's ember_team."""

    _fields_ = (("run", ctypes.c_void_p), ("size", ctypes.c_void_p))


@dataclass(frozen=True)
class Sharing:
    """Whether kernels share PyTorch's threads: the team, or why there is none, for a person."""

    team: Team | None
    why_not: str = ""


def find_team() -> Sharing:
    """PyTorch's team in this process, unless EMBER_OPENMP=0 says to leave it alone."""
    if configuration.text("EMBER_OPENMP") == "0":
        return Sharing(None, "EMBER_OPENMP=0")
    if was_forked():
        return Sharing(None, "they are not in a forked process")
    if not find_spec("torch"):
        return Sharing(None, "PyTorch is not installed")
    import torch

    if "ATen parallel backend: OpenMP" not in torch.__config__.parallel_info():
        return Sharing(None, "PyTorch was built without OpenMP")
    team = _team_of(None) or _team_of(Path(torch.__file__).parent / "lib" / "libtorch_cpu.so")
    return Sharing(team, "" if team else "PyTorch's OpenMP library has no GOMP_parallel")


def was_forked() -> bool:
    """Whether this is a child of multiprocessing with its parent's memory, but not its threads."""
    return (
        multiprocessing.parent_process() is not None
        and multiprocessing.get_start_method() == "fork"
    )


def _team_of(path: Path | None) -> Team | None:
    """What a library that is loaded, or the program itself, takes for OpenMP's functions."""
    try:
        scope = ctypes.CDLL(None if path is None else str(path), mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
        functions = scope.GOMP_parallel, scope.omp_get_max_threads
    except (OSError, AttributeError):
        return None
    return Team(*(ctypes.cast(function, ctypes.c_void_p).value for function in functions))
