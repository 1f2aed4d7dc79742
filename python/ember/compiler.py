"""Finds and runs emberc: MLIR text in, a loaded kernel library out.

The compiler is a program of its own: its symbols cannot clash with the caller's libraries, and its
failure is an exception here. What it built is found again through the index of the kernel cache.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import hashlib
import logging
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import ember
from ember import cache
from ember.errors import ArgumentError, CompileError, CompilerNotFoundError
from ember.kernel import Library
from ember.log import warn_once
from ember.places import program_folders
from ember.progress import Progress, name_of
from ember.stages import TARGETS

# What of prefetches can be chosen, with the least and the most.
PREFETCHES = {
    "prefetch_distance": (0, 1 << 20),
    "prefetch_lines": (1, 1024),
    "prefetch_level": (1, 3),
    "prefetch_min_table": (0, 1 << 40),
}
# What of all accesses to memory can.
MEMORY = PREFETCHES | {"stream_min_output": (0, 1 << 40)}
# What numbers can be given, with the least and the most.
NUMBERS = MEMORY | {"most_threads": (1, 256)}
# What cannot be passed to a program: NUL ends words, and half of a surrogate pair has no bytes.
_NEVER_PASSED = re.compile("[\0\ud800-\udfff]")
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Options:
    """What emberc is asked for; None leaves the choice to the target.

    cpu: a processor of this machine's architecture; None: this machine's own. prefetch_distance:
    lookups that a prefetch runs ahead, 0 for no prefetches. prefetch_lines: cache lines at the
    beginning of a row that are prefetched. prefetch_level: the cache, 1 to 3, they are prefetched
    into. prefetch_min_table: the smallest table, in bytes, whose rows are prefetched.
    stream_min_output: the smallest output, in bytes, that is written past the caches, 0 for none.
    most_threads: how many threads loops will run on, at most; what pays on more alone is left out.
    unroll: loops over rows of known length may be unrolled. strip_rows: rows that are longer than
    the registers may be summed strip by strip. profile: with dae-threads and opt_level 4, a file
    that `ember-run --stats` wrote, to order cases by.
    """

    target: str = "cpu"
    opt_level: int = 3
    vector_length: int | None = None
    queue_capacity: int | None = None
    may_alias: bool = False
    cpu: str | None = None
    prefetch_distance: int | None = None
    prefetch_lines: int | None = None
    prefetch_level: int | None = None
    prefetch_min_table: int | None = None
    stream_min_output: int | None = None
    most_threads: int | None = None
    unroll: bool = True
    strip_rows: bool = True
    profile: str | Path | None = None

    def __post_init__(self) -> None:
        if self.target not in TARGETS:
            raise ArgumentError(f"target must be one of {', '.join(TARGETS)}, not {self.target!r}")
        if self.opt_level not in range(5):
            raise ArgumentError(f"opt_level must be 0, 1, 2, 3 or 4, not {self.opt_level!r}")
        for name in ("vector_length", "queue_capacity"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or value < 1):
                raise ArgumentError(f"{name} must be a positive number, not {value!r}")
        for name, (least, most) in NUMBERS.items():
            value = getattr(self, name)
            if value is not None and not (isinstance(value, int) and least <= value <= most):
                raise ArgumentError(f"{name} must be from {least} to {most}, not {value!r}")
        if self.profile is not None and not (
            TARGETS[self.target].orders_cases and self.opt_level == 4
        ):
            able = " or ".join(repr(row.name) for row in TARGETS.values() if row.orders_cases)
            raise ArgumentError(f"profile needs target {able} and opt_level 4")

    def arguments(self) -> list[str]:
        """The options as emberc's command line spells them."""
        words = [f"--target={self.target}", f"-O{self.opt_level}"]
        if self.vector_length is not None:
            words.append(f"--vector-length={self.vector_length}")
        if self.queue_capacity is not None:
            words.append(f"--queue-capacity={self.queue_capacity}")
        if self.may_alias:
            words.append("--may-alias")
        if self.cpu is not None:
            words.append(f"--mcpu={self.cpu}")
        for name in NUMBERS:
            if getattr(self, name) is not None:
                words.append(f"--{name.replace('_', '-')}={getattr(self, name)}")
        if not self.unroll:
            words.append("--no-unroll")
        if not self.strip_rows:
            words.append("--no-strip-rows")
        if self.profile is not None:
            words.append(f"--profile={self.profile}")
        return words

    def load(self, program: "str | Notation") -> Library:
        """The kernel library of an MLIR module or of statements, see load_program."""
        return load_program(program, self)

    def files(self) -> list[bytes]:
        """What is in the files that the options name; raises ArgumentError."""
        if self.profile is None:
            return []
        try:
            return [Path(self.profile).read_bytes()]
        except OSError as error:
            raise ArgumentError(f"cannot read the profile: {error}") from error


