"""ember.doctor: what is found of what Ember needs, what is missing, and what to do about it.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import importlib.metadata
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import torch

from ember import cache, configuration, native, threads
from ember.bag_programs import ENTRY, BagShape, bag_program
from ember.compiler import Options, find_tool, run_compiler
from ember.errors import CompilerNotFoundError, EmberError
from ember.kernel import Library
from ember.stages import TARGETS
from ember.torch.capture import direct_call, private_names

TOOLS = ("emberc", "ember-opt", "ember-run")
# What emberc links into kernels, and how these files begin.
LINKED = {"libember_runtime.a": b"!<arch>\n", "ember_queue.bc": b"BC\xc0\xde"}
LINKERS = ("ld.lld-22", "ld.lld")
LINKER_FOLDER = "/usr/lib/llvm-22/bin"
# Bytes that a few kernels take, of 50 kB each.
LEAST_ROOM = 1 << 20
OLDEST_TORCH = (2, 13)
# Packages that something takes where they are there, and what.
OPTIONAL = {
    "torch_geometric": "its layers compile with backend='ember'",
    "scipy": "benchmarks",
    "matplotlib": "plots of the demonstration and the benchmarks",
    "fbgemm_gpu": "a peer in the CPU benchmark",
}
# Instruction sets that code is generated for, by the names in /proc/cpuinfo.
FEATURES = ("avx2", "fma", "avx512f", "avx512_bf16", "amx_tile", "asimd", "sve", "bf16")
INSTALL = "run './run setup' in a checkout, or 'pip install .'"


@dataclass(frozen=True)
class Finding:
    """One thing that was looked for: ok, or advice on what to do; optional ones may be missing."""

    name: str
    ok: bool
    what: str
    advice: str = ""
    optional: bool = False

    def line(self) -> str:
        """For a person to read."""
        mark = "ok" if self.ok else "--" if self.optional else "MISSING"
        lines = self.what.splitlines() or [""]
        if not self.ok and self.advice:
            lines.append(f"-> {self.advice}")
        return f"\n{'':29}".join([f"{mark:8} {self.name:20}{lines[0]}", *lines[1:]])


def doctor(file: TextIO | None = None) -> bool:
    """Prints what is found of what Ember needs and what to do about the rest; whether all is well.

    file: where to print; standard output by default. Compiles and runs a kernel. Optional packages
    that are missing are listed, and no fault. 'python -m ember' does the same, and exits with 1
    where something is missing.
    """
    return report(findings(), file or sys.stdout)


def report(found: Iterable[Finding], file: TextIO) -> bool:
    """Prints findings as they come; whether nothing is missing that is needed."""
    well = True
    for finding in found:
        print(finding.line(), file=file, flush=True)
        well &= finding.ok or finding.optional
    print("all is well" if well else "something is missing: see above", file=file)
    return well


def ember_version() -> str:
    """The version of this package."""
    version: str = sys.modules["ember"].__version__
    return version


def findings() -> Iterator[Finding]:
    """Everything that is looked for, one after the other."""
    yield _versions()
    yield _torch()
    yield from _private_names()
    yield from _tools()
    yield _linker()
    yield _runtime()
    yield _calls()
    yield _cache()
    yield _processor()
    yield _threads()
    yield _backend()
    yield _short_path()
    yield _variables()
    yield from _optional_packages()
    for target in TARGETS:
        yield _self_test(target)


def _versions() -> Finding:
    place = Path(__file__).resolve().parent
    what = f"{ember_version()} in {place}, Python {platform.python_version()}"
    return Finding("ember", True, what)


def _torch() -> Finding:
    version = torch.__version__
    found = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    oldest = ".".join(map(str, OLDEST_TORCH))
    what = str(version)
    if ".".join(map(str, found)) not in private_names.TESTED_RELEASES:
        what += f"; tested are {', '.join(private_names.TESTED_RELEASES)}"
    return Finding(
        "torch",
        found >= OLDEST_TORCH,
        what,
        f"Ember needs PyTorch {oldest} or newer: pip install 'torch>={oldest}'",
    )


def _private_names() -> Iterator[Finding]:
    """What is off as PyTorch has moved something that is no interface of it."""
    for feature in private_names.features_off():
        names = ", ".join(private_names.missing(feature))
        what = f"{feature.title}: off, PyTorch {torch.__version__} has no {names}"
        yield Finding("torch, inside", False, what, feature.without, optional=True)


def _tools() -> Iterator[Finding]:
    for name in TOOLS:
        try:
            path = find_tool(name)
        except CompilerNotFoundError as error:
            yield Finding(name, False, str(error).split(";")[0], INSTALL)
            continue
        yield _tool(name, path)


def _tool(name: str, path: Path) -> Finding:
    wanted = configuration.text("EMBER_BIN_DIR")
    if wanted is not None and path.parent != Path(wanted):
        advice = "name its folder, or unset EMBER_BIN_DIR"
        return Finding(name, False, f"EMBER_BIN_DIR is {wanted}, but it is {path}", advice)
    try:
        command = [str(path), "--version"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding(name, False, f"{path} does not run: {error}", INSTALL)
    if done.returncode != 0:
        reason = done.stderr.strip() or f"status {done.returncode}"
        advice = INSTALL
        if "shared libraries" in reason:
            advice = "install LLVM's and MLIR's libraries: apt-get install libmlir-22 libllvm22"
        return Finding(name, False, f"{path} does not run: {reason}", advice)
    version = (done.stdout.splitlines() or [""])[0].removeprefix(name).strip()
    if name == "emberc" and version.split(" ")[0] != ember_version():
        what = f"{path} is of version {version.split(' ')[0]}, the package of {ember_version()}"
        return Finding(name, False, what, INSTALL)
    return Finding(name, True, f"{version}: {path}")


def _linker() -> Finding:
    for name in LINKERS:
        if path := shutil.which(name) or shutil.which(name, path=LINKER_FOLDER):
            return Finding("linker", True, path)
    what = f"neither {' nor '.join(LINKERS)} on the PATH or in {LINKER_FOLDER}"
    return Finding("linker", False, what, "apt-get install lld-22")


def _runtime() -> Finding:
    try:
        program = find_tool("emberc").resolve()
    except CompilerNotFoundError:
        return Finding("runtime", False, "goes with emberc", INSTALL)
    places = (program.parent.parent / "lib", program.parent)
    found = []
    for name, magic in LINKED.items():
        path = next((place / name for place in places if (place / name).exists()), None)
        if path is None:
            return Finding("runtime", False, f"no {name} in {places[0]}", INSTALL)
        try:
            with path.open("rb") as opened:
                begins = opened.read(len(magic))
        except OSError as error:
            return Finding("runtime", False, f"cannot read it: {error}", INSTALL)
        if begins != magic:
            return Finding("runtime", False, f"{path} is damaged", INSTALL)
        found.append(str(path))
    return Finding("runtime", True, ", ".join(found))


def _calls() -> Finding:
    if native.Call is None:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        what = f"no compiled calls for Python {version}: calls take microseconds more"
        return Finding("ember_calls", False, what, INSTALL, optional=True)
    return Finding("ember_calls", True, str(native.PATH))


def _cache() -> Finding:
    folder = cache.cache_root()
    if reason := cache.why_not_used(folder):
        advice = (
            "make it yours alone (chown, chmod go-w), name another folder in EMBER_CACHE_DIR, or "
            "set EMBER_CACHE_SHARED=1 if it is shared on purpose"
        )
        return Finding("cache", False, f"{folder} is not used: {reason}", advice)
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        advice = "name a folder that can be written to in EMBER_CACHE_DIR"
        return Finding("cache", False, f"cannot write to {folder}: {error.strerror}", advice)
    room = shutil.disk_usage(folder).free
    if room < LEAST_ROOM:
        what = f"there are {room} bytes left in {folder}: new kernels cannot be kept"
        return Finding("cache", False, what, "make room, or name another folder in EMBER_CACHE_DIR")
    kernels, size = 0, 0
    for place, _, names in os.walk(folder):
        for name in names:
            kernels += name == "kernel.so"
            try:
                size += os.stat(os.path.join(place, name)).st_size
            except OSError:
                continue  # removed meanwhile
    bound = configuration.text("EMBER_CACHE_SIZE") or "1G"
    what = f"{folder}: {kernels} kernels, {size / 1e6:.1f} MB of {bound}"
    return Finding("cache", True, what)


def _processor() -> Finding:
    words = set(cache.host_cpu().split())
    features = [feature for feature in FEATURES if feature in words]
    what = f"{platform.machine()} with {', '.join(features) or 'no vector instructions known'}"
    is_known = platform.machine() in ("x86_64", "aarch64")
    return Finding("processor", is_known, what, "kernels are built for x86-64 and AArch64")


def _threads() -> Finding:
    available = len(os.sched_getaffinity(0))
    number = f"{threads.get_num_threads()} of {available} processors"
    sharing = threads.sharing()
    whose = "PyTorch's while they are awake" if sharing.team else f"own ones: {sharing.why_not}"
    return Finding("threads", True, f"{number}; {whose}")


def _backend() -> Finding:
    if importlib.util.find_spec("ember.torch.capture.backend") is None:
        return Finding("torch.compile", False, "no backend in this package", INSTALL)
    if "ember" in torch.compiler.list_backends(exclude_tags=()):
        return Finding("torch.compile", True, "backend='ember'")
    advice = f"pass ember.torch.capture.backend.ember_backend itself, or {INSTALL}"
    return Finding("torch.compile", False, "backend='ember' is not registered", advice)


def _short_path() -> Finding:
    """Captures a function, and calls what was captured as ember.compile does."""
    if reason := direct_call.direct_calls.why_not():
        return Finding(
            "short path", False, reason, private_names.DIRECT_CALLS.without, optional=True
        )
    return Finding("short path", True, "calls of ember.compile go past torch.compile's wrapper")


def _variables() -> Finding:
    if misspelt := configuration.misspelt_variables():
        what = f"Ember knows no {', '.join(misspelt)}"
        advice = f"perhaps {', '.join(misspelt.values())}?"
        return Finding("environment", False, what, advice, optional=True)
    known = []
    for variable in configuration.VARIABLES:
        value = configuration.text(variable.name)
        if value is None:
            continue
        known.append(f"{variable.name}={value}")
        if not variable.is_well(value):
            what = f"{known[-1]} is not what it may be"
            return Finding("environment", False, what, f"{variable.name}: {variable.meaning}")
    return Finding("environment", True, ", ".join(known) or "no variable is set")


def _optional_packages() -> Iterator[Finding]:
    for name, use in OPTIONAL.items():
        if importlib.util.find_spec(name) is None:
            yield Finding(name, False, f"not installed; for {use}", optional=True)
            continue
        try:
            version = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            version = "installed"
        yield Finding(name, True, f"{version}; for {use}", optional=True)


def _self_test(target: str) -> Finding:
    name = f"kernel, {target}"
    if configuration.is_disabled():
        return Finding(name, True, "not tried: EMBER_DISABLE leaves everything to PyTorch")
    try:
        seconds, processor = _compile_and_run(target)
    except EmberError as error:
        return Finding(name, False, str(error), "see above what is missing")
    return Finding(name, True, f"compiled for {processor} and run in {seconds:.2f} s")


def _compile_and_run(target: str) -> tuple[float, str]:
    """Seconds it took, and the processor that code was generated for; raises EmberError."""
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="ember-") as folder:
        path = Path(folder) / "libkernel.so"
        # Not through the cache: it would be found there instead of compiled.
        words = [*Options(target=target).arguments(), "--no-cache", "-o", str(path)]
        run_compiler(bag_program(BagShape(4)), words)
        library = Library(path, trusted=True)
    table = torch.arange(40, dtype=torch.float32).reshape(10, 4)
    indices, offsets = torch.tensor([3, 1, 4, 1, 5]), torch.tensor([0, 2, 5])
    out = torch.full((2, 4), -1.0)
    library.entry(ENTRY)(table, indices, offsets, out)
    expected = torch.stack([table[indices[:2]].sum(0), table[indices[2:]].sum(0)])
    if not torch.equal(out, expected):
        raise EmberError(f"a kernel computed {out.tolist()}, not {expected.tolist()}")
    return time.perf_counter() - began, library.manifest["cpu"]
