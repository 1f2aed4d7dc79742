"""Code for processors other than this one: each class of operations and type, for each of them.

For other architectures the assembly is assembled, and asks for no function but those that come with
kernels. For processors of this architecture libraries are linked, and called where this machine
has what the processor has.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import itertools
import platform
import re
import shutil
import subprocess
import zlib
from dataclasses import dataclass
from pathlib import Path

import ember
import numpy as np
import pytest
from ember.compiler import run_compiler
from ember.embed_programs import ENTRY, Bag, array, program
from test_embed_values import SCENARIOS, Case, Choice, check, one_of_each_type


@dataclass(frozen=True)
class Processor:
    """A processor; features: what the system calls what it needs more than all of its kind."""

    name: str
    architecture: str
    triple: str = ""
    features: tuple[str, ...] = ()

    def options(self) -> list[str]:
        triple = [f"--mtriple={self.triple}"] if self.triple else []
        return [f"--mcpu={self.name}", *triple]


V2 = ("ssse3", "sse4_2", "popcnt")
V3 = (*V2, "avx2", "fma", "f16c", "bmi2", "movbe")
V4 = (*V3, "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")
PROCESSORS = (
    Processor("x86-64-v2", "x86_64", features=V2),
    Processor("x86-64-v3", "x86_64", features=V3),
    Processor("x86-64-v4", "x86_64", features=V4),
    Processor("neoverse-v1", "aarch64"),
    Processor("apple-m1", "aarch64"),
    Processor("generic", "aarch64", "aarch64-unknown-linux-gnu"),
)
# What kernels may ask for: the runtime's functions, the C library's and its mathematics library's.
KNOWN = re.compile(
    r"ember_\w+|mem(cpy|move|set)|"
    r"(sin|cos|sincos|exp|exp2|expm1|log|log1p|erf|pow|tanh|fma|ceil|floor|rint)f?"
)


def is_here(processor: Processor) -> bool:
    """Whether this machine can run code for the processor."""
    if processor.architecture != platform.machine():
        return False
    words = set(Path("/proc/cpuinfo").read_text().split())
    return words.issuperset(processor.features)


def check_assembly(text: str, processor: Processor, target: str, folder: Path) -> None:
    """Compiles to assembly, assembles that, and looks at what it asks for."""
    assembly = run_compiler(
        text, [*processor.options(), f"--target={target}", "--emit=asm", "-o", "-"]
    )
    triple = processor.triple or f"{processor.architecture}-unknown-linux-gnu"
    code = folder / "kernel.o"
    assembler, reader = shutil.which("llvm-mc-22"), shutil.which("llvm-nm-22")
    assert assembler, "llvm-mc-22 is missing: it comes with llvm-22"
    assert reader, "llvm-nm-22 is missing: it comes with llvm-22"
    subprocess.run(
        [
            assembler,
            f"--triple={triple}",
            f"--mcpu={processor.name}",
            "--filetype=obj",
            "-o",
            str(code),
        ],
        input=assembly,
        text=True,
        check=True,
    )
    symbols = subprocess.run(
        [reader, "--undefined-only", "--format=just-symbols", str(code)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    unknown = [name for name in symbols if not KNOWN.fullmatch(name)]
    assert not unknown, f"code for {processor.name} asks for {', '.join(unknown)}"


def check_values(name: str, case: Case, processor: Processor, target: str) -> None:
    """Compiles to a library and, where the processor is this one's like, runs it."""
    options = ember.Options(target=target, cpu=processor.name)
    entry = ember.load_program(program(case.operation()), options).entry(ENTRY)
    if is_here(processor):
        scenario = Choice(name, processor.name).choice(SCENARIOS)
        problem = case.problem(scenario, np.random.default_rng(zlib.crc32(name.encode())))
        entry(*problem.arguments)
        out = problem.arguments[-1]
        assert isinstance(out, np.ndarray)
        check(out, problem)


@pytest.mark.parametrize("processor", PROCESSORS, ids=[one.name for one in PROCESSORS])
@pytest.mark.parametrize(("name", "case"), list(one_of_each_type()))
def test_every_class_and_type(name: str, case: Case, processor: Processor, tmp_path: Path) -> None:
    target = Choice("target", name, processor.name).choice(("cpu", "cpu", "dae-threads"))
    if processor.architecture == platform.machine() and not processor.triple:
        check_values(name, case, processor, target)
    else:
        check_assembly(program(case.operation()), processor, target, tmp_path)


HERE = [one for one in PROCESSORS if is_here(one)]


@pytest.mark.parametrize("processor", HERE, ids=[one.name for one in HERE])
@pytest.mark.parametrize(
    ("source", "target"), list(itertools.permutations(("f64", "f32", "f16"), 2))
)
def test_conversions_of_half_floats_round_once(
    processor: Processor, source: str, target: str
) -> None:
    """Rows go through one lookup a bag, so that the result is the row in the other type."""
    types = {"f64": np.float64, "f32": np.float32, "f16": np.float16}
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    if source == "f16":
        values = halves
    else:
        # Every half, what lies between two of them, and what is next to either.
        exact = halves[np.isfinite(halves)].astype(np.float64)
        exact.sort()
        between = (exact[:-1] + exact[1:]) / 2
        wide = np.concatenate([exact, between, [65520.0, 65519.9, 1e9, np.inf, np.nan, 2.0**-26]])
        wide = wide.astype(types[source])
        up, down = types[source](np.inf), types[source](-np.inf)
        values = np.concatenate([wide, np.nextafter(wide, up), np.nextafter(wide, down)])
    values = np.resize(values, (len(values) // 16 + 1, 16))
    text = program(
        Bag(
            tables=(array(source, None, 16),),
            indices=array("i64", None),
            segments=array("i64", None),
            out=array(target, None, 16),
            reduction="max",
        )
    )
    entry = ember.load_program(text, ember.Options(cpu=processor.name)).entry(ENTRY)
    out = np.empty(values.shape, types[target])
    entry(values, np.arange(len(values)), np.arange(len(values) + 1), out)
    with np.errstate(over="ignore"):
        expected = values.astype(types[target])
    np.testing.assert_array_equal(out, expected)
