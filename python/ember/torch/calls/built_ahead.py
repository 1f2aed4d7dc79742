"""Builds the kernels of a graph side by side, before calls ask for one after the other.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from ember import configuration
from ember.compiler import Notation, Options
from ember.errors import CompileError, CompilerNotFoundError


def build_side_by_side(programs: Iterable[tuple[Notation, Options]]) -> None:
    """Builds what calls will load; of what cannot be built, they will say why.

    Returns when all is built: a process may be forked then, and nothing else runs beside calls.
    """
    distinct = list(dict.fromkeys(programs))
    # One alone is built by the call that needs it.
    if len(distinct) < 2 or configuration.is_disabled():
        return
    processors = len(os.sched_getaffinity(0))
    with ThreadPoolExecutor(min(processors, len(distinct))) as pool:
        list(pool.map(_build, distinct))


def _build(program: tuple[Notation, Options]) -> None:
    notation, options = program
    try:
        options.load(notation)
    except (CompileError, CompilerNotFoundError):
        return
