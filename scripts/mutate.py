"""Feeds damaged programs to the tools: each has to end well or say what is wrong.

    mutate.py [--count N] [--seed S] [--jobs J] [--keep FOLDER] FILE-OR-FOLDER...

Every valid program of the .mlir files is damaged at random (tokens and lines deleted, repeated or
exchanged; numbers, sizes, names, types and operands replaced; targets of any kind named) and goes
through the pipelines, single passes with options of any value, the compiler and ember-run. A run
fails when a tool dies of a signal or an assertion, hangs, ends with a status other than 0 and 1,
with 1 and no error message, or makes another text of the same program the second time. Failures are
kept as FOLDER/SEED-NUMBER.mlir, which begins with the command that failed. The programs depend on
the seed alone.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import concurrent.futures
import os
import random
import re
import resource
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from npy import DTYPES

TIME_LIMIT_S = 60
MEMORY_LIMIT = 8 << 30

LEVELS = ("--scf-to-slc", "--optimize", "--slc-to-dlc")
PIPELINES = [
    ["--canonicalize", "--cse"],
    ["--cin-to-scf"],
    ["--cin-concretize", "--canonicalize", "--convert-cin-to-scf"],
    ["--cin-insert-workspaces", "--cin-concretize", "--convert-cin-to-scf"],
    [
        "--cin-schedule",
        "--cin-insert-workspaces",
        "--cin-concretize",
        "--cin-derive-iteration",
        "--cin-expand-encodings=lists",
        "--cin-expand-formats",
        "--cin-expand-encodings",
        "--convert-cin-to-scf",
    ],
    ["--cin-expand-encodings", "--convert-cin-to-scf"],
    ["--cin-derive-iteration", "--convert-cin-to-scf", "--canonicalize"],
    [LEVELS[0]],
    [LEVELS[1]],
    [LEVELS[2]],
    list(LEVELS[:2]),
    list(LEVELS),
    [LEVELS[0], LEVELS[2]],
    [LEVELS[0], "--convert-slc-to-scf"],
    [*LEVELS[:2], "--convert-slc-to-scf"],
    ["--convert-slc-to-scf", "--dlc-to-ring"],
    ["--dlc-to-ring", "--ring-to-native"],
    ["--dlc-to-ring=half=compute", "--canonicalize", "--cse"],
    ["--convert-slc-to-scf", "--convert-dlc-to-llvm"],
    ["--convert-slc-to-scf", "--convert-dlc-to-llvm", "--lower-to-native"],
]

TOKEN = re.compile(
    r"""[%@^#!]?[\w$.-]*\w | "(?:[^"\\]|\\.)*" | -> | :: | == | [^\s\w]""", re.VERBOSE
)
NUMBERS = ["0", "1", "-1", "2", "7", "64", "65537", "4294967296", "9223372036854775807", "0.5"]
SIZES = ["1", "3", "4", "16", "1025", "4294967296", "4611686018427387904"]
SIZES += ["9223372036854775807"]
#: Of the runtime, of generated functions, and of the C library.
NAMES = ["ember_fail_index", "ember_kernel_f", "memcpy", "expf", "malloc", "main"]
#: Fields of a target: processors, features and triples that fit each other or do not.
TRIPLES = ["", "x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "i686-linux-gnu"]
TRIPLES += ["aarch64_be-linux-gnu", "x86_64-pc-windows-msvc", "x86_64-linux-wasm"]
FEATURES = ["", "+avx2", "-sse2", "-64bit", "+16bit-mode", "+sve,+sve2", "-neon", "+help", "+"]
TARGETS = {
    "triple": TRIPLES,
    "cpu": ["generic", "native", "i386", "x86-64-v4", "haswell", "neoverse-v1", "cortex-a53", ""],
    "features": FEATURES,
}
FIELDS = ["vector_bits", "vector_registers", "cache_line_bytes", "second_cache_bytes"]
FIELDS += ["outstanding_lines"]
TYPES = [*DTYPES, "i4", "tensor<4xf32>"]
TYPES += ["memref<?xf32>", "memref<?x?xf32>", "memref<f32>", "vector<8xf32>", "vector<4xindex>"]
TYPES += ["!slc.stream<index>", "!slc.stream<vector<8xf32>>", "!slc.buffer<f32>", "!dlc.tu"]
TYPES += ["!ring.data<8>", "!ring.data<64>", "!ring.tokens", "!ring.tokens<2>", "!ring.slot<f32>"]
TYPES += ["memref<4x8xf32, strided<[1, 4], offset: 2>>", "memref<?xindex, 1>", "vector<[4]xf32>"]

#: Passes whose options take numbers. Vectors of any length may take long, of a few lanes do not.
COUNTS = ["-1", "0", "1", "3", "4", "7", "12", "16", "48", "64"]
OPTIONS = {
    "--optimize": {
        "vector-length": [*COUNTS, "65536"],
        "opt-level": ["0", "1", "2", "3", "4", "9"],
        "alignment": ["auto", "counters", "pad", "addresses"],
    },
    "--slc-to-dlc": {"opt-level": ["0", "3", "4", "9"], "token-values": ["none", "auto", "any"]},
    "--choose-cache-hints": {"l2-bytes": NUMBERS[:-1]},
    "--prefetch-lookups": {"distance": COUNTS, "line-bytes": COUNTS, "min-table-bytes": COUNTS},
    "--interleave-reductions": {"most": COUNTS, "vector-registers": COUNTS},
    "--unroll-lookups": {"vector-registers": COUNTS, "vector-bits": ["0", "128", "512"]},
    "--strip-rows": {"vector-registers": COUNTS, "vector-bits": ["0", "128", "512"]},
    "--stream-stores": {"min-output-bytes": COUNTS, "line-bytes": COUNTS},
    "--peel-masks": {"most-operations": COUNTS},
    "--lower-to-native": {"opt-level": ["0", "1", "3", "4", "9"], "prefetch-distance": COUNTS},
}


@dataclass
class Outcome:
    """What one run of one tool led to; `failure` says what is wrong with it, if anything is."""

    command: list[str]
    status: int
    failure: str | None


def judge(command: list[str], may_run_on: bool = False) -> Outcome:
    """Runs a tool under limits. `may_run_on`: the program itself may loop for ever."""

    def limit() -> None:
        # A sanitizer reserves more addresses than there is memory.
        if "ASAN_OPTIONS" not in os.environ:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    seconds = 5 if may_run_on else TIME_LIMIT_S
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=seconds, preexec_fn=limit, check=False
        )
    except subprocess.TimeoutExpired:
        failure = None if may_run_on else f"did not end within {seconds} s"
        return Outcome(command, 1, failure)
    errors = done.stderr.decode(errors="replace")
    failure = None
    if done.returncode < 0:
        failure = f"died of signal {-done.returncode}"
    elif done.returncode > 1:
        failure = f"ended with status {done.returncode}"
    elif match := re.search(r"Assertion|UNREACHABLE|LLVM ERROR|PLEASE submit|Sanitizer", errors):
        failure = f"printed '{match.group()}'"
    elif done.returncode == 1 and not re.search(r"error|for the --\S+ option:", errors):
        failure = "failed without an error message"
    if failure is not None:
        failure += "\n" + errors[-2000:]
    return Outcome(command, done.returncode, failure)


