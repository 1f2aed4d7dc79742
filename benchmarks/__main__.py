"""Runs the benchmarks that are named, or all of them.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import sys
from collections.abc import Callable, Sequence

from benchmarks import (
    calls,
    compile_time,
    dataflow,
    huge_pages,
    pipelines,
    planning,
    sam,
    shared_threads,
    sweeps,
    validation,
)
from benchmarks.cpu import ablation, command, long_rows, prefetches, stores
from benchmarks.models import command as models
from benchmarks.notation import command as notation
from benchmarks.notation import lookups, tiles

BENCHMARKS: dict[str, Callable[[], None]] = {
    "calls": calls.main,
    "compile": compile_time.main,
    "huge-pages": huge_pages.main,
    "pipelines": pipelines.main,
    "planning": planning.main,
    "prefetches": prefetches.main,
    "sam": sam.main,
    "shared-threads": shared_threads.main,
}
# With options of their own.
ALONE: dict[str, Callable[[Sequence[str]], int]] = {
    "ablation": ablation.main,
    "cpu": command.main,
    "dataflow": dataflow.main,
    "long-rows": long_rows.main,
    "lookups": lookups.main,
    "models": models.main,
    "notation": notation.main,
    "stores": stores.main,
    "sweeps": sweeps.main,
    "tiles": tiles.main,
    "validation": validation.main,
}


def benchmark_name(name: str) -> str:
    """Checks a NAME of the command line."""
    if name not in BENCHMARKS:
        known = ", ".join([*BENCHMARKS, *(f"{one} (alone)" for one in ALONE)])
        raise argparse.ArgumentTypeError(f"no benchmark {name!r}; there are: {known}")
    return name


def main() -> int:
    if sys.argv[1:] and sys.argv[1] in ALONE:
        return ALONE[sys.argv[1]](sys.argv[2:])
    parser = argparse.ArgumentParser(
        prog="./run bench",
        description="Measures and reports; nothing fails for being slow.",
        epilog="; ".join(
            f"{name}: {(sys.modules[function.__module__].__doc__ or '').splitlines()[0]}"
            for name, function in BENCHMARKS.items()
        )
        + f"; alone, with options of their own: {', '.join(ALONE)}, see './run bench cpu --help'",
    )
    parser.add_argument("names", nargs="*", type=benchmark_name, metavar="NAME")
    for name in parser.parse_args().names or BENCHMARKS:
        print(f"== {name}", flush=True)
        BENCHMARKS[name]()
    return 0


if __name__ == "__main__":
    sys.exit(main())