def without_place(message: str) -> str:
    """What a kernel says of a statement that its caller has not written, without its place."""
    return re.sub(r"^notation:\d+:\d+: (?!error)", "", message)


def find_tool(name: str) -> Path:
    """Finds one of Ember's programs, in program_folders or else on the PATH.

    Raises CompilerNotFoundError, naming the places, when it is in none of them.
    """
    places = program_folders()
    for place in places:
        if os.access(place / name, os.X_OK):
            return place / name
    if found := shutil.which(name):
        return Path(found)
    for place in places:
        if (place / name).is_file():
            raise CompilerNotFoundError(
                f"{place / name} may not be executed: chmod +x it, or install the package again"
            )
    searched = ", ".join(str(place) for place in places)
    raise CompilerNotFoundError(
        f"{name} is neither in {searched} nor on the PATH; build it with './run setup', "
        "install the package with 'pip install .', or name its folder in EMBER_BIN_DIR"
    )


@dataclass(frozen=True)
class Notation:
    """Statements in index notation, and what emberc's options say of their arrays.

    arrays: `--type=A:f16`, `--format=A:csr` and `--fill=A:1`. functions: an MLIR module of those
    that statements may call.
    """

    text: str
    arrays: tuple[str, ...] = ()
    functions: str = ""

    def __post_init__(self) -> None:
        if character := _NEVER_PASSED.search(self.text):
            line, start = self.text.count("\n", 0, character.start()), character.start()
            column = start - self.text.rfind("\n", 0, start)
            raise CompileError(
                f"notation:{line + 1}:{column}: error: {character[0]!r} is no character of the "
                "notation"
            )
        for word in self.arrays:
            if character := _NEVER_PASSED.search(word):
                raise CompileError(f"{character[0]!r} is no character of the notation: {word!r}")

    def words(self) -> tuple[str, ...]:
        """The statements as emberc's command line spells them; functions are its input."""
        return f"--notation={self.text}", *self.arrays, *["--functions=-"] * bool(self.functions)

    def program(self) -> str:
        """The MLIR module that they are; raises CompileError."""
        return run_compiler(self, ["--emit=cin"])


def run_compiler(text: str | Notation, arguments: Sequence[str]) -> str:
    """Runs emberc on a program and returns what it printed; raises CompileError when it fails."""
    output, messages = call_compiler(text, arguments)
    for line in messages.splitlines():
        _log.warning("emberc: %s", line)
    return output


def call_compiler(text: str | Notation, arguments: Sequence[str]) -> tuple[str, str]:
    """Runs emberc as run_compiler does, and returns what it said besides, too."""
    words = text.words() if isinstance(text, Notation) else ("-",)
    command = [str(find_tool("emberc")), *words, *arguments]
    try:
        program = text.functions if isinstance(text, Notation) else text
        status, output, messages = _run(command, program)
    except OSError as error:
        raise CompileError(f"cannot run {command[0]}: {error}") from error
    if status == 0:
        return output, messages
    if status < 0:
        raise CompileError(f"emberc was ended by {_signal_name(-status)}: {messages.strip()}")
    raise CompileError(messages.strip() or f"emberc exited with status {status}")


def _run(command: Sequence[str], text: str) -> tuple[int, str, str]:
    """Runs a program on a text: its status, and what it wrote to stdout and stderr."""
    progress = Progress(name_of(text))
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        encoding="utf-8",
        # Messages may quote a part of a character.
        errors="replace",
    ) as process:
        try:
            # What is not sent yet is kept for the next round.
            unsent: str | None = text
            while True:
                try:
                    output, messages = process.communicate(unsent, timeout=progress.interval())
                    return process.returncode, output, messages
                except subprocess.TimeoutExpired:
                    unsent = None
                    progress.tick()
        except BaseException:
            process.kill()
            raise
        finally:
            progress.done()