def split_programs(path: Path) -> list[str]:
    """The programs of one file, without its comments and what they ask of a test."""
    programs = re.split(r"^// -----.*$", path.read_text(), flags=re.MULTILINE)
    return [re.sub(r"^\s*//.*\n", "", text, flags=re.MULTILINE).strip() for text in programs]


def delete(choose: random.Random, parts: list[str]) -> None:
    del parts[choose.randrange(len(parts))]


def repeat(choose: random.Random, parts: list[str]) -> None:
    at = choose.randrange(len(parts))
    parts.insert(at, parts[at])


def move(choose: random.Random, parts: list[str]) -> None:
    part = parts.pop(choose.randrange(len(parts)))
    parts.insert(choose.randrange(len(parts) + 1), part)


def exchange(choose: random.Random, parts: list[str]) -> None:
    a, b = choose.randrange(len(parts)), choose.randrange(len(parts))
    parts[a], parts[b] = parts[b], parts[a]


def exchange_neighbours(choose: random.Random, parts: list[str]) -> None:
    at = choose.randrange(max(len(parts) - 1, 1))
    parts[at : at + 2] = parts[at : at + 2][::-1]


def replace(pattern: str, values: list[str] | None) -> Callable[[random.Random, str], str]:
    """Replaces one match by one of `values`, or by what another match says."""

    def mutate(choose: random.Random, text: str) -> str:
        matches = list(re.finditer(pattern, text))
        if not matches:
            return text
        match = choose.choice(matches)
        new = choose.choice(values) if values else choose.choice(matches).group()
        return text[: match.start()] + new + text[match.end() :]

    return mutate


