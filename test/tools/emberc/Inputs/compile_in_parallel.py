"""Starts many emberc on one program and one cache; kills some of them while they compile.

    compile_in_parallel.py PROGRAM.mlir FOLDER

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ctypes
import subprocess
import sys
import time
from pathlib import Path


def start(program: str, cache: Path, *options: str) -> "subprocess.Popen[str]":
    """An emberc that prints where in the cache the library is."""
    command = ["emberc", program, f"--cache-dir={cache}", "--print-cache-path", *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def finish(process: "subprocess.Popen[str]") -> str:
    """The library that an emberc printed, loaded once to see that it is whole."""
    library = process.communicate()[0].strip()
    assert process.returncode == 0, f"emberc ended with {process.returncode}"
    assert ctypes.CDLL(library).ember_kernel_bag
    return library


def main() -> int:
    program, folder = sys.argv[1], Path(sys.argv[2])
    shared = folder / "shared"
    processes = [start(program, shared) for _ in range(8)]
    libraries = {finish(process) for process in processes}
    print(f"{len(processes)} processes, {len(libraries)} library")
    assert not any((shared / "incomplete").iterdir()), "leftovers of processes that ended well"

    # Kills from the first moment to the last one of a compilation.
    interrupted = folder / "interrupted"
    began = time.monotonic()
    finish(start(program, folder / "timed"))
    duration = time.monotonic() - began
    killed = 12
    for step in range(killed):
        process = start(program, interrupted, f"--queue-capacity={step + 1}")
        time.sleep(duration * step / killed)
        process.kill()
        process.communicate()
    for step in range(killed):
        finish(start(program, interrupted, f"--queue-capacity={step + 1}"))
    print(f"killed {killed}, then compiled")
    return 0


if __name__ == "__main__":
    sys.exit(main())
