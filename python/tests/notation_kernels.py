"""Many statements as the entries of one library, at any level and for any target.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import random
import re
import subprocess
from collections.abc import Iterable, Sequence
from functools import cache

from drawn_cases import SEED
from ember.compiler import Options, find_tool, load_program
from ember.kernel import Entry, Library
from program_runs import WAYS, Way

Statement = tuple[str, Sequence[str]]

# Every way to run a program is of one of these levels.
LEVELS = ("scf", "slc", "slcv", "dlc", "cpu", "dae-threads")


@cache
def _program(text: str, options: tuple[str, ...], stage: str) -> str:
    command = [str(find_tool("emberc")), f"--notation={text}", *options, f"--emit={stage}"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{text} {list(options)}\n{done.stderr}"
    return done.stdout


def program(text: str, options: Iterable[str], stage: str = "cin") -> str:
    """The module that evaluates a statement."""
    return _program(text, tuple(options), stage)


def _module(statements: Sequence[Statement], stage: str) -> str:
    """One module with all kernels, "kernel0" and so on."""
    maps, functions = [], []
    for number, (text, options) in enumerate(statements):
        module = re.sub(r"#(map\d*)\b", rf"#\1_{number}_", program(text, options, stage))
        maps += [line for line in module.splitlines() if line.startswith("#map")]
        begin, end = module.index("  func.func"), module.rindex("}")
        functions.append(module[begin:end].replace("@kernel(", f"@kernel{number}(", 1))
    return "\n".join([*maps, "module {", *functions, "}"])


def _entries(library: Library, count: int) -> list[Entry]:
    return [library.entry(f"kernel{number}") for number in range(count)]


def compile_all(statements: Sequence[Statement], opt_level: int = 3) -> list[Entry]:
    """The entry of each statement with its options for arrays, of one library."""
    library = load_program(_module(statements, "cin"), Options(opt_level=opt_level))
    return _entries(library, len(statements))


def compile_in_way(statements: Sequence[Statement], way: Way) -> list[Entry]:
    """The same of the programs of loops, run in that way."""
    module = _module(statements, "loops")
    if way.passes:
        command = [str(find_tool("ember-opt")), *way.passes, "-"]
        done = subprocess.run(command, input=module, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        module = done.stdout
    level = next((int(word[2:]) for word in way.options if word.startswith("-O")), 1)
    target = "dae-threads" if way.name.startswith("dae-threads") else "cpu"
    library = load_program(module, Options(target=target, opt_level=level))
    if way.name.startswith("cpu"):
        library.use_threads(3, work_of_thread=1)
    if way.name.startswith("dlc"):
        library.configure(queue_capacity=64, schedule="deterministic")
    return _entries(library, len(statements))


def level_of(way: Way) -> str:
    """The level, or the target, of a way."""
    return next(level for level in reversed(LEVELS) if re.match(rf"{level}(-|$)", way.name))


def ways_of(name: str, levels: int = len(LEVELS)) -> list[Way]:
    """The ways to run the statement of that name: all, or by the seed one of so many levels."""
    if not SEED:
        return list(WAYS)
    draw = random.Random(f"{SEED} {name}")
    return [
        draw.choice([way for way in WAYS if level_of(way) == level])
        for level in draw.sample(LEVELS, levels)
    ]