def replace_everywhere(choose: random.Random, text: str) -> str:
    """Replaces a type wherever it stands, so that the program stays consistent."""
    scalars = [name for name in TYPES if re.fullmatch(r"\w+", name)]
    found = [name for name in scalars if re.search(rf"(?<![\w%]|0)x?{name}\b", text)]
    if not found:
        return text
    old, new = choose.choice(found), choose.choice(scalars)
    return re.sub(rf"(?<![\w%.])((?:[\d?]+x)*){old}\b", rf"\g<1>{new}", text)


def replace_size(choose: random.Random, text: str) -> str:
    """Replaces a size of a memref, vector or tensor wherever its type stands."""
    types = re.findall(r"(?:memref|vector|tensor)<(?:[\d?]+x)+\w+", text)
    if not types:
        return text
    old = choose.choice(types)
    at = choose.choice(list(re.finditer(r"[\d?]+(?=x)", old)))
    return text.replace(old, old[: at.start()] + choose.choice(SIZES) + old[at.end() :])


def rename_function(choose: random.Random, text: str) -> str:
    """Gives a function or global a name that is taken elsewhere."""
    names = re.findall(r"(?:func|global)\b[^@\n]*@([\w.$-]+)", text)
    if not names:
        return text
    return re.sub(rf"@{re.escape(choose.choice(names))}\b", f"@{choose.choice(NAMES)}", text)


def set_target(choose: random.Random, text: str) -> str:
    """Says in the module what it is for, in a few words of any meaning."""
    fields = [
        f'{name} = "{choose.choice(values)}"'
        for name, values in TARGETS.items()
        if choose.random() < 0.7
    ]
    if choose.random() < 0.3:
        fields.append(f"{choose.choice(FIELDS)} = {choose.choice(NUMBERS[:-1])}")
    target = f"ember.target = #ember.target<{', '.join(fields)}>"
    if "ember.target" in text:
        return re.sub(r"ember\.target = #ember\.target<[^>]*>", target, text)
    if re.search(r"^module\b", text, re.MULTILINE):
        return text
    return f"module attributes {{{target}}} {{\n{text}\n}}"


def in_parts(
    mutate: Callable[[random.Random, list[str]], None], pattern: str
) -> Callable[[random.Random, str], str]:
    """Mutates the text as a list of lines or tokens."""

    def apply(choose: random.Random, text: str) -> str:
        parts = re.findall(pattern, text, re.VERBOSE) if pattern else text.split("\n")
        if parts:
            mutate(choose, parts)
        return ("" if pattern else "\n").join(parts)

    return apply