def _signal_name(number: int) -> str:
    """What a signal is called: SIGKILL; real-time signals have numbers only."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


_loaded: dict[str, Library] = {}
# When what could not be built was tried, and why: trying again costs as much each time.
_failures: dict[str, tuple[float, str]] = {}
RETRY_SECONDS = 60.0
_key_locks: dict[str, threading.Lock] = {}
_table_lock = threading.Lock()


def load_program(text: str | Notation, options: Options) -> Library:
    """Compiles an MLIR module, or statements, or finds it compiled, and loads its library.

    A program is built once for all threads of a process, and once for all processes that share
    the cache folder. Raises CompileError: the same again, without another attempt, for a minute.
    """
    contents = [hashlib.sha256(content).hexdigest() for content in options.files()]
    words = (*text.words(), text.functions) if isinstance(text, Notation) else (text,)
    key = cache.index_key((*words, _compiler_identity(), *options.arguments(), *contents))
    if library := _loaded.get(key):
        return library
    with _table_lock:
        lock = _key_locks.setdefault(key, threading.Lock())
    with lock:
        if key not in _loaded:
            failed_at, failure = _failures.get(key, (0.0, ""))
            if failure and time.monotonic() - failed_at < RETRY_SECONDS:
                raise CompileError(failure)
            try:
                library = _load_or_build(key, text, options)
            except CompileError as error:
                _failures[key] = time.monotonic(), str(error)
                raise
            library.source, library.options = text, options
            _loaded[key] = library
    return _loaded[key]


def libraries() -> list[Library]:
    """The libraries that this process has compiled or found in the cache, in this order.

    Among them are the kernels of torch.compile(backend="ember"). Those that were loaded from their
    file by ember.Library are not.
    """
    return list(_loaded.values())


def _compiler_identity() -> str:
    """Tells builds of emberc and of what it links into kernels apart."""
    compiler = find_tool("emberc")
    linked = ("libember_runtime.a", "ember_queue.bc")
    files = (compiler, *(compiler.parent.parent / "lib" / name for name in linked))
    stamps = [file.stat() for file in files if file.exists()]
    return f"{compiler} " + " ".join(f"{stamp.st_mtime_ns} {stamp.st_size}" for stamp in stamps)


def _check_version(library: Library) -> None:
    """Raises CompileError for what another version's compiler has built."""
    built_by = library.manifest.get("ember")
    if built_by != ember.__version__:
        raise CompileError(
            f"{find_tool('emberc')} is of version {built_by}, and this package of "
            f"{ember.__version__}: install the package again, or name the folder of its own "
            "emberc in EMBER_BIN_DIR"
        )


def _load_or_build(key: str, text: str | Notation, options: Options) -> Library:
    began = time.time()
    name = text.text if isinstance(text, Notation) else name_of(text)
    if (path := cache.look_up(key)) is not None:
        try:
            library = Library(path, trusted=True)
        except CompileError as error:
            _log.warning("a damaged kernel in the cache is built anew: %s", error)
            cache.forget(key)
        else:
            _log.debug("found %s in %.3f s: %s", name, time.time() - began, path)
            return library
    # emberc keeps the library in the cache, or writes it aside where there is no usable cache; it
    # may then go as soon as it is loaded.
    try:
        with tempfile.TemporaryDirectory(prefix="ember-") as folder:
            aside = Path(folder) / "libkernel.so"
            words = ["--print-cache-path", f"--cache-dir={cache.folder()}", "-o", str(aside)]
            path = Path(run_compiler(text, [*options.arguments(), *words]).strip())
            library = Library(path, trusted=True)
            _check_version(library)
            # emberc may have found it, too: in a cache without this index.
            is_new = path.stat().st_mtime >= began - 1
    except OSError as error:
        raise CompileError(f"cannot keep a new kernel in a temporary folder: {error}") from error
    verb, level = ("built", logging.INFO) if is_new else ("found", logging.DEBUG)
    _log.log(level, "%s %s for %s in %.2f s", verb, name, options.target, time.time() - began)
    if path == aside:
        warn_once(
            "kept kernels",
            f"new kernels cannot be kept in '{cache.folder()}', and each process compiles them "
            "again: EMBER_LOG=warning shows why; name a folder in EMBER_CACHE_DIR that can be "
            "written to",
        )
    else:
        cache.record(key, path)
    return library
