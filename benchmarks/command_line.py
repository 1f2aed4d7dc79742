"""What the commands of benchmarks with results of their own have in common: options, progress, and
what is said of the machine.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import os
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch

from benchmarks.cpu.setting import all_threads

# Processes that were waiting or running, beside this one, from which on times mean little.
BUSY_LOAD = 0.5


def parser_of(
    name: str, about: str, file: Path, quick: str, only: str, seconds: str, threads: str = ""
) -> argparse.ArgumentParser:
    """The options of `./run bench NAME`; file: where results go, the others: texts of the help."""
    parser = argparse.ArgumentParser(prog=f"./run bench {name}", description=about)
    parser.add_argument("--quick", action="store_true", help=quick)
    parser.add_argument(
        "--json",
        metavar="FILE",
        type=Path,
        default=file,
        help=f"where results go, and plots beside them (default: {file})",
    )
    parser.add_argument("--only", metavar="TEXT", help=only)
    parser.add_argument("--seconds", type=float, help=seconds)
    parser.add_argument(
        "--threads",
        metavar="N",
        type=thread_count,
        nargs="+",
        help=f"numbers of threads (default: 1 and all processors{threads})",
    )
    return parser


def thread_count(text: str) -> int:
    """Checks an N of --threads."""
    if not text.isdecimal() or not 1 <= int(text) <= all_threads():
        raise argparse.ArgumentTypeError(
            f"{text!r} is no number of threads from 1 to the {all_threads()} processors"
        )
    return int(text)


def about_run(options: argparse.Namespace) -> dict[str, Any]:
    """What results depend on besides the code: the machine, versions, options."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "processor": processor_name(),
        "processors": all_threads(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "quick": options.quick,
        "only": options.only,
        "load": round(os.getloadavg()[0], 2),
    }


def processor_name() -> str:
    """What the system calls the processor."""
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()


def warn_of_load(about: dict[str, Any]) -> None:
    """Says so if other processes were running when the run began."""
    if about["load"] > BUSY_LOAD:
        print(f"warning: the machine is busy (load {about['load']}): times are unreliable")


def show_progress(text: str) -> None:
    """One line that the next one replaces, on a terminal."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text[:110]}", end="", file=sys.stderr, flush=True)