# Tokens with the space in front of them: joined, they are the text again.
SPACED_TOKEN = rf"\s*(?:{TOKEN.pattern})"
LIST_MUTATIONS = (delete, repeat, move, exchange, exchange_neighbours)
MUTATIONS: list[Callable[[random.Random, str], str]] = [
    *(in_parts(mutate, "") for mutate in LIST_MUTATIONS),
    *(in_parts(mutate, SPACED_TOKEN) for mutate in LIST_MUTATIONS),
]
# These mostly leave a program that parses, and so reach further.
CONSISTENT_MUTATIONS: list[Callable[[random.Random, str], str]] = [
    replace(r"(?<![\w%#@.])-?\d+(?:\.\d+)?\b", NUMBERS),
    replace(r"(?<![\w%#@.])-?\d+(?:\.\d+)?\b", None),
    replace(r"(?:memref|vector|tensor|!\w+\.\w+)<[^<>()]*>|\b(?:index|[if]\d+)\b", TYPES),
    replace(r"(?:memref|vector|tensor|!\w+\.\w+)<[^<>()]*>|\b(?:index|[if]\d+)\b", None),
    replace(r"%\w+(?:#\d+)?(?!\s*=|\w|:)", None),
    replace(r"(?<=[\s\"])(?:arith|math|memref|vector|slcv?|dlc|scf|func)\.\w+", None),
    replace_everywhere,
    replace_size,
    rename_function,
    set_target,
]


def mutate_program(choose: random.Random, text: str) -> str:
    for _ in range(choose.choice((1, 1, 1, 2, 3))):
        kinds = CONSISTENT_MUTATIONS if choose.random() < 0.75 else MUTATIONS
        text = choose.choice(kinds)(choose, text)
    return text


def make_argument(choose: random.Random, type_text: str, path: Path) -> str:
    """An argument that fits a parameter of the type, as well as a guess can."""
    match = re.match(r"memref<((?:[\d?]+x)*)(\w+)", type_text)
    if match is None:
        if type_text.startswith(("f", "bf")):
            return choose.choice(["0.5", "-1.0", "2.0"])
        return "true" if type_text == "i1" else choose.choice(["0", "1", "2", "4"])
    extents = [extent for extent in match.group(1).split("x") if extent]
    shape = [4 if extent == "?" else min(int(extent), 64) for extent in extents]
    dtype = DTYPES.get(match.group(2), np.int64)
    values = np.array([choose.randrange(4) for _ in range(int(np.prod(shape)))])
    if values.ndim and choose.random() < 0.5:
        values.sort()
    np.save(path, values.reshape(shape).astype(dtype))
    return f"@{path}"


def entry_command(choose: random.Random, text: str, file: Path) -> list[str] | None:
    """Runs the first function of the program on made-up arguments."""
    match = re.search(
        r"func\.func\s+(?:public\s+)?@([\w.$-]+)\((.*?)\)\s*(?:->|attributes|{)", text
    )
    if match is None:
        return None
    depth, types, current = 0, [], ""
    for character in match.group(2) + ",":
        depth += (character in "<({[") - (character in ">)}]")
        if character == "," and depth == 0:
            types.append(current.partition(":")[2].strip())
            current = ""
        else:
            current += character
    arguments = [
        make_argument(choose, type_text, file.with_suffix(f".{index}.npy"))
        for index, type_text in enumerate(types)
        if type_text
    ]
    options = choose.choice([[], ["--target=cpu"], ["--target=dae-threads"], ["-O0"]])
    return ["ember-run", str(file), f"--entry={match.group(1)}", *options, "--", *arguments]


def draw_pass(choose: random.Random) -> list[str]:
    """A pass with an option or two."""
    name = choose.choice(list(OPTIONS))
    options = choose.sample(list(OPTIONS[name]), min(choose.choice((1, 1, 2)), len(OPTIONS[name])))
    values = " ".join(f"{option}={choose.choice(OPTIONS[name][option])}" for option in options)
    front = [LEVELS[0]] if name == "--optimize" else []
    return [*front, f"{name}={values}"]


def run_twice(file: Path, passes: list[str]) -> list[Outcome]:
    """The text that passes make of a program depends on nothing but the program."""
    texts = [file.with_suffix(f".text{number}") for number in range(2)]
    outcomes = [judge(["ember-opt", str(file), *passes, "-o", str(text)]) for text in texts]
    if all(outcome.status == 0 for outcome in outcomes):
        first, second = (text.read_text() for text in texts)
        if first != second:
            outcomes[1].failure = "made another text than the first time"
    return outcomes


