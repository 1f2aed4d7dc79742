"""ember.show: the program of a kernel as text, at any level from what was written to assembly.

A compiled kernel keeps its program and its options; the levels between are what emberc makes of
them when it is asked.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
from dataclasses import dataclass
from typing import Any

from ember.arguments import Parameter
from ember.compiler import Options, call_compiler, run_compiler
from ember.errors import ArgumentError
from ember.kernel import Entry, Library
from ember.stages import STAGES, Stage


@dataclass(frozen=True)
class Level:
    """A stage as it is shown: its title and other names, and the row of the compiler's table."""

    name: str
    aliases: tuple[str, ...]
    stage: Stage

    @property
    def is_given(self) -> bool:
        """Whether it is the program as it was written: nothing to run."""
        return STAGES.index(self.stage) < STAGES.index(LOOPS.stage)


LEVELS = tuple(
    Level(stage.shown_as[0], stage.shown_as[1:], stage) for stage in STAGES if not stage.binary
)
# Where decoupling starts.
_DECOUPLED = next(stage for stage in STAGES if stage.decoupled)
LOOPS = next(level for level in LEVELS if level.stage.name == _DECOUPLED.made_from)

# Of an entry that are named in its description.
MOST_PARAMETERS = 8
REMARK = re.compile(r"^[^:\n]*:(\d+):\d+: remark: (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Source:
    """The program of a kernel, the options it is compiled with, and what to call it."""

    program: str
    options: Options
    label: str


def find_level(name: str) -> Level:
    """The level of that name; raises ArgumentError with the names there are."""
    for level in LEVELS:
        if name == level.name or name in level.aliases:
            return level
    known = ", ".join(
        f"{level.name} ({', '.join(level.aliases)})" if level.aliases else level.name
        for level in LEVELS
    )
    raise ArgumentError(f"no level {name!r}; there are: {known}")


def find_source(
    kernel: Any, which: int | str | None = None, options: Options | None = None
) -> Source:
    """The program of what show and show_page take; raises ArgumentError."""
    if isinstance(kernel, str):
        _refuse(which is not None, "which", "a program is one kernel")
        return Source(kernel, options or Options(), "program")
    _refuse(options is not None, "options", "a kernel has the options it was compiled with")
    libraries = _libraries(kernel)
    if libraries is None:
        raise ArgumentError(
            f"cannot show a {type(kernel).__name__}: give what ember.compile or "
            "ember.load_program returns, ember.libraries(), or the text of an MLIR module"
        )
    library, label = _choose(libraries, which)
    if library.program is None or library.options is None:
        raise ArgumentError(
            f"the program of {library.path} is not known: it was loaded from its file. "
            "Give the text of its MLIR module"
        )
    return Source(library.program, library.options, label)


def show(
    kernel: Any,
    level: str = "slc",
    *,
    which: int | str | None = None,
    options: Options | None = None,
) -> str:
    """The program of a kernel as text, at a level.

    kernel: what ember.compile, ember.load_program or ember.libraries returns, or the text of an
    MLIR module; or what stands for a part of a model, as explanation.compiled[0].call. level:
    "aten", the part as PyTorch's operators, and "statements", what the compiler was given of it;
    of all kernels "program" (or "embed"), what they are compiled from; "scf", as loops;
    "slc"; "slcv"; "dlc"; "recoupled", the loops that target cpu makes of slcv; "llvm" (or
    "native"); "assembly". which: where there are several kernels, the number of one, or words of
    its description. options: what a program given as text is compiled with.

    Raises ArgumentError for another level, kernel or choice, CompileError where the compiler
    refuses the program.
    """
    # Parts of models have levels ahead of those of programs.
    own: dict[str, str] = kernel.texts() if callable(getattr(kernel, "texts", None)) else {}
    if level in own:
        return own[level]
    chosen = find_level(level)
    return text_at(find_source(kernel, which, options), chosen)


def text_at(source: Source, level: Level, *flags: str) -> str:
    """A program at a level; flags are more arguments for emberc."""
    if level.is_given:
        return source.program
    arguments = [*source.options.arguments(), f"--emit={level.stage.name}", *flags]
    return run_compiler(source.program, arguments)


def text_and_remarks(source: Source, level: Level) -> tuple[str, dict[int, list[str]]]:
    """A program at a level, and what passes did not do and why, by lines of the source."""
    arguments = [*source.options.arguments(), f"--emit={level.stage.name}", "--remarks"]
    text, messages = call_compiler(source.program, arguments)
    remarks: dict[int, list[str]] = {}
    for line, remark in REMARK.findall(messages):
        of_line = remarks.setdefault(int(line), [])
        if remark not in of_line:
            of_line.append(remark)
    return text, remarks


def _libraries(kernel: Any) -> list[tuple[Library, str]] | None:
    """The libraries behind a kernel with their descriptions; None for what is no kernel."""
    if isinstance(kernel, Library):
        return [(kernel, _describe(kernel))]
    library = getattr(kernel, "library", None)
    if isinstance(library, Library):
        shape = getattr(kernel, "shape", None)
        return [(library, _describe(library) if shape is None else repr(shape))]
    if isinstance(kernel, (list, tuple)):
        parts = kernel
    elif callable(kernels := getattr(kernel, "kernels", None)):
        parts = kernels()
    else:
        return None
    found: list[tuple[Library, str]] = []
    for part in parts:
        libraries = _libraries(part)
        if libraries is None:
            return None
        found += libraries
    return found


def _describe(library: Library) -> str:
    """The entries with their parameters: "bag(weight ?x8xf32, indices ?xi64, ...)"."""
    return " ".join(_describe_entry(entry) for entry in library.entries.values())


def _describe_entry(entry: Entry) -> str:
    parameters = [_describe_parameter(parameter) for parameter in entry.parameters]
    if len(parameters) > MOST_PARAMETERS:
        # Those of the first of many tables, and the output.
        parameters[MOST_PARAMETERS - 2 : -1] = [f"{len(parameters) - MOST_PARAMETERS + 1} more"]
    return f"{entry.name}({', '.join(parameters)})"


def _describe_parameter(parameter: Parameter) -> str:
    sizes = "".join(f"{'?' if size is None else size}x" for size in parameter.shape)
    return f"{parameter.name} {sizes}{parameter.dtype}"


def _is_gradient(name: str) -> bool:
    return "_gradient" in name


def _choose(libraries: list[tuple[Library, str]], which: int | str | None) -> tuple[Library, str]:
    listing = "; ".join(f"{k}: {label}" for k, (_, label) in enumerate(libraries))
    if not libraries:
        raise ArgumentError("there is no kernel yet: kernels are built by the first call")
    if which is None:
        # A kernel alone is meant rather than that of its gradient.
        alone = [one for one in libraries if not any(map(_is_gradient, one[0].entries))]
        alone = alone or libraries
        if len(alone) > 1:
            raise ArgumentError(f"there are several kernels, choose one by which=: {listing}")
        return alone[0]
    if isinstance(which, str):
        found = [library for library in libraries if which in library[1]]
        if len(found) != 1:
            number = "several kernels are" if found else "no kernel is"
            raise ArgumentError(f"{number} called {which!r}; there are: {listing}")
        return found[0]
    if isinstance(which, bool) or not isinstance(which, int):
        raise ArgumentError(f"which must be a number or words, not {which!r}")
    if not 0 <= which < len(libraries):
        raise ArgumentError(f"there is no kernel {which}; there are: {listing}")
    return libraries[which]


def _refuse(given: bool, name: str, reason: str) -> None:
    if given:
        raise ArgumentError(f"{name} has nothing to choose: {reason}")