def run_program(text: str, choose: random.Random, file: Path) -> list[Outcome]:
    """Every way of the tools that is open to the program."""
    file.write_text(text)
    outcomes = [judge(["ember-opt", str(file), "-o", "/dev/null"])]
    if outcomes[0].status != 0:
        return outcomes
    for passes in [*choose.sample(PIPELINES, 3), draw_pass(choose)]:
        outcomes.append(judge(["ember-opt", str(file), *passes, "-o", "/dev/null"]))
    if choose.random() < 0.2:
        outcomes += run_twice(file, choose.choice(PIPELINES[-3:]))
    target = choose.choice(["--target=cpu", "--target=dae-threads"])
    level = choose.choice(["-O0", "-O3", "-O4"])
    outcomes.append(judge(["emberc", str(file), "--emit=obj", target, level, "-o", f"{file}.o"]))
    if command := entry_command(choose, text, file):
        outcomes.append(judge(command, may_run_on=True))
    return outcomes


@dataclass
class Campaign:
    """All programs of one call."""

    programs: list[str]
    seed: int
    folder: Path
    kept: Path

    def run(self, number: int) -> tuple[bool, str | None]:
        """Runs one damaged program: whether it still parsed, and what failed."""
        choose = random.Random(self.seed * 1_000_003 + number)
        text = mutate_program(choose, choose.choice(self.programs))
        file = self.folder / f"{number}.mlir"
        outcomes = run_program(text, choose, file)
        for path in self.folder.glob(f"{number}.*"):
            if not any(outcome.failure for outcome in outcomes):
                path.unlink()
        report = None
        for outcome in outcomes:
            if outcome.failure is None:
                continue
            self.kept.mkdir(parents=True, exist_ok=True)
            for path in self.folder.glob(f"{number}.*"):
                (self.kept / f"{self.seed}-{path.name}").write_bytes(path.read_bytes())
            kept = self.kept / f"{self.seed}-{number}.mlir"
            command = shlex.join(outcome.command).replace(str(file.with_suffix("")), str(kept)[:-5])
            kept.write_text(f"// {command}\n{text}\n")
            report = f"{command}\n  {outcome.failure}"
            break
        return outcomes[0].status == 0, report


def is_valid(text: str, folder: Path, number: int) -> bool:
    file = folder / f"valid{number}.mlir"
    file.write_text(text)
    return judge(["ember-opt", str(file), "-o", "/dev/null"]).status == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", nargs="+", type=Path, metavar="FILE-OR-FOLDER")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first program")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", type=Path, default=Path("mutate-failures"))
    arguments = parser.parse_args()
    files = [
        file
        for source in arguments.sources
        for file in (sorted(source.rglob("*.mlir")) if source.is_dir() else [source])
    ]
    candidates = [text for file in files for text in split_programs(file) if text]
    with (
        tempfile.TemporaryDirectory(prefix="ember-mutate-") as name,
        concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool,
    ):
        folder = Path(name)
        valid = pool.map(
            lambda pair: is_valid(pair[1], folder, pair[0]), list(enumerate(candidates))
        )
        programs = [text for text, fits in zip(candidates, valid, strict=True) if fits]
        if not programs:
            parser.error("no valid program in " + " ".join(map(str, files)))
        campaign = Campaign(programs, arguments.seed, folder, arguments.keep)
        numbers = range(arguments.first, arguments.first + arguments.count)
        parsed, failed = 0, 0
        for still_parsed, report in pool.map(campaign.run, numbers):
            parsed += still_parsed
            if report is not None:
                failed += 1
                print(f"FAILED: {report}", flush=True)
    print(
        f"{arguments.count} damaged programs out of {len(programs)} valid ones: "
        f"{parsed} still parsed, {failed} failed"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
